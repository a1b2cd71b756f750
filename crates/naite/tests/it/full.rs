//! A disk that is really full: a small file system of its own, where the machine lets us make one.

use std::process::Stdio;

use crate::support::{Sandbox, fixture, text};

/// Runs a script in a mount namespace with a file system of 256 kB at `$DISK`; `None` where that is not allowed.
fn with_small_disk(sandbox: &Sandbox, script: &str) -> Option<String> {
    let disk = sandbox.path("disk");
    std::fs::create_dir(&disk).expect("writable");
    let whole = format!("mount -t tmpfs -o size=256k tmpfs \"$DISK\" || exit 77\n{script}");
    let output = std::process::Command::new("unshare")
        .args(["-m", "sh", "-c", &whole])
        .current_dir(sandbox.path("work"))
        .env("DISK", &disk)
        .env("NAITE", env!("CARGO_BIN_EXE_naite"))
        .env("NAITE_HOME", sandbox.path("naite"))
        .env("SESSION", fixture("conformance/broken/title-slot.jsonl"))
        .stdin(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn it_says_so_loses_nothing_and_goes_on() {
    let sandbox = Sandbox::new();
    let big = "x".repeat(200_000);
    let request = |id: u32, content: &str| {
        serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "appendMessage",
            "params": {"message": {"role": "user", "content": content}}})
        .to_string()
    };
    sandbox.write("work/in", [request(1, "before"), request(2, &big), request(3, "after")].join("\n"));
    let said = with_small_disk(
        &sandbox,
        r#"
        cp "$SESSION" "$DISK/s.jsonl"
        head -c 100000 /dev/zero > "$DISK/filler"
        "$NAITE" rpc --session "$DISK/s.jsonl" < in; echo "exit $?"
        "$NAITE" tree "$DISK/s.jsonl"
        rm "$DISK/filler"
        printf '%s\n' '{"jsonrpc":"2.0","id":4,"method":"appendMessage","params":{"message":{"role":"user","content":"again"}}}' |
            "$NAITE" rpc --session "$DISK/s.jsonl"; echo "exit $?"
        "$NAITE" tree "$DISK/s.jsonl"
        "#,
    );
    let Some(said) = said else {
        // The same is tested with a file system that only says that it is full, in the store's tests.
        eprintln!("skipped: this machine does not let us make a mount namespace");
        return;
    };
    let mut lines = said.lines();
    let mut until = |words: &str| {
        lines.by_ref().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {said}"))
    };
    assert!(until("\"id\":1").contains("entryId"), "{said}");
    assert!(until("\"id\":2").contains("not_durable"), "{said}");
    until("exit 1");
    until("user: before");
    until("\"id\":4");
    until("exit 0");
    until("user: before");
    until("user: again");
    assert!(said.contains("the disk is full"), "{said}");
}
