//! Measures the navigator as a person meets it: from a key to the drawn frame, rows and texts read from the disk.

use std::time::{Duration, Instant};

use naite_core::outline::{Progress, full_text, row_text, search_text};
use naite_core::text::fold;
use naite_store::SessionManager;
use naite_tui::key::{Event, Key};
use naite_tui::navigator::{Detail, Effect, Message, Navigator, RowWords, Settings, view};
use naite_tui::{Buffer, Rect};
use serde::Serialize;

use crate::input::{self, Facts, Input, Options};
use crate::measure::{Took, busy_time, time};
use crate::report;
use crate::yardstick;

/// The window.
const SIZE: (u16, u16) = (120, 40);
/// What a frame may take, in milliseconds.
const FRAME: f64 = 16.0;
/// A search works so long before keys are looked at again, as in the product.
const SLICE: Duration = Duration::from_millis(6);
/// Bytes between two looks at the clock, as in the product.
const STEP: usize = 256 * 1024;

/// Bytes of records whose texts are made between two looks at the clock, as in the product.
const MOMENT: u64 = 256 * 1024;

/// The navigator over a session, with what the product's driver does for it.
struct Driven {
    session: SessionManager,
    navigator: Navigator,
    buffer: Buffer,
}

impl Driven {
    fn open(input: &Input) -> anyhow::Result<Self> {
        let session = input::open_to_read(input)?;
        let (navigator, effects) = Navigator::new(session.tree(), session.leaf(), Settings::default(), SIZE);
        let buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        let mut driven = Self { session, navigator, buffer };
        driven.perform(effects)?;
        driven.draw();
        Ok(driven)
    }

    fn draw(&mut self) {
        self.buffer.reset();
        view(&self.navigator, self.buffer.area, &mut self.buffer);
    }

    fn perform(&mut self, effects: Vec<Effect>) -> anyhow::Result<()> {
        for effect in effects {
            let message = match effect {
                Effect::Rows(entries) => {
                    let mut rows = Vec::new();
                    self.session.each_entry(&entries, |tree, ix, entry, caller| {
                        let label = tree.label(ix).map(str::to_owned);
                        rows.push((ix, RowWords { text: row_text(entry, caller, None), label }));
                    })?;
                    Message::Rows(rows)
                }
                Effect::Detail { entry: ix, .. } => {
                    let text = self.session.with_entry(ix, |entry| full_text(entry).join("\n"))?;
                    Message::Detail(Detail { entry: Some(ix), text, ..Detail::default() })
                }
                _ => continue,
            };
            let more = self.navigator.update(self.session.tree(), message);
            self.perform(more)?;
        }
        Ok(())
    }

    /// From a message to the frame, a slice of a search included.
    fn say(&mut self, message: Message) -> anyhow::Result<()> {
        let effects = self.navigator.update(self.session.tree(), message);
        self.perform(effects)?;
        if self.navigator.list().searching().is_some() {
            self.search(SLICE)?;
        }
        self.draw();
        Ok(())
    }

    fn search(&mut self, slice: Duration) -> anyhow::Result<()> {
        let start = Instant::now();
        while start.elapsed() < slice {
            match self.navigator.search(STEP) {
                Progress::More => {}
                Progress::Done => break,
                Progress::Wants(entries) => {
                    let mut bytes = 0;
                    let fitting = entries.iter().take_while(|ix| {
                        let fits = bytes < MOMENT;
                        bytes += u64::from(self.session.tree().head(**ix).span.len);
                        fits
                    });
                    let entries = &entries[..fitting.count()];
                    let navigator = &mut self.navigator;
                    self.session.each_entry(entries, |tree, ix, entry, caller| {
                        navigator.put_text(ix, &search_text(entry, tree.label(ix), caller, None));
                    })?;
                }
            }
        }
        let effects = self.navigator.show_found(self.session.tree());
        self.perform(effects)
    }

    /// Lets a search run to its end, slice by slice, as the product does between keys.
    fn finish_search(&mut self) -> anyhow::Result<()> {
        while self.navigator.list().searching().is_some() {
            self.search(Duration::from_millis(50))?;
            self.draw();
        }
        Ok(())
    }

    fn press(&mut self, name: &str) -> anyhow::Result<()> {
        let key =
            Key::parse(name).unwrap_or(Key::parse("esc").ok_or_else(|| anyhow::anyhow!("no key {name}"))?);
        self.say(Message::Input(Event::Key(key)))
    }
}

/// One thing that was measured.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    samples: usize,
    median_ms: f64,
    p99_ms: f64,
    /// Of the time that the thread had a processor, in ticks of the system: what the limit is held against.
    busy_p99_ms: f64,
    /// What it should stay below.
    limit_ms: Option<f64>,
    /// The yardstick, its time, and the median in units of it.
    beside: &'static str,
    beside_ms: f64,
    ratio: f64,
}

/// All of a run.
#[derive(Debug, Serialize)]
struct Whole<'a> {
    bench: &'static str,
    session: &'a Facts,
    rows: Vec<Row>,
    entries: usize,
    /// Bytes of folded text that the search looks at, of the whole state with it, and of the state before.
    text_bytes: usize,
    state_bytes: usize,
    state_bytes_without_text: usize,
}

