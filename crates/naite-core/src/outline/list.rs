//! The list of a navigator as a value: filter, search, folds, selection and the rows that are left (`TreeList`).
//!
//! Every key costs at most one pass over the entries; what moves the selection alone costs nothing that grows with the
//! session. Texts come from outside, when [`Progress::Wants`] asks for them.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::bits::Bits;
use super::find::{Find, Progress, Texts};
use super::rows::{Filter, Order, Outline, Row, passes};
use crate::entry::{Kind, Role};
use crate::heads::Ix;
use crate::text::Needles;
use crate::tree::Tree;

/// A movement of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// One row up; from the first to the last.
    Up,
    /// One row down; from the last to the first.
    Down,
    /// So many rows up.
    PageUp(usize),
    /// So many rows down.
    PageDown(usize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// To the turn of the user or the assistant before.
    PreviousTurn,
    /// To the turn of the user or the assistant behind.
    NextTurn,
    /// To the row at a place.
    To(usize),
}

/// Why no row is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// The session has no entry.
    Session,
    /// The filter shows none.
    Filter,
    /// No entry holds all words.
    Search,
    /// None was found yet.
    Searching,
}

type Folds = HashSet<Ix, FixedState>;

/// The list.
#[derive(Clone, Debug, Default)]
pub struct List {
    leaf: Option<Ix>,
    order: Order,
    filter: Filter,
    passing: Bits,
    labelled: Bits,
    outline: Outline,
    folds: Folds,
    /// Folds made while a search is shown; a search opens all others.
    search_folds: Folds,
    /// Rows that no fold hides; empty if there is no fold, and then every row is shown.
    unfolded: Vec<u32>,
    any_fold: bool,
    find: Find,
    texts: Texts,
    /// The entry that the selection stands for: kept while it is not shown.
    kept: Option<Ix>,
    selected: usize,
}

impl List {
    /// The list of a session, the selection on the leaf.
    pub fn new(tree: &Tree, leaf: Option<Ix>, filter: Filter) -> Self {
        let mut list = Self { filter, kept: leaf, ..Self::default() };
        list.take_in(tree, leaf);
        // Nothing of the path to the leaf is shown: the last row.
        if list.outline.nearest(leaf).is_none() {
            list.select(list.len().saturating_sub(1));
        }
        list
    }

    /// Takes in a tree that changed: grew, lost its leaf to another entry, or got other labels. The selection stays.
    pub fn take_in(&mut self, tree: &Tree, leaf: Option<Ix>) {
        self.leaf = leaf;
        self.order = Order::new(tree, leaf);
        self.labelled.clear();
        for (target, _) in tree.heads().labels() {
            if let Some(ix) = tree.find(target) {
                self.labelled.add(ix);
            }
        }
        self.refilter(tree);
    }

    /// Starts over with a tree that has nothing to do with the one before; entries are found again by `find`.
    pub fn replace(&mut self, tree: &Tree, leaf: Option<Ix>, kept: Option<Ix>) {
        (self.folds, self.search_folds) = (Folds::default(), Folds::default());
        self.texts.clear();
        self.find.forget_misses();
        self.kept = kept;
        self.take_in(tree, leaf);
    }

    fn refilter(&mut self, tree: &Tree) {
        self.passing.clear();
        for ix in self.order.entries() {
            let is_leaf = self.leaf == Some(*ix);
            if passes(tree.head(*ix), self.filter, is_leaf, || self.labelled.has(*ix)) {
                self.passing.add(*ix);
            }
        }
        self.find.restart(self.origin());
        self.lay(tree);
    }

    /// Lays out the rows again: what passes the filter and the search, as far as that got.
    fn lay(&mut self, tree: &Tree) {
        let Self { outline, order, passing, find, .. } = self;
        let is_searching = !find.is_empty();
        outline.lay(tree, order, |ix| passing.has(ix) && (!is_searching || find.hits.has(ix)));
        self.fold_up();
        self.settle();
    }

    fn active_folds(&self) -> &Folds {
        if self.find.is_empty() { &self.folds } else { &self.search_folds }
    }

    /// Finds the rows that no fold hides.
    fn fold_up(&mut self) {
        let mut shown = core::mem::take(&mut self.unfolded);
        shown.clear();
        let folds = self.active_folds();
        let any_fold = folds.iter().any(|ix| self.folded_row(*ix).is_some());
        if any_fold {
            let mut at = 0;
            while at < self.outline.rows().len() {
                shown.push(at as u32);
                at += if self.is_folded(at) { self.outline.size(at) } else { 1 };
            }
        }
        (self.unfolded, self.any_fold) = (shown, any_fold);
    }

    fn folded_row(&self, ix: Ix) -> Option<usize> {
        self.outline.row_of(ix).filter(|row| self.outline.can_fold(*row))
    }

