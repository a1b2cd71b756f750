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
        ] {
            assert_eq!(Needles::new(query).match_folded(&fold(text)), hit, "{query:?} in {text:?}");
        }
    }
}
