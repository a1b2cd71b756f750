//! `naite install`, `naite uninstall`, and the proof that the hooks work.

use std::path::Path;
use std::process::Output;

use crate::support::{Sandbox, said, text};

const OTHERS: &str = "{\n\t\"model\": \"opus\", // mine\n\t\"hooks\": {\n\t\t\"Stop\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"true\" } ] } ]\n\t}\n}\n";

fn home(settings: Option<&str>) -> Sandbox {
    let home = Sandbox::new();
    std::fs::create_dir_all(home.path("home/.claude")).expect("writable");
    if let Some(settings) = settings {
        home.write("home/.claude/settings.json", settings);
    }
    home
}

fn settings(home: &Sandbox) -> Option<String> {
    std::fs::read_to_string(home.path("home/.claude/settings.json")).ok()
}

/// Every file below a folder, with its bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            match entry.is_dir() {
                true => folders.push(entry),
                false => found.push((entry.display().to_string(), std::fs::read(&entry).expect("a file"))),
            }
        }
    }
    found.sort();
    found
}

fn fails(output: &Output, words: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", said(output));
    assert!(text(&output.stderr).contains(words), "{}", said(output));
}

#[test]
fn settings_are_byte_for_byte_what_they_were() {
    for before in [None, Some("{}"), Some(OTHERS), Some(""), Some("{\"hooks\":{}}")] {
        let home = home(before);
        let untouched = files(&home.path("home/.claude"));
        home.stdout(["install", "claude-code"]);
        let installed = settings(&home).expect("settings");
        assert_eq!(installed.matches("--agent claude-code").count(), 6, "{installed}");
        assert!(home.stdout(["install", "claude-code"]).starts_with("Already installed"));
        assert_eq!(settings(&home).as_deref(), Some(installed.as_str()));
        home.stdout(["uninstall", "claude-code"]);
        assert_eq!(files(&home.path("home/.claude")), untouched, "{before:?}");
        assert!(home.stdout(["uninstall", "claude-code"]).starts_with("Nothing of Naite"));
    }
}

#[test]
fn what_a_person_changed_since_stays() {
    let home = home(Some(OTHERS));
    home.stdout(["install", "claude-code"]);
    let changed = settings(&home).expect("settings").replace("opus", "sonnet");
    home.write("home/.claude/settings.json", changed);
    home.write("home/.claude/commands/-session-save.md", "mine now");
    let output = home.run(["uninstall", "claude-code"]);
    assert!(
        output.status.success()
            && text(&output.stderr).contains("-session-save.md was changed since and stays")
    );
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(bare(&settings(&home).expect("settings")), bare(&OTHERS.replace("opus", "sonnet")));
    assert!(home.path("home/.claude/commands/-session-save.md").exists());
}

#[test]
fn what_cannot_be_understood_is_left_alone() {
    for (settings_text, words) in [
        ("{\"a\": ", "is no JSON"),
        ("{\"hooks\": 1}", "has a `hooks` that is not an object"),
        ("[]", "has a `top` that is not an object"),
    ] {
        let home = home(Some(settings_text));
        fails(&home.run(["install", "claude-code"]), words);
        assert_eq!(settings(&home).as_deref(), Some(settings_text));
        assert!(!home.path("home/.claude/commands").exists());
    }
    let home = home(None);
    std::fs::create_dir_all(home.path("home/.claude/commands")).expect("writable");
    home.write("home/.claude/commands/-session-resume.md", "somebody's");
    fails(&home.run(["install", "claude-code"]), "is somebody else's command");
    assert_eq!(settings(&home), None);
}

#[test]
fn a_project_has_its_own_settings() {
    let home = home(None);
    let output = home.run(["install", "claude-code", "--project"]);
    assert!(text(&output.stderr).contains("not on the search path"), "{}", said(&output));
    let installed = std::fs::read_to_string(home.path("work/.claude/settings.json")).expect("settings");
    assert!(installed.contains("\"naite hook stop --agent claude-code\""), "{installed}");
    home.stdout(["uninstall", "claude-code", "--project"]);
    assert!(!home.path("work/.claude/settings.json").exists());
    assert_eq!(settings(&home), None);
}

#[test]
fn a_link_to_settings_stays_a_link() {
    let home = home(None);
    home.write("work/dotfile.json", OTHERS);
    let link = home.path("home/.claude/settings.json");
    std::os::unix::fs::symlink(home.path("work/dotfile.json"), &link).expect("a link");
    home.stdout(["install", "claude-code"]);
    assert!(link.is_symlink() && settings(&home).expect("settings").contains(" hook stop "));
    home.stdout(["uninstall", "claude-code"]);
    assert_eq!(std::fs::read_to_string(home.path("work/dotfile.json")).ok().as_deref(), Some(OTHERS));
}

#[test]
fn doctor_calls_the_hooks_for_real() {
    let home = home(Some(OTHERS));
    assert!(home.stdout(["doctor"]).contains("No hooks are installed"));
    home.stdout(["install", "claude-code"]);
    let doctor = |home: &Sandbox| {
        home.command(["doctor"])
            .env("PATH", std::env::var_os("PATH").expect("a path"))
            .output()
            .expect("naite starts")
    };
    let output = doctor(&home);
    assert!(
        output.status.success() && text(&output.stdout).contains("6 work; what is said goes to"),
        "{}",
        said(&output)
    );
    // The trial leaves nothing in the store.
    let left = files(&home.path("home/.ai-core"));
    assert!(left.iter().all(|(name, _)| name.ends_with(".gitignore")), "{left:?}");

    let moved = settings(&home).expect("settings").replace(env!("CARGO_BIN_EXE_naite"), "/nowhere/naite");
    home.write("home/.claude/settings.json", moved);
    let output = doctor(&home);
    fails(&output, "they do not work");
    assert!(text(&output.stdout).contains("the hook for SessionStart ended with"), "{}", said(&output));

    // Hooks that run and do nothing are found out too.
    let deaf = settings(&home).expect("settings").replace("/nowhere/naite hook", "true hook");
    home.write("home/.claude/settings.json", deaf);
    let output = doctor(&home);
    assert!(text(&output.stdout).contains("the log holds: nothing"), "{}", said(&output));
}

#[test]
fn the_make_target_is_printed() {
    let home = home(None);
    let printed = home.stdout(["install", "claude-code", "--make"]);
    assert!(printed.contains("claude:\n\tPROJECT_FOR_LOG=\"$(PROJECT)\" claude"), "{printed}");
    assert_eq!(settings(&home), None);
}
