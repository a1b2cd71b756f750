//! Transcripts of Claude Code: drawn, listed, found, shown, copied, never written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Sandbox, expect_complaint, fingerprint, fixture, said};

const COMPACTED: &str = "33333333-3333-4333-8333-333333333333";
const DELEGATED: &str = "22222222-2222-4222-8222-222222222222";
const BRANCHED: &str = "5f139151-433c-4dcf-b175-9c9a2ef72841";

/// The transcripts among the fixtures: sessions, sub-agents, files made by hand.
fn transcripts() -> Vec<(String, PathBuf)> {
    let table = std::fs::read(fixture("claude-code-2.1.332/expected.json")).expect("the table");
    let table: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&table).expect("valid JSON");
    let short = |name: &str| {
        let stem = Path::new(name).file_stem().expect("a name").to_string_lossy().into_owned();
        if name.starts_with("crafted") { format!("crafted-{stem}") } else { stem }
    };
    table.keys().map(|name| (short(name), fixture(name))).collect()
}

/// A sandbox whose home holds the fixtures as Claude Code would have them.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let home = sandbox.path("home/.claude/projects/-home-user-project");
    copy(&fixture("claude-code-2.1.332/projects/-home-user-project"), &home);
    sandbox
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for file in std::fs::read_dir(from).expect("a folder") {
        let file = file.expect("a file").path();
        let to = to.join(file.file_name().expect("a name"));
        if file.is_dir() {
            copy(&file, &to);
        } else {
            std::fs::copy(&file, &to).expect("writable");
        }
    }
}

/// Everything in a folder, with its bytes and times.
fn everything(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for file in std::fs::read_dir(&folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                all.insert(path.clone(), fingerprint(&path));
            }
        }
    }
    all
}

#[test]
fn every_transcript_is_drawn() {
    let mut drawn = String::new();
    for (name, path) in transcripts() {
        let file = path.to_str().expect("UTF-8");
        let tree = Sandbox::new().stdout(["tree", file, "--width", "100"]);
        drawn += &format!("── {name}\n{tree}\n");
    }
    insta::assert_snapshot!("trees", drawn);
}

#[test]
fn bookkeeping_is_there_when_everything_is_asked_for() {
    let sandbox = sandbox();
    insta::assert_snapshot!("all", sandbox.stdout(["tree", COMPACTED, "--filter", "all", "--width", "100"]));
    let user = sandbox.stdout(["tree", BRANCHED, "--filter", "user-only"]);
    assert!(!user.contains('<') && user.contains("Queued while busy"), "machine-made lines: {user}");
}

#[test]
fn the_list_is_read_from_the_lines_and_names_sessions_alone() {
    let sandbox = sandbox();
    let list = sandbox.json(["sessions", "--from", "claude-code", "--all", "--json"]);
    let rows = list["sessions"].as_array().expect("sessions");
    assert_eq!(rows.len(), 10, "{list}");
    assert_eq!(list["unreadable"], json!([]));
    assert!(rows.iter().all(|row| row["program"] == "claude-code" && row["cwd"] == "/home/user/project"));
    let named = |id: &str| rows.iter().find(|row| row["id"] == id).expect("listed").clone();
    assert_eq!(named(BRANCHED)["name"], "renamed session");
    assert_eq!(named(BRANCHED)["parentSession"], "4cc08054-942f-4abc-a172-8af98e6e1f96");
    assert_eq!(named(COMPACTED)["firstPrompt"], "First thing to remember [[bash echo alpha]]");
    let everywhere = sandbox.json(["sessions", "--all", "--json"]);
    assert_eq!(everywhere["sessions"].as_array().expect("sessions").len(), 10);
    // Once more, out of the cache.
    assert_eq!(sandbox.json(["sessions", "--from", "claude-code", "--all", "--json"]), list);
    let here = sandbox.json(["sessions", "--from", "claude-code", "--json"]);
    assert_eq!(here["sessions"], json!([]), "none belongs to this folder");
}

#[test]
fn the_folder_can_be_named_by_the_environment() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(["sessions", "--from", "claude-code", "--all"]);
    let output =
        command.env("CLAUDE_CONFIG_DIR", fixture("claude-code-2.1.332")).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 10, "{}", said(&output));
}

