//! omp's title slot: a first line of exactly 256 bytes that a rename overwrites in place.

use alloc::string::String;
use alloc::vec::Vec;

use crate::text;
use crate::text::json::{self, Object, ObjectWriter};

/// A title slot that was read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TitleSlot {
    /// The title; empty removes the header's.
    pub title: String,
    /// `auto` or `user`.
    pub source: Option<String>,
}

impl TitleSlot {
    /// The size of a slot with its line end, in bytes (`session-format.md` §2).
    pub const BYTES: usize = 256;

    /// Reads a first physical line (without its `\n`); `None` unless it is strictly a slot.
    pub fn read(line: &[u8]) -> Option<Self> {
        if line.len() + 1 != Self::BYTES {
            return None;
        }
        let fields = Object::parse(core::str::from_utf8(line).ok()?)?;
        let known = fields
            .fields()
            .all(|(key, _)| ["type", "v", "title", "source", "updatedAt", "pad"].contains(&key));
        if !known || fields.str("type")? != "title" || fields.u64("v")? != 1 {
            return None;
        }
        fields.str("updatedAt")?;
        fields.str("pad")?;
        Some(Self {
            title: fields.str("title")?.trim().into(),
            source: fields.str("source").map(|s| s.into_owned()),
        })
    }

    /// Writes a slot of exactly [`Self::BYTES`]; a title that is too long is cut between graphemes.
    pub fn write(title: &str, updated_at: &str) -> Vec<u8> {
        let mut title = title.trim();
        loop {
            let slot = |pad: usize| {
                ObjectWriter::new()
                    .str("type", "title")
                    .display("v", 1)
                    .str("title", title)
                    .str("source", "user")
                    .str("updatedAt", updated_at)
                    .raw("pad", &json::quote(&" ".repeat(pad)))
                    .end()
            };
            let bare = slot(0).len() + 1;
            if bare <= Self::BYTES {
                let mut bytes = slot(Self::BYTES - bare).into_bytes();
                bytes.push(b'\n');
                return bytes;
            }
            let over = bare - Self::BYTES;
            let shorter = text::prefix_bytes(title, title.len().saturating_sub(over.div_ceil(6).max(1)));
            title = if shorter.len() < title.len() { shorter } else { "" };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_title_fits_and_reads_back() {
        let long = "나무 🌳 \"따옴표\"\n".repeat(40);
        for title in ["", "짧은 이름", "x", long.as_str()] {
            let bytes = TitleSlot::write(title, "2026-03-01T09:00:00.000Z");
            assert_eq!(bytes.len(), TitleSlot::BYTES);
            let slot = TitleSlot::read(&bytes[..TitleSlot::BYTES - 1]).expect("a slot");
            assert!(title.trim().starts_with(&slot.title), "{title:?} → {:?}", slot.title);
            assert!(!slot.title.is_empty() || title.is_empty());
        }
    }
}
