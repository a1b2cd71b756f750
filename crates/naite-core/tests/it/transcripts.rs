//! Transcripts of Claude Code as lines in any order, repeated, damaged, in circles: one sound tree, however it is read.

use naite_core::codec::DefectKind;
use naite_core::entry::Kind;
use naite_core::{Place, StoredHeads, Tree};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::properties::{read, walk};

/// A line: what it is, its id, its parent, and the answer or call that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Spec {
    what: u8,
    id: u8,
    parent: u8,
    of: u8,
}

fn spec() -> impl Strategy<Value = Spec> {
    (0..16u8, 0..12u8, 0..14u8, 0..4u8).prop_map(|(what, id, parent, of)| Spec { what, id, parent, of })
}

fn line(at: usize, spec: Spec) -> String {
    let parent = (spec.parent < 12).then(|| format!("u{}", spec.parent));
    let node = |extra: Value| {
        let mut node = json!({
            "parentUuid": parent, "uuid": format!("u{}", spec.id), "sessionId": "s", "isSidechain": spec.of == 3,
            "timestamp": format!("2026-03-01T09:00:{:02}.000Z", at % 60),
        });
        for (key, value) in extra.as_object().expect("an object") {
            node[key] = value.clone();
        }
        node.to_string()
    };
    let answer = |block: Value| {
        node(json!({"type": "assistant", "message": {"id": format!("m{}", spec.of), "role": "assistant",
            "model": "claude", "content": [block], "stop_reason": null}}))
    };
    let user =
        |content: Value| node(json!({"type": "user", "message": {"role": "user", "content": content}}));
    let call = format!("c{}", spec.of);
    match spec.what {
        0 | 1 => answer(json!({"type": "text", "text": "한글"})),
        2 | 3 => answer(json!({"type": "tool_use", "id": call, "name": "Bash", "input": {}})),
        4 | 5 => user(json!([{"type": "tool_result", "tool_use_id": call, "content": "out"}])),
        6 => user(json!([
            {"type": "tool_result", "tool_use_id": call, "content": "out"},
            {"type": "tool_result", "tool_use_id": "c9", "content": []},
            {"type": "text", "text": "and this"},
        ])),
        7 => user(json!("hello")),
        8 => user(json!("<bash-input>ls</bash-input>")),
        9 => user(json!("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>")),
        10 => node(json!({"type": "system", "subtype": "compact_boundary", "logicalParentUuid": parent,
            "parentUuid": null, "compactMetadata": {"preTokens": 3, "preservedSegment":
            {"headUuid": "u1", "anchorUuid": "u2", "tailUuid": "u3"}}})),
        11 => node(json!({"type": "user", "isCompactSummary": true, "message": {"content": "all of it"}})),
        12 => node(json!({"type": "attachment", "attachment": {"type": "prompt_snapshot"}})),
        13 => json!({"type": "last-prompt", "leafUuid": parent, "explicit": spec.of == 1, "sessionId": "s"})
            .to_string(),
        14 => node(json!({"type": "x-unknown"})),
        _ => {
            let whole = user(json!("torn"));
            whole[..whole.len() / 2].to_owned()
        }
    }
}

