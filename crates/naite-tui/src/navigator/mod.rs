//! The `/tree` navigator as a value: what it shows, what keys make of it, what it wants done (`tree-navigator.md`).
//!
//! The driver feeds [`Message`]s, does the [`Effect`]s that come back, and draws with [`view`]. The tree itself stays
//! with the driver; rows, full entries and search texts are loaded when they are needed.

mod compare;
mod page;
mod update;
mod view;

use std::collections::HashMap;
use std::ops::Range;

use naite_core::outline::{Filter, List, Progress};
use naite_core::{Ix, Tree};

pub use compare::{Comparison, Side};
pub use page::Page;
pub use view::{cursor, view, visible_rows};

use crate::editor::Editor;
use crate::key::Event;
use crate::keymap::Keymap;
use crate::theme::Theme;
use crate::words::Words;

/// Columns from which on the preview is shown.
const PREVIEW_FROM: u16 = 100;
/// Rows that are remembered at most.
const REMEMBERED: usize = 4096;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A key, the mouse or a paste.
    Input(Event),
    /// The window has another size: columns and rows.
    Resized(u16, u16),
    /// Rows that were asked for.
    Rows(Vec<(Ix, RowWords)>),
    /// An entry in full that was asked for.
    Detail(Detail),
    /// The comparison that was asked for.
    Compared(Comparison),
    /// The session grew, or its leaf or labels changed.
    Grew {
        /// How many entries are new.
        entries: usize,
    },
    /// The file was replaced: places of entries mean nothing any more. What was selected is where it is now.
    Replaced {
        /// The entry that was selected, if it is still there.
        selected: Option<Ix>,
    },
    /// Something to be told.
    Told(Notice),
    /// An effect could not be done because the session cannot grow.
    CannotGrow {
        /// The entry that was chosen.
        entry: Ix,
        /// Why.
        why: WhyNot,
    },
    /// The summary that was under way ended without one; nothing moved.
    SummaryEnded(Notice),
    /// Time passed: the loader turns.
    Tick,
}

/// What the driver has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Load the words of rows.
    Rows(Vec<Ix>),
    /// Load an entry: in full, or for the preview, where a huge one may be left out.
    Detail {
        /// The entry.
        entry: Ix,
        /// However long it is.
        full: bool,
    },
    /// Write a label; `None` clears it.
    SetLabel {
        /// The entry.
        entry: Ix,
        /// The label.
        label: Option<String>,
    },
    /// Move the leaf as `/tree` does.
    Go {
        /// The entry that was chosen.
        entry: Ix,
        /// What to do about the branch that is left.
        summary: Summary,
    },
    /// Stop the summary that is under way.
    AbortSummary,
    /// Copy the text of an entry.
    Copy(Ix),
    /// Make a new session file of the branch up to an entry.
    Branch(Ix),
    /// Copy the whole session into a new file.
    Fork,
    /// Copy the session and go on at an entry in the copy.
    Continue(Ix),
    /// Compare two branches.
    Compare(Ix, Ix),
    /// Close.
    Close(Outcome),
}

/// What to do about the branch that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Summary {
    /// Nothing.
    None,
    /// Summarise it.
    Plain,
    /// Summarise it with a prompt of the person.
    Custom(String),
}

/// How the navigator ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Closed without a choice.
    Closed,
    /// The leaf was chosen, where everything is already.
    AlreadyThere,
}

/// Why a session cannot grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// Its format is newer than this program.
    Newer,
    /// It is the transcript of another agent.
    Foreign,
    /// Another process holds it.
    Held(String),
    /// Something else, as a sentence.
    Refused(String),
}

/// What is said below the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The text was copied.
    Copied,
    /// There was no text.
    NothingToCopy,
    /// The text is longer than a terminal takes.
    TooLongToCopy,
    /// A label was set (`Some`) or cleared.
    Labelled(Option<String>),
    /// A new file was made of a branch.
    BranchMade(String),
    /// The session was copied.
    ForkMade(String),
    /// So many things are wrong with the file.
    Damaged(usize),
    /// Another program appended entries.
    Grew(usize),
    /// Another program replaced the file.
    Replaced,
    /// The file was deleted.
    Gone,
    /// An entry is marked for comparing.
    Marked,
    /// Both entries are on one branch.
    OneBranch,
    /// The summary was stopped.
    SummaryStopped,
    /// There is no model that could summarise.
    NoSummarizer,
    /// Something failed, as a sentence.
    Failed(String),
}

