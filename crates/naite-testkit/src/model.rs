//! A session as the specification words it: hash maps and full walks, to hold the quick one against.
//!
//! It knows sound files only: damage is for the conformance files.

use std::collections::HashMap;

use serde_json::Value;

/// A session, read line by line.
#[derive(Clone, Debug, Default)]
pub struct Model {
    order: Vec<String>,
    entries: HashMap<String, Value>,
    times: HashMap<String, String>,
    last_time: String,
    leaf: Option<String>,
    labels: HashMap<String, String>,
    undo: Vec<Step>,
    redo: Vec<Step>,
    taken_back: HashMap<String, Step>,
}

/// Something that can be taken back or brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The record that did it.
    pub record: String,
    /// What taking it back (or bringing it back) gives.
    pub gives: Gives,
}

/// What a step gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gives {
    /// This leaf.
    Leaf(Option<String>),
    /// This label for an entry.
    Label(String, Option<String>),
}

impl Model {
    /// Takes in the next line.
    pub fn line(&mut self, line: &str) {
        let entry: Value = serde_json::from_str(line).expect("a sound line");
        if entry["type"] == "session" {
            self.last_time = entry["timestamp"].as_str().unwrap_or_default().into();
            return;
        }
        let id = entry["id"].as_str().expect("an id").to_owned();
        if let Some(time) = entry["timestamp"].as_str().filter(|time| time.ends_with('Z')) {
            self.last_time = time.into();
        }
        self.times.insert(id.clone(), self.last_time.clone());
        self.order.push(id.clone());
        self.entries.insert(id.clone(), entry.clone());
        self.history(&id, &entry);
        self.move_leaf(&id, &entry);
    }

    /// Every entry moves the leaf to itself, but for records of moves and bookkeeping that hangs elsewhere.
    fn move_leaf(&mut self, id: &str, entry: &Value) {
        let bookkeeping = matches!(
            (text(&entry["type"]), text(&entry["customType"])),
            (Some("custom"), Some("session_exit" | "tool_execution_start"))
                | (Some("model_usage" | "credential_pin"), _)
        );
        if is_move(entry) {
            self.leaf = match text(&entry["data"]["to"]) {
                None => None,
                Some(to) if self.entries.contains_key(to) => Some(to.into()),
                Some(_) => self.parent(id).map(String::from),
            };
        } else if !bookkeeping || self.parent(id) == self.leaf.as_deref() {
            self.leaf = Some(id.into());
        }
    }

    fn history(&mut self, id: &str, entry: &Value) {
        let (undoes, redoes) = match is_move(entry) {
            true => (text(&entry["data"]["undoes"]), text(&entry["data"]["redoes"])),
            false => (text(&entry["undoes"]), text(&entry["redoes"])),
        };
        let gives = match text(&entry["type"]) {
            Some("message" | "custom_message") => {
                self.redo.clear();
                return;
            }
            Some("label") => self.set_label(entry),
            Some("branch_summary") => match text(&entry["abandonedLeafId"]) {
                Some(from) if !self.entries.contains_key(from) => return,
                from => Gives::Leaf(from.map(String::from)),
            },
            _ if is_move(entry) && entry["data"]["op"] != "keep" => match text(&entry["data"]["from"]) {
                Some(from) if !self.entries.contains_key(from) => return,
                from => Gives::Leaf(from.map(String::from)),
            },
            _ => return,
        };
        if let Some(record) = undoes {
            let at = self.undo.iter().rposition(|step| step.record == record).expect("a step to undo");
            self.taken_back.insert(record.into(), self.undo.remove(at));
            self.redo.push(Step { record: record.into(), gives });
        } else if let Some(record) = redoes {
            self.redo.retain(|step| step.record != record);
            self.undo.push(self.taken_back.remove(record).expect("a step to redo"));
        } else {
            self.undo.push(Step { record: id.into(), gives });
            self.redo.clear();
        }
    }

    /// Sets or clears a label and says what it was before.
    fn set_label(&mut self, entry: &Value) -> Gives {
        let target = text(&entry["targetId"]).expect("a target").to_owned();
        let before = match text(&entry["label"]).filter(|label| !label.is_empty()) {
            Some(label) => self.labels.insert(target.clone(), label.into()),
            None => self.labels.remove(&target),
        };
        Gives::Label(target, before)
    }

    /// All ids in file order.
    pub fn ids(&self) -> &[String] {
        &self.order
    }

    /// The leaf.
    pub fn leaf(&self) -> Option<&str> {
        self.leaf.as_deref()
    }

    /// The effective label of an entry.
    pub fn label(&self, id: &str) -> Option<&str> {
        self.labels.get(id).map(String::as_str)
    }

    /// The parent, if it is in the file and another entry.
    pub fn parent(&self, id: &str) -> Option<&str> {
        text(&self.entries[id]["parentId"])
            .filter(|parent| *parent != id && self.entries.contains_key(*parent))
    }

    /// The parent that an entry names, wherever that is.
    pub fn named_parent(&self, id: &str) -> Option<&str> {
        text(&self.entries[id]["parentId"])
    }

    /// The children of an entry by time, those of one time in file order.
    pub fn children(&self, id: &str) -> Vec<&str> {
        let children = self.order.iter().filter(|child| self.parent(child) == Some(id));
        let mut children: Vec<&str> = children.map(String::as_str).collect();
        children.sort_by_key(|child| &self.times[*child]);
        children
    }

    /// The entries without a parent, in file order.
    pub fn roots(&self) -> Vec<&str> {
        self.order.iter().filter(|id| self.parent(id).is_none()).map(String::as_str).collect()
    }

    /// Root to an entry.
    pub fn path(&self, to: Option<&str>) -> Vec<&str> {
        let mut path = Vec::new();
        let mut next = to.and_then(|to| self.entries.get_key_value(to)).map(|(id, _)| id.as_str());
        while let Some(id) = next {
            path.insert(0, id);
            next = self.parent(id);
        }
        path
    }

    /// The entries that give a message at a leaf, in the order of the messages.
    pub fn context<'a>(&'a self, leaf: Option<&str>) -> Vec<&'a str> {
        let path = self.path(leaf);
        let last = |kind: &str| path.iter().rposition(|id| self.entries[*id]["type"] == kind);
        let speaks = |id: &&str| match text(&self.entries[*id]["type"]) {
            Some("message" | "custom_message") => true,
            Some("branch_summary") => {
                text(&self.entries[*id]["summary"]).is_some_and(|text| !text.is_empty())
            }
            _ => false,
        };
        let spoken = |part: &[&'a str]| part.iter().copied().filter(speaks).collect::<Vec<_>>();
        match (last("compaction"), last("reset_boundary")) {
            (compaction, Some(boundary)) if compaction < Some(boundary) => spoken(&path[boundary..]),
            (Some(at), _) => {
                let anchor = text(&self.entries[path[at]]["firstKeptEntryId"]);
                let kept = path[..at].iter().position(|id| Some(*id) == anchor).unwrap_or(at);
                [vec![path[at]], spoken(&path[kept..])].concat()
            }
            (None, _) => spoken(&path),
        }
    }

    /// What undo takes back, the last one last.
    pub fn undo(&self) -> &[Step] {
        &self.undo
    }

    /// What redo brings back, the last one last.
    pub fn redo(&self) -> &[Step] {
        &self.redo
    }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

fn is_move(entry: &Value) -> bool {
    entry["type"] == "custom" && entry["customType"] == "naite.move"
}