#[test]
fn the_store_gives_what_the_client_no_longer_has() {
    let sandbox = sandbox();
    let kept = |id: &str, from: &str| {
        let folder = sandbox.path(&format!("work/.ai-core/data/context/sessions/261130_{id}"));
        std::fs::create_dir_all(&folder).expect("writable");
        let from = fixture(&format!("claude-code-2.1.332/projects/-home-user-project/{from}.jsonl"));
        std::fs::copy(from, folder.join("transcript.jsonl")).expect("writable");
        std::fs::write(folder.join("log.jsonl"), "{}\n").expect("writable");
    };
    kept(COMPACTED, COMPACTED);
    kept(DELEGATED, DELEGATED);
    let client = format!("home/.claude/projects/-home-user-project/{DELEGATED}.jsonl");
    std::fs::remove_file(sandbox.path(&client)).expect("it was there");
    let list = sandbox.json(["sessions", "--from", "claude-code", "--all", "--json"]);
    let rows = list["sessions"].as_array().expect("sessions");
    assert_eq!(rows.len(), 10, "each once: {list}");
    let path = |id: &str| {
        let row = rows.iter().find(|row| row["id"] == id).expect("listed");
        row["path"].as_str().expect("a path").to_owned()
    };
    assert!(path(COMPACTED).contains("/.claude/"), "the client's own file");
    assert!(path(DELEGATED).ends_with("transcript.jsonl"), "the copy of the store");
    let shown = sandbox.json(["info", "22222222-2222-4222-8222-222222222222", "--json"]);
    assert_eq!(shown["messages"], 5);
}

#[test]
fn sessions_and_sub_agents_are_found_by_their_ids() {
    let sandbox = sandbox();
    insta::assert_snapshot!("agent", sandbox.stdout(["tree", "agent-ad1e"]));
    let id = |session: &str| sandbox.json(["info", session, "--json"])["id"].clone();
    assert_eq!(id("5f13"), BRANCHED);
    assert_eq!(id("Renamed Session"), BRANCHED, "by name");
    assert_eq!(id("agent-ac4da06f67b7cb80b"), "agent-ac4da06f67b7cb80b");
    expect_complaint(&sandbox.run(["info", "22222222"]), "fits 2 sessions");
    expect_complaint(&sandbox.run(["info", "agent-0"]), "No session");
}

#[test]
fn info_says_where_it_comes_from_and_who_helped() {
    let sandbox = sandbox();
    let place = sandbox.path("").to_string_lossy().into_owned();
    let info = |id: &str| sandbox.stdout(["info", id]).replace(&place, "HOME/");
    insta::assert_snapshot!("info_branched", info(BRANCHED));
    insta::assert_snapshot!("info_delegated", info(DELEGATED));
    insta::assert_snapshot!("info_forked", info("022daef4"));
    insta::assert_snapshot!("info_agent", info("agent-ac4da06f67b7cb80b"));
    let json = sandbox.json(["info", BRANCHED, "--json"]);
    assert_eq!(json["program"], "claude-code");
    assert_eq!(json["readOnly"], true);
    assert_eq!(json["forkedFrom"], "4cc08054-942f-4abc-a172-8af98e6e1f96");
    assert!(json["linesBeside"]["api-request"].as_u64().is_some_and(|count| count > 3), "{json}");
}

#[test]
fn a_call_shows_the_sub_agent_that_it_started() {
    let sandbox = sandbox();
    let shown = sandbox.json(["show", DELEGATED, "a0f3", "--json"]);
    assert_eq!(shown["subAgents"][0]["id"], "agent-ac4da06f67b7cb80b");
    assert_eq!(shown["entry"]["message"]["toolName"], "Agent");
    let call = shown["parent"].as_str().expect("a parent").to_owned();
    let printed = sandbox.stdout(["show", DELEGATED, &call]);
    assert!(
        printed.contains("sub-agent  agent-ac4da06f67b7cb80b (general-purpose: Stub subtask)"),
        "{printed}"
    );
    assert_eq!(printed.matches("[call Agent]").count(), 1);
}

