//! Times of entries: ISO-8601 text in files, Unix milliseconds everywhere else.

use alloc::string::String;

/// Reads an ISO time into Unix milliseconds; a time without an offset counts as UTC. `None` if unreadable.
///
/// ```
/// assert_eq!(naite_core::entry::millis("1970-01-01T00:00:01.500Z"), Some(1500));
/// assert_eq!(naite_core::entry::millis("1970-01-01T09:00:00+09:00"), Some(0));
/// assert_eq!(naite_core::entry::millis("yesterday"), None);
/// ```
pub fn millis(text: &str) -> Option<i64> {
    usual_form(text.as_bytes()).or_else(|| any_form(text))
}

/// Writes Unix milliseconds as ISO UTC with milliseconds, as the peers do.
///
/// ```
/// assert_eq!(naite_core::entry::iso(1500), "1970-01-01T00:00:01.500Z");
/// ```
pub fn iso(millis: i64) -> String {
    if (0..LAST_YEAR).contains(&millis) {
        return usual_text(millis);
    }
    let instant = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    alloc::format!("{instant:.3}")
}

/// The beginning of the year 9999, in the last days of which jiff ends.
const LAST_YEAR: i64 = 253_370_764_800_000;

/// Writes a time from 1970 on, of a year of four digits, in the form that every peer writes.
fn usual_text(millis: i64) -> String {
    let (day, time) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, date) = civil(day);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let parts = [
        (0, 4, year),
        (5, 2, month),
        (8, 2, date),
        (11, 2, time / 3_600_000),
        (14, 2, time / 60_000 % 60),
        (17, 2, time / 1000 % 60),
        (20, 3, time % 1000),
    ];
    for (start, len, mut number) in parts {
        for digit in text[start..start + len].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
    String::from(core::str::from_utf8(&text).unwrap_or_default())
}

/// Year, month and day of a day counted from 1970-01-01: what [`days`] counts, taken apart again.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year;
    if month < 10 { (year, month + 3, date) } else { (year + 1, month - 9, date) }
}

/// The form that every peer writes, `2026-03-01T09:00:01.000Z`: one read in a few nanoseconds per entry.
fn usual_form(text: &[u8]) -> Option<i64> {
    let [
        y0,
        y1,
        y2,
        y3,
        b'-',
        mo0,
        mo1,
        b'-',
        d0,
        d1,
        b'T',
        h0,
        h1,
        b':',
        mi0,
        mi1,
        b':',
        s0,
        s1,
        b'.',
        f0,
        f1,
        f2,
        b'Z',
    ] = text
    else {
        return None;
    };
    let number = |digits: &[&u8]| {
        digits
            .iter()
            .try_fold(0i64, |n, digit| digit.is_ascii_digit().then(|| n * 10 + i64::from(**digit - b'0')))
    };
    let (year, month, day) = (number(&[y0, y1, y2, y3])?, number(&[mo0, mo1])?, number(&[d0, d1])?);
    let (hour, minute, second) = (number(&[h0, h1])?, number(&[mi0, mi1])?, number(&[s0, s1])?);
    let valid = (1970..=9998).contains(&year)
        && (1..=12).contains(&month)
        && (1..=28).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    valid.then_some(seconds * 1000 + number(&[f0, f1, f2])?)
}

/// Days from 1970-01-01 in the Gregorian calendar, counting years from March so that leap days come last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468
}

fn any_form(text: &str) -> Option<i64> {
    use jiff::civil::{Date, DateTime};
    use jiff::tz::TimeZone;
    let text = text.trim();
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some(instant.as_millisecond());
    }
    let civil =
        text.parse::<DateTime>().or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0))).ok()?;
    TimeZone::UTC.to_timestamp(civil).ok().map(|instant| instant.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_writing_agrees_with_the_full_one() {
        let full = |at| jiff::Timestamp::from_millisecond(at).map(|instant| alloc::format!("{instant:.3}"));
        for at in (0..LAST_YEAR).step_by(86_399_993 * 7).chain([LAST_YEAR - 1, 951_782_400_000]) {
            assert_eq!(Ok(iso(at)), full(at).map_err(drop), "{at}");
        }
    }

    #[test]
    fn the_quick_reading_agrees_with_the_full_one() {
        for step in 0..40_000i64 {
            let at = step * 86_400_000 / 7 * 5 + step * 7919;
            let text = iso(at);
            assert_eq!(millis(&text), Some(at), "{text}");
            assert_eq!(any_form(&text), Some(at), "{text}");
        }
    }

    #[test]
    fn odd_forms_are_read_or_refused() {
        for (text, at) in [
            ("2026-01-31T00:00:00.000Z", Some(1_769_817_600_000)),
            ("2026-02-31T00:00:00.000Z", None),
            ("2026-01-31", Some(1_769_817_600_000)),
            ("2026-01-31T00:00:00", Some(1_769_817_600_000)),
            ("2026-01-31T09:00:00.5+09:00", Some(1_769_817_600_500)),
            ("", None),
            ("12", None),
        ] {
            assert_eq!(millis(text), at, "{text:?}");
        }
    }
}
