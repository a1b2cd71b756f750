//! Measures the rows of a navigator over the whole tree, beside a bare walk over the same links.

use naite_core::outline::{Filter, Outline, shows};
use naite_core::{Ix, Tree};

use crate::input::{self, Input, Options};
use crate::measure::{own_peak, time};
use crate::report::{Report, Series};
use crate::yardstick::Megabyte;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let input = Input::of(options)?;
    let megabyte = Megabyte::new()?;
    let session = input::open_to_read(&input)?;
    let (tree, leaf) = (session.tree(), session.leaf());
    let mut series = vec![Series::yardstick("walk")];
    series.extend(Filter::CYCLE.map(|filter| Series::against("walk", filter.name())));
    let mut report = Report::new("tree", &input.facts, series);
    for _ in 0..options.runs {
        report.add_megabyte(megabyte.time());
        report.add("walk", time(|| walk(tree)).0, None);
        for filter in Filter::CYCLE {
            let (ms, _) = time(|| Outline::new(tree, leaf, |ix| shows(tree, filter, leaf, ix)));
            report.add(filter.name(), ms, own_peak());
        }
    }
    report.print(options.json)
}

/// Visits each entry once, parents before children.
fn walk(tree: &Tree) -> usize {
    let mut stack: Vec<Ix> = tree.roots().to_vec();
    let mut visited = 0;
    while let Some(ix) = stack.pop() {
        visited += 1;
        stack.extend(tree.children(ix));
    }
    visited
}
