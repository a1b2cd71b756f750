//! Any bytes as a transcript of Claude Code.

use std::collections::HashSet;

use naite_core::Tree;

use crate::{check, read};

/// Puts a line before bytes, so that they are read as a transcript.
const FIRST: &[u8] = b"{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"s\"}\n";

/// Reads bytes as a transcript in every way.
pub fn run(log: &[u8]) {
    let log = [FIRST, log].concat();
    let tree = read(&log);
    assert!(tree.heads().foreign().is_some(), "the first line says what it is");
    check(&log);
    lines_once(&tree, &log);
}

/// Every line is an entry, a piece of one, a line beside the tree, or damaged.
fn lines_once(tree: &Tree, log: &[u8]) {
    let mut starts = HashSet::new();
    for span in tree.entries().flat_map(|ix| tree.heads().spans(ix)) {
        assert!(span.end() as usize <= log.len());
        starts.insert(span.offset);
    }
    let beside: u32 = tree.heads().foreign().map_or(0, |foreign| foreign.notes.values().sum());
    let (mut at, mut without) = (0, 0);
    let flawed: HashSet<u64> = tree.heads().defects().iter().map(|defect| defect.offset).collect();
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        let here = at..at + line.len() as u64;
        at = here.end;
        let blank = line.trim_ascii().is_empty();
        without += u32::from(!blank && !starts.iter().any(|start| here.contains(start)) && !flawed.contains(&here.start));
    }
    assert!(without <= beside, "{without} lines are nowhere, {beside} are beside the tree");
}
