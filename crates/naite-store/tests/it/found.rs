//! What fuzzing found, each with a sentence of what went wrong.

use naite_core::undo::Change;
use naite_store::Access;
use naite_testkit::Home;

use crate::words::{HEADER, defects, fresh, ids, user};

/// Raw JSON with line breaks between its tokens was written as it came: one entry became several broken lines.
#[test]
fn a_message_that_is_laid_out_over_several_lines() {
    let home = Home::new();
    let file = home.write("s.jsonl", HEADER.as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    session.append_message("{\n  \"role\": \"user\",\r\n\t\"content\": \"x\"\n}\n").expect("appended");
    session.append_message(&user("on")).expect("appended");
    let again = fresh(&file);
    assert_eq!((ids(&again), defects(&again)), (ids(&session), Vec::new()));
}

/// A foreign summary that does not name the leaf that was left took it from memory, where the leaf had been moved:
/// this process could undo to another place than all others.
#[test]
fn a_foreign_summary_after_a_move_in_memory() {
    let home = Home::new();
    let file = home.write("s.jsonl", HEADER.as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    let first = session.append_message(&user("one")).expect("appended");
    let summary =
        r#"{"type":"branch_summary","id":"f","parentId":null,"timestamp":"","summary":"s","fromId":"root"}"#;
    let bytes = std::fs::read_to_string(&file).expect("the file") + summary + "\n";
    std::fs::write(&file, bytes).expect("a foreign append");
    session.reset_leaf();
    session.append_message(&user("two")).expect("appended");
    let leaf = session.tree().find(first.as_str());
    for session in [&session, &fresh(&file)] {
        let changes: Vec<Change> = session.history().undo.into_iter().map(|step| step.change).collect();
        assert_eq!(changes, [Change::Leaf(leaf)]);
    }
}
