//! Transcripts of Claude Code: the tree of an independent reading, contexts, copies, refusals, damage.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use naite_core::codec::DefectKind;
use naite_core::context::{ModelMessage, ModelRole};
use naite_core::entry::{Kind, Role};
use naite_core::text::json::Object;
use naite_core::{Ix, Tree};
use naite_store::{Access, SessionManager, StoreError};
use naite_testkit::{Home, fixtures};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::words::print_of;

/// What `expected.py`, which reads the files as plain JSON, says of every transcript.
fn table() -> BTreeMap<String, Value> {
    let path = fixtures().join("claude-code-2.1.332/expected.json");
    serde_json::from_slice(&std::fs::read(path).expect("the table")).expect("valid JSON")
}

fn files() -> Vec<PathBuf> {
    table().keys().map(|name| fixtures().join(name)).collect()
}

fn open(file: &Path) -> SessionManager {
    Home::new().open(file, Access::Read).expect("a transcript")
}

/// The role of an entry in the words of the table; `None` for bookkeeping.
fn role(session: &mut SessionManager, ix: Ix) -> Option<String> {
    let head = *session.tree().head(ix);
    match head.kind {
        Kind::Message => Some(head.role.name().into()),
        Kind::CustomMessage => {
            let text = session.text(ix).expect("a body");
            Some(Object::parse(&text).expect("an object").str("customType").expect("a type").into_owned())
        }
        Kind::Compaction => Some("compaction".into()),
        _ => None,
    }
}

/// The turn that an entry hangs on: results stand for the answer that called them.
fn turn(session: &mut SessionManager, from: Option<Ix>, is_result: bool) -> Option<Ix> {
    let path: Vec<Ix> = session.tree().ancestry(from).collect();
    path.into_iter().find(|ix| {
        let is_answer = session.tree().head(*ix).role == Role::Assistant;
        let other = session.tree().head(*ix).role != Role::ToolResult && role(session, *ix).is_some();
        if is_result { is_answer } else { other }
    })
}

#[test]
fn every_transcript_is_the_tree_of_the_table() {
    for (name, wanted) in table() {
        let mut session = open(&fixtures().join(&name));
        assert!(session.defects().is_empty(), "{name}: {:?}", session.defects());
        let entries: Vec<Ix> = session.tree().entries().collect();
        let mut messages = Vec::new();
        for ix in &entries {
            let Some(role) = role(&mut session, *ix) else { continue };
            let parent = session.tree().parent(*ix);
            let above = turn(&mut session, parent, role == "toolResult");
            let tree = session.tree();
            messages.push(json!([tree.id(*ix), role, above.map(|ix| tree.id(ix))]));
        }
        assert_eq!(Value::from(messages), wanted["messages"], "{name}");
        let tree = session.tree();
        let is_result = |ix: &Ix| tree.head(*ix).role == Role::ToolResult;
        let results: HashMap<&str, &str> = entries
            .iter()
            .filter(|ix| is_result(ix))
            .map(|ix| (tree.heads().calls(*ix).next().expect("a call"), tree.id(*ix)))
            .collect();
        let calls: Vec<&str> =
            entries.iter().filter(|ix| !is_result(ix)).flat_map(|ix| tree.heads().calls(*ix)).collect();
        let pairs: Vec<Value> = calls.iter().map(|call| json!([call, results.get(call)])).collect();
        let expected: Vec<Value> =
            wanted["calls"].as_array().expect("calls").iter().map(|c| json!([c[0], c[2]])).collect();
        assert_eq!(pairs, expected, "{name}");
        let leaf = session.leaf();
        let leaf = turn(&mut session, leaf, false).map(|ix| session.tree().id(ix).to_owned());
        let header = session.header().expect("a header");
        let facts = json!({
            "session": header.id.as_str(), "from": header.parent_session, "cwd": header.cwd,
            "name": session.session_name(), "leaf": leaf,
        });
        for (key, value) in facts.as_object().expect("an object") {
            assert_eq!(value, &wanted[key], "{name}: {key}");
        }
    }
}

/// The tool of each result, as its body names it, is the one that was called.
#[test]
fn results_name_the_tool_that_was_called() {
    for (name, wanted) in table() {
        let mut session = open(&fixtures().join(&name));
        for call in wanted["calls"].as_array().expect("calls") {
            let Some(result) = call[2].as_str() else { continue };
            let ix = session.find(result).expect("the result");
            let text = session.text(ix).expect("a body");
            let message = Object::parse(&text).and_then(|entry| entry.object("message")).expect("a message");
            assert_eq!(message.str("toolName").as_deref(), call[1].as_str(), "{name}");
            assert_eq!(message.str("toolCallId").as_deref(), call[0].as_str(), "{name}");
        }
    }
}

