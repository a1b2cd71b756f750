//! `naite show`: one entry in full.

use crate::support::{Sandbox, expect_complaint, fixture};

const PI: &str = "pi-0.73.1/sessions/--home-user-project--/2026-11-30T14-03-20-361Z_01a22cc4-6da8-7130-9be4-226dd1c5afc4.jsonl";

#[test]
fn every_kind_of_entry_in_words_and_as_json() {
    let sandbox = Sandbox::new();
    let file = fixture(PI);
    let file = file.to_str().expect("UTF-8");
    let mut all = String::new();
    for entry in
        ["c4ac127f", "3e84c187", "483f5115", "9cba137d", "c3084878", "a7603902", "1335a999", "fe2758ce"]
    {
        all.push_str(&sandbox.stdout(["show", file, entry]));
        all.push_str("----\n");
    }
    insta::assert_snapshot!("words", all);
    let json = sandbox.json(["show", file, "3e84", "--json"]);
    assert_eq!((&json["label"], &json["entry"]["id"]), (&"pivot".into(), &"3e84c187".into()));
    expect_complaint(&sandbox.run(["show", file, "nope"]), "no entry nope");
    expect_complaint(&sandbox.run(["show", file, ""]), "no entry");
}
