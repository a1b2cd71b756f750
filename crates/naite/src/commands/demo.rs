//! `naite demo`: sample sessions in a throw-away home, and one of them drawn.

use naite_host::Environment;

use crate::out::Out;

/// Make sample sessions in a throw-away home and draw one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_env: &Environment, _args: &Args, _out: &mut Out) -> anyhow::Result<()> {
    Ok(())
}
