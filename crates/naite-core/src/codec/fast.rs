//! The one-pass reading of a well-formed `message` line, which nearly all bytes of a session are.
//!
//! Anything unusual (escapes in ids, repeated keys, other types of values) makes it give up; the careful
//! reading in `decode` then decides. Both must agree, which a property test holds them to.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::decode::{Facts, Record};
use super::skim::Skim;
use crate::entry::{Role, Stop, millis};
use crate::text::json;

/// The fields of a `message` line; `Some` once they were read.
#[derive(Default)]
struct Line<'a> {
    kind: Option<&'a str>,
    id: Option<&'a str>,
    parent: Option<Option<&'a str>>,
    timestamp: Option<&'a str>,
    body: Option<Body<'a>>,
}

#[derive(Default)]
struct Body<'a> {
    role: Option<&'a str>,
    content: Option<Content<'a>>,
    stop: Option<Option<&'a str>>,
    provider: Option<Option<&'a str>>,
    model: Option<Option<&'a str>>,
    call: Option<Option<&'a str>>,
}

/// What the heads need of the content: whether it says something, and the ids of its tool calls.
#[derive(Default)]
struct Content<'a> {
    has_text: bool,
    calls: Vec<&'a str>,
}

/// Fills a field; `None` if it is filled already, since of a repeated key the last value counts.
fn set<T>(field: &mut Option<T>, value: Option<T>) -> Option<()> {
    field.is_none().then(|| *field = value)
}

/// Reads a `message` line, or gives up.
pub(super) fn message(text: &str) -> Option<Record<'_>> {
    let mut skim = Skim::new(text)?;
    let mut line = Line::default();
    skim.object(|skim, key| match key {
        "type" => {
            set(&mut line.kind, Some(skim.plain()?))?;
            (line.kind == Some("message")).then_some(())
        }
        "id" => set(&mut line.id, Some(skim.plain()?)),
        "parentId" => set(&mut line.parent, Some(skim.plain_or_null()?)),
        "timestamp" => set(&mut line.timestamp, Some(skim.plain()?)),
        "message" => set(&mut line.body, Some(body(skim)?)),
        _ => skim.skip(),
    })?;
    skim.end()?;
    line.kind?;
    let body = line.body?;
    let role = body.role?;
    let content = body.content.unwrap_or_default();

    Some(Record {
        id: Some(Cow::Borrowed(line.id.filter(|id| !id.is_empty())?)),
        parent: line.parent.flatten().filter(|parent| !parent.is_empty()).map(Cow::Borrowed),
        at: millis(line.timestamp?),
        facts: Facts::Message {
            role: Role::from_name(role),
            hook_message: role == "hookMessage",
            stop: body.stop.flatten().map(Stop::from_name),
            has_text: content.has_text,
            calls: content.calls.into_iter().map(Cow::Borrowed).collect(),
            call: body.call.flatten().map(Cow::Borrowed),
            provider: body.provider.flatten().map(Cow::Borrowed),
            model: body.model.flatten().map(Cow::Borrowed),
        },
    })
}

/// Reads the role of a message and the call that it answers, and no further than that; or gives up.
pub(super) fn role_and_call(message: &str) -> Option<(&str, Option<&str>)> {
    let (mut role, mut call, mut known) = (None, None, None);
    let read = Skim::trusting(message).object(|skim, key| {
        match key {
            "role" => role = Some(skim.plain()?),
            "toolCallId" => call = Some(skim.plain_or_null()?),
            _ => skim.skip()?,
        }
        let is_enough = |role: &&str| call.is_some() || Role::from_name(role) != Role::ToolResult;
        known = role.filter(is_enough).map(|role| (role, call.flatten()));
        known.is_none().then_some(())
    });
    known.or_else(|| read.and(role).map(|role| (role, None)))
}

fn body<'a>(skim: &mut Skim<'a>) -> Option<Body<'a>> {
    let mut body = Body::default();
    skim.object(|skim, key| match key {
        "role" => set(&mut body.role, Some(skim.plain()?)),
        "content" => set(&mut body.content, Some(content(skim)?)),
        "stopReason" => set(&mut body.stop, Some(skim.plain_or_null()?)),
        "provider" => set(&mut body.provider, Some(skim.plain_or_null()?)),
        "model" => set(&mut body.model, Some(skim.plain_or_null()?)),
        "toolCallId" => set(&mut body.call, Some(skim.plain_or_null()?)),
        _ => skim.skip(),
    })?;
    Some(body)
}

fn content<'a>(skim: &mut Skim<'a>) -> Option<Content<'a>> {
    let mut content = Content::default();
    if skim.kind() == b'"' {
        content.has_text = !json::is_blank_string(skim.string()?);
        return Some(content);
    }
    skim.array(|skim| {
        let (mut kind, mut text, mut id) = (None, None, None);
        skim.object(|skim, key| match key {
            "type" => set(&mut kind, Some(skim.plain()?)),
            "text" => set(&mut text, Some(if skim.kind() == b'"' { skim.string()? } else { return None })),
            "id" => set(&mut id, Some(skim.plain_or_null()?)),
            _ => skim.skip(),
        })?;
        match kind? {
            "text" => content.has_text |= text.is_some_and(|text| !json::is_blank_string(text)),
            "toolCall" => content.calls.push(id.flatten().unwrap_or_default()),
            _ => {}
        }
        Some(())
    })?;
    Some(content)
}
