//! Finds or makes the session that is measured, and opens it with everything kept in a temp folder.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use naite_store::{
    Access, Durability, FileStore, HeadIndex, LogName, Owner, RealFs, SessionManager, Setup, Wait, Workplace,
};
use naite_testkit::Counting;
use serde::Serialize;
use tempfile::TempDir;

use crate::generator::{self, Made, Recipe, Shape};
use crate::measure;

/// Entries of a generated session, unless something else is asked for.
const ENTRIES: usize = 200_000;
/// Bytes of a generated entry: 200,000 of them are 507 MB.
pub(crate) const ENTRY: u64 = 2534;

/// What all benches understand.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// How often everything is measured.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: u64,
    /// Measure this session file instead of a generated one. It is not written to.
    #[arg(long)]
    pub(crate) file: Option<PathBuf>,
    /// Entries of the generated session [default: 200000].
    #[arg(long)]
    pub(crate) entries: Option<usize>,
    /// Bytes of the generated session, about [default: 2534 for each entry].
    #[arg(long)]
    pub(crate) bytes: Option<u64>,
    /// How the generated session branches.
    #[arg(long, value_enum, default_value_t = Shape::Mixed)]
    pub(crate) shape: Shape,
    /// Another seed gives another session.
    #[arg(long, default_value_t = 3)]
    pub(crate) seed: u64,
}

impl Options {
    fn recipe(&self) -> Recipe {
        recipe(self.entries, self.bytes, self.shape, self.seed)
    }
}

/// A recipe of which entries, bytes or both may be left open.
pub(crate) fn recipe(entries: Option<usize>, bytes: Option<u64>, shape: Shape, seed: u64) -> Recipe {
    let entries = entries.or_else(|| bytes.map(|bytes| (bytes / ENTRY) as usize)).unwrap_or(ENTRIES);
    let bytes = bytes.unwrap_or(entries as u64 * ENTRY);
    Recipe { shape, entries, bytes, seed, giant: 0 }
}

/// The session under measurement, in words for a report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Facts {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    /// What was generated, and in which time; nothing for a file that was there.
    #[serde(flatten)]
    pub(crate) made: Option<Generated>,
}

/// How a session was made.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Generated {
    shape: Shape,
    seed: u64,
    #[serde(flatten)]
    pub(crate) made: Made,
    generated_in_ms: f64,
}

impl Generated {
    /// The same in words.
    pub(crate) fn line(&self) -> String {
        let Made { entries, prompts, compactions, leaf_depth, branch_points, .. } = self.made;
        let seconds = self.generated_in_ms / 1e3;
        format!(
            "{entries} entries, {prompts} prompts, {branch_points} branch points, {compactions} compactions, \
             leaf at depth {leaf_depth}; {:?}, seed {}, made in {seconds:.1} s",
            self.shape, self.seed
        )
    }
}

/// A session file, and a folder for whatever Naite and the bench write, which is removed at the end.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) facts: Facts,
    folder: TempDir,
}

impl Input {
    /// Takes the file that is named, or generates one.
    pub(crate) fn of(options: &Options) -> anyhow::Result<Self> {
        options.file.as_ref().map_or_else(|| Self::made(options.recipe()), |file| Self::file(file))
    }

    /// Takes a session file that is there.
    pub(crate) fn file(file: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = std::fs::canonicalize(file).with_context(|| file.display().to_string())?;
        let bytes = std::fs::metadata(&path)?.len();
        Ok(Self { facts: Facts { path, bytes, made: None }, folder })
    }

    /// A folder without a session.
    pub(crate) fn empty() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        Ok(Self { facts: Facts { path: folder.path().into(), bytes: 0, made: None }, folder })
    }

    /// Generates a session.
    pub(crate) fn made(recipe: Recipe) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("session.jsonl");
        let made = write_recipe(&path, &recipe)?;
        Ok(Self { facts: Facts { path, bytes: made.made.bytes, made: Some(made) }, folder })
    }

    /// The same session as a file of our own, which may be written to.
    pub(crate) fn writable(self) -> anyhow::Result<Self> {
        if self.facts.made.is_some() {
            return Ok(self);
        }
        let path = self.folder.path().join("session.jsonl");
        std::fs::copy(&self.facts.path, &path)?;
        Ok(Self { facts: Facts { path, ..self.facts }, folder: self.folder })
    }

    /// The session file.
    pub(crate) fn path(&self) -> &Path {
        &self.facts.path
    }

    /// What stands for `$NAITE_HOME`.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A path beside the session, for what the yardsticks write.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Writes a session to a file that was not there before, and says what was made.
pub(crate) fn write(path: &Path, recipe: &Recipe) -> anyhow::Result<Facts> {
    let made = write_recipe(path, recipe)?;
    Ok(Facts { path: path.into(), bytes: made.made.bytes, made: Some(made) })
}

fn write_recipe(path: &Path, recipe: &Recipe) -> anyhow::Result<Generated> {
    let file = File::create_new(path).with_context(|| format!("cannot create {}", path.display()))?;
    let out = BufWriter::with_capacity(1 << 20, file);
    let (generated_in_ms, made) = measure::time(|| generator::generate(recipe, out));
    Ok(Generated { shape: recipe.shape, seed: recipe.seed, made: made?, generated_in_ms })
}

/// Whether an opening may use and write the head index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// As in the product.
    With,
    /// Every opening reads the whole file, and nothing is written.
    Without,
}

/// Opens a session as the product does, with a clock and ids that are the same on every run.
pub(crate) fn open(
    home: &Path,
    path: &Path,
    index: Index,
    access: Access,
    durability: Durability,
) -> naite_store::Result<SessionManager> {
    let fs = Arc::new(RealFs);
    let folder = index_folder(home);
    let setup = Setup {
        store: Box::new(FileStore::new(fs.clone(), home, Owner::default())),
        supply: Box::new(Counting::default()),
        place: Workplace { sessions: home.join("sessions"), cwd: "/home/user/project".into() },
        index: (index == Index::With).then(|| HeadIndex::new(fs, folder)),
        durability,
        wait: Wait::No,
    };
    SessionManager::open(setup, LogName::new(path), access)
}

/// Opens a session for looking, with the index.
pub(crate) fn open_to_read(input: &Input) -> naite_store::Result<SessionManager> {
    open(&input.home(), input.path(), Index::With, Access::Read, Durability::Never)
}

/// Where the index of a home is kept; it may be deleted at any time.
pub(crate) fn index_folder(home: &Path) -> PathBuf {
    home.join("index")
}
