//! The trash: sessions that a person deleted, each with the place where it was.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_core::entry::iso;

use crate::error::{Act, Result, StoreError};
use crate::fs::{Fs, fitting_name};

/// Ends the name of the note beside a deleted session.
const NOTE: &str = ".json";

/// Where deleted sessions go.
#[derive(Clone, Debug)]
pub struct Trash {
    fs: Arc<dyn Fs>,
    folder: PathBuf,
}

/// A session in the trash.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trashed {
    /// Its name in the trash.
    pub name: String,
    /// Where it was.
    pub path: PathBuf,
    /// When it was deleted, ISO time.
    pub deleted: String,
}

impl Trash {
    /// The trash in a folder (`$NAITE_HOME/trash`).
    pub fn new(fs: Arc<dyn Fs>, folder: impl Into<PathBuf>) -> Self {
        Self { fs, folder: folder.into() }
    }

    fn note_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{NOTE}"))
    }

    /// Moves a session's file here. The note where it was is written first, so that no crash leaves one without.
    pub fn put(&self, path: &Path, now: i64) -> Result<Trashed> {
        let fail = || StoreError::io(Act::Replace, path);
        let path = self.fs.canonical(path).map_err(fail())?;
        self.fs.create_folder(&self.folder).map_err(fail())?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let trashed = Trashed {
            name: fitting_name(&format!("{now}-"), &file, NOTE).trim_end_matches(NOTE).into(),
            path: path.clone(),
            deleted: iso(now),
        };
        // A place that cannot be written down could not be found again.
        let note = serde_json::to_vec(&trashed).map_err(io::Error::other).map_err(fail())?;
        let moved = self.fs.create(&self.note_of(&trashed.name)).and_then(|mut out| {
            out.append(&note)?;
            out.sync()?;
            self.fs.rename_new(&path, &self.folder.join(&trashed.name))
        });
        if let Err(error) = moved {
            let _ = self.fs.remove(&self.note_of(&trashed.name));
            return Err(fail()(error));
        }
        Ok(trashed)
    }

    /// What is in the trash, the last deleted first.
    pub fn list(&self) -> Result<Vec<Trashed>> {
        let paths = match self.fs.list(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            paths => paths.map_err(StoreError::io(Act::List, &self.folder))?,
        };
        let notes = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut trashed: Vec<Trashed> = notes
            .filter_map(|note| self.read(note))
            .filter(|trashed| self.fs.meta(&self.folder.join(&trashed.name)).is_ok())
            .collect();
        trashed.sort_by(|a, b| b.deleted.cmp(&a.deleted).then_with(|| a.name.cmp(&b.name)));
        Ok(trashed)
    }

    fn read(&self, note: &Path) -> Option<Trashed> {
        let file = self.fs.open(note).ok()?;
        let mut text = vec![0; file.meta().ok()?.len as usize];
        file.read_at(&mut text, 0).ok()?;
        let trashed: Trashed = serde_json::from_slice(&text).ok()?;
        // A note names its own file and no other.
        (note == self.note_of(&trashed.name) && !trashed.name.contains(['/', '\\'])).then_some(trashed)
    }

    /// Puts a session back where it was; something else that is there now is never replaced.
    pub fn restore(&self, trashed: &Trashed) -> Result<()> {
        let fail = || StoreError::io(Act::Replace, &trashed.path);
        if let Some(folder) = trashed.path.parent() {
            self.fs.create_folder(folder).map_err(fail())?;
        }
        match self.fs.rename_new(&self.folder.join(&trashed.name), &trashed.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(StoreError::Exists { path: trashed.path.clone() });
            }
            moved => moved.map_err(fail())?,
        }
        let _ = self.fs.remove(&self.note_of(&trashed.name));
        Ok(())
    }
}
