//! The file system of the machine.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{Fs, FsFile, Meta};

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFs;

#[derive(Debug)]
struct RealFile(File);

fn boxed(file: File) -> Box<dyn FsFile> {
    Box::new(RealFile(file))
}

impl Fs for RealFs {
    fn open(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        File::open(path).map(boxed)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        OpenOptions::new().read(true).append(true).open(path).map(boxed)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let file = platform::owner_only(&mut options).open(path)?;
        platform::restrict_file(&file)?;
        Ok(boxed(file))
    }

    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        platform::owner_only(&mut options).open(path).map(boxed)
    }

    fn meta(&self, path: &Path) -> io::Result<Meta> {
        fs::metadata(path).map(|meta| read_meta(&meta))
    }

    fn is_link(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
    }

    fn link(&self, target: &Path, at: &Path) -> io::Result<()> {
        platform::link(target, at)
    }

    fn link_target(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no hard links; there a check has to do.
            Err(_) if !to.exists() => fs::rename(from, to),
            Err(error) => Err(error),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        platform::create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        platform::sync_folder(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect()
    }
}

impl FsFile for RealFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match platform::read_at(&self.0, &mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        platform::write_at(&self.0, bytes, offset)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn meta(&self) -> io::Result<Meta> {
        self.0.metadata().map(|meta| read_meta(&meta))
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn lock(&self) -> io::Result<()> {
        self.0.lock()
    }
}

fn read_meta(meta: &fs::Metadata) -> Meta {
    let mtime = meta.modified().ok().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    });
    Meta {
        len: meta.len(),
        mtime,
        identity: platform::identity(meta),
        is_dir: meta.is_dir(),
        is_file: meta.is_file(),
        is_named: platform::is_named(meta),
        is_settled: platform::is_settled(meta),
    }
}

/// What differs between systems.
#[cfg(unix)]
mod platform {
    use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    pub(super) fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
        options.mode(0o600)
    }

    pub(super) fn restrict_file(file: &File) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(0o600))
    }

    pub(super) fn create_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    pub(super) fn link(target: &Path, at: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(target, at)
    }

    pub(super) fn identity(meta: &Metadata) -> (u64, u64) {
        (meta.dev(), meta.ino())
    }

    pub(super) fn is_named(meta: &Metadata) -> bool {
        meta.nlink() > 0
    }

    /// A write sets both times to the same moment, a rename only the second one.
    pub(super) fn is_settled(meta: &Metadata) -> bool {
        (meta.mtime(), meta.mtime_nsec()) == (meta.ctime(), meta.ctime_nsec())
    }

    pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.read_at(buffer, offset)
    }

    pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
        file.write_all_at(bytes, offset)
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::{DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::os::windows::fs::FileExt;
    use std::path::Path;

    pub(super) fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(super) fn restrict_file(_file: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn create_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).create(path)
    }

    pub(super) fn sync_folder(_path: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn link(target: &Path, at: &Path) -> io::Result<()> {
        std::os::windows::fs::symlink_file(target, at)
    }

    pub(super) fn identity(_meta: &Metadata) -> (u64, u64) {
        (0, 0)
    }

    pub(super) fn is_named(_meta: &Metadata) -> bool {
        true
    }

    pub(super) fn is_settled(_meta: &Metadata) -> bool {
        false
    }

    pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.seek_read(buffer, offset)
    }

    pub(super) fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = file.seek_write(bytes, offset)?;
            bytes = &bytes[written..];
            offset += written as u64;
        }
        Ok(())
    }
}
