//! Everything that can be wrong around a hook: the agent goes on, nothing is written outside of the store, and what
//! went wrong stands in the log of errors.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Agent, below, check_silent, feed, listed};
use crate::support::{said, text};

const PROMPT: &[u8] = br#"{"session_id":"s","prompt":"hi","prompt_id":"p"}"#;

/// What is in the sandbox but not in the store, Naite's home and the binary's copy.
fn outside(agent: &Agent) -> Vec<PathBuf> {
    let ours =
        [agent.home().join(".ai-core"), agent.sandbox.path("naite"), agent.sandbox.path("naite-binary")];
    let is_outside = |path: &PathBuf| !ours.iter().any(|own| path.starts_with(own));
    below(&agent.sandbox.path("")).into_iter().filter(is_outside).collect()
}

/// Runs a hook that something is wrong with; the log of errors must say so in these words, or nothing if there are
/// none.
fn check(agent: &Agent, arguments: &[&str], payload: &[u8], words: &str) {
    let before = outside(agent);
    let told = agent.errors().len();
    let mut command = agent.command(&["hook"]);
    command.args(arguments);
    let printed = check_silent(feed(command, payload).wait_with_output().expect("it ends"));
    assert_eq!(printed, "", "{arguments:?}");
    assert_eq!(outside(agent), before, "{arguments:?}");
    let errors = agent.errors().split_off(told);
    match words {
        "" => assert_eq!(errors, [""; 0], "{arguments:?}"),
        words => assert!(errors.iter().any(|error| error.contains(words)), "{arguments:?}: {errors:?}"),
    }
}

