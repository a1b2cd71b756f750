//! The list of a navigator against one that is slow and plain: filters, folds, searches and the selection.

use std::collections::HashSet;

use naite_core::entry::iso;
use naite_core::outline::{Connector, Emptiness, Filter, List, Move, Progress, shows};
use naite_core::{Ix, Place, Tree};
use proptest::prelude::*;
use serde_json::json;

/// What an entry of a drawn session is: how far above its parent is (0: a root), who speaks, what is said, labelled.
type Drawn = (usize, u8, u8, bool);

const WORDS: [&str; 4] = ["auth", "인증", "log 인증", "Auth log"];
const QUERIES: [&str; 7] = ["a", "au", "auth", "auth log", "인증", "zzz", ""];

#[derive(Clone, Copy, Debug)]
enum Op {
    Filter(usize),
    Query(usize),
    Step(Move),
    Fold,
    Unfold,
    Toggle(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => (0..5usize).prop_map(Op::Filter),
        3 => (0..QUERIES.len()).prop_map(Op::Query),
        4 => prop::sample::select(vec![
            Move::Up, Move::Down, Move::PageUp(3), Move::PageDown(3), Move::First, Move::Last,
            Move::PreviousTurn, Move::NextTurn, Move::To(2),
        ]).prop_map(Op::Step),
        3 => Just(Op::Fold),
        2 => Just(Op::Unfold),
        1 => (0..6usize).prop_map(Op::Toggle),
    ]
}

fn session(drawn: &[Drawn]) -> Tree {
    let mut lines = vec![json!({ "type": "session", "version": 3, "id": "s", "timestamp": iso(0) })];
    for (at, (above, role, words, labelled)) in drawn.iter().enumerate() {
        let parent = (*above > 0 && *above <= at).then(|| format!("e{}", at - above));
        let time = iso(1000 * at as i64);
        let text = WORDS[usize::from(*words) % WORDS.len()];
        let entry = match role % 5 {
            0 => json!({ "type": "message", "message": { "role": "user", "content": text } }),
            1 => json!({ "type": "message", "message": { "role": "assistant", "stopReason": "stop",
                "content": [{ "type": "text", "text": text }] } }),
            2 => json!({ "type": "message", "message": { "role": "assistant", "stopReason": "toolUse",
                "content": [{ "type": "toolCall", "id": "c", "name": text, "arguments": {} }] } }),
            3 => {
                json!({ "type": "message", "message": { "role": "toolResult", "toolCallId": "c", "content": text } })
            }
            _ => json!({ "type": "custom", "customType": text }),
        };
        let mut entry = entry;
        entry["id"] = format!("e{at}").into();
        entry["parentId"] = parent.into();
        entry["timestamp"] = time.into();
        lines.push(entry);
        if *labelled {
            // The label hangs aside, so that the drawn parents stay as they are.
            lines.push(json!({ "type": "label", "id": format!("l{at}"), "parentId": format!("e{at}"),
                "timestamp": iso(1000 * at as i64), "targetId": format!("e{at}"), "label": "pin" }));
        }
    }
    let (mut tree, mut offset) = (Tree::default(), 0);
    for (line, value) in (1..).zip(lines) {
        let text = value.to_string();
        tree.line(text.as_bytes(), Place { line, offset, ended: true }, &mut &b""[..]);
        offset += text.len() as u64 + 1;
    }
    tree.settle();
    tree
}

/// The same list, made anew from its rules whenever it is asked.
struct Plain<'a> {
    tree: &'a Tree,
    texts: Vec<String>,
    filter: Filter,
    query: &'static str,
    folds: HashSet<Ix>,
    search_folds: HashSet<Ix>,
    kept: Option<Ix>,
}

