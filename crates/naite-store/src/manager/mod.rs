//! One open session: its log, its tree, its leaf and its lock, by the names of the seed.

mod append;
mod branch;
mod foreign;
mod navigate;
mod read;
mod repair;
mod watch;
mod words;

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use naite_core::codec::{self, Defect};
use naite_core::entry::Header;
use naite_core::{EntryId, Ix, Place, ProjectKey, Tree};

use crate::error::{Refusal, Result, StoreError};
use crate::index::HeadIndex;
use crate::log::{Guard, LogName, Stat, Store, Wait};
use crate::memory::MemoryStore;
use crate::scan::scan;

pub(crate) use foreign::Lines;

pub use append::Refreshed;
pub use navigate::{Left, Moved, Navigated, Undone};
pub use repair::Repair;
pub use watch::Watched;

/// Supplies what is random or depends on the moment, so that everything else can be repeated.
pub trait Supply: Send + Debug {
    /// Now, in Unix milliseconds.
    fn now(&mut self) -> i64;
    /// 32 random bits, for the id of an entry.
    fn bits(&mut self) -> u32;
    /// A new session id made at `now` (UUIDv7).
    fn session_id(&mut self, now: i64) -> String;
}

/// What a session is opened for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Looking: no lock, and nothing is ever written.
    #[default]
    Read,
    /// Growing it: this process holds it until it is dropped.
    Write,
}

/// When appended bytes are forced to the disk (the `durability` setting).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When a user's message is accepted, when a turn ends, and at the end.
    #[default]
    Turn,
    /// After every append.
    Always,
    /// When the system thinks fit.
    Never,
}

/// Where new sessions go and which folder they belong to.
#[derive(Clone, Debug, Default)]
pub struct Workplace {
    /// `$NAITE_HOME/sessions`.
    pub sessions: PathBuf,
    /// The canonical working directory.
    pub cwd: String,
}

impl Workplace {
    /// The folder of Naite's own sessions of a working directory.
    pub fn folder(&self, cwd: &str) -> PathBuf {
        self.sessions.join(ProjectKey::of(cwd).as_str())
    }

    /// The place of a new session: `<time>_<id>.jsonl`, the time without what file names cannot hold.
    pub fn log(&self, cwd: &str, at: i64, id: &str) -> LogName {
        let time = naite_core::entry::iso(at).replace([':', '.'], "-");
        LogName::new(self.folder(cwd).join(format!("{time}_{id}.jsonl")))
    }
}

/// What every session needs from outside.
#[derive(Debug)]
pub struct Setup {
    /// Where logs are.
    pub store: Box<dyn Store>,
    /// Time and ids.
    pub supply: Box<dyn Supply>,
    /// Where new sessions go.
    pub place: Workplace,
    /// Where heads are cached.
    pub index: Option<HeadIndex>,
    /// When bytes are forced to the disk.
    pub durability: Durability,
    /// What to do when another process holds the session.
    pub wait: Wait,
}

/// One open session.
///
/// Everything that is written is appended; nothing that was written is changed, except that a file of an old
/// format is brought to version 3 (with a backup) before its first append.
#[derive(Debug)]
pub struct SessionManager {
    setup: Setup,
    log: LogName,
    in_memory: bool,
    access: Access,
    tree: Tree,
    guard: Option<Box<dyn Guard>>,
    /// The log as it was when we last looked; `None` until it is created.
    stat: Option<Stat>,
    /// What follows the durable part: whole lines, of which the first `flushed` bytes have arrived.
    pending: Vec<u8>,
    /// The memory of the line that was written last.
    line: String,
    flushed: usize,
    /// Where `pending` starts in the log.
    base: u64,
    /// Create the file with the first append of any kind.
    eager: bool,
    unsynced: bool,
    blobs: Option<PathBuf>,
    noticed: Refreshed,
    /// Something should be in the log and is not yet.
    owed: bool,
    /// What the session was opened for, whatever its format allows.
    wanted: Access,
    /// The last entry of a turn that we are writing.
    turn: Option<EntryId>,
}

