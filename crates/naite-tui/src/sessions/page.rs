//! Pages in front of the list: all keys, and the files that could not be read.

use i18n_embed_fl::fl;
use naite_core::text::one_line;

use super::{Settings, Unreadable};
use crate::draw::wrap;
use crate::keymap::{Action, Keymap, Place};

/// A page and how far it is scrolled.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    pub(super) content: Content,
    pub(super) lines: Vec<Line>,
    pub(super) top: usize,
}

/// What is on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Help,
    Unreadable(Vec<Unreadable>),
}

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Heading(String),
    /// Keys, what they do, the name in settings.
    Key(String, String, String),
    Text(String),
    Blank,
}

impl Page {
    pub(super) fn help(settings: &Settings, width: u16) -> Self {
        Self { content: Content::Help, lines: help(settings, width), top: 0 }
    }

    pub(super) fn unreadable(files: &[Unreadable], width: u16) -> Self {
        Self { lines: reasons(files, width), content: Content::Unreadable(files.to_vec()), top: 0 }
    }

    /// Breaks the lines anew for another width.
    pub(super) fn resize(&mut self, settings: &Settings, width: u16) {
        self.lines = match &self.content {
            Content::Help => help(settings, width),
            Content::Unreadable(files) => reasons(files, width),
        };
    }

    /// Keeps the last line in sight.
    pub(super) fn clamp(&mut self, height: usize) {
        self.top = self.top.min(self.lines.len().saturating_sub(height));
    }

    /// Scrolls; `height` lines are seen at once.
    pub(super) fn act(&mut self, action: Action, height: usize) {
        let screen = height.saturating_sub(1).max(1);
        self.top = match action {
            Action::LineUp => self.top.saturating_sub(1),
            Action::LineDown => self.top + 1,
            Action::ScreenUp => self.top.saturating_sub(screen),
            Action::ScreenDown => self.top + screen,
            Action::Top => 0,
            Action::Bottom => usize::MAX,
            _ => self.top,
        };
        self.clamp(height);
    }
}

fn paragraph(lines: &mut Vec<Line>, text: &str, width: u16) {
    let ranges = wrap(text, usize::from(width), 50);
    lines.extend(ranges.into_iter().map(|range| Line::Text(text[range].to_owned())));
}

fn help(settings: &Settings, width: u16) -> Vec<Line> {
    let (words, loader) = (&settings.words, settings.words.loader());
    let mut lines = Vec::new();
    for (place, heading) in [
        (Place::Sessions, fl!(loader, "help-sessions")),
        (Place::Edit, fl!(loader, "help-edit")),
        (Place::Choice, fl!(loader, "help-choice")),
        (Place::Page, fl!(loader, "help-page")),
    ] {
        lines.push(Line::Heading(heading));
        for (action, name) in Keymap::actions(place) {
            let does = words.get(&format!("do-{}-{name}", place.name()));
            lines.push(Line::Key(settings.keymap.said(action), does, format!("{}.{name}", place.name())));
        }
        lines.push(Line::Blank);
        if place == Place::Sessions {
            for text in [
                fl!(loader, "help-marks"),
                fl!(loader, "help-sessions-search"),
                fl!(loader, "help-capital"),
                fl!(loader, "help-sessions-mouse"),
                fl!(loader, "help-settings"),
            ] {
                paragraph(&mut lines, &text, width);
            }
            lines.push(Line::Blank);
        }
    }
    lines
}

fn reasons(files: &[Unreadable], width: u16) -> Vec<Line> {
    let mut lines = Vec::new();
    for file in files {
        let path = one_line(&file.file);
        // Most reasons name the file.
        if !file.reason.contains(path.as_ref()) {
            lines.push(Line::Heading(path.into_owned()));
        }
        paragraph(&mut lines, &one_line(&file.reason), width);
        lines.push(Line::Blank);
    }
    lines
}
