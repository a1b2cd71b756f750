//! The strings inside JSON text, changed one by one; everything between them stays byte for byte.

use alloc::borrow::Cow;
use alloc::string::String;

use naite_core::text::json;

/// Offers each string of JSON text, unescaped: a key with an empty first argument, a value with the key that stands
/// last before it. What comes back takes its place. Text that is no JSON is walked through in the same way.
///
/// ```
/// use naite_context::strings::change;
/// let changed = change(r#"{"n": 1.50, "a":["x","y"]}"#, |key, text| (key == "a" && text == "x").then(|| "z".into()));
/// assert_eq!(changed, r#"{"n": 1.50, "a":["z","y"]}"#);
/// ```
pub fn change(raw: &str, mut by: impl FnMut(&str, &str) -> Option<String>) -> Cow<'_, str> {
    let (mut out, mut kept) = (String::new(), 0);
    let (mut at, mut key) = (0, Cow::Borrowed(""));
    while let Some(start) = memchr::memchr(b'"', &raw.as_bytes()[at..]).map(|step| at + step) {
        let Some(end) = string_end(raw.as_bytes(), start) else { break };
        let text = json::string(&raw[start..end]).unwrap_or_default();
        let is_key = raw[end..].trim_ascii_start().starts_with(':');
        if let Some(new) = by(if is_key { "" } else { &key }, &text) {
            out.push_str(&raw[kept..start]);
            out.push_str(&json::quote(&new));
            kept = end;
        }
        if is_key {
            key = text;
        }
        at = end;
    }
    if kept == 0 {
        return Cow::Borrowed(raw);
    }
    out.push_str(&raw[kept..]);
    Cow::Owned(out)
}

/// The end of the JSON string that starts at `start`, behind its closing quote.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}
