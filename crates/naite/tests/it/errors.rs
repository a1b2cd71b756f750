//! Bad input: one sentence, exit code 1, nothing changed.

use std::path::Path;

use crate::support::{Sandbox, as_nobody, expect_complaint, fingerprint, fixture};

const READERS: [&str; 3] = ["tree", "context", "info"];
const WRITERS: [&str; 2] = ["undo", "redo"];

fn all_complain(sandbox: &Sandbox, session: &str, words: &str) {
    for command in READERS.into_iter().chain(WRITERS) {
        expect_complaint(&sandbox.run([command, session]), words);
    }
    expect_complaint(&sandbox.run(["go", session, "root"]), words);
}

#[test]
fn what_is_no_session() {
    let sandbox = Sandbox::new();
    let name = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let missing = sandbox.path("missing.jsonl");
    all_complain(&sandbox, &name(&missing), "There is no session file");
    assert!(!missing.exists());

    std::fs::create_dir(sandbox.path("folder.jsonl")).expect("writable");
    all_complain(&sandbox, &name(&sandbox.path("folder.jsonl")), "is a folder");

    let mut binary: Vec<u8> = (0..=255u8).cycle().take(300_000).collect();
    binary.extend(b"\n{}\n");
    let path = sandbox.write("binary.jsonl", binary);
    let before = fingerprint(&path);
    all_complain(&sandbox, &name(&path), "not a session file");
    assert_eq!(fingerprint(&path), before);
    let rpc = sandbox.run(["rpc", "--session", &name(&path)]);
    expect_complaint(&rpc, "not a session file");
    assert_eq!(fingerprint(&path), before);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing() {
    let sandbox = Sandbox::new();
    let link = sandbox.path("link.jsonl");
    std::os::unix::fs::symlink(sandbox.path("nowhere"), &link).expect("links work");
    all_complain(&sandbox, link.to_str().expect("UTF-8"), "a link to nothing");
    expect_complaint(&sandbox.run(["rpc", "--session", link.to_str().expect("UTF-8")]), "a link to nothing");
    assert!(!sandbox.path("nowhere").exists());
}

#[test]
fn what_fits_no_session_or_several() {
    let sandbox = Sandbox::new();
    expect_complaint(&sandbox.run(["tree"]), "There is no session of");
    let home = sandbox.path("naite");
    sandbox.json(["demo", "--json", "--into", home.to_str().expect("UTF-8")]);
    expect_complaint(&sandbox.run(["tree", "zzz"]), "No session has the path, id or name \"zzz\"");
    expect_complaint(&sandbox.run(["tree", "019c"]), "fits 3 sessions");
    expect_complaint(&sandbox.run(["go", "login test", "beef"]), "no entry beef");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_or_grown() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let session = fixture("conformance/broken/title-slot.jsonl");
    let path = sandbox.write("s.jsonl", std::fs::read(session).expect("readable"));
    let file = path.to_str().expect("UTF-8");
    let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("ours");

    mode(0o000);
    for command in READERS.into_iter().chain(WRITERS) {
        expect_complaint(&as_nobody(&sandbox, &[command, file]), "permission denied");
    }
    mode(0o444);
    let before = fingerprint(&path);
    expect_complaint(&as_nobody(&sandbox, &["go", file, "root"]), "permission denied");
    assert_eq!(fingerprint(&path), before);
    assert!(as_nobody(&sandbox, &["tree", file]).status.success());
    mode(0o644);
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_stops_only_writing() {
    let sandbox = Sandbox::new();
    let session = fixture("conformance/broken/title-slot.jsonl");
    let path = sandbox.write("s.jsonl", std::fs::read(session).expect("readable"));
    let before = fingerprint(&path);
    let file = path.to_str().expect("UTF-8");
    // A file where the home should be refuses even root.
    std::fs::write(sandbox.path("naite"), "in the way").expect("writable");
    assert!(sandbox.run(["tree", file]).status.success());
    expect_complaint(&sandbox.run(["go", file, "root"]), "Cannot lock");
    assert_eq!(fingerprint(&path), before);
}
