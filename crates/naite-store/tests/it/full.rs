//! A disk that fills up: the error is told, nothing that was acknowledged is lost, and all goes on once there is room.

use std::io::ErrorKind::StorageFull;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use naite_store::{Access, LogName, SessionManager};
use naite_testkit::{FaultFs, Home, Plan, Then, fixtures};

use crate::words::{HEADER, chain, defects, fresh, ids, path, user};

/// Opens `files` once for every call that `act` makes, and lets the disk fill up at that call: once before a byte of
/// it is written, and once in the middle of a write. `act` must fail where it needed room. Then there is room.
fn check(files: &[u8], act: fn(&mut SessionManager) -> naite_store::Result<()>) {
    let rehearsal = Trial::new(files);
    let calls = rehearsal.calls(act);
    for (at, call) in (1..).zip(&calls).filter(|(_, call)| call.writes()) {
        let full = |made| Plan::Fail { call: made + at, kind: StorageFull };
        Trial::new(files).run(act, full, &format!("{} at {}", call.name, call.path.display()));
        for keep in [1, call.bytes / 2, call.bytes.saturating_sub(1)] {
            if call.name != "append" {
                break;
            }
            let torn = |made| Plan::Tear { call: made + at, keep, then: Then::Full };
            Trial::new(files).run(act, torn, &format!("{keep} of {} bytes", call.bytes));
        }
    }
}

/// One session on a disk of its own.
struct Trial {
    fs: FaultFs,
    file: PathBuf,
    session: SessionManager,
    _home: Home,
}

impl Trial {
    fn new(files: &[u8]) -> Self {
        let fs = FaultFs::default();
        let home = Home::on(Arc::new(fs.clone()));
        let file = if files.is_empty() { home.file("s.jsonl") } else { home.write("s.jsonl", files) };
        let session = home.open(&file, Access::Write).expect("a session");
        Self { fs, file, session, _home: home }
    }

    fn calls(mut self, act: fn(&mut SessionManager) -> naite_store::Result<()>) -> Vec<naite_testkit::Call> {
        let before = self.fs.calls().len();
        act(&mut self.session).expect("room for all");
        self.fs.calls().split_off(before)
    }

    fn run(
        mut self,
        act: fn(&mut SessionManager) -> naite_store::Result<()>,
        plan: impl FnOnce(usize) -> Plan,
        when: &str,
    ) {
        let acknowledged = ids(&self.session);
        self.fs.then(plan);
        act(&mut self.session).expect_err(when);
        act(&mut self.session).expect_err(when);
        if self.file.exists() {
            assert!(ids(&fresh(&self.file)).starts_with(&acknowledged), "{when}");
        }
        self.fs.free();
        let last = self.session.append_message(&user("there is room")).expect(when).to_string();
        self.session.finish().expect(when);
        let again = fresh(&self.file);
        assert_eq!(ids(&again), ids(&self.session), "memory and disk agree: {when}");
        assert_eq!(path(&again), path(&self.session), "{when}");
        assert!(ids(&again).starts_with(&acknowledged) && ids(&again).ends_with(&[last]), "{when}");
        assert_eq!(defects(&again), [], "{when}");
    }
}

fn say(session: &mut SessionManager) -> naite_store::Result<()> {
    session.append_message(&user("한 마디")).map(drop)
}

#[test]
fn an_append_goes_on() {
    check(chain(2).as_bytes(), say);
    check(chain(2).trim_end().as_bytes(), say);
}

#[test]
fn a_creation_goes_on() {
    check(b"", say);
}

#[test]
fn an_upgrade_goes_on() {
    let old = std::fs::read(fixtures().join("conformance/broken/v1.jsonl")).expect("a fixture");
    check(&old, say);
}

