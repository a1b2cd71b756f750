//! One line to the records on it: the quick way for sound lines, the careful one for all others.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use super::defect::DefectKind;
use super::odd::{self, Odd};
use super::{Made, fast, migrate};
use crate::entry::{Block, Entry, Header, Kind, Message, Role, Stop, content_blocks, millis};
use crate::id::EntryId;
use crate::text::is_blank;
use crate::text::json::{self, Object};

/// What one record says, as far as the tree, the leaf, the labels and the context plan need it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<'a> {
    /// The id; `None` only in v1 files.
    pub id: Option<Cow<'a, str>>,
    /// The parent's id.
    pub parent: Option<Cow<'a, str>>,
    /// Unix milliseconds; `None` if unreadable.
    pub at: Option<i64>,
    /// What its kind adds.
    pub facts: Facts<'a>,
}

/// The part of a record that depends on its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Facts<'a> {
    /// A session header.
    Header(Box<Header>),
    /// A message.
    Message {
        /// Who speaks.
        role: Role,
        /// The role was `hookMessage`, which v3 calls `custom`.
        hook_message: bool,
        /// Why it ended.
        stop: Option<Stop>,
        /// It has a text block that is not blank.
        has_text: bool,
        /// Ids of its tool calls.
        calls: Vec<Cow<'a, str>>,
        /// The call that a tool result answers.
        call: Option<Cow<'a, str>>,
        /// An assistant's provider.
        provider: Option<Cow<'a, str>>,
        /// An assistant's model.
        model: Option<Cow<'a, str>>,
    },
    /// A compaction and where its kept part starts.
    Compaction {
        /// `firstKeptEntryId`.
        anchor: Option<Cow<'a, str>>,
        /// v1: an index into the whole array, header included.
        anchor_index: Option<u64>,
    },
    /// A branch summary.
    BranchSummary {
        /// Its text is not empty.
        has_text: bool,
        /// `abandonedLeafId`: absent, null, or an id.
        abandoned: Option<Option<Cow<'a, str>>>,
    },
    /// A label: the target and the new value (`None` clears).
    Label {
        /// `targetId`.
        target: Cow<'a, str>,
        /// The value, if it is not empty.
        label: Option<Cow<'a, str>>,
        /// The label entry that this one takes back.
        undoes: Option<Cow<'a, str>>,
        /// The label entry that this one brings back.
        redoes: Option<Cow<'a, str>>,
    },
    /// `session_info` and `title_change`: the name, trimmed (`None` clears).
    Name(Kind, Option<String>),
    /// A change of the default model; both are `None` for another role's model.
    Model {
        /// Provider.
        provider: Option<Cow<'a, str>>,
        /// Model id.
        model: Option<Cow<'a, str>>,
    },
    /// A thinking level.
    Thinking(Cow<'a, str>),
    /// A mode.
    Mode(Cow<'a, str>),
    /// Naite's own record of a move.
    Move {
        /// What moved the leaf.
        op: MoveOp,
        /// The leaf before: absent, the state before the first entry (`Some(None)`), or an entry.
        from: Option<Option<Cow<'a, str>>>,
        /// The leaf after, in the same way.
        to: Option<Option<Cow<'a, str>>>,
        /// The record that an undo takes back.
        undoes: Option<Cow<'a, str>>,
        /// The record that a redo brings back.
        redoes: Option<Cow<'a, str>>,
    },
    /// Bookkeeping that leaves the leaf alone when it hangs elsewhere (`session-format.md` §5).
    Detachable(Kind),
    /// Any other entry.
    Other(Kind),
}

/// What a `naite.move` record does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum MoveOp {
    /// A move by the person or by a command.
    Navigate,
    /// A move taken back.
    Undo,
    /// An undo taken back.
    Redo,
    /// No move: the leaf stays although something was appended elsewhere.
    Keep,
}

impl MoveOp {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Navigate => "navigate",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Keep => "keep",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "undo" => Self::Undo,
            "redo" => Self::Redo,
            "keep" => Self::Keep,
            _ => Self::Navigate,
        }
    }
}

/// What a physical line holds.
#[derive(Debug)]
pub enum Decoded<'a> {
    /// Nothing: an empty line.
    Blank,
    /// Exactly one sound record, at this place within the line.
    One(Record<'a>, core::ops::Range<usize>),
    /// Anything else: what could be saved, and what is wrong.
    Odd(Odd),
}

