//! The `Store` contract: append-only logs by name, which a folder of files, memory or a database can keep.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;

/// Names one log in its store: a path for files, a key elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogName(PathBuf);

impl LogName {
    /// Names a log.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The name as a path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// The state of a log: what an append expects to find, and what it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Bytes.
    pub len: u64,
    /// Which file it is: changes when the log is replaced.
    pub identity: (u64, u64),
    /// Changes with every write; nanoseconds since 1970 for files.
    pub stamp: i128,
}

/// How durable an append is when it returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durable {
    /// The system has the bytes.
    #[default]
    Written,
    /// The disk has them.
    Synced,
}

/// What to do when another process holds a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// Say so at once.
    #[default]
    No,
    /// Wait at most this long.
    AtMost(Duration),
    /// Wait until it is free.
    Forever,
}

/// Keeps a log for its holder; dropping it lets go.
pub trait Guard: Send + Debug {}

/// The whole content of a log that is being created or replaced; dropped without [`NewLog::commit`] it leaves
/// nothing.
pub trait NewLog: io::Write + Send {
    /// Puts the content in its place in one step. Fails with [`StoreError::Moved`](crate::StoreError) if the log
    /// that it replaces changed meanwhile, with [`StoreError::Exists`](crate::StoreError) if the name was taken.
    fn commit(self: Box<Self>) -> Result<Stat>;
}

/// Append-only logs. Blocking and `Send`: one writer thread per open session calls it.
pub trait Store: Send + Debug {
    /// The state of a log; `None` if there is none.
    fn stat(&mut self, log: &LogName) -> Result<Option<Stat>>;

    /// The state of a log of which `known` was the state not long ago. What happened to the log itself is seen; that a
    /// folder above it was exchanged may be seen later.
    fn glance(&mut self, log: &LogName, known: Stat) -> Result<Option<Stat>> {
        let _ = known;
        self.stat(log)
    }

    /// Reads at an offset; fewer bytes than asked for only at the end. A log that was removed while it is open
    /// can still be read.
    fn read(&mut self, log: &LogName, offset: u64, buffer: &mut [u8]) -> Result<usize>;

    /// Begins a new log (`replaces` is `None`; an empty one may be in its place), or the whole content of one that
    /// is there, which is put aside first. Its commit is durable.
    fn begin(&mut self, log: &LogName, replaces: Option<Stat>) -> Result<Box<dyn NewLog>>;

    /// Appends with one write, if the log is as `expected` says; else [`StoreError::Moved`](crate::StoreError).
    /// A write that breaks off says how many bytes arrived. The state that comes back has the new length; its stamp
    /// may still be that of `expected`.
    fn append(&mut self, log: &LogName, expected: Stat, bytes: &[u8], durable: Durable) -> Result<Stat>;

    /// Overwrites bytes in place: only for omp's title slot, which has a fixed size.
    fn patch(&mut self, log: &LogName, expected: Stat, offset: u64, bytes: &[u8]) -> Result<Stat>;

    /// Makes this process the one that appends. A holder that died holds nothing.
    fn lock(&mut self, log: &LogName, wait: Wait) -> Result<Box<dyn Guard>>;
}
