//! The agent's transcript: heard for what the log misses, and copied, since agents delete theirs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_context::ledger::Reading;
use naite_context::transcript::{self, Said};

use super::shared::append_whole;
use super::{ContextStore, Result, SessionLog, fail, missing_is_none};
use crate::error::Act;
use crate::fs::{Fs, FsFile};

/// How much of a transcript is read at once.
const WINDOW: usize = 1 << 20;
/// A line that is longer than this is copied, but not heard.
const LONGEST: usize = 64 << 20;
/// So many first bytes tell whether a file is the one that was read before.
const HEAD: u64 = 1024;

/// A transcript that is open for reading.
struct Source {
    path: PathBuf,
    file: Box<dyn FsFile>,
    len: u64,
}

impl SessionLog<'_> {
    /// Logs what the transcript has that the log has not. Reads at most `limit` bytes, which must hold all that is
    /// unread, else nothing is read; without a limit one window. Says whether all of it is heard.
    pub fn hear(&mut self, path: &str, now: i64, limit: Option<u64>) -> Result<bool> {
        let Some(source) = self.source(path, limit.is_none())? else { return Ok(limit.is_none()) };
        let heard = self.reading().heard;
        if limit.is_some_and(|limit| source.len - heard > limit) {
            return Ok(false);
        }
        let (bytes, end) = window(&source, heard, limit.map_or(WINDOW, |limit| limit as usize))?;
        let text = String::from_utf8_lossy(&bytes);
        let said: Vec<Said<'_>> = text
            .split_inclusive('\n')
            .map(|line| if line.len() > LONGEST { Said::Nothing } else { transcript::read(line.trim_end()) })
            .filter(|said| *said != Said::Nothing)
            .collect();
        for line in self.ledger.hear(&said, now) {
            self.append(&line)?;
        }
        self.reading().heard = end;
        Ok(end == source.len || bytes.is_empty())
    }

    /// Copies what is new in the transcript, one window. Says whether that is all.
    pub fn copy(&mut self, path: &str) -> Result<bool> {
        let Some(source) = self.source(path, true)? else { return Ok(true) };
        let Reading { copied, copy_len, .. } = self.reading().clone();
        let (bytes, end) = window(&source, copied, WINDOW)?;
        if bytes.is_empty() {
            return Ok(true);
        }
        let out = without_requests(&bytes);
        let copy_path = self.folder.join("transcript.jsonl");
        self.store.guard(&copy_path)?;
        let mut copy = self.open_copy(&copy_path)?;
        // What a process that died wrote there comes again now.
        if copy.meta().map_err(fail(Act::Append, &copy_path))?.len != copy_len {
            copy.set_len(copy_len).map_err(fail(Act::Append, &copy_path))?;
        }
        append_whole(copy.as_mut(), &out).map_err(fail(Act::Append, &copy_path))?;
        let reading = self.reading();
        (reading.copied, reading.copy_len) = (end, copy_len + out.len() as u64);
        Ok(end == source.len)
    }

    fn open_copy(&self, path: &Path) -> Result<Box<dyn FsFile>> {
        let fs = &self.store.fs;
        match missing_is_none(fs.open_append(path)).map_err(fail(Act::Append, path))? {
            Some(file) => Ok(file),
            None => {
                fs.create(path).map_err(fail(Act::Create, path))?;
                fs.open_append(path).map_err(fail(Act::Append, path))
            }
        }
    }

    fn reading(&mut self) -> &mut Reading {
        self.ledger.reading.get_or_insert_default()
    }

    /// Opens the transcript and makes sure that it is the one that was read before. Another one is read from its
    /// beginning, if there is time (`may_start_anew`), against all that was logged.
    fn source(&mut self, path: &str, may_start_anew: bool) -> Result<Option<Source>> {
        let Some(source) = open_source(&self.store.fs, Path::new(path))? else { return Ok(None) };
        let identity = source.file.meta().map_err(fail(Act::Read, Path::new(path)))?.identity;
        let known = self.ledger.reading.clone();
        let is_read = known.as_ref().is_some_and(|known| known.heard + known.copied > 0);
        let fits = |known: &Reading| {
            let is_long_enough = source.len >= known.heard.max(known.copied);
            let is_same = known.identity == identity && identity != (0, 0);
            is_long_enough
                && (is_same || head(&source, known.head.0).is_some_and(|hash| hash == known.head.1))
        };
        if !is_read || known.as_ref().is_some_and(fits) {
            let wanted = source.len.min(HEAD);
            let reading = self.reading();
            if reading.head.0 < wanted {
                reading.head = (wanted, head(&source, wanted).unwrap_or(0));
            }
            (reading.identity, reading.path) = (identity, path.into());
            if !is_read && self.ledger.starts_late {
                // What is older was forgotten on purpose.
                let end = source.len;
                let reading = self.reading();
                (reading.heard, reading.copied) = (end, end);
                self.ledger.starts_late = false;
            }
            return Ok(Some(source));
        }
        if !may_start_anew {
            return Ok(None);
        }
        self.put_copy_aside()?;
        self.expect_all()?;
        let wanted = source.len.min(HEAD);
        let head = (wanted, head(&source, wanted).unwrap_or(0));
        self.ledger.reading = Some(Reading { path: path.into(), identity, head, ..Reading::default() });
        Ok(Some(source))
    }

    /// Keeps the copy of a transcript that is no more under the first free name `transcript.{n}.jsonl`.
    fn put_copy_aside(&self) -> Result<()> {
        let copy = self.folder.join("transcript.jsonl");
        for n in 1.. {
            let aside = self.folder.join(format!("transcript.{n}.jsonl"));
            match self.store.fs.rename_new(&copy, &aside) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                renamed => {
                    return missing_is_none(renamed).map(|_| ()).map_err(fail(Act::Replace, &copy));
                }
            }
        }
        Ok(())
    }
}

