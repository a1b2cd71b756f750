//! The one-pass reading of a well-formed `message` line, which nearly all bytes of a session are.
//!
//! Anything unusual (escapes in ids, repeated keys, other types of values) makes it give up; the careful
//! reading in `decode` then decides. Both must agree, which a property test holds them to.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::decode::{Facts, Record};
use crate::entry::{Role, Stop, millis};
use crate::text::{is_blank, json};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    #[serde(rename = "parentId")]
    parent: Option<&'a str>,
    timestamp: &'a str,
    #[serde(borrow)]
    message: Strict<Body<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    role: &'a str,
    #[serde(borrow, default)]
    content: Content<'a>,
    stop_reason: Option<&'a str>,
    provider: Option<&'a str>,
    model: Option<&'a str>,
    tool_call_id: Option<&'a str>,
}

/// What the heads need of the content: whether it says something, and the ids of its tool calls.
#[derive(Default)]
struct Content<'a> {
    has_text: bool,
    calls: Vec<&'a str>,
}

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: Option<&'a str>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

/// A structure that is read from an object only: a derived reading would take an array of its values, too.
struct Strict<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Strict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pieces;
        impl<'de> Visitor<'de> for Pieces {
            type Value = Content<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or blocks")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content { has_text: !is_blank(text), calls: Vec::new() })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut content = Content::default();
                while let Some(Strict(piece)) = seq.next_element::<Strict<Piece<'de>>>()? {
                    match piece.kind {
                        "text" => {
                            let says = |raw: &str| raw.starts_with('"') && !json::is_blank_string(raw);
                            content.has_text |= piece.text.is_some_and(|raw| says(raw.get()));
                        }
                        "toolCall" => content.calls.push(piece.id.unwrap_or_default()),
                        _ => {}
                    }
                }
                Ok(content)
            }
        }
        deserializer.deserialize_any(Pieces)
    }
}

/// Reads a `message` line, or gives up.
pub(super) fn message(text: &str) -> Option<Record<'_>> {
    let Strict(line) = serde_json::from_str::<Strict<Line<'_>>>(text).ok()?;
    if line.kind != "message" || line.id.is_empty() {
        return None;
    }
    let Strict(body) = line.message;
    Some(Record {
        id: Some(Cow::Borrowed(line.id)),
        parent: line.parent.filter(|parent| !parent.is_empty()).map(Cow::Borrowed),
        at: millis(line.timestamp),
        facts: Facts::Message {
            role: Role::from_name(body.role),
            hook_message: body.role == "hookMessage",
            stop: body.stop_reason.map(Stop::from_name),
            has_text: body.content.has_text,
            calls: body.content.calls.into_iter().map(Cow::Borrowed).collect(),
            call: body.tool_call_id.map(Cow::Borrowed),
            provider: body.provider.map(Cow::Borrowed),
            model: body.model.map(Cow::Borrowed),
        },
    })
}
