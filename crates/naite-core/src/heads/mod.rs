//! The heads of one session: what every later step needs of each entry, without its body.
//!
//! A head is 64 bytes and two short strings, so that a 500 MB log is 20 MB of heads. They are built in one pass
//! over the lines, in file order, together with what file order decides: the leaf, labels and the name.

mod foreign;
mod load;
mod stored;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet, HashTable};
use serde::{Deserialize, Serialize};

pub use foreign::Foreign;
pub use load::{Earlier, Place};
pub use stored::{StoredHeads, StoredRef};

use crate::codec::{Defect, Made, MoveOp, TitleSlot};
use crate::entry::{Header, Kind, Role, Span, Stop};
use crate::id::EntryId;

/// The place of an entry in file order, from 0: a cheap handle, valid within one [`Heads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ix(pub u32);

impl Ix {
    /// The place as an index into slices.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// "No entry" in the packed fields of a [`Head`].
pub(crate) const NONE: u32 = u32::MAX;
/// "An entry that this file does not have" in the packed fields of a [`Head`].
pub(crate) const UNKNOWN: u32 = u32::MAX - 1;

/// Facts about an entry that fit into one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags(u16);

impl Flags {
    pub(crate) const HAS_TEXT: u16 = 1;
    pub(crate) const HOOK_MESSAGE: u16 = 2;
    pub(crate) const DETACHABLE: u16 = 4;
    pub(crate) const GHOST: u16 = 8;
    pub(crate) const MADE_ID: u16 = 16;
    pub(crate) const MADE_ANCHOR: u16 = 32;
    /// The default view hides it although the model sees it (foreign transcripts).
    pub(crate) const ASIDE: u16 = 64;
    /// An entry hangs on it (foreign transcripts).
    pub(crate) const INNER: u16 = 128;
    /// A line of it named why it ended (foreign transcripts).
    pub(crate) const SAID_STOP: u16 = 256;

    pub(crate) fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }

    pub(crate) fn set(&mut self, bit: u16, on: bool) {
        self.0 = if on { self.0 | bit } else { self.0 & !bit };
    }
}

/// A stretch of the string arena.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Slice {
    at: u32,
    len: u32,
}

/// What is kept of one entry; the fields `a` and `b` mean what its kind makes of them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Head {
    /// Unix milliseconds; the time of the entry before it where its own cannot be read.
    pub at: i64,
    /// Where its record lies.
    pub span: Span,
    pub(crate) id: Slice,
    pub(crate) parent: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) calls: u32,
    pub(crate) calls_len: u16,
    /// What it is.
    pub kind: Kind,
    /// Who speaks; `Other` unless it is a message.
    pub role: Role,
    /// Why it ended; `Absent` where the file does not say.
    pub stop: Stop,
    pub(crate) flags: Flags,
}

impl Head {
    /// Says whether it has text that is not blank: text blocks of a message, the text of a branch summary.
    pub fn has_text(&self) -> bool {
        self.flags.has(Flags::HAS_TEXT)
    }

    /// Says whether it is an assistant message with tool calls.
    pub fn has_calls(&self) -> bool {
        self.role == Role::Assistant && self.calls_len > 0
    }

    /// Says whether the default view leaves it out although the model sees it.
    pub fn is_aside(&self) -> bool {
        self.flags.has(Flags::ASIDE)
    }

    /// Says whether a user typed it: the rows at which a branch starts.
    pub fn is_user(&self) -> bool {
        self.kind == Kind::Message && self.role == Role::User
    }
}

/// Where a move came from or went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Point {
    /// The state before the first entry.
    Root,
    /// An entry.
    At(Ix),
    /// An entry that the file does not have.
    Unknown,
}

/// The content of a `naite.move` record.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct MoveHead {
    /// What moved the leaf.
    pub op: MoveOp,
    /// The leaf before.
    pub from: Point,
    /// The leaf after.
    pub to: Point,
    /// The record that an undo takes back.
    pub undoes: Option<Ix>,
    /// The record that a redo brings back.
    pub redoes: Option<Ix>,
}

/// The content of a label entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LabelHead {
    /// The entry that it names, by id: it may not be in the file.
    pub target: String,
    /// The value; `None` clears.
    pub label: Option<String>,
    /// The label entry that this one takes back.
    pub undoes: Option<Ix>,
    /// The label entry that this one brings back.
    pub redoes: Option<Ix>,
}

/// An entry whose parent was not known when its line was read: an orphan, or the beginning of a circle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Forward {
    pub(crate) child: Ix,
    pub(crate) parent: String,
    pub(crate) line: u64,
    pub(crate) offset: u64,
}

/// A provider and one of its models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelRef<'a> {
    /// The provider.
    pub provider: &'a str,
    /// The model.
    pub model_id: &'a str,
}

