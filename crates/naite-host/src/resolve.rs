//! What a person means by SESSION: a path, the beginning of an id, a name, or nothing (the latest of this folder).

use std::path::{Path, PathBuf};

use naite_core::entry::Header;
use naite_core::text::{fold, nfc};
use naite_store::{Catalog, LogName, SessionRow, Unreadable};

use crate::claude_code;
use crate::env::{Environment, Holding};

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Its file.
    pub path: PathBuf,
}

/// Why no session was found.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// This folder has none.
    #[error("no session of {} yet", cwd.display())]
    NoneHere {
        /// The folder.
        cwd: PathBuf,
    },
    /// Nothing fits.
    #[error("no session has the path, id or name \"{given}\"")]
    Unknown {
        /// What was given.
        given: String,
        /// Files that could not be read, so that their names are not known.
        unreadable: usize,
    },
    /// Several fit.
    #[error("\"{given}\" fits {} sessions", candidates.len())]
    Ambiguous {
        /// What was given.
        given: String,
        /// Those that fit: ids and files.
        candidates: Vec<(String, PathBuf)>,
    },
}

/// Finds the session that is meant.
pub fn resolve(env: &Environment, given: Option<&str>) -> Result<Resolved, ResolveError> {
    let Some(given) = given else {
        let row = latest_here(env).ok_or_else(|| ResolveError::NoneHere { cwd: env.cwd.clone() })?;
        return Ok(Resolved { path: row.path });
    };
    if looks_like_a_path(given) {
        return Ok(Resolved { path: given.into() });
    }
    let (known, unreadable) = headers(env);
    let known = known.into_iter().map(|(path, header)| (header.id.to_string(), path));
    let transcripts = claude_code::transcripts(env).into_iter();
    let transcripts = transcripts.filter_map(|path| Some((claude_code::session_of(&path)?, path)));
    let known: Vec<(String, PathBuf)> = known.chain(transcripts).collect();
    let by_id = |fits: &dyn Fn(&str) -> bool| -> Vec<(String, PathBuf)> {
        known.iter().filter(|(id, _)| fits(id)).cloned().collect()
    };
    let mut found = by_id(&|id| id == given);
    if found.is_empty() {
        found = by_id(&|id| id.starts_with(given));
    }
    if found.is_empty() && given.starts_with("agent-") {
        found = claude_code::agents_by_id(env, given);
    }
    if found.is_empty() {
        found = by_name(env, given);
    }
    match found.as_slice() {
        [] => Err(ResolveError::Unknown { given: given.into(), unreadable: unreadable.len() }),
        [(_, path)] => Ok(Resolved { path: path.clone() }),
        _ => Err(ResolveError::Ambiguous { given: given.into(), candidates: found }),
    }
}

fn looks_like_a_path(given: &str) -> bool {
    given.contains(std::path::is_separator) || given.ends_with(".jsonl") || Path::new(given).exists()
}

fn by_name(env: &Environment, given: &str) -> Vec<(String, PathBuf)> {
    let wanted = fold(given.trim()).into_owned();
    let rows = env.everything().rows;
    let named =
        rows.into_iter().filter(|row| row.name.as_deref().is_some_and(|name| fold(name.trim()) == wanted));
    named.map(|row| (row.id, row.path)).collect()
}

/// The last active of Naite's own sessions of the working directory; peers' sessions are never meant unasked.
pub fn latest_here(env: &Environment) -> Option<SessionRow> {
    let cwd = env.cwd_text();
    let folder = env.workplace().folder(&cwd);
    let rows = env.catalog(&[folder]).rows;
    rows.into_iter().find(|row| row.cwd.as_deref().is_some_and(|of| nfc(of) == nfc(&cwd)))
}

/// The headers of all sessions in all places: only the first lines of each file are read.
pub fn headers(env: &Environment) -> (Vec<(PathBuf, Header)>, Vec<Unreadable>) {
    let (mut known, mut unreadable) = (Vec::new(), Vec::new());
    for path in Catalog::files(env.fs(), &env.session_folders(), &mut unreadable) {
        let mut store = env.setup(Holding::default()).store;
        match naite_store::read_header(store.as_mut(), &LogName::new(&path)) {
            Ok(header) => known.push((path, header)),
            Err(error) => unreadable.push(Unreadable { path, error }),
        }
    }
    (known, unreadable)
}
