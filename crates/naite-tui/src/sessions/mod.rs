//! The session picker as a value: which sessions it lists, what keys make of it, what it wants done.
//!
//! The driver feeds [`Message`]s, does the [`Effect`]s that come back, and draws with [`view`]. Rows come in batches
//! while files are being read; the text inside of sessions is searched by the driver, which says what it found.

mod order;
mod page;
mod update;
mod view;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;

use naite_core::text::Needles;

pub use order::{Listed, Scope, Sort, listed};
pub use page::Page;
pub use view::{list_rows, view};

use crate::editor::Editor;
use crate::key::Event;
use crate::keymap::Keymap;
use crate::theme::Theme;
use crate::words::Words;

/// The program whose session it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    /// Naite.
    #[default]
    Naite,
    /// pi.
    Pi,
    /// oh-my-pi.
    Omp,
    /// Claude Code, whose transcripts are only read.
    ClaudeCode,
}

impl Agent {
    /// All programs, in the order in which scopes go through them.
    pub const ALL: [Self; 4] = [Self::Naite, Self::Pi, Self::Omp, Self::ClaudeCode];

    /// The name, as `naite sessions --from` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Naite => "naite",
            Self::Pi => "pi",
            Self::Omp => "omp",
            Self::ClaudeCode => "claude-code",
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }
}

/// What became of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Its last turn came to its end.
    #[default]
    Complete,
    /// Its last turn was stopped, or nobody answered.
    Interrupted,
    /// Its last turn failed.
    Error,
}

/// A session of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Its file, by which it is known.
    pub file: PathBuf,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// The first thing the person said.
    pub first_prompt: Option<String>,
    /// Its folder, with `~` for the home.
    pub folder: Option<String>,
    /// Its folder is the one in which the picker was started.
    pub is_here: bool,
    /// The time of its last entry, Unix milliseconds.
    pub active: i64,
    /// Messages.
    pub messages: usize,
    /// Bytes of its file.
    pub bytes: u64,
    /// Whose it is.
    pub agent: Agent,
    /// What became of it.
    pub state: State,
    /// Some process has it open for growing it.
    pub is_open: bool,
    /// Its labels.
    pub labels: Vec<String>,
    /// The session that it came from: a file or an id.
    pub parent: Option<String>,
    /// How many things are wrong with the file.
    pub defects: usize,
}

impl Row {
    /// What the session is called: its name, else its first prompt.
    pub fn title(&self) -> Option<&str> {
        let said = |text: &&str| !text.trim().is_empty();
        self.name.as_deref().filter(said).or(self.first_prompt.as_deref().filter(said))
    }

    /// The text by which it is found before its file is looked through, folded.
    pub fn search_text(&self) -> String {
        let parts = [self.name.as_deref(), self.first_prompt.as_deref(), self.folder.as_deref()];
        let labels = self.labels.iter().map(String::as_str);
        let all: Vec<&str> =
            parts.into_iter().flatten().chain(labels).chain([self.agent.name(), &self.id]).collect();
        naite_core::text::fold(&all.join("\n")).into_owned()
    }
}

/// A file that could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The file or folder.
    pub file: String,
    /// Why, as a sentence.
    pub reason: String,
}

/// A session in the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Its name in the trash.
    pub name: String,
    /// Where it was.
    pub path: String,
    /// When it was deleted, as people read it.
    pub time: String,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// Anything else.
    Other,
}

/// The last things said in a session, the oldest first.
pub type Said = Vec<(Speaker, String)>;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A key, the mouse or a paste.
    Input(Event),
    /// The window has another size: columns and rows.
    Resized(u16, u16),
    /// It is so late, Unix milliseconds.
    Now(i64),
    /// The files are read from the beginning.
    Reading,
    /// Some were read.
    Batch {
        /// Sessions; those that are known already are replaced.
        rows: Vec<Row>,
        /// Files that could not be read.
        unreadable: Vec<Unreadable>,
    },
    /// All were read: what did not come since [`Message::Reading`] is gone.
    Read,
    /// The text of sessions holds the words that were searched.
    Found {
        /// Which search.
        search: u64,
        /// Files that hold all words.
        files: Vec<PathBuf>,
        /// How many files were looked through since the last message.
        searched: usize,
    },
    /// The last messages of a session that was asked for.
    Preview {
        /// The session.
        file: PathBuf,
        /// What was said.
        said: Said,
    },
    /// The pinned sessions, by id.
    Pins(HashSet<String>),
    /// What is in the trash.
    Trash(Vec<Deleted>),
    /// Something to be told.
    Told(Notice),
}