/// The heads of all entries of one log, in file order.
#[derive(Debug, Default)]
pub struct Heads {
    header: Option<Header>,
    header_span: Span,
    slot: Option<TitleSlot>,
    refused: bool,
    heads: Vec<Head>,
    arena: String,
    by_id: HashTable<u32>,
    names: Vec<String>,
    name_ids: HashMap<String, u32, FixedState>,
    calls: Vec<Slice>,
    moves: Vec<MoveHead>,
    label_heads: Vec<LabelHead>,
    labels: HashMap<String, Ix, FixedState>,
    name: Option<Option<String>>,
    leaf: Option<Ix>,
    /// The leaf as the lines alone decide it, whatever was set in memory since.
    file_leaf: Option<Ix>,
    forward: Vec<Forward>,
    /// The parents that are named there, to be found without a search.
    awaited: HashSet<String, FixedState>,
    defects: Vec<Defect>,
    ordinals: Vec<u32>,
    lines: u64,
    end: u64,
    unended: bool,
    /// First lines that did not say what the file is.
    sniffed: u32,
    /// Their types.
    early: BTreeMap<String, u32>,
    foreign: Option<Box<Foreign>>,
    /// Grows when earlier links changed, so that a tree over these heads must be linked anew.
    pub(crate) relinks: u32,
    /// Placeholders that have got a child since the tree last looked.
    pub(crate) woken: Vec<Ix>,
}

impl Heads {
    /// Starts with nothing read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for about this many more entries.
    pub fn reserve(&mut self, entries: usize) {
        self.heads.reserve(entries);
        let Self { by_id, heads, arena, .. } = self;
        by_id.reserve(entries, |ix| {
            let id = heads[*ix as usize].id;
            hash(&arena[id.at as usize..(id.at + id.len) as usize])
        });
    }

    /// The session header, once its line was read.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Where the header's record lies.
    pub fn header_span(&self) -> Span {
        self.header_span
    }

    /// omp's title slot, if the file has one.
    pub fn slot(&self) -> Option<&TitleSlot> {
        self.slot.as_ref()
    }

    /// Replaces what is known of the title slot after it was overwritten in place.
    pub fn set_slot(&mut self, slot: TitleSlot) {
        self.slot = Some(slot);
    }

    /// Says whether the first record was no session header, so that nothing was loaded.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Entries and placeholders, used or not: the range of [`Ix`].
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Says whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The head at a place.
    pub fn head(&self, ix: Ix) -> &Head {
        &self.heads[ix.at()]
    }

    /// The id of the entry at a place.
    pub fn id(&self, ix: Ix) -> &str {
        self.slice(self.heads[ix.at()].id)
    }

    /// The id as an owned name.
    pub fn entry_id(&self, ix: Ix) -> EntryId {
        EntryId::new(self.id(ix)).unwrap_or_else(|| EntryId::from_bits(ix.0))
    }

    /// Finds an entry by its id.
    pub fn find(&self, id: &str) -> Option<Ix> {
        self.find_any(id).filter(|ix| !self.is_ghost(*ix))
    }

    pub(crate) fn find_any(&self, id: &str) -> Option<Ix> {
        self.find_own(id).or_else(|| self.foreign.as_deref()?.alias(id))
    }

    /// The entry that has this very id.
    fn find_own(&self, id: &str) -> Option<Ix> {
        self.by_id.find(hash(id), |ix| self.id(Ix(*ix)) == id).map(|ix| Ix(*ix))
    }

    /// Says whether an id is taken, also by an entry that is only named as a parent.
    pub fn is_taken(&self, id: &str) -> bool {
        self.find_any(id).is_some() || self.awaited.contains(id)
    }

    /// Says whether the place holds a broken line that no entry names as its parent: it is no node.
    pub fn is_ghost(&self, ix: Ix) -> bool {
        self.heads[ix.at()].flags.has(Flags::GHOST)
    }

