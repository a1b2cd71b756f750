//! Secrets in text, replaced by `[masked KIND]`.
//!
//! A secret is known by its own shape ([`shapes`]: `ghp_…`, a JWT) or by where it stands ([`places`]: behind
//! `password=`, in a URL, after `Bearer`). Text is looked through once; each look-around is bounded, so the time is
//! linear in the text whatever it holds. What is masked stays masked: masking twice changes nothing more.

mod names;
mod places;
mod random;
mod shapes;

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use crate::strings;

/// A stretch of text that is to be hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Secret {
    kind: &'static str,
    place: Range<usize>,
}

/// No look forward or back from one place goes further than this, in bytes.
const REACH: usize = 512;

/// Replaces each secret in plain text by `[masked KIND]`.
pub fn mask(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut masked = Masked::new(text);
    let mut at = 0;
    while at < bytes.len() {
        let found = match bytes[at] {
            b':' | b'=' => places::behind_mark(text, at),
            b'-' => places::private_key(text, at),
            byte if byte.is_ascii_alphanumeric() && starts_word(bytes, at) => {
                shapes::at(text, at).or_else(|| places::bearer(text, at))
            }
            _ => None,
        };
        at = match found {
            Some(secret) => masked.replace(secret.place, &label(secret.kind)),
            None => at + 1,
        };
    }
    masked.finish()
}

/// Replaces secrets in the strings of JSON text; everything else stays byte for byte.
///
/// A string is judged together with its key, so `{"password":"…"}` is masked. Signatures, which must go back to the
/// provider as they came, and the bytes of images are left alone.
pub fn mask_json(raw: &str) -> Cow<'_, str> {
    strings::change(raw, |key, text| match mask_value(key, text) {
        Cow::Owned(hidden) => Some(hidden),
        Cow::Borrowed(_) => None,
    })
}

fn mask_value<'a>(key: &str, text: &'a str) -> Cow<'a, str> {
    if names::is_signature(key) || is_image(text) {
        return Cow::Borrowed(text);
    }
    match places::whole_value(key, text) {
        Some(secret) => {
            let mut masked = Masked::new(text);
            masked.replace(secret.place, &label(secret.kind));
            masked.finish()
        }
        None => mask(text),
    }
}

/// Says whether text is a whole picture in base64: PNG, JPEG, GIF or WebP by its first bytes.
fn is_image(text: &str) -> bool {
    ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"].iter().any(|magic| text.starts_with(magic))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}

/// Says whether a word starts here, also behind an escaped line break in quoted code.
fn starts_word(bytes: &[u8], at: usize) -> bool {
    match bytes[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !before.is_ascii_alphanumeric() && before != b'_',
        [] => true,
    }
}

fn label(kind: &str) -> String {
    alloc::format!("[masked {kind}]")
}

/// Text with stretches replaced from left to right.
struct Masked<'a> {
    text: &'a str,
    out: String,
    kept: usize,
}

impl<'a> Masked<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, out: String::new(), kept: 0 }
    }

    /// Replaces a stretch, and gives its end.
    fn replace(&mut self, place: Range<usize>, by: &str) -> usize {
        self.out.push_str(&self.text[self.kept..place.start]);
        self.out.push_str(by);
        self.kept = place.end;
        place.end
    }

    fn finish(mut self) -> Cow<'a, str> {
        if self.kept == 0 {
            return Cow::Borrowed(self.text);
        }
        self.out.push_str(&self.text[self.kept..]);
        Cow::Owned(self.out)
    }
}

#[cfg(test)]
mod tests;
