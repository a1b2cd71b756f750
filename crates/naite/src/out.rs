//! Standard output and error: buffered, plain where they are no terminal, quiet when a pipe closes.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};

use crate::words::Complaint;

/// Standard output. What goes there has no colours, so it is not looked through for them.
pub(crate) struct Out(BufWriter<io::Stdout>);

impl Out {
    pub(crate) fn new() -> Self {
        Self(BufWriter::with_capacity(1 << 16, io::stdout()))
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) -> io::Result<()> {
        self.0.write_all(line.as_ref().as_bytes())?;
        self.0.write_all(b"\n")
    }

    /// Prints a part of a line.
    pub(crate) fn piece(&mut self, piece: &str) -> io::Result<()> {
        self.0.write_all(piece.as_bytes())
    }

    /// Lets what was printed arrive, before something is said on standard error.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    /// Makes sure that everything arrived; what cannot be printed must not look like success.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// How long something may take without a word.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often a sign of life changes.
const TICK: Duration = Duration::from_millis(120);

/// Does something that may take long. A person at a terminal is told what it is, once it has taken a while.
pub(crate) fn busy<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (working, end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let plain = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
                let sign = ProgressBar::new_spinner().with_message(what);
                sign.set_style(
                    plain.unwrap_or_else(|_| ProgressStyle::default_spinner()).tick_chars("-\\|/ "),
                );
                sign.enable_steady_tick(TICK);
                let _ = end.recv();
                sign.finish_and_clear();
            }
        });
        let result = work();
        drop(working);
        result
    })
}

/// The width of the terminal in columns; `None` if standard output is none.
pub(crate) fn terminal_width() -> Option<usize> {
    io::stdout()
        .is_terminal()
        .then(terminal_size::terminal_size)
        .flatten()
        .map(|(width, _)| usize::from(width.0))
}

/// Says something beside the result.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Says what went wrong and what to do.
pub(crate) fn complain(complaint: &Complaint) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut err = anstream::stderr();
    let _ = writeln!(err, "{red}error:{red:#} {}", complaint.what);
    if let Some(hint) = &complaint.hint {
        let _ = writeln!(err, "{hint}");
    }
}

/// Says whether an error only means that nobody reads our output any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