    /// All entries in file order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Ix> + '_ {
        (0..self.heads.len() as u32).map(Ix).filter(|ix| !self.is_ghost(*ix))
    }

    /// The leaf as file order decides it (`session-format.md` §5); `None` is the state before the first entry.
    pub fn leaf(&self) -> Option<Ix> {
        self.leaf
    }

    pub(crate) fn set_leaf(&mut self, leaf: Option<Ix>) {
        self.leaf = leaf;
    }

    /// The effective label of an entry.
    pub fn label(&self, id: &str) -> Option<&str> {
        let setter = self.labels.get(id)?;
        // A repeated id may have made a label of something else of the entry.
        self.label_head(*setter).filter(|head| head.target == id)?.label.as_deref()
    }

    /// All effective labels as (target id, label entry), in the order of the label entries.
    pub fn labels(&self) -> Vec<(&str, Ix)> {
        let labels = self.labels.iter().map(|(target, setter)| (target.as_str(), *setter));
        let mut all: Vec<_> = labels.filter(|(target, _)| self.label(target).is_some()).collect();
        all.sort_unstable_by_key(|(_, setter)| *setter);
        all
    }

    /// The name: of the title slot, else the last one given, else the header's.
    pub fn name(&self) -> Option<&str> {
        match (&self.slot, &self.name) {
            (Some(slot), _) => Some(slot.title.as_str()).filter(|title| !title.is_empty()),
            (None, Some(given)) => given.as_deref(),
            (None, None) => self.header.as_ref()?.title.as_deref(),
        }
    }

    /// The content of a `naite.move` record.
    pub fn move_head(&self, ix: Ix) -> Option<&MoveHead> {
        let head = self.head(ix);
        (head.kind == Kind::Move).then(|| self.moves.get(head.a as usize)).flatten()
    }

    /// The content of a label entry.
    pub fn label_head(&self, ix: Ix) -> Option<&LabelHead> {
        let head = self.head(ix);
        (head.kind == Kind::Label).then(|| self.label_heads.get(head.a as usize)).flatten()
    }

    /// The leaf that a branch summary left behind.
    pub fn abandoned(&self, ix: Ix) -> Point {
        match self.head(ix) {
            Head { kind: Kind::BranchSummary, a, .. } => self.point(*a),
            _ => Point::Unknown,
        }
    }

    /// The entry that a compaction keeps from.
    pub fn anchor(&self, ix: Ix) -> Option<Ix> {
        match self.head(ix) {
            Head { kind: Kind::Compaction, a, .. } => self.place(*a),
            _ => None,
        }
    }

    /// The model that an assistant message or a change of the default model names.
    pub fn model(&self, ix: Ix) -> Option<ModelRef<'_>> {
        let head = self.head(ix);
        let named = head.kind == Kind::ModelChange || head.role == Role::Assistant;
        let (provider, model_id) = (self.interned(head.a)?, self.interned(head.b)?);
        named.then_some(ModelRef { provider, model_id })
    }

    /// The level of a thinking level change, or the mode of a mode change.
    pub fn setting(&self, ix: Ix) -> Option<&str> {
        let head = self.head(ix);
        matches!(head.kind, Kind::ThinkingLevelChange | Kind::ModeChange)
            .then(|| self.interned(head.a))
            .flatten()
    }

    /// Ids of an assistant's tool calls, or of the one call that a tool result answers.
    pub fn calls(&self, ix: Ix) -> impl Iterator<Item = &str> {
        let head = self.head(ix);
        let start = head.calls as usize;
        self.calls[start..start + usize::from(head.calls_len)].iter().map(|slice| self.slice(*slice))
    }

    /// What is wrong with lines; what is wrong with links stands in the tree.
    pub fn defects(&self) -> &[Defect] {
        &self.defects
    }

    /// Physical lines read so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Bytes read so far.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Says whether the last line had no line end: the next append must begin with one.
    pub fn is_unended(&self) -> bool {
        self.unended
    }

    /// Format version of the file; 3 while there is no header.
    pub fn version(&self) -> u32 {
        self.header.as_ref().map_or(crate::entry::VERSION, |header| header.version)
    }

    /// Says whether the file is older than version 3, so that a first append rewrites it.
    pub fn is_old(&self) -> bool {
        self.version() < crate::entry::VERSION
    }

    /// What reading the record of an old file must add to it; `None` for a version 3 file.
    pub fn made(&self, ix: Ix, parent: Option<Ix>) -> Option<Made> {
        if !self.is_old() {
            return None;
        }
        let head = self.head(ix);
        let made_id = head.flags.has(Flags::MADE_ID);
        Some(Made {
            id: made_id.then(|| self.id(ix).into()),
            parent: made_id.then(|| parent.map(|parent| self.id(parent).into())),
            anchor: if head.flags.has(Flags::MADE_ANCHOR) {
                self.anchor(ix).map(|anchor| self.id(anchor).into())
            } else {
                None
            },
        })
    }

    pub(crate) fn raw_parent(&self, ix: Ix) -> Option<Ix> {
        self.place(self.heads[ix.at()].parent)
    }

    pub(crate) fn forward(&self) -> &[Forward] {
        &self.forward
    }

    fn slice(&self, slice: Slice) -> &str {
        &self.arena[slice.at as usize..(slice.at + slice.len) as usize]
    }

    fn interned(&self, name: u32) -> Option<&str> {
        self.names.get(name as usize).map(String::as_str)
    }

    fn place(&self, packed: u32) -> Option<Ix> {
        (packed < UNKNOWN).then_some(Ix(packed))
    }

    fn point(&self, packed: u32) -> Point {
        match packed {
            NONE => Point::Root,
            UNKNOWN => Point::Unknown,
            place => Point::At(Ix(place)),
        }
    }
}

pub(crate) fn hash(id: &str) -> u64 {
    const STATE: FixedState = FixedState::with_seed(0x6e61_6974);
    STATE.hash_one(id)
}
