//! Recorded streams of hooks, replayed: what was said is in the log once and in order, however hooks and transcript
//! come.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::time::{SystemTime, UNIX_EPOCH};

use naite_core::entry::iso;
use serde_json::Value;

use super::{Agent, Line, check_silent, lines};
use crate::support::fixture;

const CLAUDE: &str = "claude-code-2.1.332";

/// How the transcript comes.
#[derive(Clone, Copy, PartialEq)]
enum Transcript {
    /// Never.
    Absent,
    /// As Claude Code 2.1.332 writes it: before each event there is what was written by then.
    Growing,
    /// As 2.1.197 writes it: at the end of a turn the last line is there by half.
    Behind,
    /// After all the events, which then come once more.
    AtTheEnd,
    /// Whole, before the first event.
    Complete,
}

/// How events come.
#[derive(Clone, Copy, PartialEq)]
enum Delivery {
    Once,
    /// Each two times, one right after the other.
    Twice,
    /// Each two times, at the same moment.
    AtOnce,
    /// Each once more when the next one has come, and once more when three have.
    Late,
    /// Once, and nobody waits for the worker.
    Hurried,
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
    i64::try_from(since.as_millis()).expect("a time")
}

/// The first millisecond that has not begun yet.
fn tick() -> i64 {
    let start = now();
    while now() == start {
        std::hint::spin_loop();
    }
    now()
}

fn table() -> Vec<Value> {
    let text = fs::read_to_string(fixture(CLAUDE).join("hooks-expected.json")).expect("the table");
    serde_json::from_str(&text).expect("JSON")
}

/// Text of a fixture with its paths in the agent's home.
fn at_home(agent: &Agent, text: &str) -> String {
    text.replace("/home/user", agent.home().to_str().expect("UTF-8"))
}

/// The transcripts of one row as they are written.
struct Writer<'a> {
    agent: &'a Agent,
    /// For each session the lines, and how many are written.
    files: BTreeMap<String, (Vec<String>, usize)>,
    copied: BTreeMap<String, usize>,
}

impl<'a> Writer<'a> {
    fn new(agent: &'a Agent, row: &Value) -> Self {
        let mut files = BTreeMap::new();
        let mut copied = BTreeMap::new();
        for (session, said) in row["sessions"].as_object().expect("sessions") {
            if said["has_transcript"] == true {
                let path = fixture(CLAUDE).join(format!("projects/-home-user-project/{session}.jsonl"));
                let text = at_home(agent, &fs::read_to_string(path).expect("a transcript"));
                let end = said["end"].as_u64().expect("a number") as usize;
                files.insert(session.clone(), (text.lines().take(end).map(Into::into).collect(), 0));
                copied.insert(session.clone(), said["copied"].as_u64().expect("a number") as usize);
            }
        }
        let folder = agent.home().join(".claude/projects");
        fs::create_dir_all(&folder).expect("writable");
        let copy = std::process::Command::new("cp")
            .arg("-r")
            .arg(fixture(CLAUDE).join("projects/-home-user-project"))
            .arg(&folder)
            .status();
        assert!(copy.is_ok_and(|status| status.success()));
        for session in files.keys() {
            fs::remove_file(folder.join(format!("-home-user-project/{session}.jsonl")))
                .expect("it was copied");
        }
        Self { agent, files, copied }
    }

    fn path(&self, session: &str) -> PathBuf {
        self.agent.home().join(format!(".claude/projects/-home-user-project/{session}.jsonl"))
    }

