//! Runs the real `naite` on a session of a million entries and on one with a line of 200 MB.
//!
//! The first round of each command finds no index, the others find the one that it left.

use std::env::consts::EXE_SUFFIX;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use naite_store::{Access, Durability};
use serde::Serialize;

use crate::generator::{Recipe, Shape};
use crate::input::{self, Facts, Index, Input};
use crate::measure::{median, peak_of, time};
use crate::report::{self, duration, table};
use crate::yardstick::{self, Megabyte};

/// Time between two looks at the memory of a running command. The system keeps the peak, so that only what happens
/// in a command's very last moment is missed.
const LOOK: Duration = Duration::from_millis(1);

/// What `limits` understands.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// How often each command runs with an index.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Run the commands on a copy of this session file instead.
    #[arg(long)]
    file: Option<PathBuf>,
    /// Entries of the long session.
    #[arg(long, default_value_t = 1_000_000)]
    entries: usize,
    /// Bytes of the long line.
    #[arg(long, default_value_t = 200_000_000)]
    bytes: usize,
    /// How the long session branches.
    #[arg(long, value_enum, default_value_t = Shape::Chain)]
    shape: Shape,
    /// Another seed gives other sessions.
    #[arg(long, default_value_t = 3)]
    seed: u64,
    /// The program [default: the one beside this one, else it is built]
    #[arg(long)]
    naite: Option<PathBuf>,
}

/// A command of `naite`, and what it reads from its standard input.
#[derive(Debug)]
struct Call {
    name: &'static str,
    arguments: Vec<String>,
    input: &'static str,
}

/// What a command took.
#[derive(Debug, Serialize)]
struct Row {
    command: &'static str,
    cold_ms: f64,
    warm_ms: Option<f64>,
    /// The same in units of parsing 1 MB in the same round.
    cold_megabytes: f64,
    warm_megabytes: Option<f64>,
    cold_peak_mb: Option<f64>,
    warm_peak_mb: Option<f64>,
    /// Exit codes other than 0 that occurred; -1 stands for a signal.
    failures: Vec<i32>,
}

/// All commands on one session.
#[derive(Debug, Serialize)]
struct Part {
    session: Facts,
    rows: Vec<Row>,
}

/// One run of a command.
#[derive(Debug)]
struct Ran {
    ms: f64,
    /// Milliseconds that parsing 1 MB took in this round.
    megabyte_ms: f64,
    peak_mb: Option<f64>,
    status: ExitStatus,
}

/// Runs the bench.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let program = args.naite.clone().map_or_else(program, Ok)?;
    let recipe = |shape, entries, bytes, giant| Recipe { shape, entries, bytes, seed: args.seed, giant };
    let mut parts = Vec::new();
    if let Some(file) = &args.file {
        parts.push(part(&program, Input::file(file)?.writable()?, args.runs)?);
    } else {
        let bytes = args.entries as u64 * 650;
        parts.push(part(&program, Input::made(recipe(args.shape, args.entries, bytes, 0))?, args.runs)?);
        let giant = recipe(Shape::Mixed, 1000, 2_500_000, args.bytes);
        parts.push(part(&program, Input::made(giant)?, args.runs)?);
    }
    if args.json {
        return report::json(&serde_json::json!({ "bench": "limits", "runs": args.runs, "parts": parts }));
    }
    for Part { session, rows } in &parts {
        let cells: Vec<_> = rows.iter().map(Row::cells).collect();
        report::text(&format!("{}\n{}\n", report::session_line(session), table(&cells)))?;
    }
    Ok(())
}

/// The program beside this one; if there is none, it is built.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    let beside = std::env::current_exe()?.with_file_name(format!("naite{EXE_SUFFIX}"));
    if !beside.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let built = Command::new(cargo)
            .args(["build", "--release", "-p", "naite", "--manifest-path", manifest])
            .stdout(Stdio::null())
            .status()?;
        ensure!(built.success() && beside.exists(), "cannot build {}", beside.display());
    }
    Ok(beside)
}

/// Runs all commands on one session, round by round, because some of them write to it.
fn part(program: &Path, input: Input, runs: usize) -> anyhow::Result<Part> {
    let calls = calls(&input)?;
    let index = input::index_folder(&input.home());
    let megabyte = Megabyte::new()?;
    yardstick::warm_up(input.path())?;
    let mut ran: Vec<Vec<Ran>> = calls.iter().map(|_| Vec::new()).collect();
    for round in 0..=runs {
        let megabyte_ms = megabyte.time();
        for (call, ran) in calls.iter().zip(&mut ran) {
            if round == 0 && index.exists() {
                std::fs::remove_dir_all(&index)?;
            }
            ran.push(Ran { megabyte_ms, ..run_once(program, call, &input)? });
        }
    }
    let rows = calls.iter().zip(&ran).map(|(call, ran)| Row::of(call, ran)).collect();
    Ok(Part { session: input.facts, rows })
}

