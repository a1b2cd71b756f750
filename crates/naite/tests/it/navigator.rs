//! `naite tree` on a terminal: the real binary in a pseudo-terminal.

use std::io::Write;
use std::path::PathBuf;

use naite_testkit::drawing;

use crate::support::{Sandbox, fingerprint, fixture};
use crate::tty::Tty;

const TALK: &str = "u1 user: Start task
    a1 assistant: Plan
    ├─ u2 user: Try approach A
    │  a2 assistant: A result
    │  u3 user: Continue A [milestone] <
    └─ u4 user: Try approach B
       a4 assistant: B result";

fn session(sandbox: &Sandbox) -> PathBuf {
    sandbox.write("talk.jsonl", drawing::bytes(TALK))
}

fn open<const N: usize>(sandbox: &Sandbox, more: [&str; N], size: (u16, u16)) -> Tty {
    let path = session(sandbox);
    let arguments = [&["tree", path.to_str().expect("UTF-8")], more.as_slice()].concat();
    let mut tty = Tty::start(sandbox, &arguments, size);
    tty.wait_for("[milestone]");
    tty
}

/// Checks that the terminal was given back.
fn expect_restored(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for undone in
        ["\u{1b}[?1049l", "\u{1b}[?2004l", "\u{1b}[?1000l", "\u{1b}[?1006l", "\u{1b}[<u", "\u{1b}[?25h"]
    {
        assert!(text.contains(undone), "{undone:?} in {text:?}");
    }
}

#[test]
fn looking_changes_nothing() {
    let sandbox = Sandbox::new();
    let mut tty = open(&sandbox, [], (80, 24));
    let before = fingerprint(&sandbox.path("talk.jsonl"));
    tty.send("\x1b[A\x1b[B\x0f").wait_for("filter: no-tools").send("result").wait_for("Search: result");
    tty.send("\x1b").wait_for("Type to search").send("\x1b");
    let (status, text, bytes) = tty.finish();
    assert!(status.success(), "{text}");
    expect_restored(&bytes);
    assert_eq!(fingerprint(&sandbox.path("talk.jsonl")), before);
}

#[test]
fn enter_moves_the_leaf_for_good() {
    let sandbox = Sandbox::new();
    let mut tty = open(&sandbox, [], (80, 24));
    tty.send("\x1b[F").wait_for("›    assistant: B result").send("\x1b[A").wait_for("› └─ user").send("\r");
    let (status, text, _) = tty.finish();
    assert!(status.success(), "{text}");
    assert!(text.contains("The leaf is at a1.") && text.contains("Try approach B"), "{text}");
    let path = sandbox.path("talk.jsonl");
    let json = sandbox.json(["tree", path.to_str().expect("UTF-8"), "--json"]);
    let parent = |id: &str| {
        let node = json["nodes"].as_array().into_iter().flatten().find(|node| node["id"] == id);
        node.map(|node| node["parent"].clone())
    };
    let leaf = json["leaf"].as_str().expect("a leaf");
    assert!(leaf == "a1" || parent(leaf) == Some("a1".into()), "{json}");

    let mut tty = open(&sandbox, ["--lang", "ko"], (80, 24));
    tty.wait_for("세션 트리").send("\r");
    let (status, text, _) = tty.finish();
    assert!(status.success() && text.contains("이미 이 지점에 있습니다"), "{text}");
}

#[test]
fn frames_are_small_and_whole() {
    let sandbox = Sandbox::new();
    let long: Vec<String> = (0..60)
        .map(|at| format!("u{at} user: 한글로 쓴 아주 긴 {at}번째 질문 {}", "가나다라 abc ".repeat(12)))
        .collect();
    let path = sandbox.write("long.jsonl", drawing::bytes(&(long.join("\n") + " <")));
    for size in [(80, 24), (120, 40)] {
        let mut tty = Tty::start(&sandbox, &["tree", path.to_str().expect("UTF-8")], size);
        tty.wait_for("60 of 60");
        assert_eq!(count(&tty.bytes, b"\x1b[2J"), 1, "cleared once, at the start");
        for at in (50..60).rev() {
            tty.bytes.clear();
            tty.send("\x1b[A").wait_for(&format!("{at} of 60"));
            assert!(tty.bytes.len() < 4096, "{size:?}: {} bytes", tty.bytes.len());
            assert_eq!(count(&tty.bytes, b"\x1b[?2026h"), 1, "one update");
            assert!(tty.bytes.starts_with(b"\x1b[?2026h") && tty.bytes.ends_with(b"\x1b[?2026l"));
            assert_eq!(count(&tty.bytes, b"\x1b[2J"), 0, "never cleared again");
        }
        tty.send("\x03");
        assert!(tty.finish().0.success());
    }
}

