//! Looking on while another program grows, replaces or deletes a session: nothing is written, places stay.

use std::io::Write;
use std::path::Path;

use naite_store::{Access, Watched};
use naite_testkit::{Home, drawing};

const LINE: &str = r#"{"type":"message","id":"n1","parentId":"u1","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"more"}}"#;

fn append(path: &Path, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(path).expect("the file");
    file.write_all(text.as_bytes()).expect("writable");
}

#[test]
fn what_others_append_is_seen_and_only_that() {
    let home = Home::new();
    let path = home.write("s.jsonl", &drawing::bytes("u1 user: hi <"));
    let mut session = home.open(&path, Access::Read).expect("a session");
    assert_eq!(session.watch().expect("readable"), Watched::Same);
    append(&path, &format!("{LINE}\n"));
    assert_eq!(session.watch().expect("readable"), Watched::Grew(1));
    assert_eq!(session.leaf_id().map(|id| id.to_string()).as_deref(), Some("n1"));
    // Half a line is no entry yet, and its other half makes it one; nothing else moves.
    let (first, rest) = LINE.split_at(60);
    let known = session.tree().find("u1");
    append(&path, &first.replace("n1", "n2"));
    assert!(matches!(session.watch().expect("readable"), Watched::Grew(_)));
    append(&path, &format!("{}\n", rest.replace("n1", "n2")));
    assert!(matches!(session.watch().expect("readable"), Watched::Grew(_)));
    assert!(session.tree().find("n2").is_some());
    assert_eq!(session.tree().find("u1"), known);
}

#[test]
fn a_deleted_log_stays_deleted_and_another_one_is_read() {
    let home = Home::new();
    let path = home.write("s.jsonl", &drawing::bytes("u1 user: hi <"));
    let mut session = home.open(&path, Access::Read).expect("a session");
    std::fs::remove_file(&path).expect("it is there");
    assert_eq!(session.watch().expect("readable"), Watched::Gone);
    assert_eq!(session.watch().expect("readable"), Watched::Gone);
    assert!(!path.exists() && session.tree().find("u1").is_some());
    home.write("s.jsonl", &drawing::bytes("x1 user: other\n a1 assistant: one <"));
    assert_eq!(session.watch().expect("readable"), Watched::Replaced);
    assert!(session.tree().find("x1").is_some() && session.tree().find("u1").is_none());
}
