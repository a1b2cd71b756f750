//! Measures a list of thousands of sessions, first and repeated, beside `cat` and bare reads of the same files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::ensure;
use naite_store::{Catalog, FileStore, Fs, Owner, RealFs, RowCache};

use crate::generator::{Recipe, Shape};
use crate::input::{self, Facts, Input};
use crate::measure::{own_peak, time};
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
    #[arg(long, default_value_t = 5)]
    runs: u64,
    /// Session files.
    #[arg(long, default_value_t = 5000)]
    files: usize,
    /// Entries of each, at least.
    #[arg(long, default_value_t = 20)]
    entries: usize,
    /// Another seed gives other sessions.
    #[arg(long, default_value_t = 3)]
    seed: u64,
}

/// Runs the bench.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let input = Input::empty()?;
    let (files, facts) = make(args, &input.beside("sessions"))?;
    let megabyte = Megabyte::new()?;
    let series = vec![
        Series::yardstick("cat"),
        Series::against("cat", "bare reads"),
        Series::against("cat", "no cache").target(1.5),
        Series::against("cat", "first").target(1.5).peak_target(100.0),
        Series::against("cat", "repeated").target(1.0 / 10.0).peak_target(100.0),
    ];
    let mut report = Report::new("list", &facts, series);
    let rows = input.home().join("rows");
    read_all(&files)?;
    for _ in 0..args.runs {
        report.add_megabyte(megabyte.time());
        let (ms, ended) = time(|| cat(&files));
        ended?;
        report.add("cat", ms, None);
        let (ms, read) = time(|| read_all(&files));
        read?;
        report.add("bare reads", ms, None);
        report.add("no cache", list(&facts.path, None, files.len())?, None);
        let _ = fs::remove_file(&rows);
        report.add("first", list(&facts.path, Some(&rows), files.len())?, own_peak());
        report.add("repeated", list(&facts.path, Some(&rows), files.len())?, own_peak());
    }
    report.print(args.json)
}

/// Makes the files, all different.
fn make(args: &Args, folder: &Path) -> anyhow::Result<(Vec<PathBuf>, Facts)> {
    let mut files = Vec::with_capacity(args.files);
    let mut facts = Facts { path: folder.into(), bytes: 0, made: None };
    for at in 0..args.files {
        let project = folder.join(format!("project-{}", at / IN_FOLDER));
        fs::create_dir_all(&project)?;
        let path = project.join(format!("{at:05}.jsonl"));
        let bytes = args.entries as u64 * input::ENTRY;
        let seed = args.seed + at as u64;
        let made = input::write(
            &path,
            &Recipe { shape: Shape::Mixed, entries: args.entries, bytes, seed, giant: 0 },
        )?;
        facts.bytes += made.bytes;
        files.push(path);
    }
    Ok((files, facts))
}

/// Lists all sessions once, as a new process would: milliseconds.
fn list(folder: &Path, rows: Option<&Path>, wanted: usize) -> anyhow::Result<f64> {
    let fs: Arc<dyn Fs> = Arc::new(RealFs);
    let cache = rows.map(|rows| RowCache::new(Arc::clone(&fs), rows));
    let store = || -> Box<dyn naite_store::Store> {
        Box::new(FileStore::new(Arc::clone(&fs), folder.with_file_name("home"), Owner::default()))
    };
    let (ms, catalog) = time(|| Catalog::read(&fs, &[folder.to_owned()], cache.as_ref(), &store));
    ensure!(catalog.rows.len() == wanted && catalog.unreadable.is_empty(), "{} rows", catalog.rows.len());
    Ok(ms)
}

fn cat(files: &[PathBuf]) -> anyhow::Result<()> {
    let status = Command::new("cat").args(files).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "cat ended with {status}");
    Ok(())
}

fn read_all(files: &[PathBuf]) -> io::Result<usize> {
    files.iter().try_fold(0, |sum, file| Ok(sum + fs::read(file)?.len()))
}
