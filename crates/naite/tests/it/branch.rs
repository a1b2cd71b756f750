//! `naite branch` and `naite fork`: new files, the source untouched.

use serde_json::{Value, json};

use crate::support::{Sandbox, expect_complaint, fingerprint, fixture};

const OMP: &str =
    "omp-18.2.3/sessions/-project/2026-11-30T14-07-17-743Z_01a22cc8-0cef-75d8-8c0e-2a5a2b6543d1.jsonl";

#[test]
fn a_branch_of_every_entry_has_the_context_of_that_entry() {
    let sandbox = Sandbox::new();
    let source = fixture(OMP);
    let file = source.to_str().expect("UTF-8");
    let before = fingerprint(&source);
    for node in sandbox.json(["tree", file, "--json"])["nodes"].as_array().expect("nodes") {
        let id = node["id"].as_str().expect("an id");
        let made = sandbox.json(["branch", file, id, "--json"]);
        let new = made["path"].as_str().expect("a path");
        let is_user = node["role"] == "user";
        assert_eq!(made.get("editorText").is_some(), is_user, "{id}");
        let at = if is_user { node["parent"].as_str().unwrap_or("root") } else { id };
        let expected = sandbox.json(["context", file, "--leaf", at, "--json"]);
        let got = sandbox.json(["context", new, "--json"]);
        for key in ["messages", "model", "thinkingLevel", "path"] {
            assert_eq!(got[key], expected[key], "{id}: {key}");
        }
        let tree = sandbox.json(["tree", new, "--json"]);
        assert_eq!((&tree["defects"], &tree["session"]["parentSession"]), (&json!([]), &json!(file)), "{id}");
    }
    assert_eq!(fingerprint(&source), before);
}

#[test]
fn a_fork_is_the_same_session_in_another_file() {
    let sandbox = Sandbox::new();
    let source = fixture(OMP);
    let file = source.to_str().expect("UTF-8");
    let elsewhere = sandbox.path("elsewhere");
    std::fs::create_dir(&elsewhere).expect("writable");
    let made = sandbox.json(["fork", file, "--cwd", elsewhere.to_str().expect("UTF-8"), "--json"]);
    let new = made["path"].as_str().expect("a path");
    let shape = |file: &str| -> Value {
        let tree = sandbox.json(["tree", file, "--json"]);
        json!([tree["nodes"], tree["leaf"], tree["roots"], tree["session"]["name"]])
    };
    assert_eq!(shape(new), shape(file));
    let cwd = elsewhere.canonicalize().expect("it is there");
    assert_eq!(sandbox.json(["info", new, "--json"])["cwd"], json!(cwd));
    // Below the header every line keeps its bytes.
    let lines = |path: &str, skip: usize| -> Vec<String> {
        std::fs::read_to_string(path).expect("readable").lines().skip(skip).map(String::from).collect()
    };
    assert_eq!(lines(new, 1), lines(file, 2));
    expect_complaint(
        &sandbox.run(["fork", sandbox.path("missing.jsonl").to_str().expect("UTF-8")]),
        "There is no session",
    );
    expect_complaint(&sandbox.run(["fork", file, "--cwd", "/no/such/folder"]), "Cannot use /no/such/folder");
    assert!(std::fs::read_dir(sandbox.path("naite/sessions")).expect("made").count() == 1);
}

#[test]
fn a_branch_before_the_first_message_below_a_label_is_an_empty_session() {
    let sandbox = Sandbox::new();
    let path = sandbox
        .write("s.jsonl", std::fs::read(fixture("conformance/broken/title-slot.jsonl")).expect("readable"));
    let file = path.to_str().expect("UTF-8");
    sandbox.json(["go", file, "root", "--json"]);
    sandbox.stdout(["label", file, "aaaaaaa1", "x"]);
    let mut rpc = sandbox.rpc(["--session", file]);
    let made = rpc.call("appendMessage", json!({"message": {"role": "user", "content": "again"}}));
    rpc.finish();
    let new = sandbox.json(["branch", file, made["entryId"].as_str().expect("an id"), "--json"]);
    assert_eq!((&new["editorText"], &new["leaf"]), (&json!("again"), &Value::Null));
    let info = sandbox.json(["info", new["path"].as_str().expect("a path"), "--json"]);
    assert_eq!(info["cwd"], "/home/user/project", "it belongs to the folder of its source");
}

#[test]
fn what_a_newer_program_wrote_is_not_copied_under_an_older_version() {
    let sandbox = Sandbox::new();
    let file = fixture("conformance/broken/v9.jsonl");
    let output = sandbox.run(["fork", file.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(crate::support::text(&output.stderr).contains("newer than this program"));
    assert!(!sandbox.path("naite/sessions").exists());
}
