//! Growing a session: whole lines, one write, after looking whether somebody else wrote meanwhile.

use std::io::Write;

use naite_core::codec::{self, Draft, TitleSlot};
use naite_core::entry::{Kind, Role, Stop, iso};
use naite_core::text::json::Object;
use naite_core::{EntryId, Head, Ix, Place};

use super::{Access, Durability, SessionManager};
use crate::error::{Act, Result, StoreError};
use crate::log::{Durable, Stat};
use crate::scan::{LookBack, scan};

/// How often an append starts again because somebody else was quicker.
const TRIES: usize = 16;
/// Copying goes in pieces of this many bytes.
const COPY: u64 = 1024 * 1024;
/// The memory of a line of up to this many bytes is used for the next one.
const LINE: usize = 64 * 1024;

/// What another program did to the log since we last looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Entries that it appended.
    pub entries: usize,
    /// The leaf is now another one.
    pub leaf_moved: bool,
}

impl SessionManager {
    /// Appends an entry under the leaf and makes it the leaf. On an error of the disk the entry stays in memory
    /// and the next append writes it too.
    pub fn append(&mut self, draft: &Draft<'_>) -> Result<EntryId> {
        self.prepare_to_append()?;
        self.upgrade_if_old()?;
        let turn = self.turn.take();
        // While a turn goes on, its entries stay together even if another program moved the leaf.
        let leaf = self.leaf();
        let is_leaf = |turn: &EntryId| leaf.is_some_and(|leaf| self.tree.id(leaf) == turn.as_str());
        let open = match &turn {
            Some(turn) if is_leaf(turn) => leaf,
            Some(turn) => self.tree.find(turn.as_str()),
            None => None,
        };
        let stays = open.is_some() && open != leaf && Part::of(draft).continues();
        let parent = if stays { open } else { leaf };
        if let Draft::Message(message) = draft
            && let Some(caller) = self.left_caller(message, parent)
        {
            self.turn = turn;
            return self.append_late_result(caller, message);
        }
        let id = self.push(parent, draft);
        let pushed = self.tree.entries().next_back().filter(|ix| self.tree.id(*ix) == id.as_str());
        let part = pushed.map_or(Part::Aside, |ix| Part::of_head(self.tree.head(ix)));
        self.turn = match part {
            Part::Opens | Part::Continues => Some(id.clone()),
            Part::Ends => None,
            Part::Aside if open.is_some() && parent == open => Some(id.clone()),
            Part::Aside => turn,
        };
        self.write_out(&[draft], matches!(part, Part::Opens | Part::Ends))?;
        Ok(id)
    }

    /// Appends a message in stored form (`appendMessage`).
    pub fn append_message(&mut self, message: &str) -> Result<EntryId> {
        self.append(&Draft::Message(message))
    }

    /// Sets or clears (`None`) a label; it takes effect at once (`appendLabelChange`).
    pub fn append_label_change(&mut self, target: &str, label: Option<&str>) -> Result<EntryId> {
        self.prepare()?;
        self.find(target)?;
        let label = label.map(str::trim).filter(|label| !label.is_empty());
        self.append(&Draft::Label { target, label, undoes: None, redoes: None })
    }

    /// Names the session (`appendSessionInfo`); a title slot that the file has is overwritten in place.
    pub fn append_session_info(&mut self, name: &str) -> Result<EntryId> {
        let id = self.append(&Draft::SessionInfo(name.trim()))?;
        if let (Some(_), Some(stat)) = (self.tree.heads().slot(), self.stat) {
            let slot = TitleSlot::write(name, &iso(self.setup.supply.now()));
            self.stat = Some(self.setup.store.patch(&self.log, stat, 0, &slot)?);
            if let Some(slot) = TitleSlot::read(&slot[..slot.len() - 1]) {
                self.tree.set_slot(slot);
            }
        }
        Ok(id)
    }

    /// Appends a tool result that comes after the leaf was moved away: under its call, and a record behind it that
    /// keeps the leaf where it is.
    pub fn append_late_result(&mut self, under: Ix, message: &str) -> Result<EntryId> {
        let under = self.prepare_at(under)?;
        let under = self.ready_at(Some(under))?;
        let leaf = self.leaf();
        let result = Draft::Message(message);
        let id = self.push(under, &result);
        self.push_move(codec::MoveOp::Keep, leaf, leaf, None, None);
        self.commit(&[&result])?;
        Ok(id)
    }

