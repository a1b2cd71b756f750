//! Any entries over a small alphabet of ids.

use arbitrary::Arbitrary;
use naite_core::context::plan;
use naite_core::entry::iso;
use naite_core::undo::{Change, Step, history};
use naite_core::{Ix, Tree};
use naite_testkit::model::{self, Gives, Model};
use serde_json::{Value, json};

use crate::{check, read};

/// Ids that entries choose from; the last one is never given to an entry.
const IDS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "nowhere"];
/// More lines than this say nothing new.
const LINES: usize = 40;

/// One line to come.
#[derive(Debug, Arbitrary)]
pub struct Line {
    /// The id; without one the next free one is taken, so that long sound logs come up too.
    id: Option<u8>,
    /// Where it hangs: the leaf, the state before the first entry, or any id.
    parent: Parent,
    kind: Kind,
    /// Its second; times may go backwards, and the last one cannot be read.
    second: u8,
}

#[derive(Debug, Arbitrary)]
enum Parent {
    Leaf,
    Root,
    Id(u8),
}

#[derive(Debug, Arbitrary)]
enum Kind {
    Say(Role),
    Odd(Odd),
    Label {
        target: u8,
        label: Option<bool>,
    },
    Compact {
        keep: u8,
    },
    Go {
        to: Option<u8>,
        from: Option<u8>,
    },
    Keep,
    Summary {
        empty: bool,
        abandoned: Option<u8>,
    },
    Undo,
    Redo,
    /// The same line once more.
    Again,
}

#[derive(Debug, Arbitrary)]
enum Role {
    User,
    Assistant,
    Calling,
    Result,
    Hook,
}

#[derive(Debug, Arbitrary)]
enum Odd {
    Custom,
    CustomMessage,
    Name,
    Thinking,
    Reset,
    Exit,
    Unknown,
}

/// A log, and the model of it as long as nothing is damaged.
struct Log {
    lines: Vec<String>,
    model: Option<Model>,
}

/// Writes a log and holds it against the model, or, once it is damaged, against itself.
pub fn run(lines: &[Line]) {
    let header = json!({ "type": "session", "version": 3, "id": "s", "timestamp": iso(0) });
    let mut log = Log { lines: Vec::new(), model: Some(Model::default()) };
    log.push(&header);
    for line in lines.iter().take(LINES) {
        log.add(line);
    }
    let bytes = log.bytes();
    check(&bytes);
    if let Some(model) = &log.model {
        agree(&read(&bytes), model);
    }
}

fn id_of(choice: u8) -> &'static str {
    IDS[usize::from(choice) % IDS.len()]
}

impl Log {
    fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| [line.as_bytes(), b"\n"]).flatten().copied().collect()
    }

    /// Takes in a line. A log that breaks the rules of the format leaves the model behind.
    fn push(&mut self, entry: &Value) {
        let line = entry.to_string();
        if let Some(model) = &mut self.model {
            let known = entry["id"].as_str().is_some_and(|id| model.ids().iter().any(|other| other == id));
            let awaited = |id: &str| model.ids().iter().any(|other| model.named_parent(other) == Some(id));
            let late = entry["type"] != "session" && entry["id"].as_str().is_some_and(awaited);
            // Whether a move to itself moves is nobody's business.
            let points = [&entry["data"]["to"], &entry["data"]["from"], &entry["abandonedLeafId"]];
            let own = points.iter().any(|point| !point.is_null() && **point == entry["id"]);
            if known || late || own {
                self.model = None;
            } else {
                model.line(&line);
            }
        }
        self.lines.push(line);
    }

    fn add(&mut self, line: &Line) {
        let tree = read(&self.bytes());
        let leaf = tree.leaf().map(|leaf| tree.id(leaf).to_owned());
        let mut entry = match &line.kind {
            Kind::Again => {
                return self.push(&serde_json::from_str(&self.lines[self.lines.len() - 1]).expect("a line"));
            }
            Kind::Undo | Kind::Redo => match step(&tree, matches!(line.kind, Kind::Redo)) {
                Some(entry) => entry,
                None => return,
            },
            kind => body(kind, leaf.as_deref()),
        };
        let next = format!("n{}", self.lines.len());
        entry["id"] = line.id.map_or(next.as_str(), |id| IDS[usize::from(id) % (IDS.len() - 1)]).into();
        if entry.get("parentId").is_none() {
            entry["parentId"] = match line.parent {
                Parent::Leaf => leaf.into(),
                Parent::Root => Value::Null,
                Parent::Id(id) => id_of(id).into(),
            };
        }
        let second = i64::from(line.second % 60);
        entry["timestamp"] = if second == 59 { "soon".into() } else { iso(second * 1000).into() };
        self.push(&entry);
    }
}

