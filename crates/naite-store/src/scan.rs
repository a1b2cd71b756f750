//! A log read once, in reused windows, line by line into the tree.

use naite_core::entry::{Header, Span};
use naite_core::{Earlier, Place, Tree};

use crate::error::{Refusal, Result, StoreError};
use crate::log::{LogName, Store};

/// Bytes of a window: large enough to run at the speed of memory, small enough to stay in a cache.
const WINDOW: usize = 512 * 1024;
/// Bytes of a line of a large session, on average (measured on real ones: 1,000 to 2,400).
const USUAL_LINE: u64 = 2_048;
/// Bytes that hold nearly every header.
const HEADER_WINDOW: usize = 4 * 1024;

/// Reads a log through its store, for the rare look back at an earlier record.
pub(crate) struct LookBack<'a> {
    pub(crate) store: &'a mut dyn Store,
    pub(crate) log: &'a LogName,
}

impl Earlier for LookBack<'_> {
    fn bytes(&mut self, span: Span) -> Option<Vec<u8>> {
        let mut bytes = vec![0; span.len as usize];
        let read = self.store.read(self.log, span.offset, &mut bytes).ok()?;
        (read == bytes.len()).then_some(bytes)
    }
}

/// Takes in everything from where the tree ends to `end`. Stops early where the file turns out to be no session.
pub(crate) fn scan(store: &mut dyn Store, log: &LogName, tree: &mut Tree, end: u64) -> Result<()> {
    Window::default().scan(store, log, tree, end)
}

/// Reads no more of a log than its header.
pub fn read_header(store: &mut dyn Store, log: &LogName) -> Result<Header> {
    let missing = || StoreError::NotFound { path: log.path().into() };
    let end = store.stat(log)?.ok_or_else(missing)?.len;
    let mut tree = Tree::default();
    let mut window = Window { bytes: vec![0; HEADER_WINDOW], filled: 0, offset: 0 };
    let mut line = 1;
    loop {
        let ended = window.fill(store, log, end)?;
        let mut used = 0;
        while tree.heads().header().is_none() && !tree.heads().is_refused() {
            let rest = &window.bytes[used..window.filled];
            let (bytes, whole) = match memchr::memchr(b'\n', rest) {
                Some(at) => (&rest[..at], true),
                None if ended && !rest.is_empty() => (rest, false),
                None => break,
            };
            let place = Place { line, offset: window.offset + used as u64, ended: whole };
            tree.line(bytes, place, &mut &b""[..]);
            (line, used) = (line + 1, used + bytes.len() + usize::from(whole));
        }
        if let Some(header) = tree.heads().header() {
            return Ok(header.clone());
        }
        if ended || tree.heads().is_refused() {
            return Err(StoreError::NotASession { path: log.path().into(), why: Refusal::NoHeader });
        }
        window.shift(used);
    }
}

/// A part of a log in memory. Who reads many logs uses the same one for all.
#[derive(Default)]
pub(crate) struct Window {
    bytes: Vec<u8>,
    filled: usize,
    offset: u64,
}

impl Window {
    /// Takes in everything from where the tree ends to `end`, as [`scan`] does.
    pub(crate) fn scan(
        &mut self,
        store: &mut dyn Store,
        log: &LogName,
        tree: &mut Tree,
        end: u64,
    ) -> Result<()> {
        self.begin(tree.heads().end(), end);
        let mut line = tree.heads().lines() + 1;
        tree.reserve(usize::try_from(end.saturating_sub(self.offset) / USUAL_LINE).unwrap_or(0));
        loop {
            let ended = self.fill(store, log, end)?;
            let mut used = 0;
            for at in memchr::memchr_iter(b'\n', &self.bytes[..self.filled]) {
                let place = Place { line, offset: self.offset + used as u64, ended: true };
                tree.line(&self.bytes[used..at], place, &mut LookBack { store, log });
                line += 1;
                used = at + 1;
                if tree.heads().is_refused() {
                    return Ok(());
                }
            }
            if ended {
                if used < self.filled {
                    let place = Place { line, offset: self.offset + used as u64, ended: false };
                    tree.line(&self.bytes[used..self.filled], place, &mut LookBack { store, log });
                }
                break;
            }
            self.shift(used);
        }
        tree.settle();
        Ok(())
    }

    /// The bytes at a place of the log that was read last, if they are still here.
    pub(crate) fn bytes(&self, span: Span) -> Option<&[u8]> {
        let start = usize::try_from(span.offset.checked_sub(self.offset)?).ok()?;
        self.bytes[..self.filled].get(start..start.checked_add(span.len as usize)?)
    }

    /// Empties the window and makes it large enough for a log of which `start` to `end` is to be read.
    fn begin(&mut self, start: u64, end: u64) {
        // One byte more than a short log, so that its end is met without growing the window.
        let wanted = usize::try_from(end.saturating_sub(start) + 1).unwrap_or(WINDOW);
        let wanted = wanted.clamp(HEADER_WINDOW, WINDOW);
        self.give_back();
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted, 0);
        }
        (self.filled, self.offset) = (0, start);
    }

    /// Reads until the window is full or the log ends; says whether it ended.
    fn fill(&mut self, store: &mut dyn Store, log: &LogName, end: u64) -> Result<bool> {
        if self.filled == self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        let start = self.offset + self.filled as u64;
        let room =
            (self.bytes.len() - self.filled).min(usize::try_from(end - start.min(end)).unwrap_or(usize::MAX));
        let read = store.read(log, start, &mut self.bytes[self.filled..self.filled + room])?;
        self.filled += read;
        Ok(read < room || start + read as u64 >= end)
    }

    /// Keeps what is not used yet.
    fn shift(&mut self, used: usize) {
        self.bytes.copy_within(used..self.filled, 0);
        self.filled -= used;
        self.offset += used as u64;
        if self.filled < WINDOW / 2 {
            self.give_back();
        }
    }

    /// Gives back what one huge line took.
    fn give_back(&mut self) {
        if self.bytes.len() > 2 * WINDOW {
            self.bytes.truncate(WINDOW);
            self.bytes.shrink_to_fit();
        }
    }
}
