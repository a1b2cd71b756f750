//! The worker: a process of its own that does what a hook leaves, one at a time for a root.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use naite_store::Fs;
use naite_store::context::{Calendar, ContextError, ContextStore, Mark};

use crate::env::OURS;

/// How long the worker may take for all that is left to it; what is not done by then keeps its mark.
const LIMIT: Duration = Duration::from_secs(600);
/// How long it waits for a hook that has the session.
const PATIENCE: Duration = Duration::from_secs(2);

/// Starts the worker for a root, and does not wait for it. Its standard streams are closed, it runs in the root, and
/// nothing that it starts is recorded.
pub fn start_worker(program: &Path, root: &Path) -> std::io::Result<()> {
    Command::new(program)
        .args(["hook", "worker", "--root"])
        .arg(root)
        .env(OURS, "1")
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(|_| ())
}

/// Works until no mark is left. Another process that works already goes on with what is marked meanwhile.
///
/// # Errors
///
/// Gives what went wrong with each mark; the others were worked on all the same.
pub fn work(
    fs: &Arc<dyn Fs>,
    calendar: &Arc<dyn Calendar>,
    root: &Path,
    now: &dyn Fn() -> i64,
) -> Vec<String> {
    leave_session();
    let store = ContextStore::new(Arc::clone(fs), root, Arc::clone(calendar), true);
    let started = Instant::now();
    let mut errors = Vec::new();
    loop {
        match store.become_worker() {
            Ok(Some(_worker)) => {
                if !work_once(&store, started, now, &mut errors) {
                    return errors;
                }
            }
            Ok(None) => return errors,
            Err(error) => {
                errors.push(error.to_string());
                return errors;
            }
        }
        // A mark that came between the last look and the end of the lock would wait for the next hook.
        if !store.marks().is_ok_and(|marks| !marks.is_empty()) {
            return errors;
        }
    }
}

/// Works on every mark until there is none; `false` if some must be left.
fn work_once(
    store: &ContextStore,
    started: Instant,
    now: &dyn Fn() -> i64,
    errors: &mut Vec<String>,
) -> bool {
    let mut is_clean = true;
    loop {
        let marks = match store.marks() {
            Ok(marks) if marks.is_empty() => return is_clean,
            Ok(marks) => marks,
            Err(error) => {
                errors.push(error.to_string());
                return false;
            }
        };
        let before = errors.len();
        for (name, mark) in &marks {
            let done = match mark {
                Some(Mark::Session { session_id, transcript_path, .. }) => {
                    read_session(store, session_id, transcript_path, started, now)
                }
                Some(Mark::Agent(agent)) => store.keep_subagent(agent).map(|()| true),
                None => Ok(true),
            };
            let done = done.and_then(|done| {
                if done { store.take_mark(name, mark.as_ref()).map(|()| true) } else { Ok(false) }
            });
            match done {
                Ok(true) => {}
                Ok(false) => return false,
                Err(error) => errors.push(error.to_string()),
            }
        }
        if errors.len() > before {
            // What failed keeps its mark for the next start; trying again at once would fail again.
            is_clean = false;
            return is_clean;
        }
    }
}

/// Reads and copies a transcript to its end, the session free for hooks after each piece. `false` if time ran out.
fn read_session(
    store: &ContextStore,
    session_id: &str,
    path: &str,
    started: Instant,
    now: &dyn Fn() -> i64,
) -> Result<bool, ContextError> {
    loop {
        let mut session = match store.known_session(session_id, now(), PATIENCE) {
            Err(ContextError::NoSession { .. }) => return Ok(true),
            opened => opened?,
        };
        let is_heard = session.hear(path, now(), None)?;
        let is_copied = session.copy(path)?;
        if is_heard && is_copied {
            session.settle_question()?;
        }
        session.save()?;
        if is_heard && is_copied {
            return Ok(true);
        }
        if started.elapsed() > LIMIT {
            return Ok(false);
        }
    }
}

/// Leaves the session and process group of the agent, which may be killed as a whole.
fn leave_session() {
    #[cfg(unix)]
    let _ = rustix::process::setsid();
}
