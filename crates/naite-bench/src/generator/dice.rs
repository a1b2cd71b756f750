//! Throws seeded dice: the same seed gives the same session on every run.

/// SplitMix64: one multiplication a throw, and good enough for sizes and choices.
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A number from `low` up to, not including, `end`.
    pub(super) fn between(&mut self, low: usize, end: usize) -> usize {
        low + self.below(end - low)
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn chance(&mut self, likely: f64) -> bool {
        self.unit() < likely
    }

    pub(super) fn exponential(&mut self, mean: f64) -> usize {
        (-(1.0 - self.unit()).ln() * mean) as usize
    }

    /// A size in bytes with a long tail upwards, as those of messages and tool results are.
    pub(super) fn size(&mut self, mean: f64, spread: f64, limits: (f64, f64)) -> usize {
        let (radius, turn) = ((-2.0 * (1.0 - self.unit()).ln()).sqrt(), self.unit() * std::f64::consts::TAU);
        let normal = radius * turn.cos();
        let size = (mean.ln() - spread * spread / 2.0 + spread * normal).exp();
        size.max(limits.0).min(limits.1) as usize
    }
}