/// The words of a row, as the driver loaded them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowWords {
    /// The text (see [`naite_core::outline::row_text`]).
    pub text: String,
    /// The effective label.
    pub label: Option<String>,
}

/// An entry in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The entry.
    pub entry: Option<Ix>,
    /// Its id.
    pub id: String,
    /// Its time as people read it.
    pub time: String,
    /// The model that said it.
    pub model: Option<String>,
    /// Its tokens as people read them.
    pub tokens: Option<String>,
    /// Its effective label.
    pub label: Option<String>,
    /// Its text, harmless, on lines.
    pub text: String,
    /// Text was left out at the end.
    pub is_cut: bool,
    /// The text was loaded; else the entry is too long to be loaded in passing.
    pub is_whole: bool,
    /// How many MB it has, if it was not loaded.
    pub megabytes: Option<String>,
}

/// What never changes while a navigator is open.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What the session is called.
    pub title: String,
    /// Keys.
    pub keymap: Keymap,
    /// Colours.
    pub theme: Theme,
    /// Language.
    pub words: Words,
    /// The filter to start with.
    pub filter: Filter,
    /// Ask for a summary when a branch is left (`branchSummary.enabled`).
    pub asks_for_summary: bool,
    /// Why the session cannot grow, if that is known from the start.
    pub fixed: Option<WhyNot>,
}

/// What is in front.
#[derive(Clone, Debug, PartialEq)]
enum Mode {
    List,
    Label { entry: Ix, editor: Editor },
    Summary { entry: Ix, choice: usize },
    Prompt { entry: Ix, editor: Editor },
    Summarizing { entry: Ix, ticks: usize },
    Offers { entry: Ix, why: WhyNot, choice: usize },
    Page(Box<Page>),
}

/// The navigator.
#[derive(Clone, Debug)]
pub struct Navigator {
    list: List,
    settings: Settings,
    size: (u16, u16),
    rows: HashMap<Ix, Line>,
    mode: Mode,
    query: String,
    detail: Detail,
    wrapped: Vec<Range<usize>>,
    /// Lines of the preview above its window.
    scroll: usize,
    /// A person scrolled it, so that a search does not any more.
    scrolled: bool,
    notice: Option<Notice>,
    mark: Option<Ix>,
    /// What was asked for and did not come yet.
    asked_detail: Option<Ix>,
    wants_full: bool,
}

/// A row as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    words: RowWords,
    look: Look,
}

/// What kind of thing a row is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    User,
    Assistant,
    Tool,
    Summary,
    Quiet,
    Broken,
}

impl Navigator {
    /// A navigator over a session, the selection on the leaf, and what it needs first.
    pub fn new(tree: &Tree, leaf: Option<Ix>, settings: Settings, size: (u16, u16)) -> (Self, Vec<Effect>) {
        let mut navigator = Self {
            list: List::new(tree, leaf, settings.filter),
            settings,
            size,
            rows: HashMap::new(),
            mode: Mode::List,
            query: String::new(),
            detail: Detail::default(),
            wrapped: Vec::new(),
            scroll: 0,
            scrolled: false,
            notice: None,
            mark: None,
            asked_detail: None,
            wants_full: false,
        };
        let effects = navigator.needs();
        (navigator, effects)
    }

    /// The list.
    pub fn list(&self) -> &List {
        &self.list
    }

    /// Makes the search go on by about so many bytes of text. [`Self::put_text`] brings what it wants.
    pub fn search(&mut self, budget: usize) -> Progress {
        self.list.search(budget)
    }

    /// Brings the text by which an entry is found, folded.
    pub fn put_text(&mut self, entry: Ix, folded: &str) {
        self.list.put_text(entry, folded);
    }

    /// Shows what the search found since.
    pub fn show_found(&mut self, tree: &Tree) -> Vec<Effect> {
        self.list.show_found(tree);
        self.needs()
    }

    /// Says whether the loader turns, so that [`Message::Tick`] is wanted.
    pub fn is_turning(&self) -> bool {
        matches!(self.mode, Mode::Summarizing { .. })
    }

    /// Bytes of memory that the navigator takes, texts included.
    pub fn bytes(&self) -> usize {
        let line = |line: &Line| line.words.text.capacity() + size_of::<Line>() + size_of::<Ix>();
        let text = self.detail.text.capacity() + self.wrapped.capacity() * size_of::<Range<usize>>();
        self.list.bytes() + self.rows.values().map(line).sum::<usize>() + text
    }
}
