//! A hook or worker that dies at any call to the file system, tears a write, or finds the disk full: after the event
//! came once more and the rest of the session, each message is in log, project and questions once.
//!
//! A test starts itself again as the process that is to die, in a folder where the steps before were done.

use std::fmt::Debug;
use std::io::ErrorKind::StorageFull;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use naite_context::line::LogLine;
use naite_context::payload::Event;
use naite_core::entry::iso;
use naite_host::HookEnvironment;
use naite_host::hook::{Hook, work};
use naite_store::context::Calendar;
use naite_store::{Fs, RealFs};
use naite_testkit::{Call, FaultFs, Plan, Then};
use serde_json::{Value, json};

const FOLDER: &str = "NAITE_TEST_HOOK_FOLDER";
const PLAN: &str = "NAITE_TEST_HOOK_PLAN";
/// 2026-04-10T11:00:00Z
const START: i64 = 1_775_818_800_000;

#[derive(Debug)]
struct Utc;

impl Calendar for Utc {
    fn day(&self, at: i64) -> String {
        iso(at)[..10].to_owned()
    }

    fn local(&self, at: i64) -> String {
        iso(at)
    }
}

/// What comes one after the other; every second of a session is one step.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Start,
    /// Prompt, id.
    Ask(&'static str, &'static str),
    /// The transcript as it is now, in lines and a half one behind them, then the answer and its prompt.
    Stop(usize, bool, &'static str, &'static str),
    /// The same with the end of the session.
    End(usize),
    Work,
}

const FIRST: &str = "로그인이 왜 안 되는지 알려줘";
const STEPS: [Step; 9] = [
    Step::Start,
    Step::Ask(FIRST, "p1"),
    Step::Stop(3, false, "The key is old.", "p1"),
    Step::Work,
    Step::Ask("What is next?", "p2"),
    Step::Stop(5, true, "The key is old.", "p2"),
    Step::Work,
    Step::End(6),
    Step::Work,
];

/// What was said: who, what, at which step, whether it asks.
const SAID: [(&str, &str, &str, usize); 6] = [
    ("user", FIRST, "p1", 1),
    ("assistant", "보고 있습니다 🌳", "", 2),
    ("assistant", "The key is old.", "", 2),
    ("user", "What is next?", "p2", 4),
    ("assistant", "보고 있습니다 🌳", "", 5),
    ("assistant", "The key is old.", "", 5),
];

fn at(step: usize) -> i64 {
    START + 10_000 * step as i64
}

/// A session in a folder, and the world that its hooks run in.
struct Trial {
    folder: PathBuf,
    fs: Arc<dyn Fs>,
}

impl Trial {
    fn root(&self) -> PathBuf {
        self.folder.join("home/.ai-core")
    }

    fn transcript(&self) -> PathBuf {
        self.folder.join("t.jsonl")
    }

    /// Writes the agent's transcript: so many lines, and half of the next.
    fn write_transcript(&self, count: usize, half: bool) {
        let mut text = String::new();
        for (place, (who, words, prompt, step)) in SAID.iter().enumerate().take(count + usize::from(half)) {
            let message = match *who {
                "user" => json!({"role": "user", "content": words}),
                _ => json!({"id": format!("m{place}"), "content": [{"type": "text", "text": words}]}),
            };
            let mut line = json!({"type": who, "uuid": format!("u{place}"), "timestamp": iso(at(*step) - 10 + place as i64),
                "message": message});
            if !prompt.is_empty() {
                line["promptId"] = (*prompt).into();
            }
            text += &(line.to_string() + "\n");
        }
        if half {
            text.truncate(text.len() - 40);
        }
        std::fs::write(self.transcript(), text).expect("a writable temp folder");
    }

