//! Stored messages to model messages: three roles, everything else said in a user's words.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ContextMessage;
use crate::entry::{Block, Message, Role, Stop, content_blocks};
use crate::heads::Ix;
use crate::text::is_blank;
use crate::text::json::{self, Object, ObjectWriter};

/// Who speaks to or for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelRole {
    /// The person, and everything that is told to the model.
    User,
    /// The model.
    Assistant,
    /// A tool.
    ToolResult,
}

impl ModelRole {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolResult => "toolResult",
        }
    }
}

/// A message as providers' adapters take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelMessage {
    /// The entry that it comes from; `None` for one that stands in for a missing result.
    pub entry: Option<Ix>,
    /// Who speaks.
    pub role: ModelRole,
    /// Content blocks, raw JSON without lone surrogates or empty text.
    pub content: Vec<String>,
    /// Ids and names of the tool calls among the blocks.
    pub calls: Vec<(String, String)>,
    /// The call that a result answers.
    pub call_id: Option<String>,
    /// The tool that a result comes from.
    pub tool_name: Option<String>,
    /// A result that reports a failure.
    pub is_error: bool,
    /// An assistant's turn that broke off without saying anything.
    pub is_void: bool,
}

impl ModelMessage {
    pub(super) fn new(entry: Option<Ix>, role: ModelRole, content: Vec<String>) -> Self {
        Self {
            entry,
            role,
            content,
            calls: Vec::new(),
            call_id: None,
            tool_name: None,
            is_error: false,
            is_void: false,
        }
    }

    /// The message as `naite context --model-messages` prints it (schema in `docs/json.md`).
    pub fn to_json(&self) -> String {
        let out = ObjectWriter::new()
            .str("role", self.role.name())
            .raw("content", &json::join(&self.content))
            .maybe_str("toolCallId", self.call_id.as_deref())
            .maybe_str("toolName", self.tool_name.as_deref());
        if self.role == ModelRole::ToolResult {
            out.display("isError", self.is_error).end()
        } else {
            out.end()
        }
    }
}

/// A text block.
pub(super) fn text_block(text: &str) -> String {
    ObjectWriter::new().str("type", "text").str("text", text).end()
}

/// Finds the bytes, in base64, of an image that oh-my-pi keeps outside the session, by its SHA-256.
pub type Blobs<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Converts one stored message; `None` for what the model is not told.
pub fn convert(stored: &ContextMessage, blobs: Blobs<'_>) -> Option<ModelMessage> {
    let message = Message(Object::parse(&stored.json)?);
    let entry = Some(stored.entry);
    let said = |text: String| Some(ModelMessage::new(entry, ModelRole::User, alloc::vec![text_block(&text)]));
    let name = message.0.str("role")?;
    match (Role::from_name(&name), name.as_ref()) {
        (Role::User | Role::Custom | Role::Developer, _) => {
            Some(ModelMessage::new(entry, ModelRole::User, sound_blocks(message.0.raw("content"), blobs)))
        }
        (Role::Assistant, _) => Some(assistant(stored.entry, &message, blobs)),
        (Role::ToolResult, _) => Some(ModelMessage {
            call_id: Some(message.0.str("toolCallId").unwrap_or_default().into_owned()),
            tool_name: message.0.str("toolName").map(Cow::into_owned),
            is_error: message.0.bool("isError").unwrap_or(false),
            ..ModelMessage::new(entry, ModelRole::ToolResult, sound_blocks(message.0.raw("content"), blobs))
        }),
        (Role::BashExecution, _) => {
            if message.0.bool("excludeFromContext") == Some(true) {
                return None;
            }
            said(execution(&message, "command", "command"))
        }
        (Role::PythonExecution, _) => said(execution(&message, "code", "Python code")),
        (Role::FileMention, _) => said(file_mention(&message)),
        (Role::Other, "branchSummary") => {
            said(summary("A branch of this conversation was left; this is what happened on it.", &message))
        }
        (Role::Other, "compactionSummary") => {
            said(summary("The conversation before this point was condensed; this is its summary.", &message))
        }
        (Role::Other, _) => None,
    }
}

