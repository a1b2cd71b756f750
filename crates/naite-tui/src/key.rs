//! Keys, mouse and paste as a screen sees them, whatever the terminal sent.

use std::fmt;

/// What happened at the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something.
    Mouse(Mouse),
}

/// A key with its modifiers; letters with Shift alone are capitals without a modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: Code,
    /// With Control.
    pub ctrl: bool,
    /// With Alt.
    pub alt: bool,
    /// With Shift.
    pub shift: bool,
}

/// A key without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// A character.
    Char(char),
    /// A function key.
    F(u8),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

/// Names of keys in settings and on the help page.
const NAMES: [(&str, Code); 17] = [
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("insert", Code::Insert),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pageup", Code::PageUp),
    ("pagedown", Code::PageDown),
    ("space", Code::Char(' ')),
    ("plus", Code::Char('+')),
    ("return", Code::Enter),
];

/// The letters of the Korean two-set layout, in the order of the keys `q` to `m`.
const KOREAN: [(&str, &str); 2] = [
    ("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "qwertyuiopasdfghjklzxcvbnm"),
    ("ㅃㅉㄸㄲㅆㅒㅖ", "qwertop"),
];

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// Brings the many ways in which terminals report one key to one.
    pub fn normal(mut self) -> Self {
        let Code::Char(c) = self.code else { return self };
        if self.ctrl || self.alt {
            // With a Korean layout Control and Alt still mean the key that the letter is printed on.
            let latin = KOREAN.iter().find_map(|(from, to)| {
                let at = from.chars().position(|jamo| jamo == c)?;
                to.chars().nth(at)
            });
            let c = latin.unwrap_or(c);
            self.shift |= c.is_uppercase();
            self.code = Code::Char(lower(c));
        } else if self.shift {
            self.shift = false;
            self.code = Code::Char(upper(c));
        }
        self
    }

    /// The character that the key types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt && !c.is_control() => Some(c),
            _ => None,
        }
    }

    /// Reads a name such as `ctrl+o`, `shift+enter`, `L` or `f1`.
    pub fn parse(name: &str) -> Option<Self> {
        let mut key = Self::plain(Code::Esc);
        let mut rest = name.trim();
        while let Some((modifier, behind)) = rest.split_once('+').filter(|(_, behind)| !behind.is_empty()) {
            match modifier.trim().to_ascii_lowercase().as_str() {
                "ctrl" | "control" => key.ctrl = true,
                "alt" | "option" | "meta" => key.alt = true,
                "shift" => key.shift = true,
                _ => return None,
            }
            rest = behind.trim();
        }
        let mut chars = rest.chars();
        key.code = match (chars.next()?, chars.as_str()) {
            (c, "") if !c.is_control() => Code::Char(c),
            ('f' | 'F', number) if number.parse::<u8>().is_ok_and(|n| (1..=24).contains(&n)) => {
                Code::F(number.parse().ok()?)
            }
            _ => {
                let wanted = rest.to_ascii_lowercase();
                NAMES.iter().find(|(name, _)| *name == wanted)?.1
            }
        };
        Some(key.normal())
    }
}

fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    if all.len() == 1 { all.next().unwrap_or(c) } else { c }
}

fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    if all.len() == 1 { all.next().unwrap_or(c) } else { c }
}

impl fmt::Display for Key {
    /// Writes the key as people read it: `Ctrl+O`, `Shift+L`, `↑`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let capital = matches!(self.code, Code::Char(c) if c.is_uppercase() && !self.ctrl && !self.alt);
        for (on, name) in [(self.shift || capital, "Shift+"), (self.ctrl, "Ctrl+"), (self.alt, "Alt+")] {
            if on {
                f.write_str(name)?;
            }
        }
        match self.code {
            Code::Char(' ') => f.write_str("Space"),
            Code::Char(c) => write!(f, "{}", upper(c)),
            Code::F(number) => write!(f, "F{number}"),
            Code::Up => f.write_str("↑"),
            Code::Down => f.write_str("↓"),
            Code::Left => f.write_str("←"),
            Code::Right => f.write_str("→"),
            Code::PageUp => f.write_str("PgUp"),
            Code::PageDown => f.write_str("PgDn"),
            code => {
                let name = NAMES.iter().find(|(_, known)| *known == code).map_or("", |(name, _)| name);
                let mut chars = name.chars();
                let first = chars.next().map(upper);
                first.map_or(Ok(()), |first| write!(f, "{first}{}", chars.as_str()))
            }
        }
    }
}

/// What the mouse did, and where: columns and rows from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// What it did.
    pub kind: MouseKind,
    /// Column from the left.
    pub column: u16,
    /// Row from the top.
    pub row: u16,
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button went down.
    Click,
    /// The wheel turned away from the person.
    WheelUp,
    /// The wheel turned towards the person.
    WheelDown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_said() {
        for (name, said) in [
            ("ctrl+o", "Ctrl+O"),
            ("shift+ctrl+o", "Shift+Ctrl+O"),
            ("Ctrl+Shift+O", "Shift+Ctrl+O"),
            ("shift+l", "Shift+L"),
            ("L", "Shift+L"),
            ("l", "L"),
            ("alt+left", "Alt+←"),
            ("f1", "F1"),
            ("?", "?"),
            ("space", "Space"),
            ("ctrl++", "Ctrl++"),
            ("pageup", "PgUp"),
            ("ctrl+ㅐ", "Ctrl+O"),
        ] {
            assert_eq!(Key::parse(name).map(|key| key.to_string()).as_deref(), Some(said), "{name}");
        }
        for wrong in ["", "hyper+x", "ctrl+", "f99", "upp"] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }
}