impl Plain<'_> {
    fn folds(&self) -> &HashSet<Ix> {
        if self.query.is_empty() { &self.folds } else { &self.search_folds }
    }

    fn is_visible(&self, ix: Ix) -> bool {
        shows(self.tree, self.filter, self.tree.leaf(), ix)
            && self.query.split(' ').all(|word| self.texts[ix.at()].contains(word))
    }

    /// All entries, depth first, the active branch first.
    fn order(&self) -> Vec<Ix> {
        fn walk(plain: &Plain<'_>, siblings: Vec<Ix>, into: &mut Vec<Ix>) {
            let path: HashSet<Ix> = plain.tree.ancestry(plain.tree.leaf()).collect();
            let (active, others): (Vec<Ix>, Vec<Ix>) = siblings.into_iter().partition(|ix| path.contains(ix));
            for ix in active.into_iter().chain(others) {
                into.push(ix);
                walk(plain, plain.tree.children(ix).collect(), into);
            }
        }
        let mut order = Vec::new();
        walk(self, self.tree.roots().to_vec(), &mut order);
        order
    }

    fn parent(&self, ix: Ix) -> Option<Ix> {
        self.tree.ancestry(self.tree.parent(ix)).find(|ix| self.is_visible(*ix))
    }

    fn siblings(&self, ix: Ix) -> Vec<Ix> {
        let parent = self.parent(ix);
        let all = self.order().into_iter().filter(|other| self.is_visible(*other));
        all.filter(|other| self.parent(*other) == parent).collect()
    }

    fn is_folded(&self, ix: Ix) -> bool {
        let starts = self.parent(ix).is_none() || self.siblings(ix).len() > 1;
        let has_children =
            self.order().iter().any(|other| self.is_visible(*other) && self.parent(*other) == Some(ix));
        self.folds().contains(&ix) && starts && has_children
    }

    /// The outermost fold that hides a row, or the row itself.
    fn shown_as(&self, ix: Ix) -> Ix {
        let above = std::iter::successors(self.parent(ix), |ix| self.parent(*ix));
        above.filter(|ix| self.is_folded(*ix)).last().unwrap_or(ix)
    }

    fn rows(&self) -> Vec<(Ix, u32, Connector)> {
        let visible = self.order().into_iter().filter(|ix| self.is_visible(*ix));
        let shown = visible.filter(|ix| self.shown_as(*ix) == *ix);
        shown
            .map(|ix| {
                let level = std::iter::successors(Some(ix), |ix| self.parent(*ix))
                    .filter(|ix| self.parent(*ix).is_some() && self.siblings(*ix).len() > 1)
                    .count();
                let siblings = self.siblings(ix);
                let connector = match self.parent(ix) {
                    None => Connector::None,
                    Some(_) if siblings.len() == 1 => Connector::None,
                    Some(_) if siblings.last() == Some(&ix) => Connector::Last,
                    Some(_) => Connector::Middle,
                };
                (ix, level as u32, connector)
            })
            .collect()
    }

    /// Where the selection is: on what it stands for, its nearest visible ancestor, or the nearest row.
    fn selection(&self) -> Option<Ix> {
        let order = self.order();
        let visible: Vec<Ix> = order.iter().copied().filter(|ix| self.is_visible(*ix)).collect();
        let ancestor = self.tree.ancestry(self.kept).find(|ix| self.is_visible(*ix));
        let place = |ix: Ix| order.iter().position(|other| *other == ix);
        let from = self.kept.and_then(place).unwrap_or(0);
        // What stands above is a step nearer than what stands as far below it.
        let distance = |ix: &Ix| {
            let at = place(*ix).unwrap_or(0);
            if at < from { (from - at, 0) } else { (at - from, 1) }
        };
        ancestor.or_else(|| visible.into_iter().min_by_key(distance)).map(|ix| self.shown_as(ix))
    }
}

/// Lets the search run to its end, in small steps, with texts as they are asked for.
fn search(list: &mut List, plain: &Plain<'_>) {
    loop {
        match list.search(70) {
            Progress::More => {}
            Progress::Wants(entries) => {
                assert!(!entries.is_empty());
                for ix in entries {
                    list.put_text(ix, &plain.texts[ix.at()]);
                }
            }
            Progress::Done => break,
        }
    }
    list.show_found(plain.tree);
}

