//! A cursor that checks a whole line of JSON while it skips nearly all of it.
//!
//! Session logs are long strings with an escape every few words, so the usual way (look for a quote *or* a
//! backslash) stops too often. Here one branch-free pass over the line, which compilers turn into vector
//! instructions, rules out control characters and unsound escapes; after that a string is skipped from quote to
//! quote. Anything rare makes the cursor give up (`None`): a careful reader then decides.

/// Containers inside each other that [`Skim::skip`] follows before it gives up.
const DEPTH: u32 = 64;
/// Words of eight bytes that hold nearly every name and id.
const SHORT: usize = 5;
/// Bytes checked between two looks at the result.
const BLOCK: usize = 1024;

/// A place in the text of one line.
pub(super) struct Skim<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Skim<'a> {
    /// Starts at the beginning of a line whose characters and escapes are sound.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        is_sound(text.as_bytes()).then_some(Self { text, at: 0 })
    }

    /// Starts at the beginning of a text that was or will be checked elsewhere.
    pub(super) fn trusting(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn next(&mut self) -> u8 {
        let byte = self.peek();
        self.at += 1;
        byte
    }

    fn spaces(&mut self) {
        while self.peek() == b' ' {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.next() == byte).then_some(())
    }

    /// Hands over each key of an object; the receiver must read or skip its value.
    pub(super) fn object(&mut self, mut each: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.spaces();
        self.eat(b'{')?;
        self.spaces();
        if self.peek() == b'}' {
            return self.eat(b'}');
        }
        loop {
            let key = self.key()?;
            each(self, key)?;
            self.spaces();
            match self.next() {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Stops before each element of an array; the receiver must read or skip it.
    pub(super) fn array(&mut self, mut each: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'[')?;
        self.spaces();
        if self.peek() == b']' {
            return self.eat(b']');
        }
        loop {
            each(self)?;
            self.spaces();
            match self.next() {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// A key without escapes, and the colon behind it.
    fn key(&mut self) -> Option<&'a str> {
        let key = self.plain()?;
        self.spaces();
        self.eat(b':')?;
        Some(key)
    }

    /// What begins here, after white space: `"`, `{`, `[` or the first letter of a scalar.
    pub(super) fn kind(&mut self) -> u8 {
        self.spaces();
        self.peek()
    }

    /// The text between two quotes, as it stands.
    pub(super) fn string(&mut self) -> Option<&'a str> {
        self.spaces();
        self.eat(b'"')?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        loop {
            let quote = self.at + memchr::memchr(b'"', bytes.get(self.at..)?)?;
            self.at = quote + 1;
            let slashes = bytes[start..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
            if slashes % 2 == 0 {
                return self.text.get(start..quote);
            }
        }
    }

    /// A string that has no escapes.
    pub(super) fn plain(&mut self) -> Option<&'a str> {
        self.spaces();
        self.eat(b'"')?;
        let start = self.at;
        let rest = self.text.as_bytes().get(start..)?;
        let len = near_end(rest).or_else(|| memchr::memchr2(b'"', b'\\', rest))?;
        self.at = start + len + 1;
        if rest[len] == b'"' { self.text.get(start..start + len) } else { None }
    }

    /// A string that has no escapes, or `null`.
    pub(super) fn plain_or_null(&mut self) -> Option<Option<&'a str>> {
        if self.kind() == b'n' { self.scalar().map(|()| None) } else { self.plain().map(Some) }
    }

    /// Skips one value of any kind, without recursion.
    pub(super) fn skip(&mut self) -> Option<()> {
        // The lowest bit says what the innermost container is: 1 for an object.
        let (mut containers, mut depth) = (0u64, 0);
        loop {
            let opened = match self.kind() {
                b'"' => {
                    self.string()?;
                    false
                }
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    let close = open + 2;
                    if self.kind() == close {
                        self.at += 1;
                        false
                    } else {
                        depth += 1;
                        containers = containers << 1 | u64::from(open == b'{');
                        true
                    }
                }
                _ => {
                    self.scalar()?;
                    false
                }
            };
            if depth > DEPTH {
                return None;
            }
            if !opened && !self.close(&mut containers, &mut depth)? {
                return Some(());
            }
            if containers & 1 == 1 {
                self.spaces();
                self.key()?;
            }
        }
    }

    /// After a value: closes the containers that end here; says whether another value follows in one.
    fn close(&mut self, containers: &mut u64, depth: &mut u32) -> Option<bool> {
        while *depth > 0 {
            self.spaces();
            match (self.next(), *containers & 1 == 1) {
                (b',', _) => return Some(true),
                (b'}', true) | (b']', false) => {
                    *containers >>= 1;
                    *depth -= 1;
                }
                _ => return None,
            }
        }
        Some(false)
    }

    /// A number or a literal.
    fn scalar(&mut self) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at.min(self.text.len())..];
        let len =
            rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']' | b' ')).unwrap_or(rest.len());
        self.at += len;
        let word = &rest[..len];
        (matches!(word, b"true" | b"false" | b"null") || is_number(word)).then_some(())
    }

    /// Makes sure that nothing follows.
    pub(super) fn end(&mut self) -> Option<()> {
        self.spaces();
        (self.at >= self.text.len()).then_some(())
    }
}