#[test]
fn an_answer_is_one_message_with_its_usage_once() {
    let sandbox = sandbox();
    let tree = sandbox.json(["tree", DELEGATED, "--json"]);
    let nodes = tree["nodes"].as_array().expect("nodes");
    let answers: Vec<&str> = nodes
        .iter()
        .filter(|node| node["role"] == "assistant")
        .filter_map(|node| node["id"].as_str())
        .collect();
    assert_eq!(answers.len(), 3, "{tree}");
    let entry = sandbox.json(["show", DELEGATED, answers[0], "--json"])["entry"].clone();
    let kinds: Vec<&str> = entry["message"]["content"]
        .as_array()
        .expect("blocks")
        .iter()
        .filter_map(|block| block["type"].as_str())
        .collect();
    assert_eq!(kinds, ["thinking", "text", "toolCall"]);
    insta::assert_snapshot!("usage", entry["message"]["usage"].to_string());
}

#[test]
fn whatever_would_write_is_refused_and_says_what_can_be_done() {
    let sandbox = sandbox();
    let client = sandbox.path("home/.claude");
    let before = everything(&client);
    for arguments in [
        vec!["go", COMPACTED, "39d8"],
        vec!["label", COMPACTED, "39d8", "here"],
        vec!["name", COMPACTED, "a name"],
        vec!["undo", COMPACTED],
        vec!["redo", COMPACTED],
    ] {
        let output = sandbox.run(&arguments);
        expect_complaint(&output, "is a transcript of Claude Code; Naite only reads it.");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("`naite fork SESSION`"),
            "{}",
            said(&output)
        );
    }
    expect_complaint(&sandbox.run(["trash", "put", COMPACTED]), "not one of Naite's own");
    let mut rpc = sandbox.rpc(["--session", COMPACTED]);
    let refused = rpc.ask("appendMessage", json!({"message": {"role": "user", "content": "x"}}));
    assert_eq!(refused["error"]["data"]["kind"], "foreign", "{refused}");
    let refused = rpc.ask("appendLabelChange", json!({"targetId": "39d8", "label": "x"}));
    assert!(refused["error"].is_object(), "{refused}");
    let context = rpc.call("buildSessionContext", json!({}));
    assert_eq!(context["messages"][0]["role"], "compactionSummary");
    rpc.finish();
    for reading in [
        vec!["tree", COMPACTED],
        vec!["context", COMPACTED, "--model-messages"],
        vec!["export", COMPACTED],
        vec!["export", COMPACTED, "--all", "--format", "html"],
        vec!["sessions", "--all"],
        vec!["doctor", COMPACTED, "--fix"],
    ] {
        sandbox.stdout(&reading);
    }
    assert_eq!(everything(&client), before, "not a byte, not a time, not a file");
}

#[test]
fn a_damaged_transcript_is_not_repaired_in_place() {
    let sandbox = sandbox();
    let path = sandbox.path(&format!("home/.claude/projects/-home-user-project/{COMPACTED}.jsonl"));
    let mut bytes = std::fs::read(&path).expect("a fixture");
    bytes.extend_from_slice(b"{\"parentUuid\":\"31e4");
    std::fs::write(&path, &bytes).expect("writable");
    let output = sandbox.run(["doctor", COMPACTED, "--fix"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Naite only reads it"), "{}", said(&output));
    assert_eq!(std::fs::read(&path).expect("still there"), bytes);
}

#[test]
fn a_fork_goes_on_as_a_session_of_naite() {
    let sandbox = sandbox();
    let messages = |session: &str| sandbox.json(["context", session, "--json"])["messages"].clone();
    for id in [COMPACTED, DELEGATED, BRANCHED, "55555555", "11111111", "022daef4"] {
        let copy = sandbox.json(["fork", id, "--json"]);
        let path = copy["path"].as_str().expect("a path");
        assert_eq!(messages(path), messages(id), "{id}");
        let info = sandbox.json(["info", path, "--json"]);
        assert_eq!(info["readOnly"], false);
        assert_eq!(info["defects"], json!([]));
        assert!(info["parentSession"].as_str().is_some_and(|source| source.contains(".claude")), "{info}");
        sandbox.stdout(["label", path, info["leaf"].as_str().expect("a leaf"), "여기"]);
    }
    let branch = sandbox.json(["branch", "55555555", "a0a10455", "--json"]);
    assert_eq!(branch["editorText"], "Second question, other branch");
    let path = branch["path"].as_str().expect("a path");
    assert_eq!(messages(path).as_array().map(Vec::len), Some(4), "what stood before it");
}
