//! A throw-away home folder with everything that opening a session needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_store::{
    Access, Durability, FileStore, Fs, HeadIndex, LogName, Owner, RealFs, Result, SessionManager, Setup,
    Wait, Workplace,
};
use tempfile::TempDir;

use crate::supply::Counting;

/// A home in a folder that is removed when this is dropped, unless somebody else made it.
#[derive(Debug)]
pub struct Home {
    folder: PathBuf,
    _own: Option<TempDir>,
    fs: Arc<dyn Fs>,
    /// The first id that entries of the next session get.
    pub first_id: u32,
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Home {
    /// An empty home on the real file system.
    pub fn new() -> Self {
        Self::on(Arc::new(RealFs))
    }

    /// An empty home on another file system.
    pub fn on(fs: Arc<dyn Fs>) -> Self {
        let own = tempfile::tempdir().expect("a temp folder");
        Self { folder: own.path().into(), _own: Some(own), fs, first_id: 1 }
    }

    /// A home in a folder that stays: for a process that is to die in it.
    pub fn at(folder: &Path, fs: Arc<dyn Fs>) -> Self {
        Self { folder: folder.into(), _own: None, fs, first_id: 1 }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// A path in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file and gives its path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, bytes).expect("a writable temp folder");
        path
    }

    /// What a session needs, with files and the head index in this home.
    pub fn setup(&self) -> Setup {
        let home = self.folder.join("naite");
        Setup {
            store: Box::new(FileStore::new(Arc::clone(&self.fs), &home, Owner::default())),
            supply: Box::new(Counting::from(self.first_id)),
            place: Workplace { sessions: home.join("sessions"), cwd: "/home/user/project".into() },
            index: Some(HeadIndex::new(Arc::clone(&self.fs), home.join("index"))),
            durability: Durability::Turn,
            wait: Wait::No,
        }
    }

    /// Opens a file.
    pub fn open(&self, path: &Path, access: Access) -> Result<SessionManager> {
        SessionManager::open(self.setup(), LogName::new(path), access)
    }
}
