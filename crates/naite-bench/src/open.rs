//! Measures opening: without an index, while one is written, with one; and the context right after.
//!
//! Each opening happens in a process of its own, as it does for a person, and so that its peak memory is its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use naite_store::{Access, Durability};
use serde::{Deserialize, Serialize};

use crate::input::{self, Index, Input, Options};
use crate::measure::{own_peak, time};
use crate::report::{self, Report, Series};
use crate::yardstick::{self, Megabyte};

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// Not by Naite: each line is parsed as a JSON value.
    Yardstick,
    /// No index is read or written.
    Cold,
    /// There is an index, or it is written.
    Indexed,
}

/// The arguments of the process that opens once.
#[derive(Debug, clap::Args)]
pub(crate) struct Measure {
    mode: Mode,
    file: PathBuf,
    home: PathBuf,
}

/// What that process prints.
#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    ms: f64,
    peak_mb: Option<f64>,
    context_ms: f64,
    context_peak_mb: Option<f64>,
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let input = Input::of(options)?;
    let series = vec![
        Series::yardstick("yardstick"),
        Series::against("yardstick", "cold").target(1.0 / 2.0).peak_target(80.0),
        Series::against("yardstick", "cold+index"),
        Series::against("yardstick", "warm").target(1.0 / 20.0).peak_target(80.0),
        Series::against("yardstick", "context").target(1.0 / 50.0),
    ];
    let mut report = Report::new("open", &input.facts, series);
    let index = input::index_folder(&input.home());
    let megabyte = Megabyte::new()?;
    yardstick::warm_up(input.path())?;
    for _ in 0..options.runs {
        report.add_megabyte(megabyte.time());
        let mut add = |name: &str, mode| -> anyhow::Result<Measured> {
            let measured = in_own_process(mode, &input)?;
            report.add(name, measured.ms, measured.peak_mb);
            Ok(measured)
        };
        add("yardstick", Mode::Yardstick)?;
        add("cold", Mode::Cold)?;
        if index.exists() {
            std::fs::remove_dir_all(&index)?;
        }
        add("cold+index", Mode::Indexed)?;
        let warm = add("warm", Mode::Indexed)?;
        report.add("context", warm.context_ms, warm.context_peak_mb);
    }
    report.print(options.json)
}

fn in_own_process(mode: Mode, input: &Input) -> anyhow::Result<Measured> {
    let mode = clap::ValueEnum::to_possible_value(&mode).context("a mode without a name")?;
    let output = Command::new(std::env::current_exe()?)
        .args(["measure", mode.get_name()])
        .args([input.path(), &input.home()])
        .output()?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} ended with {}: {error}", mode.get_name(), output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Opens once and prints what it took.
pub(crate) fn measure(args: &Measure) -> anyhow::Result<()> {
    let measured = match args.mode {
        Mode::Yardstick => {
            let (ms, lines) = time(|| yardstick::parse_lines(&args.file));
            lines?;
            Measured { ms, peak_mb: own_peak(), context_ms: 0.0, context_peak_mb: None }
        }
        Mode::Cold => opened(&args.home, &args.file, Index::Without)?,
        Mode::Indexed => opened(&args.home, &args.file, Index::With)?,
    };
    report::json(&measured)
}

fn opened(home: &Path, file: &Path, index: Index) -> anyhow::Result<Measured> {
    let (ms, session) = time(|| input::open(home, file, index, Access::Read, Durability::Never));
    let mut session = session?;
    let peak_mb = own_peak();
    let (context_ms, context) = time(|| session.build_session_context(session.leaf()));
    context?;
    Ok(Measured { ms, peak_mb, context_ms, context_peak_mb: own_peak() })
}