/// What a provider demands: each call is followed at once by its result, and no result stands alone.
fn expect_pairs(messages: &[ModelMessage], what: &str) {
    let mut open: HashSet<&str> = HashSet::new();
    for message in messages {
        assert!(!message.content.is_empty() || message.role == ModelRole::ToolResult, "{what}: nothing said");
        match message.role {
            ModelRole::ToolResult => {
                let call = message.call_id.as_deref().expect("a call");
                assert!(open.remove(call), "{what}: {call} was not open");
            }
            _ => {
                assert!(open.is_empty(), "{what}: {open:?} without result");
                open.extend(message.calls.iter().map(|(call, _)| call.as_str()));
            }
        }
    }
    assert!(open.is_empty(), "{what}: {open:?} without result");
    let starts = messages.first().is_none_or(|first| first.role != ModelRole::ToolResult);
    assert!(starts, "{what}: begins with a result");
}

#[test]
fn every_entry_has_a_context_that_a_provider_takes() {
    for file in files() {
        let mut session = open(&file);
        for ix in session.tree().entries().map(Some).chain([session.leaf()]).collect::<Vec<_>>() {
            let messages = session.model_messages(ix).expect("messages");
            expect_pairs(&messages, &format!("{} at {ix:?}", file.display()));
        }
    }
}

#[test]
fn parallel_results_are_all_on_the_path() {
    let mut session = open(&fixtures().join("crafted-resumable/claude-code/parallel_tools.jsonl"));
    let leaf = session.leaf();
    let roles: Vec<Role> = session.tree().path(leaf).iter().map(|ix| session.tree().head(*ix).role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::ToolResult, Role::ToolResult, Role::Assistant]);
    let messages = session.model_messages(leaf).expect("messages");
    assert_eq!(messages[1].calls.len(), 2, "both blocks are one message");
    assert_eq!(messages.iter().filter(|message| message.is_error).count(), 0, "nothing was made up");
}

/// The messages and settings of a context.
fn context(session: &mut SessionManager, at: Option<Ix>) -> (Vec<String>, Option<(String, String)>) {
    let context = session.build_session_context(at).expect("a context");
    (context.messages.into_iter().map(|message| message.json).collect(), context.model)
}

#[test]
fn a_copy_has_the_same_contexts_and_can_be_grown() {
    for file in files() {
        let before = print_of(&file);
        let mut home = Home::new();
        let mut source = open(&file);
        let (leaf, name) = (source.leaf(), source.session_name().map(String::from));
        let wanted = context(&mut source, leaf);
        let mut copy = home.open(&file, Access::Read).expect("a transcript");
        copy.fork(None).expect("a copy");
        assert_eq!(copy.foreign(), None);
        let at = copy.leaf();
        assert_eq!(context(&mut copy, at), wanted, "{}", file.display());
        assert_eq!(copy.session_name(), name.as_deref());
        assert_eq!(copy.header().expect("a header").parent_session.as_deref(), file.to_str());
        copy.append_message(r#"{"role":"user","content":"이어서"}"#).expect("it grows");
        let path = copy.path().expect("a file").to_owned();
        drop(copy);
        let again = home.open(&path, Access::Read).expect("a session");
        assert_eq!(again.defects(), []);
        let entries: Vec<Ix> = source.tree().entries().collect();
        for ix in entries.iter().copied().step_by(entries.len() / 4 + 1) {
            let wanted = context(&mut source, Some(ix));
            if wanted.0.is_empty() {
                continue;
            }
            home.first_id += 10;
            let mut branch = home.open(&file, Access::Read).expect("a transcript");
            branch.create_branched_session(ix).expect("a branch");
            let leaf = branch.leaf();
            assert_eq!(context(&mut branch, leaf), wanted, "{} at {ix:?}", file.display());
        }
        assert_eq!(print_of(&file), before, "the source is as it was");
    }
}

#[test]
fn nothing_is_written_to_a_transcript() {
    let home = Home::new();
    let bytes = std::fs::read(files().swap_remove(0)).expect("a fixture");
    std::fs::create_dir(home.file("foreign")).expect("writable");
    let file = home.write("foreign/s.jsonl", &bytes);
    let before = print_of(&file);
    let mut session = home.open(&file, Access::Write).expect("it opens, for reading");
    assert_eq!(session.access(), Access::Read);
    let first = session.tree().entries().next().expect("an entry");
    let id = session.tree().id(first).to_owned();
    let refused = [
        session.append_message(r#"{"role":"user","content":"x"}"#).map(drop),
        session.append_label_change(&id, Some("x")).map(drop),
        session.append_session_info("x").map(drop),
        session.go(Some(first)).map(drop),
        session.navigate(first, None).map(drop),
        session.undo().map(drop),
        session.repair().map(drop),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(StoreError::Foreign { .. })), "{refused:?}");
    }
    session.branch(&id).expect("the leaf moves in memory");
    session.finish().expect("nothing to write");
    drop(session);
    assert_eq!(print_of(&file), before);
    assert_eq!(std::fs::read_dir(home.file("foreign")).expect("a folder").count(), 1);
}

