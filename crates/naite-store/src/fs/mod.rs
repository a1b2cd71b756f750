//! The few calls to the file system that Naite makes, as a trait, so that tests can tear, fill up or abort them.

mod real;

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

pub use real::RealFs;

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Meta {
    /// Bytes.
    pub len: u64,
    /// Last change, nanoseconds since 1970.
    pub mtime: i128,
    /// Device and inode (0 where the platform has none): which file it is.
    pub identity: (u64, u64),
    /// It is a folder.
    pub is_dir: bool,
    /// It is an ordinary file.
    pub is_file: bool,
    /// Some path leads to it: one that was removed while it is open has none (always `true` where the platform does
    /// not say).
    pub is_named: bool,
    /// Its last change was one of its bytes: since then nobody gave it another name (`false` where the platform does
    /// not say).
    pub is_settled: bool,
}

/// The file system.
pub trait Fs: Send + Sync + Debug {
    /// Opens for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn FsFile>>;
    /// Opens an existing file for reading and appending.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn FsFile>>;
    /// Creates a file that must not exist, for its owner alone (0600 whatever the umask).
    fn create(&self, path: &Path) -> io::Result<Box<dyn FsFile>>;
    /// Opens a file for locking, creating it if need be.
    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn FsFile>>;
    /// Looks at a file, through links.
    fn meta(&self, path: &Path) -> io::Result<Meta>;
    /// Says whether the path itself is a symbolic link.
    fn is_link(&self, path: &Path) -> bool;
    /// Makes a symbolic link at `at` that leads to `target`.
    fn link(&self, target: &Path, at: &Path) -> io::Result<()>;
    /// Where a symbolic link leads, as it is written there.
    fn link_target(&self, path: &Path) -> io::Result<PathBuf>;
    /// The path without links.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
    /// Replaces `to` by `from` in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives `from` the name `to` in one step, unless something has that name.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder and all that is in it; links in it are removed, not followed.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Creates a folder and those above it, new ones for their owner alone (0700).
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes a rename in this folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// The paths in a folder, in no order.
    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>>;
}

/// An open file.
pub trait FsFile: Send + Debug {
    /// Reads at an offset; fewer bytes than asked for only at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes at the end with one call to the system; may write less.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Overwrites at an offset.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Sets the length.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
    /// Makes the bytes durable.
    fn sync(&mut self) -> io::Result<()>;
    /// Looks at the file.
    fn meta(&self) -> io::Result<Meta>;
    /// Takes the exclusive lock; `false` if another open file has it.
    fn try_lock(&self) -> io::Result<bool>;
    /// Takes the exclusive lock, waiting as long as it takes.
    fn lock(&self) -> io::Result<()>;
}

/// Writes a cache file anew, whole or not at all; it need not survive a power cut.
pub(crate) fn replace_cache(fs: &dyn Fs, file: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs.create_folder(folder)?;
    }
    replace_file(fs, file, bytes)
}

/// The same in a folder that is there.
pub(crate) fn replace_file(fs: &dyn Fs, file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension(format!("{}.tmp", std::process::id()));
    let _ = fs.remove(&beside);
    let written = fs.create(&beside).and_then(|mut out| {
        let mut at = 0;
        while at < bytes.len() {
            at += out.append(&bytes[at..])?;
        }
        fs.rename(&beside, file)
    });
    if written.is_err() {
        let _ = fs.remove(&beside);
    }
    written
}

/// The longest file name that file systems take, in bytes.
const NAME_MAX: usize = 255;

/// A file name with something before and behind it; where that would be too long, the middle is cut and a hash of
/// all of it put in its place.
pub(crate) fn fitting_name(before: &str, name: &str, behind: &str) -> String {
    let whole = format!("{before}{name}{behind}");
    if whole.len() <= NAME_MAX {
        return whole;
    }
    let hash = format!("~{:016x}", xxhash_rust::xxh3::xxh3_64(name.as_bytes()));
    let room = NAME_MAX - before.len() - behind.len() - hash.len();
    format!("{before}{}{hash}{behind}", naite_core::text::prefix_bytes(name, room))
}
