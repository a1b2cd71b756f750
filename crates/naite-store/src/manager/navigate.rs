//! Moving the leaf: in memory as the seed has it, durably as a command or `/tree` does it, and back.

use naite_core::codec::{Draft, MoveDraft, MoveOp, SummaryDraft};
use naite_core::context::prefill;
use naite_core::navigate::{self, Plan};
use naite_core::undo::{Change, History, Step, history};
use naite_core::{EntryId, Ix};

use super::SessionManager;
use crate::error::{Result, StoreError};

/// What a move that was asked for came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Navigated {
    /// The leaf was there already.
    AlreadyThere,
    /// It moved.
    Moved(Moved),
}

/// A move that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The leaf before.
    pub old_leaf: Option<EntryId>,
    /// The leaf after: the summary's, if one was written.
    pub new_leaf: Option<EntryId>,
    /// Text for the editor.
    pub editor_text: Option<String>,
    /// Images for the editor, raw blocks.
    pub editor_images: Vec<String>,
    /// The summary that was written.
    pub summary: Option<EntryId>,
}

/// A summary of what was left, to be written at the new place.
#[derive(Clone, Debug, Default)]
pub struct Left<'a> {
    /// The summary.
    pub summary: &'a str,
    /// Raw JSON.
    pub details: Option<&'a str>,
    /// An extension made it.
    pub from_extension: Option<bool>,
}

/// What an undo or a redo did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The record that was taken back or brought back.
    pub record: EntryId,
    /// What changed.
    pub change: Change,
    /// The leaf after.
    pub leaf: Option<EntryId>,
}

impl SessionManager {
    /// Moves the leaf in memory; nothing is written (`branch`).
    pub fn branch(&mut self, id: &str) -> Result<()> {
        let ix = self.find(id)?;
        self.turn = None;
        self.tree.set_leaf(Some(ix));
        Ok(())
    }

    /// Moves the leaf before the first entry, in memory (`resetLeaf`).
    pub fn reset_leaf(&mut self) {
        self.turn = None;
        self.tree.set_leaf(None);
    }

    /// Moves the leaf and writes what the branch that was left was about, at the new place (`branchWithSummary`).
    pub fn branch_with_summary(&mut self, from: Option<&str>, left: &Left<'_>) -> Result<EntryId> {
        self.prepare()?;
        let target = from.map(|id| self.find(id)).transpose()?;
        let target = self.ready_at(target)?;
        let abandoned = self.leaf_id();
        let draft = Draft::BranchSummary(SummaryDraft {
            from,
            abandoned: abandoned.as_ref().map(EntryId::as_str),
            summary: left.summary,
            details: left.details,
            from_extension: left.from_extension,
        });
        self.turn = None;
        let id = self.push(target, &draft);
        self.commit(&[&draft])?;
        Ok(id)
    }

    /// Puts the leaf exactly there, so that a restart finds it there (`naite go`). `None` is the state before the
    /// first entry.
    pub fn go(&mut self, target: Option<Ix>) -> Result<Navigated> {
        let target = match target {
            Some(target) => Some(self.prepare_at(target)?),
            None => {
                self.prepare()?;
                None
            }
        };
        if self.leaf() == target {
            return Ok(Navigated::AlreadyThere);
        }
        let old_leaf = self.leaf_id();
        let target = self.ready_at(target)?;
        self.record_move(MoveOp::Navigate, target, None, None)?;
        Ok(Navigated::Moved(Moved { old_leaf, new_leaf: self.leaf_id(), ..Moved::default() }))
    }

    /// What [`Self::navigate`] would do.
    pub fn plan_navigation(&self, target: Ix) -> Plan {
        navigate::plan(&self.tree, self.leaf(), target)
    }