fn compare(list: &List, plain: &Plain<'_>) -> Result<(), TestCaseError> {
    let rows: Vec<_> = (0..list.len())
        .filter_map(|place| list.row(place).map(|row| (row.ix, row.level, row.connector)))
        .collect();
    prop_assert_eq!(rows, plain.rows());
    prop_assert_eq!(list.selection(), plain.selection());
    for place in 0..list.len() {
        let ix = list.row(place).map(|row| row.ix);
        prop_assert_eq!(list.hidden(place).is_some(), ix.is_some_and(|ix| plain.is_folded(ix)));
    }
    for rows in 1..9 {
        let window = list.window(rows);
        prop_assert!(window.len() == rows.min(list.len()));
        prop_assert!(list.is_empty() || window.contains(&list.selected()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_list_is_what_its_rules_say(
        drawn in prop::collection::vec((0..4usize, 0..5u8, 0..4u8, prop::bool::weighted(0.15)), 1..24),
        ops in prop::collection::vec(op(), 1..24),
    ) {
        let tree = session(&drawn);
        let texts = (0..tree.heads().len() as u32).map(|at| {
            let id = tree.id(Ix(at));
            let number: usize = id[1..].parse().unwrap_or(0);
            WORDS[usize::from(drawn[number].2) % WORDS.len()].to_lowercase()
        });
        let mut plain = Plain {
            tree: &tree, texts: texts.collect(), filter: Filter::Default, query: "",
            folds: HashSet::new(), search_folds: HashSet::new(), kept: tree.leaf(),
        };
        let mut list = List::new(&tree, tree.leaf(), Filter::Default);
        let last = plain.rows().last().map(|row| row.0);
        if !tree.ancestry(tree.leaf()).any(|ix| plain.is_visible(ix)) {
            prop_assert_eq!(list.selection(), last, "the last row where nothing of the path is shown");
            plain.kept = last.or(plain.kept);
        }
        compare(&list, &plain)?;
        for op in ops {
            let before = plain.selection();
            match op {
                Op::Filter(at) => {
                    plain.kept = before.or(plain.kept);
                    plain.filter = Filter::CYCLE[at];
                    list.set_filter(&tree, plain.filter);
                    search(&mut list, &plain);
                }
                Op::Query(at) => {
                    plain.kept = before.or(plain.kept);
                    (plain.query, plain.search_folds) = (QUERIES[at], HashSet::new());
                    list.set_query(&tree, plain.query);
                    search(&mut list, &plain);
                }
                Op::Step(movement) => {
                    list.go(&tree, movement);
                    plain.kept = list.selection().or(plain.kept);
                    let rows = plain.rows();
                    let place = |ix: Option<Ix>| rows.iter().position(|row| Some(row.0) == ix);
                    if let (Some(from), Some(to)) = (place(before), place(list.selection())) {
                        match movement {
                            Move::Up => prop_assert_eq!(to, (from + rows.len() - 1) % rows.len()),
                            Move::Down => prop_assert_eq!(to, (from + 1) % rows.len()),
                            Move::First => prop_assert_eq!(to, 0),
                            Move::Last => prop_assert_eq!(to + 1, rows.len()),
                            Move::PageUp(by) => prop_assert_eq!(to, from.saturating_sub(by)),
                            Move::PageDown(by) => prop_assert_eq!(to, (from + by).min(rows.len() - 1)),
                            Move::To(at) => prop_assert_eq!(to, at.min(rows.len() - 1)),
                            Move::PreviousTurn => prop_assert!(to <= from),
                            Move::NextTurn => prop_assert!(to >= from),
                        }
                    }
                }
                Op::Fold | Op::Unfold | Op::Toggle(_) => {
                    let places: Vec<Option<Ix>> = (0..list.len()).map(|place| list.row(place).map(|row| row.ix)).collect();
                    let folded: Vec<bool> = (0..list.len()).map(|place| list.hidden(place).is_some()).collect();
                    match op {
                        Op::Fold => list.fold_or_up(),
                        Op::Unfold => list.unfold_or_down(),
                        Op::Toggle(place) => list.toggle_fold(place),
                        _ => {}
                    }
                    // Which fold changed is seen from outside; that the rows are right then is compared below.
                    for (ix, was) in places.into_iter().zip(folded) {
                        let Some(ix) = ix else { continue };
                        let now = (0..list.len()).find(|place| list.row(*place).is_some_and(|row| row.ix == ix));
                        // A row that a new fold above it hides keeps its own fold.
                        let Some(now) = now else { continue };
                        let is = list.hidden(now).is_some();
                        let folds = if plain.query.is_empty() { &mut plain.folds } else { &mut plain.search_folds };
                        match (was, is) {
                            (false, true) => drop(folds.insert(ix)),
                            (true, false) => drop(folds.remove(&ix)),
                            _ => {}
                        }
                    }
                    plain.kept = list.selection().or(plain.kept);
                }
            }
            compare(&list, &plain)?;
        }
    }
}

#[test]
fn an_empty_result_says_why_and_keeps_the_selection() {
    let tree = session(&[(0, 0, 0, false), (1, 1, 1, false), (1, 0, 2, false)]);
    let mut list = List::new(&tree, tree.leaf(), Filter::Default);
    let selected = list.selection();
    list.set_filter(&tree, Filter::LabeledOnly);
    assert_eq!(list.emptiness(), Some(Emptiness::Filter));
    list.set_query(&tree, "auth");
    assert_eq!(list.emptiness(), Some(Emptiness::Searching));
    assert_eq!(list.search(1000), Progress::Done);
    assert_eq!(list.emptiness(), Some(Emptiness::Search));
    list.set_query(&tree, "");
    list.set_filter(&tree, Filter::Default);
    assert_eq!(list.selection(), selected);
    assert_eq!(List::new(&Tree::default(), None, Filter::All).emptiness(), Some(Emptiness::Session));
}

#[test]
fn matches_come_nearest_first() {
    let tree = session(&vec![(1, 0, 0, false); 1001]);
    let mut list = List::new(&tree, tree.leaf(), Filter::Default);
    list.go(&tree, Move::To(500));
    list.set_query(&tree, "auth");
    let Progress::Wants(first) = list.search(1) else { panic!("nothing is loaded yet") };
    assert!(first.iter().all(|ix| ix.0.abs_diff(500) <= 64), "{first:?}");
    first.iter().for_each(|ix| list.put_text(*ix, "auth"));
    list.search(20 * 68);
    list.show_found(&tree);
    assert!((19..23).contains(&list.len()), "{}", list.len());
    let found: Vec<u32> = (0..list.len()).filter_map(|place| list.row(place)).map(|row| row.ix.0).collect();
    assert!(found.iter().all(|at| at.abs_diff(500) <= 11), "{found:?}");
    assert_eq!(list.selection(), Some(Ix(500)));
}
