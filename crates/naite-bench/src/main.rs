//! Benchmarks: every figure beside a yardstick of the same run, so that it compares across machines.
//!
//! `cargo xtask bench open` is the one to start with. A bench is no test: missed targets are marked, and the exit
//! code stays 0.

mod append;
mod branched;
mod context;
mod generator;
mod hook;
mod input;
mod limits;
mod list;
mod making;
mod measure;
mod navigator;
mod open;
mod path;
mod report;
mod tree;
mod yardstick;

use clap::{Parser, Subcommand};

use input::Options;

/// Measures Naite on long sessions.
#[derive(Debug, Parser)]
struct Args {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// Opens a session without and with its head index, beside parsing every line as a JSON value.
    Open(Options),
    /// Builds the model's context, beside parsing the same records as JSON values.
    Context(Options),
    /// Appends messages, beside bare writes of the same lines.
    Append(Options),
    /// Walks from the deepest entry to its root, beside a bare walk over the same links.
    Path(Options),
    /// Makes a new session of the path to the leaf, beside a bare write of the same bytes.
    Branched(Options),
    /// Lays out the rows of the whole tree, beside a bare walk over it.
    Tree(Options),
    /// Uses the navigator, from a key to the frame, beside a bare walk, a parse and a scan of the same bytes.
    Navigator(Options),
    /// Lists thousands of session files without and with the cache of rows, beside reading them with `cat`.
    List(list::Args),
    /// Runs whole processes of `naite hook`, beside `naite hook none` on the same standard input.
    Hook(hook::Args),
    /// Runs the real `naite` on a million entries and on a line of 200 MB.
    Limits(limits::Args),
    /// Writes what benches and tests are made of.
    #[command(subcommand)]
    Gen(making::What),
    /// One opening in a process of its own: what `open` runs again and again.
    #[command(hide = true)]
    Measure(open::Measure),
}

fn main() -> anyhow::Result<()> {
    match Args::parse().bench {
        Bench::Open(options) => open::run(&options),
        Bench::Context(options) => context::run(&options),
        Bench::Append(options) => append::run(&options),
        Bench::Path(options) => path::run(&options),
        Bench::Branched(options) => branched::run(&options),
        Bench::Tree(options) => tree::run(&options),
        Bench::Navigator(options) => navigator::run(&options),
        Bench::List(args) => list::run(&args),
        Bench::Hook(args) => hook::run(&args),
        Bench::Limits(args) => limits::run(&args),
        Bench::Gen(what) => making::run(&what),
        Bench::Measure(measure) => open::measure(&measure),
    }
}
