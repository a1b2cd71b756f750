//! Collects what was measured run by run and prints it: a table for people, one JSON object for programs.

use std::io::Write;

use serde::Serialize;

use crate::input::Facts;
use crate::measure::{extent, median};

/// One thing that is measured in every run.
#[derive(Debug, Default)]
pub(crate) struct Series {
    name: &'static str,
    /// The series that this one is compared with.
    yardstick: Option<&'static str>,
    /// The ratio to the yardstick that it should stay below.
    target: Option<f64>,
    /// The peak in MB that it should stay below.
    peak_target: Option<f64>,
    runs: Vec<f64>,
    peaks: Vec<f64>,
}

impl Series {
    /// A yardstick, compared with nothing.
    pub(crate) fn yardstick(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Something that is compared with a yardstick.
    pub(crate) fn against(yardstick: &'static str, name: &'static str) -> Self {
        Self { name, yardstick: Some(yardstick), ..Self::default() }
    }

    /// The ratio that it should stay below.
    pub(crate) fn target(self, ratio: f64) -> Self {
        Self { target: Some(ratio), ..self }
    }

    /// The peak memory that it should stay below.
    pub(crate) fn peak_target(self, megabytes: f64) -> Self {
        Self { peak_target: Some(megabytes), ..self }
    }
}

/// All series of a bench.
#[derive(Debug)]
pub(crate) struct Report {
    bench: &'static str,
    session: Facts,
    series: Vec<Series>,
    /// Milliseconds of parsing 1 MB in each run, where the bench measures it.
    megabytes: Vec<f64>,
}

/// One line of a report.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    yardstick: Option<&'static str>,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    /// The median of the ratios to the yardstick in the same run.
    ratio: Option<f64>,
    target: Option<f64>,
    met: Option<bool>,
    /// The median of the ratios to parsing 1 MB in the same run.
    megabytes: Option<f64>,
    /// The median of the peaks.
    peak_mb: Option<f64>,
    peak_target_mb: Option<f64>,
    peak_met: Option<bool>,
}

/// A report as a program reads it.
#[derive(Debug, Serialize)]
struct Whole<'a> {
    bench: &'static str,
    session: &'a Facts,
    runs: usize,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(bench: &'static str, session: &Facts, series: Vec<Series>) -> Self {
        Self { bench, session: session.clone(), series, megabytes: Vec::new() }
    }

    /// Adds one run of a series.
    pub(crate) fn add(&mut self, name: &str, ms: f64, peak_mb: Option<f64>) {
        if let Some(series) = self.series.iter_mut().find(|series| series.name == name) {
            series.runs.push(ms);
            series.peaks.extend(peak_mb);
        }
    }

    /// Adds what parsing 1 MB took in this run.
    pub(crate) fn add_megabyte(&mut self, ms: f64) {
        self.megabytes.push(ms);
    }

    /// Prints everything.
    pub(crate) fn print(&self, as_json: bool) -> anyhow::Result<()> {
        let rows: Vec<Row> = self.series.iter().map(|series| self.row(series)).collect();
        let runs = self.series.first().map_or(0, |series| series.runs.len());
        if as_json {
            return json(&Whole { bench: self.bench, session: &self.session, runs, rows });
        }
        let head = format!(
            "{}{runs} runs, interleaved; ratios are medians of those within a run\n\n",
            session_line(&self.session)
        );
        text(&(head + &table(&rows.iter().map(Row::cells).collect::<Vec<_>>())))
    }

    fn row(&self, series: &Series) -> Row {
        let yardstick = self.series.iter().find(|other| Some(other.name) == series.yardstick);
        let ratio = yardstick.and_then(|yardstick| ratio(&series.runs, &yardstick.runs));
        let (min_ms, max_ms) = extent(&series.runs);
        let peak_mb = (!series.peaks.is_empty()).then(|| median(&series.peaks));
        let within = |value: Option<f64>, target: Option<f64>| Some(value? <= target?);
        Row {
            name: series.name,
            yardstick: series.yardstick,
            median_ms: median(&series.runs),
            min_ms,
            max_ms,
            ratio,
            target: series.target,
            met: within(ratio, series.target),
            megabytes: ratio_of_runs(&series.runs, &self.megabytes),
            peak_mb,
            peak_target_mb: series.peak_target,
            peak_met: within(peak_mb, series.peak_target),
        }
    }
}

