//! Runs one bench of `naite-bench` in the profile that people get.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Builds `naite-bench` with the release profile, runs the bench `name`, and returns its exit code.
///
/// The names are not known here: an unknown one is answered by `naite-bench` itself. A bench that a signal
/// ended has no exit code, and counts as a failure.
///
/// # Errors
///
/// When cargo cannot be started.
pub fn run(root: &Path, name: &str, args: &[&str]) -> io::Result<ExitCode> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .arg("run")
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .args(["--profile", "release", "-p", "naite-bench", "--", name])
        .args(args)
        .status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
