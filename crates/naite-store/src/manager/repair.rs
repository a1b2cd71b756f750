//! A damaged session written anew without its damage: every good entry stays, what could not be read is put aside.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;

use naite_core::codec::{
    self, Decoded, Facts, MoveOp, TitleSlot, decode, read_record, set_parent, set_timestamp,
};
use naite_core::entry::{Kind, iso, millis};
use naite_core::text::json::Object;
use naite_core::{EntryId, Ix};

use super::{Access, SessionManager, Setup};
use crate::error::{Act, Refusal, Result, StoreError};
use crate::fs::fitting_name;
use crate::log::{Durable, LogName};

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Lines that could not be used as they were; they lie in the file beside.
    pub put_aside: usize,
    /// Exact repeats that were left out.
    pub repeats: usize,
    /// Entries that were linked to another parent.
    pub relinked: usize,
    /// Entries that got the time of the one before them.
    pub retimed: usize,
    /// Where the lines that were put aside lie.
    pub damaged: Option<PathBuf>,
    /// The file was of an old format and is now of version 3.
    pub upgraded: bool,
    /// The file had no header: this is the repaired copy, the file was left as it is.
    pub copy: Option<PathBuf>,
}

/// The new content of a file, and what did not get into it.
#[derive(Default)]
struct Rewritten {
    good: Vec<u8>,
    damaged: Vec<u8>,
    repair: Repair,
    seen: HashSet<Ix>,
    above: Option<Ix>,
    orphans: HashSet<Ix>,
    /// The parents that entries have got so far.
    parents: HashMap<Ix, Option<Ix>>,
}

impl SessionManager {
    /// Writes the session anew without its damage (`doctor --fix`); the old file is put aside first. A session that is
    /// sound and of version 3 is left as it is.
    pub fn repair(&mut self) -> Result<Repair> {
        self.refuse_reading_only()?;
        let upgraded = self.stat.is_some() && self.tree.heads().is_old();
        self.prepare()?;
        let Some(stat) = self.stat.filter(|_| !self.defects().is_empty()) else {
            return Ok(Repair { upgraded, ..Repair::default() });
        };
        let leaf = self.leaf_id();
        let mut new = self.without_damage()?;
        new.repair.upgraded = upgraded;
        if !new.damaged.is_empty() {
            new.repair.damaged = Some(self.put_aside(&new.damaged)?);
        }
        let mut draft = self.setup.store.begin(&self.log, Some(stat))?;
        draft.write_all(&new.good).map_err(StoreError::io(Act::Replace, self.log.path()))?;
        draft.commit()?;
        self.load()?;
        if leaf != self.leaf_id() {
            let to = leaf.and_then(|leaf| self.tree.find(leaf.as_str()));
            self.push_move(MoveOp::Navigate, self.leaf(), to, None, None);
            self.commit(&[])?;
        }
        Ok(new.repair)
    }

    /// Copies the entries of a file that has no header into a new session, which is then repaired; the file is left as
    /// it is. A file without a single entry is no session.
    pub fn rescue(setup: Setup, log: &LogName) -> Result<(Self, Repair)> {
        let mut session = Self::create(setup, None)?;
        let refused = || StoreError::NotASession { path: log.path().into(), why: Refusal::NoHeader };
        let stat = session.setup.store.stat(log)?.ok_or_else(refused)?;
        let mut bytes = vec![0; stat.len as usize];
        let read = session.setup.store.read(log, 0, &mut bytes)?;
        bytes.truncate(read);
        let entries = bytes.split(|byte| *byte == b'\n').filter(|line| is_entry(line)).count();
        if entries == 0 {
            return Err(refused());
        }
        let found = bytes.split(|byte| *byte == b'\n').find_map(|line| {
            let text = String::from_utf8_lossy(line);
            naite_core::entry::Header::read(text.trim())
        });
        // A header behind junk still says where the session belongs and what it is called.
        let mut content = match found {
            Some(header) => {
                let ours = session.header().map(|header| header.raw.clone()).unwrap_or_default();
                let ours = header.cwd.map_or(ours.clone(), |cwd| codec::set_cwd(&ours, &cwd));
                let ours = header.title.map_or(ours.clone(), |title| codec::set_title(&ours, &title));
                (ours + "\n").into_bytes()
            }
            None => std::mem::take(&mut session.pending),
        };
        content.extend_from_slice(&bytes);
        session.pending = Vec::new();
        let mut draft = session.setup.store.begin(&session.log, None)?;
        draft.write_all(&content).map_err(StoreError::io(Act::Create, session.log.path()))?;
        draft.commit()?;
        session.load()?;
        let copy = session.path().map(PathBuf::from);
        let repair = Repair { copy, ..session.repair()? };
        Ok((session, repair))
    }