    /// Puts the selection on what it stands for, or on the nearest ancestor that is shown, else the nearest row.
    fn settle(&mut self) {
        let row = self.outline.nearest(self.kept).or_else(|| self.nearest_in_order());
        self.selected = row.map_or(0, |row| self.place_of(row));
    }

    /// The row that is nearest in row order to what the selection stands for.
    fn nearest_in_order(&self) -> Option<usize> {
        let rows = self.outline.rows();
        let from = self.origin();
        let entries = self.order.entries();
        let above = entries[..from.min(entries.len())].iter().rev().zip(1usize..);
        let below = entries[from.min(entries.len())..].iter().zip(0usize..);
        let first = |mut side: &mut dyn Iterator<Item = (&Ix, usize)>| {
            (&mut side).find_map(|(ix, steps)| Some((steps, self.outline.row_of(*ix)?)))
        };
        if rows.is_empty() {
            return None;
        }
        let (above, below) = (first(&mut { above }), first(&mut { below }));
        above.into_iter().chain(below).min_by_key(|(steps, _)| *steps).map(|(_, row)| row)
    }

    /// Where in the row order the selection stands.
    fn origin(&self) -> usize {
        let kept = self.kept;
        self.order.entries().iter().position(|ix| Some(*ix) == kept).unwrap_or(0)
    }

    /// The place of a row among those that are shown, or of the fold that hides it.
    fn place_of(&self, row: usize) -> usize {
        if !self.any_fold {
            return row;
        }
        self.unfolded.partition_point(|shown| *shown as usize <= row).saturating_sub(1)
    }

    /// The row at a place.
    fn row_at(&self, place: usize) -> Option<usize> {
        if !self.any_fold {
            return (place < self.outline.rows().len()).then_some(place);
        }
        self.unfolded.get(place).map(|row| *row as usize)
    }

    /// How many rows are shown.
    pub fn len(&self) -> usize {
        if self.any_fold { self.unfolded.len() } else { self.outline.rows().len() }
    }

    /// Says whether no row is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Why no row is shown; `None` if one is.
    pub fn emptiness(&self) -> Option<Emptiness> {
        if !self.is_empty() {
            return None;
        }
        Some(match (self.order.entries().is_empty(), self.find.is_empty(), self.find.is_done()) {
            (true, ..) => Emptiness::Session,
            (_, true, _) => Emptiness::Filter,
            (_, false, true) => Emptiness::Search,
            (_, false, false) => Emptiness::Searching,
        })
    }

    /// All rows with what hangs how; [`Self::outline_row`] leads there.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The row at a place, as a place in [`Self::outline`].
    pub fn outline_row(&self, place: usize) -> Option<usize> {
        self.row_at(place)
    }

    /// The row at a place.
    pub fn row(&self, place: usize) -> Option<&Row> {
        self.row_at(place).map(|row| &self.outline.rows()[row])
    }

    /// How many rows the row at a place hides; `None` if it is not folded.
    pub fn hidden(&self, place: usize) -> Option<usize> {
        let row = self.row_at(place)?;
        self.is_folded(row).then(|| self.outline.size(row) - 1)
    }

    fn is_folded(&self, row: usize) -> bool {
        self.active_folds().contains(&self.outline.rows()[row].ix) && self.outline.can_fold(row)
    }

    /// Where the selection is.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// The entry that is selected; `None` if no row is shown.
    pub fn selection(&self) -> Option<Ix> {
        self.row(self.selected).map(|row| row.ix)
    }

    /// The leaf as the list knows it.
    pub fn leaf(&self) -> Option<Ix> {
        self.leaf
    }

    /// The filter.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// The query.
    pub fn query(&self) -> &str {
        &self.find.query
    }

    /// The words that are looked for.
    pub fn needles(&self) -> &Needles {
        self.find.needles()
    }

    /// The rows of a window of so many rows, centred on the selection.
    pub fn window(&self, rows: usize) -> Range<usize> {
        let last_start = self.len().saturating_sub(rows);
        let start = self.selected.saturating_sub(rows / 2).min(last_start);
        start..(start + rows).min(self.len())
    }

    /// How far the search is: entries looked at and entries there are; `None` if it is done or none is on.
    pub fn searching(&self) -> Option<(usize, usize)> {
        let on = !self.find.is_empty() && !self.find.is_done();
        on.then(|| (self.find.looked_at(&self.order), self.order.entries().len()))
    }

    fn select(&mut self, place: usize) {
        self.selected = place;
        self.kept = self.row(place).map(|row| row.ix).or(self.kept);
    }

    /// Selects an entry, or its nearest ancestor that is shown.
    pub fn select_entry(&mut self, ix: Ix) {
        if let Some(row) = self.outline.nearest(Some(ix)) {
            self.select(self.place_of(row));
        }
    }

