//! One writer per log: an advisory lock that the system releases when its holder dies, however it dies.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::error::{Act, Owner, Result, StoreError};
use crate::fs::{Fs, FsFile};
use crate::log::{Guard, Wait};

#[derive(Debug)]
struct FileGuard {
    _file: Box<dyn FsFile>,
}

impl Guard for FileGuard {}

/// Where the lock of a log lies: by a hash of its canonical path, so that no other program's folder gets a file.
fn lock_path(fs: &dyn Fs, home: &Path, log: &Path) -> PathBuf {
    let canonical = canonical_place(fs, log);
    let hash = xxhash_rust::xxh3::xxh3_64(canonical.as_os_str().as_encoded_bytes());
    home.join("locks").join(format!("{hash:016x}"))
}

/// The path without links, also for a file that does not exist yet.
pub(crate) fn canonical_place(fs: &dyn Fs, path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Some(fs.canonical(folder).ok()?.join(path.file_name()?))
    };
    fs.canonical(path).ok().or_else(in_folder).unwrap_or_else(|| path.into())
}

pub(crate) fn take(
    fs: &Arc<dyn Fs>,
    home: &Path,
    log: &Path,
    owner: &Owner,
    wait: Wait,
) -> Result<Box<dyn Guard>> {
    let path = lock_path(fs.as_ref(), home, log);
    let fail = || StoreError::io(Act::Lock, path.clone());
    if let Some(folder) = path.parent() {
        fs.create_folder(folder).map_err(fail())?;
    }
    let mut file = fs.open_lock(&path).map_err(fail())?;
    if !file.try_lock().map_err(fail())? {
        file = wait_for(fs, &path, wait)
            .map_err(fail())?
            .ok_or_else(|| StoreError::Held { path: log.into(), owner: read_owner(file.as_ref()) })?;
    }
    let text = serde_json::to_vec(owner).unwrap_or_default();
    file.set_len(0).and_then(|()| file.write_at(&text, 0)).map_err(fail())?;
    Ok(Box::new(FileGuard { _file: file }))
}

/// Waits for the lock of a file that another process holds.
fn wait_for(fs: &Arc<dyn Fs>, path: &Path, wait: Wait) -> io::Result<Option<Box<dyn FsFile>>> {
    let limit = match wait {
        Wait::No => return Ok(None),
        Wait::AtMost(limit) => Some(limit),
        Wait::Forever => None,
    };
    lock_within(fs.open_lock(path)?, limit)
}

/// Takes the lock of an open file. Waits on a thread of its own, since the system's call has no time limit; a waiter
/// that is given up ends with the process or lets go at once.
pub(crate) fn lock_within(
    file: Box<dyn FsFile>,
    limit: Option<Duration>,
) -> io::Result<Option<Box<dyn FsFile>>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let result = file.lock().map(|()| file);
        let _ = send.send(result);
    });
    match limit {
        Some(limit) => receive.recv_timeout(limit).ok().transpose(),
        None => receive.recv().ok().transpose(),
    }
}

fn read_owner(file: &dyn FsFile) -> Owner {
    let mut text = [0; 1024];
    let read = file.read_at(&mut text, 0).unwrap_or(0);
    serde_json::from_slice(&text[..read]).unwrap_or_default()
}
