//! `naite branch` and `naite fork`: new session files out of one, which never changes.

use naite_core::text::json::ObjectWriter;
use naite_core::text::printable;
use naite_host::Environment;
use naite_store::SessionManager;

use super::{find_entry, leaf_field, open, session_and};
use crate::cli::SessionArg;
use crate::out::Out;

/// Start a new session from an entry of another one
///
/// On a user's message: what stood before it, and the message's text for editing. On any other entry: the path up to
/// it. Labels on the path come along. Prints the new file.
#[derive(Debug, clap::Args)]
pub(crate) struct BranchArgs {
    /// The session (may be left out) and the entry's id, or the beginning of it
    #[arg(value_names = ["SESSION", "ENTRY"], num_args = 1..=2, required = true)]
    what: Vec<String>,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Copy a whole session, with all branches and labels, into a new one
///
/// Every line keeps its bytes. Prints the new file.
#[derive(Debug, clap::Args)]
pub(crate) struct ForkArgs {
    #[command(flatten)]
    session: SessionArg,
    /// The folder that the new session belongs to [default: that of the source]
    #[arg(long, value_name = "DIR")]
    cwd: Option<std::path::PathBuf>,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn branch(env: &Environment, args: &BranchArgs, out: &mut Out) -> anyhow::Result<()> {
    let (session, rest) = session_and(&args.what, 1);
    let mut session = open(env, &SessionArg { session })?;
    let entry = find_entry(&session, &rest[0])?;
    let text = if session.tree().head(entry).is_user() {
        let text = session.branch_session(entry)?;
        session.write_now()?;
        Some(text)
    } else {
        session.create_branched_session(entry)?;
        None
    };
    print(&session, text.as_deref(), args.json, out)
}

pub(crate) fn fork(env: &Environment, args: &ForkArgs, out: &mut Out) -> anyhow::Result<()> {
    let mut session = open(env, &args.session)?;
    let cwd = match &args.cwd {
        Some(folder) => {
            let canonical = folder.canonicalize();
            let folder =
                canonical.map_err(|error| anyhow::anyhow!("Cannot use {}: {error}.", folder.display()))?;
            Some(folder.to_string_lossy().into_owned())
        }
        None => None,
    };
    session.fork(cwd.as_deref())?;
    print(&session, None, args.json, out)
}

fn print(session: &SessionManager, text: Option<&str>, json: bool, out: &mut Out) -> anyhow::Result<()> {
    let path = session.path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    if json {
        let json = ObjectWriter::new().str("path", &path).str("id", session.session_id());
        return Ok(out.line(leaf_field(json, session).maybe_str("editorText", text).end())?);
    }
    out.line(printable(&path))?;
    if let Some(text) = text {
        out.line(printable(text))?;
    }
    Ok(())
}
