//! Reads the repository once, so that every rule is a function over values.

use std::fs;
use std::io;
use std::path::Path;

use super::Finding;
use super::code::Code;

/// Folders that hold no text of ours: what tools made, or what a fuzzer found.
const SKIPPED_FOLDERS: [&str; 5] = [".git", "target", "node_modules", "corpus", "artifacts"];

/// Folders of foreign text.
const QUOTED_FOLDERS: [&str; 2] = ["fixtures", "conformance"];

/// Endings of files that a test run leaves behind.
const SKIPPED_ENDINGS: [&str; 2] = [".snap.new", ".pending-snap"];

/// Every text file of the repository, the Rust files of its crates already read.
#[derive(Debug, Default)]
pub struct Repo {
    pub(super) files: Vec<File>,
    /// What could not be read, as findings.
    pub(super) unreadable: Vec<Finding>,
}

/// One text file.
#[derive(Debug)]
pub(super) struct File {
    /// From the root, with `/` between its parts.
    pub(super) path: String,
    pub(super) text: String,
    /// Set for the Rust files of crates.
    pub(super) code: Option<Code>,
    /// The whole file exists only for tests or benches.
    pub(super) is_test: bool,
}

impl File {
    /// The folder name of the crate that this file belongs to, which is the crate's name.
    pub(super) fn crate_name(&self) -> Option<&str> {
        crate_and_rest(&self.path).map(|(name, _)| name)
    }

    /// The path inside of the crate's `src`.
    pub(super) fn in_src(&self) -> Option<&str> {
        crate_and_rest(&self.path).and_then(|(_, rest)| rest.strip_prefix("src/"))
    }

    /// The last part of the path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Splits `crates/NAME/rest` and `xtask/rest`.
fn crate_and_rest(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix("crates/").unwrap_or(path).split_once('/').filter(|(name, _)| {
        let is_chore = *name == "xtask";
        is_chore != path.starts_with("crates/")
    })
}

impl Repo {
    /// Reads everything below `root`.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let mut repo = Self::default();
        repo.folder(root, "");
        repo.mark_test_modules();
        repo
    }

    /// How many text files were read.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The file at `path`, counted from the root.
    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Every manifest of a crate, with the crate's folder name.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().filter_map(|file| match crate_and_rest(&file.path)? {
            (name, "Cargo.toml") => Some((name, file)),
            _ => None,
        })
    }

    /// Every Rust file of a crate.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&File, &Code)> {
        self.files.iter().filter_map(|file| Some((file, file.code.as_ref()?)))
    }

    /// Like [`Repo::rust`], for the files below `src` that are not only for tests; with the crate's name.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&str, &File, &Code)> {
        self.rust().filter_map(|(file, code)| {
            let is_source = file.in_src().is_some() && !file.is_test;
            Some((file.crate_name().filter(|_| is_source)?, file, code))
        })
    }

    fn folder(&mut self, folder: &Path, path: &str) {
        if let Err(error) = self.entries(folder, path) {
            self.unreadable.push(Finding::new(
                path,
                1,
                "read",
                format!("Make this folder readable: {error}."),
            ));
        }
    }

    fn entries(&mut self, folder: &Path, path: &str) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let inside = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() && !is_skipped(&name, path) {
                self.folder(&entry.path(), &inside);
            } else if kind.is_file()
                // In a second working tree of git this is a file, with a path of the machine in it.
                && name != ".git"
                && !SKIPPED_ENDINGS.iter().any(|ending| name.ends_with(ending))
            {
                self.text(&entry.path(), inside);
            }
        }
        Ok(())
    }

    fn text(&mut self, at: &Path, path: String) {
        let bytes = match fs::read(at) {
            Ok(bytes) => bytes,
            Err(error) => {
                let say = format!("Make this file readable: {error}.");
                return self.unreadable.push(Finding::new(&path, 1, "read", say));
            }
        };
        let Ok(text) = String::from_utf8(bytes) else { return };
        if text.contains('\0') {
            return;
        }
        let place = crate_and_rest(&path);
        let code = place.filter(|_| path.ends_with(".rs")).and_then(|_| match Code::read(&text) {
            Ok(code) => Some(code),
            Err(line) => {
                self.unreadable.push(Finding::new(
                    &path,
                    line,
                    "read",
                    "Make this Rust: its tokens cannot be read.",
                ));
                None
            }
        });
        let is_test =
            place.is_some_and(|(_, rest)| rest.starts_with("tests/") || rest.starts_with("benches/"));
        self.files.push(File { path, text, code, is_test });
    }

    /// Marks the files of `#[cfg(test)] mod name;`.
    fn mark_test_modules(&mut self) {
        let mut modules = Vec::new();
        for (file, code) in self.rust() {
            let home = match file.name() {
                "lib.rs" | "main.rs" | "mod.rs" => {
                    file.path.strip_suffix(file.name()).unwrap_or_default().to_owned()
                }
                _ => format!("{}/", file.path.trim_end_matches(".rs")),
            };
            modules.extend(code.test_modules.iter().map(|name| format!("{home}{name}")));
        }
        for file in &mut self.files {
            let is_below = |module: &String| {
                file.path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            };
            file.is_test |= modules.iter().any(is_below);
        }
    }
}

/// Whether the folder `name` in the folder `path` is not for us to read. Below `src` any name is a module's.
fn is_skipped(name: &str, path: &str) -> bool {
    let in_src = path.split('/').any(|part| part == "src");
    !in_src && (SKIPPED_FOLDERS.contains(&name) || QUOTED_FOLDERS.contains(&name))
}

#[cfg(test)]
mod tests {
    use crate::tidy::fixture::check;

    #[test]
    fn a_file_that_is_not_rust_is_told() {
        check(
            "//- crates/naite-core/src/id.rs\n//! Names one entry of a session.\nfn f( {\n",
            &["crates/naite-core/src/id.rs:2: [read]"],
        );
    }

    #[test]
    fn foreign_folders_are_not_read() {
        check("//- crates/naite-core/tests/fixtures/bad.rs\nfn f( {\n//- target/bad.rs\ntodo!()\n", &[]);
    }

    #[test]
    fn a_module_for_tests_may_lie_in_its_own_file() {
        check(
            "
//- crates/naite-core/src/id.rs
//! Names one entry of a session.
#[cfg(test)]
mod tests;
//- crates/naite-core/src/id/tests.rs
//! Checks how names are read.
use std::fs;
//- crates/naite-core/src/tree.rs
//! Reads entries into a tree.
mod tests;
//- crates/naite-core/src/tree/tests.rs
//! Checks nothing, and is no test.
use std::fs;
",
            &["crates/naite-core/src/tree/tests.rs:2: [no-std]"],
        );
    }
}
