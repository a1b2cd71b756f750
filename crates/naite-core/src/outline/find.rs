//! Incremental search: the folded text of entries in few big pieces, and a scan of it that goes outwards from a place.
//!
//! A scan is made in steps, so that a screen stays awake while hundreds of megabytes are looked through. A longer
//! query never looks again at what the shorter one ruled out.

use alloc::string::String;
use alloc::vec::Vec;

use super::bits::Bits;
use super::rows::Order;
use crate::heads::Ix;
use crate::text::Needles;

/// Bytes of the smallest and of the largest piece of text memory: a sixteenth of what is held already lies between.
const PIECES: (usize, usize) = (1 << 16, 1 << 20);
/// Entries on each side whose text is asked for at once.
const BATCH: usize = 64;
/// What looking at one entry costs besides its bytes, in bytes.
const TOUCH: usize = 64;

/// The folded text of entries (see [`super::search_text`]).
#[derive(Clone, Debug, Default)]
pub struct Texts {
    pieces: Vec<String>,
    /// For each entry its piece (from 1; 0 is "not there"), where it starts and how long it is.
    places: Vec<(u32, u32, u32)>,
    /// The piece that is being filled.
    open: usize,
    held: usize,
}

impl Texts {
    /// Takes in the text of an entry.
    pub fn put(&mut self, ix: Ix, text: &str) {
        if self.places.len() <= ix.at() {
            self.places.resize(ix.at() + 1, (0, 0, 0));
        }
        let room = |piece: &String| piece.capacity() - piece.len();
        let size = (self.held / 16).clamp(PIECES.0, PIECES.1);
        // A long text gets a piece of its own, so that pieces are at least 15/16 full.
        let at = if text.len() > size / 16 {
            self.pieces.push(String::with_capacity(text.len()));
            self.pieces.len() - 1
        } else {
            if self.pieces.get(self.open).map_or(0, room) < text.len() {
                self.pieces.push(String::with_capacity(size));
                self.open = self.pieces.len() - 1;
            }
            self.open
        };
        let Some(piece) = self.pieces.get_mut(at) else { return };
        let start = piece.len() as u32;
        piece.push_str(text);
        self.held += text.len();
        self.places[ix.at()] = (at as u32 + 1, start, text.len() as u32);
    }

    /// Forgets the text of an entry whose words changed.
    pub fn forget(&mut self, ix: Ix) {
        if let Some(place) = self.places.get_mut(ix.at()) {
            self.held -= place.2 as usize;
            *place = (0, 0, 0);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The text of an entry, if it is there.
    pub fn get(&self, ix: Ix) -> Option<&str> {
        let (piece, start, len) = *self.places.get(ix.at())?;
        let piece = self.pieces.get((piece as usize).checked_sub(1)?)?;
        piece.get(start as usize..(start + len) as usize)
    }

    /// Bytes of text that it holds.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        let pieces: usize = self.pieces.iter().map(String::capacity).sum();
        pieces + self.pieces.capacity() * size_of::<String>() + self.places.capacity() * 12
    }
}

/// How far a scan is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to look at.
    More,
    /// The texts of these entries are needed first.
    Wants(Vec<Ix>),
    /// Everything was looked at.
    Done,
}

/// A search under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Find {
    pub(super) query: String,
    needles: Needles,
    pub(super) hits: Bits,
    misses: Bits,
    /// Rows of the order above the start that are not looked at yet: `..above`.
    above: usize,
    /// Those below: `below..`.
    below: usize,
    done: bool,
}

impl Find {
    /// Starts looking, outwards from a place in the row order.
    pub(super) fn start(&mut self, query: &str, from: usize) {
        let needles = Needles::new(query);
        if !needles.narrow(&self.needles) {
            self.misses.clear();
        }
        (self.needles, self.query) = (needles, query.into());
        self.restart(from);
    }

    /// Looks again at everything that was not ruled out.
    pub(super) fn restart(&mut self, from: usize) {
        self.hits.clear();
        (self.above, self.below, self.done) = (from, from, self.needles.is_empty());
    }

    /// Looks again at an entry whose words changed.
    pub(super) fn reconsider(&mut self, ix: Ix) {
        self.misses.remove(ix);
    }

    pub(super) fn forget_misses(&mut self) {
        self.misses.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    pub(super) fn needles(&self) -> &Needles {
        &self.needles
    }

    /// How many of the entries were looked at.
    pub(super) fn looked_at(&self, order: &Order) -> usize {
        let all = order.entries().len();
        all - self.above.min(all) - all.saturating_sub(self.below)
    }

    /// Looks at about `budget` bytes of text, nearest first.
    pub(super) fn step(
        &mut self,
        order: &Order,
        texts: &Texts,
        passes: impl Fn(Ix) -> bool,
        budget: usize,
    ) -> Progress {
        let entries = order.entries();
        let mut left = budget;
        while !self.done {
            let Some((at, is_above)) = self.next(entries.len()) else {
                self.done = true;
                break;
            };
            let ix = entries[at];
            if passes(ix) && !self.misses.has(ix) {
                let Some(text) = texts.get(ix) else {
                    return Progress::Wants(self.wanted(entries, texts, &passes));
                };
                if self.needles.match_folded(text) {
                    self.hits.add(ix);
                } else {
                    self.misses.add(ix);
                }
                left = left.saturating_sub(text.len() + TOUCH);
            }
            if is_above {
                self.above = at;
            } else {
                self.below = at + 1;
            }
            if left == 0 {
                return Progress::More;
            }
        }
        Progress::Done
    }

    /// The next place to look at: the nearer end, the lower one first.
    fn next(&self, all: usize) -> Option<(usize, bool)> {
        let (above, below) = (self.above, self.below);
        let start = self.above + (self.below - self.above) / 2;
        match (above > 0, below < all) {
            (false, false) => None,
            (true, false) => Some((above - 1, true)),
            (false, true) => Some((below, false)),
            (true, true) if start - above < below - start => Some((above - 1, true)),
            (true, true) => Some((below, false)),
        }
    }

    /// The texts to ask for: of the entries on both sides of what was looked at, the nearest first.
    fn wanted(&self, entries: &[Ix], texts: &Texts, passes: impl Fn(Ix) -> bool) -> Vec<Ix> {
        let is_wanted = |ix: &Ix| passes(*ix) && !self.misses.has(*ix) && texts.get(*ix).is_none();
        let mut below = entries[self.below..].iter().copied().take(4 * BATCH).filter(is_wanted).take(BATCH);
        let mut above =
            entries[..self.above].iter().rev().copied().take(4 * BATCH).filter(is_wanted).take(BATCH);
        let mut wanted = Vec::with_capacity(2 * BATCH);
        loop {
            let pair = (below.next(), above.next());
            wanted.extend(pair.0.into_iter().chain(pair.1));
            if pair == (None, None) {
                return wanted;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.hits.bytes() + self.misses.bytes() + self.query.capacity()
    }
}
