//! Checks what code reaches for: the pure crates reach nothing, and libraries leave the world to their callers.

use super::code::{Code, Name};
use super::repo::File;
use super::{Finding, Repo};

/// Crates that promise to do without `std`.
const NO_STD: [&str; 2] = ["naite-core", "naite-context"];

/// Crates that may use `std`, but nothing in it that touches the world.
const PURE: [&str; 2] = ["naite-agent", "naite-tui"];

/// Crates that are not libraries for other people's programs.
const PROGRAMS: [&str; 4] = ["naite", "naite-bench", "naite-testkit", "xtask"];

/// What the pure crates do not name.
const WORLD: [&str; 9] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
];

/// Macros that libraries do not call.
const PRINTS: [&str; 4] = ["println", "eprintln", "print", "eprint"];

/// What libraries do not name.
const AMBIENT: [&str; 8] = [
    "process::exit",
    "env::var",
    "env::var_os",
    "env::vars",
    "env::vars_os",
    "SystemTime::now",
    "Timestamp::now",
    "Zoned::now",
];

/// The files of naite-host that hand the environment and the time to everyone else.
const DOORS: [&str; 2] = ["env.rs", "clock.rs"];

/// Checks every source file that is not a test.
pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, file, code) in repo.sources() {
        if NO_STD.contains(&name) && file.in_src() == Some("lib.rs") && !says_no_std(code) {
            let say = format!(
                "Put `#![no_std]` at the head: it is how the compiler proves that {name} does no I/O."
            );
            found.push(Finding::new(&file.path, 1, "no-std", say));
        }
        for used in code.names.iter().filter(|used| !used.in_test) {
            let problem =
                no_std(name, used).or_else(|| pure(name, used)).or_else(|| library(name, file, used));
            found.extend(problem.map(|(rule, say)| Finding::new(&file.path, used.line, rule, say)));
        }
    }
    found
}

fn says_no_std(code: &Code) -> bool {
    code.attributes.iter().any(|attribute| {
        attribute.is_inner && ["no_std", "cfg_attr(not(test),no_std)"].contains(&attribute.text.as_str())
    })
}

type Problem = Option<(&'static str, String)>;

fn no_std(name: &str, used: &Name) -> Problem {
    if !NO_STD.contains(&name) || used.segments.first().is_none_or(|first| first != "std") {
        return None;
    }
    let path = used.segments.join("::");
    Some(("no-std", format!("Take `{path}` from core or alloc, or as an argument: {name} is `no_std`.")))
}

fn pure(name: &str, used: &Name) -> Problem {
    let path = WORLD.iter().find(|path| PURE.contains(&name) && used.has(path))?;
    Some(("pure", format!("Replace `{path}` by an argument or an effect: {name} does not reach the world.")))
}

fn library(name: &str, file: &File, used: &Name) -> Problem {
    if PROGRAMS.contains(&name) {
        return None;
    }
    if let Some(print) = PRINTS.iter().find(|print| used.calls_macro(print)) {
        return Some((
            "library",
            format!("Return a value instead of `{print}!`: the program has the words."),
        ));
    }
    let is_door = name == "naite-host" && DOORS.contains(&file.name());
    let path = AMBIENT.iter().find(|path| used.has(path))?;
    if *path == "process::exit" {
        return Some((
            "library",
            "Return an error instead of `process::exit`: the caller decides.".to_owned(),
        ));
    }
    let say = format!(
        "Take what `{path}` would tell as an argument; only {} in naite-host ask.",
        DOORS.join(" and ")
    );
    (!is_door).then_some(("library", say))
}

#[cfg(test)]
mod tests {
    use crate::tidy::fixture::check as tidy;

    /// Puts `body` below the first line of a file of the crate `name`; the first line of `body` is line 2.
    fn check(name: &str, file: &str, body: &str, wanted: &[&str]) {
        let fixture = format!(
            "//- ARCHITECTURE.md
{name}, naite-core, naite-store, xtask
//- crates/{name}/Cargo.toml
[package]
name = \"{name}\"
//- crates/{name}/src/{file}
//! Does what the test is about.
{body}
"
        );
        let wanted: Vec<_> = wanted.iter().map(|place| format!("crates/{name}/src/{file}:{place}")).collect();
        tidy(&fixture, &wanted.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn the_core_says_that_it_has_no_std() {
        check("naite-core", "lib.rs", "", &["1: [no-std]"]);
        check("naite-context", "lib.rs", "#![cfg_attr(not(test), no_std)]", &[]);
    }

    #[test]
    fn the_core_names_no_std() {
        check("naite-core", "id.rs", "use core::fmt;\nuse std::fmt;", &["3: [no-std]"]);
        check("naite-core", "id.rs", "extern crate std;", &["2: [no-std]"]);
        check("naite-core", "id.rs", "// std::fmt\n#[cfg(test)]\nextern crate std;", &[]);
    }

    #[test]
    fn the_pure_crates_reach_nothing() {
        check("naite-agent", "turn.rs", "use std::{fmt, fs};", &["2: [pure]"]);
        check("naite-tui", "tree.rs", "fn f() { let now = std::time::Instant::now(); }", &["2: [pure]"]);
        check("naite-tui", "tree.rs", "fn f() { let now = jiff::Zoned::now(); }", &["2: [pure]"]);
        check("naite-tui", "tree.rs", "#[cfg(test)]\nmod tests {\n    use std::fs;\n}", &[]);
    }

    #[test]
    fn libraries_do_not_print() {
        check("naite-store", "log.rs", "fn f() { println!(\"x\") }", &["2: [library]"]);
        check("naite-store", "log.rs", "fn f() { std::eprint!(\"println!()\") }", &["2: [library]"]);
        check("naite", "main.rs", "fn f() { println!(\"x\") }", &[]);
    }

    #[test]
    fn libraries_do_not_exit() {
        check("naite-host", "env.rs", "fn f() { std::process::exit(1) }", &["2: [library]"]);
    }

    #[test]
    fn only_the_doors_of_the_host_ask_for_environment_and_time() {
        let body = "use std::time::SystemTime;\nfn f() { (std::env::var(\"A\"), SystemTime::now()) }";
        check("naite-host", "tools.rs", body, &["3: [library]", "3: [library]"]);
        check("naite-host", "clock.rs", body, &[]);
        check("naite-store", "clock.rs", body, &["3: [library]", "3: [library]"]);
    }

    #[test]
    fn the_store_may_measure() {
        check("naite-store", "log.rs", "fn f() { std::time::Instant::now() }", &[]);
    }
}
