//! Lines that are not exactly one sound record: every whole record on them is saved, the rest is named.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde_json::value::RawValue;

use super::decode::{is_entry, lossy, why_no_entry};
use super::defect::DefectKind;
use crate::text::json::{self, Object};

/// What was found on an odd line.
#[derive(Debug, Default)]
pub struct Odd {
    /// Whole records, in order.
    pub found: Vec<Found>,
    /// What is wrong with the line; `None` where it was only odd (a BOM).
    pub defect: Option<DefectKind>,
    /// Id and parent read from a record that broke off, so that its children keep their chain.
    pub broken: Option<(String, Option<String>)>,
}

/// One whole record of an odd line.
#[derive(Debug)]
pub struct Found {
    /// The record's text, lossily decoded.
    pub text: String,
    /// Where its bytes lie within the line.
    pub at: Range<usize>,
}

/// How many bytes the search for records may read, as a multiple of the line: it stays linear whatever it meets.
const EFFORT: usize = 16;

pub(super) fn salvage(line: &[u8], ended: bool) -> Odd {
    salvage_by(line, ended, &is_entry)
}

/// Saves records of another format from a damaged line: `is_record` says which objects are whole records.
pub(crate) fn records_of_damaged_line(line: &[u8], ended: bool, is_record: &dyn Fn(&str) -> bool) -> Odd {
    salvage_by(line, ended, is_record)
}

fn salvage_by(line: &[u8], ended: bool, is_record: &dyn Fn(&str) -> bool) -> Odd {
    let line_start = line.len() - line.trim_ascii_start().len();
    let bytes = line.trim_ascii();
    let whole = line_start..line_start + bytes.len();
    let sound_utf8 = simdutf8::basic::from_utf8(bytes).is_ok();
    let text = lossy(bytes);
    if serde_json::from_str::<&RawValue>(&text).is_ok() {
        // JSON without an id is still an entry of a v1 file; the caller knows the version.
        let defect = match Object::parse(&text) {
            Some(fields) if fields.str("id").is_some_and(|id| !id.is_empty()) => DefectKind::InvalidUtf8,
            _ if !sound_utf8 && text.starts_with('{') => DefectKind::InvalidUtf8,
            _ => why_no_entry(&text),
        };
        let found = if text.starts_with('{') {
            alloc::vec![Found { text: text.into_owned(), at: whole }]
        } else {
            Vec::new()
        };
        return Odd { found, defect: Some(defect), broken: None };
    }
    let mut odd = Odd { found: records(bytes, line_start, is_record), defect: None, broken: None };
    odd.defect = Some(if memchr::memchr(0, bytes).is_some() {
        DefectKind::NulBytes
    } else if !odd.found.is_empty() {
        DefectKind::GluedRecord
    } else if !ended {
        DefectKind::TornTail
    } else {
        DefectKind::InvalidJson
    });
    odd.broken = read_broken(&text);
    odd
}

/// Finds every whole record in a damaged line: reads values from the start, and after damage looks for the
/// next place where an object begins and an entry comes out.
fn records(bytes: &[u8], line_start: usize, is_record: &dyn Fn(&str) -> bool) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut budget = bytes.len().saturating_mul(EFFORT);
    while let Some(step) = memchr::memmem::find(&bytes[at..], b"{\"") {
        at += step;
        match value_at(&bytes[at..]) {
            (Some(text), used) => {
                if is_record(&text) {
                    found.push(Found { text, at: line_start + at..line_start + at + used });
                    at += used;
                } else {
                    // A block inside a torn record, or foreign JSON: nothing in it is an entry of its own.
                    at += 1;
                }
                budget = budget.saturating_sub(used);
            }
            (None, read) => {
                at += 1;
                budget = budget.saturating_sub(read);
            }
        }
        if budget == 0 {
            break;
        }
    }
    found
}

/// Reads one JSON value: its text and length, or how far the reading came.
fn value_at(bytes: &[u8]) -> (Option<String>, usize) {
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    match stream.next() {
        Some(Ok(raw)) => (Some(String::from(raw.get())), stream.byte_offset()),
        Some(Err(error)) if error.is_eof() => (None, bytes.len()),
        Some(Err(error)) => (None, error.column().max(1)),
        None => (None, 1),
    }
}