    /// The call that a tool result answers, if the leaf was moved away from it meanwhile.
    fn left_caller(&self, message: &str, parent: Option<Ix>) -> Option<Ix> {
        let call = codec::answered_call(message)?;
        let calls = |ix: &Ix| {
            self.tree.head(*ix).has_calls() && self.tree.heads().calls(*ix).any(|known| known == call)
        };
        if self.tree.ancestry(parent).any(|ix| calls(&ix)) {
            return None;
        }
        self.tree.entries().rev().find(calls)
    }

    /// Makes everything durable that was appended; the last call before a session is dropped.
    pub fn finish(&mut self) -> Result<()> {
        if self.access == Access::Read {
            return Ok(());
        }
        let waiting = self.pending.len() > self.flushed && (self.stat.is_some() || self.owed);
        if waiting || (self.unsynced && self.setup.durability != Durability::Never) {
            self.refresh()?;
            self.flush(self.setup.durability != Durability::Never)?;
        }
        Ok(())
    }

    /// Loads what other programs wrote since we last looked; the leaf follows the file.
    pub fn refresh(&mut self) -> Result<Refreshed> {
        let Some(known) = self.stat else { return Ok(Refreshed::default()) };
        let now = self.setup.store.stat(&self.log)?;
        self.follow(known, now)
    }

    /// Loads what changed between a state that we know and the one that was found.
    fn follow(&mut self, known: Stat, now: Option<Stat>) -> Result<Refreshed> {
        if now.is_some_and(|now| (now.len, now.identity) == (known.len, known.identity)) {
            return Ok(Refreshed::default());
        }
        let (count, leaf) = (self.tree.entries().count(), self.leaf_id());
        match now {
            None => self.recreate(known)?,
            Some(now) if self.has_only_grown(known, now)? => {
                self.base = now.len;
                scan(self.setup.store.as_mut(), &self.log, &mut self.tree, now.len)?;
                self.stat = Some(now);
            }
            Some(_) => self.reload()?,
        }
        let entries = self.tree.entries().count().saturating_sub(count);
        let refreshed = Refreshed { entries, leaf_moved: leaf != self.leaf_id() };
        self.noticed.entries += refreshed.entries;
        self.noticed.leaf_moved |= refreshed.leaf_moved;
        Ok(refreshed)
    }

    /// Says whether the new bytes simply follow what we know: then only they are read.
    pub(super) fn has_only_grown(&mut self, known: Stat, now: Stat) -> Result<bool> {
        if now.identity != known.identity || now.len < known.len || !self.pending.is_empty() {
            return Ok(false);
        }
        if self.tree.heads().is_unended() {
            return Ok(false);
        }
        // A file that was cut and grew again has something else where our last entry was.
        let Some(last) = self.tree.entries().next_back() else { return Ok(false) };
        let span = self.tree.head(last).span;
        let mut bytes = Vec::new();
        self.fetch(span.offset, known.len, &mut bytes)?;
        let same =
            codec::read_record(&String::from_utf8_lossy(&bytes[..(span.len as usize).min(bytes.len())]))
                .is_some_and(|record| record.id.as_deref() == Some(self.tree.id(last)));
        Ok(same && bytes.last() == Some(&b'\n'))
    }

    /// Reads the log anew, then takes in again what still waits to be written.
    fn reload(&mut self) -> Result<()> {
        let waiting = self.pending.clone();
        self.load()?;
        self.requeue(&waiting);
        Ok(())
    }

