//! Which sessions are listed and in what order: scope, search, sort, pins, threads.

use std::cmp::{Ordering, Reverse};

use naite_core::text::fold;

use super::{Agent, Row};

/// Which sessions are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those of the folder in which the picker was started.
    #[default]
    Here,
    /// All.
    Everywhere,
    /// Those of one program.
    Of(Agent),
}

impl Scope {
    /// The order in which a key goes through them.
    pub const CYCLE: [Self; 6] = [
        Self::Here,
        Self::Everywhere,
        Self::Of(Agent::Naite),
        Self::Of(Agent::Pi),
        Self::Of(Agent::Omp),
        Self::Of(Agent::ClaudeCode),
    ];

    /// Says whether a session belongs to it.
    pub fn has(self, row: &Row) -> bool {
        match self {
            Self::Here => row.is_here,
            Self::Everywhere => true,
            Self::Of(agent) => row.agent == agent,
        }
    }

    pub(super) fn step(self, by: usize) -> Self {
        let at = Self::CYCLE.iter().position(|known| *known == self).unwrap_or(0);
        Self::CYCLE[(at + by) % Self::CYCLE.len()]
    }
}

/// What comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// What was active last.
    #[default]
    Time,
    /// What is largest.
    Size,
    /// By name, else first prompt; those with neither last.
    Name,
}

impl Sort {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Time => Self::Size,
            Self::Size => Self::Name,
            Self::Name => Self::Time,
        }
    }
}

/// A session of the list: which row, and how deep in its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The place among all rows.
    pub row: usize,
    /// How many listed sessions it descends from.
    pub depth: usize,
}

/// Puts the rows that `shows` lets through in order. A thread stands where the first of its sessions would stand
/// alone, and a session below its nearest ancestor that is listed. `parents` must have no circle.
pub fn listed(
    rows: &[Row],
    parents: &[Option<usize>],
    sort: Sort,
    threads: bool,
    shows: impl Fn(usize) -> bool,
    is_pinned: impl Fn(&Row) -> bool,
) -> Vec<Listed> {
    let titles: Vec<String> = match sort {
        Sort::Name => rows.iter().map(|row| fold(row.title().unwrap_or_default()).into_owned()).collect(),
        Sort::Time | Sort::Size => Vec::new(),
    };
    let pinned: Vec<bool> = rows.iter().map(is_pinned).collect();
    let compare = |a: usize, b: usize| -> Ordering {
        let by_sort = match sort {
            Sort::Time => rows[b].active.cmp(&rows[a].active),
            Sort::Size => rows[b].bytes.cmp(&rows[a].bytes),
            Sort::Name => (titles[a].is_empty(), &titles[a]).cmp(&(titles[b].is_empty(), &titles[b])),
        };
        let by_time =
            || (Reverse(rows[a].active), &rows[a].file).cmp(&(Reverse(rows[b].active), &rows[b].file));
        pinned[b].cmp(&pinned[a]).then(by_sort).then_with(by_time)
    };
    let mut order: Vec<usize> = (0..rows.len()).filter(|row| shows(*row)).collect();
    order.sort_unstable_by(|a, b| compare(*a, *b));
    if !threads {
        return order.into_iter().map(|row| Listed { row, depth: 0 }).collect();
    }
    thread(rows.len(), &order, parents)
}

/// Lays sorted rows out as threads.
fn thread(rows: usize, order: &[usize], parents: &[Option<usize>]) -> Vec<Listed> {
    let mut is_shown = vec![false; rows];
    for row in order {
        is_shown[*row] = true;
    }
    let above = nearest(parents, &is_shown);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); rows];
    let mut roots = Vec::new();
    // The first row of a thread brings all of its ancestors, and each of them before what stands behind it.
    let mut is_placed = vec![false; rows];
    for row in order {
        let mut at = *row;
        while !is_placed[at] {
            is_placed[at] = true;
            match above[at] {
                Some(parent) => {
                    children[parent].push(at);
                    at = parent;
                }
                None => roots.push(at),
            }
        }
    }
    let mut list = Vec::with_capacity(order.len());
    let mut waiting: Vec<Listed> = roots.into_iter().rev().map(|row| Listed { row, depth: 0 }).collect();
    while let Some(next) = waiting.pop() {
        list.push(next);
        let below = children[next.row].iter().rev();
        waiting.extend(below.map(|row| Listed { row: *row, depth: next.depth + 1 }));
    }
    list
}

/// The nearest ancestor that is shown, of every row. Each way up is walked once.
fn nearest(parents: &[Option<usize>], is_shown: &[bool]) -> Vec<Option<usize>> {
    let mut known: Vec<Option<Option<usize>>> = vec![None; parents.len()];
    let mut way = Vec::new();
    for start in 0..parents.len() {
        let mut at = start;
        // What stands above `at`, once that is clear.
        let found = loop {
            if let Some(known) = known[at] {
                break known;
            }
            way.push(at);
            match parents[at] {
                None => break None,
                Some(parent) if is_shown[parent] => break Some(parent),
                Some(parent) => at = parent,
            }
        };
        for row in way.drain(..) {
            known[row] = Some(found);
        }
    }
    known.into_iter().map(Option::flatten).collect()
}

/// Cuts circles among parents: the link that closes one is left out.
pub(super) fn cut_circles(parents: &mut [Option<usize>]) {
    // 0: not looked at; else the number of the way on which it was met.
    let mut met = vec![0usize; parents.len()];
    for start in 0..parents.len() {
        let mut at = start;
        while met[at] == 0 {
            met[at] = start + 1;
            match parents[at] {
                Some(parent) if met[parent] == start + 1 => parents[at] = None,
                Some(parent) => at = parent,
                None => {}
            }
        }
    }
}
