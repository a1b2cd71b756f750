//! Conversations drawn as `/tree` prints them, so that a test of a move is a drawing, a move and a drawing.
//!
//! ```text
//! u1 user: Start
//! a1 assistant: Plan
//! ├─ u2 user: A
//! │  a2 assistant: done <
//! └─ u3 user: B [label]
//! ```
//!
//! Each row is an id and its words; ` [label]` names a label and ` <` the leaf. A first row that is only `<` is the
//! state before the first entry, and an empty line stands before every further root. Siblings stand in the order of
//! time whatever the leaf, so that a move changes the drawing by its mark only.

use std::collections::HashMap;

use naite_core::entry::iso;
use naite_core::outline::{Filter, Outline, gutter, row_text, shows};
use naite_core::{Ix, Tree};
use naite_store::{Access, SessionManager};
use serde_json::{Value, json};

use crate::home::Home;

/// When the first drawn entry was made: a day before [`crate::Counting`] begins.
const START: i64 = 1_772_269_200_000;

/// The connectors of one level.
const UNITS: [&str; 4] = ["├─ ", "└─ ", "│  ", "   "];

/// One row of a drawing.
struct Row<'a> {
    id: &'a str,
    parent: Option<&'a str>,
    words: &'a str,
    label: Option<&'a str>,
    is_leaf: bool,
}

/// Draws a session before and after an operation. What it made is named `$1`, `$2`, … in the order of the file.
///
/// The drawing must be the same in memory and after opening the file again, and all former bytes must still be there.
pub fn check(before: &str, operation: impl FnOnce(&mut SessionManager), after: &str) {
    let home = Home::new();
    let bytes = bytes(before);
    let path = home.write("drawn.jsonl", &bytes);
    let mut session = home.open(&path, Access::Write).expect("a drawn session");
    let known = session.tree().heads().len();
    assert_eq!(draw(&mut session, known), dedent(before), "the drawing itself");
    operation(&mut session);
    session.finish().expect("everything written");
    assert_eq!(draw(&mut session, known), dedent(after), "in memory");
    drop(session);
    let mut again = home.open(&path, Access::Read).expect("the same session");
    assert_eq!(draw(&mut again, known), dedent(after), "after opening the file again");
    assert_eq!(again.defects(), [], "nothing is wrong with the file");
    assert!(std::fs::read(&path).expect("the file").starts_with(&bytes), "nothing was rewritten");
}

/// The bytes of the session file that a drawing shows: its rows in order, then the labels, then the leaf.
pub fn bytes(drawing: &str) -> Vec<u8> {
    let drawing = dedent(drawing);
    let rows = rows(&drawing);
    let mut lines = vec![json!({
        "type": "session", "version": 3, "id": "0195a000-0000-7000-8000-00000000d4a3",
        "timestamp": iso(START), "cwd": "/home/user/project",
    })];
    let mut last = None;
    let mut push = |id: &str, parent: Option<&str>, rest: Value| {
        let at = START + 1000 * lines.len() as i64;
        let mut entry = json!({ "id": id, "parentId": parent, "timestamp": iso(at) });
        if let (Some(entry), Value::Object(rest)) = (entry.as_object_mut(), rest) {
            entry.extend(rest);
        }
        lines.push(entry);
    };
    for row in &rows {
        push(row.id, row.parent, body(row.words));
        last = Some(row.id.to_owned());
    }
    for row in &rows {
        let Some(label) = row.label else { continue };
        let id = format!("label-{}", row.id);
        push(&id, last.as_deref(), json!({ "type": "label", "targetId": row.id, "label": label }));
        last = Some(id);
    }
    let leaf = rows.iter().find(|row| row.is_leaf).map(|row| row.id);
    if last.as_deref() != leaf {
        let data = json!({ "op": "keep", "from": leaf, "to": leaf });
        push("kept", leaf, json!({ "type": "custom", "customType": "naite.move", "data": data }));
    }
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn body(words: &str) -> Value {
    match words.split_once(": ") {
        Some(("user", text)) => {
            json!({ "type": "message", "message": { "role": "user", "content": text, "timestamp": START } })
        }
        Some(("assistant", text)) => json!({ "type": "message", "message": {
            "role": "assistant", "content": [{ "type": "text", "text": text }],
            "api": "stub", "provider": "stub", "model": "stub-1", "stopReason": "stop", "timestamp": START,
        } }),
        Some(("[branch summary]", text)) => {
            json!({ "type": "branch_summary", "fromId": "root", "summary": text })
        }
        Some((name, text)) if name.starts_with('[') => json!({
            "type": "custom_message", "customType": name.trim_matches(['[', ']']), "content": text, "display": true,
        }),
        _ => panic!("cannot draw {words:?}"),
    }
}

/// Reads the rows of a drawing and finds each one's parent by its place.
fn rows(drawing: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for line in drawing.lines().filter(|line| *line != "<") {
        if line.is_empty() {
            above.clear();
            continue;
        }
        let (level, hangs, text) = split_gutter(line);
        let parent = if hangs { above.get(level - 1) } else { above.get(level) }.copied();
        let (text, is_leaf) = text.strip_suffix(" <").map_or((text, false), |text| (text, true));
        let (text, label) = match text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")) {
            Some((text, label)) => (text, Some(label)),
            None => (text, None),
        };
        let (id, words) = text.split_once(' ').expect("an id and words");
        above.truncate(level);
        above.push(id);
        rows.push(Row { id, parent, words, label, is_leaf });
    }
    rows
}

