//! `naite label` and `naite name`.

use serde_json::json;

use crate::support::{Sandbox, expect_complaint};

fn home() -> (Sandbox, String, String) {
    let sandbox = Sandbox::new();
    let demo = sandbox.json(["demo", "--json", "--into", sandbox.path("naite").to_str().expect("UTF-8")]);
    let file = demo["sessions"][0]["path"].as_str().expect("a path").to_owned();
    let tree = sandbox.json(["tree", &file, "--json", "--filter", "user-only"]);
    let entry = tree["nodes"][0]["id"].as_str().expect("an id").to_owned();
    (sandbox, file, entry)
}

#[test]
fn a_label_is_set_cleared_and_taken_back() {
    let (sandbox, file, entry) = home();
    let label = || sandbox.json(["show", &file, &entry, "--json"])["label"].clone();
    assert_eq!(sandbox.json(["label", &file, &entry[..6], " 기준점 🌳 ", "--json"])["label"], "기준점 🌳");
    assert_eq!(label(), "기준점 🌳");
    sandbox.stdout(["label", &file, &entry, "--clear"]);
    assert_eq!(label(), json!(null));
    sandbox.stdout(["undo", &file]);
    assert_eq!(label(), "기준점 🌳");
    expect_complaint(&sandbox.run(["label", &file, "nope", "x"]), "no entry nope");
    expect_complaint(&sandbox.run(["label", &file, &entry]), "no entry");
}

#[test]
fn a_session_is_named_and_found_by_its_name() {
    let (sandbox, file, _) = home();
    assert_eq!(sandbox.json(["name", &file, "새 이름", "--json"])["name"], "새 이름");
    assert_eq!(sandbox.stdout(["name", "새 이름"]).trim(), "새 이름");
    assert_eq!(sandbox.json(["info", "새 이름", "--json"])["path"], json!(file));
    sandbox.stdout(["name", &file, ""]);
    assert!(sandbox.stdout(["name", &file]).contains("no name"));
    // The session may be left out: the latest of this folder.
    sandbox.stdout(["name", "the latest one"]);
    assert_eq!(sandbox.json(["info", "--json"])["name"], "the latest one");
}
