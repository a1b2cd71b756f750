//! Colours by meaning: the sixteen that every terminal has, and none that alone says something.

use ratatui::style::{Color, Modifier, Style};

/// Which colours to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// For light letters on a dark ground.
    #[default]
    Dark,
    /// For dark letters on a light ground.
    Light,
    /// No colour at all.
    Plain,
}

impl Palette {
    /// Reads a name of settings.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "dark" => Self::Dark,
            "light" => Self::Light,
            "plain" => Self::Plain,
            _ => return None,
        })
    }
}

/// How each thing looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The title of a screen.
    pub title: Style,
    /// What the person said.
    pub user: Style,
    /// What the model said.
    pub assistant: Style,
    /// Tools and commands.
    pub tool: Style,
    /// Summaries and compactions.
    pub summary: Style,
    /// Bookkeeping.
    pub quiet: Style,
    /// Labels.
    pub label: Style,
    /// The bullet of the active path.
    pub active: Style,
    /// Connectors and borders.
    pub line: Style,
    /// What a search found, put over the style of its text.
    pub found: Style,
    /// The selected row, put over the styles of its parts.
    pub selected: Style,
    /// Hints.
    pub hint: Style,
    /// Keys within hints.
    pub key: Style,
    /// What went wrong.
    pub error: Style,
    /// What went well.
    pub good: Style,
    /// Lines that only the left side has.
    pub removed: Style,
    /// Lines that only the right side has.
    pub added: Style,
}

impl Default for Theme {
    fn default() -> Self {
        Self::new(Palette::default())
    }
}

impl Theme {
    /// The theme of a palette.
    pub fn new(palette: Palette) -> Self {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let dim = Style::new().add_modifier(Modifier::DIM);
        let plain = Self {
            title: bold,
            user: bold,
            assistant: Style::new(),
            tool: dim,
            summary: Style::new().add_modifier(Modifier::ITALIC),
            quiet: dim,
            label: bold,
            active: bold,
            line: dim,
            found: Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
            selected: Style::new().add_modifier(Modifier::REVERSED),
            hint: dim,
            key: Style::new(),
            error: bold,
            good: Style::new(),
            removed: dim,
            added: bold,
        };
        // What is quiet is dim and not grey: in some palettes the one grey there is has the colour of the ground.
        let (user, label, active) = match palette {
            Palette::Plain => return plain,
            Palette::Dark => (Color::LightCyan, Color::LightYellow, Color::LightGreen),
            Palette::Light => (Color::Blue, Color::Magenta, Color::Green),
        };
        let (summary, error) = match palette {
            Palette::Light => (Color::Magenta, Color::Red),
            _ => (Color::LightMagenta, Color::LightRed),
        };
        Self {
            title: bold.fg(active),
            user: Style::new().fg(user),
            summary: Style::new().fg(summary),
            label: bold.fg(label),
            active: bold.fg(active),
            error: bold.fg(error),
            good: Style::new().fg(active),
            removed: Style::new().fg(error),
            added: Style::new().fg(active),
            ..plain
        }
    }
}