fn ratio_of_runs(runs: &[f64], unit: &[f64]) -> Option<f64> {
    (!unit.is_empty()).then(|| ratio(runs, unit)).flatten()
}

fn ratio(runs: &[f64], unit: &[f64]) -> Option<f64> {
    let ratios: Vec<f64> = runs.iter().zip(unit).map(|(run, unit)| run / unit).collect();
    (!ratios.is_empty()).then(|| median(&ratios))
}

impl Row {
    fn cells(&self) -> Vec<(&'static str, String)> {
        let judged = |text: String, met: Option<bool>| match met {
            Some(true) => format!("{text} ok"),
            Some(false) => format!("{text} MISSED"),
            None => text,
        };
        let shown = |value: Option<f64>, show: fn(f64) -> String| value.map_or_else(String::new, show);
        let peak = |value: f64| format!("{value:.1} MB");
        let peak_target = self.peak_target_mb.map_or_else(String::new, |target| format!("< {target} MB"));
        vec![
            ("", self.name.into()),
            ("median", duration(self.median_ms)),
            ("min", duration(self.min_ms)),
            ("max", duration(self.max_ms)),
            ("to", self.yardstick.unwrap_or_default().into()),
            ("ratio", shown(self.ratio, share)),
            ("target", judged(shown(self.target, share), self.met)),
            ("in MB parsed", shown(self.megabytes, |value| format!("{value:.4}"))),
            ("peak", shown(self.peak_mb, peak)),
            ("limit", judged(peak_target, self.peak_met)),
        ]
    }
}

/// A time in the unit that fits it.
pub(crate) fn duration(ms: f64) -> String {
    match ms {
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 1.0 => format!("{ms:.2} ms"),
        ms => format!("{:.2} us", ms * 1e3),
    }
}

/// A ratio as people say it: `1/20`, or `1.5 x`.
fn share(ratio: f64) -> String {
    if ratio >= 1.0 {
        return format!("{ratio:.2} x");
    }
    let below = 1.0 / ratio;
    if (below - below.round()).abs() < 1e-6 { format!("1/{below:.0}") } else { format!("1/{below:.1}") }
}

/// What was measured, as one line.
pub(crate) fn session_line(facts: &Facts) -> String {
    let megabytes = facts.bytes as f64 / 1e6;
    let made = match &facts.made {
        Some(made) => made.line(),
        None => facts.path.display().to_string(),
    };
    format!("session of {megabytes:.1} MB: {made}\n")
}

/// Aligns columns: the first to the left, the others to the right; a column that is empty in all rows is left out.
/// A cell is a heading and a text.
pub(crate) fn table(rows: &[Vec<(&'static str, String)>]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut lines = vec![String::new(); rows.len() + 1];
    for (column, (heading, _)) in first.iter().enumerate() {
        let texts: Vec<&str> = rows.iter().map(|row| row[column].1.as_str()).collect();
        if texts.iter().all(|text| text.is_empty()) {
            continue;
        }
        let cells: Vec<&str> = std::iter::once(*heading).chain(texts).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        for (line, cell) in lines.iter_mut().zip(cells) {
            *line += &if column == 0 { format!("{cell:width$}") } else { format!("  {cell:>width$}") };
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Prints one JSON object.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    text(&(serde_json::to_string(value)? + "\n"))
}

/// Prints text.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::{duration, share, table};

    #[test]
    fn figures_are_said_as_people_say_them() {
        assert_eq!(share(0.05), "1/20");
        assert_eq!(share(0.03), "1/33.3");
        assert_eq!(share(1.5), "1.50 x");
        assert_eq!(duration(2900.4), "2900 ms");
        assert_eq!(duration(0.0125), "12.50 us");
    }

    #[test]
    fn empty_columns_are_left_out() {
        let row = |name: &str, time: &str| {
            vec![("", name.to_owned()), ("time", time.to_owned()), ("x", String::new())]
        };
        assert_eq!(
            table(&[row("cold", "900 ms"), row("warm", "1 ms")]),
            "        time\ncold  900 ms\nwarm    1 ms\n"
        );
    }
}
