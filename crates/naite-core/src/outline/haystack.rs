//! The words of a message in one pass over its record, for a search that reads a whole session.
//!
//! Only what nearly all messages look like is read here; anything else gives `None` and is read with care elsewhere.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A string, borrowed where nothing in it is escaped.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

#[derive(Debug, Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Said<'a>,
}

/// A message.
#[derive(Debug, Deserialize)]
pub(super) struct Said<'a> {
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    #[serde(borrow, default)]
    content: Content<'a>,
    #[serde(borrow, default)]
    command: Option<Text<'a>>,
    #[serde(borrow, default)]
    output: Option<Text<'a>>,
    #[serde(borrow, default, rename = "toolName")]
    tool_name: Option<Text<'a>>,
    #[serde(borrow, default, rename = "customType")]
    custom_type: Option<Text<'a>>,
    #[serde(borrow, default, rename = "errorMessage")]
    error_message: Option<Text<'a>>,
}

#[derive(Debug, Default)]
struct Content<'a>(Vec<Block<'a>>);

/// A content block; which fields it has depends on its type.
#[derive(Debug, Default, Deserialize)]
struct Block<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Content<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or blocks")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(one(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(one(Cow::Owned(text.into())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content(blocks))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

fn one(text: Cow<'_, str>) -> Content<'_> {
    let kind = Some(Text(Cow::Borrowed("text")));
    Content(alloc::vec![Block { kind, text: Some(Text(text)), ..Block::default() }])
}

/// A tool call of a message.
pub(super) struct Call<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// Reads the record of a message.
    pub(super) fn read(record: &'a str) -> Option<Self> {
        serde_json::from_str::<Line<'a>>(record).ok().map(|line| line.message)
    }

    /// Its text blocks.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.content.0.iter().filter(|block| block.is("text"));
        texts.map(|block| block.text.as_ref().map_or("", |text| &text.0))
    }

    /// Its tool calls.
    pub(super) fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        self.content.0.iter().filter(|block| block.is("toolCall")).map(|block| Call {
            id: block.id.as_ref().map_or("", |text| &text.0),
            name: block.name.as_ref().map_or("", |text| &text.0),
            arguments: block.arguments.map(RawValue::get).filter(|raw| *raw != "null"),
        })
    }

    /// Its other fields with words in them.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        let fields = [&self.command, &self.output, &self.tool_name, &self.custom_type, &self.error_message];
        fields.into_iter().flatten().map(|text| &*text.0)
    }

    /// Bytes of its texts.
    pub(super) fn len(&self) -> usize {
        self.texts().map(str::len).sum()
    }
}

impl Block<'_> {
    fn is(&self, kind: &str) -> bool {
        self.kind.as_ref().is_some_and(|own| own.0 == kind)
    }
}

/// Adds a line.
pub(super) fn push(all: &mut String, text: &str) {
    if !text.is_empty() {
        all.push('\n');
        all.push_str(text);
    }
}
