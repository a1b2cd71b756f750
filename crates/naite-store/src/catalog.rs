//! The sessions in a set of folders: what a list shows of each, and which could not be read and why.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use naite_core::entry::{Kind, millis};
use naite_core::text::{one_line, prefix_graphemes};

use crate::error::{Act, Result, StoreError};
use crate::fs::Fs;
use crate::log::LogName;
use crate::manager::{Access, SessionManager, Setup};

/// What a list shows of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Graphemes of a first prompt that a list keeps.
const PROMPT: usize = 200;

impl Catalog {
    /// Reads all sessions in `folders` and in the folders directly below them. `setup` makes what opening one needs.
    pub fn read(fs: &Arc<dyn Fs>, folders: &[PathBuf], mut setup: impl FnMut() -> Setup) -> Self {
        let mut catalog = Self::default();
        for path in Self::files(fs, folders, &mut catalog.unreadable) {
            match row(LogName::new(&path), setup()) {
                Ok(row) => catalog.rows.push(row),
                Err(error) => catalog.unreadable.push(Unreadable { path, error }),
            }
        }
        catalog.rows.sort_by(|a, b| b.active.cmp(&a.active).then_with(|| a.path.cmp(&b.path)));
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
            paths.sort();
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

fn row(log: LogName, setup: Setup) -> Result<SessionRow> {
    let path = log.path().to_path_buf();
    let mut session = SessionManager::open(setup, log, Access::Read)?;
    let tree = session.tree();
    let first = tree.entries().find(|ix| tree.head(*ix).is_user());
    let messages = tree.entries().filter(|ix| tree.head(*ix).kind == Kind::Message).count();
    let created = session.header().and_then(|header| millis(&header.timestamp)).unwrap_or(0);
    let active = tree.entries().map(|ix| tree.head(ix).at).max().unwrap_or(created);
    let first_prompt = match first {
        Some(ix) => session.with_entry(ix, |entry| entry.message().map(|message| message.text()))?,
        None => None,
    };
    Ok(SessionRow {
        path,
        id: session.session_id().into(),
        cwd: session.header().and_then(|header| header.cwd.clone()),
        name: session.session_name().map(String::from),
        first_prompt: first_prompt.map(|text| prefix_graphemes(one_line(&text).trim(), PROMPT).into()),
        messages,
        created,
        active,
        bytes: session.tree().heads().end(),
        parent_session: session.header().and_then(|header| header.parent_session.clone()),
        defects: session.defects().len(),
    })
}
