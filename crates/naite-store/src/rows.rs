//! Rows of a list, remembered between runs: one small file that can be deleted at any time.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::catalog::SessionRow;
use crate::fs::{Fs, Meta, replace_cache};

/// Begins the file; the digits count changes of its layout.
const MAGIC: &[u8; 16] = b"naite-rows--0002";

/// Rows by file, each with the state of the file that it was read from.
pub(crate) type Known = HashMap<OsString, (Meta, SessionRow)>;

/// Where rows are kept.
#[derive(Clone, Debug)]
pub struct RowCache {
    fs: Arc<dyn Fs>,
    file: PathBuf,
}

impl RowCache {
    /// Keeps rows in a file (`$NAITE_HOME/index/rows`).
    pub fn new(fs: Arc<dyn Fs>, file: impl Into<PathBuf>) -> Self {
        Self { fs, file: file.into() }
    }

    /// All rows. Damage costs only time.
    pub(crate) fn load(&self) -> Known {
        let rows = self.read().unwrap_or_default();
        rows.into_iter().map(|(meta, row)| (row.path.clone().into_os_string(), (meta, row))).collect()
    }

    fn read(&self) -> Option<Vec<(Meta, SessionRow)>> {
        let file = self.fs.open(&self.file).ok()?;
        let mut bytes = vec![0; file.meta().ok()?.len as usize];
        let read = file.read_at(&mut bytes, 0).ok()?;
        let (sum, rows) = bytes.get(..read)?.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
        (xxh3_64(rows) == u64::from_le_bytes(*sum)).then(|| postcard::from_bytes(rows).ok()).flatten()
    }

    /// Adds fresh rows to the known ones; rows of files that are gone go with the next of their folder.
    pub(crate) fn save(&self, mut known: Known, fresh: Vec<(Meta, SessionRow)>) {
        known.retain(|path, _| self.fs.meta(path.as_ref()).is_ok());
        known.extend(fresh.into_iter().map(|(meta, row)| (row.path.clone().into_os_string(), (meta, row))));
        // A path that is no text cannot be kept here; its row is read anew each time.
        let rows: Vec<&(Meta, SessionRow)> =
            known.values().filter(|(_, row)| row.path.to_str().is_some()).collect();
        let _ = postcard::to_allocvec(&rows).map_err(io::Error::other).and_then(|rows| {
            let bytes = [MAGIC.as_slice(), &xxh3_64(&rows).to_le_bytes(), &rows].concat();
            replace_cache(self.fs.as_ref(), &self.file, &bytes)
        });
    }
}
