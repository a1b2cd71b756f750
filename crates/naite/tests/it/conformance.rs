//! The right answers of an independent implementation, asked of the binary: trees, contexts, leaves, operations.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use naite_core::context::convert;
use naite_store::Access;
use naite_testkit::Home;
use serde_json::{Map, Value, json};

use crate::support::{Rpc, Sandbox, expect_complaint, fingerprint};

fn fixtures(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../naite-testkit/fixtures").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("fixtures are in the repository")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter(|path| path.file_name().is_some_and(|name| name != "expected.json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}", folder.display());
    files
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON")
}

/// A message in the words of the conformance files.
fn brief(message: &Value) -> Value {
    let mut brief = Map::new();
    brief.insert("role".into(), message["role"].clone());
    for key in ["summary", "command", "customType", "toolCallId"] {
        if let Some(value) = message.get(key) {
            brief.insert(key.into(), value.clone());
        }
    }
    let text = match &message["content"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => Some(blocks.iter().filter_map(|block| block["text"].as_str()).collect()),
        _ => None,
    };
    if let Some(text) = text {
        brief.insert("text".into(), text.into());
    }
    Value::Object(brief)
}

fn check_context(got: &Value, expected: &Value, at: &str) {
    let messages: Vec<Value> = got["messages"].as_array().expect("messages").iter().map(brief).collect();
    assert_eq!(Value::from(messages), expected["messages"], "messages at {at}");
    assert_eq!(got["thinkingLevel"], expected["thinkingLevel"], "thinking at {at}");
    assert_eq!(got["model"], expected["model"], "model at {at}");
}

/// The nested tree of the conformance files out of flat nodes.
fn nested(nodes: &HashMap<String, Value>, id: &str) -> Value {
    let node = &nodes[id];
    let mut out = Map::new();
    out.insert("id".into(), id.into());
    if let Some(label) = node.get("label") {
        out.insert("label".into(), label.clone());
    }
    let children = node["children"].as_array().expect("children");
    if !children.is_empty() {
        out.insert(
            "children".into(),
            children.iter().map(|child| nested(nodes, child.as_str().expect("id"))).collect(),
        );
    }
    Value::Object(out)
}

