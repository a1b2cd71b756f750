//! Checks all text of the repository for words that belong to one machine, one tool or one shop.
//!
//! The words are put together from halves here, so that this file does not find itself.

use super::{Finding, Repo};

const RULE: &str = "words";

/// Folders that exist on one machine only.
const MACHINE_FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// What tools write below the work of people.
const SIGNATURES: [&str; 2] = [concat!("generated", " by"), concat!("co-authored", "-by")];

/// Hosts of package registries. Manifests name packages; where these come from is each machine's own affair.
const REGISTRIES: [&str; 4] = [
    concat!("crates", ".io/"),
    concat!("index.crates", ".io"),
    concat!("registry.npmjs", ".org"),
    concat!("pypi", ".org"),
];

/// How the names of files start that others worded: cargo's lock file, and the licenses.
const FOREIGN_FILES: [&str; 2] = ["Cargo.lock", "LICENSE"];

/// Checks every text file that is in our own words.
pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &repo.files {
        if FOREIGN_FILES.iter().any(|start| file.name().starts_with(start)) {
            continue;
        }
        for (number, line) in file.text.lines().enumerate() {
            let line = line.to_lowercase();
            found.extend(problem(&line).map(|say| Finding::new(&file.path, number + 1, RULE, say)));
        }
    }
    found
}

fn problem(line: &str) -> Option<String> {
    if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| is_absolute(line, folder)) {
        return Some(format!("Write this path without `{folder}`: that folder is on one machine only."));
    }
    if let Some(words) = SIGNATURES.iter().find(|words| line.contains(*words)) {
        return Some(format!("Leave `{words}` out: the history says who did what."));
    }
    let host = REGISTRIES.iter().find(|host| line.contains(*host))?;
    Some(format!("Name the package and not `{host}`: each machine has its own registry."))
}

/// Whether `folder` occurs as the start of a path, and not as a part of a longer one such as a home's.
fn is_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || "_-.~}".contains(before))
    })
}

#[cfg(test)]
mod tests {
    use super::{MACHINE_FOLDERS, REGISTRIES, SIGNATURES};
    use crate::tidy::fixture::check as tidy;

    fn check(path: &str, line: &str, wanted: &[&str]) {
        tidy(&format!("//- {path}\n\n{line}\n"), wanted);
    }

    #[test]
    fn each_word_is_found_in_any_text() {
        for word in [MACHINE_FOLDERS.as_slice(), &SIGNATURES, &REGISTRIES].concat() {
            check("docs/a.md", &format!("see `{word}x`"), &["docs/a.md:2: [words]"]);
            check(".ci/run", &format!("see `{}x`", word.to_uppercase()), &[".ci/run:2: [words]"]);
        }
    }

    #[test]
    fn a_folder_in_a_home_is_any_machines() {
        check("docs/a.md", &format!("~/me{0} ~{0} a/b{0}", MACHINE_FOLDERS[0]), &[]);
    }

    #[test]
    fn foreign_text_and_the_lock_file_are_left_alone() {
        for path in
            ["Cargo.lock", "crates/naite-core/tests/fixtures/a.jsonl", "conformance/a.jsonl", ".git/a"]
        {
            check(path, SIGNATURES[0], &[]);
        }
    }
}
