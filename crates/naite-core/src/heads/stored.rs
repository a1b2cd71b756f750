//! Heads as a cache keeps them: everything but the look-up tables, which are quicker made than read.

use alloc::string::String;
use alloc::vec::Vec;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use serde::{Deserialize, Serialize};

use super::{Forward, Head, Heads, Ix, LabelHead, MoveHead, Slice, hash};
use crate::codec::{Defect, DefectKind, TitleSlot};
use crate::entry::{Header, Span};
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
            leaf: self.leaf,
            forward: &self.forward,
            defects: self
                .defects
                .iter()
                .map(|d| (d.line, d.offset, d.kind, d.id.as_ref().map(EntryId::as_str)))
                .collect(),
            ordinals: &self.ordinals,
            lines: self.lines,
            end: self.end,
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
            forward: self.forward,
            defects: self
                .defects
                .into_iter()
                .map(|(line, offset, kind, id)| Defect { line, offset, kind, id: id.and_then(EntryId::new) })
                .collect(),
            ordinals: self.ordinals,
            lines: self.lines,
            end: self.end,
            by_id: HashTable::new(),
            ..Heads::default()
        };
        heads.labels.extend(self.labels);
        heads.index_ids();
        Some(heads)
    }

    fn is_consistent(&self) -> bool {
        let count = self.heads.len();
        let is_text = |slice: &Slice| {
            let end = slice.at.checked_add(slice.len).map(|end| end as usize);
            end.is_some_and(|end| self.arena.get(slice.at as usize..end).is_some())
        };
        let is_place = |ix: &Ix| ix.at() < count;
        self.heads.iter().all(|head| {
            let calls_end = head.calls as usize + usize::from(head.calls_len);
            is_text(&head.id)
                && calls_end <= self.calls.len()
                && (head.parent >= super::UNKNOWN || (head.parent as usize) < count)
        }) && self.calls.iter().all(is_text)
            && self.leaf.iter().all(is_place)
            && self.labels.iter().all(|(_, ix)| is_place(ix))
            && self.forward.iter().all(|forward| is_place(&forward.child))
    }
}

impl Heads {
    fn index_ids(&mut self) {
        let id = |head: &Head| &self.arena[head.id.at as usize..(head.id.at + head.id.len) as usize];
        self.by_id = HashTable::with_capacity(self.heads.len());
        for (ix, head) in (0u32..).zip(&self.heads) {
            let text = id(head);
            // A ghost whose id a whole record took over stands before it: the later one answers to the id.
            match self.by_id.find_mut(hash(text), |other| id(&self.heads[*other as usize]) == text) {
                Some(slot) => *slot = ix,
                None => {
                    self.by_id.insert_unique(hash(text), ix, |other| hash(id(&self.heads[*other as usize])));
                }
            }
        }
    }
}
