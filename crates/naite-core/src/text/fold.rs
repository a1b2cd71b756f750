//! Matching text as people mean it: normal form C, lower case, every word of the query somewhere.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::nfc;

/// Folds text for matching: NFC, then lower case. Text that is folded already is borrowed.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|b| b.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    match nfc(text) {
        Cow::Borrowed(text) if !text.chars().any(has_lower_case) => Cow::Borrowed(text),
        // Letter by letter: the two forms of a Greek sigma must meet wherever they stand.
        text => Cow::Owned(text.chars().flat_map(char::to_lowercase).collect()),
    }
}

/// Folds a text in its own memory where it can.
pub fn fold_owned(mut text: String) -> String {
    if has_case_in_ascii_only(&text) {
        text.make_ascii_lowercase();
        return text;
    }
    fold(&text).into_owned()
}

/// Says whether a text is in normal form C and nothing but ASCII in it has a case; for most text without a table.
fn has_case_in_ascii_only(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        // Eight bytes of ASCII at once.
        if let Some(Ok(eight)) = bytes.get(at..at + 8).map(<[u8; 8]>::try_from)
            && u64::from_ne_bytes(eight) & 0x8080_8080_8080_8080 == 0
        {
            at += 8;
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        if !is_inert(c) {
            return text[at..].chars().all(|c| c.is_ascii() || !has_lower_case(c))
                && matches!(nfc(text), Cow::Borrowed(_));
        }
        at += c.len_utf8();
    }
    true
}

/// Characters without a case that are normal whatever stands beside them (no combining mark is among them): ASCII,
/// Hangul syllables, unified ideographs, common punctuation, drawing characters, emoji.
fn is_inert(c: char) -> bool {
    matches!(c, '\0'..='\x7f' | '\u{ac00}'..='\u{d7a3}' | '\u{4e00}'..='\u{9fff}' | '\u{2010}'..='\u{2027}'
        | '\u{2500}'..='\u{27bf}' | '\u{3000}'..='\u{3029}' | '\u{1f300}'..='\u{1faff}')
}

/// Says whether lower case would change a character; most scripts have no case at all.
fn has_lower_case(c: char) -> bool {
    c.is_ascii_uppercase() || !c.is_ascii() && !('\u{3000}'..='\u{d7a3}').contains(&c) && c.is_uppercase()
}

/// The words of a query, folded; a text matches when it holds every one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needles(Vec<String>);

impl Needles {
    /// Splits a query at white space.
    pub fn new(query: &str) -> Self {
        Self(fold(query).split_whitespace().map(String::from).collect())
    }

    /// Says whether there is nothing to look for; then everything matches.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Says whether every match is also one of `wider`, so that what `wider` ruled out stays so.
    pub fn narrow(&self, wider: &Self) -> bool {
        wider.0.iter().all(|old| self.0.iter().any(|new| new.contains(old.as_str())))
    }

    /// Says whether `folded` (see [`fold`]) holds every word.
    pub fn match_folded(&self, folded: &str) -> bool {
        self.0.iter().all(|word| memchr::memmem::find(folded.as_bytes(), word.as_bytes()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_meets_both_normal_forms_and_cases() {
        let nfd = "\u{110b}\u{1175}\u{11ab}\u{110c}\u{1173}\u{11bc}";
        for (query, text, hit) in [
            ("인증", nfd, true),
            (nfd, "인증 오류", true),
            ("AUTH 인증", "the auth of 인증을", true),
            ("auth missing", "auth", false),
            ("", "anything", true),
            ("  ", "anything", true),
            ("Ω", "ω", true),
            ("ΟΔΟΣ", "ΟΔΟΣΑ", true),
            ("🌳", "a 🌳 b", true),
            ("é", "Cafe\u{301} 한글, “Log” ─ 긴 글이 이어집니다 ABCDEFGH ijklmnop", true),
            ("å", "12345678Ünïted 나무 A\u{30a}", true),
        ] {
            assert_eq!(fold_owned(text.into()), fold(text), "{text:?}");
            assert_eq!(Needles::new(query).match_folded(&fold(text)), hit, "{query:?} in {text:?}");
        }
    }
}