    /// Queues again what the log does not hold: a write that broke off may have brought some lines there.
    fn requeue(&mut self, waiting: &[u8]) {
        for line in waiting.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let text = String::from_utf8_lossy(line);
            let record = codec::read_record(&text);
            if record.as_ref().is_some_and(|record| matches!(record.facts, codec::Facts::Header(_))) {
                // Another program made the file before us; it has a header.
                continue;
            }
            let id = record.and_then(|record| record.id);
            if id.is_none_or(|id| self.tree.find(&id).is_none()) {
                self.push_line(line);
            }
        }
        self.tree.settle();
    }

    /// Puts a log that somebody removed back, from the descriptor that is still open.
    fn recreate(&mut self, known: Stat) -> Result<()> {
        let mut bytes = vec![0; known.len as usize];
        let read = self.setup.store.read(&self.log, 0, &mut bytes)?;
        bytes.truncate(read);
        let created = self.write_new(&bytes)?;
        self.stat = Some(Stat { len: known.len, ..created });
        Ok(())
    }

    /// Makes sure that the session may be written and is the newest that we can know of. Writes nothing.
    pub(super) fn prepare(&mut self) -> Result<()> {
        if self.access == Access::Read {
            return Err(self.reading_only());
        }
        self.refresh()?;
        Ok(())
    }

    /// The same before an append. Within a turn one append follows the other and a glance has to do.
    fn prepare_to_append(&mut self) -> Result<()> {
        match (self.access, self.stat, &self.turn) {
            (Access::Write, Some(known), Some(_)) => {
                let now = self.setup.store.glance(&self.log, known)?;
                self.follow(known, now).map(|_| ())
            }
            _ => self.prepare(),
        }
    }

    /// Brings a file of an old format to version 3, just before something is appended to it for the first time.
    pub(super) fn upgrade_if_old(&mut self) -> Result<()> {
        if self.stat.is_some() && self.tree.heads().is_old() {
            self.upgrade()?;
        }
        Ok(())
    }

    /// Does the same and finds the entry at a place again.
    pub(super) fn ready_at(&mut self, ix: Option<Ix>) -> Result<Option<Ix>> {
        let id = ix.map(|ix| self.tree.heads().entry_id(ix));
        self.upgrade_if_old()?;
        id.map(|id| self.find(id.as_str())).transpose()
    }

    /// [`Self::prepare`], and finds the entry at a place again: a log that somebody replaced has other places.
    pub(super) fn prepare_at(&mut self, ix: Ix) -> Result<Ix> {
        let id = self.tree.heads().entry_id(ix);
        self.prepare()?;
        self.find(id.as_str())
    }

    pub(super) fn new_id(&mut self) -> EntryId {
        loop {
            let id = EntryId::from_bits(self.setup.supply.bits());
            if !self.tree.heads().is_taken(id.as_str()) {
                return id;
            }
        }
    }

    /// Takes an entry into the tree and queues its line.
    pub(super) fn push(&mut self, parent: Option<Ix>, draft: &Draft<'_>) -> EntryId {
        let id = self.new_id();
        let now = self.setup.supply.now();
        let room = std::mem::take(&mut self.line);
        let line = codec::line_in(room, &id, parent.map(|ix| self.tree.id(ix)), now, draft);
        self.push_line(line.as_bytes());
        if line.len() <= LINE {
            self.line = line;
        }
        self.tree.settle();
        id
    }

    fn push_line(&mut self, line: &[u8]) {
        if self.pending.is_empty() && self.tree.heads().is_unended() {
            self.pending.push(b'\n');
            self.tree.end_torn_tail();
        }
        let offset = self.base + self.pending.len() as u64;
        let place = Place { line: self.tree.heads().lines() + 1, offset, ended: true };
        self.pending.extend_from_slice(line);
        self.pending.push(b'\n');
        self.tree.line(line, place, &mut LookBack { store: self.setup.store.as_mut(), log: &self.log });
    }

    /// Writes what waits, as durable as the setting wants it for these entries.
    pub(super) fn commit(&mut self, drafts: &[&Draft<'_>]) -> Result<()> {
        let at_border = drafts.iter().any(|draft| matches!(Part::of(draft), Part::Opens | Part::Ends));
        self.write_out(drafts, at_border)
    }

    /// The same for drafts of which it is known whether one of them opens or ends a turn.
    fn write_out(&mut self, drafts: &[&Draft<'_>], at_border: bool) -> Result<()> {
        let says = |draft: &&Draft<'_>| {
            matches!(draft, Draft::Message(_) | Draft::CustomMessage(_) | Draft::BranchSummary(_))
        };
        if self.stat.is_none() && !self.eager && !drafts.iter().any(says) {
            return Ok(());
        }
        let synced = match self.setup.durability {
            Durability::Always => true,
            Durability::Never => false,
            Durability::Turn => at_border,
        };
        self.flush(synced)
    }

    fn flush(&mut self, synced: bool) -> Result<()> {
        let durable = if synced { Durable::Synced } else { Durable::Written };
        self.owed = true;
        for attempt in 1.. {
            let written = match self.stat {
                None => self.write_new(&self.pending.clone()),
                Some(stat) => {
                    self.setup.store.append(&self.log, stat, &self.pending[self.flushed..], durable)
                }
            };
            match written {
                Ok(stat) => {
                    (self.stat, self.base) = (Some(stat), stat.len);
                    self.pending.clear();
                    self.pending.shrink_to(LINE);
                    self.flushed = 0;
                    (self.unsynced, self.owed) = (!synced, false);
                    return Ok(());
                }
                Err(StoreError::Moved { .. }) if attempt < TRIES => {
                    self.refresh()?;
                }
                Err(StoreError::Exists { .. }) if attempt < TRIES && self.stat.is_none() => self.reload()?,
                Err(error) => {
                    if let StoreError::Short { written, .. } = &error {
                        self.flushed += written;
                        self.unsynced = true;
                        if let Some(stat) = &mut self.stat {
                            stat.len += *written as u64;
                        }
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Brings a file of an old format to version 3: the whole file anew, in one step, the old one put aside.
    fn upgrade(&mut self) -> Result<()> {
        let Some(stat) = self.stat else { return Ok(()) };
        let leaf = self.leaf_id();
        let header = self.header().map(|header| upgraded_header(&header.raw)).unwrap_or_default();
        let mut draft = self.setup.store.begin(&self.log, Some(stat))?;
        self.write_copy(header.as_bytes(), draft.as_mut())?;
        draft.commit()?;
        self.load()?;
        // It may have been moved in memory, which the file does not know.
        self.tree.set_leaf(leaf.and_then(|leaf| self.tree.find(leaf.as_str())));
        Ok(())
    }

    fn write_new(&mut self, bytes: &[u8]) -> Result<Stat> {
        let mut draft = self.setup.store.begin(&self.log, None)?;
        draft.write_all(bytes).map_err(StoreError::io(Act::Create, self.log.path()))?;
        draft.commit()
    }

    /// Writes the log with another header and every entry brought to version 3; all bytes between records stay.
    pub(super) fn write_copy(&mut self, header: &[u8], out: &mut dyn Write) -> Result<()> {
        if self.foreign().is_some() {
            return self.write_foreign_copy(header, out);
        }
        let old = self.tree.heads().is_old();
        let mut entries: Vec<Ix> = if old { self.tree.entries().collect() } else { Vec::new() };
        entries.retain(|ix| self.tree.head(*ix).kind != Kind::Placeholder);
        entries.sort_by_key(|ix| self.tree.head(*ix).span.offset);
        let end = self.base + self.pending.len() as u64;
        let mut at = self.tree.heads().header_span().end();
        out.write_all(header).map_err(StoreError::io(Act::Create, self.log.path()))?;
        for ix in entries {
            let span = self.tree.head(ix).span;
            if span.offset < at {
                continue;
            }
            self.copy_bytes(at, span.offset, out)?;
            let text = self.text(ix)?;
            out.write_all(text.as_bytes()).map_err(StoreError::io(Act::Create, self.log.path()))?;
            at = span.end();
        }
        self.copy_bytes(at, end, out)?;
        if self.tree.heads().is_unended() && self.pending.is_empty() {
            out.write_all(b"\n").map_err(StoreError::io(Act::Create, self.log.path()))?;
        }
        Ok(())
    }

    /// Copies bytes of the log, of the durable part and of what waits, in pieces.
    fn copy_bytes(&mut self, start: u64, end: u64, out: &mut dyn Write) -> Result<()> {
        let mut piece = Vec::new();
        let mut at = start;
        while at < end {
            let border = if at < self.base { self.base } else { end };
            self.fetch(at, border.min(end).min(at + COPY), &mut piece)?;
            if piece.is_empty() {
                break;
            }
            out.write_all(&piece).map_err(StoreError::io(Act::Create, self.log.path()))?;
            at += piece.len() as u64;
        }
        Ok(())
    }
}

pub(super) fn upgraded_header(raw: &str) -> String {
    let fields = Object::parse(raw).unwrap_or_default();
    let version = naite_core::entry::VERSION;
    naite_core::text::json::ObjectWriter::new()
        .str("type", "session")
        .display("version", version)
        .fields(&fields, |key| !matches!(key, "type" | "version"))
        .end()
}

/// What an entry is to a turn: a person's message opens it, the model's last word ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Opens,
    Continues,
    Ends,
    Aside,
}

impl Part {
    fn of(draft: &Draft<'_>) -> Self {
        let Draft::Message(message) = draft else { return Self::Aside };
        let Some(fields) = Object::parse(message) else { return Self::Aside };
        let role = fields.str("role").map_or(Role::Other, |role| Role::from_name(&role));
        Self::of_message(role, fields.str("stopReason").map_or(Stop::Absent, |stop| Stop::from_name(&stop)))
    }

    /// The same of an entry that the tree knows already, without its body.
    fn of_head(head: &Head) -> Self {
        if head.kind == Kind::Message { Self::of_message(head.role, head.stop) } else { Self::Aside }
    }

    fn of_message(role: Role, stop: Stop) -> Self {
        match (role, stop) {
            (Role::User, _) => Self::Opens,
            (Role::ToolResult, _) | (Role::Assistant, Stop::ToolUse) => Self::Continues,
            (Role::Assistant, _) => Self::Ends,
            _ => Self::Aside,
        }
    }

    fn continues(self) -> bool {
        matches!(self, Self::Continues | Self::Ends)
    }
}
