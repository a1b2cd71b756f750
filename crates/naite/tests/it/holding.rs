//! Two processes and one file: who holds it is said, waiting, looking and copying are offered.

use serde_json::json;

use crate::support::{Sandbox, expect_complaint, fingerprint, fixture, said, text};

fn held() -> (Sandbox, String, crate::support::Rpc) {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(fixture("conformance/broken/title-slot.jsonl")).expect("readable");
    let path = sandbox.write("s.jsonl", bytes);
    let file = path.to_str().expect("UTF-8").to_owned();
    let mut holder = sandbox.rpc(["--session", &file]);
    holder.call("getLeafId", json!({}));
    (sandbox, file, holder)
}

#[test]
fn the_second_learns_who_holds_it() {
    let (sandbox, file, holder) = held();
    let before = fingerprint(std::path::Path::new(&file));
    let pid = format!("process {}", holder.id());
    for output in [
        sandbox.run(["go", &file, "root"]),
        sandbox.run(["rpc", "--session", &file]),
        sandbox.run(["undo", &file]),
    ] {
        expect_complaint(&output, &pid);
        assert!(
            text(&output.stderr).contains("--wait") && text(&output.stderr).contains("--fork"),
            "{}",
            said(&output)
        );
    }
    expect_complaint(&sandbox.run(["go", &file, "root", "--wait=0.05"]), &pid);
    assert_eq!(fingerprint(std::path::Path::new(&file)), before);
    assert!(sandbox.run(["tree", &file]).status.success(), "looking is free");
    holder.finish();
}

#[test]
fn read_only_and_fork_go_on_beside_the_holder() {
    let (sandbox, file, mut holder) = held();
    let mut reader = sandbox.rpc(["--session", &file, "--read-only"]);
    assert_eq!(reader.call("getLeafId", json!({}))["leafId"], "bbbbbbb2");
    let refused = reader.ask("appendMessage", json!({"message": {"role": "user", "content": "x"}}));
    assert_eq!(refused["error"]["data"]["kind"], "read_only", "{refused}");
    reader.finish();

    let output = sandbox.run(["go", &file, "root", "--fork"]);
    assert!(output.status.success(), "{}", said(&output));
    let copy = text(&output.stderr).trim().rsplit(": ").next().expect("a path").to_owned();
    assert_eq!(sandbox.json(["tree", &copy, "--json"])["leaf"], json!(null));
    assert_eq!(holder.call("getLeafId", json!({}))["leafId"], "bbbbbbb2", "the source did not move");
    holder.finish();
}

#[test]
fn what_cannot_be_done_leaves_no_copy_behind() {
    let (sandbox, file, holder) = held();
    for (arguments, words) in [
        (vec!["go", &file, "nope", "--fork"], "nope"),
        (vec!["label", &file, "nope", "name", "--fork"], "nope"),
        (vec!["undo", &file, "--fork"], "undo"),
        (vec!["redo", &file, "--fork"], "redo"),
    ] {
        expect_complaint(&sandbox.run(arguments), words);
    }
    assert!(!sandbox.path("naite/sessions").exists(), "there is no copy");
    holder.finish();
}

#[test]
fn a_waiter_gets_it_when_it_is_free_and_a_dead_owner_never_blocks() {
    let (sandbox, file, mut holder) = held();
    let mut waiter = crate::support::Rpc::start({
        let mut command = sandbox.command(["rpc", "--session", &file, "--wait"]);
        command.stdin(std::process::Stdio::piped());
        command
    });
    // The holder dies without a word; the system frees what it held.
    holder.kill();
    assert_eq!(waiter.call("getLeafId", json!({}))["leafId"], "bbbbbbb2");
    waiter.kill();
    assert!(sandbox.run(["go", &file, "root"]).status.success());
}

#[test]
fn what_a_foreign_program_appended_is_loaded_first() {
    let (sandbox, file, mut holder) = held();
    let foreign = json!({"type": "message", "id": "f0f0f0f0", "parentId": "bbbbbbb2", "timestamp": "2026-03-01T09:10:00.000Z",
        "message": {"role": "user", "content": "from a program that takes no lock"}});
    let mut log = std::fs::OpenOptions::new().append(true).open(&file).expect("writable");
    std::io::Write::write_all(&mut log, format!("{foreign}\n").as_bytes()).expect("writable");
    let made = holder.call("appendMessage", json!({"message": {"role": "user", "content": "ours"}}));
    let entry = holder.call("getEntry", json!({"id": made["entryId"]}));
    assert_eq!(entry["entry"]["parentId"], "f0f0f0f0");
    let told = holder.events.iter().find(|event| event["method"] == "session_changed").expect("it is told");
    assert_eq!(told["params"], json!({"entries": 1, "leafMoved": true}));
    holder.finish();
    let tree = sandbox.json(["tree", &file, "--json"]);
    assert_eq!((&tree["leaf"], &tree["defects"]), (&made["entryId"], &json!([])));
}

#[test]
fn a_turn_stays_together_and_the_next_one_follows_the_file() {
    let (sandbox, file, mut holder) = held();
    let user = holder.call("appendMessage", json!({"message": {"role": "user", "content": "a question"}}));
    let foreign = json!({"type": "message", "id": "f0f0f0f0", "parentId": "bbbbbbb2", "timestamp": "2026-03-01T09:10:00.000Z",
        "message": {"role": "user", "content": "from a program that takes no lock"}});
    let mut log = std::fs::OpenOptions::new().append(true).open(&file).expect("writable");
    std::io::Write::write_all(&mut log, format!("{foreign}\n").as_bytes()).expect("writable");
    let parent = |holder: &mut crate::support::Rpc, made: &serde_json::Value| {
        holder.call("getEntry", json!({"id": made["entryId"]}))["entry"]["parentId"].clone()
    };
    let answer = json!({"message": {"role": "assistant", "content": [], "stopReason": "stop"}});
    let answer = holder.call("appendMessage", answer);
    assert_eq!(parent(&mut holder, &answer), user["entryId"]);
    std::io::Write::write_all(&mut log, format!("{foreign}\n").replace("f0f0f0f0", "f1f1f1f1").as_bytes())
        .expect("writable");
    let next =
        holder.call("appendMessage", json!({"message": {"role": "user", "content": "the next question"}}));
    assert_eq!(parent(&mut holder, &next), "f1f1f1f1");
    holder.finish();
    assert!(sandbox.run(["tree", &file]).status.success());
}