/// What the driver has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Open a session in the navigator.
    Open(PathBuf),
    /// Load the last messages of a session; an earlier wish is void.
    Preview(PathBuf),
    /// Look through the text of sessions. A greater number of search makes all lesser ones void.
    Search {
        /// Which search; a number is used again for sessions that came later.
        search: u64,
        /// The words.
        query: String,
        /// The files, with the text by which they are known already.
        files: Vec<(PathBuf, String)>,
    },
    /// Pin a session, or unpin it.
    Pin {
        /// Its id.
        id: String,
        /// Pin it.
        on: bool,
    },
    /// Name a session; an empty name clears it.
    Rename {
        /// Its file.
        file: PathBuf,
        /// The name.
        name: String,
    },
    /// Move a session to the trash.
    Delete(PathBuf),
    /// List the trash.
    ListTrash,
    /// Bring a session back, by its name in the trash.
    Restore(String),
    /// Read the list anew.
    Reload,
    /// Close.
    Close,
}

/// What is said below the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A session was named, or its name cleared.
    Renamed(Option<String>),
    /// A session is in the trash.
    Deleted,
    /// A session came back.
    Restored,
    /// A session of this agent is only read.
    ReadOnly(Agent),
    /// Only Naite's own sessions are deleted.
    NotOurs(Agent),
    /// Something that went well, in words.
    Done(String),
    /// Something failed, as a sentence.
    Failed(String),
}

/// What never changes while a picker is open.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Keys.
    pub keymap: Keymap,
    /// Colours.
    pub theme: Theme,
    /// Language.
    pub words: Words,
    /// The scope to start with.
    pub scope: Scope,
    /// The search to start with.
    pub query: String,
}

/// What is in front.
#[derive(Clone, Debug, PartialEq)]
enum Mode {
    List,
    Rename { file: PathBuf, editor: Editor },
    Delete { file: PathBuf, choice: usize },
    Trash { items: Vec<Deleted>, selected: usize },
    Page(Page),
}

/// The picker.
#[derive(Clone, Debug)]
pub struct Picker {
    settings: Settings,
    size: (u16, u16),
    now: i64,
    rows: Vec<Row>,
    /// What each row is found by, folded.
    texts: Vec<String>,
    /// Each row's parent among the rows; circles are cut.
    parents: Vec<Option<usize>>,
    by_file: HashMap<PathBuf, usize>,
    pins: HashSet<String>,
    unreadable: Vec<Unreadable>,
    /// Which rows came since reading began, while it goes on.
    seen: Option<HashSet<PathBuf>>,
    scope: Scope,
    sort: Sort,
    threads: bool,
    query: String,
    needles: Needles,
    search: u64,
    /// Files whose text holds the words.
    hits: HashSet<PathBuf>,
    /// Files that were given to the search, and how many of them it has looked through.
    asked: HashSet<PathBuf>,
    searched: usize,
    /// What is listed, in order.
    list: Vec<Listed>,
    selected: usize,
    /// A person chose the selected row, so that it stays selected.
    is_chosen: bool,
    mode: Mode,
    notice: Option<Notice>,
    preview: Option<(PathBuf, Said)>,
    asked_preview: Option<PathBuf>,
    lines: Vec<(Speaker, String)>,
    scroll: usize,
}

impl Picker {
    /// A picker without sessions yet, and what it needs first.
    pub fn new(settings: Settings, size: (u16, u16), now: i64) -> (Self, Vec<Effect>) {
        let mut picker = Self {
            size,
            now,
            rows: Vec::new(),
            texts: Vec::new(),
            parents: Vec::new(),
            by_file: HashMap::new(),
            pins: HashSet::new(),
            unreadable: Vec::new(),
            seen: None,
            scope: settings.scope,
            sort: Sort::default(),
            threads: true,
            query: String::new(),
            needles: Needles::default(),
            search: 0,
            hits: HashSet::new(),
            asked: HashSet::new(),
            searched: 0,
            list: Vec::new(),
            selected: 0,
            is_chosen: false,
            mode: Mode::List,
            notice: None,
            preview: None,
            asked_preview: None,
            lines: Vec::new(),
            scroll: 0,
            settings,
        };
        let query = picker.settings.query.clone();
        let mut effects = vec![Effect::Reload];
        effects.extend(picker.set_query(query));
        (picker, effects)
    }

    /// The sessions that are listed, in order, with their depth in their thread.
    pub fn listed(&self) -> impl Iterator<Item = (&Row, usize)> {
        self.list.iter().map(|listed| (&self.rows[listed.row], listed.depth))
    }

    /// The selected session.
    pub fn selection(&self) -> Option<&Row> {
        self.list.get(self.selected).map(|listed| &self.rows[listed.row])
    }

    /// The scope.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// What is searched.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// How many of how many files were looked through, while a search goes on.
    pub fn searching(&self) -> Option<(usize, usize)> {
        (self.searched < self.asked.len()).then_some((self.searched, self.asked.len()))
    }

    /// Says whether files are still being read.
    pub fn is_reading(&self) -> bool {
        self.seen.is_some()
    }

    /// The rows of the list that are seen, in a window of so many.
    fn window(&self, rows: usize) -> Range<usize> {
        let start = self.selected.saturating_sub(rows / 2).min(self.list.len().saturating_sub(rows));
        start..(start + rows).min(self.list.len())
    }
}
