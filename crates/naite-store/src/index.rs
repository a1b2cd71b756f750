//! The head index: heads of a log kept beside it in Naite's folder, a cache that may be deleted at any time.
//!
//! It is believed only for a file whose size, time and identity are those of the index, or that only grew since;
//! in both cases the first and the last bytes that it covers must still be the same.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_core::{Heads, StoredHeads};
use xxhash_rust::xxh3::xxh3_64;

use crate::fs::{Fs, replace_cache};
use crate::lock::canonical_place;
use crate::log::{LogName, Stat, Store};

/// Begins every index file; the digits count changes of its layout.
const MAGIC: &[u8; 16] = b"naite-heads-0002";
/// Bytes at each end of the covered part whose hash must still be the same.
const PROBE: u64 = 4096;
/// Logs shorter than this are quicker scanned than looked up.
const WORTH: u64 = 128 * 1024;

/// Where indexes are kept.
#[derive(Clone, Debug)]
pub struct HeadIndex {
    fs: Arc<dyn Fs>,
    folder: PathBuf,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Seal {
    path: Vec<u8>,
    len: u64,
    identity: (u64, u64),
    stamp: i128,
    first: u64,
    last: u64,
}

impl HeadIndex {
    /// Keeps indexes in a folder (`$NAITE_HOME/index`).
    pub fn new(fs: Arc<dyn Fs>, folder: impl Into<PathBuf>) -> Self {
        Self { fs, folder: folder.into() }
    }

    fn file_of(&self, log: &LogName) -> (PathBuf, Vec<u8>) {
        let path = canonical_place(self.fs.as_ref(), log.path()).into_os_string().into_encoded_bytes();
        (self.folder.join(format!("{:016x}.heads", xxh3_64(&path))), path)
    }

    /// The heads of a log as of some earlier length; `None` if there is no index that can be believed.
    pub fn load(&self, store: &mut dyn Store, log: &LogName, now: Stat) -> Option<Heads> {
        if now.len < WORTH {
            return None;
        }
        let (file, path) = self.file_of(log);
        let bytes = self.read(&file).ok()?;
        let (seal, heads) = open_index(&bytes)?;
        let unchanged = seal.len == now.len && seal.stamp == now.stamp;
        let grown = seal.len < now.len;
        if seal.path != path || seal.identity != now.identity || !(unchanged || grown) {
            return None;
        }
        if probe(store, log, seal.len)? != (seal.first, seal.last) {
            return None;
        }
        let heads = postcard::from_bytes::<StoredHeads>(heads).ok()?.load()?;
        (heads.end() == seal.len).then_some(heads)
    }

    /// Writes the index, if enough of the log was scanned to be worth it. Failing costs only time.
    pub fn save(&self, store: &mut dyn Store, log: &LogName, now: Stat, heads: &Heads, scanned: u64) {
        if scanned >= WORTH.max(now.len / 8) && heads.end() == now.len {
            let _ = self.write(store, log, now, heads);
        }
    }

    fn write(&self, store: &mut dyn Store, log: &LogName, now: Stat, heads: &Heads) -> io::Result<()> {
        let unusable = || io::Error::from(io::ErrorKind::InvalidData);
        let (file, path) = self.file_of(log);
        let stored = heads.stored().ok_or_else(unusable)?;
        let (first, last) = probe(store, log, now.len).ok_or_else(unusable)?;
        let seal = Seal { path, len: now.len, identity: now.identity, stamp: now.stamp, first, last };
        let seal = postcard::to_allocvec(&seal).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(heads.len() * 64 + 1024);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&(seal.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&seal);
        let mut bytes = postcard::to_extend(&stored, bytes).map_err(io::Error::other)?;
        let sum = xxh3_64(&bytes[24..]);
        bytes[16..24].copy_from_slice(&sum.to_le_bytes());
        replace_cache(self.fs.as_ref(), &file, &bytes)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = self.fs.open(path)?;
        let mut bytes = vec![0; file.meta()?.len as usize];
        let read = file.read_at(&mut bytes, 0)?;
        bytes.truncate(read);
        Ok(bytes)
    }
}

/// Checks an index file from end to end and splits it into its seal and its heads.
fn open_index(bytes: &[u8]) -> Option<(Seal, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (sum, covered) = rest.split_first_chunk::<8>()?;
    if xxh3_64(covered) != u64::from_le_bytes(*sum) {
        return None;
    }
    let (len, rest) = covered.split_first_chunk::<4>()?;
    let (seal, heads) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    Some((postcard::from_bytes(seal).ok()?, heads))
}

/// Hashes of the first and the last bytes of the covered part.
fn probe(store: &mut dyn Store, log: &LogName, len: u64) -> Option<(u64, u64)> {
    let mut hash = |offset: u64, count: u64| {
        let mut bytes = vec![0; count as usize];
        let read = store.read(log, offset, &mut bytes).ok()?;
        (read as u64 == count).then(|| xxh3_64(&bytes))
    };
    let count = len.min(PROBE);
    Some((hash(0, count)?, hash(len - count, count)?))
}
