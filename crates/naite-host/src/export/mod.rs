//! A session as a document for people (Markdown, one HTML page) or as data for other programs (JSON).
//!
//! [`collect`] reads a branch or the whole tree into a [`Conversation`], with secrets masked unless that is refused;
//! everything behind it ([`markdown`], [`html`], [`json`]) is a pure function from that value to text.

mod collect;
mod html;
mod json;
mod markdown;
mod parts;
mod rich;

use std::collections::HashSet;

use naite_core::entry::{Kind, Role};
use naite_core::outline::Caller;

pub use collect::{Choice, Scope, collect};
pub use html::html;
pub use json::json;
pub use markdown::markdown;

/// What is exported.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// The session's name.
    pub name: Option<String>,
    /// The session id.
    pub session: String,
    /// The working directory.
    pub folder: Option<String>,
    /// When the session was made, as the header has it.
    pub created: Option<String>,
    /// The leaf: the end of the branch, or of the active path.
    pub leaf: Option<String>,
    /// All branches are there, not only the one to the leaf.
    pub whole: bool,
    /// Secrets are masked.
    pub masked: bool,
    /// The entries: root to leaf, or in the order of rows.
    pub turns: Vec<Turn>,
    /// The rows of the drawn tree.
    pub rows: Vec<Row>,
    /// The ids of calls whose results are among the entries.
    pub answered: HashSet<String>,
}

/// One entry.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Its id.
    pub id: String,
    /// Its parent's place in [`Conversation::turns`].
    pub parent: Option<usize>,
    /// What it is.
    pub kind: Kind,
    /// Who speaks, of a message.
    pub role: Role,
    /// Unix milliseconds.
    pub at: i64,
    /// Provider and model of an answer.
    pub model: Option<String>,
    /// Its label.
    pub label: Option<String>,
    /// It lies on the path to the leaf.
    pub active: bool,
    /// The call that a tool result answers.
    pub call: Option<Caller>,
    /// Its words on one line, as a navigator shows them.
    pub words: String,
    /// The record as JSON text.
    pub raw: String,
}

/// One row of the drawn tree.
#[derive(Clone, Debug)]
pub struct Row {
    /// The entry's place in [`Conversation::turns`].
    pub turn: usize,
    /// The connectors left of it, three characters a unit; a `…` in front if outer ones are left out.
    pub gutter: String,
    /// How deep it is indented, from 0.
    pub level: u32,
    /// The last row below it, if it begins a branch that can be folded.
    pub folds_to: Option<usize>,
}

impl Conversation {
    /// The words over the document.
    fn title(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => format!("Session {}", self.session),
        }
    }
}

impl Turn {
    /// Who or what speaks, for a heading.
    fn speaker(&self) -> &'static str {
        match (self.kind, self.role) {
            (Kind::Message, Role::User) => "User",
            (Kind::Message, Role::Assistant) => "Assistant",
            (Kind::Message, Role::ToolResult) => "Tool result",
            (Kind::Message, Role::BashExecution | Role::PythonExecution) => "Command of the user",
            (Kind::Message, Role::FileMention) => "Files",
            (Kind::Message, Role::Developer) => "Instructions",
            (Kind::Message | Kind::CustomMessage, _) => "Extension",
            (Kind::Compaction, _) => "Compaction",
            (Kind::BranchSummary, _) => "Branch summary",
            _ => "Entry",
        }
    }

    /// Minutes in UTC: `2026-03-01 09:00`.
    fn minute(&self) -> String {
        naite_core::entry::iso(self.at).chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
    }
}
