//! Sessions of extreme shape, on a small stack: whatever walks a tree or a value walks it in a loop.

use naite_core::outline::{Filter, Outline, gutter, row_text, shows};
use naite_store::{Access, SessionManager};
use naite_testkit::Home;

use crate::words::{HEADER, chain, defects, ids, user};

const MANY: usize = 20_000;

/// Runs on a stack that a recursion over [`MANY`] entries or some hundred levels would not fit into.
fn on_a_small_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test);
    thread.expect("a thread").join().expect("a sound end");
}

/// Does with a session whatever walks it, and says how many messages its context has and how many rows it shows.
fn walk(session: &mut SessionManager) -> (usize, usize) {
    let leaf = session.leaf();
    let context = session.build_session_context(leaf).expect("a context");
    let model = session.model_messages(leaf).expect("messages");
    assert!(model.len() >= context.messages.len() && !context.to_json().is_empty());
    let tree = session.tree();
    assert_eq!(tree.path(leaf).len(), context.path.len());
    assert_eq!(tree.common_ancestor(leaf, tree.roots().first().copied()), tree.roots().first().copied());
    let outline = Outline::new(tree, leaf, |ix| shows(tree, Filter::Default, leaf, ix));
    let last = outline.rows().len() - 1;
    assert!(gutter(&outline, last, Some(80)).columns <= 40);
    let ix = outline.rows()[last].ix;
    assert!(!session.with_entry(ix, |entry| row_text(entry, None, None)).expect("a row").is_empty());
    (context.messages.len(), last + 1)
}

/// Branches and forks a session, and opens what came of it.
fn copy(home: &mut Home, session: &mut SessionManager) {
    let (before, leaf) = (ids(session), session.leaf().expect("a leaf"));
    let path = session.tree().path(Some(leaf)).len();
    let source = session.path().expect("a file").to_owned();
    session.create_branched_session(leaf).expect("a branch");
    assert_eq!(ids(session).len(), path);
    home.first_id += 1;
    let mut session = home.open(&source, Access::Read).expect("the source");
    session.fork(None).expect("a fork");
    assert_eq!(ids(&session), before);
    let fork = session.path().expect("a file").to_owned();
    assert_eq!(ids(&home.open(&fork, Access::Read).expect("the fork")), before);
}

#[test]
fn a_deep_chain() {
    on_a_small_stack(|| {
        let mut home = Home::new();
        let file = home.write("s.jsonl", chain(MANY).as_bytes());
        let mut session = home.open(&file, Access::Write).expect("a session");
        assert_eq!(walk(&mut session), (MANY, MANY));
        let first = session.find("0").expect("the root");
        session.navigate(first, None).expect("a move");
        session.undo().expect("a move back");
        assert_eq!(walk(&mut session), (MANY, MANY));
        copy(&mut home, &mut session);
    });
}

#[test]
fn a_deep_staircase_of_branches() {
    on_a_small_stack(|| {
        let mut text = String::from(HEADER);
        for at in 0..MANY / 2 {
            let parent = at.checked_sub(1).map_or("null".into(), |before| format!("\"{before}\""));
            for id in [at.to_string(), format!("side{at}")] {
                text += &line(&id, &parent, "2026-02-28T09:00:00.000Z", &user("x"));
            }
        }
        let mut home = Home::new();
        let file = home.write("s.jsonl", text.as_bytes());
        let mut session = home.open(&file, Access::Write).expect("a session");
        assert_eq!(walk(&mut session), (MANY / 2, MANY));
        copy(&mut home, &mut session);
    });
}

#[test]
fn many_children_with_times_that_run_backwards() {
    on_a_small_stack(|| {
        let mut text = HEADER.to_owned() + &line("root", "null", "2026-02-28T09:00:00.000Z", &user("root"));
        for at in 0..MANY {
            let second = MANY - at;
            let time =
                format!("2026-02-28T{:02}:{:02}:{:02}.000Z", second / 3600, second / 60 % 60, second % 60);
            text += &line(&at.to_string(), "\"root\"", &time, &user("x"));
        }
        let mut home = Home::new();
        let file = home.write("s.jsonl", text.as_bytes());
        let mut session = home.open(&file, Access::Write).expect("a session");
        let root = session.find("root").expect("the root");
        let children: Vec<&str> = session.tree().children(root).map(|ix| session.tree().id(ix)).collect();
        let wanted: Vec<String> = (0..MANY).rev().map(|at| at.to_string()).collect();
        assert_eq!(children, wanted);
        assert_eq!(walk(&mut session), (2, MANY + 1));
        session.go(Some(root)).expect("a move");
        session.append_message(&user("the newest")).expect("appended");
        assert_eq!(session.tree().children(root).last(), session.leaf());
        copy(&mut home, &mut session);
    });
}

#[test]
fn values_nested_two_hundred_levels_deep() {
    on_a_small_stack(|| {
        let deep = "[".repeat(200) + &r#"{"a":"#.repeat(200) + "1" + &"}".repeat(200) + &"]".repeat(200);
        let turn = format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"t","arguments":{{"x":{deep}}}}}],"stopReason":"toolUse"}}"#
        );
        let time = "2026-02-28T09:00:00.000Z";
        let extra =
            format!(r#"{{"type":"surprise","id":"x","parentId":"a","timestamp":"{time}","data":{deep}}}"#);
        let text = [
            HEADER,
            &line("u", "null", time, &user("go")),
            &line("a", "\"u\"", time, &turn),
            &extra,
            "\n",
            &line(
                "r",
                "\"x\"",
                time,
                r#"{"role":"toolResult","toolCallId":"c","toolName":"t","content":[]}"#,
            ),
        ];
        let mut home = Home::new();
        let file = home.write("s.jsonl", text.concat().as_bytes());
        let mut session = home.open(&file, Access::Write).expect("a session");
        assert_eq!(defects(&session), []);
        assert_eq!(walk(&mut session).0, 3);
        let model = session.model_messages(session.leaf()).expect("messages");
        assert!(model[1].to_json().contains(&deep), "nothing of it is cut");
        copy(&mut home, &mut session);
        let branch = std::fs::read_to_string(session.path().expect("a file")).expect("the branch");
        assert!(branch.contains(&turn) && branch.contains(&extra));
    });
}

fn line(id: &str, parent: &str, time: &str, message: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"{time}","message":{message}}}"#
    ) + "\n"
}
