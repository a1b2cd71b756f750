//! Lines to heads, in file order: duplicates, placeholders, the leaf, labels and the name (`session-format.md` §5).

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{
    Flags, Foreign, Forward, Head, Heads, Ix, LabelHead, MoveHead, NONE, Point, Slice, UNKNOWN, hash,
};
use crate::codec::{
    Decoded, Defect, DefectKind, Facts, Odd, Record, TitleSlot, decode, generated_id, read_record,
};
use crate::entry::{Kind, Role, Span, Stop, millis};
use crate::id::EntryId;
use crate::ingest::Program;
use crate::ingest::claude_code::{self, Line, Sniff};

/// First lines that may say nothing of what a file is, until it is taken for no session.
const SNIFFED: u32 = 64;

/// Where a physical line stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its number, from 1.
    pub line: u64,
    /// Bytes before it.
    pub offset: u64,
    /// A line end follows it.
    pub ended: bool,
}

/// Gives earlier bytes of the same log, to tell an exact repeat of a record from a changed one.
pub trait Earlier {
    /// The bytes at a place that was read before; `None` if they cannot be had (then it counts as changed).
    fn bytes(&mut self, span: Span) -> Option<Vec<u8>>;
}

impl Earlier for &[u8] {
    fn bytes(&mut self, span: Span) -> Option<Vec<u8>> {
        let start = usize::try_from(span.offset).ok()?;
        self.get(start..start + span.len as usize).map(<[u8]>::to_vec)
    }
}

