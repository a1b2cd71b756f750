//! A file system that ends the process, fills up or tears a write at a chosen call, and remembers its calls.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use naite_store::{Fs, FsFile, Meta, RealFs};

/// What goes wrong, and when: calls to the file system and to its files are counted together, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plan {
    /// Nothing.
    #[default]
    Sound,
    /// The process ends instead of this call.
    Abort {
        /// The call.
        call: usize,
    },
    /// Every call that writes fails, from this one on, until [`FaultFs::free`].
    Fail {
        /// The first call that may fail.
        call: usize,
        /// How.
        kind: io::ErrorKind,
    },
    /// This call fails, if it writes, and no other one.
    FailOnce {
        /// The call.
        call: usize,
        /// How.
        kind: io::ErrorKind,
    },
    /// This call, if it is a write, writes no more than `keep` bytes.
    Tear {
        /// The call.
        call: usize,
        /// Bytes that arrive.
        keep: usize,
        /// What comes then.
        then: Then,
    },
}

/// What follows a torn write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The process ends.
    Abort,
    /// The disk is full until [`FaultFs::free`].
    Full,
}

/// A call that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the function.
    pub name: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Bytes that were to be read or written.
    pub bytes: usize,
}

impl Call {
    /// Says whether the call needs room on the disk.
    pub fn writes(&self) -> bool {
        const WRITING: [&str; 11] = [
            "open_lock",
            "create",
            "create_folder",
            "link",
            "append",
            "write_at",
            "set_len",
            "sync",
            "rename",
            "rename_new",
            "sync_folder",
        ];
        WRITING.contains(&self.name)
    }
}

/// A change of what is on disk, with all that is needed to make it again elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file appeared, empty.
    Create(PathBuf),
    /// Bytes were added at the end.
    Append(PathBuf, Vec<u8>),
    /// Bytes were put over others.
    Write(PathBuf, u64, Vec<u8>),
    /// The length was set.
    SetLen(PathBuf, u64),
    /// A file took another name.
    Rename(PathBuf, PathBuf),
    /// A file went.
    Remove(PathBuf),
}

impl Change {
    /// What happened, in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Append(..) => "append",
            Self::Write(..) => "write",
            Self::SetLen(..) => "set_len",
            Self::Rename(..) => "rename",
            Self::Remove(_) => "remove",
        }
    }

    /// How many bytes it writes: where it can be torn.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Append(_, bytes) | Self::Write(_, _, bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// Makes the change on a disk of files by path, with no more than `keep` of its bytes.
    pub fn apply(&self, disk: &mut BTreeMap<PathBuf, Vec<u8>>, keep: usize) {
        match self {
            Self::Create(path) => {
                disk.entry(path.clone()).or_default();
            }
            Self::Append(path, bytes) => {
                disk.entry(path.clone()).or_default().extend(bytes.iter().take(keep));
            }
            Self::Write(path, offset, bytes) => {
                let file = disk.entry(path.clone()).or_default();
                let (start, len) = (*offset as usize, bytes.len().min(keep));
                file.resize(file.len().max(start + len), 0);
                file[start..start + len].copy_from_slice(&bytes[..len]);
            }
            Self::SetLen(path, len) => disk.entry(path.clone()).or_default().resize(*len as usize, 0),
            Self::Rename(from, to) => {
                if let Some(file) = disk.remove(from) {
                    disk.insert(to.clone(), file);
                }
            }
            Self::Remove(path) => {
                disk.remove(path);
            }
        }
    }
}

/// The real file system under a [`Plan`]; clones share plan and count.
#[derive(Clone, Debug, Default)]
pub struct FaultFs(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    plan: Plan,
    calls: Vec<Call>,
    changes: Vec<Change>,
}

impl FaultFs {
    /// Goes by a plan.
    pub fn new(plan: Plan) -> Self {
        let fs = Self::default();
        fs.state().plan = plan;
        fs
    }

    /// Goes by another plan, counting on from the calls made so far.
    pub fn then(&self, plan: impl FnOnce(usize) -> Plan) {
        let mut state = self.state();
        state.plan = plan(state.calls.len());
    }

    /// Nothing goes wrong any more: the disk has room again.
    pub fn free(&self) {
        self.state().plan = Plan::Sound;
    }

    /// The calls made so far.
    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// The changes of the disk so far, with their bytes.
    pub fn changes(&self) -> Vec<Change> {
        self.state().changes.clone()
    }

