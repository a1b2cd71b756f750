//! `naite session`: the context that goes from one session to the next.

use std::path::PathBuf;

use anyhow::Context;
use naite_context::project::Rule;
use naite_core::entry::iso;
use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::{one_line, thousands};
use naite_host::hook::{self, RootRule, SessionStatus, Status};
use naite_host::trust::Verdict;

use super::hook::machine;
use crate::out::Out;

/// The context of sessions: what is recorded, and what the next session starts with
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    Context(ContextArgs),
}

/// Show the state of the context store: session, project, handoff, sizes, problems
#[derive(Debug, clap::Args)]
struct ContextArgs {
    /// Say which rules chose the root and the project, and why
    #[arg(long)]
    explain: bool,
    /// A session's id [default: the one that runs this, else the one that was active last]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The root of the context store [default: NAITE_CONTEXT_ROOT, else the nearest .ai-core folder, else ~/.ai-core]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> anyhow::Result<()> {
    match &args.act {
        Act::Context(args) => context(args, out),
    }
}

fn context(args: &ContextArgs, out: &mut Out) -> anyhow::Result<()> {
    let hook = machine();
    let id = args.session.as_deref().or(hook.env.session_id.as_deref());
    let status = hook::status(&hook, args.root.as_deref(), id)?
        .context("There is no context root: set NAITE_CONTEXT_ROOT, or HOME.")?;
    if args.json {
        return Ok(out.line(json_of(&status))?);
    }
    let mut say = |label: &str, text: String| out.line(one_line(&format!("{label:<9} {text}")));
    say(
        "root",
        format!("{}{}", status.root.display(), if status.is_there { "" } else { " (nothing recorded yet)" }),
    )?;
    if args.explain {
        say("", root_words(status.root_rule).into())?;
    }
    say("trust", trust_words(&status))?;
    let decoded = status.project.decoded();
    let folder = status.project.folder();
    say("project", if decoded == folder { decoded } else { format!("{decoded} ({folder})") })?;
    if args.explain {
        say("", project_words(&status))?;
    }
    match &status.session {
        Some(session) => session_lines(session, &mut say)?,
        None => say("session", "none yet".into())?,
    }
    match &status.handoff {
        Some(handoff) => {
            let age = handoff.at.map(|at| format!(", {} old", hook::age(hook.now - at))).unwrap_or_default();
            let elsewhere = if handoff.is_here { "" } else { ", not written in this folder" };
            let characters = thousands(handoff.characters as u64);
            say("handoff", format!("{} ({characters} characters{age}{elsewhere})", handoff.path.display()))?;
        }
        None => say("handoff", "none".into())?,
    }
    for (name, files, bytes) in &status.sizes {
        let files = if *files == 1 { "1 file".into() } else { format!("{} files", thousands(*files)) };
        say("", format!("{name}/ {files}, {} bytes", thousands(*bytes)))?;
    }
    if status.marks > 0 {
        say("worker", format!("{} left to do; it starts with the next hook", status.marks))?;
    }
    let (last, count) = &status.errors;
    if *count > 0 {
        say("problems", format!("{count} in hook-errors.log; the last:"))?;
        last.iter().try_for_each(|line| say("", line.clone()))?;
    }
    Ok(())
}

fn session_lines(
    session: &SessionStatus,
    say: &mut impl FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let Some(folder) = &session.folder else {
        return say("session", format!("{} (not in the store)", session.id));
    };
    let messages = if session.messages == 1 {
        "1 message".into()
    } else {
        format!("{} messages", thousands(session.messages))
    };
    let closed = if session.is_closed { ", closed" } else { "" };
    say("session", format!("{} ({messages}{closed})", session.id))?;
    say("", folder.display().to_string())?;
    let (copied, len) = session.copied;
    match (&session.transcript, len) {
        (Some(path), Some(len)) => say(
            "",
            format!("transcript {}: {} of {} bytes read", path.display(), thousands(copied), thousands(len)),
        ),
        (Some(path), None) => say(
            "",
            format!("transcript {} is gone; {} bytes of it were read", path.display(), thousands(copied)),
        ),
        (None, _) => say("", "transcript not read yet".into()),
    }
}

fn root_words(rule: RootRule) -> &'static str {
    match rule {
        RootRule::Given => "because --root names it",
        RootRule::Environment => "because NAITE_CONTEXT_ROOT names it",
        RootRule::Nearest => "because it is the nearest .ai-core folder from here upwards",
        RootRule::Home => {
            "because no folder from here upwards has .ai-core, so it is the one in the home folder"
        }
    }
}

fn trust_words(status: &Status) -> String {
    match status.verdict {
        Verdict::Trusted => "its text may be put into new sessions".into(),
        Verdict::Foreign if !status.is_there => "nothing to put into new sessions yet".into(),
        Verdict::Foreign => "nothing of it is put into sessions: it was not made here (`naite trust`)".into(),
        Verdict::Tracked => "nothing of it is put into sessions: git tracks its data (`naite trust`)".into(),
    }
}

fn project_words(status: &Status) -> String {
    match status.project.rule {
        Rule::Tmux => format!("because the tmux session is named {}", status.project.name()),
        Rule::Environment => format!("because PROJECT_FOR_LOG is {}; there is no tmux session", status.project.name()),
        Rule::Neither => {
            "because there is neither a tmux session nor PROJECT_FOR_LOG; sessions are recorded, but in no project".into()
        }
    }
}

fn json_of(status: &Status) -> String {
    let root_rule = match status.root_rule {
        RootRule::Given => "given",
        RootRule::Environment => "environment",
        RootRule::Nearest => "nearest",
        RootRule::Home => "home",
    };
    let rule = match status.project.rule {
        Rule::Tmux => "tmux",
        Rule::Environment => "environment",
        Rule::Neither => "neither",
    };
    let trust = match status.verdict {
        Verdict::Trusted => "trusted",
        Verdict::Foreign => "foreign",
        Verdict::Tracked => "tracked",
    };
    let session = status.session.as_ref().map(|session| {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
        ObjectWriter::new()
            .str("id", &session.id)
            .str_or_null("folder", path(&session.folder).as_deref())
            .display("messages", session.messages)
            .str_or_null("transcript", path(&session.transcript).as_deref())
            .display("transcriptCopied", session.copied.0)
            .raw("transcriptBytes", &session.copied.1.map_or_else(|| "null".into(), |len| len.to_string()))
            .display("waiting", session.waiting)
            .display("closed", session.is_closed)
            .end()
    });
    let handoff = status.handoff.as_ref().map(|handoff| {
        ObjectWriter::new()
            .str("path", &handoff.path.to_string_lossy())
            .display("characters", handoff.characters)
            .str_or_null("at", handoff.at.map(iso).as_deref())
            .display("here", handoff.is_here)
            .end()
    });
    let sizes = status.sizes.iter().map(|(name, files, bytes)| {
        ObjectWriter::new().str("folder", name).display("files", files).display("bytes", bytes).end()
    });
    ObjectWriter::new()
        .str("root", &status.root.to_string_lossy())
        .str("rootRule", root_rule)
        .str("trust", trust)
        .str("project", status.project.name())
        .str("projectDecoded", &status.project.decoded())
        .str("projectRule", rule)
        .raw("session", session.as_deref().unwrap_or("null"))
        .raw("handoff", handoff.as_deref().unwrap_or("null"))
        .raw("sizes", &json::join(sizes))
        .display("marks", status.marks)
        .display("errors", status.errors.1)
        .raw("lastErrors", &json::join(status.errors.0.iter().map(|line| json::quote(line))))
        .end()
}
