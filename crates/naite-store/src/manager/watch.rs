//! Looking on while another program grows a session: only what was appended is read, and nothing is ever written.

use super::SessionManager;
use crate::error::Result;
use crate::scan::scan;

/// What became of the log since it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Nothing.
    Same,
    /// So many entries were appended; places of entries still mean the same.
    Grew(usize),
    /// It holds something else now; places of entries mean nothing any more.
    Replaced,
    /// It was deleted. What was read is still there.
    Gone,
}

impl SessionManager {
    /// Loads what other programs appended. Unlike [`Self::refresh`] it leaves a deleted log deleted.
    pub fn watch(&mut self) -> Result<Watched> {
        let Some(known) = self.stat else { return Ok(Watched::Same) };
        let Some(now) = self.setup.store.stat(&self.log)? else { return Ok(Watched::Gone) };
        if (now.len, now.identity) == (known.len, known.identity) {
            return Ok(Watched::Same);
        }
        let before = self.tree.heads().len();
        if self.has_only_grown(known, now)? {
            self.base = now.len;
            scan(self.setup.store.as_mut(), &self.log, &mut self.tree, now.len)?;
            self.stat = Some(now);
            return Ok(Watched::Grew(self.tree.heads().len() - before));
        }
        let last = self.tree.entries().next_back().map(|ix| (ix, self.tree.heads().entry_id(ix)));
        self.load()?;
        // A line that was cut off when it was read is whole now: the entries before it are where they were.
        let is_there = last.is_some_and(|(ix, id)| self.tree.find(id.as_str()) == Some(ix));
        let after = self.tree.heads().len();
        Ok(if is_there && after >= before { Watched::Grew(after - before) } else { Watched::Replaced })
    }
}
