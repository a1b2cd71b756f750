//! The `naite` command: arguments in, words out; everything else is in the libraries.

mod cli;
mod commands;
mod out;
mod screens;
mod terminal;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = commands::hook::dispatched() {
        return code;
    }
    let arguments = match cli::parse() {
        Ok(arguments) => arguments,
        Err(usage) => {
            let _ = usage.print();
            return ExitCode::from(usage.exit_code().clamp(0, 2) as u8);
        }
    };
    match commands::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of a pipe has seen enough.
        Err(error) if out::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => match error.downcast_ref() {
            Some(screens::Interrupted(signal)) => ExitCode::from(128u8.saturating_add(*signal as u8)),
            None => {
                out::complain(&words::explain(&error));
                ExitCode::FAILURE
            }
        },
    }
}
