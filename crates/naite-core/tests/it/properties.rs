//! What must hold for every session: drawn at random, and held against an implementation that is slow and plain.

mod lines;

use naite_core::entry::iso;
use naite_core::undo::{Change, Step, history};
use naite_core::{Ix, Place, StoredHeads, Tree, context};
use naite_testkit::model::{self, Gives, Model};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Something that happens to a session; an [`Index`] chooses among its entries.
#[derive(Clone, Debug)]
enum Op {
    /// A message, at the leaf or elsewhere.
    Say {
        role: &'static str,
        below: Option<Index>,
    },
    /// An entry of another type that hangs at the leaf.
    Add(&'static str),
    Label {
        target: Index,
        label: Option<u8>,
    },
    Compact {
        keep: Index,
    },
    Go(Option<Index>),
    GoFromNowhere(Index),
    Summary {
        at: Index,
        text: &'static str,
    },
    /// Bookkeeping of a process that ended, wherever it hangs.
    Exit(Index),
    /// A message whose parent is not in the file.
    Orphan,
    Undo,
    Redo,
}

fn op() -> impl Strategy<Value = Op> {
    let role = prop::sample::select(vec!["user", "assistant", "toolResult", "custom"]);
    let add = vec![
        "custom",
        "custom_message",
        "session_info",
        "thinking_level_change",
        "reset_boundary",
        "surprise",
    ];
    prop_oneof![
        6 => (role, prop::option::weighted(0.3, any::<Index>())).prop_map(|(role, below)| Op::Say { role, below }),
        3 => prop::sample::select(add).prop_map(Op::Add),
        3 => (any::<Index>(), prop::option::of(0..3u8)).prop_map(|(target, label)| Op::Label { target, label }),
        1 => any::<Index>().prop_map(|keep| Op::Compact { keep }),
        3 => prop::option::weighted(0.8, any::<Index>()).prop_map(Op::Go),
        1 => any::<Index>().prop_map(Op::GoFromNowhere),
        1 => (any::<Index>(), prop::sample::select(vec!["", "left"])).prop_map(|(at, text)| Op::Summary { at, text }),
        1 => any::<Index>().prop_map(Op::Exit),
        1 => Just(Op::Orphan),
        3 => Just(Op::Undo),
        2 => Just(Op::Redo),
    ]
}

/// Draws what happens, each with a second at which it does; the last of them cannot be read.
fn ops() -> impl Strategy<Value = Vec<(Op, u8)>> {
    prop::collection::vec((op(), 0..60u8), 1..40)
}

/// One log read by both sides, line by line.
struct Log {
    text: String,
    tree: Tree,
    model: Model,
    time: String,
}

impl Log {
    fn new() -> Self {
        let mut log =
            Self { text: String::new(), tree: Tree::default(), model: Model::default(), time: String::new() };
        log.line(&json!({ "type": "session", "version": 3, "id": "s", "timestamp": iso(0) }));
        log
    }

    fn line(&mut self, entry: &Value) {
        let line = entry.to_string();
        self.model.line(&line);
        let place =
            Place { line: self.tree.heads().lines() + 1, offset: self.text.len() as u64, ended: true };
        self.tree.line(line.as_bytes(), place, &mut self.text.as_bytes());
        self.tree.settle();
        self.text += &line;
        self.text.push('\n');
    }

    /// Adds an entry below another one.
    fn push(&mut self, parent: Option<String>, mut entry: Value) {
        entry["id"] = format!("e{}", self.model.ids().len()).into();
        entry["parentId"] = parent.into();
        entry["timestamp"] = self.time.clone().into();
        self.line(&entry);
    }

    fn pick(&self, index: Index) -> Option<String> {
        let ids = self.model.ids();
        (!ids.is_empty()).then(|| ids[index.index(ids.len())].clone())
    }

    fn moves(&mut self, op: &str, from: Option<String>, to: Option<String>, undoes: &str, redoes: &str) {
        let mut data = json!({ "op": op, "from": from, "to": to });
        for (key, record) in [("undoes", undoes), ("redoes", redoes)] {
            if !record.is_empty() {
                data[key] = record.into();
            }
        }
        self.push(to, json!({ "type": "custom", "customType": "naite.move", "data": data }));
    }

