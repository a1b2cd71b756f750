//! The conversation as one JSON object (schema in `docs/json.md`).

use naite_core::entry::iso;
use naite_core::text::json::{self, ObjectWriter, mend_surrogates};

use super::{Conversation, Turn};

/// Writes the object, on one line.
pub fn json(all: &Conversation) -> String {
    let session = ObjectWriter::new()
        .str("id", &all.session)
        .str_or_null("name", all.name.as_deref())
        .str_or_null("cwd", all.folder.as_deref())
        .str_or_null("created", all.created.as_deref())
        .end();
    let object = ObjectWriter::new()
        .raw("session", &session)
        .str_or_null("leaf", all.leaf.as_deref())
        .str("scope", if all.whole { "tree" } else { "branch" })
        .display("masked", all.masked)
        .raw("entries", &json::join(all.turns.iter().map(|turn| entry(all, turn))))
        .end();
    escape_controls(&object)
}

fn entry(all: &Conversation, turn: &Turn) -> String {
    let record = if turn.raw.is_empty() { "null".into() } else { mend_surrogates(&turn.raw) };
    ObjectWriter::new()
        .str("id", &turn.id)
        .str_or_null("parent", turn.parent.map(|parent| all.turns[parent].id.as_str()))
        .maybe_str("label", turn.label.as_deref())
        .str("timestamp", &iso(turn.at))
        .str("text", &turn.words)
        .display("active", turn.active)
        .raw("record", &record)
        .end()
}

/// Writes characters that a terminal may obey as escapes, which changes no value: outside strings JSON has none.
fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{61c}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}
