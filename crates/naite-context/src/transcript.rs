//! What a line of Claude Code's transcript says, as far as the log needs it.

use alloc::borrow::Cow;
use alloc::string::String;

use naite_core::ingest::claude_code::Speech;
use naite_core::text::json::{self, Object};

use crate::speech;

/// A line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// A person spoke.
    User {
        /// The prompt's id, as in the payloads of hooks.
        prompt_id: Option<Cow<'a, str>>,
        /// The text.
        text: String,
        /// When, in Unix milliseconds.
        at: Option<i64>,
    },
    /// A machine's words under a prompt: the form that a command took for the model, a result of a tool, a notice.
    Turn {
        /// The prompt's id.
        prompt_id: Cow<'a, str>,
        /// When, in Unix milliseconds.
        at: Option<i64>,
    },
    /// A block of text of the agent's.
    Assistant {
        /// The message that the block belongs to.
        message_id: Option<Cow<'a, str>>,
        /// The text.
        text: String,
        /// When, in Unix milliseconds.
        at: Option<i64>,
    },
    /// A line that was copied from another session, where it was said.
    Copied,
    /// Anything else.
    Nothing,
}

/// Reads a line. Lines of a sub-agent, notices, results of tools, recaps and errors of the service are nothing.
pub fn read(line: &str) -> Said<'_> {
    // Nearly all bytes of a transcript are in lines of other kinds; those are not parsed.
    let bytes = line.as_bytes();
    let names = |name: &[u8]| memchr::memmem::find(bytes, name).is_some();
    if !names(b"\"user\"") && !names(b"\"assistant\"") {
        return Said::Nothing;
    }
    let Some(object) = Object::parse(line) else { return Said::Nothing };
    let is_set = |key: &str| object.present(key).is_some_and(|raw| raw != "false");
    if is_set("isSidechain") {
        return Said::Nothing;
    }
    let kind = object.str("type");
    let is_speech = matches!(kind.as_deref(), Some("user" | "assistant"));
    let is_elsewhere = || {
        let asked_by = object.str("requestSessionId");
        is_set("forkedFrom") || asked_by.is_some_and(|id| Some(id) != object.str("sessionId"))
    };
    if is_speech && is_elsewhere() {
        return Said::Copied;
    }
    match kind.as_deref() {
        Some("user") => user(&object, &is_set),
        Some("assistant") if !is_set("isApiErrorMessage") => assistant(&object),
        _ => Said::Nothing,
    }
}

fn at(object: &Object<'_>) -> Option<i64> {
    object.str("timestamp").and_then(|text| naite_core::entry::millis(&text))
}

fn user<'a>(object: &Object<'a>, is_set: &dyn Fn(&str) -> bool) -> Said<'a> {
    let prompt_id = object.str("promptId");
    let text = object.object("message").and_then(|message| text(message.raw("content")?)).unwrap_or_default();
    let is_marked = is_set("isCompactSummary") || is_set("sourceToolAssistantUUID");
    let is_machine = is_marked || Speech::of(object, &text) != Speech::User;
    let text = match speech::without_injected(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(rest) => rest,
    };
    match prompt_id {
        Some(prompt_id) if is_machine || text.trim().is_empty() => Said::Turn { prompt_id, at: at(object) },
        _ if is_machine || text.trim().is_empty() => Said::Nothing,
        prompt_id => Said::User { prompt_id, text, at: at(object) },
    }
}

fn assistant<'a>(object: &Object<'a>) -> Said<'a> {
    let Some(message) = object.object("message") else { return Said::Nothing };
    match message.raw("content").and_then(text) {
        Some(text) if !text.trim().is_empty() => {
            Said::Assistant { message_id: message.str("id"), text, at: at(object) }
        }
        _ => Said::Nothing,
    }
}

/// The text of a message: a string, or the text blocks of a list; `None` for one that carries results of tools.
fn text(content: &str) -> Option<String> {
    if let Some(text) = json::string(content) {
        return Some(text.into_owned());
    }
    let mut text = String::new();
    for block in json::array(content)? {
        let Some(block) = Object::parse(block) else { continue };
        match block.str("type").as_deref() {
            Some("tool_result") => return None,
            Some("text") => {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&block.str("text").unwrap_or_default());
            }
            _ => {}
        }
    }
    Some(text)
}