    /// Moves the selection.
    pub fn go(&mut self, tree: &Tree, movement: Move) {
        let Some(last) = self.len().checked_sub(1) else { return };
        let at = self.selected;
        let is_turn = |place: &usize| {
            let head = self.row(*place).map(|row| tree.head(row.ix));
            head.is_some_and(|head| {
                head.kind == Kind::Message && matches!(head.role, Role::User | Role::Assistant)
            })
        };
        let place = match movement {
            Move::Up => at.checked_sub(1).unwrap_or(last),
            Move::Down => {
                if at == last {
                    0
                } else {
                    at + 1
                }
            }
            Move::PageUp(rows) => at.saturating_sub(rows.max(1)),
            Move::PageDown(rows) => at.saturating_add(rows.max(1)).min(last),
            Move::First => 0,
            Move::Last => last,
            Move::PreviousTurn => (0..at).rev().find(is_turn).unwrap_or(at),
            Move::NextTurn => (at + 1..=last).find(is_turn).unwrap_or(at),
            Move::To(place) => place.min(last),
        };
        self.select(place);
    }

    /// Makes what is selected now the entry that the selection stands for.
    fn stand(&mut self) {
        // While a search still runs, the row that it got to is no choice of the person.
        if self.find.is_empty() || self.find.is_done() {
            self.kept = self.selection().or(self.kept);
        }
    }

    /// Shows something else. The selection stays, or goes to its nearest ancestor that is shown.
    pub fn set_filter(&mut self, tree: &Tree, filter: Filter) {
        self.stand();
        self.filter = filter;
        self.refilter(tree);
    }

    /// Looks for the words of a query; an empty one shows everything again. [`Self::search`] makes it go on.
    pub fn set_query(&mut self, tree: &Tree, query: &str) {
        self.stand();
        self.search_folds = Folds::default();
        let origin = self.origin();
        self.find.start(query, origin);
        self.lay(tree);
    }

    /// Looks at about `budget` more bytes. [`Self::show_found`] shows what was found.
    pub fn search(&mut self, budget: usize) -> Progress {
        let Self { find, order, texts, passing, .. } = self;
        if find.is_empty() {
            return Progress::Done;
        }
        find.step(order, texts, |ix| passing.has(ix), budget)
    }

    /// Shows what was found since.
    pub fn show_found(&mut self, tree: &Tree) {
        self.lay(tree);
    }

    /// Takes in the text by which an entry is found.
    pub fn put_text(&mut self, ix: Ix, folded: &str) {
        self.texts.put(ix, folded);
    }

    /// Forgets the text of an entry whose words changed.
    pub fn forget_text(&mut self, ix: Ix) {
        self.texts.forget(ix);
        self.find.reconsider(ix);
    }

    /// Folds the selected row, or goes up to the start of its branch.
    pub fn fold_or_up(&mut self) {
        let Some(row) = self.row_at(self.selected) else { return };
        if self.outline.can_fold(row) && !self.is_folded(row) {
            self.set_fold(row, true);
            return;
        }
        let mut above = self.outline.parent(row);
        while let Some(at) = above.filter(|at| !self.outline.starts_branch(*at)) {
            above = self.outline.parent(at);
        }
        if let Some(start) = above {
            self.select(self.place_of(start));
        }
    }

    /// Unfolds the selected row, or goes down to the next branch point, or to the end of the branch.
    pub fn unfold_or_down(&mut self) {
        let Some(row) = self.row_at(self.selected) else { return };
        if self.is_folded(row) {
            self.set_fold(row, false);
            return;
        }
        let mut at = row;
        while self.outline.children(at) > 0 && !self.is_folded(at) {
            at += 1;
            if self.outline.children(at) != 1 {
                break;
            }
        }
        self.select(self.place_of(at));
    }

    /// Folds or unfolds the row at a place, if it can be folded.
    pub fn toggle_fold(&mut self, place: usize) {
        if let Some(row) = self.row_at(place).filter(|row| self.outline.can_fold(*row)) {
            let folded = self.is_folded(row);
            self.set_fold(row, !folded);
        }
    }

    fn set_fold(&mut self, row: usize, folded: bool) {
        let ix = self.outline.rows()[row].ix;
        let folds = if self.find.is_empty() { &mut self.folds } else { &mut self.search_folds };
        if folded {
            folds.insert(ix);
        } else {
            folds.remove(&ix);
        }
        let selected = self.row_at(self.selected);
        self.fold_up();
        // A selection inside the fold goes to the row that was folded.
        let place = selected.map_or(0, |row| self.place_of(row));
        self.select(place);
    }

    /// Bytes of text that can be searched.
    pub fn text_held(&self) -> usize {
        self.texts.held()
    }

    /// Bytes of memory that the list takes, texts included.
    pub fn bytes(&self) -> usize {
        let folds = (self.folds.capacity() + self.search_folds.capacity()) * 8;
        self.order.bytes()
            + self.outline.bytes()
            + self.passing.bytes()
            + self.labelled.bytes()
            + self.unfolded.capacity() * 4
            + self.find.bytes()
            + self.texts.bytes()
            + folds
            + size_of::<String>()
    }
}
