//! `--help` that teaches, usage errors, completions.

use crate::support::{Sandbox, said, text};

const COMMANDS: [&str; 9] = ["tree", "context", "go", "undo", "redo", "info", "rpc", "demo", "completions"];

#[test]
fn every_command_has_help() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!("naite", sandbox.stdout(["--help"]));
    for command in COMMANDS {
        insta::assert_snapshot!(command, sandbox.stdout([command, "--help"]));
    }
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["no-such-command"][..],
        &["tree", "--no-such-option"],
        &["tree", "--filter", "nonsense"],
        &["go"],
        &["rpc", "--session", "a", "--in-memory"],
        &["go", "a", "b", "--wait=soon"],
        &[],
    ] {
        let output = sandbox.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(
            text(&output.stderr).contains("Usage:") || text(&output.stderr).contains("--help"),
            "{}",
            said(&output)
        );
    }
}

#[test]
fn completions_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = sandbox.stdout(["completions", shell]);
        assert!(script.contains("naite") && script.contains("model-messages"), "{shell}");
    }
}
