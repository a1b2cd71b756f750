//! Measures a new session made of the path to a leaf, beside a bare durable write of the same bytes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use naite_store::{Access, Durability};

use crate::input::{self, Index, Input, Options};
use crate::measure::{own_peak, time};
use crate::report::{Report, Series};
use crate::yardstick::Megabyte;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let input = Input::of(options)?.writable()?;
    let megabyte = Megabyte::new()?;
    let series = vec![Series::yardstick("write+sync"), Series::against("write+sync", "branched")];
    let mut report = Report::new("branched", &input.facts, series);
    for _ in 0..options.runs {
        report.add_megabyte(megabyte.time());
        let mut session =
            input::open(&input.home(), input.path(), Index::With, Access::Write, Durability::Always)?;
        let leaf = session.leaf().context("a session without an entry")?;
        let (ms, branched) = time(|| session.create_branched_session(leaf));
        branched?;
        report.add("branched", ms, own_peak());
        let made = session.path().context("a session without a file")?.to_owned();
        let bytes = fs::read(&made)?;
        fs::remove_file(&made)?;
        let (ms, written) = time(|| write_bare(&input.beside("bare.jsonl"), &bytes));
        written?;
        report.add("write+sync", ms, None);
    }
    report.print(options.json)
}

fn write_bare(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}
