//! `naite man`: the manual page, made from the same text as `--help`.

use clap::CommandFactory;

use crate::cli::Cli;
use crate::out::Out;

/// Print the manual page, of naite or of one of its commands
///
/// `naite man | man -l -` shows it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A command
    command: Option<String>,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let mut whole = Cli::command();
    whole.build();
    let page = match &args.command {
        None => whole,
        Some(name) => {
            let found = whole.find_subcommand(name).cloned();
            let command = found.ok_or_else(|| anyhow::anyhow!("There is no command \"{name}\"."))?;
            let title: &'static str = Box::leak(format!("naite-{name}").into_boxed_str());
            command.name(title)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    Ok(out.line(String::from_utf8_lossy(&text).trim_end())?)
}