fn row(name: &'static str, runs: &[Took], limit: f64, beside: (&'static str, f64)) -> Row {
    let at = |part: f64, of: fn(&Took) -> f64| {
        let mut sorted: Vec<f64> = runs.iter().map(of).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len()) - 1]
    };
    let median_ms = at(0.5, |took| took.all);
    Row {
        name,
        samples: runs.len(),
        median_ms,
        p99_ms: at(0.99, |took| took.all),
        busy_p99_ms: at(0.99, |took| took.busy),
        limit_ms: Some(limit),
        beside: beside.0,
        beside_ms: beside.1,
        ratio: median_ms / beside.1,
    }
}

/// The one after the other.
fn together(first: Took, then: Took) -> Took {
    Took { all: first.all + then.all, busy: first.busy + then.busy }
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let input = Input::of(options)?;
    let walk = {
        let session = input::open_to_read(&input)?;
        (
            "walk",
            (0..9)
                .map(|_| {
                    time(|| {
                        session.tree().entries().map(|ix| session.tree().children(ix).count()).sum::<usize>()
                    })
                    .0
                })
                .fold(f64::INFINITY, f64::min),
        )
    };
    yardstick::warm_up(input.path())?;
    let parse = ("parse", time(|| yardstick::parse_lines(input.path())).0);
    let mut rows = Vec::new();
    let mut driven = Driven::open(&input)?;
    let entries = driven.session.tree().heads().len();
    let samples = 40 * options.runs as usize;
    for (name, keys) in [
        ("arrow", ["up", "down", "up"]),
        ("page", ["pageup", "pagedown", "pageup"]),
        ("first and last", ["home", "end", "home"]),
        ("fold", ["alt+left", "alt+left", "alt+right"]),
        ("filter", ["ctrl+o", "ctrl+o", "ctrl+o"]),
    ] {
        let mut runs = Vec::new();
        for at in 0..samples {
            let (ms, done) = busy_time(|| driven.press(keys[at % keys.len()]));
            done?;
            runs.push(ms);
        }
        rows.push(row(name, &runs, FRAME, walk));
    }
    driven.press("alt+d")?;
    let mut runs = Vec::new();
    for at in 0..samples {
        let (ms, done) = busy_time(|| driven.say(Message::Resized(SIZE.0 - (at % 2) as u16, SIZE.1)));
        done?;
        runs.push(ms);
    }
    rows.push(row("resize", &runs, FRAME, walk));
    let state_bytes_without_text = driven.navigator.bytes();
    searches(&mut driven, samples, parse, &mut rows)?;
    let whole = Whole {
        bench: "navigator",
        session: &input.facts,
        rows,
        entries,
        text_bytes: driven.navigator.list().text_held(),
        state_bytes: driven.navigator.bytes(),
        state_bytes_without_text,
    };
    print(&whole, options.json)
}

fn searches(
    driven: &mut Driven,
    samples: usize,
    parse: (&'static str, f64),
    rows: &mut Vec<Row>,
) -> anyhow::Result<()> {
    // Cold: the first letter makes all texts be read.
    let (echo, done) = busy_time(|| driven.press("q"));
    done?;
    let (rest, done) = busy_time(|| driven.finish_search());
    done?;
    rows.push(row("first letter, echo", &[echo], FRAME, parse));
    rows.push(row("first letter, all found", &[together(echo, rest)], 2000.0, parse));
    driven.press("esc")?;
    let held = driven.navigator.list().text_held().max(1);
    let hay = "x".repeat(held);
    let scan = ("scan", time(|| memchr::memmem::find(hay.as_bytes(), fold("qzxqzx").as_bytes())).0);
    drop(hay);
    let (mut echoes, mut ends) = (Vec::new(), Vec::new());
    for _ in 0..samples.div_ceil(20) {
        for letter in ["t", "e", "s", "t", "backspace", "backspace", "backspace", "esc"] {
            let (echo, done) = busy_time(|| driven.press(letter));
            done?;
            let (rest, done) = busy_time(|| driven.finish_search());
            done?;
            echoes.push(echo);
            if letter != "esc" {
                ends.push(together(echo, rest));
            }
        }
    }
    rows.push(row("letter, echo", &echoes, FRAME, scan));
    rows.push(row("letter, all found", &ends, 100.0, scan));
    Ok(())
}

fn print(whole: &Whole<'_>, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return report::json(whole);
    }
    let cells = |row: &Row| {
        let limit = row.limit_ms.map_or_else(String::new, |limit| {
            format!("< {limit} ms {}", if row.busy_p99_ms < limit { "ok" } else { "MISSED" })
        });
        vec![
            ("", row.name.to_owned()),
            ("samples", row.samples.to_string()),
            ("median", report::duration(row.median_ms)),
            ("p99", report::duration(row.p99_ms)),
            ("p99 busy", report::duration(row.busy_p99_ms)),
            ("limit", limit),
            ("beside", format!("{} {}", row.beside, report::duration(row.beside_ms))),
            ("ratio", format!("{:.3}", row.ratio)),
        ]
    };
    let table = report::table(&whole.rows.iter().map(cells).collect::<Vec<_>>());
    let mb = |bytes: usize| bytes as f64 / 1e6;
    let ratio = whole.state_bytes as f64 / whole.text_bytes.max(1) as f64;
    report::text(&format!(
        "{}window of {} x {}; {} entries; limits are held against the time on the processor\n\n{table}\nstate {:.1} MB without texts; {:.1} MB with {:.1} MB of text to search: {ratio:.2} x (limit 1.2 x {})\n",
        report::session_line(whole.session),
        SIZE.0,
        SIZE.1,
        whole.entries,
        mb(whole.state_bytes_without_text),
        mb(whole.state_bytes),
        mb(whole.text_bytes),
        if ratio <= 1.2 { "ok" } else { "MISSED" },
    ))
}
