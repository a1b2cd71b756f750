//! Bytes of a terminal to events: UTF-8, the classic sequences, kitty's keys, xterm's modified keys, mouse and paste.
//!
//! Bytes come in pieces of any size; what is cut off waits for its rest. Only time tells a lone Escape from the
//! beginning of a sequence, so the driver says with [`Input::flush`] that the terminal has gone quiet.

use crate::key::{Code, Event, Key, Mouse, MouseKind};

/// A sequence longer than this is none.
const LONGEST: usize = 256;
/// A paste is cut at this many bytes.
const PASTE: usize = 1 << 20;

/// Reads what a terminal sends.
#[derive(Clone, Debug, Default)]
pub struct Input {
    waiting: Vec<u8>,
    paste: Option<Vec<u8>>,
}

/// What stands at the beginning of the bytes: how many were used, and what they mean.
enum Read {
    Incomplete,
    Used(usize, Option<Event>),
    PasteBegins(usize),
}

impl Input {
    /// Takes in bytes and gives the events that are whole.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.waiting.extend_from_slice(bytes);
        self.read(false)
    }

    /// Says that nothing follows for now: a lone Escape is the key.
    pub fn flush(&mut self) -> Vec<Event> {
        self.read(true)
    }

    /// Says whether bytes wait for their rest.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() && self.paste.is_none()
    }

    fn read(&mut self, quiet: bool) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            if self.paste.is_some() {
                match self.paste_end() {
                    Some(text) => events.push(Event::Paste(text)),
                    None => break,
                }
            }
            if self.waiting.is_empty() {
                break;
            }
            let used = match one(&self.waiting, quiet) {
                Read::Incomplete if self.waiting.len() < LONGEST => break,
                Read::Incomplete => 1,
                Read::Used(used, event) => {
                    events.extend(event);
                    used
                }
                Read::PasteBegins(used) => {
                    self.paste = Some(Vec::new());
                    used
                }
            };
            self.waiting.drain(..used);
        }
        events
    }

    /// Moves bytes into the paste; gives its text when its end has come.
    fn paste_end(&mut self) -> Option<String> {
        const END: &[u8] = b"\x1b[201~";
        let paste = self.paste.as_mut()?;
        let end = self.waiting.windows(END.len()).position(|window| window == END);
        // The end may be cut in two: its possible beginning stays.
        let upto = end.unwrap_or_else(|| self.waiting.len().saturating_sub(END.len() - 1));
        let room = PASTE.saturating_sub(paste.len());
        paste.extend_from_slice(&self.waiting[..upto.min(room)]);
        self.waiting.drain(..upto + end.map_or(0, |_| END.len()));
        end?;
        self.paste.take().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn one(bytes: &[u8], quiet: bool) -> Read {
    match bytes[0] {
        0x1b => escape(bytes, quiet),
        // Half a letter waits for its rest, however long that takes.
        _ => match letter(bytes) {
            Some((used, key)) => Read::Used(used, key.map(|key| Event::Key(key.normal()))),
            None => Read::Incomplete,
        },
    }
}

fn escape(bytes: &[u8], quiet: bool) -> Read {
    let esc = |used| Read::Used(used, Some(Event::Key(Key::plain(Code::Esc))));
    match bytes.get(1) {
        None if quiet => esc(1),
        None => Read::Incomplete,
        Some(0x1b) => esc(1),
        Some(b'[') if bytes.len() > 2 || !quiet => control_sequence(bytes),
        Some(b'O') if bytes.len() > 2 => single_shift(bytes),
        Some(b'O') if !quiet => Read::Incomplete,
        Some(_) => match letter(&bytes[1..]) {
            Some((used, Some(key))) => {
                Read::Used(used + 1, Some(Event::Key(Key { alt: true, ..key }.normal())))
            }
            Some((used, None)) => Read::Used(used + 1, None),
            None if quiet => esc(1),
            None => Read::Incomplete,
        },
    }
}

/// A character or a control byte: how many bytes, and the key. `None` while its rest is missing.
fn letter(bytes: &[u8]) -> Option<(usize, Option<Key>)> {
    let plain = |code| Some((1, Some(Key::plain(code))));
    let ctrl = |c: u8| Some((1, Some(Key { ctrl: true, ..Key::plain(Code::Char(char::from(c))) })));
    match bytes[0] {
        b'\r' => plain(Code::Enter),
        b'\t' => plain(Code::Tab),
        0x7f => plain(Code::Backspace),
        0 => ctrl(b' '),
        byte @ 0x01..=0x1a => ctrl(byte - 1 + b'a'),
        byte @ 0x1c..=0x1f => ctrl(byte + 0x40),
        byte if byte.is_ascii() => plain(Code::Char(char::from(byte))),
        byte => {
            let len = match byte {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return Some((1, None)),
            };
            let whole = bytes.get(..len.min(bytes.len()))?;
            match std::str::from_utf8(whole) {
                Ok(text) => Some((len, text.chars().next().map(|c| Key::plain(Code::Char(c))))),
                Err(error) if error.error_len().is_none() => None,
                Err(_) => Some((1, None)),
            }
        }
    }
}

fn single_shift(bytes: &[u8]) -> Read {
    let code = match bytes[2] {
        b'M' => Some(Code::Enter),
        byte => arrow(byte),
    };
    Read::Used(3, code.map(|code| Event::Key(Key::plain(code))))
}

fn arrow(byte: u8) -> Option<Code> {
    Some(match byte {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        byte @ b'P'..=b'S' => Code::F(byte - b'P' + 1),
        _ => return None,
    })
}

fn control_sequence(bytes: &[u8]) -> Read {
    let Some(first) = bytes.get(2) else { return Read::Incomplete };
    // The console of Linux: F1 to F5.
    if *first == b'[' {
        let Some(last) = bytes.get(3) else { return Read::Incomplete };
        let key = (b'A'..=b'E').contains(last).then(|| Key::plain(Code::F(last - b'A' + 1)));
        return Read::Used(4, key.map(Event::Key));
    }
    // The mouse as the oldest terminals report it: three more bytes, which we did not ask for.
    if *first == b'M' {
        return if bytes.len() < 6 { Read::Incomplete } else { Read::Used(6, None) };
    }
    let is_last = |byte: &u8| (0x40..=0x7e).contains(byte) || *byte < 0x20;
    let Some(end) = bytes[2..].iter().position(is_last) else { return Read::Incomplete };
    if bytes[end + 2] < 0x20 {
        // Another key in the middle: what came before it is lost.
        return Read::Used(end + 2, None);
    }
    let body = std::str::from_utf8(&bytes[2..end + 2]).unwrap_or_default();
    let used = end + 3;
    match bytes[end + 2] {
        b'~' if body == "200" => Read::PasteBegins(used),
        b'M' | b'm' if body.starts_with('<') => {
            Read::Used(used, mouse(&body[1..], bytes[end + 2]).map(Event::Mouse))
        }
        last => Read::Used(used, key(body, last).map(|key| Event::Key(key.normal()))),
    }
}

/// Reads the parameters of a sequence: groups at `;`, each split at `:`.
fn key(body: &str, last: u8) -> Option<Key> {
    let number = |group: usize, part: usize| -> Option<u32> {
        body.split(';').nth(group)?.split(':').nth(part)?.parse().ok()
    };
    if number(1, 1) == Some(3) {
        // The key was let go.
        return None;
    }
    let (code, modifiers) = match last {
        b'u' => {
            let modifiers = number(1, 0);
            let held = modifiers.unwrap_or(1).saturating_sub(1);
            // With Shift alone the shifted character counts, with Control or Alt the key of the Latin layout.
            let shifted = if held & 6 == 0 && held & 1 == 1 { number(0, 1) } else { None };
            let base = if held & 6 != 0 { number(0, 2) } else { None };
            (unicode_key(shifted.or(base).or_else(|| number(0, 0))?)?, modifiers)
        }
        b'~' if number(0, 0) == Some(27) => (unicode_key(number(2, 0)?)?, number(1, 0)),
        b'~' => (numbered(number(0, 0)?)?, number(1, 0)),
        b'Z' => return Some(Key { shift: true, ..Key::plain(Code::Tab) }),
        last => (arrow(last)?, number(1, 0)),
    };
    let held = modifiers.unwrap_or(1).saturating_sub(1);
    Some(Key { code, shift: held & 1 != 0, alt: held & 2 != 0, ctrl: held & 4 != 0 })
}

fn numbered(number: u32) -> Option<Code> {
    Some(match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::F(number as u8 - 10),
        17..=21 => Code::F(number as u8 - 11),
        23..=26 => Code::F(number as u8 - 12),
        _ => return None,
    })
}

