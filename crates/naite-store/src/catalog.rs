//! The sessions in a set of folders: what a list shows of each, and which could not be read and why.
//!
//! A row costs one reading of its file; the [`RowCache`] remembers it until the file changes. Files always win.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use naite_core::Tree;
use naite_core::entry::{Kind, Message, millis};
use naite_core::ingest::Program;
use naite_core::text::json::Object;
use naite_core::text::{one_line, prefix_graphemes};
use serde::{Deserialize, Serialize};

use crate::error::{Act, Refusal, Result, StoreError};
use crate::fs::{Fs, Meta};
use crate::log::{LogName, Store};
use crate::manager::Lines;
use crate::rows::{Known, RowCache};
use crate::scan::scan;

/// What a list shows of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The file.
    pub path: PathBuf,
    /// The session id.
    pub id: String,
    /// The working directory, from the header; folder names lie.
    pub cwd: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// The first thing the person said, on one line.
    pub first_prompt: Option<String>,
    /// Messages.
    pub messages: usize,
    /// Creation, Unix milliseconds.
    pub created: i64,
    /// The latest time of an entry, Unix milliseconds: what was done, not when the file was touched.
    pub active: i64,
    /// Bytes.
    pub bytes: u64,
    /// Where it came from.
    pub parent_session: Option<String>,
    /// How many things are wrong with the file.
    pub defects: usize,
    /// The program that wrote it, of a transcript in a format of its own.
    pub program: Option<Program>,
}

/// A file that could not be listed.
#[derive(Debug)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: StoreError,
}

/// The sessions of some folders, the last active first.
#[derive(Debug, Default)]
pub struct Catalog {
    /// The sessions.
    pub rows: Vec<SessionRow>,
    /// Files and folders that could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// Makes a store for one of the threads that read.
pub type MakeStore<'a> = &'a (dyn Fn() -> Box<dyn Store> + Sync);

/// Graphemes of a first prompt that a list keeps.
const PROMPT: usize = 200;
/// More threads than this only wait for the disk.
const THREADS: usize = 8;
/// Files that a thread takes at once.
const AT_ONCE: usize = 16;

impl Catalog {
    /// Reads all sessions in `folders` and in the folders directly below them, on as many threads as the machine has
    /// cores. One file per thread is open at a time.
    pub fn read(
        fs: &Arc<dyn Fs>,
        folders: &[PathBuf],
        cache: Option<&RowCache>,
        store: MakeStore<'_>,
    ) -> Self {
        let mut unreadable = Vec::new();
        let files = Self::files(fs, folders, &mut unreadable);
        Self { unreadable, ..Self::default() }.with(fs, &files, cache, store)
    }

    /// Adds the sessions of certain files, read in the same way.
    pub fn with(
        self,
        fs: &Arc<dyn Fs>,
        files: &[PathBuf],
        cache: Option<&RowCache>,
        store: MakeStore<'_>,
    ) -> Self {
        let mut catalog = self;
        let known = cache.map(RowCache::load).unwrap_or_default();
        let mut fresh = Vec::new();
        for (path, row) in files.iter().zip(read_rows(fs, files, &known, store)) {
            let read = match row {
                Source::Known => {
                    catalog.rows.extend(known.get(path.as_os_str()).map(|(_, row)| row.clone()));
                    continue;
                }
                Source::Fresh(read) => *read,
            };
            match read {
                Ok((meta, row)) => {
                    fresh.push((meta, row.clone()));
                    catalog.rows.push(row);
                }
                Err(error) => catalog.unreadable.push(Unreadable { path: path.clone(), error }),
            }
        }
        if let Some(cache) = cache.filter(|_| !fresh.is_empty()) {
            cache.save(known, fresh);
        }
        catalog
            .rows
            .sort_by(|a, b| b.active.cmp(&a.active).then_with(|| a.path.as_os_str().cmp(b.path.as_os_str())));
        catalog
    }

