//! The tree over the heads: parents, children in display order, roots, paths, and the leaf.
//!
//! Appending costs the same however long the session is. Only damage (a parent that appears behind its child, a
//! repeated id) makes the links be built anew, iteratively, in O(n log n).

use alloc::vec::Vec;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use crate::codec::{Defect, DefectKind};
use crate::entry::Kind;
use crate::heads::{Earlier, Head, Heads, Ix, NONE, Place};

/// One session as a tree. `(parent, first, last, next)` are linked lists over places; [`NONE`] ends them.
#[derive(Debug, Default)]
pub struct Tree {
    heads: Heads,
    parent: Vec<u32>,
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
    roots: Vec<Ix>,
    defects: Vec<Defect>,
    relinks: u32,
}

impl Tree {
    /// Builds the tree over heads that are loaded already.
    pub fn new(heads: Heads) -> Self {
        let mut tree = Self { relinks: heads.relinks, heads, ..Self::default() };
        tree.relink();
        tree
    }

    /// Takes in the next physical line; call [`Self::settle`] after the last of a batch.
    pub fn line(&mut self, bytes: &[u8], place: Place, earlier: &mut dyn Earlier) {
        self.heads.line(bytes, place, earlier);
    }

    /// Makes room for about this many more entries.
    pub fn reserve(&mut self, entries: usize) {
        self.heads.reserve(entries);
    }

    /// Links what was taken in since the last call.
    pub fn settle(&mut self) {
        let (linked, all) = (self.parent.len(), self.heads.len());
        if self.relinks != self.heads.relinks || all - linked > linked / 4 + 64 {
            self.relinks = self.heads.relinks;
            self.heads.woken.clear();
            self.relink();
            return;
        }
        for ix in core::mem::take(&mut self.heads.woken) {
            if ix.at() < linked {
                self.link(ix);
            }
        }
        for ix in (linked..all).map(|at| Ix(at as u32)) {
            self.grow();
            if !self.heads.is_ghost(ix) {
                self.link(ix);
            }
        }
    }

    fn grow(&mut self) {
        for list in [&mut self.parent, &mut self.first, &mut self.last, &mut self.next] {
            list.push(NONE);
        }
    }

    /// Hangs one entry under its parent, in the order of time and then of the file.
    fn link(&mut self, ix: Ix) {
        let Some(parent) = self.heads.raw_parent(ix) else {
            let at = self.roots.partition_point(|root| *root < ix);
            self.roots.insert(at, ix);
            return;
        };
        self.parent[ix.at()] = parent.0;
        let key = |at: u32| (self.heads.head(Ix(at)).at, at);
        let last = self.last[parent.at()];
        if last == NONE {
            (self.first[parent.at()], self.last[parent.at()]) = (ix.0, ix.0);
        } else if key(last) < key(ix.0) {
            self.next[last as usize] = ix.0;
            self.last[parent.at()] = ix.0;
        } else {
            let (mut before, mut after) = (NONE, self.first[parent.at()]);
            while after != NONE && key(after) < key(ix.0) {
                (before, after) = (after, self.next[after as usize]);
            }
            self.next[ix.at()] = after;
            match before {
                NONE => self.first[parent.at()] = ix.0,
                before => self.next[before as usize] = ix.0,
            }
        }
    }

    /// Builds all links anew: resolves late parents, breaks circles, sorts children.
    fn relink(&mut self) {
        let count = self.heads.len();
        self.defects.clear();
        self.parent =
            (0..count as u32).map(|at| self.heads.raw_parent(Ix(at)).map_or(NONE, |ix| ix.0)).collect();
        let mut late = Vec::new();
        let mut missing = Vec::new();
        for forward in self.heads.forward() {
            let defect = |kind| Defect {
                line: forward.line,
                offset: forward.offset,
                kind,
                id: Some(self.heads.entry_id(forward.child)),
            };
            match self.heads.find(&forward.parent) {
                Some(parent) => {
                    self.parent[forward.child.at()] = parent.0;
                    late.push((forward.child, defect(DefectKind::ParentCycle)));
                }
                None => missing.push(defect(DefectKind::MissingParent)),
            }
        }
        self.defects.extend(missing);
        late.sort_unstable_by_key(|(child, _)| *child);
        self.break_circles(late);
        self.sort_children();
    }

    /// Makes the earliest entry of each circle a root. Every circle has a member whose parent came late.
    fn break_circles(&mut self, late: Vec<(Ix, Defect)>) {
        let mut walked = alloc::vec![0u32; if late.is_empty() { 0 } else { self.parent.len() }];
        for (walk, (start, _)) in (1u32..).zip(&late) {
            let mut at = start.0;
            while at != NONE && walked[at as usize] == 0 {
                walked[at as usize] = walk;
                at = self.parent[at as usize];
            }
            if at == NONE || walked[at as usize] != walk {
                continue;
            }
            let (mut earliest, mut member) = (at, self.parent[at as usize]);
            while member != at {
                earliest = earliest.min(member);
                member = self.parent[member as usize];
            }
            self.parent[earliest as usize] = NONE;
            if let Ok(at) = late.binary_search_by_key(&Ix(earliest), |(ix, _)| *ix) {
                self.defects.push(late[at].1.clone());
            }
        }
    }

