//! A message and its content blocks, read on demand from raw JSON.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::kind::{Role, Stop};
use crate::text::json::{self, Object};

/// A message in stored form.
#[derive(Clone, Debug)]
pub struct Message<'a>(pub Object<'a>);

/// One content block; what Naite does not know stays raw.
#[derive(Clone, Debug)]
pub enum Block<'a> {
    /// Plain text.
    Text(Cow<'a, str>),
    /// The model's thinking.
    Thinking {
        /// The whole block, with the signature that must go back byte for byte.
        raw: &'a str,
    },
    /// A tool call: id, name, raw arguments (absent or `null` in some files).
    ToolCall {
        /// Names the call for its result.
        id: Cow<'a, str>,
        /// The tool.
        name: Cow<'a, str>,
        /// Raw JSON of the arguments, if they are not `null`.
        arguments: Option<&'a str>,
        /// The whole block.
        raw: &'a str,
    },
    /// An image or anything else.
    Other {
        /// The block's `type`.
        kind: Cow<'a, str>,
        /// The whole block.
        raw: &'a str,
    },
}

impl<'a> Message<'a> {
    /// Who speaks.
    pub fn role(&self) -> Role {
        self.0.str("role").map_or(Role::Other, |role| Role::from_name(&role))
    }

    /// Why it ended; `None` where the file does not say.
    pub fn stop(&self) -> Option<Stop> {
        self.0.str("stopReason").map(|stop| Stop::from_name(&stop))
    }

    /// The content as blocks; a plain string is one text block, anything unreadable none.
    pub fn blocks(&self) -> Vec<Block<'a>> {
        content_blocks(self.0.raw("content"))
    }

    /// All text blocks joined with line breaks.
    pub fn text(&self) -> String {
        joined_text(&self.blocks())
    }
}

/// Reads raw `content` (a string or an array of blocks).
pub fn content_blocks(raw: Option<&str>) -> Vec<Block<'_>> {
    let Some(raw) = raw else { return Vec::new() };
    if let Some(text) = json::string(raw) {
        return alloc::vec![Block::Text(text)];
    }
    json::array(raw).unwrap_or_default().into_iter().filter_map(block).collect()
}

/// The text blocks joined with line breaks.
pub fn joined_text(blocks: &[Block<'_>]) -> String {
    let mut text = String::new();
    for block in blocks {
        if let Block::Text(part) = block {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(part);
        }
    }
    text
}

fn block(raw: &str) -> Option<Block<'_>> {
    let fields = Object::parse(raw)?;
    let kind = fields.str("type").unwrap_or_default();
    Some(match kind.as_ref() {
        "text" => Block::Text(fields.str("text").unwrap_or_default()),
        "thinking" => Block::Thinking { raw },
        "toolCall" => Block::ToolCall {
            id: fields.str("id").unwrap_or_default(),
            name: fields.str("name").unwrap_or_default(),
            arguments: fields.present("arguments"),
            raw,
        },
        _ => Block::Other { kind, raw },
    })
}
