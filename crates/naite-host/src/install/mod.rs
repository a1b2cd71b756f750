//! Puts Naite's hooks and commands into Claude Code's settings, and takes out exactly that again.
//!
//! [`plan`] and [`removal`] decide on text alone; what they decide is a list of [`Change`]s, which [`carry_out`] does.
//! What a settings file was before is kept in Naite's home, so that taking out gives back the same bytes if nobody
//! changed the file meanwhile; if somebody did, only our entries go.

mod commands;
mod settings;

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use naite_context::payload::Event;
use naite_core::entry::iso;
use naite_core::text::json::{self, Object, ObjectWriter};
use sha2::{Digest, Sha256};

pub use settings::{Installed, SettingsProblem};

/// Where the settings of Claude Code are that are changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The folder `.claude`.
    pub folder: PathBuf,
    /// How the hooks call Naite: a path, or a name that is on the search path.
    pub program: String,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A file cannot be read or written.
    #[error("cannot {verb} {}: {source}", path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The settings cannot be understood, so they are left alone.
    #[error("{} {problem}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: SettingsProblem,
    },
    /// A command of this name is there, and it is not ours.
    #[error("{} is somebody else's command", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}

/// A file that is to be different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What it holds now, if it is there.
    pub before: Option<Vec<u8>>,
    /// What it is to hold; `None` if it goes.
    pub after: Option<Vec<u8>>,
}

/// What is to be done, and what is to be said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files to write or remove, in this order.
    pub changes: Vec<Change>,
    /// Files of ours that somebody changed since: they stay.
    pub kept: Vec<PathBuf>,
}

type Result<T> = std::result::Result<T, InstallError>;

fn io_error<'a>(verb: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> InstallError + 'a {
    move |source| InstallError::Io { verb, path: path.into(), source }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read", path)(error)),
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Target {
    /// The settings file; through a link, the file that it leads to.
    pub fn settings(&self) -> PathBuf {
        let path = self.folder.join("settings.json");
        path.canonicalize().unwrap_or(path)
    }

    fn commands(&self) -> PathBuf {
        self.folder.join("commands")
    }

    /// Where Naite keeps what the settings were before.
    fn record(&self, home: &Path) -> PathBuf {
        let name = hash(self.settings().as_os_str().as_encoded_bytes());
        home.join("install").join(format!("claude-code-{}.json", &name[..16]))
    }

    /// The hooks of ours that the settings have.
    pub fn installed(&self) -> Result<Vec<Installed>> {
        let path = self.settings();
        let Some(bytes) = read(&path)? else { return Ok(Vec::new()) };
        settings::installed(&text(&path, bytes)?).map_err(|problem| InstallError::Settings { path, problem })
    }
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String> {
    let problem = SettingsProblem::NotJson("it is no UTF-8 text".into());
    String::from_utf8(bytes).map_err(|_| InstallError::Settings { path: path.into(), problem })
}

/// What has to change so that hooks and commands are installed; nothing, if they are.
pub fn plan(target: &Target, home: &Path, now: i64) -> Result<Plan> {
    let path = target.settings();
    let before = read(&path)?;
    let old = before.clone().map(|bytes| text(&path, bytes)).transpose()?;
    let new = settings::with_hooks(old.as_deref().unwrap_or_default(), &target.program)
        .map_err(|problem| InstallError::Settings { path: path.clone(), problem })?;
    let mut plan = Plan::default();
    let mut ours = Vec::new();
    for (name, body) in commands::all(&target.program) {
        let path = target.commands().join(name);
        let there = read(&path)?;
        if there.as_deref().is_some_and(|bytes| !commands::is_ours(bytes)) {
            return Err(InstallError::Foreign { path });
        }
        ours.push((path.clone(), hash(body.as_bytes())));
        plan.change(path, there, Some(body.into_bytes()));
    }
    let record_path = target.record(home);
    let record = read(&record_path)?;
    if old.as_deref() != Some(new.as_str()) {
        let known = record.as_deref().and_then(Record::parse);
        // What was there before the first time counts, as long as nobody else changed it since.
        let first = known
            .filter(|known| before.as_deref().map(hash).as_deref() == Some(&known.after))
            .map_or_else(|| before.clone(), |known| known.before);
        let text = Record { before: first, after: hash(new.as_bytes()), commands: ours }.to_json(&path, now);
        plan.change(record_path, record, Some(text.into_bytes()));
        plan.change(path, before, Some(new.into_bytes()));
    }
    Ok(plan)
}

/// What has to change so that nothing of ours is left.
pub fn removal(target: &Target, home: &Path) -> Result<Plan> {
    let mut plan = Plan::default();
    let record_path = target.record(home);
    let record_bytes = read(&record_path)?;
    let record = record_bytes.as_deref().and_then(Record::parse);
    let path = target.settings();
    if let Some(bytes) = read(&path)? {
        let is_untouched = record.as_ref().is_some_and(|record| record.after == hash(&bytes));
        let after = match record.as_ref().filter(|_| is_untouched) {
            Some(record) => record.before.clone(),
            None => {
                let old = text(&path, bytes.clone())?;
                let new = settings::without_hooks(&old)
                    .map_err(|problem| InstallError::Settings { path: path.clone(), problem })?;
                Some(new.into_bytes())
            }
        };
        plan.change(path, Some(bytes), after);
    }
    for (name, _) in commands::all(&target.program) {
        let path = target.commands().join(name);
        let Some(bytes) = read(&path)? else { continue };
        let known =
            record.as_ref().and_then(|record| record.commands.iter().find(|(known, _)| *known == path));
        let is_ours = known.map_or(commands::is_ours(&bytes), |(_, written)| *written == hash(&bytes));
        if is_ours {
            plan.change(path, Some(bytes), None);
        } else {
            plan.kept.push(path);
        }
    }
    if record_bytes.is_some() {
        plan.change(record_path, record_bytes, None);
    }
    Ok(plan)
}

impl Plan {
    fn change(&mut self, path: PathBuf, before: Option<Vec<u8>>, after: Option<Vec<u8>>) {
        if before != after {
            self.changes.push(Change { path, before, after });
        }
    }
}

/// Does what was planned. A file that changed since is left alone, and so is all that was to follow. What the
/// settings were is kept below `home/backups`.
pub fn carry_out(plan: &Plan, home: &Path, now: i64) -> Result<()> {
    for change in &plan.changes {
        if read(&change.path)? != change.before {
            return Err(io_error("change", &change.path)(io::Error::other(
                "it changed meanwhile; try again",
            )));
        }
        let is_settings = change.path.file_name().is_some_and(|name| name == "settings.json");
        if let Some(before) = change.before.as_ref().filter(|_| is_settings) {
            let name = format!("claude-code-settings-{}.json", iso(now).replace(':', "-"));
            write(&home.join("backups").join(name), before, None)?;
        }
        match &change.after {
            Some(after) => write(&change.path, after, change.before.as_ref().map(|_| change.path.as_path()))?,
            None => {
                std::fs::remove_file(&change.path).map_err(io_error("remove", &change.path))?;
                // The folder goes with its last file, if it was made for it; it stays if anything is in it.
                if let Some(folder) = change.path.parent().filter(|folder| folder.ends_with("commands")) {
                    let _ = std::fs::remove_dir(folder);
                }
            }
        }
    }
    Ok(())
}

/// Writes a file whole or not at all, with the permissions of `like`, else for its owner alone.
fn write(path: &Path, bytes: &[u8], like: Option<&Path>) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io_error("create", folder))?;
    let mut beside = tempfile::NamedTempFile::new_in(folder).map_err(io_error("create", path))?;
    io::Write::write_all(&mut beside, bytes).map_err(io_error("write", path))?;
    if let Some(like) = like {
        let permissions = std::fs::metadata(like).map_err(io_error("read", like))?.permissions();
        beside.as_file().set_permissions(permissions).map_err(io_error("write", path))?;
    }
    beside.as_file().sync_all().map_err(io_error("write", path))?;
    beside.persist(path).map_err(|error| io_error("replace", path)(error.error))?;
    Ok(())
}