fn count(bytes: &[u8], mark: &[u8]) -> usize {
    bytes.windows(mark.len()).filter(|window| *window == mark).count()
}

#[test]
fn text_of_a_session_never_commands_the_terminal() {
    let sandbox = Sandbox::new();
    let nasty = "x\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{8}\u{202e}dlrow\u{202c}\u{9b}31m\u{1b}[31mred";
    let drawn = drawing::bytes(&format!("u1 user: {nasty} [l{nasty}] <"));
    let path = sandbox.write("nasty.jsonl", drawn);
    let mut tty = Tty::start(&sandbox, &["tree", path.to_str().expect("UTF-8")], (120, 40));
    tty.wait_for("1 of 1").send("\x05").wait_for("Entry").send("q").wait_for("Session tree");
    tty.send("L")
        .wait_for("Label (empty")
        .send("\x1b")
        .wait_for("1 of 1")
        .send("dlrow")
        .wait_for("Search: dlrow");
    tty.send("\x03");
    let (_, _, bytes) = tty.finish();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert_eq!(count(&bytes, b"\x1b[2J"), 1, "our own");
    for sign in ["\u{1b}]52", "\u{7}", "\u{8}", "\u{202e}", "\u{9b}", "\u{1b}[31m"] {
        assert!(!text.contains(sign), "{sign:?} in {text:?}");
    }
}

#[test]
fn letters_and_the_cursor_of_an_input_method() {
    let sandbox = Sandbox::new();
    let mut tty = open(&sandbox, [], (80, 24));
    assert_eq!(tty.cursor(), (0, 1));
    let mut column = 8;
    for letter in ["G", "한", "글", "🌳"] {
        tty.send(letter);
        column += naite_core::text::width(letter) as u16;
        tty.wait(letter, |tty| tty.text().contains(letter) && tty.cursor() == (column, 1));
    }
    for left in [13, 11, 9] {
        tty.send("\x7f").wait("a letter less", |tty| tty.cursor() == (left, 1));
    }
    tty.send("\x03");
    assert!(tty.finish().0.success());
}

#[test]
fn a_letter_in_two_reads_arrives_whole() {
    let sandbox = Sandbox::new();
    let mut tty = open(&sandbox, [], (80, 24));
    let letter = "글".as_bytes();
    // What stands before the half letter is seen when that was read.
    tty.send([b"a", &letter[..2]].concat()).wait("the letter before", |tty| tty.text().contains("Search: a"));
    tty.send(&letter[2..]).wait_for("Search: a글");
    tty.send("\x03");
    assert!(tty.finish().0.success());
}

#[test]
fn another_size_while_searching() {
    let sandbox = Sandbox::new();
    let mut tty = open(&sandbox, [], (80, 24));
    tty.send("result").wait_for("Search: result");
    for size in [(40, 12), (20, 8), (120, 40), (80, 24)] {
        tty.bytes.clear();
        tty.resize(size).wait("the result", |tty| {
            !tty.bytes.is_empty() && tty.text().contains("assistant: A re") && tty.text().contains("result")
        });
        assert_eq!(count(&tty.bytes, b"\x1b[2J"), 0, "not cleared");
    }
    tty.send("\x1b").wait_for("[milestone]").send("\x1b");
    assert!(tty.finish().0.success());
}

