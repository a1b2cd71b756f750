//! The sessions in a set of folders: what a list shows of each, and which could not be read and why.
//!
//! A row costs one reading of its file; the [`RowCache`] remembers it until the file changes. Files always win.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::io;
use std::mem;
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
use crate::fs::Fs;
use crate::log::{LogName, Store};
use crate::manager::Lines;
use crate::rows::{Known, Loaded, RowCache, State};
use crate::scan::Window;

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
        let (files, loaded) = thread::scope(|scope| {
            let loading = cache.map(|cache| scope.spawn(|| cache.load()));
            let files = Self::files(fs, folders, &mut unreadable);
            (files, loading.and_then(|loading| loading.join().ok()).unwrap_or_default())
        });
        let catalog = Self { unreadable, ..Self::default() };
        catalog.join(fs, files, folders, cache.map(|cache| (cache, &loaded)), store)
    }

    /// Adds the sessions of certain files, read in the same way.
    pub fn with(
        self,
        fs: &Arc<dyn Fs>,
        files: &[PathBuf],
        cache: Option<&RowCache>,
        store: MakeStore<'_>,
    ) -> Self {
        let loaded = cache.map(RowCache::load).unwrap_or_default();
        self.join(fs, files.to_vec(), &[], cache.map(|cache| (cache, &loaded)), store)
    }

    /// Adds the sessions of files that were found in `folders`.
    fn join(
        self,
        fs: &Arc<dyn Fs>,
        files: Vec<PathBuf>,
        folders: &[PathBuf],
        cache: Option<(&RowCache, &Loaded)>,
        store: MakeStore<'_>,
    ) -> Self {
        let mut catalog = self;
        let is_more = !catalog.rows.is_empty();
        let known = cache.map(|(_, loaded)| Known::new(loaded)).unwrap_or_default();
        let found = find_rows(fs, &files, &known, store);
        if let Some((cache, _)) = cache {
            keep(cache, &known, folders, &found);
        }
        // A row is large and a sort moves much, so places are sorted.
        let active = |found: &Found| match found {
            Found::Known(at) => known.active(*at),
            Found::Fresh(_, row) => row.active,
            Found::Unreadable(_) => 0,
        };
        let mut order: Vec<(Reverse<i64>, usize)> =
            found.iter().enumerate().map(|(at, found)| (Reverse(active(found)), at)).collect();
        order.sort_unstable_by(|(a, i), (b, j)| {
            a.cmp(b).then_with(|| files[*i].as_os_str().cmp(files[*j].as_os_str()))
        });
        let mut found: Vec<(PathBuf, Option<Found>)> =
            files.into_iter().zip(found.into_iter().map(Some)).collect();
        catalog.rows.reserve_exact(found.len());
        for (_, at) in order {
            let path = mem::take(&mut found[at].0);
            let row = match found[at].1.take() {
                Some(Found::Known(at)) => known.row(at).map_or_else(|| Reader::new(store).row(&path), Ok),
                Some(Found::Fresh(_, row)) => Ok(*row),
                Some(Found::Unreadable(error)) => Err(error),
                None => continue,
            };
            match row {
                Ok(row) => catalog.rows.push(SessionRow { path, ..row }),
                Err(error) => catalog.unreadable.push(Unreadable { path, error }),
            }
        }
        if is_more {
            let by_path = |a: &SessionRow, b: &SessionRow| a.path.as_os_str().cmp(b.path.as_os_str());
            catalog.rows.sort_by(|a, b| b.active.cmp(&a.active).then_with(|| by_path(a, b)));
        }
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
            // By bytes: comparing paths part by part is slow, and a list is sorted by time anyway. What all of them
            // begin with need not be compared.
            let same = folder.as_os_str().len();
            paths.sort_unstable_by(|a, b| behind(a, same).cmp(behind(b, same)));
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

/// What stands in a path after its first `bytes`.
fn behind(path: &Path, bytes: usize) -> &[u8] {
    path.as_os_str().as_encoded_bytes().get(bytes..).unwrap_or_default()
}

/// What became of a file.
#[derive(Debug)]
enum Found {
    /// The cache has its row at this place, and the file has not changed since.
    Known(usize),
    /// It was read.
    Fresh(State, Box<SessionRow>),
    /// It could not be read.
    Unreadable(StoreError),
}

/// Finds the rows of all files, in their order.
fn find_rows(fs: &Arc<dyn Fs>, files: &[PathBuf], known: &Known<'_>, store: MakeStore<'_>) -> Vec<Found> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Vec<Found>)>> = Mutex::new(Vec::with_capacity(files.len() / AT_ONCE + 1));
    let work = || {
        let mut reader = Reader::new(store);
        let mut mine = Vec::new();
        let mut hint = 0;
        loop {
            let start = next.fetch_add(AT_ONCE, Ordering::Relaxed);
            let Some(some) = files.get(start..files.len().min(start + AT_ONCE)) else { break };
            if some.is_empty() {
                break;
            }
            let rows = some.iter().map(|path| {
                let at = known.find(path.as_os_str(), hint);
                hint = at.map_or(hint, |at| at + 1);
                let same = at.filter(|at| fs.meta(path).is_ok_and(|now| known.is_of(*at, now.into())));
                if let Some(at) = same {
                    return Found::Known(at);
                }
                match reader.read(path) {
                    Ok((state, row)) => Found::Fresh(state, Box::new(row)),
                    Err(error) => Found::Unreadable(error),
                }
            });
            mine.push((start, rows.collect()));
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
    done.sort_unstable_by_key(|(start, _)| *start);
    done.into_iter().flat_map(|(_, rows)| rows).collect()
}

/// Writes the cache anew if something was read or is gone. Rows of files that were not asked for stay.
fn keep(cache: &RowCache, known: &Known<'_>, folders: &[PathBuf], found: &[Found]) {
    let fresh = || {
        found.iter().filter_map(|found| match found {
            Found::Fresh(state, row) => Some((*state, row.as_ref())),
            Found::Known(_) | Found::Unreadable(_) => None,
        })
    };
    if fresh().next().is_none() {
        return;
    }
    let seen: HashSet<usize> = found
        .iter()
        .filter_map(|found| if let Found::Known(at) = found { Some(*at) } else { None })
        .collect();
    let stays =
        |at, path: &Path| seen.contains(&at) || !folders.iter().any(|folder| path.starts_with(folder));
    cache.save(known, stays, fresh());
}

/// Reads files one after the other.
struct Reader {
    store: Box<dyn Store>,
    window: Window,
}

impl Reader {
    fn new(store: MakeStore<'_>) -> Self {
        Self { store: store(), window: Window::default() }
    }

    /// The row of a file, whatever the cache may say.
    fn row(&mut self, path: &Path) -> Result<SessionRow> {
        self.read(path).map(|(_, row)| row)
    }

    fn read(&mut self, path: &Path) -> Result<(State, SessionRow)> {
        let log = LogName::new(path);
        let store = self.store.as_mut();
        let stat = store.stat(&log)?.ok_or_else(|| StoreError::NotFound { path: path.into() })?;
        let mut tree = Tree::default();
        self.window.scan(store, &log, &mut tree, stat.len)?;
        let Some(header) = tree.heads().header() else {
            return Err(StoreError::NotASession { path: path.into(), why: Refusal::NoHeader });
        };
        let created = millis(&header.timestamp).unwrap_or(0);
        let row = SessionRow {
            path: path.into(),
            id: header.id.to_string(),
            cwd: header.cwd.clone(),
            name: tree.heads().name().map(String::from),
            first_prompt: self.first_prompt(&log, &tree),
            messages: tree.entries().filter(|ix| tree.head(*ix).kind == Kind::Message).count(),
            created,
            active: tree.entries().map(|ix| tree.head(ix).at).max().unwrap_or(created),
            bytes: stat.len,
            parent_session: header.parent_session.clone(),
            defects: tree.defects().len(),
            program: tree.heads().foreign().map(|foreign| foreign.program),
        };
        Ok((stat.into(), row))
    }

    fn first_prompt(&mut self, log: &LogName, tree: &Tree) -> Option<String> {
        let first = tree.entries().find(|ix| tree.head(*ix).is_user())?;
        let span = tree.head(first).span;
        let mut read = Vec::new();
        let text = match (tree.heads().foreign(), self.window.bytes(span)) {
            (Some(_), _) => Lines::default().entry(self.store.as_mut(), log, tree, first).ok()?,
            (None, Some(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            (None, None) => {
                read.resize(span.len as usize, 0);
                self.store.read(log, span.offset, &mut read).ok()?;
                String::from_utf8_lossy(&read).into_owned()
            }
        };
        let message = Object::parse(&text)?.object("message").map(Message)?;
        Some(prefix_graphemes(one_line(prefix_graphemes(&message.text(), 4 * PROMPT)).trim(), PROMPT).into())
    }
}