/// Reads `id` and `parentId` out of a record that broke off behind them.
fn read_broken(text: &str) -> Option<(String, Option<String>)> {
    let text = text.trim_start_matches('\0');
    if !text.starts_with('{') {
        return None;
    }
    // Only the top level counts; ids stand before the first nested value in every writer's files.
    let head = &text[..text[1..].find(['{', '[']).map_or(text.len(), |at| at + 1)];
    let id = string_value(value_after(head, "\"id\"")?)?;
    let parent = value_after(head, "\"parentId\"")?;
    if parent.starts_with("null") { Some((id, None)) } else { Some((id, Some(string_value(parent)?))) }
}

/// What follows a key and its colon.
fn value_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    Some(text[text.find(key)? + key.len()..].trim_start().strip_prefix(':')?.trim_start())
}

/// The string that begins here, if it is whole and not empty.
fn string_value(rest: &str) -> Option<String> {
    let end = rest.strip_prefix('"')?.find('"')?;
    let value = json::string(&rest[..end + 2])?;
    (!value.is_empty()).then(|| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str =
        r#"{"type":"message","id":"b","parentId":"a","message":{"content":[{"type":"toolCall","id":"c"}]}}"#;

    fn check(line: &[u8], ended: bool, ids: &[&str], defect: DefectKind, broken: Option<&str>) {
        let odd = salvage(line, ended);
        let got: Vec<String> = odd
            .found
            .iter()
            .filter_map(|f| Object::parse(&f.text)?.str("id").map(|id| id.into_owned()))
            .collect();
        assert_eq!(got, ids, "{}", lossy(line));
        assert_eq!(odd.defect, Some(defect), "{}", lossy(line));
        assert_eq!(odd.broken.as_ref().map(|(id, _)| id.as_str()), broken, "{}", lossy(line));
    }

    #[test]
    fn whole_records_are_saved_from_damaged_lines() {
        let torn = r#"{"type":"message","id":"t","parentId":null,"message":{"content":[{"type":"toolCall","id":"c","te"#;
        let nul = alloc::format!("{}{WHOLE}", "\0".repeat(40));
        check(alloc::format!("{torn}{WHOLE}").as_bytes(), true, &["b"], DefectKind::GluedRecord, Some("t"));
        check(
            alloc::format!("{WHOLE}{WHOLE}").as_bytes(),
            true,
            &["b", "b"],
            DefectKind::GluedRecord,
            Some("b"),
        );
        check(nul.as_bytes(), true, &["b"], DefectKind::NulBytes, Some("b"));
        check(torn.as_bytes(), false, &[], DefectKind::TornTail, Some("t"));
        check(torn.as_bytes(), true, &[], DefectKind::InvalidJson, Some("t"));
        check(&WHOLE.as_bytes()[..30], true, &[], DefectKind::InvalidJson, None);
        check(b"null", true, &[], DefectKind::NotAnObject, None);
        let spaced = r#"{"type": "message", "id": "x", "parentId": null, "message": {"#;
        check(spaced.as_bytes(), true, &[], DefectKind::InvalidJson, Some("x"));
    }

    #[test]
    fn bytes_that_are_no_utf8_cost_only_themselves() {
        let mut line = WHOLE.as_bytes().to_vec();
        let at = line.len() - 4;
        line.splice(at..at, [0xe6, 0x87]);
        let odd = salvage(b"{\"type\":\"x\",\"id\":\"b\",\"t\":\"\xe6\x87\"}", true);
        assert_eq!(odd.defect, Some(DefectKind::InvalidUtf8));
        assert!(odd.found[0].text.contains('\u{fffd}'));
        assert_eq!(salvage(&line, true).defect, Some(DefectKind::InvalidJson));
    }

    #[test]
    fn the_search_stays_linear() {
        let nested = r#"{"a":"#.repeat(200_000);
        let odd = salvage(nested.as_bytes(), true);
        assert!(odd.found.is_empty());
    }
}
