//! Heads as a cache keeps them: everything but the look-up tables, which are quicker made than read.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use serde::{Deserialize, Serialize};

use super::{Flags, Foreign, Forward, Head, Heads, Ix, LabelHead, MoveHead, Point, Slice, hash};
use crate::codec::{Defect, DefectKind, TitleSlot};
use crate::entry::{Header, Kind, Span};
use crate::id::EntryId;

/// The serialisable form of [`Heads`], read back with [`StoredHeads::load`].
#[derive(Debug, Deserialize)]
pub struct StoredHeads {
    header: Option<String>,
    header_span: Span,
    slot: Option<(String, Option<String>)>,
    heads: Vec<Head>,
    arena: String,
    names: Vec<String>,
    calls: Vec<Slice>,
    moves: Vec<MoveHead>,
    label_heads: Vec<LabelHead>,
    labels: Vec<(String, Ix)>,
    name: Option<Option<String>>,
    leaf: Option<Ix>,
    forward: Vec<Forward>,
    defects: Vec<(u64, u64, DefectKind, Option<String>)>,
    ordinals: Vec<u32>,
    lines: u64,
    end: u64,
    foreign: Option<Box<Foreign>>,
}

/// The same fields, borrowed for writing.
#[derive(Debug, Serialize)]
pub struct StoredRef<'a> {
    header: Option<&'a str>,
    header_span: Span,
    slot: Option<(&'a str, Option<&'a str>)>,
    heads: &'a [Head],
    arena: &'a str,
    names: &'a [String],
    calls: &'a [Slice],
    moves: &'a [MoveHead],
    label_heads: &'a [LabelHead],
    labels: Vec<(&'a str, Ix)>,
    name: &'a Option<Option<String>>,
    leaf: Option<Ix>,
    forward: &'a [Forward],
    defects: Vec<(u64, u64, DefectKind, Option<&'a str>)>,
    ordinals: &'a [u32],
    lines: u64,
    end: u64,
    foreign: Option<&'a Foreign>,
}

impl Heads {
    /// The heads as a cache keeps them; `None` while the last line is unfinished or there is no header.
    pub fn stored(&self) -> Option<StoredRef<'_>> {
        if self.unended || self.refused || self.header.is_none() {
            return None;
        }
        Some(StoredRef {
            header: self.header.as_ref().map(|header| header.raw.as_str()),
            header_span: self.header_span,
            slot: self.slot.as_ref().map(|slot| (slot.title.as_str(), slot.source.as_deref())),
            heads: &self.heads,
            arena: &self.arena,
            names: &self.names,
            calls: &self.calls,
            moves: &self.moves,
            label_heads: &self.label_heads,
            labels: self.labels(),
            name: &self.name,
            leaf: self.file_leaf,
            forward: &self.forward,
            defects: self
                .defects
                .iter()
                .map(|d| (d.line, d.offset, d.kind, d.id.as_ref().map(EntryId::as_str)))
                .collect(),
            ordinals: &self.ordinals,
            lines: self.lines,
            end: self.end,
            foreign: self.foreign.as_deref(),
        })
    }
}

impl StoredHeads {
    /// Makes the heads usable again; `None` if the parts do not fit together (a damaged cache).
    pub fn load(self) -> Option<Heads> {
        if !self.is_consistent() {
            return None;
        }
        let mut heads = Heads {
            header: Some(Header::read(&self.header?)?),
            header_span: self.header_span,
            slot: self.slot.map(|(title, source)| TitleSlot { title, source }),
            heads: self.heads,
            arena: self.arena,
            name_ids: self.names.iter().zip(0..).map(|(name, id)| (name.clone(), id)).collect(),
            names: self.names,
            calls: self.calls,
            moves: self.moves,
            label_heads: self.label_heads,
            labels: HashMap::with_hasher(FixedState::default()),
            name: self.name,
            leaf: self.leaf,
            file_leaf: self.leaf,
            awaited: self.forward.iter().map(|forward| forward.parent.clone()).collect(),
            forward: self.forward,
            defects: self
                .defects
                .into_iter()
                .map(|(line, offset, kind, id)| Defect { line, offset, kind, id: id.and_then(EntryId::new) })
                .collect(),
            ordinals: self.ordinals,
            lines: self.lines,
            end: self.end,
            foreign: self.foreign,
            by_id: HashTable::new(),
            ..Heads::default()
        };
        heads.labels.extend(self.labels);
        heads.index_ids().then_some(heads)
    }

    /// Says whether every place, text and span that is named is there, so that nothing later can miss it.
    fn is_consistent(&self) -> bool {
        let is_text = |slice: &Slice| {
            let end = slice.at.checked_add(slice.len).map(|end| end as usize);
            end.is_some_and(|end| self.arena.get(slice.at as usize..end).is_some())
        };
        let is_place = |ix: Ix| ix.at() < self.heads.len();
        let is_ghost = |ix: u32| self.heads[ix as usize].flags.has(Flags::GHOST);
        let is_packed = |packed: u32| packed >= super::UNKNOWN || is_place(Ix(packed));
        let is_point = |point: Point| !matches!(point, Point::At(ix) if !is_place(ix));
        let is_parent = |parent: u32, ix: u32| parent < ix && (is_ghost(ix) || !is_ghost(parent));
        let is_head = |(ix, head): (u32, &Head)| {
            let calls_end = head.calls as usize + usize::from(head.calls_len);
            let points = matches!(head.kind, Kind::Compaction | Kind::BranchSummary);
            is_text(&head.id)
                && calls_end <= self.calls.len()
                && head.span.offset.checked_add(head.span.len.into()).is_some_and(|end| end <= self.end)
                && (head.parent >= super::UNKNOWN || is_parent(head.parent, ix))
                && (!points || is_packed(head.a))
        };
        (0..).zip(&self.heads).all(is_head)
            && self.calls.iter().all(is_text)
            && self.leaf.is_none_or(|leaf| is_place(leaf) && !is_ghost(leaf.0))
            && self.moves.iter().all(|moved| is_point(moved.from) && is_point(moved.to))
            && self.labels.iter().all(|(_, ix)| is_place(*ix))
            && self.forward.iter().all(|forward| is_place(forward.child))
            && self.ordinals.iter().all(|ordinal| is_packed(*ordinal))
            && self.foreign.as_ref().is_none_or(|f| f.is_consistent(self.heads.len(), self.end))
    }
}

impl Heads {
    /// Makes the look-up table of ids; `false` if two entries have one id.
    fn index_ids(&mut self) -> bool {
        let id = |head: &Head| &self.arena[head.id.at as usize..(head.id.at + head.id.len) as usize];
        self.by_id = HashTable::with_capacity(self.heads.len());
        for (ix, head) in (0u32..).zip(&self.heads) {
            let text = id(head);
            match self.by_id.find_mut(hash(text), |other| id(&self.heads[*other as usize]) == text) {
                // A ghost whose id a whole record took over stands before it: the later one answers to the id.
                Some(slot) if self.heads[*slot as usize].flags.has(Flags::GHOST) => *slot = ix,
                Some(_) => return false,
                None => {
                    self.by_id.insert_unique(hash(text), ix, |other| hash(id(&self.heads[*other as usize])));
                }
            }
        }
        true
    }
}