/// The lines of a file that have a place in the tree: number, id, parent.
fn nodes(bytes: &[u8]) -> Vec<(usize, String, Option<String>)> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let node = |(number, line): (usize, &[u8])| {
        let fields: Value = serde_json::from_slice(line).ok()?;
        let id = fields["uuid"].as_str()?.to_owned();
        Some((number, id, fields["parentUuid"].as_str().map(String::from)))
    };
    lines.filter_map(node).collect()
}

/// Every line but one is found, and what stood above it still does.
fn expect_all_but(damaged: usize, sound: &[u8], tree: &Tree) {
    let nodes = nodes(sound);
    let parents: HashMap<&str, (usize, Option<&str>)> =
        nodes.iter().map(|(number, id, parent)| (id.as_str(), (*number, parent.as_deref()))).collect();
    for (number, id, _) in &nodes {
        if *number == damaged {
            continue;
        }
        let ix = tree.find(id).unwrap_or_else(|| panic!("line {} is lost", number + 1));
        let path: HashSet<Ix> = tree.ancestry(Some(ix)).collect();
        let mut above = parents[id.as_str()].1;
        while let Some((number, parent)) = above.and_then(|id| parents.get(id)) {
            let upper = above.expect("an id");
            if *number != damaged {
                let upper = tree.find(upper).expect("found above");
                assert!(path.contains(&upper), "line {} lost what is above it", number + 1);
            }
            above = *parent;
        }
    }
}

fn opened(bytes: &[u8]) -> Option<SessionManager> {
    let home = Home::new();
    let file = home.write("t.jsonl", bytes);
    home.open(&file, Access::Read).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_line_costs_only_itself(file: Index, line: Index, keep: Index, junk in 0..4usize) {
        let files = files();
        let sound = std::fs::read(file.get(&files)).expect("a fixture");
        let mut lines: Vec<Vec<u8>> = sound.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        lines.pop();
        let at = line.index(lines.len());
        let kept = keep.index(lines[at].len());
        lines[at].truncate(kept);
        lines[at].extend([&b""[..], b"\0\0\0\0", b"{\"type\":", b"\xe6\x87"][junk]);
        let bytes = lines.join(&b'\n');
        let Some(session) = opened(&bytes) else {
            // Nothing is left that says whose file it is.
            prop_assert!(nodes(&bytes).is_empty());
            return Ok(());
        };
        expect_all_but(at, &sound, session.tree());
        prop_assert!(session.defects().len() <= 1, "{:?}", session.defects());
    }

    #[test]
    fn a_file_that_was_cut_holds_what_is_before_the_cut(file: Index, cut: Index) {
        let files = files();
        let bytes = std::fs::read(file.get(&files)).expect("a fixture");
        let cut = cut.index(bytes.len());
        let whole = open(&files[file.index(files.len())]);
        let Some(mut session) = opened(&bytes[..cut]) else { return Ok(()) };
        for (_, id, _) in nodes(&bytes[..cut]) {
            let (short, long) = (session.find(&id), whole.find(&id));
            let (short, long) = (short.expect("a line"), long.expect("a line"));
            let parent = |session: &SessionManager, ix| {
                session.tree().parent(ix).map(|ix| session.tree().id(ix).to_owned())
            };
            prop_assert_eq!(parent(&session, short), parent(&whole, long));
        }
        let torn = session.defects().iter().filter(|defect| defect.kind != DefectKind::TornTail).count();
        prop_assert_eq!(torn, 0);
        let leaf = session.leaf();
        expect_pairs(&session.model_messages(leaf).expect("messages"), "cut");
    }
}
