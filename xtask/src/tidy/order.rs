//! Checks that the stages of naite-core only build on earlier stages, so that it can be read from top to bottom.

use std::collections::BTreeMap;

use super::code::Name;
use super::{Finding, Repo};

const RULE: &str = "order";
const CORE: &str = "naite-core";

/// The stages in reading order. Those in one row do not depend on each other's place.
const STAGES: [&[&str]; 9] = [
    &["text"],
    &["id"],
    &["entry"],
    &["codec", "ingest"],
    &["heads"],
    &["tree"],
    &["navigate", "undo"],
    &["context"],
    &["outline"],
];

/// The place of a stage in the order.
fn rank(stage: &str) -> Option<usize> {
    STAGES.iter().position(|row| row.contains(&stage))
}

/// Checks every file of naite-core that is not a test; `lib.rs` itself may name every stage.
pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut found = Vec::new();
    let exports = exports(repo);
    for (name, file, code) in repo.sources() {
        let path = file.in_src().unwrap_or_default().trim_end_matches(".rs");
        if name != CORE || path == "lib" {
            continue;
        }
        let modules: Vec<&str> = path.split('/').filter(|part| *part != "mod").collect();
        let stage = modules[0];
        let Some(place) = rank(stage) else {
            let say =
                format!("Add `{stage}` to the ordered list of stages in tidy, or move it into a stage.");
            found.push(Finding::new(&file.path, 1, RULE, say));
            continue;
        };
        for used in code.names.iter().filter(|used| !used.in_test) {
            let Some(item) = from_the_root(used, modules.len()) else { continue };
            let other = exports.get(item).map_or(item, String::as_str);
            if rank(other).is_some_and(|other| other > place) {
                let say =
                    format!("Turn this around: `{stage}` comes before `{other}`, and cannot build on it.");
                found.push(Finding::new(&file.path, used.line, RULE, say));
            }
        }
    }
    found
}

/// The names that `lib.rs` hands on, each with its stage: a detour through the root does not change the order.
fn exports(repo: &Repo) -> BTreeMap<String, String> {
    let root = repo.sources().find(|(name, file, _)| *name == CORE && file.in_src() == Some("lib.rs"));
    let names = root.into_iter().flat_map(|(_, _, code)| &code.names);
    names
        .filter_map(|name| {
            let from_here = matches!(name.segments.first()?.as_str(), "self" | "crate");
            match &name.segments[usize::from(from_here)..] {
                [stage, .., item] if rank(stage).is_some() => Some((item.clone(), stage.clone())),
                _ => None,
            }
        })
        .collect()
}

/// What a path takes from the root of the crate, when it starts there: `tree` in `crate::tree::Tree`.
///
/// As many `super` as the module is deep lead to the root as well.
fn from_the_root(used: &Name, depth: usize) -> Option<&str> {
    let ups = used.segments.iter().take_while(|segment| *segment == "super").count();
    let is_absolute = used.segments.first().is_some_and(|first| first == "crate");
    let start = if is_absolute { 1 } else { ups };
    (is_absolute || ups == depth).then(|| used.segments.get(start).map(String::as_str))?
}

#[cfg(test)]
mod tests {
    use crate::tidy::fixture::check as tidy;

    /// Puts `body` into a file of naite-core; the first line of `body` is line 2.
    fn check(file: &str, body: &str, wanted_lines: &[usize]) {
        let path = format!("crates/naite-core/src/{file}");
        let fixture = format!("//- {path}\n//! Does what the test is about.\n{body}\n");
        let wanted: Vec<_> = wanted_lines.iter().map(|line| format!("{path}:{line}: [order]")).collect();
        tidy(&fixture, &wanted.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn a_stage_names_no_later_stage() {
        check("heads.rs", "use crate::codec::decode;\nuse crate::tree::Tree;", &[3]);
        check("text/width.rs", "fn f() { g!(crate::id::EntryId::new()) }", &[2]);
        check("outline/rows.rs", "use crate::context::Plan;", &[]);
    }

    #[test]
    fn groups_are_looked_into() {
        check("codec/mod.rs", "use crate::{\n    entry::Entry,\n    heads::{Head, Heads},\n};", &[4, 4]);
    }

    #[test]
    fn stages_of_one_row_are_free() {
        check("ingest/codex.rs", "use crate::codec::decode;\nuse crate::heads::Heads;", &[3]);
        check("navigate.rs", "use crate::undo::Undo;", &[]);
        check("undo.rs", "use crate::navigate::Plan;\nuse crate::context::Plan;", &[3]);
    }

    #[test]
    fn a_path_of_supers_is_no_detour() {
        check("id.rs", "use super::tree::Tree;", &[2]);
        check("text/mod.rs", "use super::tree::Tree;", &[2]);
        check("text/width.rs", "use super::tree::Cells;\nuse super::super::tree::Tree;", &[3]);
    }

    #[test]
    fn the_root_is_no_detour() {
        tidy(
            "
//- crates/naite-core/src/lib.rs
//! Reads conversations as values.
#![no_std]
mod id;
mod tree;
pub use tree::{Tree, TreeError};
//- crates/naite-core/src/id.rs
//! Names one entry of a session.
use crate::Tree;
",
            &["crates/naite-core/src/id.rs:2: [order]"],
        );
    }

    #[test]
    fn a_module_is_in_the_list() {
        check("util.rs", "", &[1]);
    }

    #[test]
    fn tests_are_free() {
        check("id.rs", "#[cfg(test)]\nmod tests {\n    use crate::tree::Tree;\n}", &[]);
    }
}