fn assistant(entry: Ix, message: &Message<'_>, blobs: Blobs<'_>) -> ModelMessage {
    let mut out = ModelMessage::new(Some(entry), ModelRole::Assistant, Vec::new());
    let mut has_text = false;
    for block in message.blocks() {
        if let Block::ToolCall { id, name, .. } = &block {
            if out.calls.iter().any(|(known, _)| known == id) {
                continue;
            }
            out.calls.push((id.to_string(), name.to_string()));
        }
        has_text |= matches!(&block, Block::Text(text) if !is_blank(text));
        out.content.extend(sound_block(&block, blobs));
    }
    out.is_void = message.stop().is_some_and(Stop::is_broken) && !has_text;
    out
}

fn sound_blocks(raw: Option<&str>, blobs: Blobs<'_>) -> Vec<String> {
    content_blocks(raw).iter().filter_map(|block| sound_block(block, blobs)).collect()
}

/// A block that every provider accepts: no blank text, no `null` arguments, no lone surrogates.
fn sound_block(block: &Block<'_>, blobs: Blobs<'_>) -> Option<String> {
    match block {
        Block::Text(text) if is_blank(text) => None,
        Block::Text(text) => Some(text_block(text)),
        Block::Other { kind, raw } if kind == "image" => Some(image(raw, blobs)),
        Block::Thinking { raw } | Block::Other { raw, .. } => Some(json::mend_surrogates(raw).into_owned()),
        Block::ToolCall { raw, arguments, .. } => {
            let fields = Object::parse(raw)?;
            let arguments = arguments.filter(|raw| raw.starts_with('{')).unwrap_or("{}");
            let out =
                ObjectWriter::new().fields(&fields, |key| key != "arguments").raw("arguments", arguments);
            Some(json::mend_surrogates(&out.end()).into_owned())
        }
    }
}

/// An image, fetched if it lies outside the session; words in its place if it is gone.
fn image(raw: &str, blobs: Blobs<'_>) -> String {
    let fields = Object::parse(raw).unwrap_or_default();
    let data = fields.str("data").unwrap_or_default();
    let Some(hash) = data.strip_prefix("blob:sha256:") else {
        return json::mend_surrogates(raw).into_owned();
    };
    // Nothing but a digest ever becomes part of a path.
    let is_digest = hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match is_digest.then(|| blobs(hash)).flatten() {
        Some(bytes) => ObjectWriter::new().fields(&fields, |key| key != "data").str("data", &bytes).end(),
        None => text_block("[an image that is kept elsewhere and could not be found]"),
    }
}

fn summary(sentence: &str, message: &Message<'_>) -> String {
    let summary = message.0.str("summary").unwrap_or_default();
    alloc::format!("{sentence}\n<summary>\n{summary}\n</summary>")
}

fn execution(message: &Message<'_>, key: &str, what: &str) -> String {
    let field = |key: &str| message.0.str(key).unwrap_or_default();
    let (code, output) = (field(key), field("output"));
    let mut text = alloc::format!("The user ran this {what}:\n{}", fenced(&code));
    match output.trim() {
        "" => text.push_str("\nIt printed nothing."),
        _ => {
            text.push_str("\nIt printed:\n");
            text.push_str(&fenced(&output));
        }
    }
    if message.0.bool("cancelled") == Some(true) {
        text.push_str("\nThe user stopped it.");
    } else if let Some(code) = message.0.raw("exitCode").filter(|code| !matches!(*code, "0" | "null")) {
        text.push_str(&alloc::format!("\nIt ended with exit code {code}."));
    }
    if message.0.bool("truncated") == Some(true) {
        match message.0.str("fullOutputPath") {
            Some(path) => text.push_str(&alloc::format!("\nThe output was cut; all of it is in {path}.")),
            None => text.push_str("\nThe output was cut."),
        }
    }
    text
}

/// A code fence longer than any run of backticks inside.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    alloc::format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

fn file_mention(message: &Message<'_>) -> String {
    let mut text = String::from("The user pointed at these files:");
    for file in message.0.raw("files").and_then(json::array).unwrap_or_default() {
        let Some(file) = Object::parse(file) else { continue };
        text.push_str("\n\n");
        text.push_str(&file.str("path").unwrap_or_default());
        if let Some(content) = file.str("content") {
            text.push('\n');
            text.push_str(&fenced(&content));
        }
    }
    let content = message.text();
    if !content.is_empty() {
        text.push_str("\n\n");
        text.push_str(&content);
    }
    text
}