    fn run(&self, place: usize, delay: i64) {
        let (event, mut payload) = match STEPS[place] {
            Step::Work => {
                let _ = work(&self.fs, &(Arc::new(Utc) as Arc<dyn Calendar>), &self.root(), &|| {
                    at(place) + delay
                });
                return;
            }
            Step::Start => (Event::SessionStart, json!({"source": "startup"})),
            Step::Ask(prompt, id) => (Event::UserPromptSubmit, json!({"prompt": prompt, "prompt_id": id})),
            Step::Stop(count, half, answer, id) => {
                self.write_transcript(count, half);
                (Event::Stop, json!({"last_assistant_message": answer, "prompt_id": id}))
            }
            Step::End(count) => {
                self.write_transcript(count, false);
                (Event::SessionEnd, json!({"reason": "other"}))
            }
        };
        payload["session_id"] = "s".into();
        payload["cwd"] = self.folder.to_str().expect("UTF-8").into();
        payload["transcript_path"] = self.transcript().to_str().expect("UTF-8").into();
        let hook = Hook {
            env: HookEnvironment {
                home: Some(self.folder.join("naite")),
                user_home: Some(self.folder.join("home")),
                cwd: self.folder.clone(),
                context_root: Some(self.root()),
                project: Some("proj".into()),
                ..HookEnvironment::default()
            },
            fs: Arc::clone(&self.fs),
            calendar: Arc::new(Utc),
            now: at(place) + delay,
            tmux: |_| None,
        };
        let _ = hook.run(event, payload.to_string().as_bytes());
    }

    fn run_all(&self, steps: std::ops::Range<usize>) {
        steps.for_each(|place| self.run(place, 0));
    }
}

fn lines(path: &Path) -> Vec<String> {
    // A write may have been torn inside a character.
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(Into::into).collect()
}

/// Everything was said once, and nothing but at most one torn line is beside it.
fn look(trial: &Trial, when: &str) {
    let data = trial.root().join("data/context");
    let expected: Vec<(&str, &str)> = SAID.iter().map(|(who, words, ..)| (*who, *words)).collect();
    for path in [data.join("sessions/260410_s/log.jsonl"), data.join("projects/proj/2026-04-10.jsonl")] {
        let lines = lines(&path);
        let mut said: Vec<LogLine> = lines.iter().filter_map(|line| LogLine::parse(line)).collect();
        assert!(lines.len() <= said.len() + 1, "{when}: {lines:#?}");
        said.sort_by_key(|line| line.at);
        let said: Vec<(&str, &str)> =
            said.iter().map(|line| (line.speaker.name(), line.content.as_str())).collect();
        assert_eq!(said, expected, "{when}: {lines:#?}");
    }
    let notes = lines(&data.join("questions/2026-04-10.jsonl"));
    let notes: Vec<Value> = notes.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let asked: Vec<&Value> = notes.iter().filter(|note| note.get("question").is_some()).collect();
    let mut answered: Vec<&Value> = notes.iter().filter_map(|note| note.get("answers")).collect();
    let words: Vec<&Value> = asked.iter().map(|note| &note["question"]).collect();
    assert_eq!(words, [&json!(FIRST), &json!("What is next?")], "{when}: {notes:#?}");
    answered.dedup();
    assert_eq!(answered, [&asked[0]["id"], &asked[1]["id"]], "{when}: {notes:#?}");
    assert_eq!(notes.len(), 4, "{when}: {notes:#?}");
    // What a process that died was still writing is no mark.
    let marks = std::fs::read_dir(data.join("state/marks")).into_iter().flatten();
    let names = marks.map(|mark| mark.expect("an entry").file_name().to_string_lossy().into_owned());
    assert_eq!(names.filter(|name| !name.ends_with(".tmp")).collect::<Vec<_>>(), [""; 0], "{when}");
}

