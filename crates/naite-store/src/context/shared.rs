//! Files that all sessions share: logs that many processes append to, and small ones where the last writer wins.

use std::path::Path;
use std::time::Duration;

use naite_context::name;
use naite_core::entry::iso;
use naite_core::text::json::{self, Object, ObjectWriter};

use super::{ContextError, ContextStore, Result, fail, missing_is_none};
use crate::error::Act;
use crate::fs::FsFile;
use crate::lock::lock_within;

/// So much of the end of a shared log is looked through for a line that a crash may have left there.
pub(super) const TAIL: u64 = 64 * 1024;
/// Nobody holds a shared log for longer than a write takes, unless it is being forgotten in.
const PATIENCE: Duration = Duration::from_millis(500);
/// So many sessions a tmux session remembers.
const HISTORY: usize = 100;
/// The log of errors starts anew at this size; the one before is kept.
const ERRORS: u64 = 1 << 20;

/// What `tmux-sessions/{name}.json` says.
#[derive(Clone, Copy, Debug)]
pub struct TmuxSession<'a> {
    /// The name of the tmux session.
    pub name: &'a str,
    /// The session of the agent in it.
    pub session_id: &'a str,
    /// The project, as it was given.
    pub project: &'a str,
    /// The folder it works in.
    pub cwd: &'a str,
}

impl ContextStore {
    /// Appends lines to a log that other processes append to as well, with one write; the first one makes the file.
    pub(super) fn append_shared(&self, path: &Path, lines: &[u8]) -> Result<()> {
        let mut file = self.lock_shared(path)?;
        let len = file.meta().map_err(fail(Act::Append, path))?.len;
        let mut last = [b'\n'];
        if len > 0 {
            file.read_at(&mut last, len - 1).map_err(fail(Act::Append, path))?;
        }
        // A line that a crash cut off ends here.
        let bytes = if last == *b"\n" { lines.to_vec() } else { [b"\n", lines].concat() };
        if let Err(error) = append_whole(file.as_mut(), &bytes) {
            let _ = file.set_len(len);
            return Err(fail(Act::Append, path)(error));
        }
        Ok(())
    }

    /// The same, and makes the lines durable.
    pub(super) fn append_durably(&self, path: &Path, lines: &[u8]) -> Result<()> {
        self.append_shared(path, lines)?;
        if self.durable { self.sync(path) } else { Ok(()) }
    }

    /// Makes what was written to a file durable, by whatever process.
    pub(super) fn sync(&self, path: &Path) -> Result<()> {
        let synced = self.fs.open_append(path).and_then(|mut file| file.sync());
        synced.map_err(fail(Act::Append, path))
    }

    /// Writes a small file anew in its place: quicker than a new file that takes its name, which some file systems
    /// bring to the disk first. Only for what may be lost with the power; white space fills up what was longer.
    pub(super) fn overwrite(&self, path: &Path, text: &str) -> Result<()> {
        self.guard(path)?;
        let write = || {
            let mut file = self.fs.open_lock(path)?;
            let old = file.meta()?.len as usize;
            let mut bytes = text.trim_end().as_bytes().to_vec();
            bytes.resize((text.trim_end().len()).max(old.saturating_sub(1)), b' ');
            bytes.push(b'\n');
            file.write_at(&bytes, 0)
        };
        write().map_err(fail(Act::Replace, path))
    }

    /// Opens a shared log, alone for as long as it is open.
    fn lock_shared(&self, path: &Path) -> Result<Box<dyn FsFile>> {
        for _ in 0..3 {
            let file = self.lock_file(self.open_shared(path)?, path, PATIENCE)?;
            // Whoever held it may have replaced the file (`forget`).
            if file.meta().map_err(fail(Act::Lock, path))?.is_named {
                return Ok(file);
            }
        }
        Err(ContextError::Held { path: path.into() })
    }

    /// Takes the lock of an open file, waiting at most so long.
    pub(super) fn lock_file(
        &self,
        file: Box<dyn FsFile>,
        path: &Path,
        wait: Duration,
    ) -> Result<Box<dyn FsFile>> {
        if file.try_lock().map_err(fail(Act::Lock, path))? {
            return Ok(file);
        }
        let file = lock_within(file, Some(wait)).map_err(fail(Act::Lock, path))?;
        file.ok_or_else(|| ContextError::Held { path: path.into() })
    }

