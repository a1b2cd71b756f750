//! Time, time zone and randomness of the machine.

use std::path::{Path, PathBuf};
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
        Self(zone_file().and_then(|file| read_zone(&file)).unwrap_or_else(TimeZone::system))
    }
}

/// The file of the machine's time zone, if it is plain which one that is: a search for its name through all zones, as
/// `TimeZone::system` does it, takes a hook longer than all else that it does before it writes.
fn zone_file() -> Option<PathBuf> {
    let Some(name) = crate::env::time_zone() else { return Some("/etc/localtime".into()) };
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte));
    (is_name && !name.starts_with('/')).then(|| Path::new("/usr/share/zoneinfo").join(name))
}

fn read_zone(file: &Path) -> Option<TimeZone> {
    TimeZone::tzif("local", &std::fs::read(file).ok()?).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_that_is_read_directly_is_the_one_that_a_search_finds() {
        for name in ["Asia/Seoul", "America/St_Johns", "UTC"] {
            let file = Path::new("/usr/share/zoneinfo").join(name);
            // A machine may have no zones at all.
            let Some(read) = read_zone(&file) else { continue };
            let (read, found) = (SystemCalendar(read), SystemCalendar(TimeZone::get(name).expect("a zone")));
            for at in [0, 1_775_818_800_000, 1_783_000_000_123, -1, 4_000_000_000_000] {
                assert_eq!((read.day(at), read.local(at)), (found.day(at), found.local(at)), "{name}");
            }
        }
        assert!(read_zone(Path::new("/nowhere")).is_none());
    }
}
