//! `naite install` and `naite uninstall`: hooks and commands in an agent's settings.

use std::path::PathBuf;

use anyhow::Context;
use naite_core::text::json::{self, ObjectWriter};
use naite_host::install::{self, Plan, Target};
use naite_host::{Environment, SystemSupply, git};

use super::hook::machine;
use crate::out::{Out, note};

/// Agents whose sessions can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Agent {
    /// Claude Code
    ClaudeCode,
}

/// Where.
#[derive(Debug, clap::Args)]
struct Place {
    /// The agent
    #[arg(value_enum)]
    agent: Agent,
    /// In the user's settings (the default)
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// In the settings of this project (the git repository, else this folder)
    #[arg(long)]
    project: bool,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Let an agent record its sessions with Naite
///
/// Writes six hooks and the four commands /-session-context, /-session-resume, /-session-save and /-session-summary
/// into Claude Code's settings. Everything that stands there stays; what the settings were is kept in the backups
/// folder of NAITE_HOME. Doing it twice changes nothing. `naite doctor` proves that it works.
#[derive(Debug, clap::Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    place: Place,
    /// Print the Makefile target that names a project: `make claude PROJECT=xxx`
    #[arg(long)]
    make: bool,
}

/// Take Naite's hooks and commands out of an agent's settings
///
/// If nobody changed the settings since, they become byte for byte what they were; else only Naite's own entries go.
/// What was recorded stays where it is.
#[derive(Debug, clap::Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    place: Place,
}

impl Place {
    fn target(&self, env: &Environment) -> anyhow::Result<Target> {
        let Agent::ClaudeCode = self.agent;
        if self.project {
            let root = git::repository(env.fs().as_ref(), &env.cwd)
                .map_or_else(|| env.cwd.clone(), |found| found.root);
            // Others have their own Naite in another place.
            return Ok(Target { folder: root.join(".claude"), program: "naite".into() });
        }
        let folder = machine().env.claude.context("No home folder is set, so there are no user settings.")?;
        let program = std::env::current_exe().context("Cannot tell where this program is.")?;
        Ok(Target { folder, program: program.to_string_lossy().into_owned() })
    }
}

/// Installs.
pub(crate) fn install(env: &Environment, args: &InstallArgs, out: &mut Out) -> anyhow::Result<()> {
    if args.make {
        return Ok(out.line(install::MAKE.trim_end())?);
    }
    let target = args.place.target(env)?;
    let now = SystemSupply::millis();
    let plan = install::plan(&target, &env.home, now)?;
    install::carry_out(&plan, &env.home, now)?;
    if args.place.json {
        return Ok(out.line(json_of(&target, &plan))?);
    }
    if plan.changes.is_empty() {
        out.line(format!("Already installed in {}.", target.settings().display()))?;
    } else {
        out.line(format!("Installed hooks and commands in {}.", target.folder.display()))?;
        out.line("Sessions that start from now on are recorded; `naite doctor` proves it.")?;
    }
    if args.place.project && !is_on_path(&target.program) {
        out.flush()?;
        note("The hooks call `naite`, which is not on the search path here: add its folder to PATH.");
    }
    Ok(())
}

/// Uninstalls.
pub(crate) fn uninstall(env: &Environment, args: &UninstallArgs, out: &mut Out) -> anyhow::Result<()> {
    let target = args.place.target(env)?;
    let plan = install::removal(&target, &env.home)?;
    install::carry_out(&plan, &env.home, SystemSupply::millis())?;
    if args.place.json {
        return Ok(out.line(json_of(&target, &plan))?);
    }
    out.line(match plan.changes.is_empty() {
        true => format!("Nothing of Naite is in {}.", target.folder.display()),
        false => format!("Took hooks and commands out of {}.", target.folder.display()),
    })?;
    out.flush()?;
    for path in &plan.kept {
        note(&format!("{} was changed since and stays.", path.display()));
    }
    Ok(())
}

fn json_of(target: &Target, plan: &Plan) -> String {
    let paths = |paths: &mut dyn Iterator<Item = &PathBuf>| {
        json::join(paths.map(|path| json::quote(&path.to_string_lossy())))
    };
    ObjectWriter::new()
        .str("settings", &target.settings().to_string_lossy())
        .raw("changed", &paths(&mut plan.changes.iter().map(|change| &change.path)))
        .raw("kept", &paths(&mut plan.kept.iter()))
        .end()
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