/// The connectors before a row: how many, whether the last one is its own, and the rest.
fn split_gutter(line: &str) -> (usize, bool, &str) {
    let (mut level, mut hangs, mut rest) = (0, false, line);
    let unit = |rest: &'_ str| UNITS.into_iter().find(|unit| rest.starts_with(unit));
    while let Some(unit) = unit(rest) {
        (level, hangs, rest) = (level + 1, unit.contains('─'), &rest[unit.len()..]);
    }
    (level, hangs, rest)
}

/// Draws a session; entries from the place `known` on are named by number.
pub fn draw(session: &mut SessionManager, known: usize) -> String {
    let tree = session.tree();
    let outline = Outline::new(tree, None, |ix| shows(tree, Filter::Default, tree.leaf(), ix));
    let made = outline_order(&outline).into_iter().filter(|ix| ix.at() >= known);
    let names: HashMap<Ix, String> = made.zip(1..).map(|(ix, count)| (ix, format!("${count}"))).collect();
    let leaf = outline.nearest(tree.leaf());
    let rows: Vec<Ix> = outline.rows().iter().map(|row| row.ix).collect();
    let mut lines = if leaf.is_none() { vec![String::from("<")] } else { Vec::new() };
    for (at, ix) in rows.into_iter().enumerate() {
        let words = session.with_entry(ix, |entry| row_text(entry, None, None)).expect("a readable entry");
        let tree = session.tree();
        if at > 0 && is_root(tree, &outline, at) {
            lines.push(String::new());
        }
        let name = names.get(&ix).map_or(tree.id(ix), String::as_str);
        let label = tree.label(ix).map(|label| format!(" [{label}]")).unwrap_or_default();
        let mark = if leaf == Some(at) { " <" } else { "" };
        lines.push(format!("{}{name} {words}{label}{mark}", gutter(&outline, at, None).text));
    }
    lines.join("\n")
}

fn outline_order(outline: &Outline) -> Vec<Ix> {
    let mut order: Vec<Ix> = outline.rows().iter().map(|row| row.ix).collect();
    order.sort_unstable();
    order
}

/// Says whether no row above hangs over this one.
fn is_root(tree: &Tree, outline: &Outline, at: usize) -> bool {
    outline.nearest(tree.parent(outline.rows()[at].ix)).is_none()
}

/// Takes away the indentation that a drawing has within its test.
fn dedent(drawing: &str) -> String {
    let rest = || drawing.lines().skip(1).filter(|line| !line.trim().is_empty());
    let indent = rest().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let first = drawing.lines().next().unwrap_or_default().trim_start();
    let others = drawing.lines().skip(1).map(|line| line.get(indent..).unwrap_or_default().trim_end());
    std::iter::once(first).chain(others).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_reads_back_as_it_was() {
        for drawing in [
            "<",
            "u1 user: Start <",
            "u1 user: Start
             a1 assistant: Plan
             ├─ u2 user: A
             │  a2 assistant: done <
             └─ u3 user: B [label]",
            "<
             u1 user: One [x y]
             ├─ a1 assistant: deep
             │  ├─ u2 user: A
             │  └─ u3 user: B
             │     a3 assistant: end
             └─ s1 [branch summary]: was left

             u4 user: Two
             n1 [note]: by an extension [z]",
        ] {
            check(drawing, |_| {}, drawing);
        }
    }
}
