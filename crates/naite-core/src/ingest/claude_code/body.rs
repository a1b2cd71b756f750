//! Lines of a transcript to the text of the entry that they are: what a session file of version 3 would hold.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::line::{Part, attached, parts, stop};
use super::speech::{Speech, tagged};
use crate::entry::{Kind, Role, Stop, iso};
use crate::text::json::{self, Object, ObjectWriter};

/// What the tree knows of an entry whose body is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its parent in the tree.
    pub parent: Option<&'a str>,
    /// Unix milliseconds.
    pub at: i64,
    /// What it is.
    pub kind: Kind,
    /// Who speaks.
    pub role: Role,
    /// Which part of a line with several parts, from 0.
    pub part: usize,
    /// The tool that a result comes from.
    pub tool: Option<&'a str>,
    /// The entry that a compaction keeps from.
    pub anchor: Option<&'a str>,
}

impl Ask<'_> {
    fn entry(&self, kind: &str) -> ObjectWriter {
        ObjectWriter::new()
            .str("type", kind)
            .str("id", self.id)
            .str_or_null("parentId", self.parent)
            .str("timestamp", &iso(self.at))
    }

    fn message(&self, role: Role) -> ObjectWriter {
        debug_assert!(role != Role::Other);
        ObjectWriter::new().str("role", role.name())
    }

    fn end_message(&self, message: ObjectWriter) -> String {
        let message = message.display("timestamp", self.at).end();
        self.entry("message").raw("message", &message).end()
    }
}

/// Makes the text of an entry from its lines, in the order of the file.
pub fn body<S: AsRef<str>>(lines: &[S], ask: &Ask<'_>) -> String {
    let lines: Vec<Object<'_>> =
        lines.iter().map(|line| Object::parse(line.as_ref()).unwrap_or_default()).collect();
    let nothing = Object::default();
    let first = lines.first().unwrap_or(&nothing);
    match (ask.kind, ask.role) {
        (Kind::Message, Role::Assistant) => answer(&lines, ask),
        (Kind::Message, Role::ToolResult) => result(first, ask),
        (Kind::Message, Role::BashExecution) => execution(&lines, ask),
        (Kind::Message | Kind::CustomMessage, _) => spoken(first, ask),
        (Kind::Compaction, _) => compaction(&lines, ask),
        (Kind::Custom, _) => aside(first, ask),
        _ => {
            let kind = first.str("type").unwrap_or_default();
            ask.entry(if kind.is_empty() { "unknown" } else { &kind }).raw("line", &whole(first)).end()
        }
    }
}

/// All fields of a line, as they stand.
fn whole(line: &Object<'_>) -> String {
    ObjectWriter::new().fields(line, |_| true).end()
}