    /// Moves as `/tree` does: before a user's message, whose text comes back for the editor; onto anything else.
    /// With a summary of what is left, that is written at the new place instead of a record of the move.
    pub fn navigate(&mut self, target: Ix, left: Option<&Left<'_>>) -> Result<Navigated> {
        let target = self.prepare_at(target)?;
        let Plan::Move(plan) = self.plan_navigation(target) else { return Ok(Navigated::AlreadyThere) };
        let mut moved = Moved { old_leaf: self.leaf_id(), ..Moved::default() };
        if let Some(from) = plan.prefill_from {
            let (text, images) = self.with_entry(from, prefill)?;
            (moved.editor_text, moved.editor_images) = (Some(text), images);
        }
        match left {
            Some(left) => {
                let from = plan.new_leaf.map(|ix| self.tree.heads().entry_id(ix));
                moved.summary = Some(self.branch_with_summary(from.as_ref().map(EntryId::as_str), left)?);
            }
            None if plan.new_leaf == plan.old_leaf => {}
            None => {
                let to = self.ready_at(plan.new_leaf)?;
                self.record_move(MoveOp::Navigate, to, None, None)?;
            }
        }
        moved.new_leaf = self.leaf_id();
        Ok(Navigated::Moved(moved))
    }

    /// What can be undone and redone.
    pub fn history(&self) -> History {
        history(&self.tree)
    }

    /// Takes the last move, branch summary or label change back, by appending.
    pub fn undo(&mut self) -> Result<Undone> {
        let nothing = || StoreError::NothingToUndo { redo: false };
        self.prepare()?;
        self.history().undo.last().ok_or_else(nothing)?;
        self.upgrade_if_old()?;
        let step = self.history().undo.pop().ok_or_else(nothing)?;
        self.step(step, false)
    }

    /// Takes the last undo back, by appending.
    pub fn redo(&mut self) -> Result<Undone> {
        let nothing = || StoreError::NothingToUndo { redo: true };
        self.prepare()?;
        self.history().redo.last().ok_or_else(nothing)?;
        self.upgrade_if_old()?;
        let step = self.history().redo.pop().ok_or_else(nothing)?;
        self.step(step, true)
    }

    fn step(&mut self, step: Step, redo: bool) -> Result<Undone> {
        let record = self.tree.heads().entry_id(step.record);
        let (undoes, redoes) =
            if redo { (None, Some(record.as_str())) } else { (Some(record.as_str()), None) };
        match &step.change {
            Change::Leaf(to) => {
                let op = if redo { MoveOp::Redo } else { MoveOp::Undo };
                self.record_move(op, *to, undoes, redoes)?;
            }
            Change::Label { target, value } => {
                let draft = Draft::Label { target, label: value.as_deref(), undoes, redoes };
                self.push(self.leaf(), &draft);
                self.commit(&[&draft])?;
            }
        }
        Ok(Undone { record, change: step.change, leaf: self.leaf_id() })
    }

    fn record_move(
        &mut self,
        op: MoveOp,
        to: Option<Ix>,
        undoes: Option<&str>,
        redoes: Option<&str>,
    ) -> Result<EntryId> {
        self.turn = None;
        let id = self.push_move(op, self.leaf(), to, undoes, redoes);
        self.commit(&[])?;
        Ok(id)
    }

    /// Queues a record of a move: it hangs at the new leaf, so that peers, which take the last line for the leaf,
    /// go on at the right place.
    pub(super) fn push_move(
        &mut self,
        op: MoveOp,
        from: Option<Ix>,
        to: Option<Ix>,
        undoes: Option<&str>,
        redoes: Option<&str>,
    ) -> EntryId {
        let id = |ix: Option<Ix>| ix.map(|ix| self.tree.heads().entry_id(ix));
        let (from, target) = (id(from), id(to));
        let draft = Draft::Move(MoveDraft {
            op,
            from: from.as_ref().map(EntryId::as_str),
            to: target.as_ref().map(EntryId::as_str),
            undoes,
            redoes,
        });
        self.push(to, &draft)
    }
}
