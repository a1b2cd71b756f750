//! One command, one file: arguments, what it does, what it prints.

pub(crate) mod branch;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod go;
pub(crate) mod hook;
pub(crate) mod info;
pub(crate) mod install;
pub(crate) mod label;
pub(crate) mod man;
pub(crate) mod note;
pub(crate) mod relocate;
pub(crate) mod rpc;
pub(crate) mod session;
pub(crate) mod sessions;
pub(crate) mod show;
pub(crate) mod trash;
pub(crate) mod tree;
pub(crate) mod trust;
pub(crate) mod undo;

use naite_core::Ix;
use naite_core::text::json::ObjectWriter;
use naite_host::{Environment, Holding, resolve};
use naite_store::{Access, LogName, SessionManager, StoreError, Wait};

use crate::cli::{Cli, Command, HoldingArgs, SessionArg};
use crate::out::{self, Out};

/// What a person is told who waits for a long session.
pub(crate) const READING: &str = "Reading the session";

/// Runs a command to its end.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<()> {
    let env = Environment::read(concat!("naite ", env!("CARGO_PKG_VERSION")))?;
    let mut out = Out::new();
    match &cli.command {
        Command::Tree(args) => tree::run(&env, args, &mut out),
        Command::Show(args) => show::run(&env, args, &mut out),
        Command::Context(args) => context::run(&env, args, &mut out),
        Command::Info(args) => info::run(&env, args, &mut out),
        Command::Sessions(args) => sessions::run(&env, args, &mut out),
        Command::Go(args) => go::run(&env, args, &mut out),
        Command::Undo(args) => undo::undo(&env, args, &mut out),
        Command::Redo(args) => undo::redo(&env, args, &mut out),
        Command::Label(args) => label::label(&env, args, &mut out),
        Command::Name(args) => label::name(&env, args, &mut out),
        Command::Branch(args) => branch::branch(&env, args, &mut out),
        Command::Fork(args) => branch::fork(&env, args, &mut out),
        Command::Export(args) => export::run(&env, args, &mut out),
        Command::Doctor(args) => doctor::run(&env, args, &mut out),
        Command::Trash(args) => trash::run(&env, args, &mut out),
        Command::Relocate(args) => relocate::run(&env, args, &mut out),
        Command::Install(args) => install::install(&env, args, &mut out),
        Command::Uninstall(args) => install::uninstall(&env, args, &mut out),
        Command::Session(args) => session::run(args, &mut out),
        Command::Note(args) => note::run(args, &mut out),
        Command::Trust(args) => trust::run(args, &mut out),
        Command::Forget(args) => forget::run(args, &mut out),
        // Only `--help` gets here; everything else ran before arguments were parsed.
        Command::Hook(_) => Ok(()),
        Command::Rpc(args) => rpc::run(&env, args),
        Command::Demo(args) => demo::run(&env, args, &mut out),
        Command::Completions(args) => completions::run(args, &mut out),
        Command::Man(args) => man::run(args, &mut out),
    }?;
    Ok(out.finish()?)
}

/// Opens the session that is meant, for reading.
pub(crate) fn open(env: &Environment, session: &SessionArg) -> anyhow::Result<SessionManager> {
    let found = resolve(env, session.session.as_deref())?;
    let session = out::busy(READING, || {
        SessionManager::open(env.setup(Holding::default()), LogName::new(found.path), Access::Read)
    })?;
    warn_of_defects(&session);
    Ok(session)
}

/// Opens the session that is meant, for growing it; a copy of it if that is wanted and another process holds it.
pub(crate) fn open_to_grow(
    env: &Environment,
    session: Option<&str>,
    holding: &HoldingArgs,
) -> anyhow::Result<SessionManager> {
    open_to_do(env, session, holding, |_| Ok(()))
}

/// The same for something that `check` may find impossible; then no copy is made.
pub(crate) fn open_to_do(
    env: &Environment,
    session: Option<&str>,
    holding: &HoldingArgs,
    check: impl FnOnce(&SessionManager) -> anyhow::Result<()>,
) -> anyhow::Result<SessionManager> {
    let log = LogName::new(resolve(env, session)?.path);
    // Only a conversation creates files at a path that does not exist; a move needs something to move in.
    if env.fs().meta(log.path()).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        SessionManager::open(env.setup(Holding::default()), log.clone(), Access::Read)?;
    }
    let setup = env.setup(Holding { wait: holding.wait.unwrap_or(Wait::No) });
    let what = if holding.wait.is_some() { "Reading the session, or waiting for it" } else { READING };
    match out::busy(what, || SessionManager::open(setup, log.clone(), Access::Write)) {
        Err(StoreError::Held { .. }) if holding.fork => {
            let mut copy = SessionManager::open(env.setup(Holding::default()), log, Access::Read)?;
            check(&copy)?;
            copy.fork(None)?;
            if let Some(path) = copy.path() {
                out::note(&format!("The session is in use; going on in a copy: {}", path.display()));
            }
            Ok(copy)
        }
        opened => Ok(opened?),
    }
}

/// Splits positional arguments of which the first, the session, may be left out.
pub(crate) fn session_and(what: &[String], rest: usize) -> (Option<String>, &[String]) {
    match what.len() > rest {
        true => (what.first().cloned(), &what[1..]),
        false => (None, what),
    }
}

/// Finds the entry that is meant: an id, or the beginning of one that only one entry has.
pub(crate) fn find_entry(session: &SessionManager, given: &str) -> anyhow::Result<Ix> {
    if let Some(ix) = session.tree().find(given) {
        return Ok(ix);
    }
    let tree = session.tree();
    let mut fitting = tree.entries().filter(|ix| !given.is_empty() && tree.id(*ix).starts_with(given));
    match (fitting.next(), fitting.next()) {
        (Some(ix), None) => Ok(ix),
        (Some(_), Some(_)) => anyhow::bail!("\"{given}\" fits several entries; give more of the id."),
        _ => Err(StoreError::UnknownEntry { id: given.into() }.into()),
    }
}

/// An entry that is meant, or `root` for the state before the first one.
pub(crate) fn find_point(session: &SessionManager, given: &str) -> anyhow::Result<Option<Ix>> {
    if given == "root" { Ok(None) } else { find_entry(session, given).map(Some) }
}

/// The user's home folder, which rows show as `~`.
pub(crate) fn home(env: &Environment) -> Option<String> {
    env.user_home.as_ref().map(|home| home.to_string_lossy().into_owned())
}

/// The leaf as a JSON field.
pub(crate) fn leaf_field(json: ObjectWriter, session: &SessionManager) -> ObjectWriter {
    let leaf = session.leaf_id();
    json.str_or_null("leaf", leaf.as_ref().map(naite_core::EntryId::as_str))
}

fn warn_of_defects(session: &SessionManager) {
    match session.defects().len() {
        0 => {}
        1 => out::note("1 thing is wrong with the file; `naite doctor` says what."),
        count => out::note(&format!("{count} things are wrong with the file; `naite doctor` says what.")),
    }
}
