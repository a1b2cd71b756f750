//! `naite completions`: the script that lets a shell complete commands and options.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::out::Out;

/// Print the completion script of a shell
///
/// For bash: `naite completions bash > ~/.local/share/bash-completion/completions/naite`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "naite", &mut script);
    Ok(out.line(String::from_utf8_lossy(&script).trim_end())?)
}
