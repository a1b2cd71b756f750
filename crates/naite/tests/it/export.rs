//! `naite export`: Markdown, JSON and the page, from sound, hostile and broken sessions.

use crate::support::{Sandbox, expect_complaint, fixture, said, text};

const PI: &str = "pi-0.73.1/sessions/--home-user-project--/2026-11-30T14-03-20-361Z_01a22cc4-6da8-7130-9be4-226dd1c5afc4.jsonl";

fn export(file: &str, more: &[&str]) -> String {
    let file = fixture(file);
    let mut arguments = vec!["export", file.to_str().expect("UTF-8")];
    arguments.extend(more);
    Sandbox::new().stdout(arguments)
}

/// A session of one branch: each message as raw JSON.
fn session(sandbox: &Sandbox, messages: &[String]) -> String {
    let mut log = String::from(
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-03-01T09:00:00.000Z\",\"cwd\":\"/w\"}\n",
    );
    for (at, message) in messages.iter().enumerate() {
        let parent = at.checked_sub(1).map_or("null".into(), |at| format!("\"m{at}\""));
        log.push_str(&format!(
            "{{\"type\":\"message\",\"id\":\"m{at}\",\"parentId\":{parent},\"timestamp\":\"2026-03-01T09:00:0{at}.000Z\",\"message\":{message}}}\n"
        ));
    }
    sandbox.write("s.jsonl", log).to_str().expect("UTF-8").into()
}

fn says(role: &str, words: &str) -> String {
    serde_json::json!({"role": role, "content": [{"type": "text", "text": words}]}).to_string()
}

/// Every attribute of a page as it stands there, without the style and the script, which are ours.
fn attributes(page: &str) -> Vec<String> {
    let ours = |page: &str, name: &str| {
        let (before, rest) = page.split_once(&format!("<{name}>")).expect("it is there");
        let (_, after) = rest.split_once(&format!("</{name}>")).expect("it ends");
        format!("{before}{after}")
    };
    let page = ours(&ours(page, "style"), "script");
    page.split('<').skip(1).filter_map(|tag| tag.split_once('>')).map(|(tag, _)| tag.to_owned()).collect()
}

#[test]
fn documents_of_a_peers_session() {
    insta::assert_snapshot!("md", export(PI, &[]));
    insta::assert_snapshot!("md_all", export(PI, &["--all"]));
    insta::assert_snapshot!("json", export(PI, &["--format", "json"]).replace("},{\"id\"", "},\n{\"id\""));
}

#[test]
fn another_leaf_and_the_empty_state() {
    assert!(export(PI, &["--leaf", "66b7"]).ends_with("Pi first [[bash echo a]]\n"));
    for format in ["md", "html", "json"] {
        export(PI, &["--leaf", "root", "--format", format]);
    }
    let file = fixture(PI);
    let file = file.to_str().expect("UTF-8");
    expect_complaint(&Sandbox::new().run(["export", file, "--leaf", "nope"]), "no entry nope");
    assert_eq!(Sandbox::new().run(["export", file, "--leaf", "root", "--all"]).status.code(), Some(2));
    assert_eq!(Sandbox::new().run(["export", file, "--format", "pdf"]).status.code(), Some(2));
}

#[test]
fn a_page_loads_nothing_and_obeys_nothing() {
    let sandbox = Sandbox::new();
    let hostile = "</script></style><img src=https://example.com/x onerror=alert(1)>\"'><a href=javascript:alert(1)>x</a> \
         [x](javascript:alert(1)) ![y](https://example.com/y.png) \u{1b}[2J\u{202e}x\u{202c} 한글 e\u{301}";
    let image = |data: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"image","mimeType":"image/svg+xml","data":"{data}"}}]}}"#
        )
    };
    let call = serde_json::json!({"role": "assistant", "stopReason": "toolUse", "content": [
        {"type": "thinking", "thinking": hostile},
        {"type": "toolCall", "id": hostile, "name": hostile, "arguments": {hostile: hostile}}]});
    let result = serde_json::json!({"role": "toolResult", "toolCallId": hostile, "toolName": hostile,
        "content": [{"type": "text", "text": hostile}]});
    let file = session(
        &sandbox,
        &[
            says("user", hostile),
            says("assistant", hostile),
            call.to_string(),
            result.to_string(),
            image("iVBORw0KGgoAAAA="),
            image("PHN2Zz48L3N2Zz4="),
            image("\\\" onerror=alert(1)"),
        ],
    );
    let page = sandbox.stdout(["export", &file, "--format", "html"]);
    let tags = attributes(&page);
    for tag in &tags {
        let tag = tag.to_lowercase();
        for bad in ["http:", "https:", "javascript:", "onerror", "href", "alert"] {
            assert!(!tag.contains(bad), "{tag}");
        }
    }
    let images: Vec<_> = tags.iter().filter(|tag| tag.starts_with("img")).collect();
    assert_eq!(images, ["img alt=\"\" src=\"data:image/png;base64,iVBORw0KGgoAAAA=\""]);
    assert_eq!(page.matches("<script>").count(), 1, "only ours");
    assert!(page.contains("한글 é") && page.contains("default-src 'none'"), "Korean and NFC");
    let obeyed = |c: char| c.is_control() && !"\n\t".contains(c) || ('\u{202a}'..='\u{202e}').contains(&c);
    for format in ["md", "html", "json"] {
        let printed = sandbox.stdout(["export", &file, "--format", format]);
        assert!(!printed.contains(obeyed), "{format}");
    }
}