fn calls(input: &Input) -> anyhow::Result<Vec<Call>> {
    const LEAF: &str = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"getLeafId"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"appendMessage","params":{"message":"#,
        r#"{"role":"user","content":"one more","timestamp":1772355600000}}}"#,
        "\n",
    );
    let session = input.path().to_str().context("a path that is no UTF-8")?;
    let entry = middle(input)?;
    let call = |name, arguments: &[&str], input| Call {
        name,
        arguments: arguments.iter().map(|argument| (*argument).into()).collect(),
        input,
    };
    Ok(vec![
        call("tree", &["tree", session], ""),
        call("tree --json", &["tree", "--json", session], ""),
        call("context --json", &["context", "--json", session], ""),
        call("info --json", &["info", "--json", session], ""),
        call("go", &["go", session, &entry], ""),
        call("undo", &["undo", session], ""),
        call("rpc", &["rpc", "--session", session], LEAF),
    ])
}

/// The prompt in the middle of the session, to go to.
fn middle(input: &Input) -> anyhow::Result<String> {
    let session = input::open(&input.home(), input.path(), Index::Without, Access::Read, Durability::Never)?;
    let tree = session.tree();
    let prompts: Vec<_> = tree.entries().filter(|ix| tree.head(*ix).is_user()).collect();
    let middle = prompts.get(prompts.len() / 2).context("a session without a prompt")?;
    Ok(tree.id(*middle).into())
}

/// Runs a command to its end, and watches its memory meanwhile.
fn run_once(program: &Path, call: &Call, input: &Input) -> anyhow::Result<Ran> {
    let mut command = Command::new(program);
    command.args(&call.arguments).env("NAITE_HOME", input.home()).stdin(Stdio::piped()).stdout(Stdio::null());
    let (ms, ran) = time(|| watch(&mut command, call.input));
    let (peak_mb, status) = ran?;
    Ok(Ran { ms, megabyte_ms: f64::NAN, peak_mb, status })
}

/// Runs a command to its end: the most memory that it was seen to have, and how it ended.
pub(crate) fn watch(command: &mut Command, input: &str) -> anyhow::Result<(Option<f64>, ExitStatus)> {
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let process = child.id();
    if let Some(mut stdin) = child.stdin.take() {
        // A command that reads nothing may have closed its input already.
        let _ = stdin.write_all(input.as_bytes());
    }
    let (ended, end) = mpsc::channel();
    let waiter = thread::spawn(move || {
        let status = child.wait();
        drop(ended);
        status
    });
    let mut peak_mb = None;
    while end.recv_timeout(LOOK) == Err::<(), _>(RecvTimeoutError::Timeout) {
        peak_mb = peak_of(process).or(peak_mb);
    }
    let status = waiter.join().map_err(|_| anyhow::anyhow!("the waiting thread broke off"))??;
    Ok((peak_mb, status))
}

impl Row {
    fn of(call: &Call, ran: &[Ran]) -> Self {
        let (cold, warm) = ran.split_at(1);
        let times: Vec<f64> = warm.iter().map(|ran| ran.ms).collect();
        let megabytes: Vec<f64> = warm.iter().map(|ran| ran.ms / ran.megabyte_ms).collect();
        let peaks = |ran: &[Ran]| ran.iter().filter_map(|ran| ran.peak_mb).reduce(f64::max);
        Self {
            command: call.name,
            cold_ms: cold[0].ms,
            warm_ms: (!times.is_empty()).then(|| median(&times)),
            cold_megabytes: cold[0].ms / cold[0].megabyte_ms,
            warm_megabytes: (!megabytes.is_empty()).then(|| median(&megabytes)),
            cold_peak_mb: peaks(cold),
            warm_peak_mb: peaks(warm),
            failures: ran
                .iter()
                .filter(|ran| !ran.status.success())
                .map(|ran| ran.status.code().unwrap_or(-1))
                .collect(),
        }
    }

    fn cells(&self) -> Vec<(&'static str, String)> {
        let peak = |peak: Option<f64>| peak.map_or_else(String::new, |peak| format!("{peak:.1} MB"));
        let failed = || format!("FAILED: exit {:?}", self.failures);
        vec![
            ("", self.command.into()),
            ("cold", duration(self.cold_ms)),
            ("warm", self.warm_ms.map_or_else(String::new, duration)),
            ("cold in MB parsed", format!("{:.4}", self.cold_megabytes)),
            (
                "warm in MB parsed",
                self.warm_megabytes.map_or_else(String::new, |value| format!("{value:.4}")),
            ),
            ("cold peak", peak(self.cold_peak_mb)),
            ("warm peak", peak(self.warm_peak_mb)),
            ("exit", if self.failures.is_empty() { "0".into() } else { failed() }),
        ]
    }
}
