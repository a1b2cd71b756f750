//! What must hold for every line and every text: nothing panics, both readings agree, no cut is too wide.

use naite_core::codec::{Decoded, decode, read_record};
use naite_core::text::{clip, clip_left, one_line, prefix_bytes, prefix_graphemes, width};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{config, read, read_slowly, walk};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z"}"#;

/// Sound lines of many kinds, to be broken.
const LINES: [&str; 7] = [
    HEADER,
    r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"가 \ud83d\ude00 \ud83d x"}}"#,
    r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"toolCall","id":"c","name":"n","arguments":{"k":[1,{}]}}],"stopReason":"toolUse"}}"#,
    r#"{"type":"label","id":"l","parentId":"b","timestamp":"2026-03-01T09:00:03.000Z","targetId":"a","label":"이름"}"#,
    r#"{"type":"custom","id":"m","parentId":"a","timestamp":"","customType":"naite.move","data":{"op":"undo","from":"b","to":"a","undoes":"l"}}"#,
    r#"{"type":"compaction","id":"k","parentId":"b","timestamp":"x","summary":"s","firstKeptEntryIndex":1}"#,
    r#"{"type":"title","v":1,"title":"x","updatedAt":"","pad":""}"#,
];

/// A change of some bytes of a line: where, how many go, and what comes.
fn mutations() -> impl Strategy<Value = Vec<(Index, usize, Vec<u8>)>> {
    let byte = prop_oneof![prop::sample::select(b"{}[]\",:\\u0dn\0\r \xe6\xff".to_vec()), any::<u8>()];
    prop::collection::vec((any::<Index>(), 0..6usize, prop::collection::vec(byte, 0..6)), 0..4)
}

fn mutate(line: &str, mutations: &[(Index, usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for (at, gone, new) in mutations {
        let at = at.index(bytes.len() + 1);
        let end = (at + gone).min(bytes.len());
        bytes.splice(at..end, new.iter().copied());
    }
    bytes
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..200), ended in any::<bool>()) {
        decode(&bytes, ended);
        walk(&read(&[HEADER.as_bytes(), b"\n", &bytes].concat()));
        walk(&read(&bytes));
    }

    #[test]
    fn broken_lines_cost_only_themselves(
        broken in prop::collection::vec((prop::sample::select(LINES.to_vec()), mutations()), 1..8),
        version in 1..4,
    ) {
        let header = HEADER.replace(":3", &format!(":{version}"));
        let mut log = header.into_bytes();
        for (line, mutations) in &broken {
            let bytes = mutate(line, mutations);
            decode(&bytes, true);
            log.push(b'\n');
            log.extend(bytes.iter().filter(|byte| **byte != b'\n'));
        }
        let sound = r#"{"type":"message","id":"sound","parentId":null,"timestamp":"","message":{"role":"user"}}"#;
        log.extend_from_slice(format!("\n{sound}\n").as_bytes());
        let tree = read_slowly(&log);
        walk(&tree);
        prop_assert!(tree.find("sound").is_some());
        prop_assert_eq!(tree.heads().lines(), broken.len() as u64 + 2);
    }
}