impl SessionManager {
    /// Opens a session file. A missing or empty one is a new session at exactly that path, if it is to be grown.
    pub fn open(setup: Setup, log: LogName, access: Access) -> Result<Self> {
        let mut session = Self::blank(setup, log);
        (session.access, session.wanted) = (access, access);
        session.eager = true;
        if access == Access::Write {
            session.take_lock()?;
        }
        session.load()?;
        Ok(session)
    }

    /// Starts a session; its file appears with the first thing said.
    pub fn create(setup: Setup, parent_session: Option<&str>) -> Result<Self> {
        let mut session = Self::blank(setup, LogName::new(""));
        session.access = Access::Write;
        session.start_new(parent_session)?;
        Ok(session)
    }

    /// Starts a session that leaves no file.
    pub fn in_memory(supply: Box<dyn Supply>, cwd: &str) -> Result<Self> {
        let place = Workplace { sessions: PathBuf::new(), cwd: cwd.into() };
        let setup = Setup {
            store: Box::new(MemoryStore::new()),
            supply,
            place,
            index: None,
            durability: Durability::Never,
            wait: Wait::No,
        };
        let mut session = Self::blank(setup, LogName::new(""));
        (session.access, session.in_memory, session.eager) = (Access::Write, true, true);
        session.start_new(None)?;
        Ok(session)
    }

    fn blank(setup: Setup, log: LogName) -> Self {
        Self {
            setup,
            log,
            in_memory: false,
            access: Access::Read,
            tree: Tree::default(),
            guard: None,
            stat: None,
            pending: Vec::new(),
            line: String::new(),
            flushed: 0,
            base: 0,
            eager: false,
            unsynced: false,
            blobs: None,
            noticed: Refreshed::default(),
            turn: None,
            owed: false,
            wanted: Access::Write,
        }
    }

    /// Lets the next append of any kind create the file, also one that says nothing.
    pub fn create_at_once(&mut self) {
        self.eager = true;
    }

    /// Names the folder where oh-my-pi keeps images by their SHA-256.
    pub fn look_for_images_in(&mut self, blobs: Option<PathBuf>) {
        self.blobs = blobs;
    }

    /// What other programs did to the log since this was last asked, for the person to be told.
    pub fn noticed(&mut self) -> Refreshed {
        std::mem::take(&mut self.noticed)
    }

    /// Leaves the session that is open and starts another one (`newSession`).
    pub fn new_session(&mut self, parent_session: Option<&str>) -> Result<()> {
        self.finish()?;
        self.start_new(parent_session)
    }

    /// Leaves the session that is open and opens a file instead (`setSessionFile`). On an error the one that was
    /// open stays.
    pub fn set_session_file(&mut self, log: LogName) -> Result<()> {
        self.finish()?;
        if self.in_memory {
            return Err(StoreError::InMemory);
        }
        if self.guard.is_some() && is_same_file(&log, &self.log) {
            return self.load();
        }
        let guard = match self.wanted {
            Access::Write => Some(self.setup.store.lock(&log, self.setup.wait)?),
            Access::Read => None,
        };
        let log = std::mem::replace(&mut self.log, log);
        let (tree, pending) = (std::mem::take(&mut self.tree), std::mem::take(&mut self.pending));
        let before = (self.access, self.stat, self.flushed, self.base);
        self.access = self.wanted;
        if let Err(error) = self.load() {
            (self.log, self.tree, self.pending) = (log, tree, pending);
            (self.access, self.stat, self.flushed, self.base) = before;
            return Err(error);
        }
        (self.guard, self.eager) = (guard, true);
        self.refuse_newer();
        Ok(())
    }

    fn take_lock(&mut self) -> Result<()> {
        self.guard = None;
        self.guard = Some(self.setup.store.lock(&self.log, self.setup.wait)?);
        Ok(())
    }

    fn start_new(&mut self, parent_session: Option<&str>) -> Result<()> {
        let now = self.setup.supply.now();
        let id = self.setup.supply.session_id(now);
        let cwd = self.setup.place.cwd.clone();
        self.log = self.setup.place.log(&cwd, now, &id);
        self.guard = None;
        if !self.in_memory {
            self.take_lock()?;
        }
        self.access = Access::Write;
        self.forget();
        self.push_header(codec::header(&id, now, &cwd, parent_session, None));
        Ok(())
    }

