//! A process that dies at any call to the file system: what it had acknowledged is there, and the next one goes on.
//!
//! Each test starts itself again as the process that is to die. That one works in a folder it is given, notes in a
//! file what was acknowledged, and ends in the middle of a call, as if the power had failed for it alone.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use naite_store::{Access, Catalog, Fs, RealFs, SessionManager};
use naite_testkit::{FaultFs, Home, Plan, Then, fixtures};

use crate::words::{HEADER, chain, defects, fresh, ids, user};

const FOLDER: &str = "NAITE_TEST_CRASH_FOLDER";
const PLAN: &str = "NAITE_TEST_CRASH_PLAN";

/// What a scenario does in its folder; it hands over the id of each entry once it is acknowledged.
type Scenario = fn(&Home, &mut dyn FnMut(&str));

fn session_file(home: &Home) -> PathBuf {
    home.file("s.jsonl")
}

fn fs() -> Arc<dyn Fs> {
    Arc::new(RealFs)
}

fn open(home: &Home) -> SessionManager {
    home.open(&session_file(home), Access::Write).expect("a session")
}

/// Runs a scenario in a process that ends at each of its calls in turn, and after each end asks the folder.
///
/// `files` are laid into the folder first; `name` is that of the test.
fn check(name: &str, files: &[u8], scenario: Scenario) {
    if let (Some(folder), Ok(plan)) = (std::env::var_os(FOLDER), std::env::var(PLAN)) {
        return run(Path::new(&folder), read_plan(&plan), scenario);
    }
    let whole = tempfile::tempdir().expect("a temp folder");
    let calls = rehearse(whole.path(), files, scenario);
    for call in 1..=calls.len() {
        assert!(dies(name, files, &format!("{call}")), "call {call} of {}", calls.len());
    }
    for (call, bytes) in (1..).zip(&calls).filter(|(_, bytes)| **bytes > 0) {
        for keep in [1, bytes / 2, bytes - 1, *bytes] {
            assert!(dies(name, files, &format!("{call} {keep}")), "{keep} of {bytes} bytes at call {call}");
        }
    }
}

/// Runs a scenario to its end: for each call the bytes that it wrote, 0 for one that writes none.
fn rehearse(folder: &Path, files: &[u8], scenario: Scenario) -> Vec<usize> {
    let fs = FaultFs::default();
    let home = Home::at(folder, Arc::new(fs.clone()));
    home.write("s.jsonl", files);
    scenario(&home, &mut |_| {});
    let calls = fs.calls();
    calls.iter().map(|call| if call.name == "append" { call.bytes } else { 0 }).collect()
}

fn read_plan(plan: &str) -> Plan {
    let mut numbers = plan.split(' ').map(|number| number.parse().expect("a number"));
    let call = numbers.next().expect("a call");
    match numbers.next() {
        None => Plan::Abort { call },
        Some(keep) => Plan::Tear { call, keep, then: Then::Abort },
    }
}

/// The process that is to die.
fn run(folder: &Path, plan: Plan, scenario: Scenario) {
    use std::io::Write;
    let home = Home::at(folder, Arc::new(FaultFs::new(plan)));
    let notes = std::fs::OpenOptions::new().append(true).open(home.file("acknowledged"));
    let mut notes = notes.expect("a file for notes");
    scenario(&home, &mut |id| writeln!(notes, "{id}").expect("a note"));
}

/// Lets a process die by a plan and looks at what it left. Says whether it died.
fn dies(name: &str, files: &[u8], plan: &str) -> bool {
    let folder = tempfile::tempdir().expect("a temp folder");
    let home = Home::at(folder.path(), fs());
    let file = home.write("s.jsonl", files);
    let notes = home.write("acknowledged", b"");
    let ended = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", name, "--nocapture"])
        .env(FOLDER, folder.path())
        .env(PLAN, plan)
        .current_dir(folder.path())
        .output()
        .expect("this program again");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!said.contains("panicked"), "{plan}: {said}");
    let acknowledged = std::fs::read_to_string(notes).expect("the notes");
    let acknowledged: Vec<&str> = acknowledged.lines().collect();
    look(&file, files, &acknowledged, plan);
    !ended.status.success()
}

/// Everything that was there or acknowledged is there, and the session goes on.
fn look(file: &Path, files: &[u8], acknowledged: &[&str], plan: &str) {
    let before = Home::new();
    let old = before.open(&before.write("s.jsonl", files), Access::Write).expect("the old session");
    // The next start has other ids to give.
    let mut home = Home::at(file.parent().expect("a folder"), fs());
    home.first_id = 0x1000;
    let mut session = home.open(file, Access::Write).expect("it opens");
    let now = ids(&session);
    let old = ids(&old);
    assert!(now.starts_with(&old), "at {plan}: {old:?} in {now:?}");
    let is_there = |id: &&str| now.iter().any(|known| known == id);
    assert!(acknowledged.iter().all(is_there), "at {plan}: {acknowledged:?} in {now:?}");
    let id = session.append_message(&user("on")).expect("it goes on").to_string();
    let again = fresh(file);
    assert_eq!(ids(&again), [now, vec![id]].concat(), "at {plan}");
    let others = Catalog::read(&fs(), &[home.file("naite/sessions")], None, &|| home.setup().store);
    assert!(others.unreadable.is_empty() && others.rows.iter().all(|row| row.defects == 0), "at {plan}");
    let is_torn = |(_, kind): &(u64, &str)| *kind == "invalid_json";
    assert!(defects(&again).iter().all(is_torn) && defects(&again).len() <= 1, "at {plan}");
}

#[test]
fn an_append_survives() {
    check("crash::an_append_survives", chain(2).as_bytes(), |home, acknowledge| {
        let mut session = open(home);
        acknowledge(session.append_message(&user("one")).expect("appended").as_str());
        acknowledge(session.append_label_change("0", Some("이름")).expect("appended").as_str());
        acknowledge(session.append_message(&user("two")).expect("appended").as_str());
        session.finish().expect("all written");
    });
}

#[test]
fn a_creation_survives() {
    check("crash::a_creation_survives", b"", |home, acknowledge| {
        let mut session = open(home);
        acknowledge(session.append_session_info("named").expect("appended").as_str());
        acknowledge(session.append_message(&user("one")).expect("appended").as_str());
    });
}

#[test]
fn an_upgrade_survives() {
    let old = std::fs::read(fixtures().join("conformance/broken/v1.jsonl")).expect("a fixture");
    check("crash::an_upgrade_survives", &old, |home, acknowledge| {
        let mut session = open(home);
        acknowledge(session.append_message(&user("one")).expect("appended").as_str());
    });
}

#[test]
fn an_index_that_is_written_survives() {
    let long = chain(900).replace("가나다", "바이트 바이트 바이트");
    check("crash::an_index_that_is_written_survives", long.as_bytes(), |home, acknowledge| {
        let mut session = open(home);
        acknowledge(session.append_message(&user("one")).expect("appended").as_str());
        drop(session);
        open(home);
    });
}

#[test]
fn a_new_session_is_whole_or_not_there() {
    const NAME: &str = "crash::a_new_session_is_whole_or_not_there";
    check(NAME, HEADER.as_bytes(), |home, _| {
        let mut session = SessionManager::create(home.setup(), None).expect("a session");
        session.append_session_info("named").expect("queued");
        session.append_message(&user("hello")).expect("appended");
        let path = session.path().expect("a path").to_owned();
        drop(session);
        assert_eq!(ids(&fresh(&path)).len(), 2);
    });
}
