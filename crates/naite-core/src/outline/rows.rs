//! Which entries are rows, in which order and how deep (`tree-navigator.md`, Rows and Filters).

use alloc::vec::Vec;

use crate::entry::{Kind, Role, Stop};
use crate::heads::{Ix, NONE};
use crate::tree::Tree;

/// What a navigator shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// The conversation, without bookkeeping.
    #[default]
    Default,
    /// The same without tool results.
    NoTools,
    /// What the person said.
    UserOnly,
    /// Entries with a label.
    LabeledOnly,
    /// Everything.
    All,
}

impl Filter {
    /// All filters in the order in which a key steps through them.
    pub const CYCLE: [Self; 5] = [Self::Default, Self::NoTools, Self::UserOnly, Self::LabeledOnly, Self::All];

    /// The name used in settings and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::NoTools => "no-tools",
            Self::UserOnly => "user-only",
            Self::LabeledOnly => "labeled-only",
            Self::All => "all",
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::CYCLE.into_iter().find(|filter| filter.name() == name)
    }
}

/// Says whether a filter shows an entry.
///
/// In every mode an assistant's message that only calls tools is hidden, unless it broke off, is the leaf or has
/// a label.
pub fn shows(tree: &Tree, filter: Filter, leaf: Option<Ix>, ix: Ix) -> bool {
    let head = tree.head(ix);
    let only_calls = head.has_calls() && !head.has_text();
    if only_calls
        && matches!(head.stop, Stop::Stop | Stop::ToolUse | Stop::Absent)
        && leaf != Some(ix)
        && tree.label(ix).is_none()
    {
        return false;
    }
    match filter {
        Filter::Default => !head.kind.is_bookkeeping() && !head.is_aside(),
        Filter::NoTools => !head.kind.is_bookkeeping() && !head.is_aside() && head.role != Role::ToolResult,
        Filter::UserOnly => head.kind == Kind::Message && head.role == Role::User,
        Filter::LabeledOnly => tree.label(ix).is_some(),
        Filter::All => true,
    }
}

/// How a row hangs on the row above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// It goes on from its parent, or is a root: nothing is drawn.
    None,
    /// One of several, not the last: `├─ `.
    Middle,
    /// The last of several: `└─ `.
    Last,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The entry.
    pub ix: Ix,
    /// Branch points above it among the rows: its indentation in units.
    pub level: u32,
    /// How it hangs.
    pub connector: Connector,
    /// It lies on the active path.
    pub active: bool,
    parent: u32,
    branch: u32,
    children: u32,
}

/// All rows of a view.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    rows: Vec<Row>,
}

impl Outline {
    /// Lays out the entries that `visible` lets through. Iterative; O(n) in the entries of the session.
    pub fn new(tree: &Tree, leaf: Option<Ix>, visible: impl Fn(Ix) -> bool) -> Self {
        let mut on_path = alloc::vec![false; tree.heads().len()];
        for ix in tree.ancestry(leaf) {
            on_path[ix.at()] = true;
        }
        let mut rows: Vec<Row> = Vec::new();
        let mut stack: Vec<(Ix, u32)> = Vec::new();
        push_ordered(tree.roots().iter().copied(), NONE, &on_path, &mut stack);
        while let Some((ix, parent)) = stack.pop() {
            let here = if visible(ix) {
                rows.push(Row {
                    ix,
                    level: 0,
                    connector: Connector::None,
                    active: on_path[ix.at()],
                    parent,
                    branch: NONE,
                    children: 0,
                });
                rows.len() as u32 - 1
            } else {
                parent
            };
            push_ordered(tree.children(ix), here, &on_path, &mut stack);
        }
        let mut outline = Self { rows };
        outline.indent();
        outline
    }

    /// Indents below rows with several visible children, and finds out which child is the last.
    fn indent(&mut self) {
        let mut last_child = alloc::vec![NONE; self.rows.len()];
        for at in 0..self.rows.len() {
            let parent = self.rows[at].parent;
            if parent != NONE {
                self.rows[parent as usize].children += 1;
                last_child[parent as usize] = at as u32;
            }
        }
        for at in 0..self.rows.len() {
            let parent = self.rows[at].parent;
            if parent == NONE {
                continue;
            }
            let above = self.rows[parent as usize];
            let row = &mut self.rows[at];
            (row.level, row.branch) = (above.level, above.branch);
            if above.children > 1 {
                row.level += 1;
                row.branch = at as u32;
                let is_last = last_child[parent as usize] == at as u32;
                row.connector = if is_last { Connector::Last } else { Connector::Middle };
            }
        }
    }

    /// The rows, top to bottom.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The connectors from a row's own branch outwards: for each whether the row *is* that child (the first step
    /// only) and whether more children follow it.
    pub(super) fn branches(&self, at: usize) -> impl Iterator<Item = (bool, Connector)> + '_ {
        let own = self.rows[at].connector != Connector::None;
        let link = |at: u32| (at != NONE).then_some(at);
        let chain = core::iter::successors(link(self.rows[at].branch), move |branch| {
            let parent = self.rows[*branch as usize].parent;
            link(if parent == NONE { NONE } else { self.rows[parent as usize].branch })
        });
        chain.enumerate().map(move |(step, branch)| (own && step == 0, self.rows[branch as usize].connector))
    }

    /// The row of an entry, or of its nearest ancestor that is a row.
    pub fn nearest(&self, tree: &Tree, from: Option<Ix>) -> Option<usize> {
        tree.ancestry(from).find_map(|ix| self.rows.iter().position(|row| row.ix == ix))
    }
}

/// Pushes siblings so that they pop in row order: the one on the active path first, the others as they come.
fn push_ordered(
    siblings: impl Iterator<Item = Ix>,
    parent: u32,
    on_path: &[bool],
    stack: &mut Vec<(Ix, u32)>,
) {
    let start = stack.len();
    let mut active = None;
    for ix in siblings {
        if on_path[ix.at()] {
            active = Some(ix);
        } else {
            stack.push((ix, parent));
        }
    }
    stack[start..].reverse();
    stack.extend(active.map(|ix| (ix, parent)));
}
