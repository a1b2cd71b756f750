//! `naite export`: a session as a page, a text or data for other programs.

use naite_host::Environment;

use crate::cli::SessionArg;
use crate::out::Out;

/// Write a session as Markdown, as one HTML page, or as JSON
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArg,
}

pub(crate) fn run(_env: &Environment, _args: &Args, _out: &mut Out) -> anyhow::Result<()> {
    Ok(())
}