    fn open_shared(&self, path: &Path) -> Result<Box<dyn FsFile>> {
        self.guard(path)?;
        if let Some(file) = missing_is_none(self.fs.open_append(path)).map_err(fail(Act::Append, path))? {
            return Ok(file);
        }
        if let Some(folder) = path.parent() {
            self.folder(folder.strip_prefix(&self.data).unwrap_or(folder))?;
        }
        match self.fs.create(path) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(fail(Act::Create, path)(error)),
        }
        self.fs.open_append(path).map_err(fail(Act::Append, path))
    }

    /// Says whether a whole object among the last lines of a shared log begins like this.
    pub(super) fn has_line(&self, path: &Path, start: &str) -> Result<bool> {
        let tail = self.tail(path, TAIL)?;
        let mut lines = tail.split(|byte| *byte == b'\n');
        Ok(lines.any(|line| line.starts_with(start.as_bytes()) && line.ends_with(b"}")))
    }

    /// The last bytes of a log, at most so many.
    pub(super) fn tail(&self, path: &Path, reach: u64) -> Result<Vec<u8>> {
        self.guard(path)?;
        let Some(file) = missing_is_none(self.fs.open(path)).map_err(fail(Act::Read, path))? else {
            return Ok(Vec::new());
        };
        let len = file.meta().map_err(fail(Act::Read, path))?.len;
        let mut tail = vec![0; reach.min(len) as usize];
        let read = file.read_at(&mut tail, len - reach.min(len)).map_err(fail(Act::Read, path))?;
        tail.truncate(read);
        Ok(tail)
    }

    /// Names the session that was active last: `current-session.json`, and `current/log.jsonl` as a link to its log.
    pub fn set_current(
        &self,
        session_id: &str,
        folder: &Path,
        transcript: Option<&str>,
        now: i64,
    ) -> Result<()> {
        let text = ObjectWriter::new()
            .str("session_id", session_id)
            .str_or_null("transcript_path", transcript)
            .str("updated_at", &self.calendar.local(now))
            .end();
        self.write_text("current-session.json", &(text + "\n"))?;
        let link = self.folder("current")?.join("log.jsonl");
        let target =
            Path::new("..").join("sessions").join(folder.file_name().unwrap_or_default()).join("log.jsonl");
        if self.fs.link_target(&link).is_ok_and(|old| old == target) {
            return Ok(());
        }
        let beside = link.with_extension(format!("{}.tmp", std::process::id()));
        let _ = self.fs.remove(&beside);
        let linked = self.fs.link(&target, &beside).and_then(|()| self.fs.rename(&beside, &link));
        if linked.is_ok() {
            return Ok(());
        }
        let _ = self.fs.remove(&beside);
        // Where links are not possible a copy has to do.
        let log = self.read(&folder.join("log.jsonl"))?.unwrap_or_default();
        crate::fs::replace_file(self.fs.as_ref(), &link, &log).map_err(fail(Act::Replace, &link))
    }

    /// Notes which session is in a tmux session; those before it stay in its history.
    pub fn set_tmux(&self, tmux: &TmuxSession<'_>, now: i64) -> Result<()> {
        let file = Path::new("tmux-sessions").join(format!("{}.json", name::encode(tmux.name)));
        let old = self.read_text(&file)?.unwrap_or_default();
        let old = Object::parse(&old).unwrap_or_default();
        let mut history: Vec<String> = old
            .raw("history")
            .and_then(json::array)
            .map(|history| history.into_iter().map(String::from).collect())
            .unwrap_or_default();
        if let Some(before) = old.str("claude_session_id").filter(|before| before != tmux.session_id) {
            let left = ObjectWriter::new()
                .str("claude_session_id", &before)
                .maybe_str("project", old.str("project").as_deref())
                .str("until", &iso(now));
            history.push(left.end());
        }
        let skip = history.len().saturating_sub(HISTORY);
        let text = ObjectWriter::new()
            .str("tmux_session", tmux.name)
            .str("claude_session_id", tmux.session_id)
            .str("project", tmux.project)
            .str("cwd", tmux.cwd)
            .str("updated_at", &self.calendar.local(now))
            .raw("history", &json::join(&history[skip..]))
            .end();
        self.write_text(file, &(text + "\n"))?;
        Ok(())
    }

    /// Keeps a note for the next handoff of a project, in `buffer/{project}.jsonl`.
    pub fn note(&self, project: &str, session_id: Option<&str>, text: &str, now: i64) -> Result<()> {
        let line = ObjectWriter::new()
            .str("ts", &iso(now))
            .str("kind", "note")
            .str("project", project)
            .maybe_str("session_id", session_id)
            .str("text", text)
            .end();
        let path = self.data.join("buffer").join(format!("{}.jsonl", name::encode(project)));
        self.append_durably(&path, (line + "\n").as_bytes())
    }

    /// Writes down what a hook could not do: `hook-errors.log`, a line each.
    pub fn log_error(&self, event: &str, session_id: Option<&str>, error: &str, now: i64) -> Result<()> {
        let path = self.data.join("hook-errors.log");
        self.prepare()?;
        if self.fs.meta(&path).is_ok_and(|meta| meta.len > ERRORS) {
            let old = self.data.join("hook-errors.log.1");
            self.fs.rename(&path, &old).map_err(fail(Act::Replace, &old))?;
        }
        let line = ObjectWriter::new()
            .str("ts", &iso(now))
            .str("event", event)
            .maybe_str("session_id", session_id)
            .str("error", error)
            .end();
        self.append_durably(&path, (line + "\n").as_bytes())
    }
}

/// Appends with one write, and the rest of one that broke off with another.
pub(super) fn append_whole(file: &mut dyn FsFile, bytes: &[u8]) -> std::io::Result<()> {
    let written = file.append(bytes)?;
    if written < bytes.len() && file.append(&bytes[written..])? < bytes.len() - written {
        return Err(std::io::ErrorKind::StorageFull.into());
    }
    Ok(())
}

impl ContextError {
    /// Says whether the disk is full or may not be written to: nothing that trying again would mend.
    pub fn is_no_room(&self) -> bool {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | ReadOnlyFilesystem | PermissionDenied))
    }
}
