//! `naite go`, `undo`, `redo`: each step a process of its own, as a user takes them.

use serde_json::{Value, json};

use crate::support::{Sandbox, fixture};

const PI: &str = "pi-0.73.1/sessions/--home-user-project--/2026-11-30T14-03-20-361Z_01a22cc4-6da8-7130-9be4-226dd1c5afc4.jsonl";
/// Its leaf, a user's message on the other branch, and the answer before both.
const LEAF: &str = "d4fc1bac";
const OTHER: &str = "3e84c187";
const BEFORE: &str = "a1ebb3d8";

struct Steps {
    sandbox: Sandbox,
    file: String,
}

impl Steps {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let path = sandbox.write("s.jsonl", std::fs::read(fixture(PI)).expect("readable"));
        Self { file: path.to_str().expect("UTF-8").into(), sandbox }
    }

    fn json(&self, command: &str, more: &[&str]) -> Value {
        let mut arguments = vec![command, &self.file];
        arguments.extend(more);
        arguments.push("--json");
        self.sandbox.json(arguments)
    }

    fn leaf(&self) -> Value {
        self.json("tree", &[])["leaf"].clone()
    }

    fn label(&self) -> Value {
        let tree = self.json("tree", &[]);
        let nodes = tree["nodes"].as_array().expect("nodes");
        nodes.iter().find(|node| node["id"] == OTHER).expect("an entry")["label"].clone()
    }

    fn append(&self, method: &str, params: Value) -> Value {
        let mut rpc = self.sandbox.rpc(["--session", &self.file]);
        let made = rpc.call(method, params);
        assert!(rpc.finish().status.success());
        made["entryId"].clone()
    }
}

#[test]
fn the_leaf_is_where_it_was_moved() {
    let steps = Steps::new();
    assert_eq!(steps.leaf(), LEAF);
    for target in [OTHER, BEFORE, LEAF] {
        let moved = steps.json("go", &[target]);
        assert_eq!((&moved["moved"], &moved["leaf"]), (&json!(true), &json!(target)));
        assert_eq!(steps.leaf(), target);
    }
    assert_eq!(steps.json("go", &["root"])["leaf"], Value::Null);
    assert_eq!(steps.leaf(), Value::Null);
    let again = steps.json("go", &["root"]);
    assert_eq!(again["moved"], false);
    assert!(steps.sandbox.stdout(["go", &steps.file, "root"]).contains("Already at this point."));
}

#[test]
fn edit_moves_before_a_users_message_and_gives_its_text() {
    let steps = Steps::new();
    let moved = steps.json("go", &[OTHER, "--edit"]);
    assert_eq!((&moved["leaf"], &moved["editorText"]), (&json!(BEFORE), &json!("Pi second")));
    assert_eq!(steps.leaf(), BEFORE);
}

#[test]
fn undo_redo_undo_of_moves_with_appends_between() {
    let steps = Steps::new();
    steps.json("go", &[OTHER]);
    let said =
        steps.append("appendMessage", json!({"message": {"role": "user", "content": "on the other branch"}}));
    assert_eq!(steps.leaf(), said);
    assert_eq!(steps.json("undo", &[])["leaf"], LEAF);
    assert_eq!(steps.leaf(), LEAF);
    assert_eq!(steps.json("redo", &[])["leaf"], said);
    assert_eq!(steps.leaf(), said);
    assert_eq!(steps.json("undo", &[])["leaf"], LEAF);
    // A message empties what can be redone.
    steps.append("appendMessage", json!({"message": {"role": "user", "content": "and on"}}));
    let output = steps.sandbox.run(["redo", &steps.file]);
    crate::support::expect_complaint(&output, "nothing to redo");
}

#[test]
fn undo_redo_undo_of_labels() {
    let steps = Steps::new();
    assert_eq!(steps.label(), "pivot");
    steps.append("appendLabelChange", json!({"targetId": OTHER, "label": "새 이름"}));
    assert_eq!(steps.label(), "새 이름");
    assert_eq!(steps.json("undo", &[])["label"], "pivot");
    assert_eq!(steps.label(), "pivot");
    steps.json("redo", &[]);
    assert_eq!(steps.label(), "새 이름");
    steps.json("undo", &[]);
    steps.json("undo", &[]);
    assert_eq!(steps.leaf(), "fe2758ce", "the branch summary that pi had written: the leaf before it");
    steps.json("undo", &[]);
    assert_eq!(steps.label(), Value::Null, "the label that pi had set");
    let output = steps.sandbox.run(["undo", &steps.file]);
    crate::support::expect_complaint(&output, "nothing to undo");
}

#[test]
fn nothing_that_was_written_changes() {
    let steps = Steps::new();
    let mut before = std::fs::read(&steps.file).expect("readable");
    for step in [&["go", OTHER][..], &["undo"], &["redo"], &["go", "root"], &["undo"]] {
        steps.json(step[0], &step[1..]);
        let after = std::fs::read(&steps.file).expect("readable");
        assert!(after.starts_with(&before) && after.len() > before.len(), "{step:?}");
        before = after;
    }
}

#[test]
fn a_file_of_an_old_format_is_rewritten_only_when_something_is_appended() {
    let sandbox = Sandbox::new();
    let old = std::fs::read(fixture("conformance/broken/v1.jsonl")).expect("readable");
    let path = sandbox.write("s.jsonl", &old);
    let file = path.to_str().expect("UTF-8");
    let leaf = sandbox.json(["tree", file, "--json"])["leaf"].as_str().expect("an id").to_owned();
    for command in
        [vec!["undo", file], vec!["redo", file], vec!["go", file, &leaf], vec!["label", file, "nope", "x"]]
    {
        sandbox.run(&command);
        assert_eq!(std::fs::read(&path).expect("readable"), old, "{command:?}");
    }
    let mut rpc = sandbox.rpc(["--session", file]);
    rpc.ask("branchWithSummary", json!({"branchFromId": "nope", "summary": "s"}));
    rpc.ask("appendLabelChange", json!({"targetId": "nope", "label": "x"}));
    rpc.finish();
    assert_eq!(std::fs::read(&path).expect("readable"), old);
    assert_eq!(sandbox.json(["go", file, "root", "--json"])["moved"], true);
    assert!(std::fs::read(&path).expect("readable").starts_with(b"{\"type\":\"session\",\"version\":3"));
}

#[test]
fn a_fork_keeps_the_model_that_an_old_header_names() {
    let sandbox = Sandbox::new();
    let path =
        sandbox.write("s.jsonl", std::fs::read(fixture("conformance/broken/v1.jsonl")).expect("readable"));
    let file = path.to_str().expect("UTF-8");
    let new = sandbox.json(["fork", file, "--json"])["path"].as_str().expect("a path").to_owned();
    let context = |file: &str| {
        let context = sandbox.json(["context", file, "--json"]);
        json!([context["model"], context["thinkingLevel"], context["messages"]])
    };
    assert_eq!(context(&new), context(file));
}

#[test]
fn a_move_record_that_says_nothing_moves_nowhere() {
    let sandbox = Sandbox::new();
    let mut bytes = std::fs::read(fixture("conformance/broken/title-slot.jsonl")).expect("readable");
    bytes.extend_from_slice(
        b"{\"type\":\"custom\",\"customType\":\"naite.move\",\"id\":\"m\",\"parentId\":\"aaaaaaa1\",\"timestamp\":\"2026-03-01T09:00:09.000Z\"}\n",
    );
    let path = sandbox.write("s.jsonl", bytes);
    assert_eq!(sandbox.json(["tree", path.to_str().expect("UTF-8"), "--json"])["leaf"], "aaaaaaa1");
}