fn trees(flat: &Value) -> Value {
    let nodes: HashMap<String, Value> = flat["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| (node["id"].as_str().expect("id").to_owned(), node.clone()))
        .collect();
    flat["roots"]
        .as_array()
        .expect("roots")
        .iter()
        .map(|root| nested(&nodes, root.as_str().expect("id")))
        .collect()
}

fn write_session(sandbox: &Sandbox, name: &str, session: &Value) -> PathBuf {
    let lines: String = session.as_array().expect("lines").iter().map(|line| format!("{line}\n")).collect();
    sandbox.write(name, lines)
}

#[test]
fn random_sessions_agree() {
    let sandbox = Sandbox::new();
    for case in fixtures("conformance/random", "json") {
        let case = read_json(&case);
        let (name, expect) = (case["name"].as_str().expect("a name"), &case["expect"]);
        let path = write_session(&sandbox, "session.jsonl", &case["session"]);
        let before = fingerprint(&path);
        let file = path.to_str().expect("UTF-8");

        let tree = sandbox.json(["tree", file, "--json"]);
        assert_eq!(tree["leaf"], expect["leaf"], "{name}");
        assert_eq!(trees(&tree), expect["tree"], "{name}");
        assert_eq!(tree["session"]["name"], expect["name"], "{name}");
        assert_eq!(tree["defects"], json!([]), "{name}");
        check_context(&sandbox.json(["context", file, "--json"]), &expect["context"], name);
        assert_eq!(fingerprint(&path), before, "{name}: opening changed the file");

        let mut rpc = sandbox.rpc(["--session", file, "--read-only"]);
        for (id, at) in expect["at"].as_object().expect("at") {
            let where_ = format!("{name}, {id}");
            let context = rpc.call("buildSessionContext", json!({"leafId": id}));
            check_context(&context, &at["context"], &where_);
            assert_eq!(context["path"], at["path"], "{where_}");
            let children = rpc.call("getChildren", json!({"parentId": id}));
            let ids: Vec<&Value> =
                children["entries"].as_array().expect("entries").iter().map(|e| &e["id"]).collect();
            assert_eq!(json!(ids), at["children"], "{where_}");
        }
        for (id, label) in expect["labels"].as_object().expect("labels") {
            assert_eq!(&rpc.call("getLabel", json!({"id": id}))["label"], label, "{name}, {id}");
        }
        rpc.call("resetLeaf", json!({}));
        check_context(&rpc.call("buildSessionContext", json!({})), &expect["afterReset"]["context"], name);
        assert!(rpc.finish().status.success());
        check_model_roles(&path, expect, name);
    }
}

/// Roles before pairing are no output of the binary; the library is asked.
fn check_model_roles(path: &Path, expect: &Value, name: &str) {
    let home = Home::new();
    let mut session = home.open(path, Access::Read).expect("opens");
    let mut check = |leaf, expected: &Value| {
        let context = session.build_session_context(leaf).expect("a context");
        let roles: Vec<&str> =
            context.messages.iter().filter_map(|m| convert(m, &|_| None)).map(|m| m.role.name()).collect();
        assert_eq!(json!(roles), *expected, "{name}");
    };
    check(None, &expect["afterReset"]["context"]["llmRoles"]);
    let leaves: Vec<_> = expect["at"].as_object().expect("at").iter().collect();
    for (id, at) in leaves {
        let home = Home::new();
        let mut session = home.open(path, Access::Read).expect("opens");
        let leaf = session.find(id).expect("an entry");
        let context = session.build_session_context(Some(leaf)).expect("a context");
        let roles: Vec<&str> =
            context.messages.iter().filter_map(|m| convert(m, &|_| None)).map(|m| m.role.name()).collect();
        assert_eq!(json!(roles), at["context"]["llmRoles"], "{name}, {id}");
    }
}

#[test]
fn operations_agree_through_rpc() {
    let sandbox = Sandbox::new();
    for case in fixtures("conformance/random", "json") {
        let case = read_json(&case);
        let name = case["name"].as_str().expect("a name").to_owned();
        let path = write_session(&sandbox, &format!("{name}.jsonl"), &case["session"]);
        let mut rpc = sandbox.rpc(["--session", path.to_str().expect("UTF-8")]);
        let last = case["session"].as_array().and_then(|lines| lines.last()).expect("a line");
        rpc.call("branch", json!({"entryId": last["id"]}));
        let mut made: HashMap<String, Value> = HashMap::new();
        for (step, op) in case["expect"]["ops"].as_array().expect("ops").iter().enumerate() {
            let at = format!("{name}, step {step}: {op}");
            let result = operate(&mut rpc, op, &made);
            if let Some(entry) = op.get("entry").and_then(Value::as_str) {
                made.insert(entry.into(), result["entryId"].clone());
                let stored = rpc.call("getEntry", json!({"id": result["entryId"]}))["entry"].clone();
                if let Some(parent) = op.get("parent") {
                    assert_eq!(stored["parentId"], known(parent, &made), "{at}");
                }
                if let Some(from) = op.get("fromId") {
                    assert_eq!(stored["fromId"], known(from, &made), "{at}");
                }
            }
            assert_eq!(rpc.call("getLeafId", json!({}))["leafId"], known(&op["leaf"], &made), "{at}");
            let context = rpc.call("buildSessionContext", json!({}));
            let length = context["messages"].as_array().expect("messages").len();
            assert_eq!(json!(length), op["contextLength"], "{at}");
        }
        let leaf = rpc.call("getLeafId", json!({}))["leafId"].clone();
        let entries = rpc.call("getEntries", json!({}))["entries"].clone();
        let wrote_last = entries.as_array().and_then(|all| all.last()).map(|entry| entry["id"].clone());
        assert!(rpc.finish().status.success());
        let again = sandbox.json(["tree", path.to_str().expect("UTF-8"), "--json"]);
        assert_eq!(again["nodes"].as_array().map(Vec::len), entries.as_array().map(Vec::len), "{name}");
        if Some(&leaf) == wrote_last.as_ref() {
            assert_eq!(again["leaf"], leaf, "{name}");
        }
    }
}

/// An id of the conformance file, or the one that a step made.
fn known(id: &Value, made: &HashMap<String, Value>) -> Value {
    id.as_str().and_then(|id| made.get(id)).cloned().unwrap_or_else(|| id.clone())
}

fn operate(rpc: &mut Rpc, op: &Value, made: &HashMap<String, Value>) -> Value {
    let id = |key: &str| known(&op[key], made);
    match op["op"].as_str().expect("an operation") {
        "append_user" => rpc.call(
            "appendMessage",
            json!({"message": {"role": "user", "content": op["text"], "timestamp": 1}}),
        ),
        "append_assistant" => {
            let (provider, model) =
                op["model"].as_str().and_then(|m| m.split_once('/')).expect("provider/model");
            let content = json!([{"type": "text", "text": op["text"]}]);
            let message =
                json!({"role": "assistant", "content": content, "provider": provider, "model": model});
            rpc.call("appendMessage", json!({"message": message}))
        }
        "label" => rpc.call("appendLabelChange", json!({"targetId": id("target"), "label": op["label"]})),
        "branch" => rpc.call("branch", json!({"entryId": id("id")})),
        "branch_with_summary" => {
            rpc.call("branchWithSummary", json!({"branchFromId": id("from"), "summary": op["summary"]}))
        }
        "reset_leaf" => rpc.call("resetLeaf", json!({})),
        other => panic!("unknown operation {other}"),
    }
}

#[test]
fn broken_files_agree() {
    let folder = fixtures("conformance/broken", "jsonl");
    let expected = read_json(&folder[0].with_file_name("expected.json"));
    for case in folder {
        let name = case.file_stem().and_then(|name| name.to_str()).expect("a name");
        check_broken(&case, &expected[name], name);
    }
}

fn check_broken(case: &Path, expect: &Value, name: &str) {
    let sandbox = Sandbox::new();
    let path = sandbox.write("broken.jsonl", std::fs::read(case).expect("readable"));
    let file = path.to_str().expect("UTF-8");
    let before = fingerprint(&path);
    if expect["error"] == json!(true) {
        for command in ["tree", "context", "info", "undo"] {
            expect_complaint(&sandbox.run([command, file]), "not a session file");
        }
        assert_eq!(fingerprint(&path), before, "{name}");
        return;
    }
    let output = sandbox.run(["tree", file, "--json"]);
    let tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut rpc = sandbox.rpc(["--session", file, "--read-only"]);
    let loaded = ids_in(&path);
    assert_eq!(fingerprint(&path), before, "{name}: opening changed the file");

    let given = |key: &str| expect.get(key);
    if let Some(ids) = given("ids") {
        assert_eq!(json!(loaded), *ids, "{name}");
    }
    if let Some(count) = given("count") {
        assert_eq!(json!(loaded.len()), *count, "{name}");
    }
    for key in ["leaf", "roots", "readOnly"] {
        if let Some(value) = given(key) {
            assert_eq!(tree[key], *value, "{name}: {key}");
        }
    }
    let defects: Vec<Value> = tree["defects"]
        .as_array()
        .expect("defects")
        .iter()
        .map(|defect| json!({"line": defect["line"], "kind": defect["kind"]}))
        .collect();
    assert_eq!(json!(defects), expect["defects"], "{name}");
    if let Some(title) = given("name") {
        assert_eq!(tree["session"]["name"], *title, "{name}");
    }
    for (id, text) in given("text").and_then(Value::as_object).into_iter().flatten() {
        let entry = rpc.call("getEntry", json!({"id": id}))["entry"].clone();
        let found = brief(&entry["message"])["text"].as_str().expect("text").to_owned();
        assert!(found.contains(text.as_str().expect("text")), "{name}: {found:?}");
    }
    for (id, path) in given("paths").and_then(Value::as_object).into_iter().flatten() {
        assert_eq!(rpc.call("buildSessionContext", json!({"leafId": id}))["path"], *path, "{name}");
    }
    for (id, children) in given("childrenSet").and_then(Value::as_object).into_iter().flatten() {
        let got = rpc.call("getChildren", json!({"parentId": id}));
        let mut ids: Vec<&str> =
            got["entries"].as_array().expect("entries").iter().filter_map(|e| e["id"].as_str()).collect();
        ids.sort_unstable();
        assert_eq!(json!(ids), *children, "{name}");
    }
    rpc.finish();
    check_broken_context(&sandbox, file, expect, name);
    check_broken_changes(&sandbox, &path, expect, name);
}

/// The ids of all entries, in file order.
fn ids_in(path: &Path) -> Vec<String> {
    let home = Home::new();
    let session = home.open(path, Access::Read).expect("opens");
    let tree = session.tree();
    tree.entries().map(|ix| tree.id(ix).to_owned()).collect()
}

fn check_broken_context(sandbox: &Sandbox, file: &str, expect: &Value, name: &str) {
    let run = |more: &[&str]| -> Option<Value> {
        let mut arguments = vec!["context", file, "--json"];
        arguments.extend(more);
        serde_json::from_slice(&sandbox.run(arguments).stdout).ok()
    };
    let roles = |context: &Value| -> Value {
        context["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|message| message["role"].clone())
            .collect()
    };
    if let Some(count) = expect.get("contextMessages") {
        let context = run(&[]).expect("JSON");
        assert_eq!(json!(context["messages"].as_array().map(Vec::len)), *count, "{name}");
    }
    if let Some(expected) = expect.get("contextRoles") {
        assert_eq!(roles(&run(&[]).expect("JSON")), *expected, "{name}");
    }
    // Whatever a file holds, a provider gets valid JSON.
    let model = run(&["--model-messages"]).unwrap_or_else(|| panic!("{name}: invalid JSON for the model"));
    if let Some(expected) = expect.get("modelRoles") {
        assert_eq!(roles(&model), *expected, "{name}");
    }
}

fn check_broken_changes(sandbox: &Sandbox, path: &Path, expect: &Value, name: &str) {
    let file = path.to_str().expect("UTF-8");
    if let Some(branched) = expect.get("branched") {
        let mut rpc = sandbox.rpc(["--session", file]);
        let new = rpc.call("createBranchedSession", json!({"leafId": branched["from"]}));
        rpc.finish();
        let new = new["path"].as_str().expect("a file");
        let tree = sandbox.json(["tree", new, "--json"]);
        let context = sandbox.json(["context", new, "--json"]);
        assert_eq!(
            json!(context["messages"].as_array().map(Vec::len)),
            branched["contextMessages"],
            "{name}"
        );
        assert_eq!(json!(tree["roots"].as_array().map(Vec::len)), branched["roots"], "{name}");
        let node = |id: &str| {
            tree["nodes"].as_array().and_then(|all| all.iter().find(|node| node["id"] == id)).cloned()
        };
        for (id, label) in branched["labels"].as_object().into_iter().flatten() {
            assert_eq!(node(id).expect("an entry")["label"], *label, "{name}");
        }
        for (id, parent) in branched["parents"].as_object().into_iter().flatten() {
            assert_eq!(node(id).expect("an entry")["parent"], *parent, "{name}");
        }
    }
    if let Some(then) = expect.get("then") {
        let before = std::fs::read(path).expect("readable");
        let mut rpc = sandbox.rpc(["--session", file]);
        let text = &then["append_user"];
        let made =
            rpc.call("appendMessage", json!({"message": {"role": "user", "content": text, "timestamp": 1}}));
        rpc.finish();
        let after = std::fs::read(path).expect("readable");
        assert!(after.starts_with(&before), "{name}: bytes that were there changed");
        let tree: Value =
            serde_json::from_slice(&sandbox.run(["tree", file, "--json"]).stdout).expect("JSON");
        let mut ids: Vec<Value> =
            tree["nodes"].as_array().expect("nodes").iter().map(|node| node["id"].clone()).collect();
        assert_eq!(ids.pop(), Some(made["entryId"].clone()), "{name}");
        assert_eq!(json!(ids), then["every_id_loads_again"], "{name}");
    }
}
