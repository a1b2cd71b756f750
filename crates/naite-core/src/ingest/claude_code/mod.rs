//! Claude Code transcripts (`agent-clients.md` §1.6): what each line is, and the entry that it becomes.
//!
//! [`read`] looks at one line; [`body`] makes the text of an entry out of the lines that belong to it. Both decide by
//! the same rules, so that an entry's body always fits what the tree knows of it.

mod body;
mod line;
mod speech;

pub use body::{Ask, body};
pub use line::{Answer, Envelope, Line, Node, Note, Part, Said, Says, Sniff, broken_parent, read, sniff};
pub use speech::Speech;
