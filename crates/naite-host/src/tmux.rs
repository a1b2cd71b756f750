//! The name of the tmux session around this process.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long tmux may take (`context-store.md` §4): a server that hangs must not hold a hook.
const PATIENCE: Duration = Duration::from_millis(100);

/// Asks tmux for the session's name, of a pane if one is known, since another client may be in another session.
/// `None` if it does not answer in time or has no server.
pub fn session_name(pane: Option<&str>) -> Option<String> {
    let mut command = Command::new("tmux");
    command.arg("display-message");
    if let Some(pane) = pane.filter(|pane| pane.starts_with('%')) {
        command.args(["-t", pane]);
    }
    command.args(["-p", "#S"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut out = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = out.read_to_string(&mut text).map(|_| text);
        let _ = send.send(read);
    });
    let text = receive.recv_timeout(PATIENCE);
    if text.is_err() {
        let _ = child.kill();
    }
    let is_success = child.wait().is_ok_and(|status| status.success());
    let text = text.ok()?.ok().filter(|_| is_success)?;
    let name = text.trim_end_matches(['\r', '\n']);
    (!name.is_empty()).then(|| name.to_owned())
}
