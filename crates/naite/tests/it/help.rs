//! `--help` that teaches, usage errors, completions.

use crate::support::{Sandbox, said, text};

const COMMANDS: [&str; 21] = [
    "tree",
    "show",
    "context",
    "info",
    "sessions",
    "go",
    "undo",
    "redo",
    "label",
    "name",
    "branch",
    "fork",
    "export",
    "doctor",
    "trash",
    "relocate",
    "resume",
    "rpc",
    "demo",
    "completions",
    "man",
];

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

#[test]
fn a_manual_page_of_the_whole_and_of_each_command() {
    let sandbox = Sandbox::new();
    for page in [vec!["man"], vec!["man", "tree"], vec!["man", "doctor"]] {
        let roff = sandbox.stdout(&page);
        assert!(roff.contains(".TH naite") && roff.contains(".SH"), "{page:?}: {roff}");
    }
    crate::support::expect_complaint(&sandbox.run(["man", "nonsense"]), "There is no command");
}
