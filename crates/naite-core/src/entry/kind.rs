//! The closed lists of a session file: entry types, message roles, stop reasons.

use serde::{Deserialize, Serialize};

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* } else $other:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
            /// Anything that is not in the list; kept as it is.
            $other,
        }

        impl $name {
            /// Reads the name used in files.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($text => Self::$variant,)*
                    _ => Self::$other,
                }
            }

            /// The name used in files; empty for what is not in the list.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::$other => "",
                }
            }
        }
    };
}

names! {
    /// The type of an entry (`session-format.md` §3).
    Kind {
        /// A message of the conversation.
        Message = "message",
        /// Everything before an anchor, replaced by a summary.
        Compaction = "compaction",
        /// What an abandoned branch was about.
        BranchSummary = "branch_summary",
        /// A message of an extension, in the context.
        CustomMessage = "custom_message",
        /// State of an extension, never in the context.
        Custom = "custom",
        /// A bookmark on another entry, set or cleared.
        Label = "label",
        /// The session's name.
        SessionInfo = "session_info",
        /// omp's rename.
        TitleChange = "title_change",
        /// Another model from here on.
        ModelChange = "model_change",
        /// Another thinking level from here on.
        ThinkingLevelChange = "thinking_level_change",
        /// omp: a mode is entered or left.
        ModeChange = "mode_change",
        /// omp: rules that were injected.
        TtsrInjection = "ttsr_injection",
        /// omp: the context starts again behind it.
        ResetBoundary = "reset_boundary",
        /// omp: how the session was started.
        SessionInit = "session_init",
        /// omp: service tier.
        ServiceTierChange = "service_tier_change",
        /// omp: which credential is used.
        CredentialPin = "credential_pin",
        /// omp: tokens used outside the conversation.
        ModelUsage = "model_usage",
        /// omp: an edit of the context; kept.
        ContextEdit = "context_edit",
        /// Naite's record of a move of the leaf (in files a `custom` entry of type `naite.move`).
        Move = "naite.move",
        /// A node without content for a line that could not be read but has children.
        Placeholder = "placeholder",
    } else Unknown
}

names! {
    /// Who speaks in a message (`session-format.md` §4).
    Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// What a tool gave back.
        ToolResult = "toolResult",
        /// A command that the person ran.
        BashExecution = "bashExecution",
        /// An extension.
        Custom = "custom",
        /// omp: instructions of the program.
        Developer = "developer",
        /// omp: Python that the person ran.
        PythonExecution = "pythonExecution",
        /// omp: a file that the person named.
        FileMention = "fileMention",
    } else Other
}

names! {
    /// Why an assistant message ended.
    Stop {
        /// The file does not say.
        Absent = "",
        /// It was complete.
        Stop = "stop",
        /// The token limit.
        Length = "length",
        /// It wants tools to run.
        ToolUse = "toolUse",
        /// The request failed.
        Error = "error",
        /// The person stopped it.
        Aborted = "aborted",
    } else Other
}

impl Kind {
    /// Says whether the default view hides it: bookkeeping rather than conversation (`tree-navigator.md`, Filters).
    pub fn is_bookkeeping(self) -> bool {
        use Kind::{
            CredentialPin, Custom, Label, ModeChange, ModelChange, ModelUsage, Move, ResetBoundary,
            ServiceTierChange, SessionInfo, SessionInit, ThinkingLevelChange, TitleChange, TtsrInjection,
        };
        matches!(
            self,
            Label
                | Custom
                | Move
                | ModelChange
                | ThinkingLevelChange
                | SessionInfo
                | TitleChange
                | ModelUsage
                | ServiceTierChange
                | CredentialPin
                | SessionInit
                | TtsrInjection
                | ModeChange
                | ResetBoundary
        )
    }

    /// Says whether an entry of this kind leaves the conversation where it was: labels, names, custom state.
    pub fn is_transparent(self) -> bool {
        matches!(self, Kind::Label | Kind::SessionInfo | Kind::TitleChange | Kind::Custom | Kind::Move)
    }
}

impl Stop {
    /// Says whether the turn broke off: it failed or was stopped by the person.
    pub fn is_broken(self) -> bool {
        matches!(self, Stop::Error | Stop::Aborted)
    }
}
