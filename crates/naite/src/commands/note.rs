//! `naite note`: something to remember for the next handoff.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use naite_context::project::Project;
use naite_core::text::json::ObjectWriter;
use naite_store::context::ContextStore;

use super::hook::machine;
use crate::out::Out;

/// Keep a note for the next handoff of this project
///
/// Notes wait in `buffer/` of the context store until a handoff is saved. The project is the tmux session's name, else
/// PROJECT_FOR_LOG; `naite session context --explain` says which.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The words; `-` reads them from standard input
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Another project
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// The root of the context store [default: NAITE_CONTEXT_ROOT, else the nearest .ai-core folder, else ~/.ai-core]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let hook = machine();
    let text = match args.text.as_slice() {
        [dash] if dash == "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes)?;
            String::from_utf8(bytes).context("Standard input is no UTF-8 text.")?
        }
        words => words.join(" "),
    };
    let text = text.trim();
    anyhow::ensure!(!text.is_empty(), "The note is empty.");
    let project = match &args.project {
        Some(name) => Project::resolve(None, Some(name)),
        None => hook.project().0,
    };
    let root = args.root.as_ref().map(|root| hook.env.cwd.join(root)).or_else(|| hook.root(None));
    let root = root.context("There is no context root: set NAITE_CONTEXT_ROOT, or HOME.")?;
    let store = ContextStore::new(Arc::clone(&hook.fs), root, Arc::clone(&hook.calendar), true);
    store.prepare()?;
    store.note(project.name(), hook.env.session_id.as_deref(), text, hook.now)?;
    let path = store.data().join("buffer").join(format!("{}.jsonl", project.folder()));
    if args.json {
        let json = ObjectWriter::new().str("project", project.name()).str("path", &path.to_string_lossy());
        return Ok(out.line(json.end())?);
    }
    Ok(out.line(format!("Noted for {}.", project.decoded()))?)
}
