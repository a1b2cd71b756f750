//! Taking things out of the store for good, with a record that something was taken out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use naite_context::{name, strings};
use naite_core::entry::iso;
use naite_core::text::json::{Object, ObjectWriter};

use super::{ContextStore, Result, fail, missing_is_none};
use crate::error::Act;
use crate::fs::replace_file;

/// Where it is written down that something was forgotten.
const RECORD: &str = "forgotten.jsonl";
/// What stands where text was.
const MARK: &str = "[forgotten]";
/// How long a session that is being written may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to forget.
pub enum Forget<'a> {
    /// All of a session.
    Session(&'a str),
    /// Text, wherever it stands: this gives a text without it, or nothing if there is none in it.
    Text(&'a dyn Fn(&str) -> Option<String>),
}

/// What was forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Files and folders that were removed.
    pub removed: Vec<PathBuf>,
    /// Files that were changed, and how many lines of each.
    pub changed: Vec<(PathBuf, usize)>,
}

impl Forgotten {
    /// Says whether there was nothing to forget.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.changed.is_empty()
    }
}

impl ContextStore {
    /// Forgets in every layer, index and backup of the store. With `is_dry` it only says what it would do.
    pub fn forget(&self, what: &Forget<'_>, now: i64, is_dry: bool) -> Result<Forgotten> {
        let mut forgotten = Forgotten::default();
        let mut folders = vec![self.data.clone()];
        while let Some(folder) = folders.pop() {
            let mut paths =
                missing_is_none(self.fs.list(&folder)).map_err(fail(Act::List, &folder))?.unwrap_or_default();
            paths.sort();
            for path in paths {
                if self.fs.is_link(&path) {
                    continue;
                }
                let is_folder = self.fs.meta(&path).is_ok_and(|meta| meta.is_dir);
                if is_whole(what, &path) {
                    self.remove(&path, is_folder, is_dry)?;
                    forgotten.removed.push(path);
                } else if is_folder {
                    folders.push(path);
                } else if path.file_name().is_none_or(|name| name != RECORD && name != "worker.lock") {
                    let lines = self.change_file(what, &path, is_dry)?;
                    if lines > 0 {
                        forgotten.changed.push((path, lines));
                    }
                }
            }
        }
        if !is_dry && !forgotten.is_empty() {
            self.drop_dead_link()?;
            self.record(what, &forgotten, now)?;
        }
        Ok(forgotten)
    }

    fn remove(&self, path: &Path, is_folder: bool, is_dry: bool) -> Result<()> {
        if is_dry {
            return Ok(());
        }
        // Nobody writes to a session while it goes.
        let log = path.join("log.jsonl");
        let _lock = match missing_is_none(self.fs.open_append(&log)) {
            Ok(Some(file)) => Some(self.lock_file(file, &log, PATIENCE)?),
            _ => None,
        };
        let removed = if is_folder { self.fs.remove_folder(path) } else { self.fs.remove(path) };
        removed.map_err(fail(Act::Replace, path))
    }

    /// Changes what is in a file; says how many lines of it.
    fn change_file(&self, what: &Forget<'_>, path: &Path, is_dry: bool) -> Result<usize> {
        let is_log = path.extension().is_some_and(|extension| extension == "jsonl" || extension == "log");
        let is_json =
            is_log || path.extension().is_some_and(|extension| extension == "json" || extension == "backup");
        let lock = match is_log && !is_dry {
            true => Some(self.lock_file(
                self.fs.open_append(path).map_err(fail(Act::Read, path))?,
                path,
                PATIENCE,
            )?),
            false => None,
        };
        let bytes = self.read(path)?.unwrap_or_default();
        let Ok(text) = String::from_utf8(bytes) else { return Ok(0) };
        let (changed, lines) =
            if is_log { change_lines(what, &text) } else { change_whole(what, &text, is_json) };
        if lines == 0 || is_dry {
            return Ok(lines);
        }
        if changed.is_empty() && !is_log {
            self.fs.remove(path).map_err(fail(Act::Replace, path))?;
            return Ok(lines);
        }
        replace_file(self.fs.as_ref(), path, changed.as_bytes()).map_err(fail(Act::Replace, path))?;
        if let Some(folder) =
            path.parent().filter(|folder| folder.parent() == Some(&self.data.join("sessions")))
        {
            self.adjust_cursor(folder, path, changed.len() as u64)?;
        }
        drop(lock);
        Ok(lines)
    }

    /// Tells a session's ledger how long its files are now.
    fn adjust_cursor(&self, folder: &Path, changed: &Path, len: u64) -> Result<()> {
        use naite_context::ledger::Ledger;
        let path = folder.join("cursor.json");
        let text = self.read(&path)?.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        let Some(mut ledger) = Ledger::parse(&text) else { return Ok(()) };
        match changed.file_name().and_then(|name| name.to_str()) {
            Some("log.jsonl") => ledger.log_bytes = len,
            Some("transcript.jsonl") => {
                if let Some(reading) = &mut ledger.reading {
                    reading.copy_len = len;
                }
            }
            _ => return Ok(()),
        }
        replace_file(self.fs.as_ref(), &path, ledger.to_json().as_bytes()).map_err(fail(Act::Replace, &path))
    }