#[test]
fn secrets_are_masked_unless_that_is_refused() {
    let sandbox = Sandbox::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9".repeat(2));
    let key = format!("AKIA{}", "ABCDEFGH23456723");
    let call = serde_json::json!({"role": "assistant", "stopReason": "toolUse", "content": [
        {"type": "thinking", "thinking": token, "thinkingSignature": token},
        {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": format!("login {token}")}}]});
    let result = serde_json::json!({"role": "toolResult", "toolCallId": "c", "toolName": "bash",
        "content": [{"type": "text", "text": format!("export DB_PASSWORD=x9Yz8Wq7 {key}")}]});
    let file = session(&sandbox, &[says("user", &token), call.to_string(), result.to_string()]);
    for format in ["md", "html", "json"] {
        let masked = sandbox.stdout(["export", &file, "--format", format]);
        let open = sandbox.stdout(["export", &file, "--format", format, "--no-mask"]);
        for secret in [key.as_str(), "x9Yz8Wq7"] {
            assert!(!masked.contains(secret) && open.contains(secret), "{format}");
        }
        // The signature goes back to the provider as it came; only JSON has it.
        assert_eq!(masked.matches(&token).count(), usize::from(format == "json"), "{format}");
        assert!(masked.contains("[masked github-token]"), "{format}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_is_new_private_and_whole() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let file = fixture(PI);
    let file = file.to_str().expect("UTF-8");
    let path = sandbox.path("page.html");
    let to = path.to_str().expect("UTF-8");
    let output = sandbox.run(["export", file, "--format", "html", "--output", to]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", said(&output));
    assert!(text(&output.stderr).contains("Wrote"));
    assert_eq!(std::fs::metadata(&path).expect("written").permissions().mode() & 0o777, 0o600);
    let before = std::fs::read(&path).expect("written");
    expect_complaint(&sandbox.run(["export", file, "-o", to]), "--force replaces it");
    assert_eq!(std::fs::read(&path).expect("still there"), before);
    assert!(sandbox.run(["export", file, "-o", to, "--force"]).status.success());
    assert!(std::fs::read_to_string(&path).expect("replaced").starts_with("# "));
    expect_complaint(
        &sandbox.run(["export", file, "-o", sandbox.path("").to_str().expect("UTF-8")]),
        "is a folder",
    );
    let nowhere = sandbox.path("no/such/page.html");
    expect_complaint(
        &sandbox.run(["export", file, "-o", nowhere.to_str().expect("UTF-8")]),
        "folder does not exist",
    );
    let left = std::fs::read_dir(sandbox.path("")).expect("readable").flatten();
    assert!(left.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().contains(".part")));
}

#[test]
fn every_broken_file_is_exported_or_refused_in_a_sentence() {
    let folder = fixture("conformance/broken");
    let sandbox = Sandbox::new();
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let file = path.to_str().expect("UTF-8");
        for more in [&["--format", "md"][..], &["--format", "html", "--all"], &["--format", "json", "--all"]]
        {
            let output = sandbox.run([&["export", file], more].concat());
            if !output.status.success() {
                expect_complaint(&output, "not a session file");
                continue;
            }
            let printed = String::from_utf8(output.stdout).expect("UTF-8");
            if more[1] == "json" {
                let value: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
                assert!(value["entries"].is_array(), "{file}");
            }
        }
    }
}