    fn apply(&mut self, op: &Op) {
        let leaf = self.model.leaf().map(String::from);
        match op {
            Op::Say { role, below } => {
                let parent = below.map_or(leaf, |below| self.pick(below));
                let message = json!({ "role": role, "content": "x", "toolCallId": "c" });
                self.push(parent, json!({ "type": "message", "message": message }));
            }
            Op::Add(kind) => self.push(leaf, json!({ "type": kind, "customType": "t", "name": "n" })),
            Op::Label { target, label } => {
                let Some(target) = self.pick(*target) else { return };
                let label = label.map_or(String::new(), |label| format!("l{label}"));
                self.push(leaf, json!({ "type": "label", "targetId": target, "label": label }));
            }
            Op::Compact { keep } => {
                let keep = self.pick(*keep);
                self.push(leaf, json!({ "type": "compaction", "summary": "c", "firstKeptEntryId": keep }));
            }
            Op::Go(to) => {
                let to = to.and_then(|to| self.pick(to));
                self.moves("navigate", leaf, to, "", "");
            }
            Op::GoFromNowhere(to) => {
                let to = self.pick(*to);
                self.moves("navigate", Some("nowhere".into()), to, "", "");
            }
            Op::Summary { at, text } => {
                let at = self.pick(*at);
                let entry = json!({ "type": "branch_summary", "summary": text, "abandonedLeafId": leaf });
                self.push(at, entry);
            }
            Op::Exit(below) => {
                let below = self.pick(*below);
                self.push(below, json!({ "type": "custom", "customType": "session_exit" }));
            }
            Op::Orphan => {
                let message = json!({ "role": "user", "content": "x" });
                self.push(Some("nowhere".into()), json!({ "type": "message", "message": message }));
            }
            Op::Undo => self.step(false),
            Op::Redo => self.step(true),
        }
    }

