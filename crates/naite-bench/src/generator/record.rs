//! Writes records as pi does: keys in the order type, id, parentId, timestamp, then the rest; no spaces, raw UTF-8.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use naite_core::entry::iso;

/// "No parent" in [`Records::parents`].
pub(super) const NONE: u32 = u32::MAX;

/// The log so far: where the leaf is, and who hangs on whom.
#[derive(Debug)]
pub(super) struct Records<W> {
    out: W,
    /// The record being written; `write!` to it cannot fail.
    pub(super) line: String,
    seed: u32,
    /// Parents by place.
    pub(super) parents: Vec<u32>,
    pub(super) leaf: u32,
    /// Unix milliseconds of the last record.
    pub(super) now: i64,
    pub(super) bytes: u64,
}

impl<W: Write> Records<W> {
    /// Starts a log with its header.
    pub(super) fn new(out: W, seed: u64) -> io::Result<Self> {
        let seed = (seed as u32).wrapping_mul(0x9e37_79b9);
        let now = 1_764_000_000_000;
        let mut records =
            Self { out, line: String::new(), seed, parents: Vec::new(), leaf: NONE, now, bytes: 0 };
        records.add(format_args!(
            r#"{{"type":"session","version":3,"id":"0197bbbb-0000-7000-8000-0000{seed:08x}","timestamp":"{}","cwd":"/home/user/project""#,
            iso(now)
        ));
        records.end_line()?;
        Ok(records)
    }

    /// Starts a record under the leaf, `step` milliseconds after the last one.
    pub(super) fn begin(&mut self, kind: &str, step: usize) {
        self.now += step as i64;
        let (id, at) = (self.id(self.parents.len() as u32), iso(self.now));
        self.add(format_args!(r#"{{"type":"{kind}","id":"{id:08x}","parentId":"#));
        match self.leaf {
            NONE => self.line.push_str("null"),
            leaf => {
                let parent = self.id(leaf);
                self.add(format_args!("\"{parent:08x}\""));
            }
        }
        self.add(format_args!(r#","timestamp":"{at}","#));
    }

    /// Ends a record; it is the leaf now.
    pub(super) fn end(&mut self) -> io::Result<u32> {
        let place = self.parents.len() as u32;
        self.parents.push(self.leaf);
        self.leaf = place;
        self.end_line()?;
        Ok(place)
    }

    /// Appends to the record being written.
    pub(super) fn add(&mut self, text: fmt::Arguments<'_>) {
        let written = self.line.write_fmt(text);
        debug_assert!(written.is_ok(), "a String takes everything");
    }

    /// The id of the record at a place: a mixture that meets every 32-bit number once, so that no id comes twice.
    pub(super) fn id(&self, place: u32) -> u32 {
        let mixed = (place ^ self.seed).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0xc2b2_ae35);
        mixed ^ (mixed >> 15)
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.line.push_str("}\n");
        self.bytes += self.line.len() as u64;
        self.out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }

    /// Hands everything to the system.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
