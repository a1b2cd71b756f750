//! JSON kept as text: objects whose values stay raw, so that nothing stored is changed by being read.
//!
//! Big integers, lone surrogates and 200-level nesting pass through untouched, since values are only skipped
//! over (iteratively) until somebody asks for one of them.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON object in the order of its text; of a repeated key the last value counts, as in JavaScript.
#[derive(Clone, Debug, Default)]
pub struct Object<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Object<'a> {
    /// Reads the text of one JSON object; `None` if it is anything else.
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The raw text of a value.
    pub fn raw(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The raw text of a value that is there and not `null`.
    pub fn present(&self, key: &str) -> Option<&'a str> {
        self.raw(key).filter(|raw| *raw != "null")
    }

    /// A string value, unescaped; lone surrogates become U+FFFD. `None` for any other type.
    pub fn str(&self, key: &str) -> Option<Cow<'a, str>> {
        self.raw(key).and_then(string)
    }

    /// A non-negative whole number.
    pub fn u64(&self, key: &str) -> Option<u64> {
        let raw = self.raw(key)?;
        raw.parse().ok().or_else(|| raw.parse::<f64>().ok().filter(|n| *n >= 0.0).map(|n| n as u64))
    }

    /// A boolean.
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.raw(key)?.parse().ok()
    }

    /// A nested object.
    pub fn object(&self, key: &str) -> Option<Object<'a>> {
        self.raw(key).and_then(Object::parse)
    }

    /// Keys and raw values in the order of the text.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(Cow<'de, str>, &'de str)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(8);
                while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    fields.push((string(name.get()).unwrap_or_default(), value.get()));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Fields).map(Object)
    }
}

/// Reads the text of a JSON array into its raw elements; `None` if it is anything else.
pub fn array(text: &str) -> Option<Vec<&str>> {
    struct Raws<'a>(Vec<&'a str>);
    impl<'de: 'a, 'a> Deserialize<'de> for Raws<'a> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Elements;
            impl<'de> Visitor<'de> for Elements {
                type Value = Vec<&'de str>;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an array")
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                    let mut raws = Vec::new();
                    while let Some(raw) = seq.next_element::<&RawValue>()? {
                        raws.push(raw.get());
                    }
                    Ok(raws)
                }
            }
            deserializer.deserialize_seq(Elements).map(Raws)
        }
    }
    serde_json::from_str::<Raws<'_>>(text).ok().map(|raws| raws.0)
}

/// Unescapes the text of a JSON string; `None` if it is anything else. Lone surrogates become U+FFFD.
pub fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.trim_ascii().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let (c, used) = escape(&rest[at..]);
        text.push(c);
        rest = &rest[at + used..];
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// Reads one escape (`rest` begins with a backslash): the character and how many bytes it took.
fn escape(rest: &str) -> (char, usize) {
    let plain = match rest.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode_escape(rest),
        Some(&byte) if byte.is_ascii() => char::from(byte),
        _ => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (plain, 2)
}

fn unicode_escape(rest: &str) -> (char, usize) {
    match hex4(rest) {
        Some(high @ 0xd800..=0xdbff) => match rest.get(6..).and_then(hex4) {
            Some(low @ 0xdc00..=0xdfff) => {
                let code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(low) - 0xdc00);
                (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
            }
            _ => (char::REPLACEMENT_CHARACTER, 6),
        },
        Some(code) => (char::from_u32(u32::from(code)).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
        None => (char::REPLACEMENT_CHARACTER, 2),
    }
}

fn hex4(rest: &str) -> Option<u16> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// Replaces lone surrogate escapes in raw JSON by `\ufffd`, so that every reader accepts the text.
pub fn mend_surrogates(raw: &str) -> Cow<'_, str> {
    if memchr::memmem::find(raw.as_bytes(), b"\\u").is_none() {
        return Cow::Borrowed(raw);
    }
    let (mut mended, mut kept, mut at) = (String::new(), 0, 0);
    while let Some(step) = memchr::memchr(b'\\', &raw.as_bytes()[at..]) {
        at += step;
        let code = hex4(&raw[at..]);
        let (_, used) = escape(&raw[at..]);
        if code.is_some_and(|code| (0xd800..=0xdfff).contains(&code)) && used == 6 {
            mended.push_str(&raw[kept..at]);
            mended.push_str("\\ufffd");
            kept = at + used;
        }
        at += used;
    }
    if kept == 0 {
        return Cow::Borrowed(raw);
    }
    mended.push_str(&raw[kept..]);
    Cow::Owned(mended)
}

/// Says whether the raw text of a JSON string is empty or white space, without unescaping it.
pub fn is_blank_string(raw: &str) -> bool {
    let mut rest = raw.trim_ascii().trim_matches('"');
    while let Some(c) = rest.chars().next() {
        let (c, used) = if c == '\\' { escape(rest) } else { (c, c.len_utf8()) };
        if !c.is_whitespace() {
            return false;
        }
        rest = &rest[used..];
    }
    true
}