impl Heads {
    /// Takes in the next physical line (without its line end).
    pub fn line(&mut self, bytes: &[u8], place: Place, earlier: &mut dyn Earlier) {
        if self.refused {
            return;
        }
        self.lines = place.line;
        self.end = place.offset + bytes.len() as u64 + u64::from(place.ended);
        self.unended = !place.ended;
        let (mut bytes, mut place) = (bytes, place);
        if place.offset == 0 {
            if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
                bytes = rest;
                place.offset = 3;
            }
            if let Some(slot) = TitleSlot::read(bytes)
                && place.ended
            {
                self.slot = Some(slot);
                return;
            }
        }
        if self.header.is_none() && self.foreign.is_none() && !self.is_session(bytes, place) {
            return;
        }
        if self.foreign.is_some() {
            self.foreign_line(bytes, place);
            return;
        }
        match decode(bytes, place.ended) {
            Decoded::Blank => {}
            Decoded::One(record, at) => {
                self.record(record, &bytes[at.clone()], span(place, at), place, earlier)
            }
            Decoded::Odd(odd) => self.odd(bytes, odd, place, earlier),
        }
    }

    /// Looks whether a first line begins a foreign transcript; `false` while that cannot be said.
    fn is_session(&mut self, bytes: &[u8], place: Place) -> bool {
        if bytes.trim_ascii().is_empty() {
            return true;
        }
        match claude_code::sniff(bytes) {
            Sniff::Yes => {
                let notes = core::mem::take(&mut self.early);
                let damaged = !self.defects.is_empty();
                self.foreign = Some(Box::new(Foreign::new(Program::ClaudeCode, notes, damaged)));
            }
            Sniff::Perhaps if self.sniffed < SNIFFED => {
                self.sniffed += 1;
                match simdutf8::basic::from_utf8(bytes.trim_ascii()).ok().and_then(claude_code::read) {
                    Some(Line::Note(_, note)) => *self.early.entry(note.kind.into_owned()).or_insert(0) += 1,
                    _ => self.defects.push(Defect {
                        line: place.line,
                        offset: place.offset,
                        kind: if place.ended { DefectKind::InvalidJson } else { DefectKind::TornTail },
                        id: None,
                    }),
                }
                return false;
            }
            // A session file begins with its header, not with something unreadable.
            _ => self.refused = self.sniffed > 0,
        }
        !self.refused
    }

    /// Says that the torn last line has been ended by an append behind it: it now is a damaged line like others.
    pub fn end_torn_tail(&mut self) {
        self.unended = false;
        if let Some(last) = self.defects.last_mut()
            && last.kind == DefectKind::TornTail
        {
            last.kind = DefectKind::InvalidJson;
        }
    }

    fn odd(&mut self, bytes: &[u8], odd: Odd, place: Place, earlier: &mut dyn Earlier) {
        let is_v1 = self.header.as_ref().is_some_and(|header| header.version < 2);
        let mut defect = odd.defect;
        let mut id = None;
        let mut loaded = false;
        for found in &odd.found {
            let Some(record) = read_record(&found.text) else { continue };
            if record.id.is_none() && !is_v1 && !matches!(record.facts, Facts::Header(_)) {
                continue;
            }
            if defect == Some(DefectKind::MissingId) {
                defect = None;
            }
            if defect == Some(DefectKind::InvalidUtf8) {
                id = record.id.as_deref().and_then(EntryId::new);
            }
            self.record(record, &bytes[found.at.clone()], span(place, found.at.clone()), place, earlier);
            loaded = true;
            if self.refused {
                return;
            }
        }
        if self.header.is_none() {
            self.refused = true;
            return;
        }
        if !loaded && is_v1 {
            self.ordinals.push(NONE);
        }
        if let Some(kind) = defect {
            self.defects.push(Defect { line: place.line, offset: place.offset, kind, id });
        }
        if let Some((id, parent)) = odd.broken {
            self.ghost(&id, parent.as_deref(), place);
        }
    }

    /// Keeps the place of a broken line whose id could be read; it becomes a node when a later line names it.
    fn ghost(&mut self, id: &str, parent: Option<&str>, place: Place) {
        if self.find_any(id).is_some() {
            return;
        }
        let parent = parent.and_then(|parent| self.find_any(parent));
        let mut head = self.blank_head(place);
        head.kind = Kind::Placeholder;
        head.flags.set(Flags::GHOST, true);
        head.parent = parent.map_or(NONE, |ix| ix.0);
        self.insert(id, head);
    }

    pub(super) fn blank_head(&self, place: Place) -> Head {
        Head {
            at: self.last_time(),
            span: Span { offset: place.offset, len: 0 },
            id: Slice::default(),
            parent: NONE,
            a: NONE,
            b: NONE,
            calls: 0,
            calls_len: 0,
            kind: Kind::Unknown,
            role: Role::Other,
            stop: Stop::Absent,
            flags: Flags::default(),
        }
    }

    pub(super) fn last_time(&self) -> i64 {
        let created = || self.header.as_ref().and_then(|header| millis(&header.timestamp)).unwrap_or(0);
        self.heads.last().map_or_else(created, |head| head.at)
    }

    fn record(
        &mut self,
        record: Record<'_>,
        bytes: &[u8],
        span: Span,
        place: Place,
        earlier: &mut dyn Earlier,
    ) {
        let defect =
            |kind, id: &str| Defect { line: place.line, offset: place.offset, kind, id: EntryId::new(id) };
        let Some(version) = self.header.as_ref().map(|header| header.version) else {
            match record.facts {
                Facts::Header(header) => {
                    if header.is_newer() {
                        self.defects.push(defect(DefectKind::UnknownVersion, ""));
                    }
                    self.header = Some(*header);
                    self.header_span = span;
                    self.ordinals.push(NONE);
                }
                _ => self.refused = true,
            }
            return;
        };
        if matches!(record.facts, Facts::Header(_)) {
            if version < 2 {
                self.ordinals.push(NONE);
            }
            self.defects.push(defect(DefectKind::SecondHeader, ""));
            return;
        }
        let kind = record.kind();
        let Record { id, parent, at, facts } = record;
        let made_id = id.is_none();
        let id = id.unwrap_or_else(|| Cow::Owned(self.make_id(place.line)));
        let known = self.find_any(&id);
        if let Some(ix) = known
            && !self.is_ghost(ix)
            && self.heads[ix.at()].kind != Kind::Placeholder
        {
            self.defects.push(defect(DefectKind::DuplicateId, &id));
            if earlier.bytes(self.heads[ix.at()].span).is_some_and(|before| before == bytes) {
                return;
            }
        }
        if at.is_none() {
            self.defects.push(defect(DefectKind::BadTimestamp, &id));
        }
        let mut head = Head { span, at: at.unwrap_or_else(|| self.last_time()), ..self.blank_head(place) };
        head.kind = kind;
        head.flags.set(Flags::MADE_ID, made_id);
        self.fill(&mut head, &facts);
        let ix = self.settle_place(&id, head, known);
        self.link(ix, parent.as_deref(), made_id, place);
        if version < 2 {
            self.ordinals.push(ix.0);
        }
        self.apply(ix, facts);
    }

    /// A v1 line's id: made from its line, the next free one on collision.
    fn make_id(&self, line: u64) -> String {
        let session = self.header.as_ref().map_or("", |header| header.id.as_str());
        let mut attempt = 0;
        loop {
            let id = generated_id(session, line, attempt);
            if self.find_any(&id).is_none() {
                return id;
            }
            attempt += 1;
        }
    }

    /// Gives a record its place: a new one at the end, or that of the first record with its id.
    fn settle_place(&mut self, id: &str, mut head: Head, known: Option<Ix>) -> Ix {
        match known {
            None => self.insert(id, head),
            Some(ix) if self.is_ghost(ix) => {
                // Nobody named the broken line, so it never was a node: the whole record takes its id over.
                if let Ok(entry) = self.by_id.find_entry(hash(id), |other| *other == ix.0) {
                    entry.remove();
                }
                self.insert(id, head)
            }
            Some(ix) => {
                head.id = self.heads[ix.at()].id;
                self.forward.retain(|forward| forward.child != ix);
                self.heads[ix.at()] = head;
                self.relinks += 1;
                ix
            }
        }
    }

    pub(super) fn insert(&mut self, id: &str, mut head: Head) -> Ix {
        let ix = Ix(self.heads.len() as u32);
        if self.is_awaited(id) {
            self.relinks += 1;
        }
        head.id = self.store_text(id);
        self.heads.push(head);
        let Self { by_id, heads, arena, .. } = self;
        by_id.insert_unique(hash(id), ix.0, |other| {
            let slice = heads[*other as usize].id;
            hash(&arena[slice.at as usize..(slice.at + slice.len) as usize])
        });
        ix
    }

    /// Says whether an earlier entry names this one as its parent.
    pub(super) fn is_awaited(&self, id: &str) -> bool {
        self.awaited.contains(id)
    }

    pub(super) fn store_text(&mut self, text: &str) -> Slice {
        let slice = Slice { at: self.arena.len() as u32, len: text.len() as u32 };
        self.arena.push_str(text);
        slice
    }

    pub(super) fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.name_ids.get(name) {
            return *id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.into());
        self.name_ids.insert(name.into(), id);
        id
    }

    fn link(&mut self, ix: Ix, parent: Option<&str>, made_id: bool, place: Place) {
        let parent = match parent {
            None if made_id => {
                let before = (0..ix.0).rev().map(Ix).find(|before| !self.is_ghost(*before));
                before.map_or(NONE, |before| before.0)
            }
            None => NONE,
            Some(id) if id == self.id(ix) => NONE,
            Some(id) => match self.find_any(id) {
                Some(parent) if parent < ix => {
                    self.wake(parent);
                    parent.0
                }
                _ => {
                    self.awaited.insert(id.into());
                    self.forward.push(Forward {
                        child: ix,
                        parent: id.into(),
                        line: place.line,
                        offset: place.offset,
                    });
                    self.relinks += 1;
                    NONE
                }
            },
        };
        self.heads[ix.at()].parent = parent;
    }

    /// Makes nodes of a broken line that an entry names, and of the broken lines that it names in turn.
    fn wake(&mut self, mut ix: Ix) {
        while self.is_ghost(ix) {
            self.heads[ix.at()].flags.set(Flags::GHOST, false);
            self.woken.push(ix);
            if self.is_awaited(self.id(ix)) {
                self.relinks += 1;
            }
            let Some(above) = self.place(self.heads[ix.at()].parent) else { break };
            if self.find_any(self.id(above)).is_some_and(|now| now != above) {
                // A whole record behind this line has taken over the id of the line above: a parent that came late.
                self.parent_comes_late(ix, self.id(above).into());
                break;
            }
            ix = above;
        }
    }

    fn parent_comes_late(&mut self, ix: Ix, parent: String) {
        let offset = self.heads[ix.at()].span.offset;
        let line =
            self.defects.iter().rev().find(|defect| defect.offset == offset).map_or(0, |defect| defect.line);
        self.heads[ix.at()].parent = NONE;
        self.awaited.insert(parent.clone());
        self.forward.push(Forward { child: ix, parent, line, offset });
        self.relinks += 1;
    }

    /// Packs what the kind adds into the head's spare fields.
    pub(super) fn fill(&mut self, head: &mut Head, facts: &Facts<'_>) {
        match facts {
            Facts::Message { role, hook_message, stop, has_text, calls, call, provider, model } => {
                head.role = *role;
                if *hook_message && self.version() < 3 {
                    head.role = Role::Custom;
                    head.flags.set(Flags::HOOK_MESSAGE, true);
                }
                head.stop = stop.unwrap_or(Stop::Absent);
                head.flags.set(Flags::HAS_TEXT, *has_text);
                head.calls = self.calls.len() as u32;
                let ids = if *role == Role::ToolResult { call.as_slice() } else { calls.as_slice() };
                head.calls_len = u16::try_from(ids.len()).unwrap_or(u16::MAX);
                for id in ids.iter().take(usize::from(u16::MAX)) {
                    let slice = self.store_text(id);
                    self.calls.push(slice);
                }
                if *role == Role::Assistant {
                    (head.a, head.b) = self.intern_model(provider.as_deref(), model.as_deref());
                }
            }
            Facts::Compaction { anchor, anchor_index } => {
                let by_index = || self.ordinals.get(usize::try_from((*anchor_index)?).ok()?).copied();
                match (anchor, self.version() < 2) {
                    (Some(id), _) => head.a = self.find_any(id).map_or(UNKNOWN, |ix| ix.0),
                    (None, true) => {
                        head.a = by_index().unwrap_or(NONE);
                        head.flags.set(Flags::MADE_ANCHOR, head.a < UNKNOWN);
                    }
                    (None, false) => {}
                }
            }
            Facts::BranchSummary { has_text, abandoned } => {
                head.flags.set(Flags::HAS_TEXT, *has_text);
                head.a = match abandoned {
                    Some(Some(id)) => self.find_any(id).map_or(UNKNOWN, |ix| ix.0),
                    Some(None) => NONE,
                    None => self.file_leaf.map_or(NONE, |leaf| leaf.0),
                };
            }
            Facts::Model { provider, model } => {
                (head.a, head.b) = self.intern_model(provider.as_deref(), model.as_deref());
            }
            Facts::Thinking(name) | Facts::Mode(name) => head.a = self.intern(name),
            Facts::Label { target, label, undoes, redoes } => {
                head.a = self.label_heads.len() as u32;
                let find = |id: &Option<Cow<'_, str>>| id.as_deref().and_then(|id| self.find_any(id));
                let (undoes, redoes) = (find(undoes), find(redoes));
                let label = label.as_deref().map(String::from);
                self.label_heads.push(LabelHead { target: target.as_ref().into(), label, undoes, redoes });
            }
            Facts::Move { op, from, to, undoes, redoes } => {
                head.a = self.moves.len() as u32;
                let find = |id: &Option<Cow<'_, str>>| id.as_deref().and_then(|id| self.find_any(id));
                let point = |id: &Option<Option<Cow<'_, str>>>| match id {
                    None => Point::Unknown,
                    Some(None) => Point::Root,
                    Some(Some(id)) => self.find_any(id).map_or(Point::Unknown, Point::At),
                };
                let (from, undoes, redoes) = (point(from), find(undoes), find(redoes));
                // A broken line that nobody hangs on is no place to go to.
                let to = match point(to) {
                    Point::At(ix) if self.is_ghost(ix) => Point::Unknown,
                    to => to,
                };
                self.moves.push(MoveHead { op: *op, from, to, undoes, redoes });
            }
            Facts::Detachable(_) => head.flags.set(Flags::DETACHABLE, true),
            Facts::Header(_) | Facts::Name(..) | Facts::Other(_) => {}
        }
    }

    pub(super) fn intern_model(&mut self, provider: Option<&str>, model: Option<&str>) -> (u32, u32) {
        match (provider, model) {
            (Some(provider), Some(model)) => (self.intern(provider), self.intern(model)),
            _ => (NONE, NONE),
        }
    }

    /// Lets an entry do what file order has it do: set a label, the name, the leaf.
    fn apply(&mut self, ix: Ix, facts: Facts<'_>) {
        match facts {
            Facts::Label { target, label, .. } => {
                if label.is_some() {
                    self.labels.insert(target.into_owned(), ix);
                } else {
                    self.labels.remove(target.as_ref());
                }
            }
            Facts::Name(_, name) => self.name = Some(name),
            _ => {}
        }
        let head = &self.heads[ix.at()];
        let leaf = match self.move_head(ix).map(|moved| moved.to) {
            Some(Point::Root) => None,
            Some(Point::At(to)) => Some(to),
            Some(Point::Unknown) => self.place(head.parent),
            None if head.flags.has(Flags::DETACHABLE) && self.place(head.parent) != self.file_leaf => return,
            None => Some(ix),
        };
        (self.leaf, self.file_leaf) = (leaf, leaf);
    }
}

pub(super) fn span(place: Place, at: core::ops::Range<usize>) -> Span {
    Span { offset: place.offset + at.start as u64, len: u32::try_from(at.len()).unwrap_or(u32::MAX) }
}
