//! The binary in a pseudo-terminal, read by a model of a terminal.

use std::io::{Read, Write};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

use crate::support::Sandbox;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// `naite` in a terminal.
pub(crate) struct Tty {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// All bytes since this was last emptied.
    pub(crate) bytes: Vec<u8>,
}

fn pty_size((columns, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Tty {
    /// Starts `naite` with arguments in a window of so many columns and rows.
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str], size: (u16, u16)) -> Self {
        Self::start_with(sandbox, arguments, size, &[])
    }

    /// The same with more of an environment.
    pub(crate) fn start_with(
        sandbox: &Sandbox,
        arguments: &[&str],
        size: (u16, u16),
        env: &[(&str, &str)],
    ) -> Self {
        let pair = native_pty_system().openpty(pty_size(size)).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_naite"));
        command.args(arguments);
        command.cwd(sandbox.path("work"));
        command.env_clear();
        for (name, value) in [("HOME", sandbox.path("home")), ("NAITE_HOME", sandbox.path("naite"))] {
            command.env(name, value);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("naite starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let (send, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 65536];
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                if send.send(bytes[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        let screen = vt100::Parser::new(size.1, size.0, 0);
        Self { child, master: pair.master, writer, output, screen, bytes: Vec::new() }
    }

    /// Sends bytes as a keyboard would.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.writer.write_all(bytes.as_ref()).and_then(|()| self.writer.flush()).expect("naite reads");
        self
    }

    /// Gives the window another size.
    pub(crate) fn resize(&mut self, size: (u16, u16)) -> &mut Self {
        self.screen.screen_mut().set_size(size.1, size.0);
        self.master.resize(pty_size(size)).expect("a window");
        self
    }

    /// What is on the screen.
    pub(crate) fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// The model of the terminal.
    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Column and row of the cursor.
    pub(crate) fn cursor(&self) -> (u16, u16) {
        let (row, column) = self.screen.screen().cursor_position();
        (column, row)
    }

    /// Waits until the screen is as wanted at the end of a frame.
    pub(crate) fn wait(&mut self, what: &str, is_wanted: impl Fn(&Self) -> bool) -> &mut Self {
        let start = Instant::now();
        loop {
            // Only whole frames count.
            let count = |mark: &[u8]| self.bytes.windows(mark.len()).filter(|window| *window == mark).count();
            if count(b"\x1b[?2026h") == count(b"\x1b[?2026l") && is_wanted(self) {
                return self;
            }
            let left = PATIENCE.checked_sub(start.elapsed());
            let more = left.and_then(|left| self.output.recv_timeout(left).ok());
            let Some(more) = more else { panic!("waited for {what} in vain:\n{}", self.text()) };
            self.screen.process(&more);
            self.bytes.extend(more);
        }
    }

    /// Waits until the screen holds words.
    pub(crate) fn wait_for(&mut self, words: &str) -> &mut Self {
        self.wait(words, |tty| tty.text().contains(words))
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    /// Waits for the end and reads what was printed last.
    pub(crate) fn finish(mut self) -> (ExitStatus, String, Vec<u8>) {
        let status = self.child.wait().expect("it ends");
        drop(self.writer);
        while let Ok(more) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.screen.process(&more);
            self.bytes.extend(more);
        }
        (status, self.screen.screen().contents(), self.bytes)
    }
}