    /// Gives lines the time at which they are written: now, or long ago for what another session wrote. The clock
    /// has gone on before and goes on after it, so that times tell what came first.
    fn stamp(&mut self, session: &str, upto: usize, later: i64) {
        let Some((lines, stamped)) = self.files.get_mut(session) else { return };
        let (from, upto) = (*stamped, upto.min(lines.len()));
        let at = tick() + later;
        tick();
        for (place, line) in lines.iter_mut().enumerate().take(upto).skip(from) {
            let at = if place < self.copied[session] { 1_577_836_800_000 } else { at };
            let Some(start) = line.find("\"timestamp\":\"").map(|start| start + 13) else { continue };
            let end = start + line[start..].find('"').expect("its end");
            line.replace_range(start..end, &iso(at));
        }
        *stamped = (*stamped).max(upto);
    }

    /// Writes the transcript up to a line; `half` leaves out the last line's second half.
    fn write(&mut self, session: &str, upto: usize, half: bool) {
        self.stamp(session, upto, 0);
        let Some((lines, _)) = self.files.get(session) else { return };
        let upto = upto.min(lines.len());
        if upto == 0 {
            return;
        }
        let mut text = lines[..upto].iter().fold(String::new(), |text, line| text + line + "\n");
        if half {
            let mut end = text.len() - lines[upto - 1].len() / 2;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
        // A file that is written on, as the agent does it: the same file, longer.
        let mut file =
            fs::OpenOptions::new().create(true).append(true).open(self.path(session)).expect("writable");
        let written = file.metadata().expect("a file").len() as usize;
        std::io::Write::write_all(&mut file, &text.as_bytes()[written.min(text.len())..]).expect("writable");
    }
}

fn kebab(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// The payload of an event, its paths in the agent's home.
fn payload(agent: &Agent, event: &Value) -> Vec<u8> {
    let raw = match event["stream"].as_str() {
        Some(stream) => {
            let text =
                fs::read_to_string(fixture(CLAUDE).join(format!("hooks/{stream}.jsonl"))).expect("a stream");
            text.lines().nth(event["at"].as_u64().expect("a line") as usize).expect("it is there").to_owned()
        }
        None => event["payload"].to_string(),
    };
    at_home(agent, &raw).into_bytes()
}

fn deliver(agent: &Agent, event: &Value) {
    let printed = agent.hook(&kebab(event["event"].as_str().expect("a name")), &payload(agent, event));
    assert_eq!(printed, "", "there is no context to put in");
}

fn deliver_at_once(agent: &Agent, event: &Value) {
    let (name, payload) = (kebab(event["event"].as_str().expect("a name")), payload(agent, event));
    let children: Vec<Child> = (0..2).map(|_| agent.start(&name, &payload)).collect();
    for child in children {
        check_silent(child.wait_with_output().expect("it ends"));
    }
}

/// Replays a row of the table and compares the store with it.
fn check(row: &Value, transcript: Transcript, delivery: Delivery) {
    let agent = Agent::new().with("PROJECT_FOR_LOG", "ws--my__app");
    let mut writer = Writer::new(&agent, row);
    let events = row["events"].as_array().expect("events");
    if transcript == Transcript::Complete {
        for session in writer.files.keys().cloned().collect::<Vec<_>>() {
            writer.stamp(&session, usize::MAX, 60_000);
            writer.write(&session, usize::MAX, false);
        }
    }
    for (place, event) in events.iter().enumerate() {
        let session = event["session"].as_str().expect("a session");
        let upto = event["lines"].as_u64().unwrap_or(0) as usize;
        match transcript {
            Transcript::Growing => writer.write(session, upto, false),
            Transcript::Behind => writer.write(session, upto, event["event"] == "Stop"),
            Transcript::AtTheEnd => writer.stamp(session, upto, 0),
            Transcript::Absent | Transcript::Complete => {}
        }
        match delivery {
            Delivery::Twice => [event, event].into_iter().for_each(|event| deliver(&agent, event)),
            Delivery::AtOnce => deliver_at_once(&agent, event),
            Delivery::Late => {
                let again = [place.checked_sub(1), place.checked_sub(3)].into_iter().flatten();
                deliver(&agent, event);
                again.for_each(|place| deliver(&agent, &events[place]));
            }
            Delivery::Once | Delivery::Hurried => deliver(&agent, event),
        }
        if delivery != Delivery::Hurried {
            agent.wait_for_worker();
        }
    }
    if transcript != Transcript::Absent {
        for session in writer.files.keys().cloned().collect::<Vec<_>>() {
            writer.write(&session, usize::MAX, false);
        }
        events.iter().filter(|event| event["event"] == "SessionEnd").for_each(|event| deliver(&agent, event));
    }
    agent.wait_for_worker();
    assert_eq!(agent.errors(), [""; 0]);
    look(&agent, row, transcript, delivery);
}

fn look(agent: &Agent, row: &Value, transcript: Transcript, delivery: Delivery) {
    let mut by_day: BTreeMap<String, Vec<(String, Line)>> = BTreeMap::new();
    for (session, said) in row["sessions"].as_object().expect("sessions") {
        let expected = if transcript == Transcript::Absent { &said["payloads"] } else { &said["whole"] };
        let expected: Vec<(String, String)> =
            serde_json::from_str(&at_home(agent, &expected.to_string())).expect("pairs");
        let log = agent.log(session);
        // In the order of their times the lines are the conversation; on the disk too where nothing came late.
        let mut sorted = log.clone();
        sorted.sort_by(|one, other| one.at.cmp(&other.at));
        let is_in_time = matches!(transcript, Transcript::Absent | Transcript::Growing | Transcript::Behind)
            && matches!(delivery, Delivery::Once | Delivery::Twice);
        if is_in_time {
            assert_eq!(log, sorted, "{session}: {log:#?}");
        }
        let mut words: Vec<(String, String)> =
            sorted.iter().map(|line| (line.who.clone(), line.text.trim().to_owned())).collect();
        // A payload and the transcript may differ in the white space around a text.
        let mut expected: Vec<(String, String)> =
            expected.into_iter().map(|(who, text)| (who, text.trim().to_owned())).collect();
        if transcript == Transcript::Complete {
            // A transcript that foresees the conversation has times of its own.
            words.sort();
            expected.sort();
        }
        assert_eq!(words, expected, "{session}: {log:#?}");
        look_at_session(agent, session, log.len(), transcript, said);
        for line in log {
            by_day.entry(line.at[..10].into()).or_default().push((session.clone(), line));
        }
    }
    look_at_projects(agent, by_day);
    look_at_rest(agent, row);
}

fn look_at_session(agent: &Agent, session: &str, count: usize, transcript: Transcript, said: &Value) {
    let folder = agent.session(session);
    let metadata: Value =
        serde_json::from_slice(&fs::read(folder.join("metadata.json")).expect("metadata")).expect("JSON");
    let cwd = agent.home().join("project");
    for (key, value) in [
        ("session_id", Value::from(session)),
        ("workspace_project", "my.app".into()),
        ("branch", Value::Null),
        ("messages_count", count.into()),
        ("cwd", cwd.to_str().expect("UTF-8").into()),
    ] {
        assert_eq!(metadata[key], value, "{key} of {metadata}");
    }
    assert!(metadata["created_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{metadata}");
    assert!(metadata["closed_at"].is_string(), "{metadata}");
    let copy = folder.join("transcript.jsonl");
    if transcript == Transcript::Absent || said["has_transcript"] != true {
        assert!(!copy.exists());
        return;
    }
    let original =
        fs::read_to_string(agent.home().join(format!(".claude/projects/-home-user-project/{session}.jsonl")));
    let kept: Vec<Value> = original
        .expect("a transcript")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|line: &Value| !line["type"].as_str().is_some_and(|kind| kind.starts_with("api-request")))
        .collect();
    let copied = lines(&copy);
    assert_eq!(copied.len(), kept.len(), "{session}");
    for (copied, kept) in copied.iter().zip(&kept) {
        if kept["attachment"]["type"] == "prompt_snapshot" {
            assert_eq!((&copied["uuid"], &copied["parentUuid"]), (&kept["uuid"], &kept["parentUuid"]));
            assert!(
                copied["attachment"]["bytes"].is_u64() && copied["attachment"]["xxh3"].is_string(),
                "{copied}"
            );
        } else {
            assert_eq!(copied, kept);
        }
    }
}

/// The project's days hold the lines of the sessions and no other.
fn look_at_projects(agent: &Agent, mut by_day: BTreeMap<String, Vec<(String, Line)>>) {
    let mut found: BTreeMap<String, Vec<(String, Line)>> = BTreeMap::new();
    for file in super::listed(&agent.data("projects/ws--my__app")) {
        let day = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let lines = lines(&file);
        let of = |line: &Value| {
            let session = line["session_id"].as_str().expect("a string").to_owned();
            (session, Line::of(line, &["ts", "type", "content", "session_id"]))
        };
        found.insert(day, lines.iter().map(of).collect());
    }
    let sort =
        |days: &mut BTreeMap<String, Vec<(String, Line)>>| days.values_mut().for_each(|lines| lines.sort());
    sort(&mut by_day);
    sort(&mut found);
    assert_eq!(found, by_day);
    assert_eq!(super::listed(&agent.data("projects")).len(), 1);
}

fn look_at_rest(agent: &Agent, row: &Value) {
    let events = row["events"].as_array().expect("events");
    // Nobody asked anything in these, and none ran in tmux.
    assert!(!agent.data("questions").exists() && !agent.data("tmux-sessions").exists());
    let last =
        events.iter().rev().find(|event| event["event"] != "SubagentStop" && event["event"] != "SessionEnd");
    let last = last.expect("an event")["session"].as_str().expect("a session");
    let current: Value =
        serde_json::from_slice(&fs::read(agent.data("current-session.json")).expect("it is there"))
            .expect("JSON");
    assert_eq!(current["session_id"], last, "{current}");
    assert!(current["updated_at"].as_str().is_some_and(|at| at.ends_with("+00:00")), "{current}");
    let through = fs::canonicalize(agent.data("current/log.jsonl")).expect("a link");
    assert_eq!(through, fs::canonicalize(agent.session(last).join("log.jsonl")).expect("a log"));
    let mut expected = Vec::new();
    for agents in row["agents"].as_array().expect("agents") {
        let (session, id) = (agents[0].as_str().expect("an id"), agents[1].as_str().expect("an id"));
        let days = super::listed(&agent.data("subagents"));
        assert_eq!(days.len(), 1);
        let path = days[0].join(session).join(format!("{id}.jsonl"));
        let kept = lines(&path);
        let (result, kept) = kept.split_last().expect("a result");
        assert_eq!(kept.len() as u64, agents[2].as_u64().expect("a number"));
        assert_eq!((&result["agent_id"], &result["last_assistant_message"]), (&agents[1], &agents[3]));
        expected.push(path);
    }
    let files: Vec<PathBuf> =
        super::below(&agent.data("subagents")).into_iter().filter(|path| path.is_file()).collect();
    assert_eq!(files, expected);
}

/// Replays all rows; more than once only those in which much happens.
fn check_all(transcript: Transcript, delivery: Delivery) {
    const LONG: [&str; 4] = ["tools, ", "asynchronous ", "interactive: ", "branched, "];
    let is_told = |row: &Value| {
        let name = row["name"].as_str().expect("a name");
        match (transcript, delivery) {
            (Transcript::Absent, Delivery::Once) => true,
            (_, Delivery::Once) => !name.starts_with("command "),
            _ => LONG.iter().any(|long| name.starts_with(long)),
        }
    };
    let mut failed = Vec::new();
    for row in table().iter().filter(|row| is_told(row)) {
        if std::panic::catch_unwind(|| check(row, transcript, delivery)).is_err() {
            failed.push(row["name"].to_string());
        }
    }
    assert_eq!(failed, [""; 0]);
}

#[test]
fn no_transcript_once() {
    check_all(Transcript::Absent, Delivery::Once);
}

#[test]
fn no_transcript_twice() {
    check_all(Transcript::Absent, Delivery::Twice);
}

#[test]
fn no_transcript_at_the_same_moment() {
    check_all(Transcript::Absent, Delivery::AtOnce);
}

#[test]
fn no_transcript_late_again() {
    check_all(Transcript::Absent, Delivery::Late);
}

#[test]
fn a_growing_transcript_once() {
    check_all(Transcript::Growing, Delivery::Once);
}

#[test]
fn a_growing_transcript_twice() {
    check_all(Transcript::Growing, Delivery::Twice);
}

#[test]
fn a_growing_transcript_at_the_same_moment() {
    check_all(Transcript::Growing, Delivery::AtOnce);
}

#[test]
fn a_growing_transcript_late_again() {
    check_all(Transcript::Growing, Delivery::Late);
}

#[test]
fn a_growing_transcript_in_a_hurry() {
    check_all(Transcript::Growing, Delivery::Hurried);
}

#[test]
fn a_transcript_that_is_behind_once() {
    check_all(Transcript::Behind, Delivery::Once);
}

#[test]
fn a_transcript_that_is_behind_at_the_same_moment() {
    check_all(Transcript::Behind, Delivery::AtOnce);
}

#[test]
fn a_transcript_that_is_behind_late_again() {
    check_all(Transcript::Behind, Delivery::Late);
}

#[test]
fn a_transcript_that_is_behind_in_a_hurry() {
    check_all(Transcript::Behind, Delivery::Hurried);
}

#[test]
fn a_transcript_that_comes_at_the_end_once() {
    check_all(Transcript::AtTheEnd, Delivery::Once);
}

#[test]
fn a_transcript_that_comes_at_the_end_twice() {
    check_all(Transcript::AtTheEnd, Delivery::Twice);
}

#[test]
fn a_transcript_that_is_complete_once() {
    check_all(Transcript::Complete, Delivery::Once);
}

#[test]
fn a_transcript_that_is_complete_late_again() {
    check_all(Transcript::Complete, Delivery::Late);
}

/// Two rows as one: an event of the first, one of the second, and so on.
fn in_turn(one: &Value, other: &Value) -> Value {
    let events = |row: &Value| row["events"].as_array().expect("events").clone();
    let (mut one_left, mut other_left) = (events(one).into_iter(), events(other).into_iter());
    let mut both = Vec::new();
    loop {
        let (first, second) = (one_left.next(), other_left.next());
        if first.is_none() && second.is_none() {
            break;
        }
        both.extend(first);
        both.extend(second);
    }
    let mut sessions = one["sessions"].as_object().expect("sessions").clone();
    sessions.extend(other["sessions"].as_object().expect("sessions").clone());
    let mut agents = one["agents"].as_array().expect("agents").clone();
    agents.extend(other["agents"].as_array().expect("agents").clone());
    serde_json::json!({ "name": "in turn", "events": both, "sessions": sessions, "agents": agents })
}

#[test]
fn two_sessions_in_turn() {
    let rows = table();
    let row = |start: &str| {
        let is_it = |row: &&Value| row["name"].as_str().is_some_and(|name| name.starts_with(start));
        rows.iter().find(is_it).expect("a row")
    };
    for (transcript, delivery) in [
        (Transcript::Absent, Delivery::Once),
        (Transcript::Growing, Delivery::Once),
        (Transcript::Behind, Delivery::Hurried),
        (Transcript::Growing, Delivery::AtOnce),
    ] {
        check(&in_turn(row("tools, "), row("interactive: ")), transcript, delivery);
        check(&in_turn(row("asynchronous "), row("branched, ")), transcript, delivery);
    }
}
