//! SESSION: a path, the beginning of an id, a name, or nothing.

use std::path::Path;

use serde_json::json;

use crate::support::{Sandbox, fixture};

fn session(id: &str, cwd: &Path, minute: u32, name: &str) -> String {
    let time = |second: u32| format!("2026-03-01T09:{minute:02}:{second:02}.000Z");
    [
        json!({"type": "session", "version": 3, "id": id, "timestamp": time(0), "cwd": cwd}),
        json!({"type": "session_info", "id": "n", "parentId": null, "timestamp": time(1), "name": name}),
        json!({"type": "message", "id": "a", "parentId": "n", "timestamp": time(2), "message": {"role": "user", "content": name}}),
    ]
    .map(|line| format!("{line}\n"))
    .concat()
}

/// A home with two sessions of the working folder, and a foreign one in pi's folder.
fn home() -> Sandbox {
    let sandbox = Sandbox::new();
    let work = sandbox.path("work").canonicalize().expect("it is there");
    let key = naite_core::ProjectKey::of(work.to_str().expect("UTF-8"));
    let folder = sandbox.path("naite/sessions").join(key.as_str());
    std::fs::create_dir_all(&folder).expect("writable");
    std::fs::create_dir_all(sandbox.path("home/.pi/agent/sessions/--x--")).expect("writable");
    let write = |path: &Path, text: String| std::fs::write(path, text).expect("writable");
    write(&folder.join("1.jsonl"), session("aaaa-1111", &work, 10, "첫 세션"));
    write(&folder.join("2.jsonl"), session("aaaa-2222", &work, 5, "second session"));
    // The same folder by a collision of names, but of another project.
    write(&folder.join("3.jsonl"), session("cccc-3333", Path::new("/elsewhere"), 30, "elsewhere"));
    write(&sandbox.path("home/.pi/agent/sessions/--x--/4.jsonl"), session("dddd-4444", &work, 40, "from pi"));
    sandbox
}

#[test]
fn a_session_is_found_by_what_people_remember() {
    let sandbox = home();
    let id = |arguments: &[&str]| {
        let mut all = vec!["info", "--json"];
        all.extend(arguments);
        sandbox.json(all)["id"].as_str().expect("an id").to_owned()
    };
    assert_eq!(id(&[]), "aaaa-1111", "the last active of this folder, not of a peer, not of another project");
    assert_eq!(id(&["aaaa-2"]), "aaaa-2222");
    assert_eq!(id(&["첫 세션"]), "aaaa-1111");
    assert_eq!(id(&["\u{110e}\u{1165}\u{11ba} 세션"]), "aaaa-1111", "another normal form of the same name");
    assert_eq!(id(&["SECOND session"]), "aaaa-2222");
    assert_eq!(id(&["dddd"]), "dddd-4444", "a peer's session, when it is named");
}

#[test]
fn an_id_that_stands_in_two_files_is_asked_about() {
    let sandbox = home();
    let first = sandbox.json(["info", "aaaa-1111", "--json"])["path"].as_str().expect("a path").to_owned();
    std::fs::copy(&first, sandbox.path("home/.pi/agent/sessions/--x--/copy.jsonl")).expect("copied");
    let output = sandbox.run(["info", "aaaa-1111"]);
    crate::support::expect_complaint(&output, "fits 2 sessions");
    let said = crate::support::text(&output.stderr);
    assert!(said.contains(&first) && said.contains("copy.jsonl"), "{said}");
}

#[test]
fn touching_files_does_not_change_which_is_the_latest() {
    let sandbox = home();
    let second = sandbox.json(["info", "aaaa-2", "--json"])["path"].as_str().expect("a path").to_owned();
    let bytes = std::fs::read(&second).expect("readable");
    std::fs::write(&second, bytes).expect("writable");
    assert_eq!(sandbox.json(["info", "--json"])["id"], "aaaa-1111");
}

#[test]
fn list_sessions_tells_what_it_could_not_read() {
    let sandbox = home();
    let mut rpc = sandbox.rpc(["--in-memory"]);
    let here = rpc.call("listSessions", json!({}));
    let ids = |list: &serde_json::Value| -> Vec<String> {
        list["sessions"]
            .as_array()
            .expect("sessions")
            .iter()
            .map(|row| row["id"].as_str().expect("id").into())
            .collect()
    };
    assert_eq!(ids(&here), ["aaaa-1111", "aaaa-2222"]);
    std::fs::copy(
        fixture("conformance/broken/no-header.jsonl"),
        sandbox.path("home/.pi/agent/sessions/--x--/5.jsonl"),
    )
    .expect("writable");
    let all = rpc.call("listSessions", json!({"all": true}));
    assert_eq!(ids(&all), ["dddd-4444", "cccc-3333", "aaaa-1111", "aaaa-2222"]);
    assert!(all["unreadable"][0]["path"].as_str().expect("a path").ends_with("5.jsonl"), "{all}");
    assert_eq!(all["sessions"][0]["firstPrompt"], "from pi");
    rpc.finish();
}

#[test]
fn the_list_has_a_line_for_each_and_remembers_it() {
    let sandbox = home();
    let list = |more: &[&str]| {
        let mut arguments = vec!["sessions"];
        arguments.extend(more);
        sandbox.stdout(arguments)
    };
    let here = list(&[]);
    assert_eq!(here.lines().count(), 2, "{here}");
    assert!(here.contains("첫 세션") && here.starts_with("aaaa-111"), "{here}");
    assert_eq!(list(&["--all"]).lines().count(), 4);
    assert_eq!(list(&["--all", "--from", "pi"]).lines().count(), 1);
    assert_eq!(list(&["--all", "--from", "omp"]).lines().count(), 0);

    // Rows come from the cache now; a file that changes wins over it, and so does a damaged cache.
    let cache = sandbox.path("naite/index/rows");
    assert!(cache.exists());
    assert_eq!(list(&["--all"]).lines().count(), 4);
    sandbox.stdout(["name", "aaaa-2", "a new name"]);
    assert!(list(&[]).contains("a new name"));
    std::fs::write(&cache, "nonsense").expect("writable");
    assert!(list(&[]).contains("a new name"));
    std::fs::remove_file(&cache).expect("it was made");
    assert!(list(&[]).contains("a new name"));
}

#[test]
fn damage_is_counted_and_shown() {
    let sandbox = home();
    let folder = sandbox.path("naite/sessions/x");
    std::fs::create_dir_all(&folder).expect("writable");
    std::fs::copy(fixture("conformance/broken/glued-record.jsonl"), folder.join("g.jsonl"))
        .expect("writable");
    let all = sandbox.json(["sessions", "--all", "--json"]);
    let row = all["sessions"].as_array().expect("rows").iter().find(|row| row["defects"] == 1);
    assert!(
        row.is_some_and(|row| row["path"].as_str().is_some_and(|path| path.ends_with("g.jsonl"))),
        "{all}"
    );
}
