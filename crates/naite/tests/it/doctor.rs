//! `naite doctor`: damage in words, and a repair that keeps every good entry.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Sandbox, expect_complaint, fingerprint, fixture, said, text};

fn broken() -> Vec<PathBuf> {
    let folder = fixture("conformance/broken");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("fixtures").map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files
}

fn tree(sandbox: &Sandbox, file: &str) -> Value {
    serde_json::from_slice(&sandbox.run(["tree", file, "--json"]).stdout).unwrap_or(Value::Null)
}

fn context(sandbox: &Sandbox, file: &str) -> Value {
    serde_json::from_slice(&sandbox.run(["context", file, "--model-messages", "--json"]).stdout)
        .unwrap_or(Value::Null)
}

#[test]
fn every_kind_of_damage_is_said_in_words() {
    let sandbox = Sandbox::new();
    let mut all = String::new();
    for case in broken() {
        let name = case.file_name().expect("a name").to_string_lossy().into_owned();
        let before = fingerprint(&case);
        let output = sandbox.run(["doctor", case.to_str().expect("UTF-8")]);
        assert_eq!(fingerprint(&case), before, "{name}");
        let folder = case.parent().expect("a folder").to_string_lossy().into_owned();
        all.push_str(&text(&output.stdout).replace(&folder, "broken"));
    }
    insta::assert_snapshot!("words", all);
}

#[test]
fn a_repaired_file_is_sound_and_holds_every_good_entry() {
    for case in broken() {
        let name = case.file_stem().expect("a name").to_string_lossy().into_owned();
        if !["not-a-session", "no-header", "v9"].contains(&name.as_str()) {
            check_repair(&case, &name);
        }
    }
}

/// A bare name has no folder in it: nothing of a repair or a new file may depend on one.
#[test]
fn a_file_is_named_as_it_lies_in_the_working_folder() {
    let sandbox = Sandbox::new();
    for case in ["torn-tail", "glued-record", "orphans"] {
        let bytes = std::fs::read(fixture(&format!("conformance/broken/{case}.jsonl"))).expect("readable");
        sandbox.write(&format!("work/{case}.jsonl"), bytes);
        let output = sandbox.run(["doctor", "--fix", &format!("{case}.jsonl")]);
        assert!(output.status.success(), "{case}: {}", said(&output));
    }
    assert!(sandbox.path("work/torn-tail.jsonl.damaged").exists());
    let mut rpc = sandbox.rpc(["--session", "new.jsonl"]);
    rpc.call("appendMessage", json!({"message": {"role": "user", "content": "처음"}}));
    rpc.finish();
    assert!(sandbox.stdout(["tree", "new.jsonl"]).contains("처음"));
}

fn check_repair(case: &Path, name: &str) {
    let sandbox = Sandbox::new();
    let original = std::fs::read(case).expect("readable");
    let path = sandbox.write("s.jsonl", &original);
    let file = path.to_str().expect("UTF-8");
    let (before, model) = (tree(&sandbox, file), context(&sandbox, file));
    let output = sandbox.run(["doctor", file, "--fix", "--json"]);
    assert!(output.status.success(), "{name}: {}", said(&output));
    let after = tree(&sandbox, file);
    assert_eq!(after["defects"], json!([]), "{name}");
    assert_eq!(after["leaf"], before["leaf"], "{name}");
    let ids = |tree: &Value, moves: bool| -> Vec<Value> {
        let nodes = tree["nodes"].as_array().expect("nodes").iter();
        let mut ids: Vec<Value> = nodes
            .filter(|node| node["type"] != "placeholder" && (moves || node["text"] != "[custom: naite.move]"))
            .map(|node| node["id"].clone())
            .collect();
        ids.sort_by_key(Value::to_string);
        ids
    };
    // A record of a move is added where the leaf would have become another one.
    let mut kept = ids(&after, true);
    kept.retain(|id| ids(&before, true).contains(id));
    assert_eq!(kept, ids(&before, true), "{name}");
    if !["orphans", "cycle"].contains(&name) {
        assert_eq!(context(&sandbox, file), model, "{name}");
    }
    let changed = std::fs::read(&path).expect("readable") != original;
    let backups: Vec<PathBuf> = std::fs::read_dir(sandbox.path("naite/backups"))
        .map(|folder| folder.map(|entry| entry.expect("readable").path()).collect())
        .unwrap_or_default();
    assert_eq!(backups.len(), usize::from(changed), "{name}");
    for backup in backups {
        assert_eq!(std::fs::read(backup).expect("readable"), original, "{name}: the backup is the old file");
    }
    let again = fingerprint(&path);
    assert!(sandbox.run(["doctor", file, "--fix"]).status.success(), "{name}");
    assert_eq!(fingerprint(&path), again, "{name}: a sound file is left alone");
}

#[test]
fn sound_lines_keep_their_bytes() {
    let sandbox = Sandbox::new();
    let original = std::fs::read(fixture("conformance/broken/glued-record.jsonl")).expect("readable");
    let path = sandbox.write("s.jsonl", &original);
    sandbox.json(["doctor", path.to_str().expect("UTF-8"), "--fix", "--json"]);
    let repaired = text(&std::fs::read(&path).expect("readable"));
    let aside = text(&std::fs::read(sandbox.path("s.jsonl.damaged")).expect("it is there"));
    for (number, line) in text(&original).lines().enumerate() {
        let place = if number == 2 { &aside } else { &repaired };
        assert!(place.lines().any(|kept| kept == line), "line {}", number + 1);
    }
}

