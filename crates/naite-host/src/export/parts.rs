//! What an entry shows, part by part, from its record; all text in it is inert.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use naite_core::entry::{Block, Kind, Message, Role, content_blocks};
use naite_core::text::json::{self, Object};
use naite_core::text::{is_blank, thousands};

use super::Turn;
use super::collect::inert;

/// A part of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// What was said.
    Text(String),
    /// What the model thought.
    Thinking(String),
    /// A tool is called.
    Call { id: String, name: String, arguments: String },
    /// What a tool or a command printed.
    Output { text: String, failed: bool },
    /// A command or code that the person ran.
    Command { language: &'static str, code: String },
    /// A summary of what is not shown in full.
    Summary(String),
    /// A picture as base64.
    Image { mime: &'static str, data: String },
    /// A file that the person named.
    File { path: String, content: String },
    /// A remark of ours.
    Note(String),
}

/// Reads the parts of an entry.
pub(super) fn parts(turn: &Turn) -> Vec<Part> {
    let fields = Object::parse(&turn.raw).unwrap_or_default();
    match turn.kind {
        Kind::Message => fields.object("message").map(|fields| message(&Message(fields))).unwrap_or_default(),
        Kind::CustomMessage => blocks(content_blocks(fields.raw("content"))),
        Kind::Compaction => {
            let tokens = thousands(fields.u64("tokensBefore").unwrap_or(0));
            vec![
                Part::Note(format!("The model sees this summary instead of the {tokens} tokens before it.")),
                Part::Summary(text(&fields, "summary")),
            ]
        }
        Kind::BranchSummary => vec![Part::Summary(text(&fields, "summary"))],
        _ => vec![Part::Note(turn.words.clone())],
    }
}

fn text(fields: &Object<'_>, key: &str) -> String {
    inert(&fields.str(key).unwrap_or_default())
}

fn message(message: &Message<'_>) -> Vec<Part> {
    let field = |key: &str| text(&message.0, key);
    let mut parts = match message.role() {
        Role::BashExecution => vec![Part::Command { language: "sh", code: field("command") }],
        Role::PythonExecution => vec![Part::Command { language: "python", code: field("code") }],
        Role::FileMention => files(message),
        _ => Vec::new(),
    };
    let output = field("output");
    if !output.is_empty() {
        let failed = message.0.raw("exitCode").is_some_and(|code| !matches!(code, "0" | "null"));
        parts.push(Part::Output { text: output, failed });
    }
    let said = blocks(message.blocks());
    if message.role() == Role::ToolResult {
        let failed = message.0.bool("isError") == Some(true);
        parts.extend(said.into_iter().map(|part| match part {
            Part::Text(text) => Part::Output { text, failed },
            other => other,
        }));
    } else {
        parts.extend(said);
    }
    if message.stop().is_some_and(naite_core::entry::Stop::is_broken) {
        let error = field("errorMessage");
        parts.push(Part::Note(if is_blank(&error) { "The answer broke off.".into() } else { error }));
    }
    parts
}

fn blocks(blocks: Vec<Block<'_>>) -> Vec<Part> {
    blocks.into_iter().filter_map(block).collect()
}

fn block(block: Block<'_>) -> Option<Part> {
    Some(match block {
        Block::Text(text) if is_blank(&text) => return None,
        Block::Text(text) => Part::Text(inert(&text)),
        Block::Thinking { raw } => {
            let thought = text(&Object::parse(raw)?, "thinking");
            (!is_blank(&thought)).then_some(Part::Thinking(thought))?
        }
        Block::ToolCall { id, name, arguments: given, .. } => Part::Call {
            id: id.into_owned(),
            name: inert(&name),
            arguments: arguments(given.unwrap_or("{}")),
        },
        Block::Other { kind, raw } if kind == "image" => image(&Object::parse(raw)?),
        Block::Other { kind, .. } => Part::Note(format!("[{}]", inert(&kind))),
    })
}

/// Arguments as people read them: strings without quotes and escapes, one below the other.
pub(super) fn arguments(raw: &str) -> String {
    let Some(fields) = Object::parse(raw) else { return inert(raw) };
    let lines = fields.fields().map(|(key, value)| match json::string(value) {
        Some(text) if text.contains('\n') => format!("{}:\n{}", inert(key), inert(text.trim_end())),
        Some(text) => format!("{}: {}", inert(key), inert(&text)),
        None => format!("{}: {}", inert(key), inert(value)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn files(message: &Message<'_>) -> Vec<Part> {
    let files = message.0.raw("files").and_then(json::array).unwrap_or_default();
    let files = files.into_iter().filter_map(Object::parse);
    files.map(|file| Part::File { path: text(&file, "path"), content: text(&file, "content") }).collect()
}

/// A picture, if it is one: nothing that claims to be base64 of a known kind goes into a page unread.
fn image(fields: &Object<'_>) -> Part {
    let data = fields.str("data").unwrap_or_default();
    let Ok(bytes) = STANDARD.decode(data.as_bytes()) else {
        return Part::Note("[an image that is kept elsewhere]".into());
    };
    let mime = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return Part::Note("[an image of an unknown kind]".into()),
    };
    Part::Image { mime, data: data.into_owned() }
}
