//! Which entries are rows, in which order and how deep (`tree-navigator.md`, Rows and Filters).

use alloc::vec::Vec;

use crate::entry::{Kind, Role, Stop};
use crate::heads::{Head, Ix, NONE};
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
    passes(tree.head(ix), filter, leaf == Some(ix), || tree.label(ix).is_some())
}

/// [`shows`] for somebody who knows the labels already.
pub(super) fn passes(head: &Head, filter: Filter, is_leaf: bool, labelled: impl Fn() -> bool) -> bool {
    let only_calls = head.has_calls() && !head.has_text();
    if only_calls && matches!(head.stop, Stop::Stop | Stop::ToolUse | Stop::Absent) && !is_leaf && !labelled()
    {
        return false;
    }
    match filter {
        Filter::Default => !head.kind.is_bookkeeping() && !head.is_aside(),
        Filter::NoTools => !head.kind.is_bookkeeping() && !head.is_aside() && head.role != Role::ToolResult,
        Filter::UserOnly => head.kind == Kind::Message && head.role == Role::User,
        Filter::LabeledOnly => labelled(),
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
    /// Rows of its subtree, itself included.
    size: u32,
}

/// All entries in row order: depth first, the branch with the leaf first, the rest ascending by time.
///
/// So the active path is the beginning of it.
#[derive(Clone, Debug, Default)]
pub struct Order {
    entries: Vec<Ix>,
    /// Entries on the active path: the first so many.
    active: usize,
}

impl Order {
    /// Orders the entries of a session. Iterative; O(n).
    pub fn new(tree: &Tree, leaf: Option<Ix>) -> Self {
        let mut on_path = alloc::vec![false; tree.heads().len()];
        let mut active = 0;
        for ix in tree.ancestry(leaf) {
            on_path[ix.at()] = true;
            active += 1;
        }
        let mut entries = Vec::with_capacity(tree.heads().len());
        let mut stack: Vec<Ix> = Vec::new();
        push_ordered(tree.roots().iter().copied(), &on_path, &mut stack);
        while let Some(ix) = stack.pop() {
            entries.push(ix);
            push_ordered(tree.children(ix), &on_path, &mut stack);
        }
        Self { entries, active }
    }

    /// The entries.
    pub fn entries(&self) -> &[Ix] {
        &self.entries
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Ix>()
    }
}

/// All rows of a view.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    rows: Vec<Row>,
    /// For each entry its row, or that of its nearest ancestor that has one.
    near: Vec<u32>,
}

impl Outline {
    /// Lays out the entries that `visible` lets through. Iterative; O(n) in the entries of the session.
    pub fn new(tree: &Tree, leaf: Option<Ix>, visible: impl Fn(Ix) -> bool) -> Self {
        let mut outline = Self::default();
        outline.lay(tree, &Order::new(tree, leaf), visible);
        outline
    }

    /// Lays out anew in the same memory.
    pub fn lay(&mut self, tree: &Tree, order: &Order, visible: impl Fn(Ix) -> bool) {
        self.rows.clear();
        self.near.clear();
        self.near.resize(tree.heads().len(), NONE);
        for (at, ix) in order.entries.iter().copied().enumerate() {
            let parent = tree.parent(ix).map_or(NONE, |parent| self.near[parent.at()]);
            if !visible(ix) {
                self.near[ix.at()] = parent;
                continue;
            }
            self.near[ix.at()] = self.rows.len() as u32;
            self.rows.push(Row {
                ix,
                level: 0,
                connector: Connector::None,
                active: at < order.active,
                parent,
                branch: NONE,
                children: 0,
                size: 1,
            });
        }
        self.indent();
    }

    /// Indents below rows with several visible children, and finds out which child is the last.
    fn indent(&mut self) {
        for at in (0..self.rows.len()).rev() {
            let Row { parent, size, .. } = self.rows[at];
            if parent != NONE {
                let above = &mut self.rows[parent as usize];
                above.children += 1;
                above.size += size;
            }
        }
        // The last child is the one whose subtree ends where its parent's ends.
        for at in 0..self.rows.len() {
            let parent = self.rows[at].parent;
            if parent == NONE {
                continue;
            }
            let above = self.rows[parent as usize];
            let end = at as u32 + self.rows[at].size;
            let row = &mut self.rows[at];
            (row.level, row.branch) = (above.level, above.branch);
            if above.children > 1 {
                row.level += 1;
                row.branch = at as u32;
                let is_last = end == parent + above.size;
                row.connector = if is_last { Connector::Last } else { Connector::Middle };
            }
        }
    }

    /// The rows, top to bottom.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row above which a row hangs, if it is no root.
    pub fn parent(&self, at: usize) -> Option<usize> {
        let parent = self.rows[at].parent;
        (parent != NONE).then_some(parent as usize)
    }

    /// How many rows a row's subtree has, itself included.
    pub fn size(&self, at: usize) -> usize {
        self.rows[at].size as usize
    }

    /// How many rows hang directly under a row.
    pub fn children(&self, at: usize) -> usize {
        self.rows[at].children as usize
    }

    /// Says whether a row begins a branch: it is a root or has siblings.
    pub fn starts_branch(&self, at: usize) -> bool {
        self.parent(at).is_none_or(|parent| self.rows[parent].children > 1)
    }

    /// Says whether a row can be folded: it begins a branch and something hangs under it.
    pub fn can_fold(&self, at: usize) -> bool {
        self.rows[at].children > 0 && self.starts_branch(at)
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
    pub fn nearest(&self, from: Option<Ix>) -> Option<usize> {
        let row = *self.near.get(from?.at())?;
        (row != NONE).then_some(row as usize)
    }

    /// The row of an entry, if it has one.
    pub fn row_of(&self, ix: Ix) -> Option<usize> {
        self.nearest(Some(ix)).filter(|row| self.rows[*row].ix == ix)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>() + self.near.capacity() * 4
    }
}

/// Pushes siblings so that they pop in row order: the one on the active path first, the others as they come.
fn push_ordered(siblings: impl Iterator<Item = Ix>, on_path: &[bool], stack: &mut Vec<Ix>) {
    let start = stack.len();
    let mut active = None;
    for ix in siblings {
        if on_path[ix.at()] {
            active = Some(ix);
        } else {
            stack.push(ix);
        }
    }
    stack[start..].reverse();
    stack.extend(active);
}
