//! The chain from the agent to the context store, proven by calling the installed hooks.

use std::path::PathBuf;

use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::one_line;
use naite_host::hook::{self, Hook};
use naite_host::install::Target;
use naite_host::{Environment, git};

use crate::commands::hook::machine;
use crate::out::Out;

/// What is true of one settings file.
pub(super) struct Chain {
    settings: PathBuf,
    hooks: usize,
    problem: Option<String>,
}

/// What is true of all of it.
pub(super) struct Chains {
    chains: Vec<Chain>,
    root: Option<PathBuf>,
    errors: (Vec<String>, usize),
}

impl Chains {
    /// Tries each settings file that has hooks of ours.
    pub(super) fn try_all(env: &Environment) -> Self {
        let hook = machine();
        let root = hook.root(None);
        let project =
            git::repository(env.fs().as_ref(), &env.cwd).map_or_else(|| env.cwd.clone(), |found| found.root);
        let mut folders = vec![project.join(".claude")];
        folders.extend(hook.env.claude.clone());
        folders.dedup();
        let chains = folders.into_iter().filter_map(|folder| try_one(&hook, root.as_ref(), folder)).collect();
        let status = hook::status(&hook, None, None).ok().flatten();
        Self { chains, root, errors: status.map(|status| status.errors).unwrap_or_default() }
    }

    /// How many are broken.
    pub(super) fn broken(&self) -> usize {
        self.chains.iter().filter(|chain| chain.problem.is_some()).count()
    }

    pub(super) fn print(&self, out: &mut Out) -> std::io::Result<()> {
        if self.chains.is_empty() {
            out.line("No hooks are installed (`naite install claude-code`).")?;
        }
        for chain in &self.chains {
            let settings = chain.settings.display();
            out.line(one_line(&match (&chain.problem, &self.root) {
                (Some(problem), _) => format!("Hooks in {settings}: {problem}"),
                (None, Some(root)) => format!(
                    "Hooks in {settings}: {} work; what is said goes to {}.",
                    chain.hooks,
                    root.join("data/context").display()
                ),
                (None, None) => format!("Hooks in {settings}: {} work.", chain.hooks),
            }))?;
        }
        let (last, count) = &self.errors;
        if *count > 0 {
            out.line(format!("{count} lines in hook-errors.log; the last:"))?;
            for line in last {
                out.line(one_line(&format!("  {line}")))?;
            }
        }
        Ok(())
    }

    pub(super) fn json(&self) -> String {
        let chains = self.chains.iter().map(|chain| {
            ObjectWriter::new()
                .str("settings", &chain.settings.to_string_lossy())
                .display("hooks", chain.hooks)
                .str_or_null("problem", chain.problem.as_deref())
                .end()
        });
        json::join(chains)
    }
}

fn try_one(hook: &Hook, root: Option<&PathBuf>, folder: PathBuf) -> Option<Chain> {
    let target = Target { folder, program: String::new() };
    let settings = target.settings();
    let installed = match target.installed() {
        Ok(installed) if installed.is_empty() => return None,
        Ok(installed) => installed,
        Err(error) => return Some(Chain { settings, hooks: 0, problem: Some(format!("{error}.")) }),
    };
    let missing = naite_context::payload::Event::ALL.len().saturating_sub(installed.len());
    let problem = match root {
        None => Some("there is no context root: set NAITE_CONTEXT_ROOT, or HOME.".to_owned()),
        Some(root) => hook::probe(hook, root, &installed).err().map(|broken| format!("{broken}.")),
    };
    let problem = problem.or_else(|| {
        (missing > 0).then(|| format!("{missing} are missing; `naite install claude-code` adds them."))
    });
    Some(Chain { settings, hooks: installed.len(), problem })
}
