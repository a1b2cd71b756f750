//! Files of versions 1 and 2: read in memory, rewritten once before the first append, the old file put aside.

use std::path::{Path, PathBuf};

use naite_core::text::json::Object;
use naite_store::{Access, StoreError};
use naite_testkit::{Home, fixtures};

use crate::words::{defects, fresh, ids, path, print_of, user};

fn v1() -> Vec<u8> {
    std::fs::read(fixtures().join("conformance/broken/v1.jsonl")).expect("a fixture")
}

fn backups(home: &Home) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(home.file("naite/backups"));
    folder.into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn ids_are_the_same_at_every_opening_and_after_the_upgrade() {
    let home = Home::new();
    let file = home.write("s.jsonl", &v1());
    let wanted = (ids(&fresh(&file)), path(&fresh(&file)), defects(&fresh(&file)));
    let mut session = home.open(&file, Access::Write).expect("a session");
    assert_eq!((ids(&session), path(&session), defects(&session)), wanted);
    assert_eq!(std::fs::read(&file).expect("the file"), v1(), "opening writes nothing");
    let id = session.append_message(&user("on")).expect("appended").to_string();
    let again = fresh(&file);
    assert_eq!(again.header().map(|header| header.version), Some(3));
    assert_eq!(ids(&again), [wanted.0, vec![id.clone()]].concat());
    assert_eq!(path(&again), [wanted.1, vec![id]].concat());
}

#[test]
fn the_old_file_is_put_aside_once() {
    let home = Home::new();
    let file = home.write("s.jsonl", &v1());
    let mut session = home.open(&file, Access::Write).expect("a session");
    assert_eq!(backups(&home), [] as [&Path; 0]);
    session.append_message(&user("one")).expect("appended");
    session.append_message(&user("two")).expect("appended");
    let kept = backups(&home);
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::read(&kept[0]).expect("a backup"), v1());
}

#[test]
fn contexts_are_the_same_before_and_after() {
    let home = Home::new();
    let file = home.write("s.jsonl", &v1());
    let mut session = home.open(&file, Access::Write).expect("a session");
    let leaf = session.leaf();
    let before = session.build_session_context(leaf).expect("a context").to_json();
    session.append_session_info("name").expect("appended");
    let mut again = fresh(&file);
    let leaf = again.find(session.tree().id(leaf.expect("a leaf"))).expect("the old leaf");
    assert_eq!(again.build_session_context(Some(leaf)).expect("a context").to_json(), before);
}

#[test]
fn an_upgrade_keeps_where_the_leaf_was_moved_to() {
    let home = Home::new();
    let file = home.write("s.jsonl", &v1());
    let mut session = home.open(&file, Access::Write).expect("a session");
    let first = ids(&session)[0].clone();
    session.branch(&first).expect("a known entry");
    let id = session.append_message(&user("branch")).expect("appended").to_string();
    assert_eq!(path(&session), [first.clone(), id.clone()]);
    assert_eq!(path(&fresh(&file)), [first, id]);
    session.reset_leaf();
    let root = session.append_message(&user("root")).expect("appended").to_string();
    assert_eq!(path(&fresh(&file)), [root]);
}

#[test]
fn a_hook_message_of_version_2_becomes_custom_and_nothing_else_changes() {
    let home = Home::new();
    let lines = [
        r#"{"version":2,"type":"session","id":"s","x":"\ud800","timestamp":"2026-02-28T09:00:00.000Z"}"#,
        r#"{"n":1.50,"type":"message","id":"a","parentId":null,"timestamp":"2026-02-28T09:00:01.000Z","message":{"role":"hookMessage","big":123456789012345678901234567890,"customType":"h","content":"x"}}"#,
        r#"{"type":"surprise","id":"b","parentId":"a","timestamp":"2026-02-28T09:00:02.000Z","y":"\udd11"}"#,
    ];
    let file = home.write("s.jsonl", (lines.join("\n") + "\n").as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    session.append_message(&user("on")).expect("appended");
    let text = std::fs::read_to_string(&file).expect("the file");
    let now: Vec<&str> = text.lines().collect();
    let same = |line: &str, key: &str| Object::parse(line).and_then(|o| o.raw(key).map(String::from));
    assert_eq!(same(now[0], "x"), same(lines[0], "x"));
    assert_eq!(same(now[0], "version").as_deref(), Some("3"));
    assert_eq!(same(now[1], "n").as_deref(), Some("1.50"));
    let wanted = r#"{"role":"custom","big":123456789012345678901234567890,"customType":"h","content":"x"}"#;
    assert_eq!(same(now[1], "message").as_deref(), Some(wanted));
    assert_eq!(same(now[2], "y"), same(lines[2], "y"));
}

#[test]
fn a_newer_version_is_only_read() {
    let home = Home::new();
    let bytes = std::fs::read(fixtures().join("conformance/broken/v9.jsonl")).expect("a fixture");
    let file = home.write("s.jsonl", &bytes);
    let before = print_of(&file);
    let mut session = home.open(&file, Access::Write).expect("readable");
    assert_eq!(session.access(), Access::Read);
    let refused = session.append_message(&user("no"));
    assert!(matches!(refused, Err(StoreError::ReadOnly { newer_version: Some(9), .. })), "{refused:?}");
    session.finish().expect("nothing to write");
    assert_eq!(print_of(&file), before);
    home.open(&file, Access::Write).expect("nobody holds it");
}