    /// Forgets the log and starts with nothing read.
    fn forget(&mut self) {
        self.tree = Tree::default();
        (self.stat, self.turn, self.owed) = (None, None, false);
        self.pending.clear();
        (self.flushed, self.base) = (0, 0);
    }

    fn push_header(&mut self, header: String) {
        self.pending.extend_from_slice(header.as_bytes());
        self.pending.push(b'\n');
        self.tree.line(header.as_bytes(), Place { line: 1, offset: 0, ended: true }, &mut &b""[..]);
    }

    /// Reads the log from its index or from the start.
    fn load(&mut self) -> Result<()> {
        let stat = self.setup.store.stat(&self.log)?;
        let Some(stat) = stat.filter(|stat| stat.len > 0) else {
            return self.load_empty(stat);
        };
        let store = self.setup.store.as_mut();
        let index = self.setup.index.as_ref();
        let heads = index.and_then(|index| index.load(store, &self.log, stat));
        let mut tree = heads.map(Tree::new).unwrap_or_default();
        let known = tree.heads().end();
        scan(store, &self.log, &mut tree, stat.len)?;
        if tree.heads().header().is_none() {
            return Err(StoreError::NotASession { path: self.log.path().into(), why: Refusal::NoHeader });
        }
        if let Some(index) = index {
            index.save(store, &self.log, stat, tree.heads(), stat.len - known);
        }
        // Until here nothing has changed: a log that cannot be read leaves what waits to be written.
        self.forget();
        self.tree = tree;
        (self.stat, self.base) = (Some(stat), stat.len);
        self.refuse_newer();
        Ok(())
    }

    fn load_empty(&mut self, stat: Option<Stat>) -> Result<()> {
        if stat.is_none() && self.access == Access::Read {
            return Err(StoreError::NotFound { path: self.log.path().into() });
        }
        let now = self.setup.supply.now();
        let id = self.setup.supply.session_id(now);
        self.forget();
        self.push_header(codec::header(&id, now, &self.setup.place.cwd.clone(), None, None));
        Ok(())
    }

    /// What a newer program or another one wrote in a format of its own is only read.
    fn refuse_newer(&mut self) {
        if self.header().is_some_and(Header::is_newer) || self.foreign().is_some() {
            self.access = Access::Read;
            self.guard = None;
        }
    }

    /// The session's file; `None` for a session in memory.
    pub fn path(&self) -> Option<&Path> {
        (!self.in_memory).then(|| self.log.path())
    }

    /// Says whether the file is there already.
    pub fn is_created(&self) -> bool {
        self.stat.is_some()
    }

    /// What the session was opened for; reading only if its format is newer than this program.
    pub fn access(&self) -> Access {
        self.access
    }

    /// The header.
    pub fn header(&self) -> Option<&Header> {
        self.tree.heads().header()
    }

    /// The session id.
    pub fn session_id(&self) -> &str {
        self.header().map_or("", |header| header.id.as_str())
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What is wrong with the file.
    pub fn defects(&self) -> Vec<Defect> {
        self.tree.defects()
    }

    /// The session's name.
    pub fn session_name(&self) -> Option<&str> {
        self.tree.heads().name()
    }

    /// The leaf.
    pub fn leaf(&self) -> Option<Ix> {
        self.tree.leaf()
    }

    /// The leaf's id.
    pub fn leaf_id(&self) -> Option<EntryId> {
        self.leaf().map(|ix| self.tree.heads().entry_id(ix))
    }

    /// Finds an entry by its id.
    pub fn find(&self, id: &str) -> Result<Ix> {
        self.tree.find(id).ok_or_else(|| StoreError::UnknownEntry { id: id.into() })
    }
}

/// Says whether two names lead to one file.
fn is_same_file(a: &LogName, b: &LogName) -> bool {
    let canonical = |log: &LogName| std::fs::canonicalize(log.path()).ok();
    a == b || canonical(a).is_some_and(|a| Some(a) == canonical(b))
}
