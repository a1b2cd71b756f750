//! The checks: one tree however it was read, every entry in it once, and valid JSON out of it.

use std::collections::HashSet;

use naite_core::codec::{current_text, decode, entry};
use naite_core::context::{self, ContextMessage, emit, late_results, plan, to_model};
use naite_core::entry::Entry;
use naite_core::outline::{Caller, Filter, Outline, caller, row, row_text, search_text, shows};
use naite_core::text::json::{Object, mend_surrogates};
use naite_core::text::width;
use naite_core::undo::history;
use naite_core::{Ix, Place, StoredHeads, Tree, navigate};
use serde_json::Value;
use serde_json::value::RawValue;

/// Leaves at which a context is built: enough to meet every branch of a small log.
const LEAVES: usize = 12;

/// Reads a log in every way and checks all that can be made of it.
pub fn check(log: &[u8]) {
    for line in log.split(|byte| *byte == b'\n') {
        decode(line, true);
        decode(line, false);
    }
    let tree = read(log);
    same(&read_slowly(log), &tree);
    if let Some(again) = through_a_cache(&tree) {
        same(&again, &tree);
    }
    walk(&tree);
    rows(&tree, log);
    let step = tree.heads().len() / LEAVES + 1;
    for leaf in tree.entries().step_by(step).map(Some).chain([tree.leaf(), None]) {
        check_context(&tree, leaf, log);
    }
}

/// Reads a whole log at once.
pub fn read(log: &[u8]) -> Tree {
    let mut tree = Tree::default();
    lines(log, |bytes, place| tree.line(bytes, place, &mut { log }));
    tree.settle();
    tree
}

/// Reads a log as it grows: every line is linked before the next one comes.
fn read_slowly(log: &[u8]) -> Tree {
    let mut tree = Tree::default();
    lines(log, |bytes, place| {
        tree.line(bytes, place, &mut { log });
        tree.settle();
    });
    tree
}

fn lines(log: &[u8], mut each: impl FnMut(&[u8], Place)) {
    let (mut line, mut offset) = (1, 0);
    for bytes in log.split_inclusive(|byte| *byte == b'\n') {
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        each(text, Place { line, offset, ended: text.len() < bytes.len() });
        (line, offset) = (line + 1, offset + bytes.len() as u64);
    }
}

/// Writes heads as the index does and reads them back.
fn through_a_cache(tree: &Tree) -> Option<Tree> {
    let bytes = postcard::to_allocvec(&tree.heads().stored()?).expect("heads can be written");
    let stored: StoredHeads = postcard::from_bytes(&bytes).expect("what was written can be read");
    Some(Tree::new(stored.load().expect("sound heads are believed")))
}

fn same(one: &Tree, other: &Tree) {
    assert!(one.entries().eq(other.entries()), "entries");
    assert_eq!(one.leaf(), other.leaf(), "leaf");
    assert_eq!(one.roots(), other.roots(), "roots");
    assert_eq!(one.defects(), other.defects(), "defects");
    assert_eq!(one.heads().labels(), other.heads().labels(), "labels");
    assert_eq!(one.heads().name(), other.heads().name(), "name");
    for ix in one.entries() {
        assert_eq!(one.id(ix), other.id(ix), "id");
        assert_eq!(one.parent(ix), other.parent(ix), "parent of {}", one.id(ix));
        assert!(one.children(ix).eq(other.children(ix)), "children of {}", one.id(ix));
        assert_eq!(one.label(ix), other.label(ix), "label of {}", one.id(ix));
    }
}

/// Walks a tree in every way: each entry is below exactly one root, and every walk ends.
pub fn walk(tree: &Tree) {
    let mut seen = vec![false; tree.heads().len()];
    let mut next = tree.roots().to_vec();
    while let Some(ix) = next.pop() {
        assert!(!std::mem::replace(&mut seen[ix.at()], true), "{} is met twice", tree.id(ix));
        assert!(tree.children(ix).all(|child| tree.parent(child) == Some(ix)));
        next.extend(tree.children(ix));
    }
    let mut ids = HashSet::new();
    for ix in tree.entries() {
        assert!(seen[ix.at()], "{} is below no root", tree.id(ix));
        assert!(ids.insert(tree.id(ix)), "{} is there twice", tree.id(ix));
        assert_eq!(tree.find(tree.id(ix)), Some(ix));
        let root = tree.ancestry(Some(ix)).take(seen.len() + 1).last().expect("an entry is its own ancestor");
        assert!(tree.roots().contains(&root), "the walk up from {} ends at a root", tree.id(ix));
        navigate::plan(tree, tree.leaf(), ix);
        tree.nearest_spoken(Some(ix));
    }
    assert!(tree.leaf().is_none_or(|leaf| tree.find(tree.id(leaf)) == Some(leaf)), "the leaf is an entry");
    let history = history(tree);
    for step in history.undo.iter().chain(&history.redo) {
        assert!(tree.find(tree.id(step.record)).is_some());
    }
}

