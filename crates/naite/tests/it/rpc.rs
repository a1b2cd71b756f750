//! `naite rpc`: every method by its seed name, errors that name what is unknown, and events.

use serde_json::{Value, json};

use crate::support::{Rpc, Sandbox, fixture};

fn say(rpc: &mut Rpc, role: &str, content: &str) -> String {
    let made =
        rpc.call("appendMessage", json!({"message": {"role": role, "content": content, "timestamp": 1}}));
    assert_eq!(made["entryId"], made["leafId"]);
    made["entryId"].as_str().expect("an id").to_owned()
}

#[test]
fn every_kind_of_entry_is_appended_and_read() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let session = rpc.call("getHeader", json!({}))["header"].clone();
    assert_eq!((&session["type"], &session["version"]), (&json!("session"), &json!(3)));
    let user = say(&mut rpc, "user", "hello");
    for (method, params, kind) in [
        ("appendModelChange", json!({"provider": "p", "modelId": "m"}), "model_change"),
        ("appendThinkingLevelChange", json!({"level": "high"}), "thinking_level_change"),
        (
            "appendCompaction",
            json!({"summary": "s", "firstKeptEntryId": user, "tokensBefore": 9}),
            "compaction",
        ),
        ("appendCustomEntry", json!({"customType": "t", "data": {"n": 12345678901234567890u64}}), "custom"),
        (
            "appendCustomMessageEntry",
            json!({"customType": "t", "content": "c", "display": true}),
            "custom_message",
        ),
        ("appendLabelChange", json!({"targetId": user, "label": "here"}), "label"),
        ("appendSessionInfo", json!({"name": " 이름 "}), "session_info"),
    ] {
        let made = rpc.call(method, params);
        let entry = rpc.call("getEntry", json!({"id": made["entryId"]}))["entry"].clone();
        assert_eq!(entry["type"], kind, "{method}");
    }
    assert_eq!(rpc.call("getSessionName", json!({}))["name"], "이름");
    assert_eq!(rpc.call("getLabel", json!({"id": user}))["label"], "here");
    assert_eq!(rpc.call("getBranch", json!({}))["entries"].as_array().map(Vec::len), Some(8));
    assert_eq!(rpc.call("getBranch", json!({"fromId": user}))["entries"].as_array().map(Vec::len), Some(1));
    let context = rpc.call("buildSessionContext", json!({}));
    assert_eq!(context["model"], json!({"provider": "p", "modelId": "m"}));
    assert_eq!(context["thinkingLevel"], "high");
    let roles: Vec<&Value> =
        context["messages"].as_array().expect("messages").iter().map(|m| &m["role"]).collect();
    assert_eq!(roles, ["compactionSummary", "user", "custom"]);
    let tree = rpc.call("getTree", json!({}));
    assert_eq!((&tree["roots"], tree["nodes"].as_array().map(Vec::len)), (&json!([user]), Some(8)));
    assert!(rpc.finish().status.success());
}

#[test]
fn the_file_appears_with_the_first_append() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let new = rpc.call("newSession", json!({"parentSession": "/some/where.jsonl"}));
    let path = std::path::PathBuf::from(new["path"].as_str().expect("a path"));
    assert!(!path.exists());
    rpc.call("appendModelChange", json!({"provider": "p", "modelId": "m"}));
    assert!(path.exists());
    assert_eq!(rpc.call("getHeader", json!({}))["header"]["parentSession"], "/some/where.jsonl");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| {
            std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
        };
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
    }
    rpc.finish();

    let given = sandbox.path("given.jsonl");
    let mut rpc = sandbox.rpc(["--session", given.to_str().expect("UTF-8")]);
    say(&mut rpc, "user", "at exactly this path");
    rpc.finish();
    assert_eq!(std::fs::read_to_string(&given).expect("it is there").lines().count(), 2);
}

