//! Logs as files: one write per append, whole-file replacement by rename, advisory locks in Naite's own folder.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Act, Owner, Refusal, Result, StoreError};
use crate::fs::{Fs, FsFile, Meta, fitting_name};
use crate::lock;
use crate::log::{Durable, Guard, LogName, NewLog, Stat, Store, Wait};

/// Logs as files.
#[derive(Debug)]
pub struct FileStore {
    fs: Arc<dyn Fs>,
    home: PathBuf,
    owner: Owner,
    open: Option<Open>,
}

/// The log that was used last, kept open: it can be read even after somebody removed it.
#[derive(Debug)]
struct Open {
    log: LogName,
    file: Box<dyn FsFile>,
    writable: bool,
    identity: (u64, u64),
}

impl FileStore {
    /// Keeps locks and backups below `home` (`$NAITE_HOME`); `owner` is what others learn about this process.
    pub fn new(fs: Arc<dyn Fs>, home: impl Into<PathBuf>, owner: Owner) -> Self {
        Self { fs, home: home.into(), owner, open: None }
    }

    fn meta(&self, path: &Path) -> Result<Option<Meta>> {
        match self.fs.meta(path) {
            Ok(meta) if meta.is_file => Ok(Some(meta)),
            Ok(meta) => {
                let why = if meta.is_dir { Refusal::Folder } else { Refusal::Special };
                Err(StoreError::NotASession { path: path.into(), why })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.fs.is_link(path) {
                    return Err(StoreError::NotASession { path: path.into(), why: Refusal::DanglingLink });
                }
                Ok(None)
            }
            Err(error) => Err(StoreError::io(Act::Read, path)(error)),
        }
    }

    fn open(&mut self, log: &LogName, writable: bool, act: Act) -> Result<&mut Open> {
        let usable = |open: &Open| open.log == *log && (open.writable || !writable);
        if !self.open.as_ref().is_some_and(usable) {
            let path = log.path();
            let opened = if writable { self.fs.open_append(path) } else { self.fs.open(path) };
            let file = opened.map_err(StoreError::io(act, path))?;
            let identity = file.meta().map_err(StoreError::io(act, path))?.identity;
            self.open = Some(Open { log: log.clone(), file, writable, identity });
        }
        self.open.as_mut().ok_or_else(|| StoreError::NotFound { path: log.path().into() })
    }

    /// Opens for writing, if the log still is what the caller knows.
    fn open_expected(&mut self, log: &LogName, expected: Stat, act: Act) -> Result<&mut Open> {
        if self.is_as_expected(log, expected) {
            return self.open(log, true, act);
        }
        let now = self.stat(log)?;
        let moved = || StoreError::Moved { path: log.path().into(), now };
        if now.is_none_or(|now| now.len != expected.len || now.identity != expected.identity) {
            return Err(moved());
        }
        let open = self.open(log, true, act)?;
        if open.identity != expected.identity {
            return Err(moved());
        }
        Ok(open)
    }

    /// Asks the descriptor that is kept, which costs less than the path: a file that was removed or replaced has no
    /// name any more.
    fn is_as_expected(&self, log: &LogName, expected: Stat) -> bool {
        let Some(open) = self.open.as_ref().filter(|open| open.log == *log && open.writable) else {
            return false;
        };
        open.file
            .meta()
            .is_ok_and(|now| now.is_named && (now.len, now.identity) == (expected.len, expected.identity))
    }
}

/// A file that is written beside its place and then takes it.
#[derive(Debug)]
struct Beside {
    fs: Arc<dyn Fs>,
    backups: PathBuf,
    log: PathBuf,
    target: PathBuf,
    beside: PathBuf,
    file: Option<BufWriter<Appender>>,
    replaces: Option<Stat>,
    act: Act,
}

impl Beside {
    fn fail(&self) -> impl FnOnce(io::Error) -> StoreError + use<> {
        StoreError::io(self.act, self.log.clone())
    }

    fn check(&self) -> Result<()> {
        let now = self.fs.meta(&self.target).ok().map(stat);
        match (self.replaces, now) {
            (Some(expected), Some(now)) if (now.len, now.identity) == (expected.len, expected.identity) => {
                Ok(())
            }
            (Some(_), now) => Err(StoreError::Moved { path: self.log.clone(), now }),
            (None, Some(now)) if now.len > 0 => Err(StoreError::Exists { path: self.log.clone() }),
            (None, _) => Ok(()),
        }
    }

    fn back_up(&self, expected: Stat) -> io::Result<()> {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        self.fs.create_folder(&self.backups)?;
        let from = self.fs.open(&self.target)?;
        let path = self.backups.join(fitting_name(&format!("{}-", expected.stamp), &name, ""));
        let _ = self.fs.remove(&path);
        let mut out = Appender(self.fs.create(&path)?);
        copy_bytes(from.as_ref(), expected.len, &mut out)?;
        out.0.sync()?;
        self.fs.sync_folder(&self.backups)
    }
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl NewLog for Beside {
    fn commit(mut self: Box<Self>) -> Result<Stat> {
        self.flush().map_err(self.fail())?;
        let mut file = match self.file.take().map(BufWriter::into_inner) {
            Some(Ok(file)) => file.0,
            Some(Err(error)) => return Err(self.fail()(error.into_error())),
            None => return Err(self.fail()(io::ErrorKind::BrokenPipe.into())),
        };
        file.sync().map_err(self.fail())?;
        self.check()?;
        if let Some(expected) = self.replaces {
            self.back_up(expected).map_err(StoreError::io(Act::Create, self.backups.clone()))?;
            self.check()?;
        }
        let is_new = self.replaces.is_none() && self.fs.meta(&self.target).is_err();
        let rename = if is_new { Fs::rename_new } else { Fs::rename };
        if let Err(error) = rename(self.fs.as_ref(), &self.beside, &self.target) {
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => StoreError::Exists { path: self.log.clone() },
                _ => self.fail()(error),
            });
        }
        // A bare name lies in the working folder.
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let placed = self.fs.sync_folder(folder).and_then(|()| file.meta());
        placed.map(stat).map_err(|error| {
            if self.replaces.is_none() {
                // Nobody was told of the new log: the next try must find its name free.
                let _ = self.fs.remove(&self.target);
            }
            self.fail()(error)
        })
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // After a commit the name is gone already.
        let _ = self.fs.remove(&self.beside);
    }
}

