//! Placeholder for the limits bench until written.
use crate::input::Options;
#[derive(Debug, clap::Args)]
pub(crate) struct Args { #[command(flatten)] options: Options }
pub(crate) fn run(args: &Args) -> anyhow::Result<()> { let _ = &args.options; Ok(()) }
