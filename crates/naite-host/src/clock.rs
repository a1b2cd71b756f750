//! Time and randomness of the machine.

use std::time::{SystemTime, UNIX_EPOCH};

use naite_store::Supply;
use uuid::{NoContext, Timestamp, Uuid};

/// The machine's clock and random numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSupply;

impl SystemSupply {
    /// Now, in Unix milliseconds.
    pub fn millis() -> i64 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_millis() as i64,
            Err(before) => -(before.duration().as_millis() as i64),
        }
    }
}

impl Supply for SystemSupply {
    fn now(&mut self) -> i64 {
        Self::millis()
    }

    fn bits(&mut self) -> u32 {
        // The first field of a version 4 UUID is random throughout.
        Uuid::new_v4().as_fields().0
    }

    fn session_id(&mut self, now: i64) -> String {
        let (seconds, millis) = (now.max(0) / 1000, now.max(0) % 1000);
        let at = Timestamp::from_unix(NoContext, seconds as u64, millis as u32 * 1_000_000);
        Uuid::new_v7(at).to_string()
    }
}