    fn sort_children(&mut self) {
        let count = self.parent.len();
        self.roots.clear();
        for list in [&mut self.first, &mut self.last, &mut self.next] {
            list.clear();
            list.resize(count, NONE);
        }
        let mut unordered = Vec::new();
        for at in 0..count as u32 {
            if self.heads.is_ghost(Ix(at)) {
                continue;
            }
            let parent = self.parent[at as usize];
            if parent == NONE {
                self.roots.push(Ix(at));
                continue;
            }
            let last = self.last[parent as usize];
            if last == NONE {
                self.first[parent as usize] = at;
            } else {
                self.next[last as usize] = at;
                if self.heads.head(Ix(last)).at > self.heads.head(Ix(at)).at {
                    unordered.push(parent);
                }
            }
            self.last[parent as usize] = at;
        }
        unordered.dedup();
        for parent in unordered {
            let mut children: Vec<Ix> = self.children(Ix(parent)).collect();
            children.sort_unstable_by_key(|ix| (self.heads.head(*ix).at, *ix));
            for pair in children.windows(2) {
                self.next[pair[0].at()] = pair[1].0;
            }
            if let (Some(first), Some(last)) = (children.first(), children.last()) {
                self.next[last.at()] = NONE;
                (self.first[parent as usize], self.last[parent as usize]) = (first.0, last.0);
            }
        }
    }

    /// What is known of each entry.
    pub fn heads(&self) -> &Heads {
        &self.heads
    }

    pub(crate) fn heads_mut(&mut self) -> &mut Heads {
        &mut self.heads
    }

    /// Says that the torn last line has been ended (see [`Heads::end_torn_tail`]).
    pub fn end_torn_tail(&mut self) {
        self.heads.end_torn_tail();
    }

    /// Replaces what is known of the title slot (see [`Heads::set_slot`]).
    pub fn set_slot(&mut self, slot: crate::codec::TitleSlot) {
        self.heads.set_slot(slot);
    }

    /// The head at a place.
    pub fn head(&self, ix: Ix) -> &Head {
        self.heads.head(ix)
    }

    /// The id of an entry.
    pub fn id(&self, ix: Ix) -> &str {
        self.heads.id(ix)
    }

    /// Finds an entry by its id.
    pub fn find(&self, id: &str) -> Option<Ix> {
        self.heads.find(id)
    }

    /// All entries in file order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Ix> + '_ {
        self.heads.entries()
    }

    /// The leaf: where the next entry goes. `None` is the state before the first entry.
    pub fn leaf(&self) -> Option<Ix> {
        self.heads.leaf()
    }

    /// Moves the leaf in memory; what is appended next hangs there.
    pub fn set_leaf(&mut self, leaf: Option<Ix>) {
        self.heads_mut().set_leaf(leaf);
    }

    /// The effective label of an entry.
    pub fn label(&self, ix: Ix) -> Option<&str> {
        self.heads.label(self.id(ix))
    }

    /// The parent, if it is in the file and no circle was cut there.
    pub fn parent(&self, ix: Ix) -> Option<Ix> {
        link(self.parent[ix.at()])
    }

    /// Direct children, ascending by time, those of equal time in file order.
    pub fn children(&self, ix: Ix) -> impl Iterator<Item = Ix> + '_ {
        core::iter::successors(link(self.first[ix.at()]), |child| link(self.next[child.at()]))
    }

    /// Entries without a parent, in file order.
    pub fn roots(&self) -> &[Ix] {
        &self.roots
    }

    /// From an entry up to its root, itself first.
    pub fn ancestry(&self, from: Option<Ix>) -> impl Iterator<Item = Ix> + '_ {
        core::iter::successors(from, |ix| self.parent(*ix))
    }

    /// From the root down to an entry; empty for the state before the first one.
    pub fn path(&self, to: Option<Ix>) -> Vec<Ix> {
        let mut path: Vec<Ix> = self.ancestry(to).collect();
        path.reverse();
        path
    }

    /// The deepest entry that lies on both paths.
    pub fn common_ancestor(&self, a: Option<Ix>, b: Option<Ix>) -> Option<Ix> {
        let mut of_a: HashSet<Ix, FixedState> = HashSet::with_hasher(FixedState::default());
        of_a.extend(self.ancestry(a));
        self.ancestry(b).find(|ix| of_a.contains(ix))
    }

    /// Everything that is wrong with the file, by line.
    pub fn defects(&self) -> Vec<Defect> {
        let mut all: Vec<Defect> = self.heads.defects().iter().chain(&self.defects).cloned().collect();
        all.sort_by_key(|defect| defect.line);
        all
    }

    /// Says whether nothing but bookkeeping (labels, names, custom state) lies below `upper` down to `lower`.
    pub fn is_same_point(&self, upper: Ix, lower: Option<Ix>) -> bool {
        self.ancestry(lower).find(|ix| *ix == upper || !self.head(*ix).kind.is_transparent()) == Some(upper)
    }

    /// The nearest message-like ancestor or the entry itself: where people would say the conversation stands.
    pub fn nearest_spoken(&self, from: Option<Ix>) -> Option<Ix> {
        self.ancestry(from).find(|ix| matches!(self.head(*ix).kind, Kind::Message | Kind::CustomMessage))
    }
}

fn link(packed: u32) -> Option<Ix> {
    (packed != NONE).then_some(Ix(packed))
}