#[test]
fn a_branch_a_fork_and_a_branch_before_a_message() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let first = say(&mut rpc, "user", "first");
    say(&mut rpc, "assistant", "answer");
    let second = say(&mut rpc, "user", "second");
    let file = rpc.call("fork", json!({}))["path"].clone();
    let before = rpc.call("getEntries", json!({}));
    assert_eq!(before["entries"].as_array().map(Vec::len), Some(3));

    let branched = rpc.call("branchSession", json!({"entryId": second}));
    assert_eq!((&branched["cancelled"], &branched["editorText"]), (&json!(false), &json!("second")));
    assert_eq!(rpc.call("getEntries", json!({}))["entries"].as_array().map(Vec::len), Some(2));
    assert_eq!(rpc.call("getHeader", json!({}))["header"]["parentSession"], file);
    assert!(
        rpc.events.iter().any(
            |event| event["method"] == "session_branch" && event["params"]["previousSessionFile"] == file
        )
    );

    rpc.call("setSessionFile", json!({"path": file}));
    let root = rpc.call("branchSession", json!({"entryId": first}));
    assert_eq!((&root["leafId"], &root["editorText"]), (&Value::Null, &json!("first")));
    rpc.call("setSessionFile", json!({"path": file}));
    let copied = rpc.call("createBranchedSession", json!({"leafId": second}));
    assert_eq!(copied["leafId"], second);
    assert_eq!(rpc.call("getEntries", json!({}))["entries"], before["entries"]);
    rpc.finish();
}

#[test]
fn in_memory_there_is_no_path() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc(["--in-memory"]);
    let user = say(&mut rpc, "user", "first");
    let label = json!({"targetId": user, "label": "x"});
    rpc.call("appendLabelChange", label);
    say(&mut rpc, "assistant", "answer");
    let branched = rpc.call("createBranchedSession", json!({"leafId": user}));
    assert_eq!(branched["path"], Value::Null);
    assert_eq!(rpc.call("getLabel", json!({"id": user}))["label"], "x");
    assert_eq!(rpc.call("getEntries", json!({}))["entries"].as_array().map(Vec::len), Some(2));
    rpc.finish();
    assert!(!sandbox.path("naite/sessions").exists());
}

#[test]
fn navigating_gives_text_back_and_tells() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let first = say(&mut rpc, "user", "first");
    let answer = say(&mut rpc, "assistant", "answer");
    let moved = rpc.call("navigateTree", json!({"targetId": first}));
    assert_eq!(
        (&moved["leafId"], &moved["editorText"], &moved["cancelled"]),
        (&Value::Null, &json!("first"), &json!(false))
    );
    let told = rpc.events.iter().find(|event| event["method"] == "session_tree").expect("an event");
    assert_eq!(told["params"], json!({"newLeafId": null, "oldLeafId": answer}));
    rpc.call("navigateTree", json!({"targetId": answer}));
    let again = rpc.call("navigateTree", json!({"targetId": answer}));
    assert_eq!((&again["alreadyThere"], &again["leafId"]), (&json!(true), &json!(answer)));
    let refused = rpc.ask("navigateTree", json!({"targetId": first, "summarize": true}));
    assert_eq!(refused["error"]["data"]["kind"], "no_model");
    rpc.finish();
}

#[test]
fn a_subscriber_may_cancel() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let first = say(&mut rpc, "user", "first");
    let answer = say(&mut rpc, "assistant", "answer");
    rpc.call("subscribe", json!({"events": ["session_before_tree"]}));
    rpc.send(
        &json!({"jsonrpc": "2.0", "id": "n", "method": "navigateTree", "params": {"targetId": first}})
            .to_string(),
    );
    let question = rpc.line().expect("a question");
    assert_eq!(question["method"], "session_before_tree");
    assert_eq!(question["params"]["oldLeafId"], answer);
    assert_eq!(question["params"]["userWantsSummary"], false);
    // A request that comes while we are thinking waits.
    rpc.send(&json!({"jsonrpc": "2.0", "id": "later", "method": "getLeafId"}).to_string());
    rpc.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"cancel": true}}).to_string());
    let cancelled = rpc.line().expect("an answer");
    assert_eq!((&cancelled["id"], &cancelled["result"]["cancelled"]), (&json!("n"), &json!(true)));
    let later = rpc.line().expect("an answer");
    assert_eq!((&later["id"], &later["result"]["leafId"]), (&json!("later"), &json!(answer)));
    rpc.finish();
}

