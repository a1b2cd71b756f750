//! `naite hook EVENT`: what an agent calls; run before any argument is parsed that could be wrong.
//!
//! Whatever happens, the exit code is 0 and the agent goes on: what went wrong is in the store's `hook-errors.log`.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use naite_context::payload::Event;
use naite_host::hook::{self, Hook, Outcome};
use naite_host::{HookEnvironment, SystemCalendar, SystemSupply, tmux};
use naite_store::{Fs, RealFs};

/// Records what happens in a coding agent; the agent calls it, with one JSON object on standard input.
///
/// `naite install claude-code` sets it up. A hook never stops the agent: its exit code is always 0, its standard
/// output is empty or the JSON that the agent takes, and what went wrong is written to `hook-errors.log` in the
/// context store, which `naite doctor` reads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// session-start, user-prompt-submit, stop, subagent-stop, pre-compact, session-end, or none (does nothing:
    /// for measuring)
    #[arg(value_name = "EVENT")]
    _event: String,
    /// The agent that calls
    #[arg(long, value_name = "AGENT", default_value = "claude-code")]
    _agent: String,
}

/// What was asked for, as far as it can be told.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    event: String,
    root: Option<PathBuf>,
    odd: Vec<String>,
}

impl Asked {
    fn read(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut asked = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy().into_owned();
            match text.as_str() {
                "--root" => asked.root = arguments.next().map(PathBuf::from),
                "--agent" => {
                    asked.odd.extend(unknown_agent(&arguments.next().unwrap_or_default().to_string_lossy()))
                }
                _ if text.starts_with("--agent=") => {
                    asked.odd.extend(unknown_agent(&text["--agent=".len()..]))
                }
                _ if text.starts_with('-') || !asked.event.is_empty() => {
                    asked.odd.push(format!("unknown argument {text}"));
                }
                _ => asked.event = text,
            }
        }
        asked
    }
}

fn unknown_agent(name: &str) -> Option<String> {
    (name != "claude-code").then(|| format!("unknown agent \"{name}\""))
}

/// Runs as a hook, if that is what was asked for and nobody asked for help.
pub(crate) fn dispatched() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != "hook" {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return None;
    }
    panic::set_hook(Box::new(|_| {}));
    let asked = Asked::read(arguments);
    let event = asked.event.clone();
    let ran = panic::catch_unwind(AssertUnwindSafe(|| run(&asked)));
    if let Err(panic) = ran {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        let _ = panic::catch_unwind(AssertUnwindSafe(|| {
            finish(&machine().complain(&event, None, &format!("it broke: {said}"), None));
        }));
    }
    Some(ExitCode::SUCCESS)
}

/// The machine as hooks see it.
pub(crate) fn machine() -> Hook {
    Hook {
        env: HookEnvironment::read(),
        fs: Arc::new(RealFs),
        calendar: Arc::new(SystemCalendar::default()),
        now: SystemSupply::millis(),
        tmux: tmux::session_name,
    }
}

fn run(asked: &Asked) {
    assert!(!HookEnvironment::is_to_break(), "as it was told to");
    if asked.event == "worker" {
        return work(asked);
    }
    let mut stdin = Vec::new();
    if !std::io::stdin().is_terminal() {
        let _ = std::io::stdin().read_to_end(&mut stdin);
    }
    let event = Event::parse(&asked.event);
    if event == Some(Event::None) {
        return;
    }
    let mut hook = machine();
    if let Some(root) = &asked.root {
        hook.env.context_root = Some(root.clone());
    }
    for odd in &asked.odd {
        finish(&hook.complain(&asked.event, None, odd, None));
    }
    match event {
        Some(event) => finish(&hook.run(event, &stdin)),
        None => finish(&hook.complain(&asked.event, None, "there is no such event", None)),
    }
}

fn finish(outcome: &Outcome) {
    if let Some(text) = &outcome.stdout {
        let _ = std::io::stdout().write_all(text.as_bytes());
        let _ = std::io::stdout().flush();
    }
    if let Some(complaint) = &outcome.complaint {
        let _ = writeln!(std::io::stderr(), "{}", naite_core::text::one_line(complaint));
    }
    if let Some(root) = &outcome.worker
        && let Err(error) = std::env::current_exe().and_then(|program| hook::start_worker(&program, root))
    {
        let _ = machine().complain("worker", None, &format!("cannot start: {error}"), None);
    }
}

fn work(asked: &Asked) {
    let hook = machine();
    let Some(root) = asked.root.clone().or_else(|| hook.root(None)) else { return };
    let fs: Arc<dyn Fs> = Arc::clone(&hook.fs);
    for error in hook::work(&fs, &hook.calendar, &root, &SystemSupply::millis) {
        let mut hook = machine();
        hook.env.context_root = Some(root.clone());
        let _ = hook.complain("worker", None, &error, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str], event: &str, root: Option<&str>, odd: &[&str]) {
        let asked = Asked::read(arguments.iter().map(OsString::from));
        let odd = odd.iter().map(ToString::to_string).collect();
        assert_eq!(asked, Asked { event: event.into(), root: root.map(PathBuf::from), odd });
    }

    #[test]
    fn anything_is_understood_as_far_as_it_goes() {
        check(&["stop", "--agent", "claude-code"], "stop", None, &[]);
        check(&["--agent=claude-code", "stop", "--root", "/r"], "stop", Some("/r"), &[]);
        check(
            &["stop", "--agent", "x", "-z", "more"],
            "stop",
            None,
            &["unknown agent \"x\"", "unknown argument -z", "unknown argument more"],
        );
        check(&["stop", "--agent"], "stop", None, &["unknown agent \"\""]);
        check(&[], "", None, &[]);
    }
}
