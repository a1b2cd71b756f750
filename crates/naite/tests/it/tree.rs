//! `naite tree`: the drawing, its filters, its search, its JSON, and a pipe that closes early.

use std::io::Read;
use std::process::Stdio;

use crate::support::{Sandbox, fixture, said};

const PI: &str = "pi-0.73.1/sessions/--home-user-project--/2026-11-30T14-03-20-361Z_01a22cc4-6da8-7130-9be4-226dd1c5afc4.jsonl";
const OMP: &str =
    "omp-18.2.3/sessions/-project/2026-11-30T14-07-17-743Z_01a22cc8-0cef-75d8-8c0e-2a5a2b6543d1.jsonl";

fn drawing(file: &str, more: &[&str]) -> String {
    let file = fixture(file);
    let mut arguments = vec!["tree", file.to_str().expect("UTF-8")];
    arguments.extend(more);
    Sandbox::new().stdout(arguments)
}

#[test]
fn peers_sessions_are_drawn() {
    insta::assert_snapshot!("pi", drawing(PI, &["--width", "80"]));
    insta::assert_snapshot!("omp_all", drawing(OMP, &["--filter", "all"]));
}

#[test]
fn every_filter_draws_what_it_says() {
    for filter in ["no-tools", "user-only", "labeled-only"] {
        insta::assert_snapshot!(filter, drawing(PI, &["--filter", filter, "--width", "60"]));
    }
}

#[test]
fn search_looks_at_everything_a_row_stands_for() {
    for (words, rows) in [
        ("ALTERNATIVE pi", 2),
        ("pivot", 1),
        ("echo a", 4),
        ("toolresult", 1),
        ("primary request", 2),
        ("no such words", 0),
    ] {
        let printed = drawing(PI, &["--search", words]);
        assert_eq!(printed.lines().count(), rows, "{words}: {printed}");
    }
}

#[test]
fn no_row_is_wider_than_asked() {
    for width in 20..60 {
        for line in drawing(OMP, &["--filter", "all", "--width", &width.to_string()]).lines() {
            assert!(naite_core::text::width(line) <= width, "{width}: {line}");
        }
    }
}

#[test]
fn json_has_every_entry_in_row_order() {
    let printed = drawing(PI, &["--json"]);
    insta::assert_snapshot!("json", printed.replace("},{\"id\"", "},\n{\"id\""));
}

#[test]
fn text_of_a_session_never_reaches_the_terminal_as_a_command() {
    let sandbox = Sandbox::new();
    let nasty = r"x\u001b[2J\u001b]52;c;aGk=\u0007\b\r\u202edlrow\u202c\u009b31m";
    let path = sandbox.write("nasty.jsonl", format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-03-01T09:00:00.000Z\",\"cwd\":\"{nasty}\"}}\n\
         {{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-03-01T09:00:01.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"{nasty}\"}}}}\n\
         {{\"type\":\"label\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":\"2026-03-01T09:00:02.000Z\",\"targetId\":\"a\",\"label\":\"{nasty}\"}}\n\
         {{\"type\":\"session_info\",\"id\":\"c\",\"parentId\":\"b\",\"timestamp\":\"2026-03-01T09:00:03.000Z\",\"name\":\"{nasty}\"}}\n"
    ));
    let file = path.to_str().expect("UTF-8");
    for arguments in
        [vec!["tree", file], vec!["tree", file, "--filter", "all"], vec!["info", file], vec!["context", file]]
    {
        let printed = sandbox.stdout(&arguments);
        let commands =
            printed.chars().find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(commands, None, "{arguments:?}: {printed:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("demo");
    let demo = sandbox.json(["demo", "--json", "--into", home.to_str().expect("UTF-8")]);
    let large = demo["sessions"][2]["path"].as_str().expect("a path").to_owned();
    // JSON of 300 entries is more than a pipe holds, so the writer is still writing when the reader goes.
    let mut child = sandbox
        .command(["tree", &large, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("naite starts");
    let mut first = [0; 10];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("it writes");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", said(&output));
}
