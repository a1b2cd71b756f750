//! One line of a transcript: a node of the tree, or a note beside it.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::speech::Speech;
use crate::entry::{Stop, millis};
use crate::text::is_blank;
use crate::text::json::{self, Object};

/// What a line is.
#[derive(Clone, Debug, PartialEq)]
pub enum Line<'a> {
    /// A line with a place in the tree.
    Node(Envelope<'a>, Node<'a>),
    /// A line without one: names, the leaf, state of the program.
    Note(Envelope<'a>, Note<'a>),
}

/// What nearly every line says about its session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Envelope<'a> {
    /// The session.
    pub session: Option<Cow<'a, str>>,
    /// The sub-agent whose line it is.
    pub agent: Option<Cow<'a, str>>,
    /// The working directory.
    pub cwd: Option<Cow<'a, str>>,
    /// The git branch.
    pub git_branch: Option<Cow<'a, str>>,
    /// The version of Claude Code.
    pub version: Option<Cow<'a, str>>,
    /// When it was written, as it stands there.
    pub timestamp: Option<Cow<'a, str>>,
    /// Where `/branch` copied it from: the session and the line.
    pub forked_from: Option<(Cow<'a, str>, Option<Cow<'a, str>>)>,
    /// The session that asked the model, of a line that `--fork-session` copied.
    pub request_session: Option<Cow<'a, str>>,
}

/// A line with a place in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// Its id.
    pub uuid: Cow<'a, str>,
    /// Its parent's id.
    pub parent: Option<Cow<'a, str>>,
    /// Unix milliseconds; `None` if unreadable.
    pub at: Option<i64>,
    /// It belongs to a sub-agent.
    pub sidechain: bool,
    /// What it says.
    pub said: Said<'a>,
}

/// What a node says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// One or more blocks of an answer.
    Answer(Answer<'a>),
    /// Tool results and speech; never empty.
    Parts(Vec<Part<'a>>),
    /// Where the conversation was condensed.
    Boundary {
        /// The line before it.
        before: Option<Cow<'a, str>>,
        /// The first and the last line that were kept.
        kept: Option<(Cow<'a, str>, Cow<'a, str>)>,
    },
    /// The summary of a compaction.
    Summary,
    /// Bookkeeping of the program.
    Aside,
    /// A type that is not known.
    Unknown,
}

/// Blocks of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer<'a> {
    /// Names the whole answer, of which each line holds some blocks.
    pub message: Option<Cow<'a, str>>,
    /// The model; `None` where Claude Code spoke in its place.
    pub model: Option<Cow<'a, str>>,
    /// Why it ended.
    pub stop: Option<Stop>,
    /// It has a text block that is not blank.
    pub has_text: bool,
    /// Ids and names of its tool calls.
    pub calls: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// One part of a user line.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<'a> {
    /// The result of a call.
    Result(Cow<'a, str>),
    /// Words, and whether they are more than blanks.
    Speech(Speech, bool),
}

/// A line without a place in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Note<'a> {
    /// Its type.
    pub kind: Cow<'a, str>,
    /// What it says, where that matters.
    pub says: Says<'a>,
}

/// What a note says.
#[derive(Clone, Debug, PartialEq)]
pub enum Says<'a> {
    /// Nothing that the tree needs.
    Nothing,
    /// A name that the person gave; `None` clears.
    CustomTitle(Option<String>),
    /// The name of the agent.
    AgentName(Option<String>),
    /// A name that the model made.
    AiTitle(Option<String>),
    /// A name as old versions wrote it.
    OldSummary(Option<String>),
    /// The leaf.
    Leaf {
        /// Where it is.
        uuid: Cow<'a, str>,
        /// It may be an inner node.
        explicit: bool,
    },
}

/// Whether a first line is one of Claude Code's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// It is.
    Yes,
    /// It does not say; a later line may.
    Perhaps,
    /// It is not.
    No,
}