/// The log of some lines, behind one that says what it is.
fn log(specs: &[Spec]) -> Vec<u8> {
    let first = String::from(r#"{"type":"mode","mode":"normal","sessionId":"s"}"#);
    let lines = specs.iter().enumerate().map(|(at, spec)| line(at, *spec));
    let lines: Vec<String> = [first].into_iter().chain(lines).collect();
    (lines.join("\n") + "\n").into_bytes()
}

/// Reads a log line by line; at one line the heads go through a cache.
fn read_through_a_cache(log: &[u8], cached_at: usize) -> Tree {
    let mut tree = Tree::default();
    let mut offset = 0;
    for (number, bytes) in (1..).zip(log.split_inclusive(|byte| *byte == b'\n')) {
        let place = Place { line: number, offset, ended: true };
        tree.line(bytes.strip_suffix(b"\n").unwrap_or(bytes), place, &mut { log });
        tree.settle();
        offset += bytes.len() as u64;
        if number as usize == cached_at {
            let stored = tree.heads().stored().expect("a header");
            let bytes = postcard::to_allocvec(&stored).expect("stored");
            let stored: StoredHeads = postcard::from_bytes(&bytes).expect("read back");
            tree = Tree::new(stored.load().expect("sound"));
        }
    }
    tree
}

fn shape(tree: &Tree) -> String {
    let entries: Vec<String> = tree
        .entries()
        .map(|ix| {
            let head = tree.head(ix);
            let calls: Vec<&str> = tree.heads().calls(ix).collect();
            let parent = tree.parent(ix).map(|parent| tree.id(parent));
            let children: Vec<&str> = tree.children(ix).map(|child| tree.id(child)).collect();
            format!(
                "{} {parent:?} {children:?} {:?} {:?} {:?} {calls:?} {:?} {:?}",
                tree.id(ix),
                head.kind,
                head.role,
                head.stop,
                tree.heads().spans(ix).collect::<Vec<_>>(),
                tree.heads().anchor(ix),
            )
        })
        .collect();
    format!("{}\nleaf {:?}\n{:?}", entries.join("\n"), tree.leaf(), tree.defects())
}

proptest! {
    #[test]
    fn lines_in_any_order_give_one_sound_tree(specs in prop::collection::vec(spec(), 1..40), cached: usize) {
        let log = log(&specs);
        let tree = read(&log);
        walk(&tree);
        let again = read_through_a_cache(&log, 1 + cached % (specs.len() + 1));
        prop_assert_eq!(shape(&tree), shape(&again));
        for ix in tree.entries() {
            let lines: Vec<String> = tree
                .heads()
                .spans(ix)
                .map(|span| String::from_utf8_lossy(&log[span.offset as usize..span.end() as usize]).into_owned())
                .collect();
            let text = tree.heads().foreign_text(ix, tree.parent(ix), &lines);
            let entry: Value = serde_json::from_str(&text).expect("an entry is JSON");
            prop_assert_eq!(entry["id"].as_str(), Some(tree.id(ix)));
            let parent = tree.parent(ix).map(|parent| tree.id(parent));
            prop_assert_eq!(entry["parentId"].as_str(), parent);
            let (head, body) = (tree.head(ix), &entry["message"]);
            if head.kind == Kind::Message {
                prop_assert_eq!(body["role"].as_str(), Some(head.role.name()));
            }
            if head.has_calls() {
                let calls: Vec<&str> = body["content"].as_array().expect("blocks").iter()
                    .filter_map(|block| (block["type"] == "toolCall").then(|| block["id"].as_str()).flatten()).collect();
                prop_assert_eq!(calls, tree.heads().calls(ix).collect::<Vec<_>>());
                prop_assert_eq!(body["stopReason"].as_str(), Some(head.stop.name()));
            }
        }
    }
}

/// Lines of a small transcript, each `kind id parent`.
fn tree_of(specs: &[(u8, u8, u8, u8)]) -> Tree {
    let specs: Vec<Spec> = specs
        .iter()
        .map(|(what, id, parent, of)| Spec { what: *what, id: *id, parent: *parent, of: *of })
        .collect();
    read(&log(&specs))
}

/// The ids from the root to the leaf.
fn path(tree: &Tree) -> Vec<&str> {
    tree.path(tree.leaf()).into_iter().map(|ix| tree.id(ix)).collect()
}

#[test]
fn results_come_in_any_order_and_are_all_on_the_path() {
    // Two calls of one answer, the second answered first; the next answer hangs on the first result only.
    let tree = tree_of(&[(7, 0, 13, 0), (2, 1, 0, 0), (4, 3, 1, 0), (0, 5, 3, 1)]);
    assert_eq!(path(&tree), ["u0", "u1", "u3", "u5"]);
    let two = |order: [(u8, u8, u8, u8); 2], last: u8| {
        let call = |id, parent, of| {
            json!({"type": "assistant", "uuid": format!("u{id}"), "parentUuid": format!("u{parent}"),
            "sessionId": "s", "timestamp": "2026-03-01T09:00:00.000Z", "message": {"id": "m", "content":
            [{"type": "tool_use", "id": format!("c{of}"), "name": "Bash", "input": {}}]}})
            .to_string()
        };
        let mut lines =
            vec![line(0, Spec { what: 7, id: 0, parent: 13, of: 0 }), call(1, 0, 1), call(2, 1, 2)];
        lines.extend(order.map(|(what, id, parent, of)| line(0, Spec { what, id, parent, of })));
        lines.push(line(0, Spec { what: 0, id: 5, parent: last, of: 0 }));
        let tree = read((lines.join("\n") + "\n").as_bytes());
        path(&tree).join(" ")
    };
    assert_eq!(two([(4, 3, 1, 1), (4, 4, 2, 2)], 4), "u0 u1 u3 u4 u5");
    assert_eq!(two([(4, 4, 2, 2), (4, 3, 1, 1)], 4), "u0 u1 u4 u3 u5");
    assert_eq!(two([(4, 4, 2, 2), (4, 3, 1, 1)], 3), "u0 u1 u4 u3 u5");
}

#[test]
fn the_last_prompt_line_puts_the_leaf() {
    let branched = [(7, 0, 13, 0), (7, 1, 0, 0), (7, 2, 1, 0), (7, 3, 0, 0)];
    let leaf = |more: &[(u8, u8, u8, u8)]| {
        let tree = tree_of(&[&branched, more].concat());
        tree.leaf().map(|ix| tree.id(ix).to_owned()).unwrap_or_default()
    };
    assert_eq!(leaf(&[]), "u3", "the last line");
    assert_eq!(leaf(&[(13, 0, 2, 0)]), "u2", "a tip");
    assert_eq!(leaf(&[(13, 0, 1, 0)]), "u3", "an inner node, not explicit");
    assert_eq!(leaf(&[(13, 0, 1, 1)]), "u1", "explicit");
    assert_eq!(leaf(&[(13, 0, 1, 1), (13, 0, 2, 0)]), "u2", "the last such line");
    assert_eq!(leaf(&[(13, 0, 1, 1), (13, 0, 11, 1)]), "u3", "an id that is not there");
    assert_eq!(leaf(&[(14, 9, 3, 0)]), "u3", "an unknown type is no message");
}

#[test]
fn a_first_line_that_says_nothing_is_no_harm() {
    let junk = r#"{"type":"x-other","meta":1}"#;
    let node = line(0, Spec { what: 7, id: 0, parent: 13, of: 0 });
    let tree = read(format!("{junk}\n{{\"typ\n{node}\n").as_bytes());
    assert_eq!(path(&tree), ["u0"]);
    let defects: Vec<DefectKind> = tree.defects().iter().map(|defect| defect.kind).collect();
    assert_eq!(defects, [DefectKind::InvalidJson]);
    assert_eq!(tree.heads().foreign().expect("a transcript").notes.get("x-other"), Some(&1));
    let none = read((format!("{junk}\n").repeat(200) + &node).as_bytes());
    assert!(none.heads().is_refused(), "a log of something else is not read to its end");
}

/// The one entry that a line becomes, as JSON.
fn entry_of(line: &Value) -> Value {
    let mut line = line.clone();
    line["uuid"] = json!("u");
    line["parentUuid"] = Value::Null;
    line["timestamp"] = json!("2026-03-01T09:00:00.000Z");
    line["sessionId"] = json!("s");
    let text = line.to_string();
    let tree = read((text.clone() + "\n").as_bytes());
    let ix = tree.find("u").expect("an entry");
    serde_json::from_str(&tree.heads().foreign_text(ix, None, &[text])).expect("JSON")
}

#[test]
fn every_kind_of_line_becomes_what_it_is() {
    let user = |content: Value| json!({"type": "user", "message": {"role": "user", "content": content}});
    let attachment = |of: Value| json!({"type": "attachment", "attachment": of});
    let answer = |content: Value| {
        json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "model": "claude-x",
            "content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 2,
            "cache_read_input_tokens": 3, "cache_creation_input_tokens": 4}}})
    };
    let mut failed = answer(json!([{"type": "text", "text": "API Error: 529"}]));
    failed["isApiErrorMessage"] = json!(true);
    failed["message"]["model"] = json!("<synthetic>");
    let cases = [
        (user(json!("안녕")), "/message/content", json!("안녕")),
        (
            user(
                json!([{"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": "AA"}}]),
            ),
            "/message/content",
            json!([{"type": "image", "data": "AA", "mimeType": "image/webp"}]),
        ),
        (
            answer(json!([{"type": "redacted_thinking", "data": "xyz"}])),
            "/message/content",
            json!([{"type": "thinking", "thinking": "", "thinkingSignature": "xyz", "redacted": true}]),
        ),
        (
            answer(json!([{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}])),
            "/message/content",
            json!([{"type": "toolCall", "id": "c", "name": "Bash", "arguments": {"command": "ls"}}]),
        ),
        (answer(json!([])), "/message/usage/totalTokens", json!(10)),
        (failed.clone(), "/message/errorMessage", json!("API Error: 529")),
        (failed, "/message/stopReason", json!("error")),
        (
            attachment(json!({"type": "queued_command", "prompt": "and this", "commandMode": "prompt"})),
            "/message/content",
            json!("and this"),
        ),
        (
            attachment(
                json!({"type": "queued_command", "prompt": "<task-notification>", "commandMode": "task-notification"}),
            ),
            "/customType",
            json!("task-notification"),
        ),
        (
            attachment(json!({"type": "hook_additional_context", "content": ["one", "two"]})),
            "/content",
            json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
        ),
        (
            attachment(json!({"type": "hook_success", "hookEvent": "Stop", "content": "printed"})),
            "/type",
            json!("custom"),
        ),
        (
            attachment(json!({"type": "hook_success", "hookEvent": "SessionStart", "content": "told"})),
            "/customType",
            json!("hook-context"),
        ),
        (attachment(json!({"type": "date"})), "/customType", json!("claude-code.date")),
        (
            json!({"type": "system", "subtype": "local_command", "content": "<command-name>/rename</command-name>"}),
            "/details/claudeCode/title",
            json!("/rename"),
        ),
        (json!({"type": "system", "subtype": "api_error"}), "/customType", json!("claude-code.api_error")),
        (json!({"type": "x-new", "big": 1}), "/type", json!("x-new")),
        (json!({"type": "x-new", "big": 1}), "/line/big", json!(1)),
    ];
    for (line, at, wanted) in cases {
        let entry = entry_of(&line);
        assert_eq!(entry.pointer(at), Some(&wanted), "{line} gave {entry}");
    }
}