fn answer(lines: &[Object<'_>], ask: &Ask<'_>) -> String {
    let mut blocks = Vec::new();
    let (mut model, mut reason, mut usage, mut id, mut error) = (None, None, None, None, None);
    for line in lines {
        let message = line.object("message").unwrap_or_default();
        model = message.str("model").or(model);
        id = message.str("id").or(id);
        usage = message.object("usage").or(usage);
        let failed = line.bool("isApiErrorMessage") == Some(true);
        reason = match (failed, message.str("stop_reason")) {
            (true, _) => Some(Stop::Error),
            (false, Some(given)) => Some(stop(&given)),
            (false, None) => reason,
        };
        let content = content(message.raw("content").as_slice());
        if failed {
            error =
                Some(crate::entry::joined_text(&crate::entry::content_blocks(Some(&json::join(&content)))));
        } else {
            blocks.extend(content);
        }
    }
    let calls = blocks.iter().any(|block| block.starts_with(r#"{"type":"toolCall""#));
    let reason = reason.unwrap_or(if calls { Stop::ToolUse } else { Stop::Stop });
    let model = model.filter(|model| model != "<synthetic>");
    let message = ask
        .message(Role::Assistant)
        .raw("content", &json::join(&blocks))
        .str("api", "anthropic-messages")
        .maybe_str("provider", model.as_ref().map(|_| "anthropic"))
        .maybe_str("model", model.as_deref())
        .raw("usage", &tokens(usage.as_ref()))
        .str("stopReason", reason.name())
        .maybe_str("errorMessage", error.as_deref())
        .maybe_str("responseId", id.as_deref());
    ask.end_message(message)
}

/// Usage, which every line of an answer repeats: it counts once.
fn tokens(usage: Option<&Object<'_>>) -> String {
    let count = |key: &str| usage.and_then(|usage| usage.u64(key)).unwrap_or(0);
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    let (read, write) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    let all = [input, output, read, write].into_iter().fold(0u64, u64::saturating_add);
    ObjectWriter::new()
        .display("input", input)
        .display("output", output)
        .display("cacheRead", read)
        .display("cacheWrite", write)
        .display("totalTokens", all)
        .raw("cost", r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}"#)
        .end()
}

fn result(line: &Object<'_>, ask: &Ask<'_>) -> String {
    let parts = parts(line);
    let results = parts.iter().filter(|(part, _)| matches!(part, Part::Result(_))).count();
    let raw = parts.get(ask.part).and_then(|(_, raw)| raw.first().copied()).unwrap_or("{}");
    let block = Object::parse(raw).unwrap_or_default();
    // With several results on a line nothing says whose details these are.
    let details = line.present("toolUseResult").filter(|_| results == 1);
    let message = ask
        .message(Role::ToolResult)
        .str("toolCallId", &block.str("tool_use_id").unwrap_or_default())
        .str("toolName", ask.tool.unwrap_or_default())
        .raw("content", &json::join(content(block.present("content").as_slice())))
        .maybe_raw("details", details)
        .display("isError", block.bool("is_error") == Some(true));
    ask.end_message(message)
}

fn execution(lines: &[Object<'_>], ask: &Ask<'_>) -> String {
    let text = |line: &Object<'_>| {
        let message = line.object("message").unwrap_or_default();
        crate::entry::joined_text(&crate::entry::content_blocks(message.raw("content")))
    };
    let command = lines.first().map(text).unwrap_or_default();
    let printed = lines.get(1).map(text).unwrap_or_default();
    let mut output = String::from(tagged(&printed, "bash-stdout").unwrap_or_default());
    let errors = tagged(&printed, "bash-stderr").unwrap_or_default();
    if !errors.is_empty() {
        if !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        output.push_str(errors);
    }
    let message = ask
        .message(Role::BashExecution)
        .str("command", tagged(&command, "bash-input").unwrap_or(&command))
        .str("output", &output)
        .display("cancelled", false)
        .display("truncated", false);
    ask.end_message(message)
}

/// Words of the person, or of the program in a user's place.
fn spoken(line: &Object<'_>, ask: &Ask<'_>) -> String {
    let (speech, raws) = speech(line, ask.part);
    let blocks = content(&raws);
    // A plain string stays one, as the person's client wrote it.
    let plain = match raws.as_slice() {
        [raw] if json::string(raw).is_some() => Some(json::mend_surrogates(raw)),
        _ => None,
    };
    let content = plain.unwrap_or_else(|| Cow::Owned(json::join(&blocks)));
    if ask.kind == Kind::Message {
        return ask.end_message(ask.message(Role::User).raw("content", &content));
    }
    let text = crate::entry::joined_text(&crate::entry::content_blocks(Some(&content)));
    let details = speech.title(&text).map(|title| {
        let title = ObjectWriter::new().str("title", &title).end();
        ObjectWriter::new().raw("claudeCode", &title).end()
    });
    ask.entry("custom_message")
        .str("customType", speech.name())
        .raw("content", &content)
        .display("display", !speech.is_aside())
        .maybe_raw("details", details.as_deref())
        .end()
}

/// Who speaks in one part of a line, and the raw JSON (strings and blocks) of what is said.
fn speech<'a>(line: &Object<'a>, part: usize) -> (Speech, Vec<&'a str>) {
    match line.str("type").as_deref() {
        Some("attachment") => attached(line).unwrap_or((Speech::Meta, Vec::new())),
        Some("system") => {
            let text = line.str("content").unwrap_or_default();
            let command = Speech::of(line, &text) == Speech::Command;
            let speech = if command { Speech::Command } else { Speech::CommandOutput };
            (speech, line.raw("content").into_iter().collect())
        }
        _ => match parts(line).into_iter().nth(part) {
            Some((Part::Speech(speech, _), raws)) => (speech, raws),
            _ => (Speech::Meta, Vec::new()),
        },
    }
}

fn compaction(lines: &[Object<'_>], ask: &Ask<'_>) -> String {
    let is_summary = |line: &&Object<'_>| line.bool("isCompactSummary") == Some(true);
    let summary = lines.iter().find(is_summary).and_then(|line| line.object("message"));
    let summary = summary
        .map(|message| crate::entry::joined_text(&crate::entry::content_blocks(message.raw("content"))));
    let meta = lines.iter().find_map(|line| line.object("compactMetadata"));
    let tokens = meta.as_ref().and_then(|meta| meta.u64("preTokens")).unwrap_or(0);
    ask.entry("compaction")
        .str("summary", &summary.unwrap_or_default())
        .str_or_null("firstKeptEntryId", ask.anchor)
        .display("tokensBefore", tokens)
        .maybe_raw("details", lines.iter().find_map(|line| line.present("compactMetadata")))
        .end()
}

/// Bookkeeping, under the name that Claude Code has for it. The whole prompt that a snapshot repeats is left out.
fn aside(line: &Object<'_>, ask: &Ask<'_>) -> String {
    let attachment = line.object("attachment");
    let kind = attachment.as_ref().and_then(|attachment| attachment.str("type"));
    let kind = kind.or_else(|| line.str("subtype")).or_else(|| line.str("type")).unwrap_or_default();
    let data = if kind == "prompt_snapshot" {
        let left_out = line.raw("attachment").map_or(0, str::len);
        ObjectWriter::new()
            .fields(line, |key| key != "attachment" && key != "rendered")
            .display("leftOutBytes", left_out)
            .end()
    } else {
        whole(line)
    };
    ask.entry("custom").str("customType", &alloc::format!("claude-code.{kind}")).raw("data", &data).end()
}

/// Raw content (strings and blocks of Anthropic's form) as blocks of a session file.
fn content(raws: &[&str]) -> Vec<String> {
    let mut blocks = Vec::new();
    for raw in raws {
        if json::string(raw).is_some() {
            blocks.push(ObjectWriter::new().str("type", "text").raw("text", raw).end());
        } else if let Some(inner) = json::array(raw) {
            blocks.extend(inner.into_iter().map(block));
        } else if raw.starts_with('{') {
            blocks.push(block(raw));
        }
    }
    blocks
}

fn block(raw: &str) -> String {
    if json::string(raw).is_some() {
        return ObjectWriter::new().str("type", "text").raw("text", raw).end();
    }
    let Some(fields) = Object::parse(raw) else { return String::from(raw) };
    let out = ObjectWriter::new();
    match fields.str("type").as_deref() {
        Some("thinking") => out
            .str("type", "thinking")
            .raw("thinking", fields.raw("thinking").unwrap_or("\"\""))
            .maybe_raw("thinkingSignature", fields.present("signature"))
            .end(),
        Some("redacted_thinking") => out
            .str("type", "thinking")
            .str("thinking", "")
            .maybe_raw("thinkingSignature", fields.present("data"))
            .display("redacted", true)
            .end(),
        Some("tool_use") => out
            .str("type", "toolCall")
            .raw("id", fields.raw("id").unwrap_or("\"\""))
            .raw("name", fields.raw("name").unwrap_or("\"\""))
            .raw("arguments", fields.raw("input").unwrap_or("{}"))
            .end(),
        Some("image") => match fields.object("source") {
            Some(source) if source.str("type").is_some_and(|kind| kind == "base64") => out
                .str("type", "image")
                .raw("data", source.raw("data").unwrap_or("\"\""))
                .raw("mimeType", source.raw("media_type").unwrap_or("\"image/png\""))
                .end(),
            _ => String::from(raw),
        },
        _ => String::from(raw),
    }
}
