//! Measures the way from a deep leaf to its root, beside following the same links in a bare array.

use std::hint::black_box;

use naite_core::{Ix, Tree, navigate};

use crate::input::{self, Input, Options};
use crate::measure::{own_peak, time};
use crate::report::{Report, Series};
use crate::yardstick::Megabyte;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let input = Input::of(options)?;
    let megabyte = Megabyte::new()?;
    let session = input::open_to_read(&input)?;
    let tree = session.tree();
    let parents: Vec<Option<Ix>> = tree.entries().map(|ix| tree.parent(ix)).collect();
    let deepest = deepest(&parents);
    let first = tree.entries().next();
    let series = vec![
        Series::yardstick("links"),
        Series::against("links", "path"),
        Series::against("links", "common ancestor"),
        Series::against("links", "plan of a move"),
    ];
    let mut report = Report::new("path", &input.facts, series);
    for _ in 0..options.runs {
        report.add_megabyte(megabyte.time());
        // What parsing left in the caches and the allocator belongs to nobody.
        black_box((links(&parents, deepest), tree.path(deepest)));
        report.add("links", time(|| links(&parents, deepest)).0, None);
        report.add("path", time(|| tree.path(deepest)).0, own_peak());
        report.add("common ancestor", time(|| tree.common_ancestor(deepest, first)).0, own_peak());
        report.add("plan of a move", time(|| moved(tree, deepest, first)).0, own_peak());
    }
    report.print(options.json)
}

/// The entry that the most entries lie above of.
fn deepest(parents: &[Option<Ix>]) -> Option<Ix> {
    let mut depths: Vec<u32> = Vec::with_capacity(parents.len());
    for parent in parents {
        depths.push(parent.map_or(0, |parent| depths[parent.at()] + 1));
    }
    (0u32..).zip(depths).max_by_key(|(_, depth)| *depth).map(|(at, _)| Ix(at))
}

fn links(parents: &[Option<Ix>], from: Option<Ix>) -> Vec<Ix> {
    let mut path: Vec<Ix> = std::iter::successors(from, |ix| parents[ix.at()]).collect();
    path.reverse();
    path
}

fn moved(tree: &Tree, leaf: Option<Ix>, target: Option<Ix>) -> Option<navigate::Plan> {
    target.map(|target| navigate::plan(tree, leaf, target))
}
