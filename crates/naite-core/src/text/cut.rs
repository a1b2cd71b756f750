//! Cutting text to a number of columns without ever splitting a character.

use alloc::borrow::Cow;
use alloc::string::String;

use unicode_segmentation::UnicodeSegmentation;

use super::{grapheme_width, width};

/// What a cut left: the text and the columns that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The text that fits.
    pub text: Cow<'a, str>,
    /// Its width in terminal columns, at most what was asked for.
    pub columns: usize,
}

/// Cuts to at most `columns`, with `…` in the last one where something was left out.
pub fn clip(text: &str, columns: usize) -> Cut<'_> {
    if text.len() <= columns && text.is_ascii() || width_up_to(text, columns) <= columns {
        return Cut { text: Cow::Borrowed(text), columns: width(text) };
    }
    if columns == 0 {
        return Cut { text: Cow::Borrowed(""), columns: 0 };
    }
    let (mut kept, mut used) = (String::new(), 0);
    for grapheme in text.graphemes(true) {
        let wide = grapheme_width(grapheme);
        if used + wide > columns - 1 {
            break;
        }
        kept.push_str(grapheme);
        used += wide;
    }
    kept.push('…');
    Cut { text: Cow::Owned(kept), columns: used + 1 }
}

/// Keeps the last `columns` of a text, with `…` in the first one where something was left out.
pub fn clip_left(text: &str, columns: usize) -> Cut<'_> {
    let whole = width(text);
    if whole <= columns {
        return Cut { text: Cow::Borrowed(text), columns: whole };
    }
    if columns == 0 {
        return Cut { text: Cow::Borrowed(""), columns: 0 };
    }
    let mut left = whole;
    for (at, grapheme) in text.grapheme_indices(true) {
        if left < columns {
            return Cut { text: Cow::Owned(alloc::format!("…{}", &text[at..])), columns: left + 1 };
        }
        left -= grapheme_width(grapheme);
    }
    Cut { text: Cow::Borrowed("…"), columns: 1 }
}

/// Measures, but no further than just past `limit`: a 60 MB line costs what its first screenful costs.
fn width_up_to(text: &str, limit: usize) -> usize {
    let mut sum = 0;
    for grapheme in text.graphemes(true) {
        sum += grapheme_width(grapheme);
        if sum > limit {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fit_at_every_width() {
        let text = "가나 ⚠️ 🇰🇷 👨‍👩‍👧‍👦 1️⃣ 👍🏽 e\u{301}x";
        for columns in 0..40 {
            for cut in [clip(text, columns), clip_left(text, columns)] {
                assert!(cut.columns <= columns, "{cut:?} at {columns}");
                assert_eq!(width(&cut.text), cut.columns, "{cut:?}");
            }
        }
        assert_eq!(clip("abcdef", 4).text, "abc…");
        assert_eq!(clip_left("abcdef", 4).text, "…def");
        assert_eq!(clip("한글날", 5).text, "한글…");
        assert_eq!(clip("abc", 3).text, "abc");
    }
}
