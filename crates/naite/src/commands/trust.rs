//! `naite trust`: whose text may be put into conversations.

use std::path::{Path, PathBuf};

use anyhow::Context;
use naite_core::text::json::ObjectWriter;
use naite_host::SystemSupply;
use naite_host::trust::{Reason, Verdict};

use super::hook::machine;
use crate::out::Out;

/// Allow the text of a context store to be put into new sessions
///
/// A folder `.ai-core` that came with a clone holds somebody else's text: nothing of it is put into a conversation
/// until you say so here. The decision holds for this folder as it is; it ends when another takes its place.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The root (a folder `.ai-core`, or the folder that has it) [default: the one that is used here]
    #[arg(value_name = "DIR")]
    root: Option<PathBuf>,
    /// Take the decision back
    #[arg(long)]
    withdraw: bool,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let hook = machine();
    let root = match &args.root {
        Some(root) => {
            let root = hook.env.cwd.join(root);
            let inside = root.join(".ai-core");
            if inside.is_dir() { inside } else { root }
        }
        None => hook.root(None).context("There is no context root: set NAITE_CONTEXT_ROOT, or HOME.")?,
    };
    let data = root.join("data/context");
    anyhow::ensure!(data.is_dir(), "There is nothing to trust: {} is no folder.", data.display());
    let trust = hook.trust().context("Neither NAITE_HOME nor a home folder is set.")?;
    let decided = |path: &Path| format!("Cannot keep the decision about {}", path.display());
    let was_there = match args.withdraw {
        true => trust.withdraw(&root).with_context(|| decided(&root))?,
        false => {
            trust.remember(&root, Reason::Said, SystemSupply::millis()).with_context(|| decided(&root))?;
            true
        }
    };
    let is_trusted = trust.verdict(&root) == Verdict::Trusted;
    if args.json {
        let json = ObjectWriter::new().str("root", &root.to_string_lossy()).display("trusted", is_trusted);
        return Ok(out.line(json.end())?);
    }
    let root = root.display();
    Ok(out.line(match (args.withdraw, was_there, is_trusted) {
        (false, ..) => format!("The text of {root} may be put into new sessions."),
        (true, true, false) => format!("Nothing of {root} is put into sessions any more."),
        (true, false, false) => {
            format!("Nothing was decided about {root}; nothing of it is put into sessions.")
        }
        (true, _, true) => format!("The text of {root} still is put into sessions: it is your own."),
    })?)
}