impl ContextStore {
    /// Keeps a sub-agent's run: its transcript, and what it said last as a line of its own,
    /// `subagents/{day}/{session_id}/{agent_id}.jsonl`. Written whole each time, so that twice is once.
    pub fn keep_subagent(&self, mark: &super::state::AgentMark) -> Result<()> {
        use naite_context::name;
        use naite_core::text::json::ObjectWriter;
        let folder = Path::new("subagents").join(&mark.day).join(name::encode(&mark.session_id));
        let path = self.folder(&folder)?.join(format!("{}.jsonl", name::encode(&mark.agent_id)));
        let beside = path.with_extension(format!("{}.tmp", std::process::id()));
        let _ = self.fs.remove(&beside);
        let mut out = self.fs.create(&beside).map_err(fail(Act::Create, &beside))?;
        let write = |out: &mut Box<dyn FsFile>, bytes: &[u8]| {
            append_whole(out.as_mut(), bytes).map_err(fail(Act::Append, &beside))
        };
        if let Some(source) = open_source(&self.fs, Path::new(&mark.transcript_path))? {
            let mut at = 0;
            loop {
                let (bytes, end) = window(&source, at, WINDOW)?;
                if bytes.is_empty() {
                    break;
                }
                write(&mut out, &without_requests(&bytes))?;
                at = end;
            }
        }
        let result = ObjectWriter::new()
            .str("type", "naite.result")
            .str("agent_id", &mark.agent_id)
            .str("agent_type", &mark.agent_type)
            .str("session_id", &mark.session_id)
            .str("ts", &naite_core::entry::iso(mark.at))
            .str_or_null("last_assistant_message", mark.result.as_deref())
            .end();
        write(&mut out, (result + "\n").as_bytes())?;
        self.fs.rename(&beside, &path).map_err(fail(Act::Replace, &path))
    }
}

/// Opens a file of the agent's, unless it is none: reading a pipe would wait for ever.
fn open_source(fs: &Arc<dyn Fs>, path: &Path) -> Result<Option<Source>> {
    let meta = missing_is_none(fs.meta(path)).map_err(fail(Act::Read, path))?;
    if !meta.is_some_and(|meta| meta.is_file) {
        return Ok(None);
    }
    let Some(file) = missing_is_none(fs.open(path)).map_err(fail(Act::Read, path))? else { return Ok(None) };
    let len = file.meta().map_err(fail(Act::Read, path))?.len;
    Ok(Some(Source { path: path.into(), file, len }))
}

/// Lines of a transcript as a copy keeps them: without the client's requests, its snapshots shortened.
fn without_requests(lines: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(lines.len());
    for line in lines.split_inclusive(|byte| *byte == b'\n').filter(|line| !transcript::is_request(line)) {
        match std::str::from_utf8(line).ok().and_then(transcript::shorten_snapshot) {
            Some(short) => kept.extend_from_slice(short.as_bytes()),
            None => kept.extend_from_slice(line),
        }
    }
    kept
}

/// The whole lines from an offset on, at most about `size` bytes of them but at least one, and where they end. The
/// last line, if it has no end yet, is left for the next time.
fn window(source: &Source, from: u64, size: usize) -> Result<(Vec<u8>, u64)> {
    let mut bytes = vec![0; size.min((source.len - from.min(source.len)) as usize)];
    let mut filled = 0;
    loop {
        let read = source.file.read_at(&mut bytes[filled..], from + filled as u64);
        let read = read.map_err(fail(Act::Read, &source.path))?;
        filled += read;
        if let Some(end) = memchr::memrchr(b'\n', &bytes[..filled]) {
            bytes.truncate(end + 1);
            return Ok((bytes, from + end as u64 + 1));
        }
        let left = source.len.saturating_sub(from + filled as u64);
        if read == 0 || left == 0 {
            return Ok((Vec::new(), from));
        }
        bytes.resize(filled + left.min(bytes.len().max(WINDOW) as u64) as usize, 0);
    }
}

fn head(source: &Source, len: u64) -> Option<u64> {
    let mut bytes = vec![0; len as usize];
    let read = source.file.read_at(&mut bytes, 0).ok()?;
    (read as u64 == len && len > 0).then(|| xxhash_rust::xxh3::xxh3_64(&bytes))
}