    /// Takes the last step back, or brings it back, as the history of the core says.
    fn step(&mut self, redo: bool) {
        let mut history = history(&self.tree);
        let Some(step) = (if redo { history.redo.pop() } else { history.undo.pop() }) else { return };
        let record = self.tree.id(step.record).to_owned();
        let (undoes, redoes) = if redo { ("", record.as_str()) } else { (record.as_str(), "") };
        let leaf = self.model.leaf().map(String::from);
        match step.change {
            Change::Leaf(to) => {
                let to = to.map(|to| self.tree.id(to).to_owned());
                self.moves(if redo { "redo" } else { "undo" }, leaf, to, undoes, redoes);
            }
            Change::Label { target, value } => {
                let mut entry = json!({ "type": "label", "targetId": target, "label": value });
                entry[if redo { "redoes" } else { "undoes" }] = record.into();
                self.push(leaf, entry);
            }
        }
    }
}

fn ids(tree: &Tree, entries: impl IntoIterator<Item = Ix>) -> Vec<&str> {
    entries.into_iter().map(|ix| tree.id(ix)).collect()
}

fn id(tree: &Tree, ix: Option<Ix>) -> Option<&str> {
    ix.map(|ix| tree.id(ix))
}

/// Both sides say the same of everything.
fn agree(tree: &Tree, model: &Model) {
    assert_eq!(ids(tree, tree.entries()), model.ids());
    assert_eq!(id(tree, tree.leaf()), model.leaf());
    assert_eq!(ids(tree, tree.roots().iter().copied()), model.roots());
    assert_eq!(context_of(tree, None), [""; 0]);
    for ix in tree.entries() {
        let name = tree.id(ix);
        assert_eq!(id(tree, tree.parent(ix)), model.parent(name), "parent of {name}");
        assert_eq!(ids(tree, tree.children(ix)), model.children(name), "children of {name}");
        assert_eq!(tree.label(ix), model.label(name), "label of {name}");
        assert_eq!(ids(tree, tree.path(Some(ix))), model.path(Some(name)), "path to {name}");
        assert_eq!(context_of(tree, Some(ix)), model.context(Some(name)), "context at {name}");
    }
    let history = history(tree);
    assert_eq!(steps(tree, &history.undo), model.undo());
    assert_eq!(steps(tree, &history.redo), model.redo());
}

fn context_of(tree: &Tree, leaf: Option<Ix>) -> Vec<&str> {
    ids(tree, context::plan(tree, leaf).emit)
}

fn steps(tree: &Tree, steps: &[Step]) -> Vec<model::Step> {
    let gives = |change: &Change| match change {
        Change::Leaf(to) => Gives::Leaf(id(tree, *to).map(String::from)),
        Change::Label { target, value } => Gives::Label(target.clone(), value.clone()),
    };
    let step = |step: &Step| model::Step { record: tree.id(step.record).into(), gives: gives(&step.change) };
    steps.iter().map(step).collect()
}

/// Reads a whole log at once.
pub(crate) fn read(log: &[u8]) -> Tree {
    let mut tree = Tree::default();
    read_on(&mut tree, log);
    tree
}

/// Reads what a log has behind the part that a tree knows.
fn read_on(tree: &mut Tree, log: &[u8]) {
    let (mut line, mut offset) = (tree.heads().lines() + 1, tree.heads().end());
    for bytes in log[offset as usize..].split_inclusive(|byte| *byte == b'\n') {
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        tree.line(text, Place { line, offset, ended: text.len() < bytes.len() }, &mut { log });
        (line, offset) = (line + 1, offset + bytes.len() as u64);
    }
    tree.settle();
}

/// Reads a log as it grows: every line is linked before the next one comes. The tree must be the same.
fn read_slowly(log: &[u8]) -> Tree {
    let (mut slow, whole) = (Tree::default(), read(log));
    for end in log.iter().zip(1..).filter(|(byte, _)| **byte == b'\n').map(|(_, end)| end).chain([log.len()])
    {
        read_on(&mut slow, &log[..end]);
    }
    assert!(slow.entries().eq(whole.entries()) && slow.leaf() == whole.leaf());
    assert_eq!(slow.roots(), whole.roots());
    assert_eq!(slow.defects(), whole.defects());
    for ix in slow.entries() {
        assert_eq!(slow.parent(ix), whole.parent(ix), "parent of {}", slow.id(ix));
        assert!(slow.children(ix).eq(whole.children(ix)), "children of {}", slow.id(ix));
    }
    slow
}

/// Writes heads as a cache does and makes a tree of what is read back.
fn through_a_cache(tree: &Tree) -> Tree {
    let bytes = postcard::to_allocvec(&tree.heads().stored().expect("a sound log")).expect("bytes");
    let stored: StoredHeads = postcard::from_bytes(&bytes).expect("the same heads");
    let heads = stored.load().expect("parts that fit together");
    let again = postcard::to_allocvec(&heads.stored().expect("a sound log")).expect("bytes");
    assert_eq!(again, bytes);
    Tree::new(heads)
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn sessions_are_what_the_specification_says(ops in ops()) {
        let mut log = Log::new();
        for (op, second) in &ops {
            log.time = if *second == 59 { "soon".into() } else { iso(i64::from(*second) * 1000) };
            log.apply(op);
            agree(&log.tree, &log.model);
        }
        agree(&read(log.text.as_bytes()), &log.model);
    }

    #[test]
    fn heads_come_back_from_a_cache_as_they_were(ops in ops(), cut in any::<Index>()) {
        let mut log = Log::new();
        for (op, second) in &ops {
            log.time = iso(i64::from(*second) * 1000);
            log.apply(op);
        }
        agree(&through_a_cache(&log.tree), &log.model);
        // A cache of some first lines, and the rest read behind it.
        let lines: Vec<&str> = log.text.split_inclusive('\n').collect();
        let known: usize = lines[..=cut.index(lines.len())].iter().map(|line| line.len()).sum();
        let mut tree = through_a_cache(&read(&log.text.as_bytes()[..known]));
        read_on(&mut tree, log.text.as_bytes());
        agree(&tree, &log.model);
    }

    #[test]
    fn any_order_of_lines_gives_a_tree_without_circles(ops in ops(), shuffle in any::<u64>()) {
        let mut log = Log::new();
        for (op, _) in &ops {
            log.apply(op);
        }
        let mut lines: Vec<&str> = log.text.split_inclusive('\n').skip(1).collect();
        lines.sort_by_key(|line| line.bytes().fold(shuffle, |hash, byte| hash.wrapping_mul(31) ^ u64::from(byte)));
        let header = log.text.split_inclusive('\n').next().unwrap_or_default();
        walk(&read_slowly((header.to_owned() + &lines.concat()).as_bytes()));
    }
}

/// Walks a tree in every way; each entry is below exactly one root.
pub(crate) fn walk(tree: &Tree) {
    let mut seen = vec![false; tree.heads().len()];
    let mut next = tree.roots().to_vec();
    while let Some(ix) = next.pop() {
        assert!(!std::mem::replace(&mut seen[ix.at()], true), "{} is met twice", tree.id(ix));
        assert!(tree.children(ix).all(|child| tree.parent(child) == Some(ix)));
        next.extend(tree.children(ix));
    }
    assert!(tree.entries().all(|ix| seen[ix.at()]), "every entry is below a root");
    assert!(context::plan(tree, tree.leaf()).path.len() <= seen.len());
    history(tree);
}
