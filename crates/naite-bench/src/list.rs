//! Measures `naite sessions` on thousands of files, first and repeated, beside `cat` and bare reads of the same files.
//!
//! The list is made by the real program, in a process that may open no more than 256 files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::generator::{Recipe, Shape};
use crate::input::{self, Facts, Input};
use crate::limits::{program, watch};
use crate::measure::time;
use crate::report::{Report, Series};
use crate::yardstick::Megabyte;

/// Files in each folder, as if for one project.
const IN_FOLDER: usize = 100;

/// What `list` understands.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// How often everything is measured.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// List the session files in this folder, and in those directly below it, instead of generated ones.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Session files that are generated.
    #[arg(long, default_value_t = 5000)]
    files: usize,
    /// Entries of each, at least.
    #[arg(long, default_value_t = 14)]
    entries: usize,
    /// Another seed gives other sessions.
    #[arg(long, default_value_t = 3)]
    seed: u64,
    /// The program [default: the one beside this one, else it is built]
    #[arg(long)]
    naite: Option<PathBuf>,
}

/// The files, and what lists them.
#[derive(Debug)]
struct Place {
    program: PathBuf,
    folder: PathBuf,
    files: Vec<PathBuf>,
    home: PathBuf,
}

/// Runs the bench.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let input = Input::empty()?;
    let folder = match &args.folder {
        Some(folder) => fs::canonicalize(folder).with_context(|| folder.display().to_string())?,
        None => make(args, &input.beside("sessions"))?,
    };
    let files = files(&folder)?;
    let bytes = read_all(&files)?;
    let facts =
        Facts { path: format!("{} files in {}", files.len(), folder.display()).into(), bytes, made: None };
    let place =
        Place { program: args.naite.clone().map_or_else(program, Ok)?, folder, files, home: input.home() };
    place.check()?;
    let series = vec![
        Series::yardstick("cat"),
        Series::against("cat", "bare reads"),
        Series::against("cat", "first").target(1.5).peak_target(100.0),
        Series::against("cat", "repeated").target(1.0 / 10.0).peak_target(100.0),
    ];
    let mut report = Report::new("list", &facts, series);
    let megabyte = Megabyte::new()?;
    for _ in 0..args.runs {
        report.add_megabyte(megabyte.time());
        report.add("cat", place.cat()?, None);
        let (ms, read) = time(|| read_all(&place.files));
        read?;
        report.add("bare reads", ms, None);
        // Who watches the memory takes time from who is watched: one run for each.
        place.forget()?;
        let peak = place.peak()?;
        place.forget()?;
        report.add("first", place.list()?, peak);
        let peak = place.peak()?;
        report.add("repeated", place.list()?, peak);
    }
    report.print(args.json)
}

impl Place {
    /// `naite sessions`, which finds the files where pi would keep them.
    fn command(&self) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "ulimit -n 256 && exec \"$@\"", "sh"])
            .arg(&self.program)
            .args(["sessions", "--all", "--json", "--from", "pi"])
            .env("NAITE_HOME", &self.home)
            .env("PI_CODING_AGENT_SESSION_DIR", &self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// Every file is in the list, before and after rows are remembered.
    fn check(&self) -> anyhow::Result<()> {
        for _ in 0..2 {
            let output = self.command().stdout(Stdio::piped()).output()?;
            ensure!(output.status.success(), "naite ended with {}", output.status);
            let list: Value = serde_json::from_slice(&output.stdout)?;
            let rows = list["sessions"].as_array().map_or(0, Vec::len);
            ensure!(rows == self.files.len(), "{rows} of {} files are listed", self.files.len());
        }
        Ok(())
    }

    /// Removes the rows that were remembered.
    fn forget(&self) -> io::Result<()> {
        fs::remove_file(self.home.join("index/rows"))
    }

    /// Milliseconds of one list.
    fn list(&self) -> anyhow::Result<f64> {
        let (ms, status) = time(|| self.command().status());
        ensure!(status?.success(), "naite failed");
        Ok(ms)
    }

    /// The most memory of one list.
    fn peak(&self) -> anyhow::Result<Option<f64>> {
        let (peak, status) = watch(&mut self.command(), "")?;
        ensure!(status.success(), "naite failed");
        Ok(peak)
    }

    /// Milliseconds of one `cat` of everything.
    fn cat(&self) -> anyhow::Result<f64> {
        let (ms, status) = time(|| Command::new("cat").args(&self.files).stdout(Stdio::null()).status());
        ensure!(status?.success(), "cat failed");
        Ok(ms)
    }
}

/// Makes the files, all different.
fn make(args: &Args, folder: &Path) -> anyhow::Result<PathBuf> {
    for at in 0..args.files {
        let project = folder.join(format!("project-{}", at / IN_FOLDER));
        fs::create_dir_all(&project)?;
        let bytes = args.entries as u64 * input::ENTRY;
        let seed = args.seed + at as u64;
        let recipe = Recipe { shape: Shape::Mixed, entries: args.entries, bytes, seed, giant: 0 };
        input::write(&project.join(format!("{at:05}.jsonl")), &recipe)?;
    }
    Ok(folder.into())
}

/// The session files in a folder and in those directly below it.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut below = vec![folder.to_owned()];
    for at in 0.. {
        let Some(folder) = below.get(at) else { break };
        let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        let (sessions, others): (Vec<_>, Vec<_>) = entries
            .into_iter()
            .partition(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.extend(sessions);
        if at == 0 {
            below.extend(others.into_iter().filter(|path| path.is_dir()));
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn read_all(files: &[PathBuf]) -> io::Result<u64> {
    files.iter().try_fold(0, |sum, file| Ok(sum + fs::read(file)?.len() as u64))
}
