//! Moves, undo and redo, each case a drawing, what is done, and the drawing after it.

use naite_store::{Left, Navigated, SessionManager, StoreError};
use naite_testkit::drawing::check;

use crate::words::user;

type Do = Box<dyn Fn(&mut SessionManager)>;

const FORKED: &str = "\
u1 user: Start
a1 assistant: Plan
├─ u2 user: A
│  a2 assistant: done <
└─ u3 user: B";

/// Does one thing after another.
fn all(steps: Vec<Do>) -> impl FnOnce(&mut SessionManager) {
    move |session| steps.iter().for_each(|step| step(session))
}

fn to(id: &'static str) -> Do {
    Box::new(move |session| {
        let target = session.find(id).expect("a target");
        session.navigate(target, None).expect("a move");
    })
}

fn summed(id: &'static str, summary: &'static str) -> Do {
    Box::new(move |session| {
        let target = session.find(id).expect("a target");
        session.navigate(target, Some(&Left { summary, ..Left::default() })).expect("a move");
    })
}

fn go(id: Option<&'static str>) -> Do {
    Box::new(move |session| {
        let target = id.map(|id| session.find(id).expect("a target"));
        session.go(target).expect("a move");
    })
}

fn say(text: &'static str) -> Do {
    Box::new(move |session| {
        session.append_message(&user(text)).expect("an entry");
    })
}

fn label(id: &'static str, label: Option<&'static str>) -> Do {
    Box::new(move |session| {
        session.append_label_change(id, label).expect("a label");
    })
}

fn undo() -> Do {
    Box::new(|session| {
        session.undo().expect("something to undo");
    })
}

fn redo() -> Do {
    Box::new(|session| {
        session.redo().expect("something to redo");
    })
}

fn nothing_to(redo: bool) -> Do {
    Box::new(move |session| {
        let done = if redo { session.redo() } else { session.undo() };
        assert!(matches!(done, Err(StoreError::NothingToUndo { redo: told }) if told == redo), "{done:?}");
    })
}

#[test]
fn a_move_to_a_user_message_goes_before_it() {
    check(FORKED, all(vec![to("u3")]), &moved("a1 assistant: Plan"));
    check("u1 user: A\na1 assistant: B <", all(vec![to("u1")]), "<\nu1 user: A\na1 assistant: B");
    check(
        "u1 user: A\nn1 [note]: B\nu2 user: C <",
        all(vec![to("n1")]),
        "u1 user: A <\nn1 [note]: B\nu2 user: C",
    );
}

#[test]
fn a_move_to_anything_else_goes_onto_it() {
    check(FORKED, all(vec![to("a1")]), &moved("a1 assistant: Plan"));
    let summary = "s1 [branch summary]: left\nu1 user: A <";
    check(summary, all(vec![to("s1")]), "s1 [branch summary]: left <\nu1 user: A");
    check("u1 user: A <\na1 assistant: B", all(vec![to("a1")]), "u1 user: A\na1 assistant: B <");
}

#[test]
fn the_words_come_back_for_the_editor() {
    let wanted = |words: Option<&'static str>, id: &'static str| -> Do {
        Box::new(move |session| {
            let target = session.find(id).expect("a target");
            match session.navigate(target, None).expect("a move") {
                Navigated::Moved(moved) => assert_eq!(moved.editor_text.as_deref(), words),
                Navigated::AlreadyThere => assert_eq!(words, None),
            }
        })
    };
    check(FORKED, all(vec![wanted(Some("B"), "u3")]), &moved("a1 assistant: Plan"));
    check(FORKED, all(vec![wanted(None, "a1")]), &moved("a1 assistant: Plan"));
    check(FORKED, all(vec![wanted(None, "a2")]), FORKED);
    check("u1 user: A <", all(vec![wanted(None, "u1")]), "u1 user: A <");
}

#[test]
fn a_move_to_where_the_leaf_is_writes_nothing() {
    let silent = |id: &'static str| -> Do {
        Box::new(move |session| {
            let (target, count) = (session.find(id).expect("a target"), session.tree().heads().len());
            assert_eq!(session.navigate(target, None).expect("no move"), Navigated::AlreadyThere);
            assert_eq!(session.tree().heads().len(), count);
        })
    };
    check(FORKED, all(vec![silent("a2")]), FORKED);
    // Only a label lies between.
    let labelled = FORKED.replace("A\n", "A [x]\n");
    check(FORKED, all(vec![label("u2", Some("x")), silent("a2")]), &labelled);
}

#[test]
fn going_takes_the_entry_itself() {
    check(FORKED, all(vec![go(Some("u3"))]), &moved("u3 user: B"));
    check(FORKED, all(vec![go(None)]), &format!("<\n{}", FORKED.replace(" <", "")));
    check(FORKED, all(vec![go(Some("a2"))]), FORKED);
}

#[test]
fn what_is_said_after_a_move_starts_a_branch() {
    check(
        "u1 user: A\na1 assistant: B <",
        all(vec![to("u1"), say("C")]),
        "u1 user: A\na1 assistant: B\n\n$1 user: C <",
    );
    check(
        "u1 user: A\na1 assistant: B <",
        all(vec![go(Some("u1")), say("C")]),
        "u1 user: A
         ├─ a1 assistant: B
         └─ $1 user: C <",
    );
}