    /// The link to the active session's log goes with the session.
    fn drop_dead_link(&self) -> Result<()> {
        let link = self.data.join("current/log.jsonl");
        if self.fs.is_link(&link) && self.fs.meta(&link).is_err() {
            self.fs.remove(&link).map_err(fail(Act::Replace, &link))?;
        }
        Ok(())
    }

    fn record(&self, what: &Forget<'_>, forgotten: &Forgotten, now: i64) -> Result<()> {
        let lines: usize = forgotten.changed.iter().map(|(_, lines)| lines).sum();
        let session = match what {
            Forget::Session(id) => Some(*id),
            Forget::Text(_) => None,
        };
        let line = ObjectWriter::new()
            .str("ts", &iso(now))
            .str("what", if session.is_some() { "session" } else { "text" })
            .maybe_str("session_id", session)
            .display("files_removed", forgotten.removed.len())
            .display("files_changed", forgotten.changed.len())
            .display("lines", lines)
            .end();
        self.append_durably(&self.data.join(RECORD), (line + "\n").as_bytes())
    }

    /// Says whether a session was forgotten: what its agent still has of it is not to come back.
    pub(super) fn is_forgotten(&self, session_id: &str) -> Result<bool> {
        let record = self.read_text(RECORD)?.unwrap_or_default();
        Ok(record
            .lines()
            .filter_map(Object::parse)
            .any(|line| line.str("session_id").as_deref() == Some(session_id)))
    }
}

/// Says whether a whole file or folder goes: one that is a session's by its name, and, since they can be made again,
/// the search index for anything.
fn is_whole(what: &Forget<'_>, path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    if name == "vectors" && path.ends_with("context/vectors") {
        return true;
    }
    let Forget::Session(id) = what else { return false };
    let id = name::encode(id);
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let behind_date = name.split_once('_').map(|(_, behind)| behind);
    match folder {
        "sessions" => behind_date == Some(&id) || name == id,
        "summaries" => name.strip_prefix(&id).is_some_and(|rest| rest == ".json" || rest == ".json.backup"),
        "marks" => name.strip_prefix(&id).is_some_and(|rest| {
            // Also what a process that died was writing.
            let process = rest.strip_prefix('.').and_then(|rest| rest.strip_suffix(".tmp"));
            let is_left = process.is_some_and(|process| process.bytes().all(|byte| byte.is_ascii_digit()));
            rest == ".json" || rest.starts_with('@') || is_left
        }),
        // `subagents/{day}/{session_id}`
        _ => name == id && path.ancestors().nth(2).is_some_and(|above| above.ends_with("subagents")),
    }
}

fn change_lines(what: &Forget<'_>, text: &str) -> (String, usize) {
    let (mut kept, mut lines) = (String::with_capacity(text.len()), 0);
    let mut asked = Vec::new();
    for line in text.split_inclusive('\n') {
        let changed = match what {
            Forget::Session(id) => {
                let object = Object::parse(line.trim_end()).unwrap_or_default();
                let is_its = object.str("session_id").as_deref() == Some(id);
                if is_its && let Some(question) = object.str("id") {
                    asked.push(question.into_owned());
                }
                let is_answer =
                    object.str("answers").is_some_and(|answers| asked.iter().any(|id| *id == answers));
                (is_its || is_answer).then(String::new)
            }
            Forget::Text(without) => change_text(*without, line, true),
        };
        match changed {
            Some(changed) => {
                kept.push_str(&changed);
                lines += 1;
            }
            None => kept.push_str(line),
        }
    }
    (kept, lines)
}

/// A file that is one thing: of a session's it goes as a whole (its text becomes empty), of others text goes.
fn change_whole(what: &Forget<'_>, text: &str, is_json: bool) -> (String, usize) {
    let changed = match what {
        // `current-session.json`, a tmux session's file, a handoff: their words are the session's.
        Forget::Session(id) => text.contains(id).then(|| {
            let hidden = text.replace(id, MARK);
            if text.trim_start().starts_with('{') { hidden } else { String::new() }
        }),
        Forget::Text(without) => change_text(*without, text, is_json),
    };
    match changed {
        Some(changed) => (changed, 1),
        None => (String::new(), 0),
    }
}

fn change_text(without: &dyn Fn(&str) -> Option<String>, text: &str, is_json: bool) -> Option<String> {
    if !is_json || !text.trim_start().starts_with('{') {
        return without(text);
    }
    match strings::change(text, |_, value| without(value)) {
        std::borrow::Cow::Owned(changed) => Some(changed),
        std::borrow::Cow::Borrowed(_) => None,
    }
}
