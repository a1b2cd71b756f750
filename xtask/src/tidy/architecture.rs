//! Checks that the map of the repository is there, short, and complete.

use super::{Finding, Repo};

const RULE: &str = "architecture";
const PATH: &str = "ARCHITECTURE.md";

/// The most lines that people read before they start.
const LINES: usize = 200;

/// Checks `ARCHITECTURE.md` against the crates that are there.
pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let Some(map) = repo.file(PATH) else {
        return vec![Finding::new(PATH, 1, RULE, "Write this file: it is missing.")];
    };
    let mut found = Vec::new();
    let count = map.text.lines().count();
    if count > LINES {
        let say = format!("Shorten this file: it has {count} lines, at most {LINES}.");
        found.push(Finding::new(PATH, LINES + 1, RULE, say));
    }
    let is_part_of_name = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    for (name, _) in repo.manifests() {
        if !map.text.split(|letter| !is_part_of_name(letter)).any(|word| word == name) {
            found.push(Finding::new(
                PATH,
                1,
                RULE,
                format!("Say what the crate `{name}` is for, and what it never does."),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::LINES;
    use crate::tidy::fixture::check;

    #[test]
    fn the_map_is_there() {
        let empty = tempfile::tempdir().expect("a temporary folder");
        fs::write(empty.path().join("README.md"), "Naite").expect("a file in a temporary folder");
        let found = crate::tidy::check(empty.path());
        assert_eq!(found.len(), 1);
        assert!(found[0].say.contains("missing"), "{}", found[0]);
    }

    #[test]
    fn the_map_names_each_crate() {
        check(
            "//- ARCHITECTURE.md\nnaite-store, naite-core-extra, `xtask`\n",
            &["ARCHITECTURE.md:1: [architecture]"],
        );
    }

    #[test]
    fn the_map_is_short() {
        let long =
            |lines: usize| format!("//- ARCHITECTURE.md\nnaite-core naite-store xtask{}", "\n".repeat(lines));
        check(&long(LINES), &[]);
        check(&long(LINES + 1), &["ARCHITECTURE.md:201: [architecture]"]);
    }
}