#[test]
fn a_file_without_a_header_gets_a_repaired_copy() {
    let sandbox = Sandbox::new();
    let path = sandbox
        .write("s.jsonl", std::fs::read(fixture("conformance/broken/no-header.jsonl")).expect("readable"));
    let before = fingerprint(&path);
    let fixed = sandbox.json(["doctor", path.to_str().expect("UTF-8"), "--fix", "--json"]);
    assert_eq!(fingerprint(&path), before);
    let copy = fixed["files"][0]["repair"]["copy"].as_str().expect("a copy").to_owned();
    let tree = tree(&sandbox, &copy);
    assert_eq!((tree["nodes"].as_array().map(Vec::len), &tree["defects"]), (Some(2), &json!([])));

    let log = sandbox.write(
        "log.jsonl",
        std::fs::read(fixture("conformance/broken/not-a-session.jsonl")).expect("readable"),
    );
    let before = fingerprint(&log);
    let output = sandbox.run(["doctor", log.to_str().expect("UTF-8"), "--fix"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(fingerprint(&log), before);
}

#[test]
fn without_a_name_all_own_sessions_are_checked() {
    let sandbox = Sandbox::new();
    assert!(sandbox.stdout(["doctor"]).contains("no session to check"));
    sandbox.json(["demo", "--json", "--into", sandbox.path("naite").to_str().expect("UTF-8")]);
    let checked = sandbox.json(["doctor", "--json"]);
    assert_eq!(checked["files"].as_array().map(Vec::len), Some(3));
    expect_complaint(&sandbox.run(["doctor", "nonsense"]), "No session has");
}

/// A session file out of (id, parent) pairs.
fn session(header: &str, entries: &[(&str, Option<&str>)], tail: &str) -> String {
    let mut lines = format!(
        "{}\n",
        json!({"type": "session", "version": 3, "id": header, "timestamp": "2026-03-01T09:00:00.000Z", "cwd": "/p"})
    );
    for (id, parent) in entries {
        let message = json!({"role": "user", "content": id});
        let entry = json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-03-01T09:00:01.000Z", "message": message});
        lines.push_str(&format!("{entry}\n"));
    }
    lines + tail
}

#[test]
fn a_repair_makes_no_new_damage() {
    for (what, file) in [
        (
            "orphans around a late parent",
            session("s", &[("x", Some("y")), ("o", Some("zz")), ("y", Some("zz"))], ""),
        ),
        ("an entry with the session's id", session("s", &[("s", None), ("b", Some("s"))], "nonsense\n")),
        (
            "a chain below a broken line",
            session("s", &[("a", Some("q")), ("b", Some("a"))], "{\"type\": \"x\", \"id\": \"q\", \"par"),
        ),
    ] {
        let sandbox = Sandbox::new();
        let path = sandbox.write("s.jsonl", &file);
        let path = path.to_str().expect("UTF-8");
        let before = tree(&sandbox, path)["nodes"].as_array().map(Vec::len);
        let output = sandbox.run(["doctor", path, "--fix"]);
        assert!(output.status.success(), "{what}: {}", said(&output));
        let after = tree(&sandbox, path);
        assert_eq!(after["defects"], json!([]), "{what}");
        assert!(after["nodes"].as_array().map(Vec::len) >= before, "{what}");
    }
}

#[test]
fn one_file_that_cannot_be_repaired_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    sandbox.json(["demo", "--json", "--into", sandbox.path("naite").to_str().expect("UTF-8")]);
    let rows = sandbox.json(["sessions", "--json"]);
    let paths: Vec<String> = rows["sessions"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["path"].as_str().expect("a path").into())
        .collect();
    for path in &paths {
        let mut bytes = std::fs::read(path).expect("readable");
        bytes.extend_from_slice(b"nonsense\n");
        std::fs::write(path, bytes).expect("writable");
    }
    let mut holder = sandbox.rpc(["--session", &paths[0]]);
    holder.call("getLeafId", json!({}));
    let output = sandbox.run(["doctor", "--fix", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let refused: Vec<bool> =
        report["files"].as_array().expect("files").iter().map(|file| !file["refused"].is_null()).collect();
    assert_eq!((refused.len(), refused.iter().filter(|refused| **refused).count()), (3, 1), "{report}");
    holder.finish();
}

#[test]
fn junk_before_a_header_does_not_lose_what_the_header_says() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", format!("junk\n{}", session("s", &[("a", None)], "")));
    let fixed = sandbox.json(["doctor", path.to_str().expect("UTF-8"), "--fix", "--json"]);
    let copy = fixed["files"][0]["repair"]["copy"].as_str().expect("a copy");
    assert_eq!(sandbox.json(["info", copy, "--json"])["cwd"], "/p");
}

#[test]
fn the_longest_names_work_too() {
    let sandbox = Sandbox::new();
    let name = format!("{}.jsonl", "n".repeat(249));
    let path = sandbox.write(&name, session("s", &[("a", None)], "nonsense\n"));
    assert!(sandbox.run(["doctor", path.to_str().expect("UTF-8"), "--fix"]).status.success());
    let old = std::fs::read(fixture("conformance/broken/v1.jsonl")).expect("readable");
    let path = sandbox.write(&name, old);
    let output = sandbox.run(["name", path.to_str().expect("UTF-8"), "x"]);
    assert!(output.status.success(), "{}", said(&output));
}
