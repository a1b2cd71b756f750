//! New files out of a session: a branch up to one entry, or a fork of all of it. The source never changes.

use std::io::Write;
use std::path::Path;

use naite_core::codec::{self, Draft};
use naite_core::context::prefill;
use naite_core::text::json::{Object, ObjectWriter};
use naite_core::{EntryId, Ix};

use super::append::upgraded_header;
use super::{Access, SessionManager};
use crate::error::{Act, Result, StoreError};
use crate::log::LogName;

impl SessionManager {
    /// Starts a new session that holds the path to an entry and the labels on it, and goes on there
    /// (`createBranchedSession`).
    ///
    /// Ids, parents and times are kept; label entries are left out and what hung on them is linked to what is kept
    /// above; effective labels of the path are set again at the end, with their times.
    pub fn create_branched_session(&mut self, leaf: Ix) -> Result<()> {
        self.refuse_newer_source()?;
        let id = self.tree.heads().entry_id(leaf);
        self.finish()?;
        let leaf = self.find(id.as_str())?;
        let path = self.tree.path(Some(leaf));
        let lines = self.branched_lines(&path)?;
        let cwd = self.header().and_then(|header| header.cwd.clone());
        let cwd = cwd.unwrap_or_else(|| self.setup.place.cwd.clone());
        let (header, log) = self.new_header(&cwd);
        let mut bytes = header.into_bytes();
        for line in lines {
            bytes.push(b'\n');
            bytes.extend_from_slice(&line);
        }
        bytes.push(b'\n');
        self.switch_to(log, |_, out| {
            out.write_all(&bytes).map_err(|source| StoreError::Io {
                act: Act::Create,
                path: "".into(),
                source,
            })
        })
    }

    /// Copies the whole session, all branches and labels, into a new file and goes on there (`fork`). Every line
    /// keeps its bytes, unless the source is of an old format.
    pub fn fork(&mut self, cwd: Option<&str>) -> Result<()> {
        self.refuse_newer_source()?;
        self.finish()?;
        let own = self.header().and_then(|header| header.cwd.clone());
        let cwd = cwd.map(String::from).or(own).unwrap_or_else(|| self.setup.place.cwd.clone());
        let (header, log) = self.new_header(&cwd);
        let name = self.session_name().map(String::from);
        self.switch_to(log, |session, out| session.write_copy(header.as_bytes(), out))?;
        self.keep_name(name.as_deref())
    }