/// The fields of an entry but for id, parent and time.
fn body(kind: &Kind, leaf: Option<&str>) -> Value {
    let to_id = |id: &Option<u8>| id.map(id_of);
    match kind {
        Kind::Say(role) => json!({ "type": "message", "message": message(role) }),
        Kind::Odd(odd) => match odd {
            Odd::Custom => json!({ "type": "custom", "customType": "t" }),
            Odd::CustomMessage => json!({ "type": "custom_message", "customType": "t", "content": "c" }),
            Odd::Name => json!({ "type": "session_info", "name": "n" }),
            Odd::Thinking => json!({ "type": "thinking_level_change", "thinkingLevel": "high" }),
            Odd::Reset => json!({ "type": "reset_boundary" }),
            Odd::Exit => json!({ "type": "custom", "customType": "session_exit" }),
            Odd::Unknown => json!({ "type": "surprise" }),
        },
        Kind::Label { target, label } => {
            let label = label.map_or("", |label| if label { "한" } else { "l" });
            json!({ "type": "label", "targetId": id_of(*target), "label": label })
        }
        Kind::Compact { keep } => {
            json!({ "type": "compaction", "summary": "c", "firstKeptEntryId": id_of(*keep) })
        }
        Kind::Go { to, from } => {
            let from = to_id(from).or(leaf);
            json!({ "type": "custom", "customType": "naite.move",
                "data": { "op": "navigate", "from": from, "to": to_id(to) } })
        }
        Kind::Summary { empty, abandoned } => {
            let summary = if *empty { "" } else { "left" };
            json!({ "type": "branch_summary", "summary": summary, "abandonedLeafId": to_id(abandoned) })
        }
        Kind::Keep | Kind::Undo | Kind::Redo | Kind::Again => {
            json!({ "type": "custom", "customType": "naite.move",
                "data": { "op": "keep", "from": leaf, "to": leaf } })
        }
    }
}

fn message(role: &Role) -> Value {
    match role {
        Role::User => json!({ "role": "user", "content": "x" }),
        Role::Hook => json!({ "role": "hookMessage", "content": "x" }),
        Role::Result => json!({ "role": "toolResult", "toolCallId": "c", "content": [] }),
        Role::Assistant => json!({ "role": "assistant", "content": [{ "type": "text", "text": "y" }] }),
        Role::Calling => json!({ "role": "assistant", "stopReason": "toolUse",
            "content": [{ "type": "toolCall", "id": "c", "name": "t", "arguments": {} }] }),
    }
}

/// The entry that takes the last step back, or brings it back, as the history of the core says.
fn step(tree: &Tree, redo: bool) -> Option<Value> {
    let mut history = history(tree);
    let step = if redo { history.redo.pop() } else { history.undo.pop() }?;
    let (key, op) = if redo { ("redoes", "redo") } else { ("undoes", "undo") };
    let leaf = id(tree, tree.leaf());
    let mut entry = match step.change {
        Change::Leaf(to) => {
            let to = id(tree, to);
            let data = json!({ "op": op, "from": leaf, "to": to });
            json!({ "type": "custom", "customType": "naite.move", "parentId": to, "data": data })
        }
        Change::Label { target, value } => {
            json!({ "type": "label", "parentId": leaf, "targetId": target, "label": value })
        }
    };
    let holder = if entry["type"] == "label" { &mut entry } else { &mut entry["data"] };
    holder[key] = tree.id(step.record).into();
    Some(entry)
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
    for ix in tree.entries() {
        let name = tree.id(ix);
        assert_eq!(id(tree, tree.parent(ix)), model.parent(name), "parent of {name}");
        assert_eq!(ids(tree, tree.children(ix)), model.children(name), "children of {name}");
        assert_eq!(tree.label(ix), model.label(name), "label of {name}");
        assert_eq!(ids(tree, tree.path(Some(ix))), model.path(Some(name)), "path to {name}");
        assert_eq!(ids(tree, plan(tree, Some(ix)).emit), model.context(Some(name)), "context at {name}");
    }
    let history = history(tree);
    assert_eq!(steps(tree, &history.undo), model.undo());
    assert_eq!(steps(tree, &history.redo), model.redo());
}

fn steps(tree: &Tree, steps: &[Step]) -> Vec<model::Step> {
    let gives = |change: &Change| match change {
        Change::Leaf(to) => Gives::Leaf(id(tree, *to).map(String::from)),
        Change::Label { target, value } => Gives::Label(target.clone(), value.clone()),
    };
    let step = |step: &Step| model::Step { record: tree.id(step.record).into(), gives: gives(&step.change) };
    steps.iter().map(step).collect()
}