/// Types of lines without a place in the tree that only Claude Code writes.
const NOTES: [&str; 25] = [
    "last-prompt",
    "queue-operation",
    "mode",
    "permission-mode",
    "atis-latch",
    "tools-used",
    "cost-state",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-setting",
    "agent-color",
    "file-history-snapshot",
    "file-history-delta",
    "api-request-shape",
    "api-request-blob",
    "api-request",
    "summary",
    "tag",
    "fork-context-ref",
    "relocated",
    "ended-by-model",
    "pr-link",
    "worktree-state",
    "progress",
];

/// Looks at a line of a file of which nothing is known yet.
///
/// ```
/// use naite_core::ingest::claude_code::{Sniff, sniff};
/// assert_eq!(sniff(br#"{"type":"mode","mode":"normal","sessionId":"s"}"#), Sniff::Yes);
/// assert_eq!(sniff(br#"{"type":"session","version":3,"id":"s"}"#), Sniff::No);
/// assert_eq!(sniff(br#"{"type":"x-other","sessionId":"s"}"#), Sniff::Perhaps);
/// ```
pub fn sniff(line: &[u8]) -> Sniff {
    let text = line.trim_ascii();
    let Some(fields) = simdutf8::basic::from_utf8(text).ok().and_then(Object::parse) else {
        let is_json = simdutf8::basic::from_utf8(text)
            .is_ok_and(|text| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok());
        return if is_json { Sniff::No } else { Sniff::Perhaps };
    };
    let Some(kind) = fields.str("type") else { return Sniff::No };
    let has_place = fields.str("uuid").is_some() && fields.raw("parentUuid").is_some();
    let is_note = NOTES.contains(&kind.as_ref())
        && (fields.str("sessionId").is_some()
            || kind.starts_with("file-history-")
            || fields.str("leafUuid").is_some());
    if has_place || is_note {
        Sniff::Yes
    } else if fields.raw("id").is_some() || kind == "session" {
        Sniff::No
    } else {
        Sniff::Perhaps
    }
}

/// Lines that begin so hold what was sent to the model, a second time and as a whole: only their type is read.
const SKIPPED: [(&str, &str); 3] = [
    ("{\"type\":\"api-request-shape\"", "api-request-shape"),
    ("{\"type\":\"api-request-blob\"", "api-request-blob"),
    ("{\"type\":\"api-request\"", "api-request"),
];

/// Reads the text of one line; `None` if it is no object.
pub fn read(text: &str) -> Option<Line<'_>> {
    if let Some((_, kind)) = SKIPPED.iter().find(|(start, _)| text.starts_with(start))
        && text.ends_with('}')
    {
        return Some(Line::Note(
            Envelope::default(),
            Note { kind: Cow::Borrowed(kind), says: Says::Nothing },
        ));
    }
    let fields = Object::parse(text)?;
    let kind = fields.str("type").unwrap_or_default();
    let envelope = envelope(&fields);
    let uuid = fields.str("uuid").filter(|uuid| !uuid.is_empty());
    let Some(uuid) = uuid.filter(|_| !NOTES.contains(&kind.as_ref()) || kind == "progress") else {
        let says = says(&kind, &fields);
        return Some(Line::Note(envelope, Note { kind, says }));
    };
    let node = Node {
        uuid,
        parent: fields.str("parentUuid").filter(|uuid| !uuid.is_empty()),
        at: envelope.timestamp.as_deref().and_then(millis),
        sidechain: fields.bool("isSidechain") == Some(true),
        said: said(&kind, &fields),
    };
    Some(Line::Node(envelope, node))
}

