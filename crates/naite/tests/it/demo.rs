//! `naite demo`: samples that can be tried at once.

use crate::support::{Sandbox, expect_complaint};

#[test]
fn the_samples_are_what_they_are_said_to_be() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("demo");
    let demo = sandbox.json(["demo", "--json", "--into", home.to_str().expect("UTF-8")]);
    let path = |at: usize| demo["sessions"][at]["path"].as_str().expect("a path").to_owned();
    let large = sandbox.json(["info", &path(2), "--json"]);
    assert_eq!(large["entries"], 300);
    let tips = sandbox.stdout(["tree", &path(2), "--filter", "user-only"]);
    let branches = tips.lines().filter(|line| line.contains("├─") || line.contains("└─")).count();
    // Four times a side branch left the main one, so four rows have a sibling each.
    assert_eq!(branches, 8, "{tips}");
    assert!(sandbox.stdout(["tree", &path(1)]).contains("user: 세션 트리에서"));
    for at in 0..3 {
        assert_eq!(sandbox.json(["info", &path(at), "--json"])["defects"], serde_json::json!([]));
    }
}

#[test]
fn it_draws_one_and_says_how_to_go_on() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("demo");
    let printed = sandbox.stdout(["demo", "--into", home.to_str().expect("UTF-8")]);
    insta::assert_snapshot!("demo", printed.replace(home.to_str().expect("UTF-8"), "/tmp/naite-demo"));
    expect_complaint(&sandbox.run(["demo", "--into", home.to_str().expect("UTF-8")]), "is not empty");
}
