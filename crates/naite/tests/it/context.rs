//! `naite context`: what a model sees, in stored form and as a provider gets it.

use crate::support::{Sandbox, expect_complaint, fixture};

const PI: &str = "pi-0.73.1/sessions/--home-user-project--/2026-11-30T14-03-20-361Z_01a22cc4-6da8-7130-9be4-226dd1c5afc4.jsonl";

fn context(more: &[&str]) -> String {
    let file = fixture(PI);
    let mut arguments = vec!["context", file.to_str().expect("UTF-8")];
    arguments.extend(more);
    Sandbox::new().stdout(arguments)
}

#[test]
fn json_and_model_messages() {
    insta::assert_snapshot!("json", context(&["--json"]).replace("},{\"role\"", "},\n{\"role\""));
    insta::assert_snapshot!(
        "model",
        context(&["--json", "--model-messages"]).replace("},{\"role\"", "},\n{\"role\"")
    );
}

#[test]
fn words_for_people() {
    insta::assert_snapshot!("words", context(&[]));
}

#[test]
fn another_leaf_and_the_empty_state() {
    assert!(context(&["--leaf", "root", "--json"]).contains(r#""leaf":null,"path":[],"messages":[]"#));
    assert!(context(&["--leaf", "66b7", "--json"]).contains(r#""leaf":"66b76a4f""#));
    let file = fixture(PI);
    let output = Sandbox::new().run(["context", file.to_str().expect("UTF-8"), "--leaf", "nope"]);
    expect_complaint(&output, "no entry nope");
}

#[test]
fn images_of_oh_my_pi_are_fetched_or_named() {
    let sandbox = Sandbox::new();
    let hash = "a".repeat(64);
    let blobs = sandbox.path("home/.omp/agent/blobs");
    std::fs::create_dir_all(&blobs).expect("writable");
    std::fs::write(blobs.join(&hash), b"png").expect("writable");
    let image =
        |data: &str| format!(r#"{{"type":"image","data":"blob:sha256:{data}","mimeType":"image/png"}}"#);
    let content = [image(&hash), image(&"b".repeat(64)), image("../../../../etc/passwd")].join(",");
    let path = sandbox.write(
        "s.jsonl",
        format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-03-01T09:00:00.000Z\"}}\n\
         {{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-03-01T09:00:01.000Z\",\
         \"message\":{{\"role\":\"user\",\"content\":[{content}]}}}}\n"
        ),
    );
    let model = sandbox.json(["context", path.to_str().expect("UTF-8"), "--json", "--model-messages"]);
    let blocks = &model["messages"][0]["content"];
    assert_eq!(blocks[0]["data"], "cG5n");
    for missing in [&blocks[1], &blocks[2]] {
        assert!(missing["text"].as_str().expect("words").contains("could not be found"), "{missing}");
    }
}