    fn refuse_reading_only(&self) -> Result<()> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(self.reading_only()),
        }
    }

    /// Goes through the physical lines once: sound ones stay byte for byte, records on odd ones get a line each.
    fn without_damage(&mut self) -> Result<Rewritten> {
        let mut bytes = Vec::new();
        self.fetch(0, self.base, &mut bytes)?;
        let mut new = Rewritten { orphans: self.orphans(), ..Rewritten::default() };
        let mut has_header = false;
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            let is_slot = number == 0 && TitleSlot::read(bare).is_some();
            match decode(bare.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bare), line.ends_with(b"\n")) {
                _ if is_slot => new.keep(line),
                Decoded::Blank => new.keep(line),
                Decoded::One(record, _) if matches!(record.facts, Facts::Header(_)) => {
                    if has_header {
                        new.put_aside(line)
                    } else {
                        new.keep(line)
                    }
                    has_header = true;
                }
                Decoded::One(record, _) => match record.id.as_deref().and_then(|id| self.tree.find(id)) {
                    Some(ix) => self.keep_entry(ix, line, &mut new)?,
                    None => new.put_aside(line),
                },
                Decoded::Odd(odd) => {
                    let mut found = odd.found.iter().filter_map(|found| read_record(&found.text)).peekable();
                    if !has_header && found.peek().is_some() {
                        // The header's own line is odd: it is kept alone, what else is on it follows.
                        has_header = true;
                        let header = self.header().map(|header| header.raw.clone()).unwrap_or_default();
                        new.keep(header.as_bytes());
                    }
                    let ids: Vec<String> =
                        found.filter_map(|record| record.id.map(|id| id.into_owned())).collect();
                    for ix in ids.iter().filter_map(|id| self.tree.find(id)).collect::<Vec<_>>() {
                        self.keep_entry(ix, b"", &mut new)?;
                    }
                    new.put_aside(line);
                }
            }
        }
        Ok(new)
    }

    /// Keeps an entry at the place of its first line, with its last content, under a parent that is there. `line` is
    /// the line as it stands, empty where the record has to get one of its own.
    fn keep_entry(&mut self, ix: Ix, line: &[u8], new: &mut Rewritten) -> Result<()> {
        if self.tree.head(ix).kind == Kind::Placeholder {
            new.put_aside(line);
            return Ok(());
        }
        let text = self.text(ix)?;
        let is_final = std::str::from_utf8(line).is_ok_and(|line| line.trim() == text);
        if !new.seen.insert(ix) {
            if is_final {
                new.repair.repeats += 1;
            } else if !line.is_empty() {
                new.put_aside(line);
            }
            return Ok(());
        }
        let fields = Object::parse(&text).unwrap_or_default();
        let parent = self.parent_after_repair(ix, new);
        new.parents.insert(ix, parent);
        let parent = parent.map(|parent| self.tree.heads().entry_id(parent));
        let raw_parent = fields.str("parentId").filter(|parent| !parent.is_empty());
        let is_linked = raw_parent.as_deref() == parent.as_ref().map(EntryId::as_str)
            || raw_parent.as_deref() == Some(self.tree.id(ix)) && parent.is_none();
        let is_timed = fields.str("timestamp").is_some_and(|time| millis(&time).is_some());
        new.above = Some(ix);
        if is_linked && is_timed && is_final {
            new.keep(line);
            return Ok(());
        }
        let mut text = text;
        if !is_linked {
            new.repair.relinked += 1;
            text = set_parent(&text, parent.as_ref().map(EntryId::as_str), None);
        }
        if !is_timed {
            new.repair.retimed += 1;
            text = set_timestamp(&text, &iso(self.tree.head(ix).at));
        }
        if !is_final && !line.is_empty() {
            // A later line with the same id took this place; what stood here is put aside.
            new.put_aside(line);
        }
        new.keep(text.as_bytes());
        Ok(())
    }

    /// The parent that an entry gets: its own if it is kept, else the nearest kept ancestor; for an orphan the good
    /// line before it, unless that hangs below the orphan itself.
    fn parent_after_repair(&self, ix: Ix, new: &Rewritten) -> Option<Ix> {
        if !new.orphans.contains(&ix) {
            return self.kept_parent(ix);
        }
        let parent_now = |at: Ix| match new.parents.get(&at) {
            Some(parent) => *parent,
            None => self.kept_parent(at),
        };
        let hangs_below = std::iter::successors(new.above, |at| parent_now(*at)).any(|at| at == ix);
        new.above.filter(|_| !hangs_below)
    }

    fn kept_parent(&self, ix: Ix) -> Option<Ix> {
        self.tree.ancestry(self.tree.parent(ix)).find(|ix| self.tree.head(*ix).kind != Kind::Placeholder)
    }

    fn orphans(&self) -> HashSet<Ix> {
        let defects = self.tree.defects();
        let missing = defects.iter().filter(|defect| defect.kind == codec::DefectKind::MissingParent);
        missing.filter_map(|defect| self.tree.find(defect.id.as_ref()?.as_str())).collect()
    }

    /// Adds lines to the file that lies beside the session.
    fn put_aside(&mut self, lines: &[u8]) -> Result<PathBuf> {
        let name = self.log.path().file_name().unwrap_or_default().to_string_lossy();
        let beside = LogName::new(self.log.path().with_file_name(fitting_name("", &name, ".damaged")));
        let store = self.setup.store.as_mut();
        match store.stat(&beside)? {
            Some(stat) if stat.len > 0 => {
                store.append(&beside, stat, lines, Durable::Synced)?;
            }
            _ => {
                let mut draft = store.begin(&beside, None)?;
                draft.write_all(lines).map_err(StoreError::io(Act::Create, beside.path()))?;
                draft.commit()?;
            }
        }
        Ok(beside.path().into())
    }
}

impl Rewritten {
    fn keep(&mut self, line: &[u8]) {
        add_line(&mut self.good, line);
    }

    fn put_aside(&mut self, line: &[u8]) {
        self.repair.put_aside += 1;
        add_line(&mut self.damaged, line);
    }
}

fn add_line(lines: &mut Vec<u8>, line: &[u8]) {
    lines.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        lines.push(b'\n');
    }
}

fn is_entry(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    Object::parse(text.trim()).is_some_and(|fields| {
        fields.str("id").is_some_and(|id| !id.is_empty())
            && fields.raw("parentId").is_some()
            && fields.str("type").is_some()
    })
}