/// Reads one physical line (without its `\n`). `ended` says whether a `\n` follows.
///
/// ```
/// use naite_core::codec::{Decoded, decode};
/// assert!(matches!(decode(br#"{"type":"x","id":"a","parentId":null}"#, true), Decoded::One(..)));
/// assert!(matches!(decode(b"\x00\x00", true), Decoded::Odd(_)));
/// assert!(matches!(decode(b" \r", true), Decoded::Blank));
/// ```
pub fn decode(line: &[u8], ended: bool) -> Decoded<'_> {
    let trimmed = line.trim_ascii();
    if trimmed.is_empty() {
        return Decoded::Blank;
    }
    if let Ok(text) = simdutf8::basic::from_utf8(trimmed)
        && let Some(record) = read_record(text)
        && (record.id.is_some() || matches!(record.facts, Facts::Header(_)))
    {
        let start = line.len() - line.trim_ascii_start().len();
        return Decoded::One(record, start..start + trimmed.len());
    }
    Decoded::Odd(odd::salvage(line, ended))
}

/// Reads the text of one JSON object as a record; `None` if it is no object.
pub fn read_record(text: &str) -> Option<Record<'_>> {
    fast::message(text).or_else(|| careful(text))
}

/// The call that a message in stored form answers; `None` unless it is a tool result that names one.
///
/// ```
/// use naite_core::codec::answered_call;
/// assert_eq!(answered_call(r#"{"role":"toolResult","toolCallId":"c","content":[]}"#).as_deref(), Some("c"));
/// assert_eq!(answered_call(r#"{"role":"user","content":"c"}"#), None);
/// ```
pub fn answered_call(message: &str) -> Option<Cow<'_, str>> {
    let (role, call) = match fast::role_and_call(message) {
        Some((role, call)) => (Cow::Borrowed(role), call.map(Cow::Borrowed)),
        None => {
            let fields = Object::parse(message)?;
            (fields.str("role")?, fields.str("toolCallId"))
        }
    };
    if Role::from_name(&role) == Role::ToolResult { call } else { None }
}

fn careful(text: &str) -> Option<Record<'_>> {
    let fields = Object::parse(text)?;
    let kind_name = fields.str("type").unwrap_or_default();
    let facts = match kind_name.as_ref() {
        "session" => {
            Header::read(text).map_or(Facts::Other(Kind::Unknown), |header| Facts::Header(Box::new(header)))
        }
        "message" => message_facts(&fields),
        "custom" => custom_facts(&fields),
        name => facts(Kind::from_name(name), &fields),
    };
    Some(Record {
        id: fields.str("id").filter(|id| !id.is_empty()),
        parent: fields.str("parentId").filter(|id| !id.is_empty()),
        at: fields.str("timestamp").and_then(|time| millis(&time)),
        facts,
    })
}

fn message_facts<'a>(fields: &Object<'a>) -> Facts<'a> {
    let Some(message) = fields.object("message").map(Message) else { return Facts::Other(Kind::Message) };
    let blocks = message.blocks();
    Facts::Message {
        role: message.role(),
        hook_message: message.0.str("role").is_some_and(|role| role == "hookMessage"),
        stop: message.stop(),
        has_text: blocks.iter().any(|block| matches!(block, Block::Text(text) if !is_blank(text))),
        calls: blocks
            .into_iter()
            .filter_map(|block| if let Block::ToolCall { id, .. } = block { Some(id) } else { None })
            .collect(),
        call: message.0.str("toolCallId"),
        provider: message.0.str("provider"),
        model: message.0.str("model"),
    }
}

fn custom_facts<'a>(fields: &Object<'a>) -> Facts<'a> {
    match fields.str("customType").as_deref() {
        Some("session_exit" | "tool_execution_start") => Facts::Detachable(Kind::Custom),
        Some("naite.move") => {
            let data = fields.object("data").unwrap_or_default();
            Facts::Move {
                op: MoveOp::from_name(&data.str("op").unwrap_or_default()),
                from: point(&data, "from"),
                to: point(&data, "to"),
                undoes: data.str("undoes"),
                redoes: data.str("redoes"),
            }
        }
        _ => Facts::Other(Kind::Custom),
    }
}

fn point<'a>(data: &Object<'a>, key: &str) -> Option<Option<Cow<'a, str>>> {
    match data.raw(key)? {
        "null" => Some(None),
        raw => json::string(raw).map(Some),
    }
}