#[test]
fn what_could_not_be_written_is_written_at_the_end() {
    let mut trial = Trial::new(chain(1).as_bytes());
    trial.fs.then(|made| Plan::Fail { call: made, kind: StorageFull });
    say(&mut trial.session).expect_err("no room");
    trial.session.finish().expect_err("still no room");
    assert_eq!(ids(&fresh(&trial.file)), ["0"]);
    trial.fs.free();
    trial.session.finish().expect("room");
    assert_eq!(ids(&fresh(&trial.file)), ["0", "00000001"]);
}

#[test]
fn what_others_wrote_meanwhile_is_kept_and_nothing_is_written_twice() {
    let mut rehearsal = Trial::new(chain(1).as_bytes());
    say(&mut rehearsal.session).expect("room");
    let calls = rehearsal.calls(say);
    let append = calls.iter().position(|call| call.name == "append").expect("an append");
    let mut trial = Trial::new(chain(1).as_bytes());
    trial.fs.then(|made| Plan::Fail { call: made, kind: StorageFull });
    say(&mut trial.session).expect_err("no room");
    // The first entry and the beginning of the second arrive.
    let keep = calls[append].bytes + 20;
    trial.fs.then(|made| Plan::Tear { call: made + append + 1, keep, then: Then::Full });
    say(&mut trial.session).expect_err("room for some");
    trial.fs.free();
    let foreign = "\n".to_owned() + &crate::words::foreign("f", "0");
    let mut bytes = std::fs::read(&trial.file).expect("the file");
    bytes.extend_from_slice(foreign.as_bytes());
    std::fs::write(&trial.file, bytes).expect("a foreign append");
    say(&mut trial.session).expect("room");
    let again = fresh(&trial.file);
    assert_eq!(ids(&again), ["0", "00000001", "f", "00000002", "00000003"]);
    assert_eq!(defects(&again), [(4, "invalid_json")]);
}

const DISK: &str = "NAITE_TEST_FULL_DISK";

/// Fills a small disk of memory for real; the mount is seen by the process alone and goes with it.
#[test]
fn a_real_disk_fills_up() {
    if let Some(disk) = std::env::var_os(DISK) {
        return fill(Path::new(&disk));
    }
    let folder = tempfile::tempdir().expect("a temp folder");
    let script =
        "mount -t tmpfs -o size=256k none \"$1\" || exit 77; exec \"$2\" --exact full::a_real_disk_fills_up";
    let program = std::env::current_exe().expect("this program");
    for how in ["-m", "-rm"] {
        let mut command = Command::new("unshare");
        command.args([how, "sh", "-c", script, "sh"]).arg(folder.path()).arg(&program);
        let Ok(ended) = command.env(DISK, folder.path()).output() else { continue };
        let said = String::from_utf8_lossy(&ended.stdout);
        if said.contains("running 1 test") {
            assert!(ended.status.success(), "{said}");
            return;
        }
    }
    println!("skipped: this process may not mount a disk of its own");
}

fn fill(disk: &Path) {
    let home = Home::at(disk, Arc::new(naite_store::RealFs));
    let file = home.write("s.jsonl", HEADER.as_bytes());
    let ballast = home.write("ballast", &[0; 64 * 1024]);
    let mut session = home.open(&file, Access::Write).expect("a session");
    let mut acknowledged = Vec::new();
    let text = user(&"나이테 ".repeat(300));
    while let Ok(id) = session.append_message(&text) {
        acknowledged.push(id.to_string());
    }
    assert!(acknowledged.len() > 10, "some fit");
    session.append_message(&text).expect_err("still no room");
    SessionManager::open(home.setup(), LogName::new(disk.join("new.jsonl")), Access::Write)
        .and_then(|mut other| other.append_message(&text))
        .expect_err("no room for another session");
    std::fs::remove_file(ballast).expect("removed");
    session.append_message(&user("there is room")).expect("appended");
    session.finish().expect("all written");
    let again = SessionManager::open(home.setup(), LogName::new(&file), Access::Read).expect("the session");
    assert!(ids(&again).starts_with(&acknowledged));
    assert_eq!(ids(&again).len(), acknowledged.len() + 3, "what was refused came later");
    assert_eq!(defects(&again), []);
}
