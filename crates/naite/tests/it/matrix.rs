//! Every command on every kind of file and place: right, or one helpful sentence, and never a panic.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{Sandbox, fixture, said, text};

/// The commands that take a session, with the entry that they want.
fn commands(file: &str, entry: &str) -> Vec<Vec<String>> {
    let all: [&[&str]; 16] = [
        &["tree", file],
        &["tree", file, "--filter", "all", "--width", "20"],
        &["show", file, entry],
        &["context", file],
        &["context", file, "--model-messages", "--json"],
        &["info", file],
        &["export", file],
        &["doctor", file],
        &["branch", file, entry],
        &["fork", file],
        &["label", file, entry, "x"],
        &["name", file, "x"],
        &["go", file, entry],
        &["undo", file],
        &["redo", file],
        &["doctor", "--fix", file],
    ];
    all.iter().map(|arguments| arguments.iter().map(|word| (*word).to_owned()).collect()).collect()
}

fn check(output: &Output, what: &str) {
    let complaint = text(&output.stderr);
    assert!(!complaint.contains("panicked"), "{what}: {}", said(output));
    match output.status.code() {
        Some(0) => {}
        Some(1) => {
            let sentence = complaint.lines().find(|line| line.starts_with("error: "));
            assert!(
                sentence.is_some_and(|line| line.len() > 20 && line.contains('.')),
                "{what}: {}",
                said(output)
            );
        }
        _ => panic!("{what}: {}", said(output)),
    }
}

fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![fixture("conformance/broken"), fixture("pi-0.73.1"), fixture("omp-18.2.3")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("fixtures") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn first_entry(sandbox: &Sandbox, file: &str) -> String {
    let tree: serde_json::Value =
        serde_json::from_slice(&sandbox.run(["tree", file, "--json"]).stdout).unwrap_or_default();
    tree["nodes"][0]["id"].as_str().unwrap_or("nope").to_owned()
}

#[test]
fn every_command_on_every_file() {
    for path in files() {
        let sandbox = Sandbox::new();
        let copy = sandbox.write("s.jsonl", std::fs::read(&path).expect("readable"));
        let file = copy.to_str().expect("UTF-8");
        let entry = first_entry(&sandbox, file);
        for command in commands(file, &entry) {
            check(&sandbox.run(&command), &format!("{} {command:?}", path.display()));
        }
    }
}

#[test]
fn every_command_in_an_empty_home() {
    let sandbox = Sandbox::new();
    for command in commands("zzz", "nope") {
        check(&sandbox.run(&command), &format!("{command:?}"));
    }
    for command in
        [&["tree"][..], &["context"], &["info"], &["undo"], &["fork"], &["go", "root"], &["export"]]
    {
        crate::support::expect_complaint(&sandbox.run(command), "There is no session of");
    }
    for command in [&["sessions"][..], &["sessions", "--all"], &["doctor"], &["trash", "list"]] {
        check(&sandbox.run(command), &format!("{command:?}"));
    }
}

#[cfg(unix)]
#[test]
fn every_command_on_a_session_in_a_folder_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let folder = sandbox.path("locked");
    std::fs::create_dir(&folder).expect("writable");
    let path = folder.join("s.jsonl");
    std::fs::copy(fixture("conformance/broken/glued-record.jsonl"), &path).expect("writable");
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("ours");
    };
    mode(&path, 0o444);
    mode(&folder, 0o555);
    let before = std::fs::read(&path).expect("readable");
    for command in commands(path.to_str().expect("UTF-8"), "aaaaaaa1") {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        check(&crate::support::as_nobody(&sandbox, &words), &format!("{command:?}"));
    }
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    mode(&folder, 0o755);
}