#[test]
fn another_process_grows_the_session() {
    let sandbox = Sandbox::new();
    let mut tty = open(&sandbox, [], (80, 24));
    tty.send("\x1b[A").wait_for("› │  • assistant: A result");
    let path = sandbox.path("talk.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("it is there");
    let line = r#"{"type":"message","id":"n1","parentId":"u3","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"from elsewhere"}}"#;
    file.write_all(line.as_bytes()).expect("writable");
    file.write_all(b"\n").expect("writable");
    tty.wait_for("from elsewhere");
    assert!(
        tty.text().contains("› │  • assistant: A result") && tty.text().contains("1 new entry"),
        "{}",
        tty.text()
    );
    // A label of another process is seen as well.
    let labelled = sandbox.run(["label", path.to_str().expect("UTF-8"), "a2", "here"]);
    assert!(labelled.status.success());
    tty.wait_for("• [here] assistant: A result");
    tty.send("\x1b");
    assert!(tty.finish().0.success());
}

#[test]
fn a_session_that_is_deleted_or_replaced() {
    let sandbox = Sandbox::new();
    let mut tty = open(&sandbox, [], (80, 24));
    let path = sandbox.path("talk.jsonl");
    std::fs::remove_file(&path).expect("it is there");
    tty.wait_for("The file was deleted meanwhile");
    tty.send("\x1b[A").wait_for("› │  • assistant: A result");
    tty.send("\r").wait_for("cannot be continued").send("\x1b").wait_for("› │");
    assert!(!path.exists(), "nothing brings it back");
    sandbox.write("talk.jsonl", drawing::bytes("x1 user: another one <"));
    tty.wait_for("another one");
    tty.send("\x1b");
    assert!(tty.finish().0.success());
}

#[test]
fn signals_and_panics_give_the_terminal_back() {
    let sandbox = Sandbox::new();
    let tty = open(&sandbox, [], (80, 24));
    let killed = std::process::Command::new("kill").args(["-TERM", &tty.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let (status, _, bytes) = tty.finish();
    assert_eq!(status.exit_code(), 143);
    expect_restored(&bytes);

    if cfg!(debug_assertions) {
        let mut tty = open(&sandbox, [], (80, 24));
        tty.send("\x1b[57387u");
        let (status, text, bytes) = tty.finish();
        assert!(!status.success(), "{text}");
        expect_restored(&bytes);
        assert!(text.contains("F24 was pressed"), "{text}");
    }
}

#[test]
fn settings_change_keys_language_and_filter() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("naite")).expect("writable");
    let settings = "lang = \"ko\"\ntreeFilterMode = \"user-only\"\n[keys]\ntree.close = \"f10\"\n";
    sandbox.write("naite/settings.toml", settings);
    let mut tty = open(&sandbox, [], (80, 24));
    tty.wait_for("필터: user-only").send("\x1b[21~");
    assert!(tty.finish().0.success());

    sandbox.write("naite/settings.toml", "[keys]\ntree.close = \"ctlr+q\"\n");
    let path = session(&sandbox);
    let tty = Tty::start(&sandbox, &["tree", path.to_str().expect("UTF-8")], (80, 24));
    let (status, text, _) = tty.finish();
    assert_eq!(status.exit_code(), 1, "{text}");
    assert!(text.contains("ctlr+q for tree.close is no key"), "{text}");
}

#[test]
fn a_held_session_offers_a_copy() {
    let sandbox = Sandbox::new();
    let path = session(&sandbox);
    let file = path.to_str().expect("UTF-8");
    let mut rpc = sandbox.rpc(["--session", file]);
    rpc.call("getHeader", serde_json::json!({}));
    let mut tty = open(&sandbox, [], (80, 24));
    tty.send("\x1b[F")
        .wait_for("›    assistant: B result")
        .send("\r")
        .wait_for("another process has it open");
    tty.send("\x1b[A\r");
    let (status, text, _) = tty.finish();
    assert!(status.success() && text.contains("A copy was made"), "{text}");
    rpc.finish();
}

#[test]
fn a_transcript_of_another_agent_is_only_looked_at_or_continued_in_a_copy() {
    let sandbox = Sandbox::new();
    let name = "claude-code-2.1.332/projects/-home-user-project/11111111-1111-4111-8111-111111111111.jsonl";
    let path = sandbox.write("transcript.jsonl", std::fs::read(fixture(name)).expect("a fixture"));
    let before = fingerprint(&path);
    let mut tty = Tty::start(&sandbox, &["tree", path.to_str().expect("UTF-8")], (80, 24));
    tty.wait_for("Session tree")
        .send("\x1b[H")
        .wait_for("1 of ")
        .send("\r")
        .wait_for("it belongs to another agent");
    tty.send("\x1b").wait_for("1 of ").send("L").wait_for("it belongs to another agent");
    tty.send("\r").wait_for("› Copy the text").send("\x1b[A\r");
    let (status, text, _) = tty.finish();
    assert!(status.success() && text.contains("A copy was made"), "{text}");
    assert_eq!(fingerprint(&path), before);
}

#[test]
fn the_drawing_is_still_there() {
    let sandbox = Sandbox::new();
    let path = session(&sandbox);
    let tty = Tty::start(&sandbox, &["tree", path.to_str().expect("UTF-8"), "--print"], (80, 24));
    let (status, text, bytes) = tty.finish();
    assert!(status.success() && text.starts_with("• user: Start task"), "{text}");
    assert!(!bytes.contains(&0x1b));
}
