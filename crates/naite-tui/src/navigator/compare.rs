//! Two branches side by side: what was said on each, the files that it touched, the tokens that it took.

use i18n_embed_fl::fl;
use naite_core::text::{Needles, one_line};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::draw::{Pen, wrap};
use crate::theme::Theme;
use crate::words::Words;

/// Two branches from their last common entry on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The row of the last common entry.
    pub common: Option<String>,
    /// The active (or the marked) branch, and the selected one.
    pub sides: [Side; 2],
}

/// One of two branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// What it is called: the row of its end.
    pub title: String,
    /// What was said, each turn with its row's beginning (`user: …`).
    pub turns: Vec<String>,
    /// Entries on it.
    pub entries: usize,
    /// Files that its tool calls wrote or changed, by name.
    pub files: Vec<String>,
    /// Tokens that its turns took, as people read them.
    pub tokens: String,
}

/// A comparison broken into lines for a width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    lines: [Vec<(Kind, String)>; 2],
}

/// What a line is, for its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Title,
    Fact,
    File,
    /// A file that the other branch touched too.
    Shared,
    Text,
}

impl Columns {
    /// Breaks both sides into lines of half the width.
    pub(super) fn new(comparison: &Comparison, words: &Words, width: u16) -> Self {
        let half = usize::from(width.saturating_sub(3) / 2).max(2);
        let names = [fl!(words.loader(), "compare-active"), fl!(words.loader(), "compare-selected")];
        let side = |at: usize| {
            let (side, other) = (&comparison.sides[at], &comparison.sides[1 - at]);
            let mut lines = vec![(Kind::Title, names[at].clone())];
            let mut add = |kind, text: &str| {
                lines
                    .extend(wrap(text, half, 10_000).into_iter().map(|range| (kind, text[range].to_owned())));
            };
            add(Kind::Fact, &one_line(&side.title));
            let (entries, tokens) =
                (fl!(words.loader(), "compare-entries"), fl!(words.loader(), "compare-tokens"));
            add(Kind::Fact, &format!("{entries} {}  {tokens} {}", side.entries, side.tokens));
            if side.files.is_empty() {
                add(Kind::Fact, &fl!(words.loader(), "compare-no-files"));
            } else {
                add(Kind::Fact, &format!("{}:", fl!(words.loader(), "compare-files")));
            }
            for file in &side.files {
                let kind = if other.files.contains(file) { Kind::Shared } else { Kind::File };
                add(kind, &format!("  {}", one_line(file)));
            }
            for turn in &side.turns {
                lines.push((Kind::Text, String::new()));
                let mut add = |text: &str| {
                    let ranges = wrap(text, half, 10_000).into_iter();
                    lines.extend(ranges.map(|range| (Kind::Text, text[range].to_owned())));
                };
                add(turn);
            }
            lines
        };
        Self { lines: [side(0), side(1)] }
    }

    pub(super) fn len(&self) -> usize {
        self.lines[0].len().max(self.lines[1].len())
    }

    /// Draws the lines from `top` on.
    pub(super) fn draw(&self, theme: &Theme, top: usize, area: Rect, buffer: &mut Buffer) {
        let half = area.width.saturating_sub(3) / 2;
        for row in 0..area.height {
            for (side, lines) in self.lines.iter().enumerate() {
                let x = area.x + side as u16 * (half + 3);
                let place =
                    Rect { x, y: area.y + row, width: half.min(area.right().saturating_sub(x)), height: 1 };
                let Some((kind, text)) = lines.get(top + usize::from(row)) else { continue };
                let style = match (kind, side) {
                    (Kind::Title, _) => theme.title,
                    (Kind::Fact, _) => theme.hint,
                    (Kind::Shared, _) => theme.label,
                    (Kind::File, 0) => theme.removed,
                    (Kind::File, _) => theme.added,
                    (Kind::Text, _) => theme.assistant,
                };
                if let Some(mut pen) = Pen::new(buffer, place, 0) {
                    pen.write_found(text, style, &Needles::default(), style);
                }
            }
            let middle = Rect { x: area.x + half, y: area.y + row, width: 3.min(area.width), height: 1 };
            if let Some(mut pen) = Pen::new(buffer, middle, 0) {
                pen.write(" │ ", theme.line);
            }
        }
    }
}