/// A field of a drawn object: its name and raw values, the usual ones first.
type Field = (&'static str, &'static [&'static str]);

const TOP: [Field; 4] = [
    ("type", &["\"message\"", "\"message\"", "\"custom\"", "null"]),
    ("id", &["\"a\"", "\"a\"", "\"\\u0061\"", "\"\"", "3", "null"]),
    ("parentId", &["\"p\"", "null", "\"p\\n\"", "\"\"", "[]"]),
    ("timestamp", &["\"2026-03-01T09:00:01.000Z\"", "\"soon\"", "\"\"", "7", "null"]),
];

const BODY: [Field; 6] = [
    (
        "role",
        &["\"user\"", "\"assistant\"", "\"toolResult\"", "\"hookMessage\"", "\"odd\"", "null", "[\"user\"]"],
    ),
    (
        "content",
        &[
            "\"text\"",
            "\" \\n\\u3000\"",
            "\"\\ud83d\"",
            "[]",
            "null",
            "7",
            r#"[{"type":"text","text":"x"}]"#,
            r#"[{"type":"text","text":" \t"},{"type":"text","text":"\""}]"#,
            r#"[{"type":"text","text":3}]"#,
            r#"[{"type":"text","text":null},{"type":"text"},{"text":"x"}]"#,
            r#"[{"type":"toolCall","id":"c","name":"n","arguments":{"a":[1]}},{"type":"toolCall"}]"#,
            r#"[{"type":"toolCall","id":7},{"type":"toolCall","id":"\u0063"},7]"#,
            r#"[["text","c","x"],["toolCall","c",null]]"#,
            r#"{"type":"text","text":"x"}"#,
        ],
    ),
    ("stopReason", &["\"stop\"", "\"toolUse\"", "\"odd\"", "null", "{}"]),
    ("provider", &["\"p\"", "null", "1"]),
    ("model", &["\"m\"", "\"m\\t\"", "null"]),
    ("toolCallId", &["\"c\"", "\"\"", "null", "[]"]),
];

/// Draws an object with some of its fields, in any order.
fn object(fields: &'static [Field]) -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let field = |(name, values): &'static Field| {
        let value = prop_oneof![2 => Just(values[0]), 3 => prop::sample::select(*values)];
        prop::option::weighted(0.9, value).prop_map(move |value| Some((*name, value?.to_owned())))
    };
    let fields: Vec<_> = fields.iter().map(field).collect();
    fields.prop_map(|fields| fields.into_iter().flatten().collect::<Vec<_>>()).prop_shuffle()
}

fn written(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// The values of an object without their names, which a reader of structures might take for the object.
fn bare(fields: &[(&str, String)]) -> String {
    let values: Vec<&str> = fields.iter().map(|(_, value)| value.as_str()).collect();
    format!("[{}]", values.join(","))
}

proptest! {
    #![proptest_config(config(2048))]

    #[test]
    fn the_quick_and_the_careful_reading_agree(
        mut top in object(&TOP), body in object(&BODY), odd in prop::option::weighted(0.1, any::<bool>()),
    ) {
        let message = if odd == Some(true) { bare(&body) } else { written(&body) };
        top.push(("message", message));
        let line = if odd == Some(false) { bare(&top) } else { written(&top) };
        let record = read_record(&line);
        let is_one = matches!(decode(line.as_bytes(), true), Decoded::One(..));
        prop_assert_eq!(is_one, record.as_ref().is_some_and(|record| record.id.is_some()));
        if odd == Some(false) {
            prop_assert_eq!(&record, &None);
            return Ok(());
        }
        // The quick reading leaves an object with a repeated key to the careful one, where the last value counts.
        let repeated = [vec![(top[0].0, "0".to_owned())], top.clone()].concat();
        let repeated = written(&repeated);
        prop_assert_eq!(&read_record(&repeated), &record, "{}", line);
        top.reverse();
        top.push(("unknown", "[{}]".to_owned()));
        let reordered = written(&top);
        prop_assert_eq!(&read_record(&reordered), &record, "{}", line);
    }
}

/// Text of letters that are wide, joined, marked, reordered or not to be seen.
fn text() -> impl Strategy<Value = String> {
    let odd = [
        "가",
        "\u{1100}\u{1161}",
        "👨‍👩‍👧‍👦",
        "🇰🇷",
        "⚠️",
        "👍🏽",
        "e\u{301}",
        "\u{301}",
        "\u{200d}",
        "\t",
        "\u{1b}",
        "\r\n",
        "\u{202e}",
        "ｶﾞ",
    ];
    let piece = prop_oneof![
        prop::sample::select(odd.to_vec()).prop_map(String::from),
        "[a-z ]{1,3}",
        ".",
        any::<char>().prop_map(String::from)
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(config(1024))]

    #[test]
    fn no_cut_is_wider_than_asked_for(text in text(), columns in 0..20usize) {
        for text in [text.as_str(), one_line(&text).as_ref()] {
            for cut in [clip(text, columns), clip_left(text, columns)] {
                prop_assert!(cut.columns <= columns && width(&cut.text) <= columns, "{:?} of {:?}", cut, text);
                prop_assert_eq!(width(&cut.text), cut.columns, "{:?} of {:?}", cut, text);
            }
            prop_assert!(prefix_bytes(text, columns).len() <= columns);
            prop_assert!(text.starts_with(prefix_graphemes(text, columns)));
        }
    }
}