#[test]
fn arguments_and_payloads_may_be_anything() {
    let agent = Agent::new();
    let big = [b"{\"session_id\":\"big\",\"prompt\":\"".to_vec(), vec![b'x'; 50_000_000]].concat();
    for (arguments, payload, words) in [
        (&[][..], PROMPT, "no such event"),
        (&["elicitation"], PROMPT, "no such event"),
        (&["../../x"], PROMPT, "no such event"),
        (&["stop", "--frobnicate"], PROMPT, "unknown argument --frobnicate"),
        (&["stop", "more", "-x"], PROMPT, "unknown argument more"),
        (&["stop", "--agent", "codex"], PROMPT, "unknown agent \"codex\""),
        (&["user-prompt-submit"], b"", "is empty"),
        (&["user-prompt-submit"], b" \n\t", "is empty"),
        (&["user-prompt-submit"], b"\0\0\0", "no JSON object"),
        (&["user-prompt-submit"], b"not json", "no JSON object"),
        (&["user-prompt-submit"], b"[1,2]", "no JSON object"),
        (&["user-prompt-submit"], b"{\"session_id\":\"s\",\"prompt\":\"cut o", "no JSON object"),
        (&["user-prompt-submit"], b"{\"prompt\":\"\xc0\xce\xc1\xf5\"}", "not UTF-8"),
        (&["user-prompt-submit"], br#"{"prompt":"hi"}"#, "session_id"),
        (&["user-prompt-submit"], br#"{"session_id":"","prompt":"hi"}"#, "session_id"),
        (&["stop"], &big, "no JSON object"),
        (&["none"], b"anything", ""),
    ] {
        check(&agent, arguments, payload, words);
    }
    assert!(!agent.data("sessions").exists() || agent.log("s").is_empty());
    check(&agent, &["user-prompt-submit"], &[b"\xef\xbb\xbf", PROMPT].concat(), "");
    assert_eq!(agent.log("s").len(), 1);
    let big = [&big[..], b"\"}"].concat();
    check(&agent, &["user-prompt-submit"], &big, "");
    assert_eq!(agent.log("big")[0].text.len(), 50_000_000);
    let nested = format!("{{\"session_id\":\"deep\",\"x\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let _ = agent.hook("stop", nested.as_bytes());
}

#[test]
fn every_recorded_payload_is_taken_by_every_event() {
    let agent = Agent::new();
    for path in listed(&crate::support::fixture("claude-code-2.1.332/hooks-by-event")) {
        let payload = fs::read(&path).expect("a fixture");
        for event in
            ["session-start", "user-prompt-submit", "stop", "subagent-stop", "pre-compact", "session-end"]
        {
            agent.hook(event, &payload);
        }
    }
    agent.wait_for_worker();
    assert_eq!(agent.errors(), [""; 0]);
}

#[test]
fn settings_that_cannot_be_read_are_said_and_the_safe_way_is_taken() {
    for (settings, words) in [
        ("durability = [", "no TOML"),
        ("durability = 7\n", "durability"),
        ("durability = \"sometimes\"\n", "durability"),
        ("version = 99\nfuture = { of = [\"settings\"] }\n", ""),
        ("durability = \"never\"\n", ""),
    ] {
        let agent = Agent::new();
        fs::create_dir_all(agent.sandbox.path("naite")).expect("writable");
        agent.sandbox.write("naite/settings.toml", settings);
        check(&agent, &["user-prompt-submit"], PROMPT, words);
        assert_eq!(agent.log("s").len(), 1, "{settings}");
    }
}

#[test]
fn names_from_outside_stay_inside() {
    let long = "가".repeat(100);
    for (session, project) in [
        ("../../../etc/passwd", "../../etc"),
        ("a/b", "/etc"),
        ("..", "."),
        (long.as_str(), long.as_str()),
        ("-rf", "-rf"),
        ("nul\0and\nline", "a\tb"),
        ("C:\\x", "quant.how"),
        ("s@a", "a:b"),
        ("ends.tmp", "my proj"),
        ("프로젝트-1", "프로젝트-1"),
    ] {
        let agent = Agent::new().with("PROJECT_FOR_LOG", &project.replace('\0', ""));
        let transcript = agent
            .sandbox
            .write("t.jsonl", "{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"only here\"}}\n");
        let before = outside(&agent);
        let path = transcript.to_str().expect("UTF-8");
        let more = [("prompt", "안녕?"), ("transcript_path", path), ("last_assistant_message", "네")];
        for event in ["session-start", "user-prompt-submit", "stop", "session-end"] {
            agent.tell(event, session, &more);
        }
        let agent_id = [("agent_id", "../../x"), ("agent_type", "t"), ("agent_transcript_path", path)];
        agent.tell("subagent-stop", session, &agent_id);
        agent.wait_for_worker();
        assert_eq!(agent.errors(), [""; 0], "{session}");
        assert_eq!(outside(&agent), before, "{session}");
        let folders = listed(&agent.data("sessions"));
        assert_eq!(folders.len(), 1, "{session}: {folders:?}");
        let log = super::lines(&folders[0].join("log.jsonl"));
        assert_eq!(log.len(), 3, "{session}: {log:?}");
        let metadata = super::lines(&folders[0].join("metadata.json"));
        assert_eq!(metadata[0]["session_id"], session);
        assert_eq!(listed(&agent.data("projects")).len(), 1, "{project}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_not_followed() {
    use std::os::unix::fs::symlink;
    for linked in [
        "sessions",
        "projects",
        "projects/proj",
        "state",
        "current-session.json",
        "questions",
        "hook-errors.log",
    ] {
        let agent = Agent::new().with("PROJECT_FOR_LOG", "proj");
        let elsewhere = agent.sandbox.path("elsewhere");
        fs::create_dir_all(&elsewhere).expect("writable");
        let target = if linked.contains('.') { elsewhere.join("file") } else { elsewhere.clone() };
        let at = agent.data(linked);
        fs::create_dir_all(at.parent().expect("a folder")).expect("writable");
        symlink(&target, &at).expect("links are possible");
        let more = [("prompt", "is it?"), ("last_assistant_message", "yes")];
        for event in ["session-start", "user-prompt-submit", "stop", "session-end"] {
            let payload =
                serde_json::json!({"session_id": "s", "prompt": more[0].1, "last_assistant_message": "yes"});
            let ended =
                agent.start(event, payload.to_string().as_bytes()).wait_with_output().expect("it ends");
            assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(0), String::new()), "{linked}");
        }
        assert_eq!(listed(&elsewhere), Vec::<PathBuf>::new(), "{linked}");
    }
}

#[cfg(unix)]
#[test]
fn transcripts_that_are_no_files_hold_nobody_up() {
    let agent = Agent::new();
    let fifo = agent.sandbox.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()));
    let folder = agent.home();
    for (n, path) in
        [fifo.as_path(), &folder, "/dev/zero".as_ref(), "/nowhere/t.jsonl".as_ref(), "rela/tive".as_ref()]
            .into_iter()
            .enumerate()
    {
        let (session, path) = (format!("s{n}"), path.to_str().expect("UTF-8"));
        let more = [("prompt", "hi"), ("transcript_path", path), ("last_assistant_message", "done")];
        for event in ["user-prompt-submit", "stop", "pre-compact", "session-end"] {
            agent.tell(event, &session, &more);
        }
        let sub = [("agent_id", "a"), ("agent_type", "t"), ("agent_transcript_path", path)];
        agent.tell("subagent-stop", &session, &sub);
        assert_eq!(agent.log(&session).len(), 2, "{path}");
    }
    agent.wait_for_worker();
    assert_eq!(agent.errors(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn tmux_names_are_taken_as_they_are_and_a_tmux_that_hangs_is_left() {
    use std::os::unix::fs::PermissionsExt;
    for (script, name, decoded) in [
        ("printf '%s\\n' quant.how", Some("quant.how"), "quant.how"),
        ("printf '%s\\n' a:b", Some("a:b"), "a:b"),
        ("printf '%s\\n' 'my proj'", Some("my proj"), "my proj"),
        ("printf '%s\\n' 프로젝트-1", Some("프로젝트-1"), "프로젝트-1"),
        ("printf '%s\\n' ws--quant__how", Some("ws--quant__how"), "quant.how"),
        ("printf '%s\\n' ../../etc", Some("%2E%2E%2F%2E%2E%2Fetc"), "../../etc"),
        ("echo 'no server running' >&2; exit 1", None, "__default"),
        ("exec cat /dev/tty 2>/dev/null; exec tail -f /dev/null", None, "__default"),
        ("tail -f /dev/null & tail -f /dev/null", None, "__default"),
    ] {
        let agent = Agent::new();
        let tmux = agent.sandbox.write("tmux", format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&tmux, fs::Permissions::from_mode(0o755)).expect("ours");
        let path = format!("{}:/usr/bin:/bin", agent.sandbox.path("").display());
        let agent = agent.with("PATH", &path).with("TMUX", "/tmp/none,1,0").with("TMUX_PANE", "%0");
        agent.tell("user-prompt-submit", "s", &[("prompt", "hi")]);
        assert_eq!(agent.errors(), [""; 0], "{script}");
        let names = |folder: &str| -> Vec<String> {
            listed(&agent.data(folder))
                .iter()
                .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(names("projects"), name.into_iter().collect::<Vec<_>>(), "{script}");
        let file = name.map(|name| format!("{name}.json"));
        assert_eq!(names("tmux-sessions"), file.into_iter().collect::<Vec<_>>(), "{script}");
        let metadata = super::lines(&agent.session("s").join("metadata.json"));
        assert_eq!(metadata[0]["workspace_project"], decoded);
    }
}

#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_to_is_said_on_standard_error() {
    use std::os::unix::fs::PermissionsExt;
    let agent = Agent::new();
    let store = agent.sandbox.path("home/.ai-core");
    fs::create_dir_all(&store).expect("writable");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o555)).expect("ours");
    // As nobody, with nothing on standard input: that alone cannot be written down.
    let ended = crate::support::as_nobody(&agent.sandbox, &["hook", "user-prompt-submit"]);
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(0), String::new()), "{}", said(&ended));
    assert!(
        text(&ended.stderr).contains("naite hook user-prompt-submit: the payload is empty"),
        "{}",
        said(&ended)
    );
    assert_eq!(below(&store), Vec::<PathBuf>::new());
    fs::set_permissions(&store, fs::Permissions::from_mode(0o755)).expect("ours");
}

