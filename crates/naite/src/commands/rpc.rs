//! `naite rpc`: every operation on a session for other programs, as JSON-RPC on standard input and output.

use std::io::{self, BufReader};

use naite_host::{Environment, Holding, SystemSupply, resolve, rpc};
use naite_store::{Access, Catalog, LogName, SessionManager, Wait};

use super::open_to_grow;
use crate::cli::HoldingArgs;

/// Serve a session as JSON-RPC 2.0, one object a line on standard input and output
///
/// Methods have the names of the session manager: getTree, appendMessage, branch, buildSessionContext, … (docs/rpc.md
/// lists them all). Without --session it starts a new session of this folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session: a path (a missing file is a new session), the beginning of an id, or a name
    #[arg(long, value_name = "FILE", conflicts_with = "in_memory")]
    session: Option<String>,
    /// A session that leaves no file
    #[arg(long)]
    in_memory: bool,
    /// Only look; the session is not held
    #[arg(long, requires = "session")]
    read_only: bool,
    #[command(flatten)]
    holding: HoldingArgs,
}

pub(crate) fn run(env: &Environment, args: &Args) -> anyhow::Result<()> {
    let session = open_session(env, args)?;
    let listing = env.clone();
    let list = move |all: bool| list(&listing, all);
    rpc::serve(session, BufReader::new(io::stdin()), io::stdout().lock(), list)??;
    Ok(())
}

fn open_session(env: &Environment, args: &Args) -> anyhow::Result<SessionManager> {
    let holding = Holding { wait: args.holding.wait.unwrap_or(Wait::No) };
    let mut session = match args.session.as_deref() {
        _ if args.in_memory => SessionManager::in_memory(Box::new(SystemSupply), &env.cwd_text())?,
        None => SessionManager::create(env.setup(holding), None)?,
        Some(given) => {
            let log = LogName::new(resolve(env, Some(given))?.path);
            match (args.read_only, args.holding.fork) {
                (true, _) => SessionManager::open(env.setup(holding), log, Access::Read)?,
                (false, true) => open_to_grow(env, Some(given), &args.holding)?,
                (false, false) => {
                    let mut session = SessionManager::open(env.setup(holding), log, Access::Write)?;
                    // An explicit path is created at once; a newer format is only read.
                    if !session.is_created() && session.access() == Access::Write {
                        session.write_now()?;
                    }
                    session
                }
            }
        }
    };
    session.create_at_once();
    Ok(session)
}

fn list(env: &Environment, all: bool) -> Catalog {
    let cwd = env.cwd_text();
    if all {
        return env.everything();
    }
    let mut catalog = env.catalog(&[env.workplace().folder(&cwd)]);
    catalog.rows.retain(|row| row.cwd.as_deref() == Some(cwd.as_str()));
    catalog
}
