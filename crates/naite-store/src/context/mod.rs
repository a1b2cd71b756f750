//! The context store: what was said with any agent, as plain files that a person can read.
//!
//! [`SessionLog`] is one session, locked while it is open: its log, its copy of the agent's transcript, the lines that
//! follow from them in `projects/` and `questions/`. Everything else here is small and shared: the `current` files, the
//! map of tmux sessions, notes, the marks that tell the worker what to do, and [`forget`](ContextStore::forget).
//!
//! The logs are the truth. `cursor.json` and `state/` only spare work and may be deleted at any time.

mod copy;
mod forget;
mod session;
mod shared;
mod state;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Act;
use crate::fs::{Fs, replace_file};

pub use forget::{Forget, Forgotten};
pub use session::SessionLog;
pub use shared::TmuxSession;
pub use state::{AgentMark, Mark, Worker};

/// Local days and times, which the machine's time zone decides.
pub trait Calendar: Send + Sync + std::fmt::Debug {
    /// The local day of a time in Unix milliseconds, `2026-04-10`.
    fn day(&self, at: i64) -> String;
    /// The local time with its offset, `2026-04-10T20:00:00+09:00`.
    fn local(&self, at: i64) -> String;
}

/// Why the context store cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// A call to the system failed.
    #[error("cannot {} {}: {source}", act.verb(), path.display())]
    Io {
        /// What was tried.
        act: Act,
        /// On which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A link in the store leads out of it; nothing is read or written there.
    #[error("{} leads out of the context store", path.display())]
    LeadsOut {
        /// The link.
        path: PathBuf,
    },
    /// Another process has the session open for too long.
    #[error("another process holds {}", path.display())]
    Held {
        /// The log.
        path: PathBuf,
    },
    /// There is no such session in the store.
    #[error("the context store has no session {session_id}")]
    NoSession {
        /// The id that was asked for.
        session_id: String,
    },
}

pub(crate) type Result<T> = std::result::Result<T, ContextError>;

fn fail(act: Act, path: &Path) -> impl FnOnce(io::Error) -> ContextError + '_ {
    move |source| ContextError::Io { act, path: path.into(), source }
}

/// Wants nothing, if the file is not there.
fn missing_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The files below `{root}/data/context`.
#[derive(Clone, Debug)]
pub struct ContextStore {
    fs: Arc<dyn Fs>,
    root: PathBuf,
    data: PathBuf,
    calendar: Arc<dyn Calendar>,
    durable: bool,
    seen: Arc<Mutex<Seen>>,
}

/// What was looked at already, so that it is not looked at again with every file.
#[derive(Debug, Default)]
struct Seen {
    /// Folders of which no part leads out of the store.
    guarded: HashSet<PathBuf>,
    /// The folders of sessions.
    sessions: HashMap<String, PathBuf>,
}

impl ContextStore {
    /// The store of a root (a folder `.ai-core`); reads and writes nothing yet. `durable`: log lines are on the disk
    /// before a call returns.
    pub fn new(
        fs: Arc<dyn Fs>,
        root: impl Into<PathBuf>,
        calendar: Arc<dyn Calendar>,
        durable: bool,
    ) -> Self {
        let root = root.into();
        Self { fs, data: root.join("data/context"), root, calendar, durable, seen: Arc::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that holds everything, `{root}/data/context`.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The machine's days and times.
    pub fn calendar(&self) -> &dyn Calendar {
        self.calendar.as_ref()
    }

    /// Makes the folder of the store, unless it is there, kept out of git. Says whether it was made now.
    pub fn prepare(&self) -> Result<bool> {
        let is_there = self.fs.meta(&self.data).is_ok_and(|meta| meta.is_dir);
        self.guard(&self.data)?;
        if is_there {
            return Ok(false);
        }
        let whole = self.root.join("data");
        let is_new = self.fs.meta(&whole).is_err();
        self.fs.create_folder(&self.data).map_err(fail(Act::Create, &self.data))?;
        let ignore = whole.join(".gitignore");
        if is_new {
            replace_file(self.fs.as_ref(), &ignore, b"*\n").map_err(fail(Act::Create, &ignore))?;
        }
        Ok(is_new)
    }

    /// A folder of the store, made if need be.
    fn folder(&self, name: impl AsRef<Path>) -> Result<PathBuf> {
        let folder = self.data.join(name);
        self.guard(&folder)?;
        if !self.fs.meta(&folder).is_ok_and(|meta| meta.is_dir) {
            self.fs.create_folder(&folder).map_err(fail(Act::Create, &folder))?;
        }
        Ok(folder)
    }

    /// Makes sure that no link below the root leads out of it on the way to a path.
    fn guard(&self, path: &Path) -> Result<()> {
        let Ok(below) = path.strip_prefix(&self.root) else {
            return Err(ContextError::LeadsOut { path: path.into() });
        };
        let mut at = self.root.clone();
        let parent = path.parent().filter(|parent| self.seen().guarded.contains(*parent));
        let below = match (parent, path.file_name()) {
            (Some(parent), Some(name)) => {
                at = parent.into();
                Path::new(name)
            }
            _ => below,
        };
        for part in below.components() {
            match part {
                Component::Normal(part) => at.push(part),
                Component::CurDir => continue,
                _ => return Err(ContextError::LeadsOut { path: path.into() }),
            }
            if self.fs.is_link(&at) {
                let leads_in =
                    |to: PathBuf| self.fs.canonical(&self.root).is_ok_and(|root| to.starts_with(root));
                if !self.fs.canonical(&at).is_ok_and(leads_in) {
                    return Err(ContextError::LeadsOut { path: at });
                }
            }
        }
        if let Some(parent) = path.parent() {
            self.seen().guarded.insert(parent.into());
        }
        Ok(())
    }

    /// Reads a small file of the store; `None` if it is not there or no text.
    pub fn read_text(&self, name: impl AsRef<Path>) -> Result<Option<String>> {
        let path = self.data.join(name);
        self.guard(&path)?;
        Ok(self.read(&path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let Some(file) = missing_is_none(self.fs.open(path)).map_err(fail(Act::Read, path))? else {
            return Ok(None);
        };
        let len = file.meta().map_err(fail(Act::Read, path))?.len as usize;
        let mut bytes = vec![0; len];
        let read = file.read_at(&mut bytes, 0).map_err(fail(Act::Read, path))?;
        bytes.truncate(read);
        Ok(Some(bytes))
    }

    /// Writes a small file of the store anew, whole or not at all.
    pub fn write_text(&self, name: impl AsRef<Path>, text: &str) -> Result<PathBuf> {
        let path = self.data.join(name);
        let folder = path.parent().unwrap_or(&self.data);
        self.folder(folder.strip_prefix(&self.data).unwrap_or(folder))?;
        replace_file(self.fs.as_ref(), &path, text.as_bytes()).map_err(fail(Act::Replace, &path))?;
        Ok(path)
    }

    /// The names in a folder of the store, sorted; none if it is not there.
    pub fn names(&self, folder: impl AsRef<Path>) -> Result<Vec<String>> {
        let folder = self.data.join(folder);
        self.guard(&folder)?;
        let paths =
            missing_is_none(self.fs.list(&folder)).map_err(fail(Act::List, &folder))?.unwrap_or_default();
        let name = |path: &PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        let mut names: Vec<String> = paths.iter().filter_map(name).collect();
        names.sort();
        Ok(names)
    }
}
