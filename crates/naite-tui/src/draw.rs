//! Text into cells: by graphemes, never wider than its place, with what a search found marked.

use std::ops::Range;

use naite_core::text::{Needles, fold, grapheme_width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

/// A pen that writes one row from left to right.
#[derive(Debug)]
pub struct Pen<'a> {
    buffer: &'a mut Buffer,
    column: u16,
    end: u16,
    row: u16,
}

impl<'a> Pen<'a> {
    /// A pen at the beginning of a row of an area; `None` if the area has no such row.
    pub fn new(buffer: &'a mut Buffer, area: Rect, row: u16) -> Option<Self> {
        let area = area.intersection(buffer.area);
        let inside = row < area.height && area.width > 0;
        inside.then(|| Self { column: area.x, end: area.right(), row: area.y + row, buffer })
    }

    /// Columns that are left.
    pub fn room(&self) -> usize {
        usize::from(self.end - self.column)
    }

    /// Keeps so many columns at the end free.
    pub fn reserve(&mut self, columns: usize) {
        self.end = self.end.saturating_sub(columns as u16).max(self.column);
    }

    /// Takes reserved columns back.
    pub fn release(&mut self, columns: usize) {
        self.end = (self.end + columns as u16).min(self.buffer.area.right());
    }

    /// Goes so many columns to the right.
    pub fn skip(&mut self, columns: usize) {
        self.column = (usize::from(self.column) + columns).min(usize::from(self.end)) as u16;
    }

    /// Goes to where so many columns are left.
    pub fn leave(&mut self, columns: usize) {
        self.column = self.column.max(self.end.saturating_sub(columns as u16));
    }

    /// Where the next character goes.
    pub fn place(&self) -> (u16, u16) {
        (self.column, self.row)
    }

    /// Writes text as far as there is room; says whether all of it fitted.
    pub fn write(&mut self, text: &str, style: Style) -> bool {
        for grapheme in text.graphemes(true) {
            if !self.grapheme(grapheme, style) {
                return false;
            }
        }
        true
    }

    /// Writes text, with `…` in the last column where something had to be left out.
    pub fn write_cut(&mut self, text: &str, style: Style) {
        self.write_found(text, style, &Needles::default(), style);
    }

    /// The same with the words of a search in another style.
    pub fn write_found(&mut self, text: &str, style: Style, needles: &Needles, found: Style) {
        let cut = naite_core::text::clip(text, self.room());
        let text = cut.text.as_ref();
        let marks = if needles.is_empty() { Vec::new() } else { found_in(text, needles) };
        for (at, grapheme) in text.grapheme_indices(true) {
            let is_found = marks.iter().any(|mark| mark.contains(&at));
            self.grapheme(grapheme, if is_found { style.patch(found) } else { style });
        }
    }

    fn grapheme(&mut self, grapheme: &str, style: Style) -> bool {
        let wide = grapheme_width(grapheme) as u16;
        if wide == 0 {
            return true;
        }
        if self.column + wide > self.end {
            return false;
        }
        self.buffer[(self.column, self.row)].set_symbol(grapheme).set_style(style);
        if wide == 2 {
            let behind = &mut self.buffer[(self.column + 1, self.row)];
            behind.reset();
            behind.set_style(style);
        }
        self.column += wide;
        true
    }
}

/// The places in a text that the words of a search were found at, in bytes, on grapheme borders.
pub fn found_in(text: &str, needles: &Needles) -> Vec<Range<usize>> {
    let mut folded = String::with_capacity(text.len());
    // Where each grapheme begins: in the folded text and in the text.
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, grapheme) in text.grapheme_indices(true) {
        starts.push((folded.len(), at));
        folded.push_str(&fold(grapheme));
    }
    let at_or_before =
        |place: usize| starts.partition_point(|(folded, _)| *folded <= place).saturating_sub(1);
    let mut found = Vec::new();
    for word in needles.words() {
        for (place, _) in folded.match_indices(word) {
            let start = starts.get(at_or_before(place)).map_or(0, |start| start.1);
            let last = at_or_before(place + word.len() - 1);
            found.push(start..starts.get(last + 1).map_or(text.len(), |next| next.1));
        }
    }
    found
}

/// Breaks text into lines of at most `columns`, at blanks where there are some, never inside a grapheme. Gives byte
/// ranges, at most `most` of them.
pub fn wrap(text: &str, columns: usize, most: usize) -> Vec<Range<usize>> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        wrap_line(content, line_start, columns, most, &mut lines);
        line_start += line.len();
        if lines.len() >= most {
            lines.truncate(most);
            break;
        }
    }
    lines
}

fn wrap_line(line: &str, offset: usize, columns: usize, most: usize, lines: &mut Vec<Range<usize>>) {
    let (mut start, mut used) = (0, 0);
    // The last blank of the line, and the columns up to behind it.
    let mut blank: Option<(usize, usize)> = None;
    for (at, grapheme) in line.grapheme_indices(true) {
        let wide = grapheme_width(grapheme);
        if used + wide > columns {
            let (end, next, kept) = match blank.filter(|(blank, _)| *blank > start && grapheme != " ") {
                Some((blank, before)) => (blank, blank + 1, before),
                None => (at, at, used),
            };
            lines.push(offset + start..offset + end);
            if lines.len() >= most {
                return;
            }
            (start, used, blank) = (next, used - kept, None);
            if grapheme == " " && start == at {
                // The blank at which the line broke is not the beginning of the next one.
                start = at + 1;
                continue;
            }
        }
        used += wide;
        if grapheme == " " {
            blank = Some((at, used));
        }
    }
    lines.push(offset + start.min(line.len())..offset + line.len());
}

#[cfg(test)]
mod tests {
    use naite_core::text::width;

    use super::*;

    fn check(text: &str, columns: usize, wanted: &[&str]) {
        let lines: Vec<&str> = wrap(text, columns, 100).into_iter().map(|range| &text[range]).collect();
        assert_eq!(lines, wanted, "{text:?} at {columns}");
    }

    #[test]
    fn lines_break_at_blanks_and_between_graphemes() {
        check("one two three", 7, &["one two", "three"]);
        check("one two", 3, &["one", "two"]);
        check("abcdefgh ij", 4, &["abcd", "efgh", "ij"]);
        check("가나다라", 5, &["가나", "다라"]);
        check("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2, &["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]);
        check("a\n\nb", 9, &["a", "", "b"]);
        check("", 9, &[]);
    }

    #[test]
    fn no_line_is_too_wide_and_nothing_is_lost() {
        let text = "⚠️ 🇰🇷 👨‍👩‍👧‍👦 1️⃣ 👍🏽 가나다 a quick brown fox  with   blanks\nand 한글 lines";
        for columns in 2..40 {
            let lines: Vec<&str> = wrap(text, columns, 1000).into_iter().map(|range| &text[range]).collect();
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {lines:?}");
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text), "{columns}");
        }
    }

    #[test]
    fn found_words_are_marked_on_grapheme_borders() {
        let text = "Auth 인증 AUTH \u{110b}\u{1175}\u{11ab}증";
        let found: Vec<&str> =
            found_in(text, &Needles::new("auth 인증")).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["Auth", "AUTH", "인증", "\u{110b}\u{1175}\u{11ab}증"]);
    }
}