/// What is remembered of an installation.
struct Record {
    /// The settings before it.
    before: Option<Vec<u8>>,
    /// The hash of the settings after it.
    after: String,
    /// The commands and the hashes of what was written.
    commands: Vec<(PathBuf, String)>,
}

impl Record {
    fn to_json(&self, settings: &Path, now: i64) -> String {
        let before = self.before.as_ref().map(|bytes| STANDARD.encode(bytes));
        let commands = self.commands.iter().map(|(path, hash)| {
            ObjectWriter::new().str("path", &path.to_string_lossy()).str("sha256", hash).end()
        });
        ObjectWriter::new()
            .str("settings", &settings.to_string_lossy())
            .str("at", &iso(now))
            .str_or_null("before", before.as_deref())
            .str("after_sha256", &self.after)
            .raw("commands", &json::join(commands))
            .end()
            + "\n"
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let object = Object::parse(std::str::from_utf8(bytes).ok()?)?;
        let before = object.str("before").map(|text| STANDARD.decode(text.as_bytes()));
        let command = |raw: &str| {
            let object = Object::parse(raw)?;
            Some((PathBuf::from(object.str("path")?.as_ref()), object.str("sha256")?.into_owned()))
        };
        Some(Self {
            before: before.transpose().ok()?,
            after: object.str("after_sha256")?.into_owned(),
            commands: json::array(object.raw("commands")?)?.into_iter().filter_map(command).collect(),
        })
    }
}

/// The Makefile target that names the project of a session: `make claude PROJECT=xxx`.
pub const MAKE: &str = "\
.PHONY: claude
claude:
\tPROJECT_FOR_LOG=\"$(PROJECT)\" claude $(ARGS)
";

/// The events that are installed.
fn events() -> impl Iterator<Item = Event> {
    Event::ALL.into_iter()
}
