//! A row as a line of text: connectors, the bullet of the active path, the label, the words; cut to a width.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::rows::{Connector, Outline};
use crate::text::{clip, clip_left, one_line};

/// The connectors left of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gutter {
    /// Connectors of three columns each, perhaps cut on the left with `…`.
    pub text: String,
    /// Columns taken.
    pub columns: usize,
}

/// Columns that stay for text however deep the nesting (`tree-navigator.md`, Rows).
pub fn text_columns(width: usize) -> usize {
    (width / 2).max(24.min(width.saturating_sub(5)))
}

/// Draws the connectors of a row; with a width, at least half of it stays for the text.
pub fn gutter(outline: &Outline, at: usize, width: Option<usize>) -> Gutter {
    let most = width.map_or(usize::MAX, |width| width.saturating_sub(text_columns(width)));
    let mut units: Vec<&str> = Vec::new();
    for (own, connector) in outline.branches(at) {
        units.push(match (own, connector) {
            (true, Connector::Last) => "└─ ",
            (true, _) => "├─ ",
            (false, Connector::Middle) => "│  ",
            (false, _) => "   ",
        });
        // Three columns a unit: what is further out cannot be seen, so a deep row costs no more than a wide one.
        if units.len().saturating_mul(3) > most.saturating_add(3) {
            break;
        }
    }
    units.reverse();
    let drawn = units.concat();
    if drawn.chars().count() <= most {
        let columns = drawn.chars().count();
        return Gutter { text: drawn, columns };
    }
    let cut = clip_left(&drawn, most);
    Gutter { columns: cut.columns, text: cut.text.into_owned() }
}

/// Draws a whole row without colours: connectors, bullet, `[label]`, text, cut to `width` columns if one is given.
pub fn row(outline: &Outline, at: usize, label: Option<&str>, text: &str, width: Option<usize>) -> String {
    let gutter = gutter(outline, at, width);
    let bullet = if outline.rows()[at].active { "• " } else { "" };
    let label = label.map_or(Cow::Borrowed(""), |label| Cow::Owned(alloc::format!("[{}] ", one_line(label))));
    let words = alloc::format!("{bullet}{label}{text}");
    match width {
        None => alloc::format!("{}{words}", gutter.text),
        Some(width) => {
            alloc::format!("{}{}", gutter.text, clip(&words, width.saturating_sub(gutter.columns)).text)
        }
    }
}
