//! Undo and redo of moves, branch summaries and labels, read from the log so that every process sees the same.

use alloc::string::String;
use alloc::vec::Vec;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::codec::MoveOp;
use crate::entry::Kind;
use crate::heads::{Ix, Point};
use crate::tree::Tree;

/// Something that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The record that did it: a move, a branch summary or a label entry.
    pub record: Ix,
    /// What it did.
    pub change: Change,
}

/// What a step changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The leaf moved: where taking the step back (or bringing it back) puts it.
    Leaf(Option<Ix>),
    /// A label changed: the target, and the value that taking the step back (or bringing it back) gives.
    Label {
        /// The labelled entry, by id.
        target: String,
        /// The value; `None` clears.
        value: Option<String>,
    },
}

/// The steps of one session, oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// What `undo` takes back, the last one first.
    pub undo: Vec<Step>,
    /// What `redo` brings back, the last one first.
    pub redo: Vec<Step>,
}

/// Reads the history out of the log: one pass over the heads.
pub fn history(tree: &Tree) -> History {
    let mut history = History::default();
    let mut labels: HashMap<&str, &str, FixedState> = HashMap::with_hasher(FixedState::default());
    // What bringing a step back must restore, by its record: known once it was taken back.
    let mut originals: HashMap<Ix, Step, FixedState> = HashMap::with_hasher(FixedState::default());
    for ix in tree.entries() {
        match tree.head(ix).kind {
            Kind::Move => history.replay_move(tree, ix, &mut originals),
            Kind::BranchSummary => {
                if let Some(from) = leaf_of(tree.heads().abandoned(ix)) {
                    history.done(Step { record: ix, change: Change::Leaf(from) });
                }
            }
            Kind::Label => {
                let Some(head) = tree.heads().label_head(ix) else { continue };
                let before = match &head.label {
                    Some(label) => labels.insert(&head.target, label),
                    None => labels.remove(head.target.as_str()),
                };
                let change = Change::Label { target: head.target.clone(), value: before.map(String::from) };
                match (head.undoes, head.redoes) {
                    (Some(undone), _) => history.taken_back(undone, change, &mut originals),
                    (None, Some(redone)) => history.brought_back(redone, &mut originals),
                    (None, None) => history.done(Step { record: ix, change }),
                }
            }
            Kind::Message | Kind::CustomMessage => history.redo.clear(),
            _ => {}
        }
    }
    history
}

impl History {
    fn done(&mut self, step: Step) {
        self.undo.push(step);
        self.redo.clear();
    }

    fn replay_move(&mut self, tree: &Tree, ix: Ix, originals: &mut HashMap<Ix, Step, FixedState>) {
        let Some(moved) = tree.heads().move_head(ix) else { return };
        match (moved.op, moved.undoes, moved.redoes) {
            (MoveOp::Navigate, ..) => {
                if let Some(from) = leaf_of(moved.from) {
                    self.done(Step { record: ix, change: Change::Leaf(from) });
                }
            }
            (MoveOp::Undo, Some(undone), _) => {
                if let Some(from) = leaf_of(moved.from) {
                    self.taken_back(undone, Change::Leaf(from), originals);
                }
            }
            (MoveOp::Redo, _, Some(redone)) => self.brought_back(redone, originals),
            _ => {}
        }
    }

    /// Moves the step of `record` from the undo list to the redo list, where it restores what was before the undo.
    fn taken_back(&mut self, record: Ix, restore: Change, originals: &mut HashMap<Ix, Step, FixedState>) {
        if let Some(at) = self.undo.iter().rposition(|step| step.record == record) {
            let step = self.undo.remove(at);
            originals.insert(record, step);
            self.redo.push(Step { record, change: restore });
        }
    }

    fn brought_back(&mut self, record: Ix, originals: &mut HashMap<Ix, Step, FixedState>) {
        if let Some(at) = self.redo.iter().rposition(|step| step.record == record) {
            self.redo.remove(at);
            self.undo.extend(originals.remove(&record));
        }
    }
}

/// The leaf that a point stands for; `None` if it is not in this file, so that nothing can go back to it.
fn leaf_of(point: Point) -> Option<Option<Ix>> {
    match point {
        Point::Root => Some(None),
        Point::At(ix) => Some(Some(ix)),
        Point::Unknown => None,
    }
}