fn unicode_key(code: u32) -> Option<Code> {
    const KEYPAD: [Code; 10] = [
        Code::Left,
        Code::Right,
        Code::Up,
        Code::Down,
        Code::PageUp,
        Code::PageDown,
        Code::Home,
        Code::End,
        Code::Insert,
        Code::Delete,
    ];
    Some(match code {
        9 => Code::Tab,
        10 | 13 | 57414 => Code::Enter,
        27 => Code::Esc,
        8 | 127 => Code::Backspace,
        57376..=57398 => Code::F((code - 57376) as u8 + 13),
        57399..=57408 => Code::Char(char::from(b'0' + (code - 57399) as u8)),
        57417..=57426 => KEYPAD[(code - 57417) as usize],
        // Other keys of the private area: media keys, modifiers alone.
        0xe000..=0xf8ff => return None,
        code => Code::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    })
}

fn mouse(body: &str, last: u8) -> Option<Mouse> {
    let mut numbers = body.split(';').map(|number| number.parse::<u16>().ok());
    let (button, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let kind = match (button & !0b1_1100, last) {
        (0, b'M') => MouseKind::Click,
        (64, _) => MouseKind::WheelUp,
        (65, _) => MouseKind::WheelDown,
        _ => return None,
    };
    Some(Mouse { kind, column: column.saturating_sub(1), row: row.saturating_sub(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(events: Vec<Event>) -> Vec<String> {
        let word = |event| match event {
            Event::Key(key) => key.to_string(),
            Event::Paste(text) => format!("paste {text:?}"),
            Event::Mouse(mouse) => format!("{:?} {},{}", mouse.kind, mouse.column, mouse.row),
        };
        events.into_iter().map(word).collect()
    }

    /// Reads bytes as one piece and byte by byte: both must say the same.
    fn check(bytes: &[u8], wanted: &[&str]) {
        let mut input = Input::default();
        let mut whole = input.feed(bytes);
        whole.extend(input.flush());
        assert_eq!(said(whole), wanted, "{bytes:?}");
        let mut pieces: Vec<Event> = bytes.iter().flat_map(|byte| input.feed(&[*byte])).collect();
        pieces.extend(input.flush());
        assert_eq!(said(pieces), wanted, "{bytes:?} byte by byte");
        assert!(!input.is_waiting());
    }

    #[test]
    fn letters_arrive_whole() {
        check("G한글🌳L".as_bytes(), &["Shift+G", "한", "글", "🌳", "Shift+L"]);
        check(b"a\xffb\xe6c", &["A", "B", "C"]);
    }

    #[test]
    fn classic_keys() {
        check(
            b"\x1b[A\x1bOB\x1b[5~\x1b[H\x1bOP\x1b[1;3A\r\n\x7f\x1b[Z",
            &["↑", "↓", "PgUp", "Home", "F1", "Alt+↑", "Enter", "Ctrl+J", "Backspace", "Shift+Tab"],
        );
        check(b"\x0f\x1bo\x1bd\x03", &["Ctrl+O", "Alt+O", "Alt+D", "Ctrl+C"]);
        check(b"\x1b", &["Esc"]);
        check(b"\x1b\x1b", &["Esc", "Esc"]);
    }

    #[test]
    fn modern_keys() {
        check(
            b"\x1b[13;2u\x1b[27u\x1b[111;6u\x1b[27;5;111~\x1b[27;6;79~\x1b[97;1:3u",
            &["Shift+Enter", "Esc", "Shift+Ctrl+O", "Ctrl+O", "Shift+Ctrl+O"],
        );
        // Control with the Korean layout: by the base key, or by the letter on it.
        check("\x1b[12624::111;5u\x1b[12624;5u\x1bㅇ".as_bytes(), &["Ctrl+O", "Ctrl+O", "Alt+D"]);
        check(b"\x1b[108:76;2u", &["Shift+L"]);
    }

    #[test]
    fn mouse_and_paste() {
        check(
            b"\x1b[<0;3;5M\x1b[<0;3;5m\x1b[<64;1;1M\x1b[<65;1;1M",
            &["Click 2,4", "WheelUp 0,0", "WheelDown 0,0"],
        );
        check("\x1b[200~한\x1b[A글\x1b[201~x".as_bytes(), &["paste \"한\\u{1b}[A글\"", "X"]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn it_does_not_matter_where_reads_are_cut(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "a", "한", "🌳", "\u{1b}", "\u{1b}[A", "\u{1b}[13;2u", "\u{1b}[<0;3;5M", "\u{1b}O", "[", "1;",
                "\u{1b}[200~", "x\ny", "\u{1b}[201~", "\r", "\u{7f}", "\u{1b}[[", "~", "\u{1b}[M",
            ]), 0..12),
            cuts in proptest::collection::vec(0..80usize, 0..6),
        ) {
            let bytes = parts.concat().into_bytes();
            let mut whole = Input::default();
            let wanted = [whole.feed(&bytes), whole.flush()].concat();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut input = Input::default();
            let mut events: Vec<Event> =
                cuts.windows(2).flat_map(|cut| input.feed(&bytes[cut[0]..cut[1]])).collect();
            events.extend(input.flush());
            proptest::prop_assert_eq!(events, wanted);
        }
    }

    #[test]
    fn noise_is_dropped() {
        check(b"\x1b[?1;2c\x1b[I\x1b[999~a", &["A"]);
        let mut input = Input::default();
        let [first, rest @ ..] = "글".as_bytes() else { panic!("three bytes") };
        assert_eq!(input.feed(&[*first]), []);
        assert_eq!(input.flush(), []);
        assert_eq!(said(input.feed(rest)), ["글"]);
        for byte in 0..=255u8 {
            input.feed(&[byte, 0x1b, b'[', byte, byte]);
        }
        input.feed(&[b'0'; 1000]);
        input.flush();
    }
}
