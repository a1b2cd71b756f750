//! Pages in front of the list: all keys, an entry in full, two branches.

use std::ops::Range;

use i18n_embed_fl::fl;

use super::compare::{Columns, Comparison};
use super::{Detail, Settings};
use crate::draw::wrap;
use crate::keymap::{Action, Keymap, Place};
use crate::words::Words;

/// Lines of one page at most.
const LINES: usize = 200_000;

/// A page and how far it is scrolled.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    pub(super) content: Content,
    pub(super) top: usize,
}

/// What is on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Help(Vec<HelpLine>),
    Full { detail: Detail, lines: Vec<Range<usize>> },
    Compare { comparison: Comparison, columns: Columns },
}

/// A line of the help page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HelpLine {
    Heading(String),
    /// Keys, what they do, the name in settings.
    Key(String, String, String),
    Text(String),
    Blank,
}

impl Page {
    pub(super) fn help(settings: &Settings, width: u16) -> Self {
        let (words, loader) = (&settings.words, settings.words.loader());
        let mut lines = Vec::new();
        for (place, heading) in [
            (Place::Tree, fl!(loader, "help-tree")),
            (Place::Edit, fl!(loader, "help-edit")),
            (Place::Choice, fl!(loader, "help-choice")),
            (Place::Page, fl!(loader, "help-page")),
        ] {
            lines.push(HelpLine::Heading(heading));
            for (action, name) in Keymap::actions(place) {
                let does = words.get(&format!("do-{}-{name}", place.name()));
                let keys = settings.keymap.said(action);
                lines.push(HelpLine::Key(keys, does, format!("{}.{name}", place.name())));
            }
            lines.push(HelpLine::Blank);
            if place == Place::Tree {
                for text in [
                    fl!(loader, "help-search"),
                    fl!(loader, "help-capital"),
                    fl!(loader, "help-mouse"),
                    fl!(loader, "help-settings"),
                ] {
                    let ranges = wrap(&text, usize::from(width), 50);
                    lines.extend(ranges.into_iter().map(|range| HelpLine::Text(text[range].to_owned())));
                }
                lines.push(HelpLine::Blank);
            }
        }
        Self { content: Content::Help(lines), top: 0 }
    }

    pub(super) fn full(mut detail: Detail, words: &Words, width: u16) -> Self {
        if detail.is_cut {
            detail.text.push_str("\n\n");
            detail.text.push_str(&fl!(words.loader(), "cut-here", id = detail.id.as_str()));
        }
        let lines = wrap(&detail.text, usize::from(width), LINES);
        Self { content: Content::Full { detail, lines }, top: 0 }
    }

    pub(super) fn compare(comparison: Comparison, words: &Words, width: u16) -> Self {
        let columns = Columns::new(&comparison, words, width);
        Self { content: Content::Compare { comparison, columns }, top: 0 }
    }

    /// Breaks the lines anew for another width.
    pub(super) fn resize(&mut self, settings: &Settings, width: u16) {
        match &mut self.content {
            Content::Help(lines) => {
                if let Content::Help(anew) = Self::help(settings, width).content {
                    *lines = anew;
                }
            }
            Content::Full { detail, lines } => *lines = wrap(&detail.text, usize::from(width), LINES),
            Content::Compare { comparison, columns } => {
                *columns = Columns::new(comparison, &settings.words, width);
            }
        }
    }

    /// How many lines it has.
    pub(super) fn len(&self) -> usize {
        match &self.content {
            Content::Help(lines) => lines.len(),
            Content::Full { lines, .. } => lines.len(),
            Content::Compare { columns, .. } => columns.len(),
        }
    }

    /// Keeps the last line in sight.
    pub(super) fn clamp(&mut self, height: usize) {
        self.top = self.top.min(self.len().saturating_sub(height));
    }

    /// Scrolls; `height` lines are seen at once.
    pub(super) fn act(&mut self, action: Action, height: usize) {
        let last = self.len().saturating_sub(height);
        self.top = match action {
            Action::LineUp => self.top.saturating_sub(1),
            Action::LineDown => self.top + 1,
            Action::ScreenUp => self.top.saturating_sub(height.saturating_sub(1).max(1)),
            Action::ScreenDown => self.top + height.saturating_sub(1).max(1),
            Action::Top => 0,
            Action::Bottom => last,
            _ => self.top,
        }
        .min(last);
    }
}
