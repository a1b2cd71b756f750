//! `naite resume`: the real binary in a pseudo-terminal, and on a pipe.

use std::path::PathBuf;

use naite_testkit::drawing;

use crate::support::{Sandbox, expect_complaint, fingerprint, fixture, said, text};
use crate::tty::Tty;

/// Puts a session among Naite's own ones; `talk` is a drawing.
fn put(sandbox: &Sandbox, name: &str, talk: &str) -> PathBuf {
    std::fs::create_dir_all(sandbox.path("naite/sessions/some")).expect("a writable temp folder");
    sandbox.write(&format!("naite/sessions/some/{name}.jsonl"), drawing::bytes(talk))
}

/// Two sessions of Naite and those of pi.
fn filled() -> Sandbox {
    let sandbox = Sandbox::new();
    put(&sandbox, "one", "u1 user: Start the deployment\n a1 assistant: The needle is here <");
    put(&sandbox, "two", "u1 user: 인증 로그 확인 👨‍👩‍👧‍👦 <");
    sandbox
}

fn open(sandbox: &Sandbox, size: (u16, u16)) -> Tty {
    let mut tty = Tty::start(sandbox, &["resume", "--all"], size);
    tty.wait_for("1 of 2").wait("the end of reading", |tty| !tty.text().contains("reading,"));
    tty
}

#[test]
fn looking_changes_nothing_and_the_navigator_comes_back() {
    let sandbox = filled();
    let path = sandbox.path("naite/sessions/some/one.jsonl");
    let before = fingerprint(&path);
    let mut tty = open(&sandbox, (120, 40));
    tty.send("needle").wait_for("1 of 1").wait_for("Start the deployment");
    tty.send("\r").wait_for("Session tree").wait_for("The needle is here").send("\x03");
    tty.wait_for("Sessions  everywhere").send("\x1b").wait_for("1 of 2");
    tty.resize((20, 8)).wait_for("Type to search").resize((80, 24)).wait_for("1 of 2");
    tty.send("\x1b");
    let (status, text, bytes) = tty.finish();
    assert!(status.success(), "{text}");
    assert!(String::from_utf8_lossy(&bytes).contains("\u{1b}[?1049l"), "the terminal is given back");
    assert_eq!(fingerprint(&path), before);
}

#[test]
fn a_session_is_named_pinned_deleted_and_restored() {
    let sandbox = filled();
    let path = sandbox.path("naite/sessions/some/two.jsonl");
    let mut tty = open(&sandbox, (80, 24));
    tty.send("인증").wait_for("1 of 1").send("\x12").wait_for("Name (empty clears)");
    tty.send("새 이름").wait_for("[새 이름]").send("\r").wait_for("The session is called 새 이름");
    tty.send("\x10").wait_for("★");
    let pins = std::fs::read_to_string(sandbox.path("naite/pins")).expect("pins");
    assert_eq!(pins.lines().count(), 1, "{pins}");
    tty.send("\x04").wait_for("to the trash?").send("\r").wait_for("1 of 1");
    assert!(path.is_file());
    tty.send("\x04").wait_for("to the trash?").send("\x1b[B").wait_for("› Move it").send("\r");
    tty.wait_for("The session is in the trash").wait_for("No session holds");
    assert!(!path.exists());
    tty.send("\x1a").wait_for("which session shall come back").send("\r").wait_for("The session is back");
    tty.wait_for("★새 이름");
    assert!(path.is_file());
    tty.send("\x03");
    assert!(tty.finish().0.success());
    let json = sandbox.json(["info", path.to_str().expect("UTF-8"), "--json"]);
    assert_eq!(json["name"], "새 이름", "{json}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let sandbox = filled();
    sandbox.write("naite/sessions/some/bad.jsonl", "no session at all\n");
    let mut tty = open(&sandbox, (80, 24));
    tty.wait_for("1 file not read").send("\x05").wait_for("bad.jsonl").send("q").wait_for("1 of 2");
    tty.send("\x03");
    assert!(tty.finish().0.success());
}

#[test]
fn text_of_a_session_never_commands_the_terminal() {
    let sandbox = Sandbox::new();
    let nasty = "x\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{202e}dlrow\u{202c}\u{9b}31m";
    put(&sandbox, "nasty", &format!("u1 user: {nasty} [l{nasty}] <"));
    let mut tty = Tty::start(&sandbox, &["resume", "--all", "--lang", "ko"], (120, 40));
    tty.wait_for("1/1").wait_for("모든 곳").send("\x03");
    let (status, _, bytes) = tty.finish();
    assert!(status.success());
    let printed = String::from_utf8_lossy(&bytes);
    for bad in ["\u{1b}]52", "\u{202e}", "\u{9b}", "\u{7}"] {
        assert!(!printed.contains(bad), "{bad:?}");
    }
    assert_eq!(printed.matches("\u{1b}[2J").count(), 1, "cleared once, at the start");
}

#[test]
fn sessions_of_other_programs_stand_beside_ours() {
    let sandbox = filled();
    let folder = fixture("pi-0.73.1").join("sessions");
    let folder = folder.to_str().expect("UTF-8");
    let env = [("PI_CODING_AGENT_SESSION_DIR", folder)];
    let mut tty = Tty::start_with(&sandbox, &["resume", "--from", "pi"], (100, 30), &env);
    tty.wait_for("Sessions  pi").wait_for("1 of ").send("\x04").wait_for("belongs to pi").send("\x03");
    assert!(tty.finish().0.success());
}

#[test]
fn a_pipe_gets_the_list() {
    let sandbox = filled();
    let printed = sandbox.stdout(["resume", "--all"]);
    assert!(printed.contains("Start the deployment") && printed.contains("인증"), "{printed}");
    assert_eq!(printed, sandbox.stdout(["sessions", "--all"]));
    assert_eq!(sandbox.json(["resume", "--all", "--json"]), sandbox.json(["sessions", "--all", "--json"]));
    expect_complaint(&sandbox.run(["resume", "one"]), "needs a terminal");
    let output = sandbox.run(["resume"]);
    assert!(output.status.success() && text(&output.stderr).contains("--all"), "{}", said(&output));
}