fn facts<'a>(kind: Kind, fields: &Object<'a>) -> Facts<'a> {
    let filled = |key: &str| fields.str(key).filter(|text| !text.is_empty());
    match kind {
        Kind::Compaction => Facts::Compaction {
            anchor: filled("firstKeptEntryId"),
            anchor_index: fields.u64("firstKeptEntryIndex"),
        },
        Kind::BranchSummary => Facts::BranchSummary {
            has_text: filled("summary").is_some(),
            abandoned: fields.raw("abandonedLeafId").map(json::string),
        },
        Kind::Label => Facts::Label {
            target: fields.str("targetId").unwrap_or_default(),
            label: filled("label"),
            undoes: filled("undoes"),
            redoes: filled("redoes"),
        },
        Kind::SessionInfo | Kind::TitleChange => {
            let key = if kind == Kind::SessionInfo { "name" } else { "title" };
            Facts::Name(
                kind,
                fields.str(key).map(|name| String::from(name.trim())).filter(|name| !name.is_empty()),
            )
        }
        Kind::ModelChange => model_facts(fields),
        Kind::ThinkingLevelChange => Facts::Thinking(filled("thinkingLevel").unwrap_or(Cow::Borrowed("off"))),
        Kind::ModeChange => Facts::Mode(filled("mode").unwrap_or(Cow::Borrowed("none"))),
        Kind::ModelUsage | Kind::CredentialPin => Facts::Detachable(kind),
        Kind::Move | Kind::Placeholder | Kind::Message | Kind::Custom => Facts::Other(Kind::Unknown),
        _ => Facts::Other(kind),
    }
}

/// pi writes provider and id, omp writes `provider/id` and perhaps a role other than the default one.
fn model_facts<'a>(fields: &Object<'a>) -> Facts<'a> {
    if fields.str("role").is_some_and(|role| role != "default") {
        return Facts::Model { provider: None, model: None };
    }
    let (provider, model) = (fields.str("provider"), fields.str("modelId"));
    if provider.is_some() && model.is_some() {
        return Facts::Model { provider, model };
    }
    let (provider, model) = match fields.str("model") {
        Some(Cow::Borrowed(joined)) => match joined.split_once('/') {
            Some((provider, model)) => (Some(Cow::Borrowed(provider)), Some(Cow::Borrowed(model))),
            None => (None, None),
        },
        Some(Cow::Owned(joined)) => match joined.split_once('/') {
            Some((provider, model)) => (Some(Cow::Owned(provider.into())), Some(Cow::Owned(model.into()))),
            None => (None, None),
        },
        None => (None, None),
    };
    Facts::Model { provider, model }
}

/// Wraps a record as an entry whose id, parent and time the tree has settled.
pub fn entry<'a>(text: &'a str, id: EntryId, parent: Option<EntryId>, head: (Kind, Role, i64)) -> Entry<'a> {
    let (kind, role, at) = head;
    Entry { id, parent, kind, role, at, text, fields: OnceCell::new() }
}

/// Text of a record's bytes: bytes that are no UTF-8 become U+FFFD.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

impl Entry<'_> {
    /// Text of `content` for kinds that have it at the top (`custom_message`).
    pub fn content_text(&self) -> String {
        crate::entry::joined_text(&content_blocks(self.fields().raw("content")))
    }
}

/// Says whether salvaged text is a record of its own: an object that has the three fields of every entry.
pub(super) fn is_entry(text: &str) -> bool {
    Object::parse(text).is_some_and(|fields| {
        let header = fields.str("type").is_some_and(|kind| kind == "session");
        fields.str("id").is_some_and(|id| !id.is_empty())
            && fields.str("type").is_some()
            && (header || fields.raw("parentId").is_some())
    })
}

/// The defect of a line that is sound JSON but no entry.
pub(super) fn why_no_entry(text: &str) -> DefectKind {
    if text.starts_with('{') { DefectKind::MissingId } else { DefectKind::NotAnObject }
}

impl Record<'_> {
    /// The kind of entry that the record is.
    pub fn kind(&self) -> Kind {
        match &self.facts {
            Facts::Header(_) => Kind::Unknown,
            Facts::Message { .. } => Kind::Message,
            Facts::Compaction { .. } => Kind::Compaction,
            Facts::BranchSummary { .. } => Kind::BranchSummary,
            Facts::Label { .. } => Kind::Label,
            Facts::Model { .. } => Kind::ModelChange,
            Facts::Thinking(_) => Kind::ThinkingLevelChange,
            Facts::Mode(_) => Kind::ModeChange,
            Facts::Move { .. } => Kind::Move,
            Facts::Name(kind, _) | Facts::Detachable(kind) | Facts::Other(kind) => *kind,
        }
    }
}

/// Brings the text of a stored record to version 3 in memory (see [`migrate`]); v3 text is borrowed as it is.
pub fn current_text<'a>(bytes: &'a [u8], made: Option<&Made>) -> Cow<'a, str> {
    match (lossy(bytes), made) {
        (text, None) => text,
        (text, Some(made)) => Cow::Owned(migrate(&text, made)),
    }
}
