//! The environment, read once: whose home, which folder, where each program keeps its sessions.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_core::entry::iso;
use naite_store::{
    Catalog, Durability, FileStore, Fs, HeadIndex, LogName, Owner, RealFs, RowCache, Setup, Store,
    StoreError, Trash, Wait, Workplace,
};

use crate::claude_code;
use crate::clock::SystemSupply;
use crate::context_root::context_root;

/// How to open a session that may be held by another process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// What to do while another process holds it.
    pub wait: Wait,
}

/// What a hook needs of the environment, which it reads in a moment: it runs with every message.
#[derive(Clone, Debug, Default)]
pub struct HookEnvironment {
    /// Naite's home, if one is known.
    pub home: Option<PathBuf>,
    /// The user's home folder.
    pub user_home: Option<PathBuf>,
    /// The working directory.
    pub cwd: PathBuf,
    /// `NAITE_CONTEXT_ROOT`.
    pub context_root: Option<PathBuf>,
    /// `PROJECT_FOR_LOG`.
    pub project: Option<String>,
    /// tmux is around: `TMUX` is set.
    pub in_tmux: bool,
    /// The pane in it, `TMUX_PANE`.
    pub tmux_pane: Option<String>,
    /// The session of Claude Code that runs this, `CLAUDE_CODE_SESSION_ID`.
    pub session_id: Option<String>,
    /// Where Claude Code keeps its settings (`CLAUDE_CONFIG_DIR`, else `~/.claude`).
    pub claude: Option<PathBuf>,
    /// The worker or something that it runs is around, which is not to be recorded.
    pub is_ours: bool,
}

/// Set for everything that the worker runs, so that its own hooks do nothing.
pub(crate) const OURS: &str = "NAITE_WORKER";

impl HookEnvironment {
    /// Says whether a test wants to see a hook break (`NAITE_TEST_BREAK`); never in a release.
    pub fn is_to_break() -> bool {
        cfg!(debug_assertions) && env::var_os("NAITE_TEST_BREAK").is_some()
    }

    /// Reads the environment of this process.
    pub fn read() -> Self {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let user_home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        Self {
            home: set("NAITE_HOME").or_else(|| user_home.as_ref().map(|home| home.join(".naite"))),
            cwd: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            context_root: set("NAITE_CONTEXT_ROOT"),
            project: text("PROJECT_FOR_LOG"),
            in_tmux: text("TMUX").is_some(),
            tmux_pane: text("TMUX_PANE"),
            session_id: text("CLAUDE_CODE_SESSION_ID"),
            claude: set("CLAUDE_CONFIG_DIR").or_else(|| user_home.as_ref().map(|home| home.join(".claude"))),
            is_ours: text(OURS).is_some(),
            user_home,
        }
    }
}

/// What the environment says about the person's terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The locale of messages (`LC_ALL`, else `LC_MESSAGES`, else `LANG`).
    pub locale: Option<String>,
    /// No colours are wanted (`NO_COLOR`).
    pub no_color: bool,
    /// The terminal's ground is light (`COLORFGBG`).
    pub light: bool,
    /// It runs in tmux.
    pub tmux: bool,
    /// The terminal can do nothing but print (`TERM=dumb`).
    pub dumb: bool,
}

impl Surroundings {
    fn read(set: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let text = |name: &str| set(name).map(|value| value.to_string_lossy().into_owned());
        let ground = text("COLORFGBG").and_then(|colours| colours.rsplit(';').next()?.parse::<u8>().ok());
        Self {
            locale: text("LC_ALL").or_else(|| text("LC_MESSAGES")).or_else(|| text("LANG")),
            no_color: set("NO_COLOR").is_some(),
            light: ground.is_some_and(|ground| ground == 7 || ground == 15),
            tmux: set("TMUX").is_some(),
            dumb: text("TERM").as_deref() == Some("dumb"),
        }
    }
}

/// The time zone that `TZ` names, if it names one.
pub(crate) fn time_zone() -> Option<String> {
    env::var("TZ").ok()
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Naite's home (`NAITE_HOME`, else `~/.naite`).
    pub home: PathBuf,
    /// The working directory without links.
    pub cwd: PathBuf,
    /// The user's home folder, if it is known.
    pub user_home: Option<PathBuf>,
    /// Where pi keeps its sessions.
    pub pi: Option<PathBuf>,
    /// Where oh-my-pi keeps its sessions.
    pub omp: Option<PathBuf>,
    /// Where Claude Code keeps its transcripts, a folder for each project.
    pub claude: Option<PathBuf>,
    /// Where oh-my-pi keeps images, by their SHA-256.
    pub omp_blobs: Option<PathBuf>,
    context_setting: Option<PathBuf>,
    /// What is known of the terminal.
    pub surroundings: Surroundings,
    fs: Arc<dyn Fs>,
    owner: Owner,
}

