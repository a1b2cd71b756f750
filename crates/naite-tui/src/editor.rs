//! A line of text that is being edited, by graphemes, and where its cursor stands.

use naite_core::text::{one_line, width};
use unicode_segmentation::UnicodeSegmentation;

use crate::keymap::Action;

/// A line under the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    text: String,
    /// Bytes before the cursor; always between two graphemes.
    cursor: usize,
}

impl Editor {
    /// A line with the cursor at its end.
    pub fn new(text: &str) -> Self {
        let text = one_line(text).into_owned();
        Self { cursor: text.len(), text }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Types text; line breaks and control characters become harmless.
    pub fn insert(&mut self, text: &str) {
        let text = one_line(text);
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
        // What was typed may have joined the grapheme behind it.
        self.cursor = self.border(self.cursor);
    }

    /// The nearest grapheme border at or behind a place.
    fn border(&self, at: usize) -> usize {
        self.text
            .grapheme_indices(true)
            .map(|(start, _)| start)
            .find(|start| *start >= at)
            .unwrap_or(self.text.len())
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn behind(&self) -> usize {
        self.text[self.cursor..]
            .graphemes(true)
            .next()
            .map_or(self.cursor, |grapheme| self.cursor + grapheme.len())
    }

    fn word_before(&self) -> usize {
        let mut words = self.text[..self.cursor].unicode_word_indices();
        words.next_back().map_or(0, |(at, _)| at)
    }

    fn word_behind(&self) -> usize {
        let rest = &self.text[self.cursor..];
        rest.unicode_word_indices().next().map_or(self.text.len(), |(at, word)| self.cursor + at + word.len())
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = self.border(from);
    }

    /// Does what a key means; `false` if that is nothing for a line.
    pub fn act(&mut self, action: Action) -> bool {
        match action {
            Action::CharLeft => self.cursor = self.before(),
            Action::CharRight => self.cursor = self.behind(),
            Action::WordLeft => self.cursor = self.word_before(),
            Action::WordRight => self.cursor = self.word_behind(),
            Action::LineStart => self.cursor = 0,
            Action::LineEnd => self.cursor = self.text.len(),
            Action::DeleteBack => self.delete(self.before(), self.cursor),
            Action::DeleteForward => self.delete(self.cursor, self.behind()),
            Action::DeleteWord => self.delete(self.word_before(), self.cursor),
            Action::DeleteToStart => self.delete(0, self.cursor),
            Action::DeleteToEnd => self.delete(self.cursor, self.text.len()),
            _ => return false,
        }
        true
    }

    /// What is seen in so many columns, and the column of the cursor in it: the end of the line if all does not fit.
    pub fn shown(&self, columns: usize) -> (&str, usize) {
        let mut start = 0;
        // The cursor needs a column of its own.
        let mut before = width(&self.text[..self.cursor]);
        for (at, grapheme) in self.text.grapheme_indices(true) {
            if before < columns.max(1) || at >= self.cursor {
                break;
            }
            before -= width(grapheme);
            start = at + grapheme.len();
        }
        (&self.text[start..], before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does actions to a line with `|` for the cursor.
    fn check(before: &str, actions: &[Action], after: &str) {
        let cursor = before.find('|').expect("a cursor");
        let mut editor = Editor { text: before.replace('|', ""), cursor };
        for action in actions {
            assert!(editor.act(*action));
        }
        let mut text = editor.text.clone();
        text.insert(editor.cursor, '|');
        assert_eq!(text, after);
    }

    #[test]
    fn graphemes_are_never_split() {
        use Action::{
            CharLeft, CharRight, DeleteBack, DeleteForward, DeleteWord, LineEnd, WordLeft, WordRight,
        };
        check("한글👨‍👩‍👧‍👦|", &[DeleteBack], "한글|");
        check("e\u{301}|x", &[DeleteBack], "|x");
        check("|🇰🇷x", &[CharRight, CharRight, CharLeft], "🇰🇷|x");
        check("|🇰🇷x", &[DeleteForward], "|x");
        check("인증 로그 확인|", &[DeleteWord], "인증 로그 |");
        check("a bc|", &[WordLeft, WordLeft, WordRight, LineEnd], "a bc|");
        check("|", &[DeleteBack, DeleteForward, CharLeft, CharRight], "|");
        check("🇰|🇷", &[DeleteBack], "|🇷");
    }

    #[test]
    fn typing_makes_text_harmless() {
        let mut editor = Editor::new("a");
        editor.insert("b\n\u{1b}[2Jc");
        assert_eq!(editor.text(), "ab ␛[2Jc");
        let mut editor = Editor { text: "\u{301}".into(), cursor: 0 };
        editor.insert("e");
        assert_eq!(editor.cursor, "e\u{301}".len());
    }

    #[test]
    fn the_cursor_is_always_seen() {
        let editor = Editor::new("한글 날🌳");
        for columns in 1..12 {
            let (shown, cursor) = editor.shown(columns);
            assert!(cursor < columns, "{columns}: {shown:?} {cursor}");
        }
        assert_eq!(editor.shown(6), (" 날🌳", 5));
    }
}
