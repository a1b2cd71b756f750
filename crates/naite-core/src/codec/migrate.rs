//! Old formats brought to version 3: ids and parents for v1, anchors by id, `hookMessage` renamed.
//!
//! It happens in memory at every reading; bytes change only when a file is rewritten on purpose.

use alloc::string::String;

use crate::text::json::{Object, ObjectWriter};

/// What loading settled for an entry of an old file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The id that loading gave to an entry without one.
    pub id: Option<String>,
    /// Its parent (`Some(None)` is a root).
    pub parent: Option<Option<String>>,
    /// The id that a numeric anchor stands for.
    pub anchor: Option<String>,
}

/// The id of a v1 line: the first eight hex digits of a hash of session and line, `attempt` steps further on.
pub fn generated_id(session: &str, line: u64, attempt: u32) -> String {
    let text = alloc::format!("{session}\n{line}");
    let hash = (xxhash_rust::xxh3::xxh3_64(text.as_bytes()) >> 32) as u32;
    alloc::format!("{:08x}", hash.wrapping_add(attempt))
}

/// Brings the text of one record to version 3. Idempotent; values that need no change keep their bytes.
pub fn migrate(text: &str, made: &Made) -> String {
    let Some(fields) = Object::parse(text) else { return text.into() };
    let mut out = ObjectWriter::new().maybe_raw("type", fields.raw("type"));
    if let Some(id) = &made.id {
        out = out.str("id", id);
    }
    if let Some(parent) = &made.parent {
        out = out.str_or_null("parentId", parent.as_deref());
    }
    for (key, raw) in fields.fields() {
        out = match key {
            "type" => out,
            "id" if made.id.is_some() => out,
            "parentId" if made.parent.is_some() => out,
            "firstKeptEntryIndex" => match (&made.anchor, fields.raw("firstKeptEntryId")) {
                (Some(anchor), None) => out.str("firstKeptEntryId", anchor),
                _ => out,
            },
            "message" => match rename_hook_message(raw) {
                Some(message) => out.raw("message", &message),
                None => out.raw("message", raw),
            },
            _ => out.raw(key, raw),
        };
    }
    out.end()
}

fn rename_hook_message(raw: &str) -> Option<String> {
    let message = Object::parse(raw)?;
    if message.str("role")? != "hookMessage" {
        return None;
    }
    Some(
        message
            .fields()
            .fold(ObjectWriter::new(), |out, (key, raw)| match key {
                "role" => out.str("role", "custom"),
                _ => out.raw(key, raw),
            })
            .end(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migration_is_idempotent_and_touches_nothing_else() {
        let old =
            r#"{"type":"message","n":12345678901234567890123,"message":{"role":"hookMessage","x":"\ud800"}}"#;
        let made = Made { id: Some("0000000a".into()), parent: Some(None), anchor: None };
        let new = migrate(old, &made);
        assert_eq!(
            new,
            r#"{"type":"message","id":"0000000a","parentId":null,"n":12345678901234567890123,"message":{"role":"custom","x":"\ud800"}}"#
        );
        assert_eq!(migrate(&new, &made), new);
        assert_eq!(migrate(&new, &Made::default()), new);
    }

    #[test]
    fn an_index_becomes_an_anchor() {
        let old = r#"{"type":"compaction","summary":"s","firstKeptEntryIndex":3}"#;
        let made = Made { anchor: Some("k".into()), ..Made::default() };
        assert_eq!(migrate(old, &made), r#"{"type":"compaction","summary":"s","firstKeptEntryId":"k"}"#);
    }
}