impl Environment {
    /// Reads the environment of this process; `program` is what others learn when a session is held.
    pub fn read(program: &str) -> io::Result<Self> {
        let user_home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let in_home = |path: &str| user_home.as_ref().map(|home| home.join(path));
        let home = set("NAITE_HOME").or_else(|| in_home(".naite")).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "neither NAITE_HOME nor a home folder is set")
        })?;
        let cwd = env::current_dir()?;
        let omp_xdg = set("XDG_DATA_HOME").map(|data| data.join("omp/sessions")).filter(|path| path.is_dir());
        Ok(Self {
            home: std::path::absolute(home)?,
            cwd: cwd.canonicalize().unwrap_or(cwd),
            pi: set("PI_CODING_AGENT_SESSION_DIR").or_else(|| in_home(".pi/agent/sessions")),
            omp_blobs: omp_xdg
                .as_ref()
                .map_or_else(|| in_home(".omp/agent/blobs"), |omp| Some(omp.with_file_name("blobs"))),
            surroundings: Surroundings::read(set),
            omp: omp_xdg.or_else(|| in_home(".omp/agent/sessions")),
            claude: set("CLAUDE_CONFIG_DIR")
                .or_else(|| in_home(".claude"))
                .map(|folder| folder.join("projects")),
            context_setting: set("NAITE_CONTEXT_ROOT"),
            user_home,
            fs: Arc::new(RealFs),
            owner: Owner {
                pid: std::process::id(),
                since: iso(SystemSupply::millis()),
                host: gethostname::gethostname().to_string_lossy().into_owned(),
                program: program.into(),
            },
        })
    }

    /// The same environment seen from another home and folder: for samples and tests.
    pub fn at(&self, home: &Path, cwd: &Path) -> Self {
        let context_setting = Some(home.join(".ai-core"));
        Self {
            home: home.into(),
            cwd: cwd.into(),
            pi: None,
            omp: None,
            claude: None,
            context_setting,
            ..self.clone()
        }
    }

    /// The file system.
    pub fn fs(&self) -> &Arc<dyn Fs> {
        &self.fs
    }

    /// The working directory as session headers have it.
    pub fn cwd_text(&self) -> String {
        self.cwd.to_string_lossy().into_owned()
    }

    /// Where Naite's own sessions are.
    pub fn sessions(&self) -> PathBuf {
        self.home.join("sessions")
    }

    /// Where new sessions go.
    pub fn workplace(&self) -> Workplace {
        Workplace { sessions: self.sessions(), cwd: self.cwd_text() }
    }

    /// The root of the context store; `given` is what the command line names.
    pub fn context_root(&self, given: Option<&Path>) -> Option<PathBuf> {
        let (set, home) = (self.context_setting.as_deref(), self.user_home.as_deref());
        context_root(self.fs.as_ref(), given, set, &self.cwd, home)
    }

    /// Every folder that holds session files that Naite grows: its own first.
    pub fn session_folders(&self) -> Vec<PathBuf> {
        [Some(self.sessions()), self.pi.clone(), self.omp.clone()].into_iter().flatten().collect()
    }

    /// The sessions in folders, read through the cache of rows.
    pub fn catalog(&self, folders: &[PathBuf]) -> Catalog {
        Catalog::read(&self.fs, folders, Some(&self.rows()), &|| self.store())
    }

    /// The transcripts of Claude Code, added to a catalog. A file in which nothing was said yet is no session.
    pub fn add_claude_code(&self, catalog: Catalog) -> Catalog {
        let files = claude_code::transcripts(self);
        let mut catalog = catalog.with(&self.fs, &files, Some(&self.rows()), &|| self.store());
        let is_transcript = |path: &PathBuf| files.contains(path);
        catalog.rows.retain(|row| row.program.is_none() || row.active != 0);
        catalog.unreadable.retain(|file| {
            !(matches!(file.error, StoreError::NotASession { .. }) && is_transcript(&file.path))
        });
        catalog
    }

    /// The sessions of every place and program.
    pub fn everything(&self) -> Catalog {
        self.add_claude_code(self.catalog(&self.session_folders()))
    }

    /// Reads the sessions of every place and program in batches, those of the working directory first, then the
    /// newest files of each place; `false` of `each` ends it.
    pub fn in_batches(&self, each: &mut dyn FnMut(Catalog) -> bool) {
        let mut first = Catalog::default();
        let here = self.workplace().folder(&self.cwd_text());
        let folders = self.session_folders();
        let mut files = Catalog::files(&self.fs, &folders, &mut first.unreadable);
        let transcripts = claude_code::transcripts(self);
        files.extend(transcripts.iter().cloned());
        // Names of session files begin with the time of their making.
        let rank =
            |path: &PathBuf| (!path.starts_with(&here), Reverse(path.file_name().map(OsStr::to_owned)));
        files.sort_by_cached_key(rank);
        let transcripts: HashSet<PathBuf> = transcripts.into_iter().collect();
        if !first.unreadable.is_empty() && !each(first) {
            return;
        }
        let mut sift = |mut batch: Catalog| {
            batch.rows.retain(|row| row.program.is_none() || row.active != 0);
            batch.unreadable.retain(|file| {
                !(matches!(file.error, StoreError::NotASession { .. }) && transcripts.contains(&file.path))
            });
            each(batch)
        };
        let (cache, store) = (self.rows(), || self.store());
        Catalog::in_batches(&self.fs, &files, &folders, Some(&cache), &store, &mut sift);
    }

    /// Says whether some process has a session open for growing it.
    pub fn is_held(&self, path: &Path) -> bool {
        let store = FileStore::new(Arc::clone(&self.fs), &self.home, self.owner.clone());
        store.is_held(&LogName::new(path))
    }

    fn rows(&self) -> RowCache {
        RowCache::new(Arc::clone(&self.fs), self.home.join("index/rows"))
    }

    /// Deleted sessions.
    pub fn trash(&self) -> Trash {
        Trash::new(Arc::clone(&self.fs), self.home.join("trash"))
    }

    /// Session logs as files.
    pub fn store(&self) -> Box<dyn Store> {
        Box::new(FileStore::new(Arc::clone(&self.fs), &self.home, self.owner.clone()))
    }

    /// What opening a session needs.
    pub fn setup(&self, holding: Holding) -> Setup {
        Setup {
            store: self.store(),
            supply: Box::new(SystemSupply),
            place: self.workplace(),
            index: Some(HeadIndex::new(Arc::clone(&self.fs), self.home.join("index"))),
            durability: Durability::Turn,
            wait: holding.wait,
        }
    }
}