fn envelope<'a>(fields: &Object<'a>) -> Envelope<'a> {
    let filled = |key: &str| fields.str(key).filter(|text| !text.is_empty());
    let forked = fields.object("forkedFrom");
    Envelope {
        session: filled("sessionId"),
        agent: filled("agentId"),
        cwd: filled("cwd"),
        git_branch: filled("gitBranch"),
        version: filled("version"),
        timestamp: filled("timestamp"),
        forked_from: forked.and_then(|from| Some((from.str("sessionId")?, from.str("messageUuid")))),
        request_session: filled("requestSessionId"),
    }
}

fn says<'a>(kind: &str, fields: &Object<'a>) -> Says<'a> {
    let name =
        |key: &str| fields.str(key).map(|name| String::from(name.trim())).filter(|name| !name.is_empty());
    match kind {
        "custom-title" => Says::CustomTitle(name("customTitle")),
        "agent-name" => Says::AgentName(name("agentName")),
        "ai-title" => Says::AiTitle(name("aiTitle")),
        "summary" => Says::OldSummary(name("summary")),
        "last-prompt" => match fields.str("leafUuid") {
            Some(uuid) => Says::Leaf { uuid, explicit: fields.bool("explicit") == Some(true) },
            None => Says::Nothing,
        },
        _ => Says::Nothing,
    }
}

fn said<'a>(kind: &str, fields: &Object<'a>) -> Said<'a> {
    match kind {
        "assistant" => Said::Answer(answer(fields)),
        "user" if fields.bool("isCompactSummary") == Some(true) => Said::Summary,
        "user" => Said::Parts(parts(fields).into_iter().map(|(part, _)| part).collect()),
        "system" => match fields.str("subtype").as_deref() {
            Some("compact_boundary") => boundary(fields),
            Some("local_command") => Said::Parts(alloc::vec![command_part(fields)]),
            _ => Said::Aside,
        },
        "attachment" => match attached(fields) {
            Some((speech, _)) => Said::Parts(alloc::vec![Part::Speech(speech, true)]),
            None => Said::Aside,
        },
        "progress" => Said::Aside,
        _ => Said::Unknown,
    }
}

fn answer<'a>(fields: &Object<'a>) -> Answer<'a> {
    let message = fields.object("message").unwrap_or_default();
    let failed = fields.bool("isApiErrorMessage") == Some(true);
    let mut answer = Answer {
        message: message.str("id").filter(|id| !id.is_empty()),
        model: message.str("model").filter(|model| !model.is_empty() && model != "<synthetic>"),
        stop: message.str("stop_reason").map(|reason| stop(&reason)),
        ..Answer::default()
    };
    if failed {
        answer.stop = Some(Stop::Error);
        return answer;
    }
    for raw in message.raw("content").and_then(json::array).unwrap_or_default() {
        let Some(block) = Object::parse(raw) else { continue };
        match block.str("type").as_deref() {
            Some("text") => answer.has_text |= block.str("text").is_some_and(|text| !is_blank(&text)),
            Some("tool_use") => answer
                .calls
                .push((block.str("id").unwrap_or_default(), block.str("name").unwrap_or_default())),
            _ => {}
        }
    }
    if message.raw("content").and_then(json::string).is_some_and(|text| !is_blank(&text)) {
        answer.has_text = true;
    }
    answer
}

/// Anthropic's word for why a message ended, in the words of a session file.
pub(super) fn stop(reason: &str) -> Stop {
    match reason {
        "tool_use" => Stop::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Error,
        _ => Stop::Stop,
    }
}

