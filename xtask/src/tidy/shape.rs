//! Checks what a reader meets first: the sentence at the head of a file, its length, and that of its functions.

use super::code::Code;
use super::{Finding, Repo};

/// The fewest words that make a sentence and not a title.
const WORDS: usize = 4;

/// The most lines of a file without its tests; 500 is the aim.
const FILE_LINES: usize = 800;

/// The most lines of a function; 60 is the aim.
const FUNCTION_LINES: usize = 100;

/// Checks every Rust file of a crate.
pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut found = Vec::new();
    for (file, code) in repo.rust() {
        let mut add = |line, rule, say: String| found.push(Finding::new(&file.path, line, rule, say));
        if !starts_with_sentence(&file.text) {
            let say =
                format!("Start the file with a `//!` sentence of {WORDS} words or more, with its full stop.");
            add(1, "doc", say);
        }
        let count = lines_without_tests(&file.text, code);
        if count > FILE_LINES {
            add(
                1,
                "size",
                format!("Split this file: it has {count} lines without its tests, at most {FILE_LINES}."),
            );
        }
        for function in code.functions.iter().filter(|one| one.line_count > FUNCTION_LINES) {
            let (name, count) = (&function.name, function.line_count);
            add(
                function.line,
                "size",
                format!("Split `{name}`: it has {count} lines, at most {FUNCTION_LINES}."),
            );
        }
    }
    found
}

/// Whether the first paragraph of the doc comment on the first line has a sentence that is long enough.
fn starts_with_sentence(text: &str) -> bool {
    let docs = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let words: Vec<&str> = docs.take_while(|line| !line.is_empty()).flat_map(str::split_whitespace).collect();
    words.iter().skip(WORDS - 1).any(|word| word.trim_end_matches(['`', ')', '"', '*', '_']).ends_with('.'))
}

fn lines_without_tests(text: &str, code: &Code) -> usize {
    let tests: usize = code.test_lines.iter().map(|lines| lines.end() - lines.start() + 1).sum();
    text.lines().count().saturating_sub(tests)
}

#[cfg(test)]
mod tests {
    use super::{FILE_LINES, FUNCTION_LINES};
    use crate::tidy::fixture::check as tidy;

    /// Makes `text` a source and a test of naite-store.
    fn check(text: &str, wanted: &[&str]) {
        for path in ["crates/naite-store/src/log.rs", "crates/naite-store/tests/it/log.rs"] {
            let wanted: Vec<_> = wanted.iter().map(|place| format!("{path}:{place}")).collect();
            tidy(&format!("//- {path}\n{text}"), &wanted.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_file_starts_with_a_sentence() {
        check("fn f() {}\n", &["1: [doc]"]);
        check("\n//! Keeps one session on disk.\n", &["1: [doc]"]);
        check("//! Session logs.\n//!\n//! Keeps one session on disk.\n", &["1: [doc]"]);
        check("//! Keeps one session\n//! on disk (append only).\n", &[]);
    }

    #[test]
    fn a_file_has_a_size() {
        let lines = |count: usize| format!("//! Keeps one session on disk.\n{}", "\n".repeat(count - 1));
        check(&lines(FILE_LINES), &[]);
        check(&lines(FILE_LINES + 1), &["1: [size]"]);
        check(&format!("{}#[cfg(test)]\nmod tests {{\n}}\n", lines(FILE_LINES)), &[]);
    }

    #[test]
    fn a_function_has_a_size() {
        let body =
            |count: usize| format!("//! Keeps one session on disk.\nfn f() {{{}}}\n", "\n".repeat(count - 1));
        check(&body(FUNCTION_LINES), &[]);
        check(&body(FUNCTION_LINES + 1), &["2: [size]"]);
    }
}