    /// The session files in `folders` and in the folders directly below them; one that is not there is empty.
    pub fn files(fs: &Arc<dyn Fs>, folders: &[PathBuf], unreadable: &mut Vec<Unreadable>) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut waiting: Vec<(PathBuf, bool)> =
            folders.iter().rev().map(|folder| (folder.clone(), true)).collect();
        while let Some((folder, deeper)) = waiting.pop() {
            let mut paths = match fs.list(&folder) {
                Ok(paths) => paths,
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
                {
                    continue;
                }
                Err(error) => {
                    let error = StoreError::io(Act::List, &folder)(error);
                    unreadable.push(Unreadable { path: folder, error });
                    continue;
                }
            };
            // By bytes: comparing paths part by part is slow, and a list is sorted by time anyway.
            paths.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
            for path in paths {
                if path.extension().is_some_and(|extension| extension == "jsonl") {
                    files.push(path);
                } else if deeper && fs.meta(&path).is_ok_and(|meta| meta.is_dir) {
                    waiting.push((path, false));
                }
            }
        }
        files
    }
}

type Read = Result<(Meta, SessionRow)>;

/// Where a row comes from.
enum Source {
    /// The cache has it, and the file has not changed since.
    Known,
    /// The file was read.
    Fresh(Box<Read>),
}

/// Finds the rows of all files, in their order.
fn read_rows(fs: &Arc<dyn Fs>, files: &[PathBuf], known: &Known, store: MakeStore<'_>) -> Vec<Source> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Source)>> = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        let mut store = store();
        let mut mine = Vec::new();
        loop {
            let start = next.fetch_add(AT_ONCE, Ordering::Relaxed);
            let Some(some) = files.get(start..files.len().min(start + AT_ONCE)) else { break };
            if some.is_empty() {
                break;
            }
            for (at, path) in (start..).zip(some) {
                let unchanged = known
                    .get(path.as_os_str())
                    .is_some_and(|(meta, _)| fs.meta(path).is_ok_and(|now| now == *meta));
                let source = if unchanged {
                    Source::Known
                } else {
                    Source::Fresh(Box::new(read_row(fs.as_ref(), store.as_mut(), path)))
                };
                mine.push((at, source));
            }
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).extend(mine);
    };
    let threads =
        thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(files.len() / AT_ONCE + 1);
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, source)| source).collect()
}

fn read_row(fs: &dyn Fs, store: &mut dyn Store, path: &Path) -> Read {
    let meta = fs.meta(path).map_err(StoreError::io(Act::Read, path))?;
    let log = LogName::new(path);
    let Some(stat) = store.stat(&log)? else { return Err(StoreError::NotFound { path: path.into() }) };
    let mut tree = Tree::default();
    scan(store, &log, &mut tree, stat.len)?;
    let Some(header) = tree.heads().header() else {
        return Err(StoreError::NotASession { path: path.into(), why: Refusal::NoHeader });
    };
    let created = millis(&header.timestamp).unwrap_or(0);
    let row = SessionRow {
        path: path.into(),
        id: header.id.to_string(),
        cwd: header.cwd.clone(),
        name: tree.heads().name().map(String::from),
        first_prompt: first_prompt(store, &log, &tree),
        messages: tree.entries().filter(|ix| tree.head(*ix).kind == Kind::Message).count(),
        created,
        active: tree.entries().map(|ix| tree.head(ix).at).max().unwrap_or(created),
        bytes: stat.len,
        parent_session: header.parent_session.clone(),
        defects: tree.defects().len(),
        program: tree.heads().foreign().map(|foreign| foreign.program),
    };
    Ok((meta, row))
}

fn first_prompt(store: &mut dyn Store, log: &LogName, tree: &Tree) -> Option<String> {
    let first = tree.entries().find(|ix| tree.head(*ix).is_user())?;
    let text = match tree.heads().foreign() {
        Some(_) => Lines::default().entry(store, log, tree, first).ok()?,
        None => {
            let span = tree.head(first).span;
            Lines::default().text(store, log, span, span.end()).ok()?
        }
    };
    let message = Object::parse(&text)?.object("message").map(Message)?;
    Some(prefix_graphemes(one_line(prefix_graphemes(&message.text(), 4 * PROMPT)).trim(), PROMPT).into())
}
