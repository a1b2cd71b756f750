//! Proves that installed hooks work, by calling them as the agent would.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use naite_context::payload::Event;
use naite_core::text::json::ObjectWriter;
use naite_store::context::ContextStore;

use super::Hook;
use crate::install::Installed;

/// How long a hook, and then the worker, may take before it counts as broken.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks at what the worker has left to do.
const TICK: Duration = Duration::from_millis(10);
/// The words that must arrive in the log.
const QUESTION: &str = "naite doctor: does this arrive?";
const ANSWER: &str = "naite doctor: it arrives.";

/// Why the chain from the agent to the store is broken.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// The place for the trial cannot be made.
    #[error("cannot write below {root}: {source}")]
    NoPlace {
        /// The root.
        root: String,
        /// Why.
        source: std::io::Error,
    },
    /// A hook cannot be started, or did not end well.
    #[error("the hook for {event} {why}: {command}")]
    Failed {
        /// The event.
        event: &'static str,
        /// What it did.
        why: String,
        /// The command.
        command: String,
    },
    /// Hooks ran, but what was said is not in the log.
    #[error("the hooks ran, but the log holds: {found}")]
    NotLogged {
        /// What is there.
        found: String,
    },
    /// The worker did not copy the transcript.
    #[error("the hooks ran, but the worker did not copy the transcript within {} s", PATIENCE.as_secs())]
    NoWorker,
}

/// Calls the hooks of one settings file with a made-up session, in a store of its own inside the root, and looks
/// whether what was said arrived. The store of the trial is removed.
pub fn probe(hook: &Hook, root: &Path, installed: &[Installed]) -> Result<(), Broken> {
    let no_place = |source| Broken::NoPlace { root: root.display().to_string(), source };
    let state = root.join("data/context/state");
    let whole = ContextStore::new(Arc::clone(&hook.fs), root, Arc::clone(&hook.calendar), false);
    whole.prepare().map_err(|error| no_place(std::io::Error::other(error)))?;
    hook.fs.create_folder(&state).map_err(no_place)?;
    let place = tempfile::Builder::new().prefix("probe-").tempdir_in(&state).map_err(no_place)?;
    let trial = place.path().join(".ai-core");
    let transcript = place.path().join("transcript.jsonl");
    std::fs::write(&transcript, transcript_text()).map_err(no_place)?;
    for event in [Event::SessionStart, Event::UserPromptSubmit, Event::Stop, Event::SessionEnd] {
        if let Some(installed) = installed.iter().find(|installed| installed.event == event) {
            call(installed, &payload(event, &transcript), &trial, place.path())?;
        }
    }
    let store = ContextStore::new(Arc::clone(&hook.fs), &trial, Arc::clone(&hook.calendar), false);
    let (_keep, tick) = mpsc::channel::<()>();
    let started = Instant::now();
    let is_idle = || {
        store.marks().is_ok_and(|marks| marks.is_empty())
            && store.become_worker().is_ok_and(|free| free.is_some())
    };
    while !is_idle() {
        if started.elapsed() > PATIENCE {
            return Err(Broken::NoWorker);
        }
        let _ = tick.recv_timeout(TICK);
    }
    let folder = store.find("naite-doctor").ok().flatten();
    let read = |name: &str| {
        let path = folder.as_ref()?.strip_prefix(store.data()).ok()?.join(name);
        store.read_text(path).ok().flatten()
    };
    let log = read("log.jsonl").unwrap_or_default();
    if log.matches(QUESTION).count() != 1 || log.matches(ANSWER).count() != 1 {
        return Err(Broken::NotLogged { found: if log.is_empty() { "nothing".into() } else { log } });
    }
    if read("transcript.jsonl").is_none_or(|copy| copy != transcript_text()) {
        return Err(Broken::NoWorker);
    }
    Ok(())
}

fn payload(event: Event, transcript: &Path) -> String {
    let payload = ObjectWriter::new()
        .str("session_id", "naite-doctor")
        .str("transcript_path", &transcript.to_string_lossy())
        .str("cwd", &transcript.parent().unwrap_or(transcript).to_string_lossy())
        .str("prompt_id", "1")
        .str("hook_event_name", event.agent_name());
    match event {
        Event::UserPromptSubmit => payload.str("prompt", QUESTION),
        Event::Stop => payload.str("last_assistant_message", ANSWER),
        Event::SessionStart => payload.str("source", "startup"),
        _ => payload.str("reason", "other"),
    }
    .end()
}

fn transcript_text() -> String {
    let line = |kind: &str, content: &str| {
        let message = ObjectWriter::new().str("role", kind).str("content", content).end();
        ObjectWriter::new().str("type", kind).str("promptId", "1").raw("message", &message).end() + "\n"
    };
    line("user", QUESTION) + &line("assistant", ANSWER)
}

/// Runs a command line as the agent does: by a shell, the payload on standard input.
fn call(installed: &Installed, payload: &str, root: &Path, home: &Path) -> Result<(), Broken> {
    let failed = |why: String| Broken::Failed {
        event: installed.event.agent_name(),
        why,
        command: installed.command.clone(),
    };
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(&installed.command)
        .env("NAITE_CONTEXT_ROOT", root)
        .env("NAITE_HOME", home.join("home"))
        .env_remove("TMUX")
        .env_remove("PROJECT_FOR_LOG")
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("cannot be started ({error})")))?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(payload.as_bytes());
    }
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = send.send(child.wait_with_output());
    });
    let output = match receive.recv_timeout(PATIENCE) {
        Ok(output) => output.map_err(|error| failed(format!("did not end ({error})")))?,
        Err(_) => return Err(failed(format!("did not end within {} s", PATIENCE.as_secs()))),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(failed(format!("ended with {} {said}", output.status)));
    }
    Ok(())
}
