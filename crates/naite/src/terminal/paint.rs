//! Cells to bytes: what changed between two frames, in few bytes, inside one synchronised update.

use std::fmt::Write;

use naite_core::text::width;
use naite_tui::style::{Color, Modifier, Style};
use naite_tui::{Buffer, Cell, Rect};

/// Unchanged cells between changed ones that are written again, since moving over them costs as much.
const GAP: usize = 5;
/// Blanks at the end of a row from which on clearing it is cheaper.
const TAIL: usize = 4;
/// A symbol that no cell has: what is on the screen is not known.
const UNKNOWN: &str = "\u{0}";

/// A frame of which nothing is known.
pub(super) fn unknown(area: Rect) -> Buffer {
    Buffer::filled(area, Cell::new(UNKNOWN))
}

/// The bytes that turn one frame into another; none if they are the same.
pub(super) fn frame(
    shown: &Buffer,
    next: &Buffer,
    cursor: Option<(u16, u16)>,
    next_cursor: Option<(u16, u16)>,
) -> Vec<u8> {
    let mut paint = Paint { out: String::new(), at: None, style: plain() };
    for row in 0..next.area.height {
        paint.row(row, shown, next);
    }
    if paint.out.is_empty() && cursor == next_cursor {
        return Vec::new();
    }
    let mut out = String::from("\x1b[?2026h");
    if cursor.is_some() && !paint.out.is_empty() {
        out.push_str("\x1b[?25l");
    }
    if paint.style != plain() {
        paint.out.push_str("\x1b[0m");
    }
    out.push_str(&paint.out);
    match next_cursor {
        Some((column, row)) => {
            let _ = write!(out, "\x1b[{};{}H\x1b[?25h", row + 1, column + 1);
        }
        None if cursor.is_some() => out.push_str("\x1b[?25l"),
        None => {}
    }
    out.push_str("\x1b[?2026l");
    out.into_bytes()
}

/// How a cell looks to which nothing was done.
fn plain() -> Style {
    Cell::EMPTY.style()
}

struct Paint {
    out: String,
    /// Where the terminal's cursor is, if that is known.
    at: Option<(usize, u16)>,
    style: Style,
}

impl Paint {
    fn row(&mut self, row: u16, shown: &Buffer, next: &Buffer) {
        let columns = usize::from(next.area.width);
        let start = usize::from(row) * columns;
        let old = &shown.content[start..start + columns];
        let new = &next.content[start..start + columns];
        if old == new {
            return;
        }
        let mut dirty: Vec<bool> = old.iter().zip(new).map(|(old, new)| old != new).collect();
        // Behind a symbol whose width terminals do not agree on, what the row shows is not known.
        let unsure = (0..columns).find(|at| !is_sure(old[*at].symbol()) || !is_sure(new[*at].symbol()));
        dirty[unsure.unwrap_or(columns)..].fill(true);
        spread(&mut dirty, old, new);
        let blank = |cell: &Cell| cell.symbol() == " " && cell.style() == plain();
        // The second half of a wide character looks blank, but clearing it would take the first one along.
        let last = new.iter().rposition(|cell| !blank(cell));
        let tail = last.map_or(0, |last| last + width(new[last].symbol()).max(1)).min(columns);
        let clears = columns - tail >= TAIL && dirty[tail..].contains(&true);
        let end = if clears { tail } else { columns };
        bridge(&mut dirty[..end]);
        let mut column = 0;
        while column < end {
            let cell = &new[column];
            let wide = width(cell.symbol()).max(1);
            if dirty[column] {
                self.move_to(column, row);
                self.set(cell.style());
                let is_sure = is_sure(cell.symbol());
                if !is_sure && wide == 2 {
                    // Where a terminal draws it narrower, nothing old may stay beside it.
                    self.out.push_str("  ");
                    self.at = None;
                    self.move_to(column, row);
                }
                self.out.push_str(cell.symbol());
                self.at = (is_sure && column + wide < columns).then_some((column + wide, row));
            }
            column += wide;
        }
        if clears {
            self.move_to(tail, row);
            self.set(plain());
            self.out.push_str("\x1b[K");
        }
    }

    fn move_to(&mut self, column: usize, row: u16) {
        if self.at != Some((column, row)) {
            let _ = match self.at {
                Some((from, on)) if on == row && from < column => write!(self.out, "\x1b[{}C", column - from),
                _ => write!(self.out, "\x1b[{};{}H", row + 1, column + 1),
            };
            self.at = Some((column, row));
        }
    }

