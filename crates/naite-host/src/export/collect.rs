//! A session read into a [`Conversation`]; the only step that reads files, and the one that masks.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use naite_context::mask;
use naite_core::entry::{Entry, Header};
use naite_core::outline::{Caller, Connector, Filter, Outline, caller, gutter, row_text, shows};
use naite_core::text::{one_line, printable};
use naite_core::{Ix, Tree};
use naite_store::{Result, SessionManager};

use super::{Conversation, Row, Turn};

/// Deeper branches are drawn with a `…` instead of their outer connectors: columns for those.
const GUTTER: usize = 72;

/// Which entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// From the root to this entry; `None` is the state before the first one.
    Branch(Option<Ix>),
    /// All of them.
    Whole,
}

/// What to export, and how.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Which entries.
    pub scope: Scope,
    /// Hide secrets.
    pub mask: bool,
    /// The user's home folder, shown as `~` in rows.
    pub home: Option<&'a str>,
}

/// Reads a branch or the whole tree.
pub fn collect(session: &mut SessionManager, choice: &Choice<'_>) -> Result<Conversation> {
    let leaf = match choice.scope {
        Scope::Branch(leaf) => leaf,
        Scope::Whole => session.leaf(),
    };
    let order = order(session.tree(), choice.scope, leaf);
    let mut texts = HashMap::with_capacity(order.len());
    session.each_text(order.clone(), |_, ix, text| {
        texts.insert(ix, hide(choice.mask, text, mask::mask_json));
    })?;
    let tree = session.tree();
    let places: HashMap<Ix, usize> = order.iter().copied().zip(0..).collect();
    let line = |text: &str| one_line(&hide(choice.mask, text, mask::mask)).into_owned();
    let header = session.header();
    let mut all = Conversation {
        name: session.session_name().map(line),
        session: line(session.session_id()),
        folder: header.and_then(|header| header.cwd.as_deref()).map(line),
        created: header.map(|header: &Header| line(&header.timestamp)).filter(|time| !time.is_empty()),
        leaf: leaf.map(|leaf| line(tree.id(leaf))),
        whole: choice.scope == Scope::Whole,
        masked: choice.mask,
        turns: order.iter().map(|ix| turn(tree, *ix, &texts, &places, choice)).collect(),
        rows: rows(tree, leaf, &places),
        answered: answered(tree, &order),
    };
    for ix in tree.path(leaf) {
        all.turns[places[&ix]].active = true;
    }
    Ok(all)
}

/// The entries in the order of the document: root to leaf, or depth first with the active branch in front.
fn order(tree: &Tree, scope: Scope, leaf: Option<Ix>) -> Vec<Ix> {
    match scope {
        Scope::Branch(_) => tree.path(leaf),
        Scope::Whole => Outline::new(tree, leaf, |_| true).rows().iter().map(|row| row.ix).collect(),
    }
}

fn answered(tree: &Tree, order: &[Ix]) -> HashSet<String> {
    let results = order.iter().filter(|ix| caller(tree, **ix).is_some());
    results.flat_map(|ix| tree.heads().calls(*ix)).map(String::from).collect()
}

fn hide(masked: bool, text: &str, by: impl Fn(&str) -> Cow<'_, str>) -> String {
    if masked { by(text).into_owned() } else { text.into() }
}

fn entry<'a>(tree: &Tree, ix: Ix, text: &'a str) -> Entry<'a> {
    let head = tree.head(ix);
    naite_core::codec::entry(text, tree.heads().entry_id(ix), None, (head.kind, head.role, head.at))
}

fn turn(
    tree: &Tree,
    ix: Ix,
    texts: &HashMap<Ix, String>,
    places: &HashMap<Ix, usize>,
    choice: &Choice<'_>,
) -> Turn {
    let text = texts.get(&ix).map_or("", String::as_str);
    let head = tree.head(ix);
    let call = caller(tree, ix).and_then(|assistant| {
        let name = tree.heads().calls(ix).next()?;
        Caller::find(&entry(tree, assistant, texts.get(&assistant)?), name)
    });
    let line = |text: &str| one_line(&hide(choice.mask, text, mask::mask)).into_owned();
    Turn {
        id: line(tree.id(ix)),
        parent: tree.parent(ix).and_then(|parent| places.get(&parent).copied()),
        kind: head.kind,
        role: head.role,
        at: head.at,
        model: tree.heads().model(ix).map(|model| line(&format!("{}/{}", model.provider, model.model_id))),
        label: tree.label(ix).map(line),
        active: false,
        words: row_text(&entry(tree, ix, text), call.as_ref(), choice.home),
        call,
        raw: text.into(),
    }
}

/// The rows of the default view.
fn rows(tree: &Tree, leaf: Option<Ix>, places: &HashMap<Ix, usize>) -> Vec<Row> {
    let is_row = |ix: Ix| places.contains_key(&ix) && shows(tree, Filter::Default, leaf, ix);
    let outline = Outline::new(tree, leaf, is_row);
    let starts_branch = |at: usize| {
        let row = outline.rows()[at];
        row.connector != Connector::None || !tree.ancestry(tree.parent(row.ix)).any(is_row)
    };
    let mut rows: Vec<Row> = Vec::with_capacity(outline.rows().len());
    // Branches that are still open, outermost first: each ends before a row that is no deeper and starts another.
    let mut open: Vec<usize> = Vec::new();
    for (at, row) in outline.rows().iter().enumerate() {
        if starts_branch(at) {
            while let Some(start) = open.pop_if(|start| rows[*start].level >= row.level) {
                rows[start].folds_to = (at > start + 1).then_some(at - 1);
            }
            open.push(at);
        }
        let gutter = gutter(&outline, at, Some(GUTTER)).text;
        rows.push(Row { turn: places[&row.ix], gutter, level: row.level, folds_to: None });
    }
    let last = rows.len().saturating_sub(1);
    for start in open {
        rows[start].folds_to = (last > start).then_some(last);
    }
    rows
}

/// Text whose lines and tabs stay and in which nothing is obeyed by a terminal.
pub(super) fn inert(text: &str) -> String {
    text.split('\t').map(printable).collect::<Vec<_>>().join("\t")
}
