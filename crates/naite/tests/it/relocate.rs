//! `naite relocate`: sessions follow a moved folder.

use serde_json::json;

use crate::support::{Sandbox, expect_complaint};

#[test]
fn sessions_of_a_folder_and_of_those_in_it_follow() {
    let sandbox = Sandbox::new();
    let folder = |name: &str| {
        let path = sandbox.path(name);
        std::fs::create_dir_all(&path).expect("writable");
        path.canonicalize().expect("it is there")
    };
    let say = |cwd: &std::path::Path| {
        let mut command = sandbox.command(["rpc"]);
        command.current_dir(cwd);
        let mut rpc = crate::support::Rpc::start(command);
        rpc.call("appendMessage", json!({"message": {"role": "user", "content": "hello"}}));
        rpc.finish();
    };
    let (old, inside, beside, new) = (folder("old"), folder("old/한글"), folder("old-not"), folder("new"));
    for cwd in [&old, &inside, &beside] {
        say(cwd);
    }
    let run = |more: &[&str]| {
        let mut arguments =
            vec!["relocate", old.to_str().expect("UTF-8"), new.to_str().expect("UTF-8"), "--json"];
        arguments.extend(more);
        sandbox.json(arguments)["sessions"].as_array().expect("sessions").clone()
    };
    assert_eq!(run(&["--dry-run"]).len(), 2);
    let moved = run(&[]);
    let mut places: Vec<String> =
        moved.iter().map(|row| row["cwd"].as_str().expect("a path").into()).collect();
    places.sort();
    assert_eq!(
        places,
        [new.to_str().expect("UTF-8").to_owned(), new.join("한글").to_string_lossy().into_owned()]
    );
    for row in &moved {
        let info = sandbox.json(["info", row["to"].as_str().expect("a path"), "--json"]);
        assert_eq!((&info["cwd"], &info["messages"], &info["defects"]), (&row["cwd"], &json!(1), &json!([])));
    }
    assert_eq!(sandbox.json(["trash", "list", "--json"])["sessions"].as_array().map(Vec::len), Some(2));
    assert!(run(&[]).is_empty(), "nothing is left behind");
    let back = sandbox.json(["relocate", "../new", "../old", "--json"]);
    assert_eq!(back["sessions"].as_array().map(Vec::len), Some(2), "relative paths");
    expect_complaint(&sandbox.run(["relocate", "a", "/no/such/folder"]), "Cannot use /no/such/folder");
}