/// Finds the first quote or backslash if it is near: for the few bytes of a name that costs less than a call which
/// looks at many at once.
fn near_end(text: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    // The lowest bit that is set marks the first byte that is zero.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let (words, _) = text.as_chunks::<8>();
    words.iter().take(SHORT).enumerate().find_map(|(at, word)| {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        (found != 0).then(|| at * 8 + found.trailing_zeros() as usize / 8)
    })
}

/// The grammar of JSON numbers (RFC 8259, section 6).
fn is_number(word: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let word = word.strip_prefix(b"-").unwrap_or(word);
    let whole = digits(word);
    if whole == 0 || (whole > 1 && word[0] == b'0') {
        return false;
    }
    let mut rest = &word[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent =
            exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// Says whether a line has no control character and only sound escapes.
fn is_sound(bytes: &[u8]) -> bool {
    if memchr::memchr(b'\\', bytes).is_none() {
        return !bytes.is_empty() && !bytes.iter().fold(false, |control, byte| control | (*byte < 0x20));
    }
    let (Some(last), Some(followers)) = (bytes.last(), bytes.get(1..)) else { return false };
    let (mut control, mut escape) = (*last < 0x20, *last == b'\\');
    for (block, follow) in bytes.chunks(BLOCK).zip(followers.chunks(BLOCK)) {
        for (byte, next) in block.iter().zip(follow) {
            control |= *byte < 0x20;
            escape |= (*byte == b'\\') & !is_simple_escape(*next);
        }
        if control {
            return false;
        }
    }
    // An escaped backslash before any letter looks unsound to the pass above, and so does `\u`.
    !escape || escapes_are_sound(bytes)
}

fn is_simple_escape(byte: u8) -> bool {
    (byte == b'n')
        | (byte == b'"')
        | (byte == b'\\')
        | (byte == b't')
        | (byte == b'/')
        | (byte == b'r')
        | (byte == b'b')
        | (byte == b'f')
}

fn escapes_are_sound(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'\\', &bytes[at..]) {
        at += step + 1;
        at += match bytes.get(at) {
            Some(b'u') => {
                let hex = bytes.get(at + 1..at + 5);
                if !hex.is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) {
                    return false;
                }
                5
            }
            Some(byte) if is_simple_escape(*byte) => 1,
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skims(text: &str) -> bool {
        Skim::new(text).is_some_and(|mut skim| skim.skip().is_some() && skim.end().is_some())
    }

    #[test]
    fn it_accepts_what_serde_accepts_and_refuses_what_serde_refuses() {
        for text in [
            r#"{"a":[1,-2.5e+3,true,false,null,{"b":[]},{}],"c":"x"}"#,
            r#"{"a" : [ 1 , 2 ] , "b" : "y" }"#,
            r#""\\d \" \u00e9 \n \\""#,
            r#""\\""#,
            "0",
            "-0.1e-9",
            "[[[[]]]]",
            "{}",
            "",
            "{",
            "[1,]",
            "[,1]",
            r#"{"a":1,}"#,
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{1:2}"#,
            "01",
            "1.",
            "-",
            "1e",
            ".5",
            "+1",
            "tru",
            "[1 2]",
            r#""\x""#,
            r#""\u12g4""#,
            r#""\""#,
            r#"""""#,
            "[}",
            "{]",
            "{}{}",
            "\"\t\"",
        ] {
            let expected = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            assert_eq!(skims(text), expected, "{text}");
        }
    }

    #[test]
    fn the_near_end_is_the_first_one() {
        for len in 0..60 {
            for (end, other) in [(b'"', b'\\'), (b'\\', b'"')] {
                let mut text = vec![b'#'; len];
                text.extend([end, other, 0x80, 0x21, end]);
                let near = near_end(&text);
                assert!(near.is_none() || near == Some(len), "{near:?} of {len}");
                assert!(near.is_some() || len + 5 >= 8 * SHORT || text.len() < len / 8 * 8 + 8);
            }
        }
    }

    #[test]
    fn it_gives_up_where_it_is_too_deep() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(skims(&nested(DEPTH as usize)));
        assert!(!skims(&nested(DEPTH as usize + 2)));
    }
}
