//! The title slot of omp's files: a rename overwrites its 256 bytes in place and touches nothing else.

use naite_core::codec::TitleSlot;
use naite_store::Access;
use naite_testkit::{Home, fixtures};

use crate::words::{fresh, user};

#[test]
fn a_rename_overwrites_the_slot_and_nothing_else() {
    let before = std::fs::read(fixtures().join("conformance/broken/title-slot.jsonl")).expect("a fixture");
    let home = Home::new();
    let path = home.write("s.jsonl", &before);
    let mut session = home.open(&path, Access::Write).expect("a session");
    let mut kept = before.len();
    for name in ["새 이름 🌳", &"아주 긴 이름 👨‍👩‍👧‍👦 ".repeat(40), ""] {
        session.append_session_info(name).expect("renamed");
        let now = std::fs::read(&path).expect("the file");
        assert_eq!(now[TitleSlot::BYTES..kept], fixed(&before, &now, kept), "only the slot changed");
        let slot = TitleSlot::read(&now[..TitleSlot::BYTES - 1]).expect("still a slot");
        assert!(name.trim().starts_with(&slot.title) && slot.title.is_empty() == name.is_empty());
        assert_eq!(session.session_name().unwrap_or_default(), slot.title);
        assert_eq!(fresh(&path).session_name(), session.session_name());
        kept = now.len();
    }
    session.append_message(&user("and on")).expect("appended");
    let again = fresh(&path);
    assert_eq!(again.leaf_id(), session.leaf_id());
    assert_eq!(again.tree().entries().count(), session.tree().entries().count());
}

/// What must stand behind the slot: the old bytes, and what was appended since.
fn fixed(before: &[u8], now: &[u8], kept: usize) -> Vec<u8> {
    [&before[TitleSlot::BYTES..], &now[before.len()..kept]].concat()
}

#[test]
fn a_fork_keeps_the_name_that_the_slot_says() {
    let slotted = std::fs::read(fixtures().join("conformance/broken/title-slot.jsonl")).expect("a fixture");
    let older = concat!(
        r#"{"type":"title_change","id":"f1","parentId":"bbbbbbb2","timestamp":"2026-03-01T09:00:05.000Z","#,
        r#""title":"older","source":"auto"}"#,
        "\n"
    );
    let home = Home::new();
    let path = home.write("s.jsonl", &[slotted.as_slice(), older.as_bytes()].concat());
    let mut session = home.open(&path, Access::Write).expect("a session");
    let name = session.session_name().map(String::from);
    assert!(name.as_deref().is_some_and(|name| name != "older"), "{name:?}");
    session.fork(None).expect("a copy");
    assert_eq!(session.session_name(), name.as_deref());
    assert_eq!(fresh(session.path().expect("a file")).session_name(), name.as_deref());
}

#[test]
fn a_rename_writes_no_slot_into_a_file_without_one() {
    let home = Home::new();
    let before = crate::words::chain(2);
    let path = home.write("s.jsonl", before.as_bytes());
    let mut session = home.open(&path, Access::Write).expect("a session");
    session.append_session_info("이름").expect("renamed");
    assert!(std::fs::read_to_string(&path).expect("the file").starts_with(&before));
    assert_eq!(fresh(&path).session_name(), Some("이름"));
}
