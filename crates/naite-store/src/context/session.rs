//! One session of the store: its log, and what follows from each of its lines.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use naite_context::ledger::{Ledger, Question};
use naite_context::line::{self, LogLine, Speaker};
use naite_context::project::Project;
use naite_context::{name, speech};
use naite_core::entry::iso;
use naite_core::text::json::ObjectWriter;

use super::shared::{TAIL, append_whole};
use super::{ContextError, ContextStore, Result, fail, missing_is_none};
use crate::error::Act;
use crate::fs::FsFile;

/// How much of a log is read at once.
const WINDOW: usize = 1 << 20;

/// A session of the store, locked for as long as this lives.
#[derive(Debug)]
pub struct SessionLog<'s> {
    pub(super) store: &'s ContextStore,
    /// The session's id, as the agent gives it.
    pub(super) id: String,
    pub(super) folder: PathBuf,
    log: Box<dyn FsFile>,
    /// What is known beside the log.
    pub ledger: Ledger,
    /// The log's last line, if anything was appended or recovered: who spoke, when.
    last: Option<(Speaker, i64)>,
    is_dirty: bool,
    /// Files of the store that were appended to and are not on the disk yet.
    unsynced: BTreeSet<PathBuf>,
    /// A message or what follows from it could not be written, so that the ledger says more than is on the disk.
    is_broken: bool,
    saved: String,
}

impl ContextStore {
    /// Opens a session, making its folder if this is the first that is heard of it. `project` is where lines go that
    /// a crash kept from their project; waits for another process at most so long.
    pub fn session(
        &self,
        session_id: &str,
        project: Option<&Project>,
        now: i64,
        wait: Duration,
    ) -> Result<SessionLog<'_>> {
        if let Some(folder) = self.find(session_id)? {
            return self.open_session(session_id, folder, project, now, wait);
        }
        let folder = self.found(session_id, now)?;
        let mut session = self.open_session(session_id, folder, project, now, wait)?;
        if session.is_new() && self.is_forgotten(session_id)? {
            session.ledger.starts_late = true;
        }
        Ok(session)
    }

    /// Opens a session that is in the store.
    pub fn known_session(&self, session_id: &str, now: i64, wait: Duration) -> Result<SessionLog<'_>> {
        let folder = self.find(session_id)?;
        let folder = folder.ok_or_else(|| ContextError::NoSession { session_id: session_id.into() })?;
        self.open_session(session_id, folder, None, now, wait)
    }

    /// The folder of a session, `sessions/{YYMMDD}_{session_id}`; `None` if the store does not have it. A note in
    /// `state/` spares the search.
    pub fn find(&self, session_id: &str) -> Result<Option<PathBuf>> {
        if let Some(folder) = self.seen().sessions.get(session_id) {
            return Ok(Some(folder.clone()));
        }
        let found = self.search(session_id)?;
        if let Some(folder) = &found {
            self.seen().sessions.insert(session_id.into(), folder.clone());
        }
        Ok(found)
    }

    fn search(&self, session_id: &str) -> Result<Option<PathBuf>> {
        let encoded = name::encode(session_id);
        let note = Path::new("state/sessions").join(&encoded);
        if let Some(name) = self.read_text(&note)? {
            let name = name.trim();
            let folder = self.data.join("sessions").join(name);
            if is_folder_of(name, &encoded) && self.fs.meta(&folder).is_ok_and(|meta| meta.is_dir) {
                return Ok(Some(folder));
            }
        }
        let names = self.names("sessions")?;
        let found = names.into_iter().find(|name| is_folder_of(name, &encoded));
        if let Some(name) = &found {
            self.write_text(&note, name)?;
        }
        Ok(found.map(|name| self.data.join("sessions").join(name)))
    }

    fn found(&self, session_id: &str, now: i64) -> Result<PathBuf> {
        let encoded = name::encode(session_id);
        let day: String = self.calendar.day(now).chars().filter(char::is_ascii_digit).skip(2).collect();
        let name = format!("{day}_{encoded}");
        let folder = self.folder(Path::new("sessions").join(&name))?;
        self.write_text(Path::new("state/sessions").join(&encoded), &name)?;
        Ok(folder)
    }

    /// Logs a message without the session's lock, which another process has for too long: the whole line with one
    /// write. Whoever opens the session next finds it as one that its ledger does not know.
    pub fn append_unlocked(
        &self,
        session_id: &str,
        mut take: impl FnMut(&mut Ledger) -> Option<LogLine>,
    ) -> Result<()> {
        let folder = self
            .find(session_id)?
            .ok_or_else(|| ContextError::NoSession { session_id: session_id.into() })?;
        let ledger = self.read(&folder.join("cursor.json"))?.and_then(|bytes| String::from_utf8(bytes).ok());
        let mut ledger = ledger.as_deref().and_then(Ledger::parse).unwrap_or_default();
        let Some(line) = take(&mut ledger) else { return Ok(()) };
        let path = folder.join("log.jsonl");
        self.guard(&path)?;
        let mut log = self.fs.open_append(&path).map_err(fail(Act::Append, &path))?;
        append_whole(log.as_mut(), line.to_session_line().as_bytes()).map_err(fail(Act::Append, &path))?;
        if self.durable { log.sync().map_err(fail(Act::Append, &path)) } else { Ok(()) }
    }

    fn open_session(
        &self,
        session_id: &str,
        folder: PathBuf,
        project: Option<&Project>,
        now: i64,
        wait: Duration,
    ) -> Result<SessionLog<'_>> {
        let log = self.lock_log(&folder.join("log.jsonl"), wait)?;
        let ledger = self.read(&folder.join("cursor.json"))?;
        let mut saved = ledger.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        saved.truncate(saved.trim_end().len());
        let known = Ledger::parse(&saved);
        let is_known = known.is_some();
        let mut ledger = known.unwrap_or_default();
        if ledger.created == 0 {
            ledger.created = now;
        }
        if ledger.project.is_none() {
            ledger.project =
                project.filter(|project| !project.is_default()).map(|project| project.name().into());
        }
        let mut session = SessionLog {
            store: self,
            id: session_id.into(),
            folder,
            log,
            ledger,
            last: None,
            is_dirty: false,
            unsynced: BTreeSet::new(),
            is_broken: false,
            saved,
        };
        session.recover(is_known)?;
        Ok(session)
    }

    /// Opens a log for appending and locks it; the lock is the file's own, so nothing lies beside it.
    fn lock_log(&self, path: &Path, wait: Duration) -> Result<Box<dyn FsFile>> {
        self.guard(path)?;
        for _ in 0..3 {
            let file = match missing_is_none(self.fs.open_append(path)).map_err(fail(Act::Append, path))? {
                Some(file) => file,
                None => match self.fs.create(path) {
                    Ok(_) => {
                        if self.durable
                            && let Some(folder) = path.parent()
                        {
                            self.fs.sync_folder(folder).map_err(fail(Act::Create, folder))?;
                        }
                        continue;
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                    Err(error) => return Err(fail(Act::Create, path)(error)),
                },
            };
            let file = self.lock_file(file, path, wait)?;
            // Whoever held it may have replaced the file (`forget`).
            if file.meta().map_err(fail(Act::Lock, path))?.is_named {
                return Ok(file);
            }
        }
        Err(ContextError::Held { path: path.into() })
    }
}