#[test]
fn a_subscriber_learns_which_session_starts() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    say(&mut rpc, "user", "first");
    rpc.send(
        &json!({"jsonrpc": "2.0", "id": "s", "method": "subscribe", "params": {"events": ["session_start"]}})
            .to_string(),
    );
    let start = rpc.line().expect("an event");
    assert_eq!(start["method"], "session_start");
    let file = &start["params"]["sessionFile"];
    assert!(file.is_string() && start["params"]["reason"] == "startup", "{start}");
    assert_eq!(rpc.line().expect("an answer")["id"], "s");
    rpc.send(&json!({"jsonrpc": "2.0", "id": "n", "method": "newSession"}).to_string());
    let events: Vec<_> = (0..4).map_while(|_| rpc.line()).collect();
    let new = events.iter().find(|event| event["method"] == "session_start").expect("an event");
    assert_eq!((&new["params"]["reason"], &new["params"]["previousSessionFile"]), (&json!("new"), file));
    assert_eq!(new["params"]["sessionId"], events[3]["result"]["sessionId"], "{events:?}");
    rpc.finish();
}

#[test]
fn half_a_character_reaches_no_strict_reader() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("s.jsonl");
    std::fs::copy(crate::support::fixture("conformance/broken/lone-surrogates.jsonl"), &path)
        .expect("copied");
    let file = path.to_str().expect("UTF-8");
    assert!(std::fs::read_to_string(&path).expect("readable").contains("\\ud83d"));
    // Each answer is read by a reader that refuses lone surrogates.
    let mut rpc = sandbox.rpc(["--session", file, "--read-only"]);
    let entries = rpc.call("getEntries", json!({}));
    assert!(entries.to_string().contains('\u{fffd}'), "{entries}");
    rpc.call("getTree", json!({}));
    rpc.finish();
}

#[test]
fn errors_name_what_is_unknown_and_the_session_goes_on() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let user = say(&mut rpc, "user", "first");
    for (method, params) in [
        ("getEntry", json!({"id": "nope"})),
        ("branch", json!({"entryId": "nope"})),
        ("branchWithSummary", json!({"branchFromId": "nope", "summary": "s"})),
        ("appendLabelChange", json!({"targetId": "nope", "label": "x"})),
        ("appendCompaction", json!({"summary": "s", "firstKeptEntryId": "nope", "tokensBefore": 1})),
        ("createBranchedSession", json!({"leafId": "nope"})),
        ("branchSession", json!({"entryId": "nope"})),
        ("navigateTree", json!({"targetId": "nope"})),
        ("buildSessionContext", json!({"leafId": "nope"})),
    ] {
        let answer = rpc.ask(method, params);
        assert_eq!(answer["error"]["data"]["id"], "nope", "{method}: {answer}");
    }
    let folder = sandbox.path("work");
    let refused = rpc.ask("setSessionFile", json!({"path": folder}));
    assert_eq!(refused["error"]["data"]["path"], json!(folder));
    for (line, code) in [
        ("not json", -32700),
        ("[]", -32700),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"noSuchMethod"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"appendMessage","params":{"message":3}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"appendMessage","params":[]}"#, -32602),
    ] {
        rpc.send(line);
        let answer = rpc.line().expect("an answer");
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    assert_eq!(rpc.call("getLeafId", json!({}))["leafId"], user);
    assert!(rpc.finish().status.success());
}

#[test]
fn a_result_that_comes_after_a_move_goes_under_its_call() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let user = say(&mut rpc, "user", "list the files");
    let call = json!([{"type": "toolCall", "id": "c1", "name": "ls", "arguments": {}}]);
    let call = json!({"message": {"role": "assistant", "content": call, "stopReason": "toolUse"}});
    let call = rpc.call("appendMessage", call)["entryId"].clone();
    rpc.call("navigateTree", json!({"targetId": user}));
    let result =
        json!({"message": {"role": "toolResult", "toolCallId": "c1", "toolName": "ls", "content": []}});
    let made = rpc.call("appendMessage", result);
    assert_eq!(rpc.call("getEntry", json!({"id": made["entryId"]}))["entry"]["parentId"], call);
    assert_eq!(made["leafId"], Value::Null, "the leaf stays where it was moved to");
    let path = rpc.call("fork", json!({}))["path"].as_str().expect("a file").to_owned();
    rpc.finish();
    assert_eq!(sandbox.json(["tree", &path, "--json"])["leaf"], Value::Null);
}

