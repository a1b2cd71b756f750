//! The terminal as screens need it: taken over, painted, and given back however the program ends.

mod paint;
mod wake;

use std::io::{self, IsTerminal, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use naite_tui::{Buffer, Rect};

pub(crate) use wake::{Bell, Wake, Wakes};

/// Other screen, no wrapped lines, paste in brackets, mouse clicks and wheel, kitty's keys: 1 tells Escape from the
/// beginning of a sequence, 4 adds the key of the Latin layout. Terminals ignore what they do not know.
const ENTER: &str = "\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[>5u";
/// The same in reverse, with plain letters again.
const LEAVE: &str = "\x1b[0m\x1b[<u\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[?1049l";
/// tmux passes modified keys on when it is asked in this older way.
const TMUX_KEYS: &str = "\x1b[>4;2m";
const TMUX_KEYS_OFF: &str = "\x1b[>4m";
/// A text of more bytes is not sent to the terminal's clipboard: terminals cut it.
const CLIPBOARD: usize = 512 * 1024;

/// The terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal, ours until it is dropped.
pub(crate) struct Terminal {
    shown: Buffer,
    next: Buffer,
    cursor: Option<(u16, u16)>,
}

/// Says whether a person sits at both ends.
pub(crate) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The size in columns and rows; as terminals always were if it is not known.
pub(crate) fn size() -> (u16, u16) {
    crossterm::terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0).unwrap_or((80, 24))
}

impl Terminal {
    /// Takes the terminal over.
    pub(crate) fn take(tmux: bool) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let empty = Buffer::empty(Rect::default());
        // From here on dropping it gives the terminal back, also when the next lines fail.
        let taken = Self { shown: empty.clone(), next: empty, cursor: None };
        let mut out = io::stdout().lock();
        out.write_all(ENTER.as_bytes())?;
        if tmux {
            out.write_all(TMUX_KEYS.as_bytes())?;
        }
        out.flush()?;
        Ok(taken)
    }

    /// Draws a frame: only what changed, as one synchronised update.
    pub(crate) fn draw(
        &mut self,
        size: (u16, u16),
        view: impl FnOnce(Rect, &mut Buffer) -> Option<(u16, u16)>,
    ) -> io::Result<()> {
        let area = Rect::new(0, 0, size.0, size.1);
        if self.shown.area != area {
            // Nothing is known of what a window of another size shows; it is painted over, never cleared.
            self.shown = paint::unknown(area);
            self.next = Buffer::empty(area);
        }
        self.next.reset();
        let cursor = view(area, &mut self.next);
        let bytes = paint::frame(&self.shown, &self.next, self.cursor, cursor);
        if !bytes.is_empty() {
            let mut out = io::stdout().lock();
            out.write_all(&bytes)?;
            out.flush()?;
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        self.cursor = cursor;
        Ok(())
    }

    /// Gives text to the terminal's clipboard (OSC 52); `false` if it is too long for that.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<bool> {
        if text.len() > CLIPBOARD {
            return Ok(false);
        }
        let coded = base64::engine::general_purpose::STANDARD.encode(text);
        let mut out = io::stdout().lock();
        write!(out, "\x1b]52;c;{coded}\x07")?;
        out.flush()?;
        Ok(true)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back as it was; more than once does no harm.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        // Nothing can be done about a terminal that is gone.
        let _ = out.write_all(TMUX_KEYS_OFF.as_bytes());
        let _ = out.write_all(LEAVE.as_bytes());
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}
