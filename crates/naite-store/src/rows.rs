//! Rows of a list, remembered between runs: one small file that can be deleted at any time.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::catalog::SessionRow;
use crate::fs::{Fs, Meta, replace_cache};
use crate::log::Stat;

/// Begins the file; the digits count changes of its layout, of which [`SessionRow`] is a part.
const MAGIC: &[u8; 16] = b"naite-rows--0003";
/// Nanoseconds of the coarsest clock of a file system in use. A file that was changed so shortly before its row was
/// kept may have been changed once more with the same time, so its row is not believed.
const GRAIN: i128 = 2_000_000_000;

/// Where rows are kept.
#[derive(Clone, Debug)]
pub struct RowCache {
    fs: Arc<dyn Fs>,
    file: PathBuf,
}

/// What decides whether a file is still the one that a row was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    len: u64,
    mtime: i128,
    identity: (u64, u64),
}

impl From<Meta> for State {
    fn from(meta: Meta) -> Self {
        Self { len: meta.len, mtime: meta.mtime, identity: meta.identity }
    }
}

impl From<Stat> for State {
    fn from(stat: Stat) -> Self {
        Self { len: stat.len, mtime: stat.stamp, identity: stat.identity }
    }
}

/// A row as it is kept: it is taken apart only when its file turns out to be the same.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Kept<'a> {
    state: State,
    path: &'a str,
    active: i64,
    /// The row without its path.
    row: &'a [u8],
}

impl Kept<'_> {
    fn path(&self) -> &[u8] {
        self.path.as_bytes()
    }
}

/// The rows of a file whose bytes the caller holds, by path.
#[derive(Debug, Default)]
pub(crate) struct Known<'a>(Vec<Kept<'a>>);

impl<'a> Known<'a> {
    /// Finds what [`RowCache::load`] brought. Damage costs only time.
    pub(crate) fn new(loaded: &'a Loaded) -> Self {
        let mut kept: Vec<Kept<'a>> = postcard::from_bytes(loaded.rows()).unwrap_or_default();
        kept.retain(|kept| kept.state.mtime.saturating_add(GRAIN) < loaded.written);
        Self(kept)
    }

    /// The place of a file, looked for first at `hint`: lists ask in the order of the rows.
    pub(crate) fn find(&self, path: &OsStr, hint: usize) -> Option<usize> {
        let path = path.as_encoded_bytes();
        if self.0.get(hint).is_some_and(|kept| kept.path() == path) {
            return Some(hint);
        }
        self.0.binary_search_by(|kept| kept.path().cmp(path)).ok()
    }

    /// Says whether a file is as it was when the row at a place was read.
    pub(crate) fn is_of(&self, at: usize, now: State) -> bool {
        self.0.get(at).is_some_and(|kept| kept.state == now)
    }

    /// When the session at a place was last active, Unix milliseconds.
    pub(crate) fn active(&self, at: usize) -> i64 {
        self.0.get(at).map_or(0, |kept| kept.active)
    }

    /// The row at a place, without its path.
    pub(crate) fn row(&self, at: usize) -> Option<SessionRow> {
        postcard::from_bytes(self.0.get(at)?.row).ok()
    }
}

/// The bytes of the cache, and when they were written.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    bytes: Vec<u8>,
    written: i128,
}

impl Loaded {
    fn rows(&self) -> &[u8] {
        let sound = || {
            let (sum, rows) = self.bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
            (xxh3_64(rows) == u64::from_le_bytes(*sum)).then_some(rows)
        };
        sound().unwrap_or_default()
    }
}

impl RowCache {
    /// Keeps rows in a file (`$NAITE_HOME/index/rows`).
    pub fn new(fs: Arc<dyn Fs>, file: impl Into<PathBuf>) -> Self {
        Self { fs, file: file.into() }
    }

    /// Reads the file; nothing where it cannot be read.
    pub(crate) fn load(&self) -> Loaded {
        let read = || -> io::Result<Loaded> {
            let file = self.fs.open(&self.file)?;
            let meta = file.meta()?;
            let mut bytes = vec![0; usize::try_from(meta.len).map_err(io::Error::other)?];
            let read = file.read_at(&mut bytes, 0)?;
            bytes.truncate(read);
            Ok(Loaded { bytes, written: meta.mtime })
        };
        read().unwrap_or_default()
    }

    /// Keeps the fresh rows and of the known ones those in `stays`.
    pub(crate) fn save<'a>(
        &self,
        known: &Known<'_>,
        stays: impl Fn(usize, &Path) -> bool,
        fresh: impl Iterator<Item = (State, &'a SessionRow)>,
    ) {
        // A path that is no text cannot be kept here; its row is read anew each time.
        let fresh: Vec<(State, &SessionRow, &str, Vec<u8>)> = fresh
            .filter_map(|(state, row)| {
                let bare = SessionRow { path: PathBuf::new(), ..row.clone() };
                Some((state, row, row.path.to_str()?, postcard::to_allocvec(&bare).ok()?))
            })
            .collect();
        let known = known.0.iter().enumerate().filter(|(at, kept)| stays(*at, kept.path.as_ref()));
        let mut rows: Vec<Kept<'_>> = known.map(|(_, kept)| *kept).collect();
        rows.extend(fresh.iter().map(|(state, row, path, bytes)| Kept {
            state: *state,
            path,
            active: row.active,
            row: bytes,
        }));
        rows.sort_unstable_by(|a, b| a.path().cmp(b.path()));
        let _ = postcard::to_allocvec(&rows).map_err(io::Error::other).and_then(|rows| {
            let bytes = [MAGIC.as_slice(), &xxh3_64(&rows).to_le_bytes(), &rows].concat();
            replace_cache(self.fs.as_ref(), &self.file, &bytes)
        });
    }
}
