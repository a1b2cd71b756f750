//! Runs a chore of this repository by name: `cargo xtask tidy`, `cargo xtask bench NAME`, `cargo xtask gen session`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the output of a command is its purpose")]

use std::process::ExitCode;

use xtask::{bench, root, tidy};

const HELP: &str = "\
Chores of the Naite repository.

Usage: cargo xtask COMMAND [ARGS]

Commands:
  tidy                         Check the rules that the compiler does not know. Prints
                               `path:line: [rule] what to do` and exits with 1 on a finding.
  bench NAME [--json] [ARGS]   Build naite-bench with the release profile and run the bench NAME.
                               What follows NAME is handed on; the exit code is the bench's.
                               NAME: open, tree, path, context, append, branched, list, limits,
                               hook.
  gen session [ARGS]           Write a generated session: --entries N --bytes B
                               --shape chain|wide|mixed --seed S --output FILE (else to the
                               standard output). `gen session --help` says more.
  help                         Print this text (also -h, --help).

What tidy checks:
  deps          who may depend on whom, in the workspace and outside of it
  no-std        naite-core and naite-context do without std
  pure          naite-agent and naite-tui reach no file, network, process, thread or clock
  library       libraries do not print, exit, read the environment or ask for the time
  order         a stage of naite-core names no later stage
  doc           a Rust file starts with a `//!` sentence of four words or more, with its full stop
  empty-doc     no doc comment without words
  size          at most 800 lines a file without its tests (aim at 500),
                at most 100 lines a function (aim at 60)
  attribute     `#[expect(lint, reason = …)]`, never a bare `#[allow]`; no `#[ignore]`
  sleep         nothing sleeps, tests included
  unfinished    no placeholder macro
  words         no folders of one machine, no tool signatures, no package registry hosts
  architecture  ARCHITECTURE.md has at most 200 lines and names each crate

Rules on code do not look into comments and strings; those on design do not look into `#[cfg(test)]`.
Folders named `fixtures` or `conformance` hold foreign text and are not read.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["tidy"] => run_tidy(),
        ["help" | "-h" | "--help"] | ["bench" | "gen" | "tidy", "-h" | "--help"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        ["gen", "session", rest @ ..] => run_bench("gen", &[&["session"], rest].concat()),
        ["gen", ..] => misused("gen makes a `session`"),
        ["bench", name, rest @ ..] if !name.starts_with('-') => run_bench(name, rest),
        ["bench", ..] => misused("bench needs the NAME of a bench"),
        ["tidy", extra, ..] => misused(&format!("tidy takes no argument, but got `{extra}`")),
        [other, ..] => misused(&format!("there is no chore `{other}`")),
        [] => misused("a COMMAND is missing"),
    }
}

fn run_tidy() -> ExitCode {
    let repo = tidy::Repo::read(root());
    let findings = tidy::findings(&repo);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        println!("tidy: {} files, nothing to say", repo.file_count());
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

fn run_bench(name: &str, rest: &[&str]) -> ExitCode {
    match bench::run(root(), name, rest) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: cannot start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn misused(problem: &str) -> ExitCode {
    eprintln!("xtask: {problem}; see `cargo xtask --help`");
    ExitCode::from(2)
}
