//! A set of entries as one bit each, so that a million of them fit into 125 kB.

use alloc::vec::Vec;

use crate::heads::Ix;

#[derive(Clone, Debug, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn has(&self, ix: Ix) -> bool {
        self.0.get(ix.at() / 64).is_some_and(|word| word >> (ix.at() % 64) & 1 == 1)
    }

    pub(super) fn add(&mut self, ix: Ix) {
        let word = ix.at() / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (ix.at() % 64);
    }

    pub(super) fn remove(&mut self, ix: Ix) {
        if let Some(word) = self.0.get_mut(ix.at() / 64) {
            *word &= !(1 << (ix.at() % 64));
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * 8
    }
}
