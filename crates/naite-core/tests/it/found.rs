//! What fuzzing found, each with a sentence of what went wrong.

use naite_core::StoredHeads;

use crate::properties::{read, walk};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z"}"#;

fn log(lines: &[&str]) -> Vec<u8> {
    [&[HEADER], lines, &[""]].concat().join("\n").into_bytes()
}

/// Two broken lines that hang on each other, the first of which comes again whole and hangs on the second: a circle
/// of parents that nobody broke, in which every walk up went on for ever.
#[test]
fn a_broken_line_that_comes_again_below_its_own_child() {
    let tree = read(&log(&[
        r#"{"type":"message","id":"a","parentId":null,"timest"#,
        r#"{"type":"message","id":"b","parentId":"a","timest"#,
        r#"{"type":"message","id":"a","parentId":"b","timestamp":"","message":{"role":"user","content":"x"}}"#,
    ]));
    assert!(tree.entries().all(|ix| tree.ancestry(Some(ix)).nth(tree.heads().len()).is_none()), "a circle");
    walk(&tree);
}

/// A label entry whose id comes again with another target: both targets had the second label, in an order by chance.
#[test]
fn a_label_entry_that_comes_again_with_another_target() {
    let tree = read(&log(&[
        r#"{"type":"message","id":"a","parentId":null,"timestamp":"","message":{"role":"user","content":"x"}}"#,
        r#"{"type":"label","id":"l","parentId":"a","timestamp":"","targetId":"a","label":"one"}"#,
        r#"{"type":"label","id":"l","parentId":"a","timestamp":"","targetId":"l","label":"two"}"#,
    ]));
    let labels: Vec<&str> = tree.heads().labels().into_iter().map(|(target, _)| target).collect();
    assert_eq!(labels, ["l"]);
    assert_eq!(tree.heads().label("a"), None);
}

/// A move to a broken line that no entry hangs on: the leaf was a place that is no entry.
#[test]
fn a_move_to_a_broken_line() {
    let tree = read(&log(&[
        r#"{"type":"message","id":"a","parentId":null,"timest"#,
        r#"{"type":"message","id":"b","parentId":null,"timestamp":"","message":{"role":"user","content":"x"}}"#,
        r#"{"type":"custom","id":"c","parentId":"b","timestamp":"","customType":"naite.move","data":{"op":"navigate","from":"b","to":"a"}}"#,
    ]));
    assert_eq!(tree.leaf().map(|leaf| tree.id(leaf)), Some("b"));
    walk(&tree);
}

/// An index whose checksum is right but whose parts are not: places beyond the end, spans outside of the log, a
/// parent behind its child or one id twice were believed, and broke whoever followed them.
#[test]
fn heads_that_do_not_fit_together_are_refused() {
    let bytes = log(&[
        r#"{"type":"message","id":"a","parentId":null,"timestamp":"","message":{"role":"user","content":"x"}}"#,
        r#"{"type":"branch_summary","id":"b","parentId":"a","timestamp":"","summary":"s","abandonedLeafId":"a"}"#,
        r#"{"type":"custom","id":"c","parentId":"b","timestamp":"","customType":"naite.move","data":{"op":"navigate","from":"b","to":"a"}}"#,
        r#"{"type":"compaction","id":"d","parentId":"c","timestamp":"","summary":"s","firstKeptEntryId":"a"}"#,
    ]);
    let sound = postcard::to_allocvec(&read(&bytes).heads().stored().expect("a sound log")).expect("bytes");
    for at in 0..sound.len() {
        for change in 1..=u8::MAX {
            let mut damaged = sound.clone();
            damaged[at] = damaged[at].wrapping_add(change);
            let Ok(stored) = postcard::from_bytes::<StoredHeads>(&damaged) else { continue };
            let Some(heads) = stored.load() else { continue };
            assert!(
                (0..heads.len()).all(|ix| heads.head(naite_core::Ix(ix as u32)).span.end() <= heads.end())
            );
            walk(&naite_core::Tree::new(heads));
        }
    }
}