/// Copies the first `len` bytes of a file.
fn copy_bytes(from: &dyn FsFile, len: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    let mut at = 0;
    while at < len {
        let read = from.read_at(&mut buffer, at)?;
        if read == 0 {
            break;
        }
        out.write_all(&buffer[..read])?;
        at += read as u64;
    }
    Ok(())
}

#[derive(Debug)]
struct Appender(Box<dyn FsFile>);

impl Write for Appender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn stat(meta: Meta) -> Stat {
    Stat { len: meta.len, identity: meta.identity, stamp: meta.mtime }
}

impl Store for FileStore {
    fn stat(&mut self, log: &LogName) -> Result<Option<Stat>> {
        let now = self.meta(log.path())?.map(stat);
        let replaced = |open: &Open| now.is_some_and(|now| open.log == *log && open.identity != now.identity);
        if self.open.as_ref().is_some_and(replaced) {
            self.open = None;
        }
        Ok(now)
    }

    fn glance(&mut self, log: &LogName, known: Stat) -> Result<Option<Stat>> {
        // The way to a file costs several times as much as a look at the descriptor that is kept.
        let kept = self
            .open
            .as_ref()
            .filter(|open| open.log == *log && open.writable && open.identity == known.identity);
        match kept.map(|open| open.file.meta()) {
            Some(Ok(now)) if now.is_named && now.is_settled => Ok(Some(stat(now))),
            _ => self.stat(log),
        }
    }

    fn read(&mut self, log: &LogName, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let open = self.open(log, false, Act::Read)?;
        open.file.read_at(buffer, offset).map_err(StoreError::io(Act::Read, log.path()))
    }

    fn begin(&mut self, log: &LogName, replaces: Option<Stat>) -> Result<Box<dyn NewLog>> {
        let path = log.path();
        let act = if replaces.is_some() { Act::Replace } else { Act::Create };
        let fail = || StoreError::io(act, path);
        let existing = self.meta(path)?;
        let target = if existing.is_some() { self.fs.canonical(path).map_err(fail())? } else { path.into() };
        if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            self.fs.create_folder(folder).map_err(fail())?;
        }
        // A hash, since a name that is as long as names may be cannot be made longer.
        let name = xxhash_rust::xxh3::xxh3_64(target.as_os_str().as_encoded_bytes());
        let beside = target.with_file_name(format!(".{name:016x}.{}.tmp", self.owner.pid));
        // What a killed process of the same number left behind.
        let _ = self.fs.remove(&beside);
        let file = self.fs.create(&beside).map_err(fail())?;
        let draft = Beside {
            fs: Arc::clone(&self.fs),
            backups: self.home.join("backups"),
            log: path.into(),
            target,
            beside,
            file: Some(BufWriter::with_capacity(1 << 18, Appender(file))),
            replaces,
            act,
        };
        draft.check()?;
        Ok(Box::new(draft))
    }

    fn append(&mut self, log: &LogName, expected: Stat, bytes: &[u8], durable: Durable) -> Result<Stat> {
        let path = log.path();
        let open = self.open_expected(log, expected, Act::Append)?;
        let mut written = 0;
        let short = |written, source| StoreError::Short { path: path.into(), written, source };
        // One call writes it all unless the disk fills up; what a second call meets is then the reason.
        while written < bytes.len() {
            match open.file.append(&bytes[written..]) {
                Ok(0) => return Err(short(written, io::ErrorKind::WriteZero.into())),
                Ok(count) => written += count,
                Err(source) => return Err(short(written, source)),
            }
        }
        if durable == Durable::Synced {
            open.file.sync().map_err(|source| short(written, source))?;
        }
        // What another program wrote between our look and our write is not in this length: the next look finds it.
        Ok(Stat { len: expected.len + written as u64, ..expected })
    }

    fn patch(&mut self, log: &LogName, expected: Stat, offset: u64, bytes: &[u8]) -> Result<Stat> {
        let path = log.path();
        self.open_expected(log, expected, Act::Append)?;
        // A descriptor opened for appending writes at the end whatever the offset, so it takes another one.
        let patched = self.fs.open_lock(path).and_then(|mut file| {
            file.write_at(bytes, offset)?;
            file.sync()?;
            file.meta()
        });
        patched.map(stat).map_err(StoreError::io(Act::Append, path))
    }

    fn lock(&mut self, log: &LogName, wait: Wait) -> Result<Box<dyn Guard>> {
        lock::take(&self.fs, &self.home, log.path(), &self.owner, wait)
    }
}
