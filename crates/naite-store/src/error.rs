//! What can go wrong with a stored session, as values; the binary words it for people.

use std::io;
use std::path::PathBuf;

use naite_core::ingest::Program;

use crate::log::Stat;

/// What a failed call to the system was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Looking at or reading a file.
    Read,
    /// Appending to a log.
    Append,
    /// Creating a file.
    Create,
    /// Replacing a file.
    Replace,
    /// Taking a lock.
    Lock,
    /// Listing a folder.
    List,
}

impl Act {
    /// The act as the rest of a sentence that begins with "cannot".
    pub fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Append => "append to",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Lock => "lock",
            Self::List => "list",
        }
    }
}

/// Who holds a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Owner {
    /// Process id.
    pub pid: u32,
    /// When it took the session, ISO time.
    pub since: String,
    /// The machine.
    pub host: String,
    /// The program.
    pub program: String,
}

/// Why a file is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its first record is no session header.
    NoHeader,
    /// It is a folder.
    Folder,
    /// It is a link to nothing.
    DanglingLink,
    /// It is a device or the like.
    Special,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A call to the system failed.
    #[error("cannot {} {}: {source}", act.verb(), path.display())]
    Io {
        /// What it was for.
        act: Act,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no such file.
    #[error("{} does not exist", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// The name is taken.
    #[error("{} exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file is no session; it was left as it is.
    #[error("{} is no session file", path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
        /// Why.
        why: Refusal,
    },
    /// The log is not as long as the append expected: someone else wrote.
    #[error("{} changed meanwhile", path.display())]
    Moved {
        /// The file.
        path: PathBuf,
        /// What it is now; `None` if it is gone.
        now: Option<Stat>,
    },
    /// An append broke off after some bytes.
    #[error("cannot append to {}: {source}", path.display())]
    Short {
        /// The file.
        path: PathBuf,
        /// Bytes that did arrive.
        written: usize,
        /// Why.
        source: io::Error,
    },
    /// Another process has the session.
    #[error("{} is held by process {}", path.display(), owner.pid)]
    Held {
        /// The file.
        path: PathBuf,
        /// Who.
        owner: Owner,
    },
    /// The session was opened for reading, or is of a newer format.
    #[error("{} is open for reading only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The format version, where that is the reason.
        newer_version: Option<u32>,
    },
    /// The file is a transcript of another program in a format of its own, which is only read.
    #[error("{} is a transcript of {}, which is only read", path.display(), program.title())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The program.
        program: Program,
    },
    /// No entry has this id.
    #[error("there is no entry {id}")]
    UnknownEntry {
        /// The id.
        id: String,
    },
    /// The entry is no user message.
    #[error("entry {id} is no user message")]
    NotAUserMessage {
        /// The id.
        id: String,
    },
    /// A session in memory has no place among files.
    #[error("a session in memory cannot become one of a file")]
    InMemory,
    /// There is nothing to branch from.
    #[error("the path is empty")]
    EmptyPath,
    /// Nothing can be taken back (or brought back).
    #[error("nothing to {}", if *redo { "redo" } else { "undo" })]
    NothingToUndo {
        /// It was a redo.
        redo: bool,
    },
}

impl StoreError {
    pub(crate) fn io(act: Act, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            io::ErrorKind::NotFound if act != Act::Create => Self::NotFound { path },
            _ => Self::Io { act, path, source },
        }
    }
}

/// The result of everything here.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