/// Writes JSON objects by hand where raw values must go in as they are.
#[derive(Debug)]
pub struct ObjectWriter(String);

impl Default for ObjectWriter {
    fn default() -> Self {
        Self(String::from("{"))
    }
}

impl ObjectWriter {
    /// Starts an object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts an object of about this many bytes.
    pub fn with_room(bytes: usize) -> Self {
        Self::in_place_of(String::new(), bytes)
    }

    /// Starts an object of about this many bytes in the memory of a text, which is lost.
    pub(crate) fn in_place_of(mut text: String, bytes: usize) -> Self {
        text.clear();
        text.reserve(bytes);
        text.push('{');
        Self(text)
    }

    /// Adds a value that is JSON text already.
    pub fn raw(mut self, key: &str, raw: &str) -> Self {
        self.key(key);
        self.0.push_str(raw);
        self
    }

    /// Adds a string.
    pub fn str(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        push_quoted(&mut self.0, value);
        self
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_quoted(&mut self.0, key);
        self.0.push(':');
    }

    /// Adds a string or `null`.
    pub fn str_or_null(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.str(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// Adds a string if there is one.
    pub fn maybe_str(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.str(key, value),
            None => self,
        }
    }

    /// Adds raw JSON if there is some.
    pub fn maybe_raw(self, key: &str, raw: Option<&str>) -> Self {
        match raw {
            Some(raw) => self.raw(key, raw),
            None => self,
        }
    }

    /// Adds anything that prints as JSON (numbers, booleans).
    pub fn display(self, key: &str, value: impl fmt::Display) -> Self {
        self.raw(key, &alloc::format!("{value}"))
    }

    /// Adds the fields of another object that `keep` lets through, their values as they stand.
    pub fn fields(self, object: &Object<'_>, keep: impl Fn(&str) -> bool) -> Self {
        object.fields().filter(|(key, _)| keep(key)).fold(self, |writer, (key, raw)| writer.raw(key, raw))
    }

    /// Ends the object.
    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// Writes a JSON string behind a text; most have nothing to escape and are copied.
fn push_quoted(out: &mut String, text: &str) {
    if !is_plain(text.as_bytes()) {
        return out.push_str(&quote(text));
    }
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// Says whether a text has nothing that a JSON string must escape.
fn is_plain(text: &[u8]) -> bool {
    let is_odd = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    // Eight at a time and without a branch for each.
    let (words, rest) = text.as_chunks::<8>();
    let is_odd_word = |word: &[u8; 8]| word.iter().fold(false, |odd, byte| odd | is_odd(*byte));
    !words.iter().any(is_odd_word) && !rest.iter().fold(false, |odd, byte| odd | is_odd(*byte))
}

/// Writes a JSON string.
pub fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Writes a JSON array of raw elements.
pub fn join<S: AsRef<str>>(elements: impl IntoIterator<Item = S>) -> String {
    let mut text = String::from("[");
    for (i, element) in elements.into_iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        text.push_str(element.as_ref());
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_survive_what_serde_refuses() {
        for (raw, text) in [
            (r#""\ud83d \ud99c 가 \udd11""#, "\u{fffd} \u{fffd} 가 \u{fffd}"),
            (r#""\ud83c\udf33""#, "🌳"),
            (r#""\ud83c\u0041""#, "\u{fffd}A"),
            (r#""a\n\t\"\\\/b""#, "a\n\t\"\\/b"),
            (r#""""#, ""),
        ] {
            assert_eq!(string(raw).as_deref(), Some(text), "{raw}");
        }
        assert_eq!(string("3"), None);
    }

    #[test]
    fn mended_text_is_what_serde_accepts() {
        let raw = r#"{"a":"\ud83d \\ud83d \ud83c\udf33 \udd11","b":["\ud800"]}"#;
        let mended = mend_surrogates(raw);
        let value: serde_json::Value = serde_json::from_str(&mended).expect("valid");
        assert_eq!(value["a"], "\u{fffd} \\ud83d 🌳 \u{fffd}");
        assert_eq!(mend_surrogates("plain"), "plain");
    }

    #[test]
    fn objects_keep_raw_values_and_the_last_of_a_key() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        let text = alloc::format!(r#"{{"n":123456789012345678901234567890,"d":{deep},"n2":1,"n2":2}}"#);
        let object = Object::parse(&text).expect("object");
        assert_eq!(object.raw("n"), Some("123456789012345678901234567890"));
        assert_eq!(object.raw("d"), Some(deep.as_str()));
        assert_eq!(object.u64("n2"), Some(2));
        assert!(Object::parse("[1]").is_none() && Object::parse("null").is_none());
        assert_eq!(array("[1, {\"a\":2}]"), Some(alloc::vec!["1", "{\"a\":2}"]));
    }

    #[test]
    fn blank_strings_are_seen_without_unescaping() {
        for (raw, blank) in
            [(r#""""#, true), (r#"" \n\t""#, true), (r#""\u3000""#, true), (r#""\n.""#, false)]
        {
            assert_eq!(is_blank_string(raw), blank, "{raw}");
        }
    }
}