#[test]
fn a_summary_of_what_was_left_hangs_at_the_new_place() {
    check(
        "u1 user: A\na1 assistant: B\nu2 user: C <",
        all(vec![summed("a1", "was C")]),
        "u1 user: A
         a1 assistant: B
         ├─ u2 user: C
         └─ $1 [branch summary]: was C <",
    );
    check(
        "u1 user: A\na1 assistant: B <",
        all(vec![summed("u1", "was A")]),
        "u1 user: A\na1 assistant: B\n\n$1 [branch summary]: was A <",
    );
}

#[test]
fn moves_are_undone_and_redone_one_by_one() {
    let moves = || vec![to("u3"), go(Some("u1"))];
    let then = |more: Vec<Do>| all(moves().into_iter().chain(more).collect());
    check(FORKED, then(vec![]), &moved("u1 user: Start"));
    check(FORKED, then(vec![undo()]), &moved("a1 assistant: Plan"));
    check(FORKED, then(vec![undo(), undo(), nothing_to(false)]), FORKED);
    check(FORKED, then(vec![undo(), undo(), redo()]), &moved("a1 assistant: Plan"));
    check(FORKED, then(vec![undo(), redo(), nothing_to(true)]), &moved("u1 user: Start"));
    check(FORKED, then(vec![undo(), undo(), redo(), redo(), undo(), undo()]), FORKED);
}

#[test]
fn an_undone_summary_stays_as_a_branch() {
    let after = "u1 user: A
                 a1 assistant: B
                 ├─ u2 user: C <
                 └─ $1 [branch summary]: was C";
    let before = "u1 user: A\na1 assistant: B\nu2 user: C <";
    check(before, all(vec![summed("a1", "was C"), undo()]), after);
    let redone = after.replace(" <", "") + " <";
    check(before, all(vec![summed("a1", "was C"), undo(), redo()]), &redone);
}

#[test]
fn labels_are_undone_and_redone_with_their_former_values() {
    let changes = || vec![label("u1", Some("two")), label("u1", None)];
    let then = |more: Vec<Do>| all(changes().into_iter().chain(more).collect());
    check("u1 user: A [one] <", then(vec![]), "u1 user: A <");
    check("u1 user: A [one] <", then(vec![undo()]), "u1 user: A [two] <");
    check("u1 user: A [one] <", then(vec![undo(), undo()]), "u1 user: A [one] <");
    check("u1 user: A [one] <", then(vec![undo(), undo(), undo(), nothing_to(false)]), "u1 user: A <");
    check("u1 user: A [one] <", then(vec![undo(), undo(), redo()]), "u1 user: A [two] <");
    check("u1 user: A [one] <", then(vec![undo(), redo(), nothing_to(true)]), "u1 user: A <");
}

#[test]
fn what_was_appended_after_a_move_stays_when_it_is_undone() {
    check(
        "u1 user: A\na1 assistant: B <",
        all(vec![go(Some("u1")), say("C"), undo()]),
        "u1 user: A
         ├─ a1 assistant: B <
         └─ $1 user: C",
    );
    // Redo goes to where the leaf was before the undo, not to where the move had put it.
    check(
        "u1 user: A\na1 assistant: B <",
        all(vec![go(Some("u1")), say("C"), undo(), redo()]),
        "u1 user: A
         ├─ a1 assistant: B
         └─ $1 user: C <",
    );
}

#[test]
fn a_new_move_label_or_message_empties_the_redo_list() {
    let undone = || vec![to("u3"), undo()];
    let then = |step: Do| all(undone().into_iter().chain([step, nothing_to(true)]).collect());
    check(FORKED, then(go(Some("u1"))), &moved("u1 user: Start"));
    check(FORKED, then(label("u1", Some("x"))), &FORKED.replace("Start", "Start [x]"));
    let said = FORKED.replace(" <", "").replace("└─", "│  $1 user: more <\n└─");
    check(FORKED, then(say("more")), &said);
}

#[test]
fn a_move_from_an_entry_that_is_not_there_cannot_be_undone() {
    let from_nowhere: Do = Box::new(|session| {
        let line = concat!(
            r#"{"type":"custom","id":"m","parentId":"a1","timestamp":"2026-02-28T10:00:00.000Z","#,
            r#""customType":"naite.move","data":{"op":"navigate","from":"gone","to":"a1"}}"#,
            "\n"
        );
        let path = session.path().expect("a file").to_owned();
        let mut bytes = std::fs::read(&path).expect("a readable file");
        bytes.extend_from_slice(line.as_bytes());
        std::fs::write(&path, bytes).expect("a writable file");
        session.refresh().expect("the foreign line");
    });
    check(FORKED, all(vec![from_nowhere, nothing_to(false)]), &moved("a1 assistant: Plan"));
}

#[test]
fn a_late_result_does_not_move_the_leaf() {
    let late: Do = Box::new(|session| {
        let under = session.find("a2").expect("a turn");
        session.append_late_result(under, &user("late")).expect("an entry");
    });
    let after = moved("u3 user: B").replace("└─", "│  $1 user: late\n└─");
    check(FORKED, all(vec![go(Some("u3")), late]), &after);
}

/// [`FORKED`] with its leaf at another row.
fn moved(row: &str) -> String {
    FORKED.replace(" <", "").replace(row, &format!("{row} <"))
}
