//! `naite go`: the leaf moved for good, so that the next process starts there.

use naite_core::EntryId;
use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::{one_line, printable};
use naite_host::Environment;
use naite_store::{Moved, Navigated, SessionManager};

use super::{find_entry, find_point, open_to_do};
use crate::cli::HoldingArgs;
use crate::out::Out;

/// Move the leaf to an entry
///
/// The next entry will hang there; what is left behind stays as a branch, and `naite undo` moves back. Nothing in the
/// file is changed: a record of the move is appended.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A path, the beginning of an id, or a name; with one argument only, the latest session of this folder is meant
    #[arg(value_name = "SESSION")]
    first: String,
    /// The entry's id or the beginning of it, or `root` for the state before the first entry
    #[arg(value_name = "ENTRY|root")]
    second: Option<String>,
    /// Move as `/tree` does: before a user's message, whose text is printed for editing; onto anything else
    #[arg(long)]
    edit: bool,
    #[command(flatten)]
    holding: HoldingArgs,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let (session, entry) = match &args.second {
        Some(entry) => (Some(args.first.as_str()), entry),
        None => (None, &args.first),
    };
    let mut session =
        open_to_do(env, session, &args.holding, |session| find_point(session, entry).map(|_| ()))?;
    let moved = if args.edit && entry != "root" {
        let target = find_entry(&session, entry)?;
        session.navigate(target, None)?
    } else {
        let target = find_point(&session, entry)?;
        session.go(target)?
    };
    session.finish()?;
    if args.json { print_json(&session, &moved, out) } else { print(&session, &moved, out) }
}

fn print_json(session: &SessionManager, moved: &Navigated, out: &mut Out) -> anyhow::Result<()> {
    let mut json = ObjectWriter::new().display("moved", matches!(moved, Navigated::Moved(_)));
    json = super::leaf_field(json, session);
    if let Navigated::Moved(moved) = moved {
        json = json
            .str_or_null("oldLeaf", moved.old_leaf.as_ref().map(EntryId::as_str))
            .maybe_str("editorText", moved.editor_text.as_deref());
        if !moved.editor_images.is_empty() {
            json = json.raw("editorImages", &json::join(&moved.editor_images));
        }
    }
    Ok(out.line(json.end())?)
}

fn print(session: &SessionManager, moved: &Navigated, out: &mut Out) -> anyhow::Result<()> {
    let leaf = session.leaf_id().map_or_else(|| "the root".into(), |id| one_line(id.as_str()).into_owned());
    match moved {
        Navigated::AlreadyThere => out.line("Already at this point.")?,
        Navigated::Moved(Moved { editor_text, .. }) => {
            out.line(format!("The leaf is at {leaf}."))?;
            if let Some(text) = editor_text {
                out.line(printable(text))?;
            }
        }
    }
    Ok(())
}