#[test]
fn every_answer_knows_what_other_programs_wrote() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("s.jsonl");
    let mut rpc = sandbox.rpc(["--session", path.to_str().expect("UTF-8")]);
    rpc.call("getLeafId", json!({}));
    assert!(path.exists(), "an explicit path is created at once");
    let user = say(&mut rpc, "user", "first");
    let mut reader = sandbox.rpc(["--session", path.to_str().expect("UTF-8"), "--read-only"]);
    assert_eq!(reader.call("getLeafId", json!({}))["leafId"], user);
    let foreign = json!({"type": "message", "id": "f0f0f0f0", "parentId": user, "timestamp": "2026-03-01T09:10:00.000Z",
        "message": {"role": "user", "content": "foreign"}});
    let mut log = std::fs::OpenOptions::new().append(true).open(&path).expect("writable");
    std::io::Write::write_all(&mut log, format!("{foreign}\n").as_bytes()).expect("writable");
    for rpc in [&mut rpc, &mut reader] {
        assert_eq!(rpc.call("getLeafId", json!({}))["leafId"], "f0f0f0f0");
        assert_eq!(rpc.call("getEntry", json!({"id": "f0f0f0f0"}))["entry"]["parentId"], user);
    }
    let other = sandbox.path("other.jsonl");
    std::fs::copy(&path, &other).expect("writable");
    reader.call("setSessionFile", json!({"path": other}));
    let refused = reader.ask("appendMessage", json!({"message": {"role": "user", "content": "x"}}));
    assert_eq!(refused["error"]["data"]["kind"], "read_only", "looking stays looking");
    rpc.call("setSessionFile", json!({"path": path.parent().expect("a folder").join("work/../s.jsonl")}));
    reader.finish();
    rpc.finish();
}

#[test]
fn values_of_a_wrong_type_are_refused() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc(["--in-memory"]);
    let user = say(&mut rpc, "user", "first");
    for (method, params) in [
        ("appendLabelChange", json!({"targetId": user, "label": 5})),
        ("newSession", json!({"parentSession": 5})),
        ("setSessionFile", json!({"path": ""})),
        ("appendCustomEntry", json!({"customType": "naite.move"})),
    ] {
        assert_eq!(rpc.ask(method, params)["error"]["code"], -32602, "{method}");
    }
    let path = sandbox.write("s.jsonl", "");
    assert_eq!(rpc.ask("setSessionFile", json!({"path": path}))["error"]["data"]["kind"], "in_memory");
    rpc.finish();
}

#[test]
fn words_that_never_became_durable_are_no_success() {
    let sandbox = Sandbox::new();
    // A file where the folder of sessions should be refuses even root.
    std::fs::create_dir(sandbox.path("naite")).expect("writable");
    std::fs::write(sandbox.path("naite/sessions"), "in the way").expect("writable");
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let failed = rpc.ask("appendMessage", json!({"message": {"role": "user", "content": "x"}}));
    assert!(failed.get("error").is_some(), "{failed}");
    assert!(rpc.ask("newSession", json!({})).get("error").is_some(), "what waits is not dropped");
    let output = rpc.finish();
    assert_eq!(output.status.code(), Some(1), "{}", crate::support::said(&output));
}

#[test]
fn a_file_that_appears_meanwhile_is_grown() {
    let sandbox = Sandbox::new();
    let mut rpc = sandbox.rpc([] as [&str; 0]);
    let path = rpc.call("newSession", json!({}))["path"].as_str().expect("a path").to_owned();
    let theirs = fixture("conformance/broken/no-final-newline.jsonl");
    std::fs::create_dir_all(std::path::Path::new(&path).parent().expect("a folder")).expect("writable");
    std::fs::copy(theirs, &path).expect("writable");
    let made = say(&mut rpc, "user", "ours");
    assert!(rpc.finish().status.success());
    let tree = sandbox.json(["tree", &path, "--json"]);
    assert_eq!((&tree["leaf"], &tree["defects"]), (&json!(made), &json!([])));
    assert_eq!(tree["nodes"].as_array().map(Vec::len), Some(3));
}
