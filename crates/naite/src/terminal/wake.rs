//! What wakes a screen: bytes of the terminal, another size, the wish that it ends, or that nothing came in time.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

/// One reason to wake.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The terminal sent bytes.
    Bytes(Vec<u8>),
    /// The window has another size.
    Resized,
    /// A signal wants the program to end.
    Ended(i32),
    /// The terminal is gone.
    Closed,
    /// A thread of ours has something.
    News,
    /// Nothing came.
    Quiet,
}

/// Waits for reasons to wake. Two threads wait with it and end with the program.
pub(crate) struct Wakes(Receiver<Wake>, SyncSender<Wake>);

/// Wakes a screen from another thread.
#[derive(Clone)]
pub(crate) struct Bell(SyncSender<Wake>);

impl Bell {
    /// Rings. Where many reasons wait already, one more is not needed.
    pub(crate) fn ring(&self) {
        let _ = self.0.try_send(Wake::News);
    }
}

impl Wakes {
    pub(crate) fn new() -> io::Result<Self> {
        let (send, receive) = mpsc::sync_channel(64);
        watch_signals(send.clone())?;
        let own = send.clone();
        std::thread::Builder::new().name("terminal".into()).spawn(move || read(&send))?;
        Ok(Self(receive, own))
    }

    /// What other threads ring.
    pub(crate) fn bell(&self) -> Bell {
        Bell(self.1.clone())
    }

    /// The next reason, or [`Wake::Quiet`] after a while.
    pub(crate) fn next(&self, patience: Duration) -> Wake {
        match self.0.recv_timeout(patience) {
            Ok(wake) => wake,
            Err(RecvTimeoutError::Timeout) => Wake::Quiet,
            Err(RecvTimeoutError::Disconnected) => Wake::Closed,
        }
    }
}

fn read(send: &SyncSender<Wake>) {
    let mut bytes = [0; 4096];
    let mut input = io::stdin().lock();
    loop {
        let wake = match input.read(&mut bytes) {
            Ok(0) => Wake::Closed,
            Ok(read) => Wake::Bytes(bytes[..read].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => Wake::Closed,
        };
        let is_last = wake == Wake::Closed;
        if send.send(wake).is_err() || is_last {
            return;
        }
    }
}

#[cfg(unix)]
fn watch_signals(send: SyncSender<Wake>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
    let mut signals = signal_hook::iterator::Signals::new([SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let wake = if signal == SIGWINCH { Wake::Resized } else { Wake::Ended(signal) };
            if send.send(wake).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn watch_signals(_: SyncSender<Wake>) -> io::Result<()> {
    Ok(())
}
