//! `naite trash`: deleted sessions, listed and brought back.

use std::path::Path;

use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::one_line;
use naite_host::{Environment, Holding, SystemSupply, resolve};
use naite_store::{Access, LogName, SessionManager, Trashed};

use crate::out::{Out, note};

/// Delete sessions so that they can be restored, list them, bring them back
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// List deleted sessions, the last one first
    List {
        /// Print one JSON object (schema in docs/json.md)
        #[arg(long)]
        json: bool,
    },
    /// Delete one of Naite's own sessions; it can be restored
    Put {
        /// A path, the beginning of an id, or a name
        session: String,
        /// Print one JSON object (schema in docs/json.md)
        #[arg(long)]
        json: bool,
    },
    /// Put a deleted session back where it was
    Restore {
        /// A name from the list, or a part of it that only one has
        name: String,
        /// Print one JSON object (schema in docs/json.md)
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    match &args.act {
        Act::List { json } => list(env, *json, out),
        Act::Put { session, json } => put(env, session, *json, out),
        Act::Restore { name, json } => restore(env, name, *json, out),
    }
}

fn json_of(trashed: &Trashed) -> String {
    ObjectWriter::new()
        .str("name", &trashed.name)
        .str("path", &trashed.path.to_string_lossy())
        .str("deleted", &trashed.deleted)
        .end()
}

fn list(env: &Environment, json: bool, out: &mut Out) -> anyhow::Result<()> {
    let all = env.trash().list()?;
    if json {
        return Ok(out.line(ObjectWriter::new().raw("sessions", &json::join(all.iter().map(json_of))).end())?);
    }
    for trashed in &all {
        out.line(one_line(&format!("{}  {}  {}", trashed.deleted, trashed.name, trashed.path.display())))?;
    }
    if all.is_empty() {
        note("The trash is empty.");
    }
    Ok(())
}

fn put(env: &Environment, session: &str, json: bool, out: &mut Out) -> anyhow::Result<()> {
    let path = resolve(env, Some(session))?.path;
    print_one(&put_in_trash(env, &path)?, "is in the trash as", json, out)
}

/// Moves one of Naite's own sessions to the trash.
pub(crate) fn put_in_trash(env: &Environment, path: &Path) -> anyhow::Result<Trashed> {
    // Opening it to grow makes sure that it is a session and that nobody is using it.
    SessionManager::open(env.setup(Holding::default()), LogName::new(path), Access::Read)?;
    let canonical = path.canonicalize()?;
    let own = env.sessions().canonicalize().is_ok_and(|sessions| canonical.starts_with(sessions));
    if !own {
        anyhow::bail!("{} is not one of Naite's own sessions; Naite deletes no other files.", path.display());
    }
    let held = SessionManager::open(env.setup(Holding::default()), LogName::new(path), Access::Write)?;
    let trashed = env.trash().put(path, SystemSupply::millis())?;
    drop(held);
    Ok(trashed)
}

fn restore(env: &Environment, name: &str, json: bool, out: &mut Out) -> anyhow::Result<()> {
    let all = env.trash().list()?;
    let mut fitting = all.iter().filter(|trashed| trashed.name.contains(name));
    match (fitting.next(), fitting.next()) {
        (Some(trashed), None) => {
            env.trash().restore(trashed)?;
            print_one(trashed, "is back; it was", json, out)
        }
        (Some(_), Some(_)) => {
            anyhow::bail!("\"{name}\" fits several deleted sessions; `naite trash list` has their names.")
        }
        _ => anyhow::bail!("No deleted session has the name \"{name}\"; `naite trash list` has them."),
    }
}

fn print_one(trashed: &Trashed, what: &str, json: bool, out: &mut Out) -> anyhow::Result<()> {
    if json {
        return Ok(out.line(json_of(trashed))?);
    }
    Ok(out.line(one_line(&format!("{} {what} {}.", trashed.path.display(), trashed.name)))?)
}
