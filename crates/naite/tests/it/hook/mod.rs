//! `naite hook`, called as an agent calls it: whole streams, garbage, and what a session starts with.

mod bad;
mod inject;
mod streams;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Sandbox, said, text};

/// Nothing here takes longer, unless it never ends.
const DEADLINE: Duration = Duration::from_secs(60);

/// A home in which an agent runs, with the store below it.
pub(super) struct Agent {
    pub(super) sandbox: Sandbox,
    environment: Vec<(String, String)>,
}

impl Agent {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        fs::create_dir_all(sandbox.path("home/project")).expect("writable");
        Self { sandbox, environment: vec![("TZ".into(), "UTC".into())] }
    }

    /// The same agent with a variable in its environment.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    pub(super) fn home(&self) -> PathBuf {
        self.sandbox.path("home")
    }

    /// A path below `data/context`.
    pub(super) fn data(&self, name: &str) -> PathBuf {
        self.sandbox.path("home/.ai-core/data/context").join(name)
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a hook and feeds it.
    pub(super) fn start(&self, event: &str, payload: &[u8]) -> Child {
        feed(self.command(&["hook", event, "--agent", "claude-code"]), payload)
    }

    /// Runs a hook: it must end well and say nothing but what its agent takes.
    pub(super) fn hook(&self, event: &str, payload: &[u8]) -> String {
        check_silent(self.start(event, payload).wait_with_output().expect("it ends"))
    }

    /// Runs a hook with a payload for a session in the folder of the project.
    pub(super) fn tell(&self, event: &str, session: &str, more: &[(&str, &str)]) -> String {
        let mut payload = serde_json::json!({"session_id": session, "cwd": self.home().join("project")});
        for (key, value) in more {
            payload[key] = (*value).into();
        }
        self.hook(event, payload.to_string().as_bytes())
    }

    /// Waits until the worker has nothing left to do.
    pub(super) fn wait_for_worker(&self) {
        wait_for_worker(&self.data("state"), || self.errors());
    }

    /// The words in the log of errors.
    pub(super) fn errors(&self) -> Vec<String> {
        lines(&self.data("hook-errors.log"))
            .iter()
            .map(|line| line["error"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// The folder of a session.
    pub(super) fn session(&self, id: &str) -> PathBuf {
        let ends = |path: &PathBuf| path.to_string_lossy().ends_with(&format!("_{id}"));
        let found: Vec<PathBuf> = listed(&self.data("sessions")).into_iter().filter(ends).collect();
        assert_eq!(found.len(), 1, "folders of {id}: {found:?}");
        found[0].clone()
    }

    /// What a session's log says: when, who, what.
    pub(super) fn log(&self, id: &str) -> Vec<Line> {
        lines(&self.session(id).join("log.jsonl"))
            .iter()
            .map(|line| Line::of(line, &["ts", "type", "content"]))
            .collect()
    }
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) at: String,
    pub(super) who: String,
    pub(super) text: String,
}

impl Line {
    /// Reads a line that must have these keys and no other.
    pub(super) fn of(line: &Value, keys: &[&str]) -> Self {
        let object = line.as_object().expect("an object");
        assert_eq!(object.keys().map(String::as_str).collect::<Vec<_>>(), {
            let mut keys = keys.to_vec();
            keys.sort_unstable();
            keys
        });
        let of = |key: &str| object[key].as_str().expect("a string").to_owned();
        Self { at: of("ts"), who: of("type"), text: of("content") }
    }
}

/// Starts a command and feeds it; that it may not read to the end is its own affair.
pub(super) fn feed(mut command: Command, payload: &[u8]) -> Child {
    let mut child = command.spawn().expect("naite starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(payload);
    child
}

/// Whatever happens, the agent goes on and is told nothing that it would take for context.
pub(super) fn check_silent(output: Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(output.stderr.is_empty(), "{}", said(&output));
    text(&output.stdout)
}

/// Waits for a condition that comes true by itself.
pub(super) fn wait_until(is_so: impl Fn() -> bool, words: impl Fn() -> String) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < DEADLINE, "in vain: {}", words());
        std::thread::yield_now();
    }
}

fn wait_for_worker(state: &Path, errors: impl Fn() -> Vec<String>) {
    let is_free = || {
        let marks = listed(&state.join("marks"));
        let lock = fs::File::open(state.join("worker.lock"));
        marks.is_empty() && lock.map_or(true, |lock| lock.try_lock().is_ok())
    };
    wait_until(is_free, || format!("{:?} {:?}", listed(&state.join("marks")), errors()));
}

/// What is in a folder, sorted; nothing if it is not there.
pub(super) fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Everything below a folder, sorted, links not followed.
pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in listed(folder) {
        if path.is_dir() && !path.is_symlink() {
            all.extend(below(&path));
        }
        all.push(path);
    }
    all.sort();
    all
}

/// The lines of a file as JSON; none if it is not there.
pub(super) fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}
