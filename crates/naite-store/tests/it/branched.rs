//! New files out of every entry of many sessions: the context stays, every parent resolves, the source is untouched.

use std::collections::HashMap;
use std::path::Path;

use naite_core::context::Context;
use naite_core::entry::Kind;
use naite_core::{Ix, Tree};
use naite_store::{Access, SessionManager, StoreError};
use naite_testkit::{Home, fixtures};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::words::{defects, fresh, ids, print_of};

/// Branches and forks a session file at every entry of it.
fn check(home: &mut Home, file: &Path) {
    let before = print_of(file);
    let source = home.open(file, Access::Read).expect("a session");
    let entries: Vec<Ix> = source.tree().entries().collect();
    for ix in entries {
        home.first_id += 100;
        let mut session = home.open(file, Access::Read).expect("a session");
        branch(&mut session, ix);
    }
    home.first_id += 100;
    fork(home, file);
    assert_eq!(print_of(file), before, "the source is as it was");
}

fn branch(session: &mut SessionManager, ix: Ix) {
    let tree = session.tree();
    let path = tree.path(Some(ix));
    let kept: Vec<String> = names(tree, path.iter().filter(|ix| tree.head(**ix).kind != Kind::Label));
    let labels: HashMap<String, String> = labels(tree, &path);
    let wanted = session.build_session_context(Some(ix)).expect("a context");
    let source = session.path().expect("a file").to_owned();
    if kept.is_empty() {
        let refused = session.create_branched_session(ix);
        assert!(matches!(refused, Err(StoreError::EmptyPath)), "{refused:?}");
        assert_eq!(session.path(), Some(source.as_path()), "the session that was open stays");
        return;
    }
    session.create_branched_session(ix).expect("a branch");
    let mut again = fresh(session.path().expect("a file"));
    assert_eq!(ids(&again), ids(session));
    assert_eq!(again.leaf_id(), session.leaf_id());
    assert_eq!(defects(&again), []);
    let tree = again.tree();
    let all: Vec<Ix> = tree.entries().collect();
    assert_eq!(tree.path(tree.leaf()), all, "one chain");
    assert_eq!(names(tree, all.iter().take(kept.len())), kept);
    assert_eq!(self::labels(tree, &all), labels.into_iter().collect());
    let header = again.header().expect("a header");
    assert_eq!(header.parent_session.as_deref(), source.to_str());
    let leaf = again.leaf();
    assert_same(&again.build_session_context(leaf).expect("a context"), &wanted);
}

fn fork(home: &Home, file: &Path) {
    let mut source = home.open(file, Access::Read).expect("a session");
    let mut session = home.open(file, Access::Read).expect("a session");
    session.fork(None).expect("a fork");
    let mut again = fresh(session.path().expect("a file"));
    assert_eq!(ids(&again), ids(&source));
    assert_eq!(again.leaf_id(), source.leaf_id());
    for ix in source.tree().entries().collect::<Vec<_>>() {
        assert_eq!(again.tree().parent(ix), source.tree().parent(ix));
        assert_eq!(again.tree().label(ix), source.tree().label(ix));
        let wanted = source.build_session_context(Some(ix)).expect("a context");
        assert_same(&again.build_session_context(Some(ix)).expect("a context"), &wanted);
    }
}

fn names<'a>(tree: &Tree, entries: impl Iterator<Item = &'a Ix>) -> Vec<String> {
    entries.map(|ix| tree.id(*ix).to_owned()).collect()
}

fn labels(tree: &Tree, entries: &[Ix]) -> HashMap<String, String> {
    let label = |ix: &Ix| Some((tree.id(*ix).to_owned(), tree.label(*ix)?.to_owned()));
    entries.iter().filter(|ix| tree.head(**ix).kind != Kind::Label).filter_map(label).collect()
}

fn assert_same(now: &Context, before: &Context) {
    let said = |context: &Context| -> Vec<String> {
        context.messages.iter().map(|message| message.json.clone()).collect()
    };
    assert_eq!(said(now), said(before));
    assert_eq!(
        (&now.thinking, &now.model, &now.mode, &now.injected_rules),
        (&before.thinking, &before.model, &before.mode, &before.injected_rules)
    );
}

#[test]
fn sessions_with_right_answers() {
    let mut home = Home::new();
    for entry in std::fs::read_dir(fixtures().join("conformance/random")).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let fixture: Value = serde_json::from_str(&text).expect("JSON");
        let lines = fixture["session"].as_array().expect("entries").iter().map(|line| format!("{line}\n"));
        let file = home.write("s.jsonl", lines.collect::<String>().as_bytes());
        check(&mut home, &file);
    }
}

#[test]
fn sessions_of_other_programs() {
    let mut home = Home::new();
    for program in ["pi-0.73.1/sessions/--home-user-project--", "omp-18.2.3/sessions/-project"] {
        for entry in std::fs::read_dir(fixtures().join(program)).expect("the fixtures") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a fixture");
            let file = home.write("s.jsonl", &bytes);
            check(&mut home, &file);
        }
    }
}

/// Draws an entry's kind, its parent among the earlier ones, and another entry that it names.
fn entries() -> impl Strategy<Value = Vec<(u8, Option<Index>, Index)>> {
    prop::collection::vec((0..10u8, prop::option::weighted(0.3, any::<Index>()), any::<Index>()), 1..24)
}

fn session(entries: &[(u8, Option<Index>, Index)]) -> String {
    let mut lines = vec![crate::words::HEADER.trim_end().to_owned()];
    for (at, (kind, parent, other)) in entries.iter().enumerate() {
        let parent = match (at, parent) {
            (0, _) => None,
            (_, Some(parent)) => Some(parent.index(at).to_string()),
            (_, None) => Some((at - 1).to_string()),
        };
        let other = other.index(at + 1).to_string();
        let mut entry = match kind {
            0..=1 => json!({ "type": "message", "message": { "role": "user", "content": "u" } }),
            2 => json!({ "type": "message", "message": {
                "role": "assistant", "content": [], "provider": "p", "model": format!("m{at}"), "stopReason": "stop",
            } }),
            3..=5 => json!({ "type": "label", "targetId": other, "label": format!("l{at}") }),
            6 => json!({ "type": "label", "targetId": other }),
            7 => {
                json!({ "type": "compaction", "summary": "c", "firstKeptEntryId": other, "tokensBefore": 1 })
            }
            8 => json!({ "type": "branch_summary", "fromId": other, "summary": "s" }),
            _ => json!({ "type": "thinking_level_change", "thinkingLevel": format!("t{at}") }),
        };
        entry["id"] = at.to_string().into();
        entry["parentId"] = parent.into();
        entry["timestamp"] = format!("2026-02-28T09:00:{:02}.000Z", at % 7).into();
        lines.push(entry.to_string());
    }
    lines.join("\n") + "\n"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawn_sessions(entries in entries()) {
        let mut home = Home::new();
        let file = home.write("s.jsonl", session(&entries).as_bytes());
        check(&mut home, &file);
    }
}
