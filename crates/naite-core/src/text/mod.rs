//! Text as people see it: graphemes, display columns, normal forms, and nothing that a terminal would obey.

mod cut;
mod fold;
pub mod json;

use alloc::borrow::Cow;
use alloc::string::String;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub use cut::{Cut, clip, clip_left};
pub use fold::{Needles, fold, fold_owned};

/// Normalises to NFC, borrowing what is normal already (nearly all text).
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plainly_nfc) {
        return Cow::Borrowed(text);
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// Characters that are normal whatever stands beside them and need no table: Latin up to the combining marks,
/// Hangul syllables, unified ideographs.
fn is_plainly_nfc(c: char) -> bool {
    matches!(c, '\0'..='\u{2ff}' | '\u{ac00}'..='\u{d7a3}' | '\u{4e00}'..='\u{9fff}')
}

/// Measures text in terminal columns, grapheme by grapheme: wide letters take two, ZWJ emoji and flags two.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Measures one grapheme in columns; a cluster never counts more than two, as terminals draw it, and a control
/// character none.
pub fn grapheme_width(grapheme: &str) -> usize {
    if grapheme.starts_with(char::is_control) { 0 } else { grapheme.width().min(2) }
}

/// The longest prefix of at most `max` bytes that ends between graphemes.
pub fn prefix_bytes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let end = text.grapheme_indices(true).map(|(at, g)| at + g.len()).take_while(|end| *end <= max).last();
    &text[..end.unwrap_or(0)]
}

/// The first `max` graphemes.
pub fn prefix_graphemes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    // In ASCII only a carriage return and a line feed are one grapheme.
    if text.as_bytes()[..=max].iter().all(|byte| byte.is_ascii() && *byte != b'\r') {
        return &text[..max];
    }
    text.grapheme_indices(true).nth(max).map_or(text, |(at, _)| &text[..at])
}

/// Makes stored text safe to print on one line.
///
/// Line breaks and tabs become spaces, control characters become their visible pictures, and characters that
/// reorder or hide text (bidirectional overrides, C1 controls) are replaced by U+FFFD or dropped.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter_map(|c| inert(c, true)).collect())
}

/// Makes stored text safe to print while its lines stay lines.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_unsafe(c)) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.chars().filter_map(|c| if c == '\n' { Some(c) } else { inert(c, false) }).collect())
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || is_bidi_control(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn inert(c: char, breaks_are_spaces: bool) -> Option<char> {
    match c {
        '\t' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' if breaks_are_spaces => Some(' '),
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('\u{2421}'),
        c if is_bidi_control(c) => None,
        c if c.is_control() => Some(char::REPLACEMENT_CHARACTER),
        c => Some(c),
    }
}

/// Says whether text holds something other than white space.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Counts in thousands for a narrow place: `950`, `42k`, `1.2M`.
pub fn thousands(count: u64) -> String {
    match count {
        0..=999 => alloc::format!("{count}"),
        1_000..=999_499 => alloc::format!("{}k", (count + 500) / 1_000),
        _ => alloc::format!("{:.1}M", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_terminals() {
        for (text, columns) in
            [("abc", 3), ("한글", 4), ("👨‍👩‍👧‍👦", 2), ("🇰🇷", 2), ("⚠️", 2), ("e\u{301}", 1), ("", 0), ("👍🏽", 2)]
        {
            assert_eq!(width(text), columns, "{text:?}");
        }
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = "a\u{1b}[2J\u{7}\u{8}\r\nb\t\u{202e}c\u{202c}\u{9b}31m\u{2028}\u{7f}";
        for line in [one_line(text), printable(text)] {
            assert!(!line.chars().any(|c| c != '\n' && is_unsafe(c)), "{line:?}");
        }
        assert_eq!(one_line(text), "a␛[2J␇␈  b c\u{fffd}31m ␡");
        assert_eq!(one_line("plain 한글"), "plain 한글");
    }

    #[test]
    fn prefixes_end_between_graphemes() {
        let text = "확인✅👨‍👩‍👧‍👦끝";
        for max in 0..=text.len() {
            let prefix = prefix_bytes(text, max);
            assert!(prefix.len() <= max && text.starts_with(prefix));
            assert!(text.grapheme_indices(true).any(|(at, _)| at == prefix.len()) || prefix == text);
        }
        assert_eq!(prefix_graphemes(text, 4), "확인✅👨‍👩‍👧‍👦");
    }
}
