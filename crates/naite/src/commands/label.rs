//! `naite label` and `naite name`: what people call an entry or a session.

use naite_core::text::json::ObjectWriter;
use naite_core::text::one_line;
use naite_host::Environment;

use super::{find_entry, leaf_field, open, open_to_do, open_to_grow, session_and};
use crate::cli::{HoldingArgs, SessionArg};
use crate::out::Out;

/// Set or clear a label on an entry
///
/// A label is a bookmark: `naite tree --filter labeled-only` shows only labelled entries, and `naite undo` takes a
/// label back.
#[derive(Debug, clap::Args)]
pub(crate) struct LabelArgs {
    /// The session (may be left out), the entry's id or the beginning of it, and the label
    #[arg(value_names = ["SESSION", "ENTRY", "LABEL"], num_args = 1..=3, required = true)]
    what: Vec<String>,
    /// Remove the label
    #[arg(long)]
    clear: bool,
    #[command(flatten)]
    holding: HoldingArgs,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Name a session, or print its name
///
/// An empty name clears it.
#[derive(Debug, clap::Args)]
pub(crate) struct NameArgs {
    /// The session (may be left out) and its new name
    #[arg(value_names = ["SESSION", "NAME"], num_args = 1..=2, required = true)]
    what: Vec<String>,
    #[command(flatten)]
    holding: HoldingArgs,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn label(env: &Environment, args: &LabelArgs, out: &mut Out) -> anyhow::Result<()> {
    let (session, rest) = session_and(&args.what, if args.clear { 1 } else { 2 });
    let (entry, label) = match rest {
        [entry, label] if !args.clear => (entry, Some(label.trim()).filter(|label| !label.is_empty())),
        [entry] if args.clear => (entry, None),
        _ => anyhow::bail!("Name an entry and a label, or an entry and --clear."),
    };
    let mut session =
        open_to_do(env, session.as_deref(), &args.holding, |session| find_entry(session, entry).map(|_| ()))?;
    let target = session.tree().id(find_entry(&session, entry)?).to_owned();
    session.append_label_change(&target, label)?;
    session.finish()?;
    if args.json {
        let json = ObjectWriter::new().str("target", &target).str_or_null("label", label);
        return Ok(out.line(leaf_field(json, &session).end())?);
    }
    Ok(out.line(match label {
        Some(label) => format!("{} is labelled [{}].", one_line(&target), one_line(label)),
        None => format!("{} has no label.", one_line(&target)),
    })?)
}

pub(crate) fn name(env: &Environment, args: &NameArgs, out: &mut Out) -> anyhow::Result<()> {
    let (session, name) = match args.what.as_slice() {
        [session, name] => (Some(session.clone()), Some(name)),
        // One word is a session if there is one like that, else the new name of the latest session here.
        [one] if naite_host::resolve(env, Some(one)).is_ok_and(|found| found.path.is_file()) => {
            (Some(one.clone()), None)
        }
        rest => (None, rest.first()),
    };
    let session = match name {
        Some(name) => {
            let mut session = open_to_grow(env, session.as_deref(), &args.holding)?;
            session.append_session_info(name)?;
            session.finish()?;
            session
        }
        None => open(env, &SessionArg { session })?,
    };
    if args.json {
        let json =
            ObjectWriter::new().str("id", session.session_id()).str_or_null("name", session.session_name());
        return Ok(out.line(json.end())?);
    }
    Ok(out.line(session.session_name().map_or_else(|| "The session has no name.".into(), one_line))?)
}