    fn set(&mut self, style: Style) {
        if style == self.style {
            return;
        }
        self.out.push_str("\x1b[0");
        for (modifier, code) in [
            (Modifier::BOLD, 1),
            (Modifier::DIM, 2),
            (Modifier::ITALIC, 3),
            (Modifier::UNDERLINED, 4),
            (Modifier::REVERSED, 7),
        ] {
            if style.add_modifier.contains(modifier) {
                let _ = write!(self.out, ";{code}");
            }
        }
        for (color, base) in [(style.fg, 30), (style.bg, 40)] {
            if let Some(number) = color.and_then(number) {
                let code = if number < 8 { base + number } else { base + 60 + number - 8 };
                let _ = write!(self.out, ";{code}");
            }
        }
        self.out.push('m');
        self.style = style;
    }
}

/// The number of one of the sixteen colours.
fn number(color: Color) -> Option<u8> {
    Some(match color {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        _ => return None,
    })
}

/// Marks the other half of every wide character that is half changed, in the old frame and in the new one.
fn spread(dirty: &mut [bool], old: &[Cell], new: &[Cell]) {
    let wide = |cells: &[Cell]| -> Vec<usize> {
        let is_wide = |at: &usize| !cells[*at].symbol().is_ascii() && width(cells[*at].symbol()) == 2;
        (0..cells.len().saturating_sub(1)).filter(is_wide).collect()
    };
    let all: Vec<usize> = wide(old).into_iter().chain(wide(new)).collect();
    let mut again = !all.is_empty();
    while again {
        again = false;
        for at in &all {
            if dirty[*at] != dirty[at + 1] {
                (dirty[*at], dirty[at + 1]) = (true, true);
                again = true;
            }
        }
    }
}

/// Marks short stretches of unchanged cells between changed ones.
fn bridge(dirty: &mut [bool]) {
    let mut last: Option<usize> = None;
    for at in 0..dirty.len() {
        if dirty[at] {
            if let Some(last) = last.filter(|last| at - last - 1 <= GAP) {
                dirty[last..at].fill(true);
            }
            last = Some(at);
        }
    }
}

/// Says whether every terminal agrees how wide a symbol is; behind others the cursor is set anew.
fn is_sure(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return false };
    matches!(c, ' '..='\u{24f}' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{257f}'
        | '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paints one frame over another in a real terminal's model: it must look like the second one.
    fn check(before: &str, after: &str) -> usize {
        let area = Rect::new(0, 0, 12, 2);
        let draw = |text: &str| {
            let mut buffer = Buffer::empty(area);
            for (row, line) in (0..).zip(text.lines()) {
                buffer.set_string(0, row, line, Style::default());
            }
            buffer
        };
        let wanted = after;
        let (before, after) = (draw(before), draw(after));
        let mut screen = vt100::Parser::new(2, 12, 0);
        screen.process(&frame(&unknown(area), &before, None, Some((0, 0))));
        let bytes = frame(&before, &after, Some((0, 0)), Some((3, 1)));
        screen.process(&bytes);
        // This model of a terminal takes emoji of several parts apart: there only the way must not matter.
        let mut at_once = vt100::Parser::new(2, 12, 0);
        at_once.process(&frame(&unknown(area), &after, None, Some((3, 1))));
        let lines = |screen: &vt100::Parser| -> Vec<String> {
            screen.screen().contents().lines().map(|line| line.trim_end().to_owned()).collect()
        };
        assert_eq!(lines(&screen), lines(&at_once));
        if !wanted.contains(['\u{fe0f}', '\u{200d}', '🇰']) {
            assert_eq!(lines(&screen), wanted.lines().collect::<Vec<_>>());
        }
        assert_eq!(screen.screen().cursor_position(), (1, 3));
        bytes.len()
    }

    #[test]
    fn frames_become_each_other() {
        let frames = [
            "",
            "abc def",
            "한글 날 abc",
            "a한글날bc",
            "가나다라마바",
            "x한",
            "abcdefghij한",
            "⚠️ 👨‍👩‍👧‍👦x\nsecond",
            "x ⚠️ 🇰🇷y\n가 나",
        ];
        for before in frames {
            for after in frames {
                check(before, after);
            }
        }
    }

    #[test]
    fn nothing_is_written_for_the_same_frame() {
        let buffer = Buffer::empty(Rect::new(0, 0, 5, 5));
        assert_eq!(frame(&buffer, &buffer, Some((1, 1)), Some((1, 1))), b"");
        assert!(check("abcdefghijkl", "abcdefXhijkl") < 60);
    }
}
