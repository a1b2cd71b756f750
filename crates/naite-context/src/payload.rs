//! What an agent hands to a hook on standard input: one JSON object.

use alloc::borrow::Cow;

use naite_core::text::json::Object;

/// What happened in the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A person sent a prompt.
    UserPromptSubmit,
    /// The agent ended its turn.
    Stop,
    /// A sub-agent ended.
    SubagentStop,
    /// A session began, or went on.
    SessionStart,
    /// The conversation is about to be compacted.
    PreCompact,
    /// A session ended.
    SessionEnd,
    /// Nothing: what the start of a hook costs by itself.
    None,
}

impl Event {
    /// Every event that is recorded.
    pub const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::Stop,
        Self::SubagentStop,
        Self::PreCompact,
        Self::SessionEnd,
    ];

    /// Reads a name, in the form of the command line (`user-prompt-submit`) or of Claude Code (`UserPromptSubmit`).
    pub fn parse(name: &str) -> Option<Self> {
        if name == "none" {
            return Some(Self::None);
        }
        Self::ALL.into_iter().find(|event| event.name() == name || event.agent_name() == name)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::UserPromptSubmit => "user-prompt-submit",
            Self::Stop => "stop",
            Self::SubagentStop => "subagent-stop",
            Self::SessionStart => "session-start",
            Self::PreCompact => "pre-compact",
            Self::SessionEnd => "session-end",
            Self::None => "none",
        }
    }

    /// The name in Claude Code's settings and payloads.
    pub fn agent_name(self) -> &'static str {
        match self {
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::SessionStart => "SessionStart",
            Self::PreCompact => "PreCompact",
            Self::SessionEnd => "SessionEnd",
            Self::None => "None",
        }
    }
}

/// Why a payload cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// Standard input was empty.
    #[error("the payload is empty")]
    Empty,
    /// It is no UTF-8 text.
    #[error("the payload is not UTF-8 (first bad byte at {0})")]
    NotUtf8(usize),
    /// It is no JSON object.
    #[error("the payload is no JSON object")]
    NotAnObject,
    /// It does not name its session.
    #[error("the payload names no session_id")]
    NoSession,
}

/// The fields of a payload that are used; those that are missing or `null` are `None`.
#[derive(Clone, Debug)]
pub struct Payload<'a> {
    /// The session's id.
    pub session_id: Cow<'a, str>,
    /// Where the agent keeps its transcript.
    pub transcript_path: Option<Cow<'a, str>>,
    /// The folder that the session works in.
    pub cwd: Option<Cow<'a, str>>,
    /// The prompt that is being worked on.
    pub prompt_id: Option<Cow<'a, str>>,
    /// What the person typed.
    pub prompt: Option<Cow<'a, str>>,
    /// What the agent said last.
    pub last_assistant_message: Option<Cow<'a, str>>,
    /// How a session began: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: Option<Cow<'a, str>>,
    /// Why a session ended.
    pub reason: Option<Cow<'a, str>>,
    /// The sub-agent that this is about or comes from.
    pub agent_id: Option<Cow<'a, str>>,
    /// Its kind; empty for the one that compacts.
    pub agent_type: Option<Cow<'a, str>>,
    /// Where its transcript is.
    pub agent_transcript_path: Option<Cow<'a, str>>,
}

impl<'a> Payload<'a> {
    /// Reads a payload; a byte order mark before it is no harm.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, PayloadError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(PayloadError::Empty);
        }
        let text = core::str::from_utf8(bytes).map_err(|error| PayloadError::NotUtf8(error.valid_up_to()))?;
        let object = Object::parse(text).ok_or(PayloadError::NotAnObject)?;
        let session_id =
            object.str("session_id").filter(|id| !id.is_empty()).ok_or(PayloadError::NoSession)?;
        let filled = |key: &str| object.str(key).filter(|value| !value.is_empty());
        Ok(Self {
            session_id,
            transcript_path: filled("transcript_path"),
            cwd: filled("cwd"),
            prompt_id: filled("prompt_id"),
            prompt: object.str("prompt"),
            last_assistant_message: object.str("last_assistant_message"),
            source: object.str("source"),
            reason: object.str("reason"),
            agent_id: filled("agent_id"),
            agent_type: object.str("agent_type"),
            agent_transcript_path: filled("agent_transcript_path"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_two_names() {
        for event in Event::ALL {
            assert_eq!(Event::parse(event.name()), Some(event));
            assert_eq!(Event::parse(event.agent_name()), Some(event));
        }
        assert_eq!(Event::parse("none"), Some(Event::None));
        assert_eq!(Event::parse("Elicitation"), None);
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        for (bytes, error) in [
            (&b""[..], PayloadError::Empty),
            (b" \n", PayloadError::Empty),
            (b"\xef\xbb\xbf", PayloadError::Empty),
            (b"{\"session_id\":\"\xb0\xa1\"}", PayloadError::NotUtf8(15)),
            (b"[1]", PayloadError::NotAnObject),
            (b"{\"session_id\":", PayloadError::NotAnObject),
            (b"{}", PayloadError::NoSession),
            (b"{\"session_id\":7}", PayloadError::NoSession),
        ] {
            assert_eq!(Payload::parse(bytes).err(), Some(error));
        }
    }

    #[test]
    fn fields_are_read_in_any_order_behind_a_mark() {
        let bytes =
            "\u{feff}{\"prompt\":\"안녕 \\ud83d\",\"x\":[1],\"session_id\":\"s\",\"cwd\":null}".as_bytes();
        let payload = Payload::parse(bytes).expect("a payload");
        assert_eq!(payload.prompt.as_deref(), Some("안녕 \u{fffd}"));
        assert_eq!((payload.session_id.as_ref(), payload.cwd), ("s", None));
    }
}
