//! Time and ids that are the same in every run.

use naite_store::Supply;

/// Counts where the real supply asks the clock and the system: entries `00000001`, `00000002`, … one second apart.
#[derive(Clone, Debug)]
pub struct Counting {
    now: i64,
    entries: u32,
    sessions: u32,
}

impl Default for Counting {
    fn default() -> Self {
        Self::from(1)
    }
}

impl Counting {
    /// Starts entry ids at `first`, so that two writers of one file do not meet.
    pub fn from(first: u32) -> Self {
        // 2026-03-01T09:00:00Z, as in the conformance files.
        Self { now: 1_772_355_600_000, entries: first - 1, sessions: first - 1 }
    }

    /// The same in a box, as a session wants it.
    pub fn boxed() -> Box<dyn Supply> {
        Box::new(Self::default())
    }
}

impl Supply for Counting {
    fn now(&mut self) -> i64 {
        self.now += 1_000;
        self.now
    }

    fn bits(&mut self) -> u32 {
        self.entries += 1;
        self.entries
    }

    fn session_id(&mut self, _now: i64) -> String {
        self.sessions += 1;
        format!("0195a000-0000-7000-8000-{:012x}", self.sessions)
    }
}