/// Does one step of a session under a plan, then the same step again and the rest soundly.
fn check(name: &str, place: usize) {
    if let (Some(folder), Ok(plan)) = (std::env::var_os(FOLDER), std::env::var(PLAN)) {
        let fs = FaultFs::new(read_plan(&plan));
        return Trial { folder: folder.into(), fs: Arc::new(fs) }.run(place, 0);
    }
    let calls = rehearse(place);
    assert!(calls.len() > 20, "{calls:?}");
    for (call, made) in (1..).zip(&calls) {
        assert!(dies(name, place, &format!("{call}")), "{made:?}");
        if made.name == "append" {
            for keep in [1, made.bytes / 2, made.bytes - 1, made.bytes] {
                assert!(dies(name, place, &format!("{call} {keep}")), "{keep} of {made:?}");
            }
        }
    }
    for (call, made) in (1..).zip(&calls).filter(|(_, made)| made.writes()) {
        fills(place, Plan::Fail { call, kind: StorageFull }, made);
        // As when what comes later is small enough to fit.
        fills(place, Plan::FailOnce { call, kind: StorageFull }, made);
        if made.name == "append" {
            for keep in [1, made.bytes / 2, made.bytes - 1] {
                fills(place, Plan::Tear { call, keep, then: Then::Full }, made);
            }
        }
    }
}

fn rehearse(place: usize) -> Vec<Call> {
    let folder = tempfile::tempdir().expect("a temp folder");
    let sound = Trial { folder: folder.path().into(), fs: Arc::new(RealFs) };
    sound.run_all(0..place);
    let fs = FaultFs::default();
    Trial { folder: folder.path().into(), fs: Arc::new(fs.clone()) }.run(place, 0);
    sound.run_all(place + 1..STEPS.len());
    look(&sound, "nothing wrong");
    fs.calls()
}

fn read_plan(plan: &str) -> Plan {
    let mut numbers = plan.split(' ').map(|number| number.parse().expect("a number"));
    let call = numbers.next().expect("a call");
    match numbers.next() {
        None => Plan::Abort { call },
        Some(keep) => Plan::Tear { call, keep, then: Then::Abort },
    }
}

/// Lets a process die in a step. Says whether it died.
fn dies(name: &str, place: usize, plan: &str) -> bool {
    let folder = tempfile::tempdir().expect("a temp folder");
    let trial = Trial { folder: folder.path().into(), fs: Arc::new(RealFs) };
    trial.run_all(0..place);
    let ended = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", name, "--nocapture"])
        .env(FOLDER, folder.path())
        .env(PLAN, plan)
        .current_dir(folder.path())
        .output()
        .expect("this program again");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!said.contains("panicked"), "{plan}: {said}");
    trial.run(place, 500);
    trial.run_all(place + 1..STEPS.len());
    look(&trial, &format!("dead at {plan} of {:?}", STEPS[place]));
    !ended.status.success()
}

/// Does a step on a disk that is full from a call on, and again when there is room.
fn fills(place: usize, plan: Plan, made: &dyn Debug) {
    let folder = tempfile::tempdir().expect("a temp folder");
    let fs = FaultFs::default();
    let trial = Trial { folder: folder.path().into(), fs: Arc::new(fs.clone()) };
    trial.run_all(0..place);
    fs.then(|before| match plan {
        Plan::Fail { call, kind } => Plan::Fail { call: before + call, kind },
        Plan::FailOnce { call, kind } => Plan::FailOnce { call: before + call, kind },
        Plan::Tear { call, keep, then } => Plan::Tear { call: before + call, keep, then },
        other => other,
    });
    trial.run(place, 0);
    fs.free();
    trial.run(place, 500);
    trial.run_all(place + 1..STEPS.len());
    look(&trial, &format!("{plan:?} of {:?}: {made:?}", STEPS[place]));
}

#[test]
fn a_prompt_survives() {
    check("hook::a_prompt_survives", 1);
}

#[test]
fn a_stop_survives() {
    check("hook::a_stop_survives", 2);
}

#[test]
fn a_worker_survives() {
    check("hook::a_worker_survives", 3);
}

#[test]
fn a_stop_before_its_transcript_survives() {
    check("hook::a_stop_before_its_transcript_survives", 5);
}

#[test]
fn an_end_survives() {
    check("hook::an_end_survives", 7);
}

#[test]
fn the_last_worker_survives() {
    check("hook::the_last_worker_survives", 8);
}
