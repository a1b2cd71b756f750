//! New records as the peers read them: both programs' field names where they differ.

use alloc::string::String;

use super::decode::MoveOp;
use crate::entry::{VERSION, iso};
use crate::id::EntryId;
use crate::text::json::{self, Object, ObjectWriter};

/// An entry to append; id, parent and time are added by [`line()`]. Raw fields hold JSON text.
#[derive(Clone, Debug)]
pub enum Draft<'a> {
    /// A message in stored form.
    Message(&'a str),
    /// Another model.
    ModelChange {
        /// Provider.
        provider: &'a str,
        /// Model id.
        model_id: &'a str,
    },
    /// Another thinking level.
    ThinkingLevel(&'a str),
    /// A compaction.
    Compaction(CompactionDraft<'a>),
    /// A branch summary.
    BranchSummary(SummaryDraft<'a>),
    /// State of an extension.
    Custom {
        /// Whose it is.
        custom_type: &'a str,
        /// Raw JSON.
        data: Option<&'a str>,
    },
    /// A message of an extension.
    CustomMessage(CustomMessageDraft<'a>),
    /// A label (`None` clears), perhaps taking back or bringing back an earlier one.
    Label {
        /// The entry that gets it.
        target: &'a str,
        /// The value.
        label: Option<&'a str>,
        /// The label entry that this one takes back.
        undoes: Option<&'a str>,
        /// The label entry that this one brings back.
        redoes: Option<&'a str>,
    },
    /// The session's name (empty clears).
    SessionInfo(&'a str),
    /// A move of the leaf.
    Move(MoveDraft<'a>),
}

/// The fields of a new compaction.
#[derive(Clone, Debug, Default)]
pub struct CompactionDraft<'a> {
    /// The summary.
    pub summary: &'a str,
    /// Where the kept part starts.
    pub first_kept: &'a str,
    /// Tokens of the context before it.
    pub tokens_before: u64,
    /// Raw JSON.
    pub details: Option<&'a str>,
    /// An extension made it.
    pub from_extension: Option<bool>,
}

/// The fields of a new branch summary.
#[derive(Clone, Debug, Default)]
pub struct SummaryDraft<'a> {
    /// The target of the move; `None` is the root state.
    pub from: Option<&'a str>,
    /// The leaf that was left.
    pub abandoned: Option<&'a str>,
    /// The summary.
    pub summary: &'a str,
    /// Raw JSON.
    pub details: Option<&'a str>,
    /// An extension made it.
    pub from_extension: Option<bool>,
}

/// The fields of a new extension message.
#[derive(Clone, Debug, Default)]
pub struct CustomMessageDraft<'a> {
    /// Whose it is.
    pub custom_type: &'a str,
    /// Raw JSON: a string or blocks.
    pub content: &'a str,
    /// Whether people see it.
    pub display: bool,
    /// Raw JSON.
    pub details: Option<&'a str>,
}

/// The fields of a new move record.
#[derive(Clone, Copy, Debug)]
pub struct MoveDraft<'a> {
    /// What moves.
    pub op: MoveOp,
    /// The leaf before.
    pub from: Option<&'a str>,
    /// The leaf after.
    pub to: Option<&'a str>,
    /// The record that an undo takes back.
    pub undoes: Option<&'a str>,
    /// The record that a redo brings back.
    pub redoes: Option<&'a str>,
}

/// Bytes of the fields that every record has.
const FIELDS: usize = 160;

/// Writes one record without its line end. `at` is in Unix milliseconds.
pub fn line(id: &EntryId, parent: Option<&str>, at: i64, draft: &Draft<'_>) -> String {
    line_in(String::new(), id, parent, at, draft)
}

/// The same in the memory of another text, which is lost: who writes many lines needs no new memory for each.
pub fn line_in(room: String, id: &EntryId, parent: Option<&str>, at: i64, draft: &Draft<'_>) -> String {
    let body = if let Draft::Message(message) = draft { message.len() } else { 0 };
    let start = |kind: &str| {
        ObjectWriter::in_place_of(room, body + FIELDS)
            .str("type", kind)
            .str("id", id.as_str())
            .str_or_null("parentId", parent)
            .str("timestamp", &iso(at))
    };
    let flag = |out: ObjectWriter, from_extension: Option<bool>| match from_extension {
        Some(yes) => out.display("fromHook", yes).display("fromExtension", yes),
        None => out,
    };
    let out = match draft {
        Draft::Message(message) => start("message").raw("message", message),
        Draft::ModelChange { provider, model_id } => start("model_change")
            .str("provider", provider)
            .str("modelId", model_id)
            .str("model", &alloc::format!("{provider}/{model_id}")),
        Draft::ThinkingLevel(level) => start("thinking_level_change").str("thinkingLevel", level),
        Draft::Compaction(c) => flag(
            start("compaction")
                .str("summary", c.summary)
                .str("firstKeptEntryId", c.first_kept)
                .display("tokensBefore", c.tokens_before)
                .maybe_raw("details", c.details),
            c.from_extension,
        ),
        Draft::BranchSummary(s) => flag(
            start("branch_summary")
                .str("fromId", s.from.unwrap_or("root"))
                .str("summary", s.summary)
                .maybe_raw("details", s.details)
                .str_or_null("abandonedLeafId", s.abandoned),
            s.from_extension,
        ),
        Draft::Custom { custom_type, data } => {
            start("custom").str("customType", custom_type).maybe_raw("data", *data)
        }
        Draft::CustomMessage(c) => start("custom_message")
            .str("customType", c.custom_type)
            .raw("content", c.content)
            .display("display", c.display)
            .maybe_raw("details", c.details),
        Draft::Label { target, label, undoes, redoes } => start("label")
            .str("targetId", target)
            .maybe_str("label", *label)
            .maybe_str("undoes", *undoes)
            .maybe_str("redoes", *redoes),
        Draft::SessionInfo(name) => start("session_info").str("name", name),
        Draft::Move(m) => start("custom").str("customType", "naite.move").raw("data", &move_data(m)),
    };
    on_one_line(out.end())
}

/// Makes spaces of the line breaks that raw JSON may have between its tokens: a record is one line.
fn on_one_line(record: String) -> String {
    match memchr::memchr2(b'\n', b'\r', record.as_bytes()) {
        Some(_) => record.replace(['\n', '\r'], " "),
        None => record,
    }
}

fn move_data(m: &MoveDraft<'_>) -> String {
    ObjectWriter::new()
        .str("op", m.op.name())
        .str_or_null("from", m.from)
        .str_or_null("to", m.to)
        .maybe_str("undoes", m.undoes)
        .maybe_str("redoes", m.redoes)
        .end()
}

/// Writes a session header without its line end.
pub fn header(id: &str, at: i64, cwd: &str, parent_session: Option<&str>, title: Option<&str>) -> String {
    ObjectWriter::new()
        .str("type", "session")
        .display("version", VERSION)
        .str("id", id)
        .str("timestamp", &iso(at))
        .str("cwd", cwd)
        .maybe_str("parentSession", parent_session)
        .maybe_str("title", title)
        .end()
}

/// Gives a record another parent (and a compaction another anchor); every other value keeps its bytes.
pub fn set_parent(text: &str, parent: Option<&str>, anchor: Option<&str>) -> String {
    let parent = parent.map_or_else(|| String::from("null"), json::quote);
    let text = set_field(text, "parentId", &parent, true);
    match anchor {
        Some(anchor) => set_field(&text, "firstKeptEntryId", &json::quote(anchor), false),
        None => text,
    }
}

/// Gives a record another time; every other value keeps its bytes.
pub fn set_timestamp(text: &str, timestamp: &str) -> String {
    set_field(text, "timestamp", &json::quote(timestamp), true)
}

/// Gives a header another working directory; every other value keeps its bytes.
pub fn set_cwd(text: &str, cwd: &str) -> String {
    set_field(text, "cwd", &json::quote(cwd), true)
}

/// Gives a header a title; every other value keeps its bytes.
pub fn set_title(text: &str, title: &str) -> String {
    set_field(text, "title", &json::quote(title), true)
}

/// Gives a field another raw value, in its place or (`add`) at the end.
fn set_field(text: &str, name: &str, value: &str, add: bool) -> String {
    let Some(fields) = Object::parse(text) else { return text.into() };
    let (mut seen, mut out) = (false, ObjectWriter::new());
    for (key, raw) in fields.fields() {
        seen |= key == name;
        out = out.raw(key, if key == name { value } else { raw });
    }
    if seen || !add { out.end() } else { out.raw(name, value).end() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Facts, read_record};

    #[test]
    fn what_is_written_reads_back() {
        let id = EntryId::from_bits(7);
        let text = line(
            &id,
            Some("p"),
            0,
            &Draft::Move(MoveDraft {
                op: MoveOp::Undo,
                from: Some("a"),
                to: None,
                undoes: Some("m"),
                redoes: None,
            }),
        );
        let record = read_record(&text).expect("a record");
        assert_eq!(record.parent.as_deref(), Some("p"));
        let Facts::Move { op, from, to, undoes, redoes } = record.facts else { panic!("{text}") };
        assert_eq!(
            (op, from.flatten().as_deref(), to.flatten(), undoes.as_deref(), redoes),
            (MoveOp::Undo, Some("a"), None, Some("m"), None)
        );
    }

    #[test]
    fn a_record_is_one_line_however_its_json_is_laid_out() {
        let message = "{\n  \"role\": \"user\",\r\n\t\"content\": \"a\\nb\"\n}";
        let text = line(&EntryId::from_bits(7), None, 0, &Draft::Message(message));
        assert!(!text.contains(['\n', '\r']) && text.contains("a\\nb"), "{text}");
        assert!(matches!(read_record(&text).map(|record| record.facts), Some(Facts::Message { .. })));
    }

    #[test]
    fn a_new_parent_leaves_the_rest_alone() {
        let text = r#"{"z":1.50,"parentId":"x","u":"\ud800","id":"i"}"#;
        assert_eq!(set_parent(text, None, None), r#"{"z":1.50,"parentId":null,"u":"\ud800","id":"i"}"#);
        assert_eq!(set_parent(r#"{"id":"i"}"#, Some("p"), None), r#"{"id":"i","parentId":"p"}"#);
    }
}
