//! Checks the rules of this repository that neither the compiler nor clippy knows.
//!
//! [`Repo::read`] reads the tree once; each rule is then a function from the [`Repo`] to findings. What a rule
//! allows is a table at the head of its file, next to the sentence that tells the reader what to do instead.

mod architecture;
mod code;
mod deps;
#[cfg(test)]
mod fixture;
mod habits;
mod manifest;
mod order;
mod purity;
mod repo;
mod shape;
mod words;

use std::fmt;
use std::path::Path;

pub use repo::Repo;

/// One broken rule: where, which, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root of the repository, with `/` between its parts.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The name of the rule, as `cargo xtask --help` lists it.
    pub rule: &'static str,
    /// A sentence that says what to do.
    pub say: String,
}

impl Finding {
    fn new(path: &str, line: usize, rule: &'static str, say: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule, say: say.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: [{}] {}", self.path, self.line, self.rule, self.say)
    }
}

/// Reads the repository at `root` and returns everything that tidy has to say about it, in order of path and line.
///
/// A file that cannot be read is a finding as well, so an empty answer means that all was seen.
#[must_use]
pub fn check(root: &Path) -> Vec<Finding> {
    findings(&Repo::read(root))
}

/// Like [`check`], for a repository that was read before.
#[must_use]
pub fn findings(repo: &Repo) -> Vec<Finding> {
    let mut found = repo.unreadable.clone();
    for rule in [
        architecture::check,
        deps::check,
        habits::check,
        order::check,
        purity::check,
        shape::check,
        words::check,
    ] {
        found.extend(rule(repo));
    }
    found.sort();
    found
}
