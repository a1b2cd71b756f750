//! `naite relocate`: sessions that follow a project folder that was moved.

use std::path::{Path, PathBuf};

use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::one_line;
use naite_host::{Environment, Holding, SystemSupply};
use naite_store::{Access, LogName, SessionManager};

use crate::out::{Out, note};
use crate::words::explain;

/// Let sessions follow a project folder that was moved
///
/// Every one of Naite's own sessions of OLD, or of a folder in it, gets a copy that belongs to the same place in NEW;
/// the old file goes to the trash, from which it can be restored. Sessions of other programs are left alone.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the folder was
    old: PathBuf,
    /// Where it is now
    new: PathBuf,
    /// Only say which sessions would follow
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let old = plain_path(&args.old)?;
    let new = args.new.canonicalize();
    let new = new
        .map_err(|error| anyhow::anyhow!("Cannot use {} as the new folder: {error}.", args.new.display()))?;
    let mut moved = Vec::new();
    let mut failed = 0;
    for row in env.catalog(&[env.sessions()]).rows {
        let Some(rest) =
            row.cwd.as_deref().and_then(|cwd| Path::new(cwd).strip_prefix(&old).ok().map(PathBuf::from))
        else {
            continue;
        };
        let cwd = if rest.as_os_str().is_empty() { new.clone() } else { new.join(rest) };
        if args.dry_run {
            moved.push((row.path, None, cwd));
            continue;
        }
        match follow(env, &row.path, &cwd) {
            Ok(path) => moved.push((row.path, Some(path), cwd)),
            Err(error) => {
                failed += 1;
                note(&explain(&error).what);
            }
        }
    }
    print(&moved, args, out)?;
    if failed > 0 {
        out.flush()?;
        anyhow::bail!("{failed} sessions could not follow; they are where they were.");
    }
    Ok(())
}

/// The path of a folder that may be gone: without links if it is there, else without `.` and `..`.
fn plain_path(path: &Path) -> std::io::Result<PathBuf> {
    use std::path::Component;
    if let Ok(path) = path.canonicalize() {
        return Ok(path);
    }
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Ok(plain)
}

/// Copies a session to its new folder and puts the old file into the trash.
fn follow(env: &Environment, path: &Path, cwd: &Path) -> anyhow::Result<PathBuf> {
    // Held while it moves, so that nobody appends to the file that goes.
    let held = SessionManager::open(env.setup(Holding::default()), LogName::new(path), Access::Write)?;
    let mut session = SessionManager::open(env.setup(Holding::default()), LogName::new(path), Access::Read)?;
    session.move_copy(&cwd.to_string_lossy())?;
    let copy = session.path().map(PathBuf::from).unwrap_or_default();
    if let Err(error) = env.trash().put(path, SystemSupply::millis()) {
        // Two sessions of one id would be worse than none that moved.
        std::fs::remove_file(&copy)?;
        return Err(error.into());
    }
    drop(held);
    Ok(copy)
}

fn print(moved: &[(PathBuf, Option<PathBuf>, PathBuf)], args: &Args, out: &mut Out) -> anyhow::Result<()> {
    if args.json {
        let sessions = moved.iter().map(|(old, new, cwd)| {
            let new = new.as_ref().map(|path| path.to_string_lossy());
            ObjectWriter::new()
                .str("from", &old.to_string_lossy())
                .str_or_null("to", new.as_deref())
                .str("cwd", &cwd.to_string_lossy())
                .end()
        });
        return Ok(out.line(ObjectWriter::new().raw("sessions", &json::join(sessions)).end())?);
    }
    for (old, new, cwd) in moved {
        let line = match new {
            Some(new) => format!("{} follows to {}", new.display(), cwd.display()),
            None => format!("{} would follow to {}", old.display(), cwd.display()),
        };
        out.line(one_line(&line))?;
    }
    if moved.is_empty() {
        note(&one_line(&format!("No session belongs to {}.", args.old.display())));
    }
    Ok(())
}
