//! Draws a small repository into a temporary folder and compares what tidy says about it.

use std::fs;
use std::path::Path;

/// A repository that breaks no rule. A fixture lays its files over it.
const CLEAN: &str = "
//- Cargo.toml
[workspace]
members = [\"crates/*\", \"xtask\"]

[workspace.dependencies]
naite-core = { path = \"crates/naite-core\" }
//- ARCHITECTURE.md
naite-core, naite-store, xtask
//- crates/naite-core/Cargo.toml
[package]
name = \"naite-core\"
//- crates/naite-core/src/lib.rs
//! Reads conversations as values.
#![no_std]
//- crates/naite-store/Cargo.toml
[package]
name = \"naite-store\"

[dependencies]
naite-core.workspace = true
//- crates/naite-store/src/lib.rs
//! Keeps conversations on disk.
//- xtask/Cargo.toml
[package]
name = \"xtask\"
//- xtask/src/main.rs
//! Runs a chore by its name.
";

/// Lays `fixture` over the clean repository and expects tidy to say exactly `wanted`.
///
/// A fixture is text: `//- path` starts a file, the lines below are its content. A wanted finding is written
/// `path:line: [rule]`, in order of path and line.
#[track_caller]
pub(super) fn check(fixture: &str, wanted: &[&str]) {
    let found = super::check(draw(fixture).path());
    let short: Vec<String> =
        found.iter().map(|one| format!("{}:{}: [{}]", one.path, one.line, one.rule)).collect();
    assert_eq!(
        short,
        wanted,
        "\ntidy said:\n{}",
        found.iter().map(|one| format!("  {one}\n")).collect::<String>()
    );
}

/// Writes the clean repository with `fixture` over it into a temporary folder.
fn draw(fixture: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files(CLEAN).chain(files(fixture)) {
        let at = root.path().join(path);
        fs::create_dir_all(at.parent().unwrap_or(Path::new("/"))).expect("a folder in a temporary folder");
        fs::write(at, text).expect("a file in a temporary folder");
    }
    root
}

fn files(fixture: &str) -> impl Iterator<Item = (&str, &str)> {
    fixture.split("//- ").skip(1).filter_map(|file| file.split_once('\n'))
}

#[test]
fn the_clean_repository_is_clean() {
    check("", &[]);
}
