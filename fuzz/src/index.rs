//! A damaged head index beside a sound log.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use naite_core::Ix;
use naite_store::{Access, SessionManager};
use naite_testkit::Home;
use xxhash_rust::xxh3::xxh3_64;

use crate::walk;

/// Where the checksum stands in an index file, and where what it covers begins.
const SUM: usize = 16;
const COVERED: usize = 24;

/// What happens to an index.
#[derive(Debug, Arbitrary)]
pub struct Damage {
    /// Makes the checksum right again, so that the parts behind it are looked at.
    mends: bool,
    edits: Vec<Edit>,
}

/// A change of some bytes.
#[derive(Debug, Arbitrary)]
enum Edit {
    /// Bytes in place of others.
    Set { at: u16, bytes: Vec<u8> },
    /// A change of one byte.
    Add { at: u16, step: u8 },
    /// Bytes that go.
    Cut { at: u16, len: u16 },
    /// The whole file anew.
    Whole(Vec<u8>),
}

/// A log that is long enough to get an index, and its index.
struct Place {
    home: Home,
    log: PathBuf,
    index: PathBuf,
    sound: Vec<u8>,
    scanned: String,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let home = Home::new();
    let log = home.write("s.jsonl", log().as_bytes());
    let scanned = shape(&home.open(&log, Access::Read).expect("a session"));
    let folder = fs::read_dir(home.file("naite/index")).expect("an index");
    let index = folder.map(|file| file.expect("an index").path()).next().expect("an index");
    let sound = fs::read(&index).expect("an index");
    Place { home, log, index, sound, scanned }
});

/// Damages the index and opens the log.
pub fn run(damage: &Damage) {
    let place = &*PLACE;
    let mut bytes = place.sound.clone();
    for edit in &damage.edits {
        edit.apply(&mut bytes);
    }
    if damage.mends && bytes.len() > COVERED {
        let sum = xxh3_64(&bytes[COVERED..]);
        bytes[SUM..COVERED].copy_from_slice(&sum.to_le_bytes());
    }
    fs::write(&place.index, &bytes).expect("a home that can be written to");
    let mut session = place.home.open(&place.log, Access::Read).expect("a sound log opens");
    walk(session.tree());
    if !damage.mends || bytes == place.sound {
        assert_eq!(shape(&session), place.scanned);
    }
    look_at_everything(&mut session);
}

/// A wrong index behind a right checksum may give wrong answers, but nothing may break.
fn look_at_everything(session: &mut SessionManager) {
    let all: Vec<Ix> = session.tree().entries().collect();
    let step = all.len() / 8 + 1;
    for ix in all.iter().copied().step_by(step) {
        let _ = session.model_messages(Some(ix));
        let _ = session.build_session_context(Some(ix));
    }
    let some: Vec<Ix> = all.iter().copied().step_by(3).collect();
    let _ = session.each_entry(&some, |_, _, _, _| {});
    session.history();
    session.defects();
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: u16| usize::from(at) % bytes.len().max(1);
        match self {
            Self::Set { at, bytes: new } => {
                let at = place(*at);
                for (old, new) in bytes.iter_mut().skip(at).zip(new) {
                    *old = *new;
                }
            }
            Self::Add { at, step } => {
                let at = place(*at);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = byte.wrapping_add(*step);
                }
            }
            Self::Cut { at, len } => {
                let at = place(*at);
                bytes.drain(at..(at + usize::from(*len)).min(bytes.len()));
            }
            Self::Whole(new) => bytes.clone_from(new),
        }
    }
}

/// Everything that opening decides.
fn shape(session: &SessionManager) -> String {
    let tree = session.tree();
    let entries: Vec<String> = tree
        .entries()
        .map(|ix| {
            let children: Vec<Ix> = tree.children(ix).collect();
            format!(
                "{} {:?} {:?} {children:?} {:?}",
                tree.id(ix),
                tree.head(ix),
                tree.parent(ix),
                tree.label(ix)
            )
        })
        .collect();
    let history = session.history();
    format!(
        "{entries:?} {:?} {:?} {:?} {:?}",
        tree.leaf(),
        session.session_name(),
        session.defects(),
        history
    )
}

/// A log with everything that an index keeps: few entries, one of them long, so that every byte is met soon.
fn log() -> String {
    let mut log = String::from(
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/w","title":"t"}"#,
    );
    let mut at = 0;
    let mut add = |kind: &str, parent: &str, rest: &str| {
        at += 1;
        log += &format!(
            "\n{{\"type\":\"{kind}\",\"id\":\"e{at}\",\"parentId\":{parent},\"timestamp\":\"2026-03-01T09:00:{:02}.000Z\",{rest}}}",
            at % 60
        );
    };
    add("message", "null", r#""message":{"role":"user","content":"x"}"#);
    add(
        "message",
        "\"e1\"",
        r#""message":{"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":"c","name":"t","arguments":{}}]}"#,
    );
    add("message", "\"e2\"", r#""message":{"role":"toolResult","toolCallId":"c","content":"z"}"#);
    add("label", "\"e3\"", r#""targetId":"e1","label":"이름""#);
    add("model_change", "\"e4\"", r#""provider":"q","modelId":"n""#);
    add("thinking_level_change", "\"e5\"", r#""thinkingLevel":"high""#);
    add("compaction", "\"e6\"", r#""summary":"s","firstKeptEntryId":"e3","tokensBefore":7"#);
    add("message", "\"e7\"", r#""message":{"role":"user","content":"x"}"#);
    add("branch_summary", "\"e3\"", r#""summary":"b","fromId":"e3","abandonedLeafId":"e8""#);
    add(
        "custom",
        "\"e8\"",
        r#""customType":"naite.move","data":{"op":"undo","from":"e9","to":"e8","undoes":"e9"}"#,
    );
    add(
        "custom",
        "\"e9\"",
        r#""customType":"naite.move","data":{"op":"redo","from":"e8","to":"e9","redoes":"e9"}"#,
    );
    add("message", "\"nowhere\"", r#""message":{"role":"user","content":"orphan"}"#);
    add("label", "\"e9\"", r#""targetId":"e2","label":"l""#);
    add("label", "\"e13\"", r#""targetId":"e2","undoes":"e13""#);
    // What makes the log long enough for an index is nothing that a context would hold.
    add("custom", "\"e14\"", &format!(r#""customType":"t","data":"{}""#, "가나다 ".repeat(15_000)));
    add("session_info", "\"e14\"", r#""name":"n""#);
    add("message", "\"e16\"", r#""message":{"role":"user","content":"the end"}"#);
    add("message", "\"e1\"", r#""message":{"role":"user","content":"late","x":1},"y":"soon""#);
    log + "\nnull\n"
}
