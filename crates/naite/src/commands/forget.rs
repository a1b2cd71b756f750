//! `naite forget`: out of every layer of the context store, for good.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::one_line;
use naite_host::SystemSupply;
use naite_store::context::{ContextStore, Forget, Forgotten};
use regex::{NoExpand, Regex};

use super::hook::machine;
use crate::out::{Out, note};

/// Forget a session, or text, in every layer of the context store
///
/// Takes it out of logs, transcripts, projects, sub-agents, questions, summaries, handoffs, notes, indexes and their
/// backups, and writes down in `forgotten.jsonl` that something was forgotten (not what). The agent's own files are
/// not touched: delete the session there as well. --dry-run only says what would change.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub(crate) struct Args {
    /// The whole id of a session
    #[arg(long, value_name = "ID", group = "what")]
    session: Option<String>,
    /// A regular expression; each match becomes `[forgotten]`
    #[arg(long, value_name = "REGEX", group = "what")]
    text: Option<String>,
    /// Only say what would change
    #[arg(long)]
    dry_run: bool,
    /// The root of the context store [default: NAITE_CONTEXT_ROOT, else the nearest .ai-core folder, else ~/.ai-core]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let hook = machine();
    let root = args.root.as_ref().map(|root| hook.env.cwd.join(root)).or_else(|| hook.root(None));
    let root = root.context("There is no context root: set NAITE_CONTEXT_ROOT, or HOME.")?;
    let store = ContextStore::new(Arc::clone(&hook.fs), &root, Arc::clone(&hook.calendar), true);
    // The worker would write down again what is being forgotten.
    let _worker = match args.dry_run || !store.data().is_dir() {
        true => None,
        false => Some(
            store.become_worker()?.context("The worker is busy with this store; try again in a moment.")?,
        ),
    };
    let forgotten = match (&args.session, &args.text) {
        (Some(id), _) => store.forget(&Forget::Session(id), SystemSupply::millis(), args.dry_run)?,
        (None, Some(pattern)) => {
            let regex = Regex::new(pattern)
                .map_err(|error| anyhow::anyhow!("--text is no regular expression: {error}"))?;
            anyhow::ensure!(
                !regex.is_match(""),
                "--text matches the empty text, that is everywhere; say more."
            );
            let without = |text: &str| match regex.replace_all(text, NoExpand("[forgotten]")) {
                Cow::Borrowed(_) => None,
                Cow::Owned(changed) => Some(changed),
            };
            store.forget(&Forget::Text(&without), SystemSupply::millis(), args.dry_run)?
        }
        (None, None) => Forgotten::default(),
    };
    if args.json {
        out.line(json_of(&forgotten))?;
    } else {
        print(&forgotten, args.dry_run, out)?;
    }
    anyhow::ensure!(!forgotten.is_empty(), "There is nothing of it in {}.", root.display());
    out.flush()?;
    if args.session.is_some() && !args.dry_run {
        note("The agent's own transcript is not touched; delete it there as well.");
    }
    Ok(())
}

fn print(forgotten: &Forgotten, is_dry: bool, out: &mut Out) -> std::io::Result<()> {
    let (removed, changed) = if is_dry { ("would remove", "would change") } else { ("removed", "changed") };
    for path in &forgotten.removed {
        out.line(one_line(&format!("{removed} {}", path.display())))?;
    }
    for (path, lines) in &forgotten.changed {
        let lines = if *lines == 1 { "1 line".into() } else { format!("{lines} lines") };
        out.line(one_line(&format!("{changed} {lines} of {}", path.display())))?;
    }
    Ok(())
}

fn json_of(forgotten: &Forgotten) -> String {
    let removed = forgotten.removed.iter().map(|path| json::quote(&path.to_string_lossy()));
    let changed = forgotten.changed.iter().map(|(path, lines)| {
        ObjectWriter::new().str("path", &path.to_string_lossy()).display("lines", lines).end()
    });
    ObjectWriter::new().raw("removed", &json::join(removed)).raw("changed", &json::join(changed)).end()
}
