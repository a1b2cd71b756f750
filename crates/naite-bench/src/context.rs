//! Measures the model's context on an open session, beside parsing the same records as JSON values.

use naite_core::{Ix, context};
use naite_store::SessionManager;

use crate::input::{self, Input, Options};
use crate::measure::{own_peak, time};
use crate::report::{Report, Series};
use crate::yardstick::{self, Megabyte};

/// Places all over the session at which a context is built too.
const PLACES: usize = 32;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let input = Input::of(options)?;
    let megabyte = Megabyte::new()?;
    let mut session = input::open_to_read(&input)?;
    let leaf: Vec<Ix> = session.leaf().into_iter().collect();
    let entries: Vec<Ix> = session.tree().entries().collect();
    let places: Vec<Ix> = entries.iter().copied().step_by(entries.len() / PLACES + 1).collect();
    let series = vec![
        Series::yardstick("leaf parsed"),
        Series::against("leaf parsed", "leaf plan"),
        Series::against("leaf parsed", "leaf context"),
        Series::against("leaf parsed", "leaf for model"),
        Series::yardstick("places parsed"),
        Series::against("places parsed", "places context"),
    ];
    let mut report = Report::new("context", &input.facts, series);
    let leaf_records = records(&mut session, &leaf)?;
    let place_records = records(&mut session, &places)?;
    for _ in 0..options.runs {
        report.add_megabyte(megabyte.time());
        report.add("leaf parsed", time(|| yardstick::parse_texts(&leaf_records)).0, None);
        report.add("leaf plan", time(|| context::plan(session.tree(), session.leaf())).0, own_peak());
        report.add("leaf context", build(&mut session, &leaf)?, own_peak());
        let (ms, messages) = time(|| session.model_messages(session.leaf()));
        messages?;
        report.add("leaf for model", ms, own_peak());
        report.add("places parsed", time(|| yardstick::parse_texts(&place_records)).0, None);
        report.add("places context", build(&mut session, &places)?, own_peak());
    }
    report.print(options.json)
}

/// The texts of all records that the contexts at some places are made of.
fn records(session: &mut SessionManager, places: &[Ix]) -> naite_store::Result<Vec<String>> {
    let mut texts = Vec::new();
    for place in places {
        let plan = context::plan(session.tree(), Some(*place));
        texts.extend(session.texts(&plan.reads().collect::<Vec<_>>())?);
    }
    Ok(texts)
}

fn build(session: &mut SessionManager, places: &[Ix]) -> naite_store::Result<f64> {
    let (ms, built) =
        time(|| places.iter().try_for_each(|place| session.build_session_context(Some(*place)).map(drop)));
    built?;
    Ok(ms)
}
