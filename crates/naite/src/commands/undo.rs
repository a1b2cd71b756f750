//! `naite undo` and `naite redo`: moves, branch summaries and labels taken back and brought back, by appending.

use naite_core::text::json::ObjectWriter;
use naite_core::text::one_line;
use naite_core::undo::Change;
use naite_host::Environment;
use naite_store::{StoreError, Undone};

use super::{leaf_field, open_to_do};
use crate::cli::{HoldingArgs, SessionArg};
use crate::out::Out;

/// Take the last move of the leaf, branch summary or label back
///
/// Nothing is deleted: the change is taken back by appending, so it works in a later process too, and `naite redo`
/// brings it back.
#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    step: StepArgs,
}

/// Bring back what the last undo took back
///
/// A new move, label or message empties what can be redone.
#[derive(Debug, clap::Args)]
pub(crate) struct RedoArgs {
    #[command(flatten)]
    step: StepArgs,
}

#[derive(Debug, clap::Args)]
struct StepArgs {
    #[command(flatten)]
    session: SessionArg,
    #[command(flatten)]
    holding: HoldingArgs,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn undo(env: &Environment, args: &UndoArgs, out: &mut Out) -> anyhow::Result<()> {
    step(env, &args.step, false, out)
}

pub(crate) fn redo(env: &Environment, args: &RedoArgs, out: &mut Out) -> anyhow::Result<()> {
    step(env, &args.step, true, out)
}

fn step(env: &Environment, args: &StepArgs, redo: bool, out: &mut Out) -> anyhow::Result<()> {
    let mut session = open_to_do(env, args.session.session.as_deref(), &args.holding, |session| {
        let history = session.history();
        let steps = if redo { history.redo } else { history.undo };
        if steps.is_empty() { Err(StoreError::NothingToUndo { redo }.into()) } else { Ok(()) }
    })?;
    let done = if redo { session.redo()? } else { session.undo()? };
    session.finish()?;
    if !args.json {
        return Ok(out.line(words(&done))?);
    }
    let json =
        ObjectWriter::new().str("op", if redo { "redo" } else { "undo" }).str("record", done.record.as_str());
    let json = match &done.change {
        Change::Leaf(_) => json.str("changed", "leaf"),
        Change::Label { target, value } => {
            json.str("changed", "label").str("target", target).str_or_null("label", value.as_deref())
        }
    };
    Ok(out.line(leaf_field(json, &session).end())?)
}

fn words(done: &Undone) -> String {
    match &done.change {
        Change::Leaf(_) => match &done.leaf {
            Some(leaf) => format!("The leaf is at {}.", one_line(leaf.as_str())),
            None => "The leaf is at the root.".into(),
        },
        Change::Label { target, value: Some(label) } => {
            format!("{} is labelled [{}].", one_line(target), one_line(label))
        }
        Change::Label { target, value: None } => format!("{} has no label.", one_line(target)),
    }
}