/// Says whether a folder's name is a date and this session.
fn is_folder_of(name: &str, encoded: &str) -> bool {
    let behind_date = name
        .split_once('_')
        .filter(|(date, _)| date.len() == 6 && date.bytes().all(|byte| byte.is_ascii_digit()));
    behind_date.is_some_and(|(_, session)| session == encoded)
}

impl SessionLog<'_> {
    /// The folder of the session.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    /// Says whether the store heard of the session for the first time with this.
    pub fn is_new(&self) -> bool {
        self.saved.is_empty() && self.ledger.lines == 0
    }

    /// Names the project of the lines that follow.
    pub fn set_project(&mut self, project: &Project) {
        self.ledger.project = (!project.is_default()).then(|| project.name().to_owned());
    }

    /// Brings the ledger up to the log: lines that it does not know of were written by a process that died. What
    /// should have followed from them is made up for, unless a ledger was there and is lost: then it did follow.
    fn recover(&mut self, is_known: bool) -> Result<()> {
        let path = self.log_path();
        let len = self.log.meta().map_err(fail(Act::Read, &path))?.len;
        if len == self.ledger.log_bytes {
            return Ok(());
        }
        let is_cut = len < self.ledger.log_bytes;
        if is_cut {
            // A log that was cut by hand: count it anew.
            (self.ledger.log_bytes, self.ledger.lines) = (0, 0);
            self.ledger.forget_waiting();
        }
        // A ledger of a session that has said nothing yet is no lost one.
        let is_lost = (is_cut || !is_known) && self.store.fs.meta(&self.folder.join("metadata.json")).is_ok();
        let mut lines = Vec::new();
        let end = self.each_line(self.ledger.log_bytes, |text| lines.push(LogLine::parse(text)))?;
        self.ledger.log_bytes = len;
        if end < len {
            // What is behind the last line feed may be a whole message that lacks only its own. It is ended now: the
            // ledger will say that the log is known up to here.
            lines.push(self.read_rest(end, len)?);
            append_whole(self.log.as_mut(), b"\n").map_err(fail(Act::Append, &path))?;
            self.ledger.log_bytes += 1;
        }
        let mut followers = Vec::new();
        for line in lines {
            self.ledger.lines += 1;
            let Some(line) = line else { continue };
            self.ledger.recover(&line);
            self.last = Some((line.speaker, line.at));
            followers.extend(self.followers(&line));
        }
        self.is_dirty = true;
        if is_lost { Ok(()) } else { self.make_up_for(followers) }
    }

    fn read_rest(&self, from: u64, upto: u64) -> Result<Option<LogLine>> {
        let path = self.log_path();
        let mut rest = vec![0; (upto - from) as usize];
        let read = self.log.read_at(&mut rest, from).map_err(fail(Act::Read, &path))?;
        Ok(std::str::from_utf8(&rest[..read]).ok().and_then(LogLine::parse))
    }

    /// Appends the lines that are not among the last ones of their files.
    fn make_up_for(&mut self, mut followers: Vec<(PathBuf, String)>) -> Result<()> {
        followers.sort_by(|one, other| one.0.cmp(&other.0));
        let mut unsynced = Vec::new();
        for group in followers.chunk_by(|one, other| one.0 == other.0) {
            let path = &group[0].0;
            let bytes: usize = group.iter().map(|(_, text)| text.len()).sum();
            let tail = self.store.tail(path, TAIL + 2 * bytes as u64)?;
            // A line that lacks only its line feed is there: the next append ends it.
            let known: HashSet<&[u8]> = tail.split(|byte| *byte == b'\n').collect();
            let missing: Vec<u8> = group
                .iter()
                .filter(|(_, text)| !known.contains(text.trim_end_matches('\n').as_bytes()))
                .flat_map(|(_, text)| text.bytes())
                .collect();
            if !missing.is_empty() {
                self.store.append_shared(path, &missing)?;
                unsynced.push(path.clone());
            }
        }
        self.unsynced.extend(unsynced);
        Ok(())
    }

    /// Hands over each whole line of the log from an offset on; gives where the last one ends.
    fn each_line(&self, from: u64, mut hand: impl FnMut(&str)) -> Result<u64> {
        let path = self.log_path();
        let (mut at, mut rest) = (from, Vec::new());
        let mut window = vec![0; WINDOW];
        loop {
            let read =
                self.log.read_at(&mut window, at + rest.len() as u64).map_err(fail(Act::Read, &path))?;
            if read == 0 {
                return Ok(at);
            }
            rest.extend_from_slice(&window[..read]);
            let Some(end) = memchr::memrchr(b'\n', &rest) else { continue };
            for line in rest[..end].split(|byte| *byte == b'\n') {
                hand(&String::from_utf8_lossy(line));
            }
            rest.drain(..=end);
            at += end as u64 + 1;
        }
    }

    /// Lets every line of the log wait for a transcript that is read from its beginning.
    pub(super) fn expect_all(&mut self) -> Result<()> {
        self.ledger.forget_waiting();
        let mut lines = Vec::new();
        self.each_line(0, |text| lines.extend(LogLine::parse(text)))?;
        lines.iter().for_each(|line| self.ledger.recover(line));
        Ok(())
    }

    /// Appends a message, with one write, and what follows from it. After a failure the ledger is not saved: whoever
    /// opens the session next finds out from the log what arrived, as after a crash.
    pub fn append(&mut self, line: &LogLine) -> Result<()> {
        let appended = self.append_line(line);
        self.is_broken |= appended.is_err();
        appended
    }

    fn append_line(&mut self, line: &LogLine) -> Result<()> {
        let path = self.log_path();
        let text = line.to_session_line();
        let before = self.log.meta().map_err(fail(Act::Append, &path))?.len;
        if let Err(error) = append_whole(self.log.as_mut(), text.as_bytes()) {
            // The log is locked: what arrived is this line's beginning and nobody's else.
            let _ = self.log.set_len(before);
            return Err(fail(Act::Append, &path)(error));
        }
        // Somebody may have lost patience and logged without the lock: then the next opening looks at it all.
        let after = self.log.meta().map_err(fail(Act::Append, &path))?.len;
        if before == self.ledger.log_bytes && after == before + text.len() as u64 {
            self.ledger.log_bytes = after;
            self.ledger.lines += 1;
        }
        self.is_dirty = true;
        self.last = Some((line.speaker, line.at));
        for (path, text) in self.followers(line) {
            self.store.append_shared(&path, text.as_bytes())?;
            self.unsynced.insert(path);
        }
        Ok(())
    }

    /// What follows from a line of the log: the project's line, the question. The same whenever it is asked for.
    fn followers(&mut self, line: &LogLine) -> Vec<(PathBuf, String)> {
        let day = format!("{}.jsonl", self.store.calendar.day(line.at));
        let mut followers = Vec::new();
        if let Some(project) = &self.ledger.project {
            let folder = self.store.data.join("projects").join(name::encode(project));
            followers.push((folder.join(&day), line.to_project_line(&self.id)));
        }
        if line.speaker == Speaker::User && speech::asks(&line.content) {
            let project = self.ledger.project.as_deref().unwrap_or(naite_context::project::DEFAULT);
            let text = line::question(line, &self.id, project);
            self.ledger.question = Some(Question { id: line.id(&self.id), at: line.at });
            followers.push((self.store.data.join("questions").join(&day), text));
        }
        followers
    }

    /// A project whose name is too long for a folder keeps it inside.
    fn keep_name(&self) -> Result<()> {
        let Some(project) = self.ledger.project.as_deref().filter(|project| name::is_cut(project)) else {
            return Ok(());
        };
        let file = Path::new("projects").join(name::encode(project)).join("name.txt");
        if self.store.fs.meta(&self.store.data.join(&file)).is_err() {
            self.store.write_text(file, project)?;
        }
        Ok(())
    }

    /// Notes that the open question was answered by the log's last line, if that is the agent's.
    pub fn settle_question(&mut self) -> Result<()> {
        let Some(question) = self.ledger.question.clone() else { return Ok(()) };
        if self.last.is_none() {
            self.last = self.read_last()?;
        }
        let Some((Speaker::Assistant, at)) = self.last else { return Ok(()) };
        let path =
            self.store.data.join("questions").join(format!("{}.jsonl", self.store.calendar.day(question.at)));
        let answered = format!("{{\"answers\":\"{}\"", question.id);
        if !self.store.has_line(&path, &answered)? {
            self.store.append_shared(&path, line::answer(&question.id, at, self.ledger.lines).as_bytes())?;
            self.unsynced.insert(path);
        }
        self.ledger.question = None;
        self.is_dirty = true;
        Ok(())
    }

    fn read_last(&self) -> Result<Option<(Speaker, i64)>> {
        let path = self.log_path();
        let start = self.ledger.log_bytes.saturating_sub(TAIL);
        let mut tail = vec![0; (self.ledger.log_bytes - start) as usize];
        let read = self.log.read_at(&mut tail, start).map_err(fail(Act::Read, &path))?;
        let text = String::from_utf8_lossy(&tail[..read]);
        let last = text.trim_end_matches('\n').rsplit('\n').next().and_then(LogLine::parse);
        Ok(last.map(|line| (line.speaker, line.at)))
    }

    /// Makes what was appended durable and saves what is known beside it.
    pub fn save(&mut self) -> Result<()> {
        if self.store.durable {
            self.sync()?;
        }
        let text = self.ledger.to_json();
        if text != self.saved && !self.is_broken {
            let path = self.folder.join("cursor.json");
            self.store.overwrite(&path, &text)?;
            self.write_metadata()?;
            self.keep_name()?;
            self.saved = text;
        }
        self.is_dirty = false;
        Ok(())
    }

    fn write_metadata(&self) -> Result<()> {
        let project = Project::resolve(None, self.ledger.project.as_deref()).decoded();
        let text = ObjectWriter::new()
            .str("session_id", &self.id)
            .str("workspace_project", &project)
            .str_or_null("branch", self.ledger.branch.as_deref())
            .str_or_null("cwd", self.ledger.cwd.as_deref())
            .str("created_at", &iso(self.ledger.created))
            .display("messages_count", self.ledger.lines)
            .maybe_str("closed_at", self.ledger.closed.map(iso).as_deref())
            .end();
        let path = self.folder.join("metadata.json");
        self.store.overwrite(&path, &text)
    }

    /// Brings the log and what follows from it to the disk, all at once: the system does that together.
    fn sync(&mut self) -> Result<()> {
        let path = self.log_path();
        let store = self.store;
        let followers = std::mem::take(&mut self.unsynced);
        let (log, is_dirty) = (&mut self.log, self.is_dirty);
        std::thread::scope(|scope| {
            let running: Vec<_> = followers.iter().map(|path| scope.spawn(|| store.sync(path))).collect();
            let own = if is_dirty { log.sync().map_err(fail(Act::Append, &path)) } else { Ok(()) };
            let others = running.into_iter().filter_map(|thread| thread.join().ok());
            others.fold(own, |all, one| all.and(one))
        })
    }
}
