//! Transcripts of other agents, read line by line into what the tree needs and, on demand, into entries.
//!
//! Nothing here is ever written back: a foreign file stays as its own program left it.

pub mod claude_code;

use serde::{Deserialize, Serialize};

/// The program that wrote a transcript in a format of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Program {
    /// Claude Code.
    ClaudeCode,
}

impl Program {
    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
        }
    }

    /// The name that people know it by.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
        }
    }
}