    /// Gives a copy the name of its source again: where a title slot said it, an older name in the entries would win.
    fn keep_name(&mut self, name: Option<&str>) -> Result<()> {
        if self.session_name() != name {
            self.append_session_info(name.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Branches before a user's message (`/branch`): a new session with what stood before it, and its text for the
    /// editor. The first message gives an empty session.
    pub fn branch_session(&mut self, entry: Ix) -> Result<String> {
        if !self.tree.head(entry).is_user() {
            return Err(StoreError::NotAUserMessage { id: self.tree.id(entry).into() });
        }
        let (text, _) = self.with_entry(entry, prefill)?;
        let parent = self.tree.parent(entry);
        // Above the first message there may be nothing but labels, which no branch keeps.
        match parent.filter(|_| self.tree.ancestry(parent).any(|ix| self.is_kept(ix))) {
            Some(parent) => self.create_branched_session(parent)?,
            None => {
                let parent = self.lineage();
                if let Some(cwd) = self.header().and_then(|header| header.cwd.clone()) {
                    self.setup.place.cwd = cwd;
                }
                self.new_session(Some(&parent))?;
            }
        }
        Ok(text)
    }

    /// Copies the whole session to where a project folder is now, under the same id and name of the file, and goes on
    /// there (`relocate`).
    pub fn move_copy(&mut self, cwd: &str) -> Result<()> {
        let raw = self.header().map(|header| header.raw.clone()).unwrap_or_default();
        let raw = if self.tree.heads().is_old() { upgraded_header(&raw) } else { raw };
        let header = codec::set_cwd(&raw, cwd);
        let name = self.log.path().file_name().unwrap_or_default().to_owned();
        let log = LogName::new(self.setup.place.folder(cwd).join(name));
        self.switch_to(log, |session, out| session.write_copy(header.as_bytes(), out))
    }

    /// Writes what waits at once, also where nothing was said yet.
    pub fn write_now(&mut self) -> Result<()> {
        self.create_at_once();
        self.commit(&[])
    }

    /// What a new session names as its source: the file, or the id of a session in memory.
    fn lineage(&self) -> String {
        match self.path() {
            // A path as it was given means nothing in another working folder.
            Some(path) => Path::new(&self.setup.place.cwd).join(path).to_string_lossy().into_owned(),
            None => self.session_id().into(),
        }
    }

    fn new_header(&mut self, cwd: &str) -> (String, LogName) {
        let now = self.setup.supply.now();
        let id = self.setup.supply.session_id(now);
        let slot = self.tree.heads().slot().map(|slot| slot.title.clone()).filter(|title| !title.is_empty());
        let named = self.foreign().and(self.session_name()).map(String::from);
        let title = slot.or(named).or_else(|| self.header().and_then(|header| header.title.clone()));
        let header = codec::header(&id, now, cwd, Some(&self.lineage()), title.as_deref());
        // The earliest files name their first model and level there.
        let source = self.header().map(|header| header.raw.clone()).unwrap_or_default();
        let initial = Object::parse(&source).unwrap_or_default();
        let header = ObjectWriter::new()
            .fields(&Object::parse(&header).unwrap_or_default(), |_| true)
            .fields(&initial, |key| matches!(key, "provider" | "modelId" | "thinkingLevel"))
            .end();
        (header, self.setup.place.log(cwd, now, &id))
    }

    /// What a newer program wrote cannot be written again under the version that this one knows.
    fn refuse_newer_source(&self) -> Result<()> {
        match self.header().filter(|header| header.is_newer()) {
            Some(header) => {
                let newer_version = Some(header.version);
                Err(StoreError::ReadOnly { path: self.log.path().into(), newer_version })
            }
            None => Ok(()),
        }
    }

    /// Writes a new log, then opens it in place of the one that is open.
    fn switch_to(
        &mut self,
        log: LogName,
        write: impl FnOnce(&mut Self, &mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let guard = if self.in_memory { None } else { Some(self.setup.store.lock(&log, self.setup.wait)?) };
        let mut draft = self.setup.store.begin(&log, None)?;
        write(self, draft.as_mut())?;
        draft.commit()?;
        self.log = log;
        self.guard = guard;
        self.access = Access::Write;
        self.load()
    }

    /// The lines of a branched session below its header.
    fn branched_lines(&mut self, path: &[Ix]) -> Result<Vec<Vec<u8>>> {
        let kept: Vec<Ix> = path.iter().copied().filter(|ix| self.is_kept(*ix)).collect();
        if kept.is_empty() {
            return Err(StoreError::EmptyPath);
        }
        let texts = self.texts(&kept)?;
        let mut lines = Vec::with_capacity(kept.len());
        let mut above: Option<Ix> = None;
        for (ix, text) in kept.iter().zip(texts) {
            let anchor = self.moved_anchor(*ix, path, &kept);
            let parent = above.map(|ix| self.tree.id(ix));
            let fields = Object::parse(&text).unwrap_or_default();
            let is_linked = fields.raw("parentId").is_some() && fields.str("parentId").as_deref() == parent;
            let line = if is_linked && anchor.is_none() {
                self.raw_line(*ix, text)?
            } else {
                codec::set_parent(&text, parent, anchor.map(|ix| self.tree.id(ix))).into_bytes()
            };
            lines.push(line);
            above = Some(*ix);
        }
        let labels = self.label_lines(path, above);
        lines.extend(labels);
        Ok(lines)
    }

    /// The bytes of an entry as they stand, unless its file is of an old format.
    fn raw_line(&mut self, ix: Ix, text: String) -> Result<Vec<u8>> {
        if self.tree.heads().is_old() || self.foreign().is_some() {
            return Ok(text.into_bytes());
        }
        let span = self.tree.head(ix).span;
        let mut bytes = Vec::new();
        self.fetch(span.offset, span.end(), &mut bytes)?;
        Ok(bytes)
    }

    /// Where a compaction keeps from, if the entry that it named is left out: the next one that is kept.
    fn moved_anchor(&self, ix: Ix, path: &[Ix], kept: &[Ix]) -> Option<Ix> {
        let anchor = self.tree.heads().anchor(ix).filter(|anchor| !self.is_kept(*anchor))?;
        let at = path.iter().position(|entry| *entry == anchor)?;
        path[at..].iter().find(|entry| kept.contains(entry)).copied()
    }

    /// Fresh label entries for every labelled entry of the path, in the order of the old ones.
    fn label_lines(&mut self, path: &[Ix], leaf: Option<Ix>) -> Vec<Vec<u8>> {
        let on_path: std::collections::HashSet<&str> = path.iter().map(|ix| self.tree.id(*ix)).collect();
        let labels: Vec<(String, String, i64)> = self
            .tree
            .heads()
            .labels()
            .into_iter()
            .filter(|(target, _)| on_path.contains(target))
            .filter_map(|(target, setter)| {
                let label = self.tree.heads().label(target)?;
                Some((target.to_owned(), label.to_owned(), self.tree.head(setter).at))
            })
            .collect();
        let mut parent = leaf.map(|ix| self.tree.heads().entry_id(ix));
        let mut lines = Vec::new();
        for (target, label, at) in labels {
            let id = self.new_id();
            let draft = Draft::Label { target: &target, label: Some(&label), undoes: None, redoes: None };
            lines.push(codec::line(&id, parent.as_ref().map(EntryId::as_str), at, &draft).into_bytes());
            parent = Some(id);
        }
        lines
    }
}
