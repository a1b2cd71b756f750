//! Time, time zone and randomness of the machine.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::{Timestamp as Instant, tz::TimeZone};
use naite_store::Supply;
use naite_store::context::Calendar;
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

/// The machine's time zone, read once (`TZ`, else the system's).
#[derive(Clone, Debug)]
pub struct SystemCalendar(TimeZone);

impl Default for SystemCalendar {
    fn default() -> Self {
        Self(TimeZone::system())
    }
}

impl Calendar for SystemCalendar {
    fn day(&self, at: i64) -> String {
        self.0.to_datetime(Instant::from_millisecond(at).unwrap_or_default()).date().to_string()
    }

    fn local(&self, at: i64) -> String {
        let seconds = Instant::from_second(at.div_euclid(1000)).unwrap_or_default();
        seconds.display_with_offset(self.0.to_offset(seconds)).to_string()
    }
}