/// The parts of a user line, each with the raw blocks that it is made of: one for each result, one for the rest.
pub(super) fn parts<'a>(fields: &Object<'a>) -> Vec<(Part<'a>, Vec<&'a str>)> {
    let message = fields.object("message").unwrap_or_default();
    let Some(raw) = message.raw("content") else {
        return alloc::vec![(Part::Speech(Speech::of(fields, ""), false), Vec::new())];
    };
    let mut parts = Vec::new();
    let mut rest = Vec::new();
    let mut text = json::string(raw).unwrap_or_default();
    match json::array(raw) {
        None => rest.push(raw),
        Some(blocks) => {
            for raw in blocks {
                let block = Object::parse(raw).unwrap_or_default();
                match block.str("type").as_deref() {
                    Some("tool_result") => {
                        let call = block.str("tool_use_id").unwrap_or_default();
                        parts.push((Part::Result(call), alloc::vec![raw]));
                    }
                    Some("text") if is_blank(&text) => {
                        text = block.str("text").unwrap_or_default();
                        rest.push(raw);
                    }
                    _ => rest.push(raw),
                }
            }
        }
    }
    if parts.is_empty() || !rest.is_empty() {
        // What stands beside a result says nothing of its own about `toolUseResult`.
        let speech = match (Speech::of(fields, &text), parts.is_empty()) {
            (Speech::Meta, false) if fields.bool("isMeta") != Some(true) => Speech::User,
            (speech, _) => speech,
        };
        parts.push((Part::Speech(speech, !is_blank(&text)), rest));
    }
    parts
}

fn command_part<'a>(fields: &Object<'a>) -> Part<'a> {
    let text = fields.str("content").unwrap_or_default();
    let speech = match Speech::of(fields, &text) {
        Speech::Command => Speech::Command,
        _ => Speech::CommandOutput,
    };
    Part::Speech(speech, !is_blank(&text))
}

/// What an attachment told the model in words that belong to the conversation, as raw JSON (a string or blocks).
pub(super) fn attached<'a>(fields: &Object<'a>) -> Option<(Speech, Vec<&'a str>)> {
    let attachment = fields.object("attachment")?;
    let kind = attachment.str("type")?;
    let content = |key: &str| attachment.present(key).filter(|raw| !matches!(*raw, "\"\"" | "[]" | "{}"));
    let rendered = || {
        let shown = fields.raw("rendered").and_then(json::array).unwrap_or_default();
        let shown: Vec<&str> =
            shown.into_iter().filter_map(|raw| Object::parse(raw)?.present("content")).collect();
        (!shown.is_empty()).then_some(shown)
    };
    match kind.as_ref() {
        "queued_command" => {
            let machine = attachment.str("commandMode").is_some_and(|mode| mode == "task-notification");
            let speech = if machine { Speech::TaskNotification } else { Speech::User };
            Some((speech, alloc::vec![content("prompt")?]))
        }
        "hook_additional_context" => {
            Some((Speech::HookContext, rendered().or_else(|| Some(alloc::vec![content("content")?]))?))
        }
        "hook_success" => {
            let event = attachment.str("hookEvent").unwrap_or_default();
            let told = matches!(event.as_ref(), "UserPromptSubmit" | "SessionStart");
            content("content").filter(|_| told).map(|raw| (Speech::HookContext, alloc::vec![raw]))
        }
        "file" | "selected_lines_in_ide" | "edited_text_file" => Some((Speech::File, rendered()?)),
        _ => None,
    }
}

fn boundary<'a>(fields: &Object<'a>) -> Said<'a> {
    let filled = |object: &Object<'a>, key: &str| object.str(key).filter(|uuid| !uuid.is_empty());
    let kept = fields.object("compactMetadata").and_then(|meta| meta.object("preservedSegment"));
    Said::Boundary {
        before: filled(fields, "logicalParentUuid"),
        kept: kept.and_then(|kept| Some((filled(&kept, "headUuid")?, filled(&kept, "tailUuid")?))),
    }
}

/// The parent that a line which broke off still names: it stands at the front of the lines of every version.
pub fn broken_parent(text: &str) -> Option<String> {
    let head = text.get(..text.len().min(4096)).unwrap_or(text);
    let rest = head[head.find("\"parentUuid\"")? + 12..].trim_start().strip_prefix(':')?.trim_start();
    let end = rest.strip_prefix('"')?.find('"')?;
    json::string(&rest[..end + 2]).map(Cow::into_owned).filter(|uuid| !uuid.is_empty())
}
