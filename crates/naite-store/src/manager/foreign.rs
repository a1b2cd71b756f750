//! Transcripts of other programs: read like sessions, never grown, copied into sessions of Naite.

use std::io::Write;

use naite_core::codec::{self, Draft, MoveDraft, MoveOp};
use naite_core::entry::{Kind, Span};
use naite_core::ingest::Program;
use naite_core::text::json::Object;
use naite_core::{Ix, Tree};

use super::SessionManager;
use crate::error::{Act, Result, StoreError};
use crate::log::{LogName, Store};

/// One read fetches at least this: the lines of a transcript stand close together.
const AHEAD: u64 = 256 * 1024;

/// Reads lines of a log that mostly follow each other, with few reads and in little memory.
#[derive(Default)]
pub(crate) struct Lines {
    window: Vec<u8>,
    start: u64,
}

impl Lines {
    /// The text of a line; what is no UTF-8 becomes U+FFFD, what is gone is empty.
    pub(crate) fn text(
        &mut self,
        store: &mut dyn Store,
        log: &LogName,
        span: Span,
        end: u64,
    ) -> Result<String> {
        let covered = self.start + self.window.len() as u64;
        if span.offset < self.start || span.end() > covered {
            let stop = span.end().max(span.offset + AHEAD).min(end.max(span.offset));
            self.window.resize((stop - span.offset) as usize, 0);
            let read = store.read(log, span.offset, &mut self.window)?;
            self.window.truncate(read);
            self.start = span.offset;
        }
        let at = (span.offset - self.start) as usize;
        let bytes = self.window.get(at..at + span.len as usize).unwrap_or_default();
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The text of an entry of a foreign transcript.
    pub(crate) fn entry(
        &mut self,
        store: &mut dyn Store,
        log: &LogName,
        tree: &Tree,
        ix: Ix,
    ) -> Result<String> {
        let end = tree.heads().end();
        let spans: Vec<Span> = tree.heads().spans(ix).collect();
        let lines: Result<Vec<String>> =
            spans.into_iter().map(|span| self.text(store, log, span, end)).collect();
        Ok(tree.heads().foreign_text(ix, tree.parent(ix), &lines?))
    }
}

impl SessionManager {
    /// The program in whose format the file is, if it is not a session file.
    pub fn foreign(&self) -> Option<Program> {
        self.tree.heads().foreign().map(|foreign| foreign.program)
    }

    /// Why the session may not be written, of one that is open for reading.
    pub(super) fn reading_only(&self) -> StoreError {
        let path = self.log.path().into();
        match self.foreign() {
            Some(program) => StoreError::Foreign { path, program },
            None => {
                let newer = self.header().filter(|header| header.is_newer()).map(|header| header.version);
                StoreError::ReadOnly { path, newer_version: newer }
            }
        }
    }

    /// Hands over the texts of entries of a foreign transcript, in the order given.
    pub(super) fn each_foreign_text(
        &mut self,
        entries: &[Ix],
        mut each: impl FnMut(&Tree, Ix, &str),
    ) -> Result<()> {
        let mut lines = Lines::default();
        for ix in entries {
            let text = lines.entry(self.setup.store.as_mut(), &self.log, &self.tree, *ix)?;
            each(&self.tree, *ix, &text);
        }
        Ok(())
    }

    /// Writes a foreign transcript as a session of Naite: every branch, without the bookkeeping of its program.
    pub(super) fn write_foreign_copy(&mut self, header: &[u8], out: &mut dyn Write) -> Result<()> {
        let failed = |source| StoreError::Io { act: Act::Create, path: "".into(), source };
        out.write_all(header).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
        let kept: Vec<Ix> = self.tree.entries().filter(|ix| self.is_kept(*ix)).collect();
        let above = |ix: Ix| self.kept_above(self.tree.parent(ix));
        let parents: Vec<Option<Ix>> = kept.iter().map(|ix| above(*ix)).collect();
        let leaf = self.kept_above(self.leaf());
        let moved = leaf.filter(|leaf| kept.last() != Some(leaf)).map(|leaf| self.move_line(leaf));
        let mut lines = Lines::default();
        for (ix, parent) in kept.iter().zip(parents) {
            let text = lines.entry(self.setup.store.as_mut(), &self.log, &self.tree, *ix)?;
            let line = self.relinked(*ix, &text, parent);
            out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
        }
        if let Some(line) = moved {
            out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
        }
        Ok(())
    }

    /// The text of an entry under its nearest ancestor that is kept; a compaction keeps from what is kept.
    fn relinked(&self, ix: Ix, text: &str, parent: Option<Ix>) -> String {
        let anchor = self.tree.heads().anchor(ix).filter(|anchor| !self.is_kept(*anchor));
        let anchor = anchor.and_then(|anchor| {
            let path = self.tree.path(self.tree.parent(ix));
            let at = path.iter().position(|on_path| *on_path == anchor)?;
            path[at..].iter().copied().find(|on_path| self.is_kept(*on_path))
        });
        let now = parent.map(|parent| self.tree.id(parent));
        let fields = Object::parse(text).unwrap_or_default();
        if anchor.is_none() && fields.str("parentId").as_deref() == now {
            return text.into();
        }
        codec::set_parent(text, now, anchor.map(|anchor| self.tree.id(anchor)))
    }

    fn kept_above(&self, from: Option<Ix>) -> Option<Ix> {
        self.tree.ancestry(from).find(|ix| self.is_kept(*ix))
    }

    /// A record that puts the leaf where the transcript had it.
    fn move_line(&mut self, leaf: Ix) -> String {
        let id = self.new_id();
        let now = self.setup.supply.now();
        let to = self.tree.id(leaf);
        let draft = Draft::Move(MoveDraft {
            op: MoveOp::Keep,
            from: Some(to),
            to: Some(to),
            undoes: None,
            redoes: None,
        });
        codec::line(&id, Some(to), now, &draft)
    }

    /// Says whether a copy holds an entry: no label, no line that could not be read, and of a foreign transcript no
    /// bookkeeping of its program.
    pub(super) fn is_kept(&self, ix: Ix) -> bool {
        match self.tree.head(ix).kind {
            Kind::Label | Kind::Placeholder => false,
            Kind::Custom => self.foreign().is_none(),
            _ => true,
        }
    }
}