/// Says whether a line of a transcript is one of the client's own requests, which a copy may leave out.
pub fn is_request(line: &[u8]) -> bool {
    line.starts_with(b"{\"type\":\"api-request")
}

/// Replaces the payload of a `prompt_snapshot` (the whole system prompt, 65 KB a turn) by its length and hash; the
/// envelope, which carries the chain of parents, stays byte for byte. `None` for every other line.
pub fn shorten_snapshot(line: &str) -> Option<String> {
    memchr::memmem::find(line.as_bytes(), b"\"prompt_snapshot\"")?;
    let object = Object::parse(line)?;
    let attachment = object.raw("attachment")?;
    let inner = Object::parse(attachment)?;
    if inner.str("type")? != "prompt_snapshot" {
        return None;
    }
    let hash = xxhash_rust::xxh3::xxh3_64(attachment.as_bytes());
    let short = json::ObjectWriter::new()
        .str("type", "prompt_snapshot")
        .display("bytes", attachment.len())
        .str("xxh3", &alloc::format!("{hash:016x}"))
        .end();
    let start = attachment.as_ptr() as usize - line.as_ptr() as usize;
    Some([&line[..start], &short, &line[start + attachment.len()..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(extra: &str, content: &str) -> String {
        alloc::format!(
            r#"{{"parentUuid":null,{extra}"type":"user","message":{{"role":"user","content":{content}}},"uuid":"u"}}"#
        )
    }

    #[test]
    fn people_are_heard_and_machines_are_not() {
        let heard = |extra: &str, content: &str| read(&user(extra, content)) != Said::Nothing;
        assert!(heard("", r#""hi""#) && heard("", r#"[{"type":"text","text":"hi"}]"#));
        assert!(heard(r#""isMeta":false,"isSidechain":false,"#, r#""hi""#));
        for extra in [
            r#""isMeta":true,"#,
            r#""isSidechain":true,"#,
            r#""toolUseResult":{},"#,
            r#""hookText":"x","#,
            r#""isCompactSummary":true,"#,
            r#""origin":{"kind":"task-notification"},"#,
            r#""turnCompanion":{},"#,
        ] {
            assert!(!heard(extra, r#""hi""#), "{extra}");
        }
        for content in
            [r#""""#, r#"" ""#, r#"[{"type":"tool_result","content":"x"}]"#, r#""<bash-input>ls""#, "7"]
        {
            assert!(!heard("", content), "{content}");
        }
        let command = user(r#""promptId":"p","#, r#""<command-name>/x</command-name>""#);
        assert_eq!(read(&command), Said::Turn { prompt_id: "p".into(), at: None });
    }

    #[test]
    fn copies_are_seen() {
        assert_eq!(read(&user(r#""forkedFrom":{"sessionId":"s"},"#, r#""hi""#)), Said::Copied);
        assert_eq!(read(&user(r#""requestSessionId":"a","sessionId":"b","#, r#""hi""#)), Said::Copied);
        assert!(matches!(
            read(&user(r#""requestSessionId":"a","sessionId":"a","#, r#""hi""#)),
            Said::User { .. }
        ));
    }

    #[test]
    fn a_snapshot_keeps_its_envelope() {
        let line = r#"{"parentUuid":"p","attachment":{"type":"prompt_snapshot","system":"long"},"uuid":"u"}"#;
        let short = shorten_snapshot(line).expect("shorter");
        assert!(
            short.starts_with(
                r#"{"parentUuid":"p","attachment":{"type":"prompt_snapshot","bytes":42,"xxh3":""#
            )
        );
        assert!(short.ends_with(r#""},"uuid":"u"}"#), "{short}");
        assert_eq!(shorten_snapshot(r#"{"text":"a \"prompt_snapshot\""}"#), None);
        assert_eq!(shorten_snapshot(r#"{"a":"prompt_snapshot","b""#), None);
    }
}
