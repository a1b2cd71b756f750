//! Measures appends to a new and to a long session, beside bare writes of the same lines on a kept descriptor.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use naite_store::{Access, Durability, SessionManager};

use crate::generator::{Recipe, Shape};
use crate::input::{self, Index, Input, Options};
use crate::measure::{median, own_peak, time};
use crate::report::{Report, Series};
use crate::yardstick::Megabyte;

/// Appends in each run, and how many of them reach the disk.
const APPENDS: usize = 2000;
const SYNCED: usize = 500;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let long = Input::of(options)?.writable()?;
    let new = Input::made(Recipe { shape: Shape::Mixed, entries: 10, bytes: 25_000, seed: 1, giant: 0 })?;
    let megabyte = Megabyte::new()?;
    let series = vec![
        Series::yardstick("write"),
        Series::against("write", "append, new").target(3.0),
        Series::against("write", "append, long").target(3.0),
        Series::yardstick("write+sync"),
        Series::against("write+sync", "append+sync, new").target(1.3),
        Series::against("write+sync", "append+sync, long").target(1.3),
    ];
    let mut report = Report::new("append", &long.facts, series);
    for _ in 0..options.runs {
        report.add_megabyte(megabyte.time());
        let [bare, on_new, on_long] = interleaved(&new, &long, Durability::Never, APPENDS)?;
        report.add("write", bare, None);
        report.add("append, new", on_new, own_peak());
        report.add("append, long", on_long, own_peak());
        let [bare, on_new, on_long] = interleaved(&new, &long, Durability::Always, SYNCED)?;
        report.add("write+sync", bare, None);
        report.add("append+sync, new", on_new, own_peak());
        report.add("append+sync, long", on_long, own_peak());
    }
    report.print(options.json)
}

/// The median times of one append: a bare one, to the new session, to the long one; in turns.
fn interleaved(new: &Input, long: &Input, durability: Durability, count: usize) -> anyhow::Result<[f64; 3]> {
    let mut bare = open_bare(&long.beside("bare.jsonl"))?;
    let mut new = open(new, durability)?;
    let mut long = open(long, durability)?;
    let message = message();
    let line = format!(
        r#"{{"type":"message","id":"00000000","parentId":"00000000","timestamp":"2026-03-01T09:00:00.000Z","message":{message}}}
"#
    );
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..count {
        let (ms, written) = time(|| write_bare(&mut bare, &line, durability));
        written?;
        times[0].push(ms);
        for (session, times) in [&mut new, &mut long].into_iter().zip(&mut times[1..]) {
            session.append_message(CALL)?;
            let (ms, appended) = time(|| session.append_message(&message));
            appended?;
            times.push(ms);
        }
    }
    Ok(times.map(|times| median(&times)))
}

fn open(input: &Input, durability: Durability) -> naite_store::Result<SessionManager> {
    input::open(&input.home(), input.path(), Index::With, Access::Write, durability)
}

fn open_bare(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn write_bare(file: &mut File, line: &str, durability: Durability) -> io::Result<()> {
    file.write_all(line.as_bytes())?;
    if durability == Durability::Always { file.sync_data() } else { Ok(()) }
}

/// The call that the result answers; it is appended before each, and not measured.
const CALL: &str = concat!(
    r#"{"role":"assistant","content":[{"type":"toolCall","id":"toolu_01","name":"bash","arguments":{}}],"#,
    r#""stopReason":"toolUse","timestamp":1772355600000}"#
);

/// A tool result of 1 kB, the commonest message.
fn message() -> String {
    let text = "세션 트리 read the tree of entries ".repeat(25);
    format!(
        r#"{{"role":"toolResult","toolCallId":"toolu_01","toolName":"bash","content":[{{"type":"text","text":"{text}"}}],"isError":false,"timestamp":1772355600000}}"#
    )
}