    /// Notes a change once it succeeded.
    fn changed<T>(&self, result: io::Result<T>, change: impl FnOnce(&T) -> Change) -> io::Result<T> {
        if let Ok(done) = &result {
            let change = change(done);
            self.state().changes.push(change);
        }
        result
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call and lets it through, or not.
    fn call(&self, name: &'static str, path: &Path, bytes: usize) -> io::Result<()> {
        let mut state = self.state();
        let call = Call { name, path: path.into(), bytes };
        let writes = call.writes();
        state.calls.push(call);
        match state.plan {
            Plan::Abort { call } if state.calls.len() == call => std::process::abort(),
            Plan::Fail { call, kind } if writes && state.calls.len() >= call => Err(kind.into()),
            Plan::FailOnce { call, kind } if writes && state.calls.len() == call => Err(kind.into()),
            _ => Ok(()),
        }
    }

    /// The bytes of the last call that arrive, and what comes then if they are not all.
    fn cut<'a>(&self, bytes: &'a [u8]) -> (&'a [u8], Option<Then>) {
        let state = self.state();
        match state.plan {
            Plan::Tear { call, keep, then } if state.calls.len() == call => {
                (&bytes[..keep.min(bytes.len())], Some(then))
            }
            _ => (bytes, None),
        }
    }

    fn follow(&self, then: Option<Then>) {
        match then {
            Some(Then::Abort) => std::process::abort(),
            Some(Then::Full) => self.then(|call| Plan::Fail { call, kind: io::ErrorKind::StorageFull }),
            None => {}
        }
    }

    fn file(&self, path: &Path, opened: io::Result<Box<dyn FsFile>>) -> io::Result<Box<dyn FsFile>> {
        Ok(Box::new(FaultFile { file: opened?, path: path.into(), fs: self.clone() }))
    }
}

impl Fs for FaultFs {
    fn open(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        self.call("open", path, 0)?;
        self.file(path, RealFs.open(path))
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        self.call("open_append", path, 0)?;
        self.file(path, RealFs.open_append(path))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        self.call("create", path, 0)?;
        let created = self.changed(RealFs.create(path), |_| Change::Create(path.into()));
        self.file(path, created)
    }

    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        self.call("open_lock", path, 0)?;
        let opened = self.changed(RealFs.open_lock(path), |_| Change::Create(path.into()));
        self.file(path, opened)
    }

    fn meta(&self, path: &Path) -> io::Result<Meta> {
        self.call("meta", path, 0)?;
        RealFs.meta(path)
    }

    fn is_link(&self, path: &Path) -> bool {
        self.call("is_link", path, 0).is_ok() && RealFs.is_link(path)
    }

    fn link(&self, target: &Path, at: &Path) -> io::Result<()> {
        self.call("link", at, 0)?;
        RealFs.link(target, at)
    }

    fn link_target(&self, path: &Path) -> io::Result<PathBuf> {
        self.call("link_target", path, 0)?;
        RealFs.link_target(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.call("remove_folder", path, 0)?;
        RealFs.remove_folder(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.call("canonical", path, 0)?;
        RealFs.canonical(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call("rename", to, 0)?;
        self.changed(RealFs.rename(from, to), |()| Change::Rename(from.into(), to.into()))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call("rename_new", to, 0)?;
        self.changed(RealFs.rename_new(from, to), |()| Change::Rename(from.into(), to.into()))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call("remove", path, 0)?;
        self.changed(RealFs.remove(path), |()| Change::Remove(path.into()))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.call("create_folder", path, 0)?;
        RealFs.create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.call("sync_folder", path, 0)?;
        RealFs.sync_folder(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.call("list", path, 0)?;
        RealFs.list(path)
    }
}

#[derive(Debug)]
struct FaultFile {
    file: Box<dyn FsFile>,
    path: PathBuf,
    fs: FaultFs,
}

impl FaultFile {
    fn call(&self, name: &'static str, bytes: usize) -> io::Result<()> {
        self.fs.call(name, &self.path, bytes)
    }
}

impl FsFile for FaultFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.call("read_at", buffer.len())?;
        self.file.read_at(buffer, offset)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.call("append", bytes.len())?;
        let (bytes, then) = self.fs.cut(bytes);
        let written = if bytes.is_empty() { Ok(0) } else { self.file.append(bytes) };
        let written =
            self.fs.changed(written, |count| Change::Append(self.path.clone(), bytes[..*count].into()));
        self.fs.follow(then);
        match written {
            Ok(0) if then.is_some() => Err(io::ErrorKind::StorageFull.into()),
            written => written,
        }
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.call("write_at", bytes.len())?;
        let (bytes, then) = self.fs.cut(bytes);
        let written = self.file.write_at(bytes, offset);
        let written = self.fs.changed(written, |()| Change::Write(self.path.clone(), offset, bytes.into()));
        self.fs.follow(then);
        if then.is_some() { Err(io::ErrorKind::StorageFull.into()) } else { written }
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.call("set_len", 0)?;
        self.fs.changed(self.file.set_len(len), |()| Change::SetLen(self.path.clone(), len))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.call("sync", 0)?;
        self.file.sync()
    }

    fn meta(&self) -> io::Result<Meta> {
        self.call("meta", 0)?;
        self.file.meta()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.call("try_lock", 0)?;
        self.file.try_lock()
    }

    fn lock(&self) -> io::Result<()> {
        self.call("lock", 0)?;
        self.file.lock()
    }
}
