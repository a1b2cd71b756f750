//! Moving the leaf within one file: what a move to an entry would do, as values (`session-tree.md` §3).

use alloc::vec::Vec;

use crate::entry::Kind;
use crate::heads::Ix;
use crate::tree::Tree;

/// What choosing an entry would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The leaf is there already, or only bookkeeping lies between.
    AlreadyThere,
    /// The leaf moves.
    Move(Move),
}

/// A move of the leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The leaf before.
    pub old_leaf: Option<Ix>,
    /// The leaf after.
    pub new_leaf: Option<Ix>,
    /// The entry whose text goes to the editor.
    pub prefill_from: Option<Ix>,
    /// The deepest entry on both paths.
    pub common_ancestor: Option<Ix>,
    /// What is left behind, oldest first; empty for a move to a descendant.
    pub abandoned: Vec<Ix>,
}

/// Plans the move that `/tree` makes: before a user's or an extension's message, whose text goes to the editor;
/// onto anything else.
pub fn plan(tree: &Tree, leaf: Option<Ix>, target: Ix) -> Plan {
    if tree.is_same_point(target, leaf) {
        return Plan::AlreadyThere;
    }
    let head = tree.head(target);
    let retyped = head.is_user() || head.kind == Kind::CustomMessage;
    let new_leaf = if retyped { tree.parent(target) } else { Some(target) };
    let common_ancestor = tree.common_ancestor(leaf, Some(target));
    let mut abandoned: Vec<Ix> = tree.ancestry(leaf).take_while(|ix| Some(*ix) != common_ancestor).collect();
    abandoned.reverse();
    Plan::Move(Move {
        old_leaf: leaf,
        new_leaf,
        prefill_from: retyped.then_some(target),
        common_ancestor,
        abandoned,
    })
}
