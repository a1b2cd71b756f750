//! `naite resume`: the session picker.

use naite_host::{Environment, Holding, resolve};
use naite_store::{Access, LogName, SessionManager};
use naite_tui::Language;
use naite_tui::sessions::{Agent, Scope};

use super::{sessions, tree};
use crate::out::Out;
use crate::screens::{self, Looks};
use crate::terminal;

/// Pick a session and open it
///
/// On a terminal this opens the picker: type to search names, folders and the whole text of sessions, Tab looks at
/// this folder, everywhere, or one agent, Enter opens a session, F1 lists all keys. With SESSION that session is opened
/// at once. On a pipe it prints the list, as `naite sessions` does.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A path, the beginning of an id, or a name [default: pick one]
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Start with the sessions of every folder and every program
    #[arg(long)]
    all: bool,
    /// Start with the sessions of one program
    #[arg(long, value_name = "PROGRAM", conflicts_with = "all")]
    #[arg(value_parser = ["naite", "pi", "omp", "claude-code"])]
    from: Option<String>,
    /// Start with this search
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Language of the picker: en or ko [default: as settings or the locale say]
    #[arg(long, value_name = "LANG", value_parser = tree::language)]
    lang: Option<Language>,
    /// Print the list as one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    if args.json || !terminal::is_there() {
        if args.session.is_some() || args.search.is_some() {
            anyhow::bail!(
                "The picker needs a terminal. `naite tree SESSION` prints a session, `naite sessions` the list."
            );
        }
        return sessions::list(env, args.all || args.from.is_some(), args.from.as_deref(), args.json, out);
    }
    let looks = Looks::read(env, args.lang)?;
    let words = looks.words.clone();
    let ended = match &args.session {
        Some(session) => {
            let found = resolve(env, Some(session))?;
            let log = LogName::new(found.path);
            let session = SessionManager::open(env.setup(Holding::default()), log, Access::Read)?;
            vec![screens::navigate(env, looks, session, None, args.search.as_deref())?]
        }
        None => {
            let scope = match args.from.as_deref().and_then(Agent::from_name) {
                Some(agent) => Scope::Of(agent),
                None if args.all => Scope::Everywhere,
                None => Scope::Here,
            };
            screens::pick(env, looks, scope, args.search.as_deref())?
        }
    };
    // What was done is said where it stays, after the screen is gone.
    ended.into_iter().try_for_each(|ended| tree::report(&words, ended, out))
}