/// Every entry has one row in the view of everything and at most one in the others; rows are no wider than asked.
fn rows(tree: &Tree, log: &[u8]) {
    let leaf = tree.leaf();
    let views = Filter::CYCLE.map(|filter| Outline::new(tree, leaf, |ix| shows(tree, filter, leaf, ix)));
    let whole = Outline::new(tree, leaf, |_| true);
    for outline in views.iter().chain([&whole]) {
        let rows: HashSet<Ix> = outline.rows().iter().map(|row| row.ix).collect();
        assert_eq!(rows.len(), outline.rows().len(), "a row for each entry, once");
    }
    assert_eq!(whole.rows().len(), tree.entries().count());
    for (at, line) in whole.rows().iter().enumerate() {
        with_entry(tree, line.ix, log, |body| {
            let called = called(tree, line.ix, log);
            let text = row_text(body, called.as_ref(), Some("/home/user"));
            assert!(!text.contains(char::is_control), "{text:?}");
            search_text(body, tree.label(line.ix), called.as_ref(), None);
            context::prefill(body);
            for columns in [0, 1, 7, 40] {
                let drawn = row(&whole, at, tree.label(line.ix), &text, Some(columns));
                assert!(width(&drawn) <= columns, "{drawn:?} is wider than {columns}");
            }
        });
    }
}

fn called(tree: &Tree, result: Ix, log: &[u8]) -> Option<Caller> {
    let assistant = caller(tree, result)?;
    let call = tree.heads().calls(result).next().unwrap_or_default();
    with_entry(tree, assistant, log, |body| Caller::find(body, call))
}

/// The text of an entry as it is read back from its place in the log.
fn text(tree: &Tree, ix: Ix, log: &[u8]) -> String {
    if tree.heads().foreign().is_some() {
        let line = |span: naite_core::entry::Span| {
            let bytes = log.get(span.offset as usize..span.end() as usize).expect("a place in the log");
            String::from_utf8_lossy(bytes).into_owned()
        };
        let lines: Vec<String> = tree.heads().spans(ix).map(line).collect();
        let text = tree.heads().foreign_text(ix, tree.parent(ix), &lines);
        is_json(&mend_surrogates(&text));
        return text;
    }
    let span = tree.head(ix).span;
    let bytes = log.get(span.offset as usize..span.end() as usize).expect("a place in the log");
    current_text(bytes, tree.heads().made(ix, tree.parent(ix)).as_ref()).into_owned()
}

fn with_entry<T>(tree: &Tree, ix: Ix, log: &[u8], read: impl FnOnce(&Entry<'_>) -> T) -> T {
    let (heads, head) = (tree.heads(), tree.head(ix));
    let text = text(tree, ix, log);
    let parent = tree.parent(ix).map(|parent| heads.entry_id(parent));
    read(&entry(&text, heads.entry_id(ix), parent, (head.kind, head.role, head.at)))
}

/// The context at a leaf is JSON in both forms, and what the model gets needs no mending.
pub fn check_context(tree: &Tree, leaf: Option<Ix>, log: &[u8]) {
    let plan = plan(tree, leaf);
    assert!(plan.path.len() <= tree.heads().len());
    let bodies: Vec<String> = plan.reads().map(|ix| text(tree, ix, log)).collect();
    let context = emit(tree, &plan, &bodies);
    is_json(&mend_surrogates(&context.to_json()));
    let stored = |late: naite_core::context::Late| {
        let body = text(tree, late.result, log);
        let json = Object::parse(&body)?.raw("message")?.to_owned();
        Some((late.clone(), ContextMessage { entry: late.result, json }))
    };
    let late = late_results(tree, &plan).into_iter().filter_map(stored).collect();
    for message in to_model(&context, late, &|_| None) {
        is_json(&message.to_json());
    }
}

/// Insists that a text is JSON. What serde cannot hold in a value (deep nesting, huge exponents) is JSON all the same.
pub fn is_json(text: &str) {
    if let Err(error) = serde_json::from_str::<&RawValue>(text) {
        panic!("{error} in {text}");
    }
    if let Err(error) = serde_json::from_str::<Value>(text) {
        let why = error.to_string();
        let limits = ["recursion limit exceeded", "number out of range"];
        assert!(limits.iter().any(|limit| why.starts_with(limit)), "{why} in {text}");
    }
}
