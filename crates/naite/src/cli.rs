//! The command line: what can be said, and the help that teaches it.

use std::time::Duration;

use clap::{Parser, Subcommand};
use naite_store::Wait;

use crate::commands::{
    branch, completions, context, demo, doctor, export, forget, go, hook, info, install, label, man, note,
    relocate, rpc, session, sessions, show, trash, tree, trust, undo,
};

/// Keeps every conversation with a coding agent as a tree that only grows.
///
/// A session is a file of entries; the leaf is where the next one goes. Moving the leaf is free and loses nothing.
/// Naite reads and grows the session files of pi and oh-my-pi as well as its own.
///
/// SESSION is a path, the beginning of a session id, or a session's name; without it the latest session of this
/// folder is meant.
#[derive(Debug, Parser)]
#[command(name = "naite", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Start with `naite demo`: it makes sample sessions in a throw-away home and draws one."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Tree(tree::Args),
    Show(show::Args),
    Context(context::Args),
    Info(info::Args),
    Sessions(sessions::Args),
    Go(go::Args),
    Undo(undo::UndoArgs),
    Redo(undo::RedoArgs),
    Label(label::LabelArgs),
    Name(label::NameArgs),
    Branch(branch::BranchArgs),
    Fork(branch::ForkArgs),
    Export(export::Args),
    Doctor(doctor::Args),
    Trash(trash::Args),
    Relocate(relocate::Args),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Session(session::Args),
    Note(note::Args),
    Trust(trust::Args),
    Forget(forget::Args),
    Hook(hook::Args),
    Rpc(rpc::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Which session.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SessionArg {
    /// A path, the beginning of an id, or a name [default: the latest session of this folder]
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
}

/// What to do when another process holds the session.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct HoldingArgs {
    /// Wait until the session is free, at most SECONDS if given
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    #[arg(value_parser = seconds)]
    pub(crate) wait: Option<Wait>,
    /// If the session is held, go on in a copy of it
    #[arg(long)]
    pub(crate) fork: bool,
}

fn seconds(text: &str) -> Result<Wait, String> {
    if text.is_empty() {
        return Ok(Wait::Forever);
    }
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.map(Wait::AtMost).ok_or_else(|| format!("\"{text}\" is no number of seconds"))
}

pub(crate) fn parse() -> Result<Cli, clap::Error> {
    Cli::try_parse()
}