#[test]
fn a_full_disk_costs_what_did_not_fit_and_nothing_else() {
    let agent = Agent::new();
    let disk = agent.sandbox.path("disk");
    fs::create_dir(&disk).expect("writable");
    agent
        .sandbox
        .write("big", format!(r#"{{"session_id":"s","prompt_id":"b","prompt":"{}"}}"#, "x".repeat(120_000)));
    agent.sandbox.write("small", r#"{"session_id":"s","prompt_id":"c","prompt":"small"}"#);
    let script = r#"
        mount -t tmpfs -o size=256k tmpfs "$DISK" || exit 77
        say() { "$NAITE" hook user-prompt-submit --root "$DISK/store" < "$1"; echo "exit $?"; }
        say small; head -c 150000 /dev/zero > "$DISK/filler"
        say big; head -c 1000000 /dev/zero > "$DISK/more"; say small; say big
        rm "$DISK/filler" "$DISK/more"; say big; say big; say small
        cut -c 1-70 "$DISK"/store/data/context/sessions/*/log.jsonl
    "#;
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", script])
        .current_dir(agent.sandbox.path(""))
        .env("DISK", &disk)
        .env("NAITE", env!("CARGO_BIN_EXE_naite"))
        .env("NAITE_HOME", agent.sandbox.path("naite"))
        .env("HOME", agent.home())
        .stdin(Stdio::null())
        .output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        // The same is tested with a file system that only says that it is full, in the host's tests.
        eprintln!("skipped: this machine does not let us make a mount namespace");
        return;
    };
    let printed = text(&output.stdout);
    let words: Vec<&str> = printed.lines().collect();
    assert_eq!(words[..7], ["exit 0"; 7], "{}", said(&output));
    assert_eq!(words.len(), 9, "{}", said(&output));
    assert!(
        words[7].contains("\"content\":\"small\"") && words[8].contains("\"content\":\"xxx"),
        "{}",
        said(&output)
    );
}

#[cfg(debug_assertions)]
#[test]
fn a_hook_that_breaks_lets_the_agent_go_on() {
    let agent = Agent::new().with("NAITE_TEST_BREAK", "1");
    for event in ["user-prompt-submit", "stop", "session-start", "worker", "none"] {
        check(&agent, &[event], PROMPT, "it broke: as it was told to");
    }
    assert!(!agent.data("sessions").exists());
}
