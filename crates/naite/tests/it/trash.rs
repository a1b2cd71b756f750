//! `naite trash`: what is deleted can be restored exactly.

use crate::support::{Sandbox, expect_complaint, fingerprint, fixture};

#[test]
fn deleted_listed_restored() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.json(["trash", "list", "--json"])["sessions"], serde_json::json!([]));
    let demo = sandbox.json(["demo", "--json", "--into", sandbox.path("naite").to_str().expect("UTF-8")]);
    let file = demo["sessions"][0]["path"].as_str().expect("a path").to_owned();
    let before = fingerprint(file.as_ref());
    let name = sandbox.json(["trash", "put", &file, "--json"])["name"].as_str().expect("a name").to_owned();
    assert!(!std::path::Path::new(&file).exists());
    assert_eq!(sandbox.json(["sessions", "--json"])["sessions"].as_array().map(Vec::len), Some(2));
    assert_eq!(sandbox.json(["trash", "list", "--json"])["sessions"][0]["path"], file.as_str());

    // Something else that took its place is never replaced.
    std::fs::write(&file, "in the way").expect("writable");
    expect_complaint(&sandbox.run(["trash", "restore", &name]), "exists already");
    std::fs::remove_file(&file).expect("writable");
    sandbox.stdout(["trash", "restore", &name[..20]]);
    assert_eq!(fingerprint(file.as_ref()), before);
    expect_complaint(&sandbox.run(["trash", "restore", "nonsense"]), "No deleted session");
    assert_eq!(sandbox.json(["trash", "list", "--json"])["sessions"], serde_json::json!([]));
}

#[test]
fn other_programs_sessions_are_never_deleted() {
    let sandbox = Sandbox::new();
    let path = sandbox
        .write("s.jsonl", std::fs::read(fixture("conformance/broken/title-slot.jsonl")).expect("readable"));
    expect_complaint(&sandbox.run(["trash", "put", path.to_str().expect("UTF-8")]), "not one of Naite's own");
    assert!(path.exists());
}

#[test]
fn a_session_in_use_is_not_deleted() {
    let sandbox = Sandbox::new();
    let demo = sandbox.json(["demo", "--json", "--into", sandbox.path("naite").to_str().expect("UTF-8")]);
    let file = demo["sessions"][0]["path"].as_str().expect("a path").to_owned();
    let mut holder = sandbox.rpc(["--session", &file]);
    holder.call("getLeafId", serde_json::json!({}));
    expect_complaint(&sandbox.run(["trash", "put", &file]), "is in use");
    holder.finish();
    assert!(std::path::Path::new(&file).exists());
}
