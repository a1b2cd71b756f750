//! Every prefix of the writes of a session's life, and every torn last one: whatever a crash leaves opens and goes on.
//!
//! The writes are recorded once. Then the files are built as they would be on disk after a crash at each place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_store::{Access, Durability, Left, LogName, SessionManager, Setup};
use naite_testkit::{Change, FaultFs, Home};

use crate::words::{defects, fresh, ids, user};

/// A write is torn at every byte, unless it has more than this; then at this many places.
const PLACES: usize = 40;

/// What is on disk: files by path, in the order of their names.
type Disk = BTreeMap<PathBuf, Vec<u8>>;

/// The writes of a life, and after how many of them which entries were acknowledged.
struct Life {
    folder: PathBuf,
    changes: Vec<Change>,
    acknowledged: Vec<(usize, PathBuf, String)>,
}

/// Lives a session: created, grown, labelled, moved, undone, summarised, named and branched into another file.
fn live() -> Life {
    let fs = FaultFs::default();
    let home = Home::on(Arc::new(fs.clone()));
    let mut session = SessionManager::create(home.setup(), None).expect("a session");
    let mut acknowledged = Vec::new();
    let mut note = |session: &SessionManager, id: &str| {
        let path = session.path().expect("a file").to_owned();
        acknowledged.push((fs.changes().len(), path, id.to_owned()));
    };
    let say = |session: &mut SessionManager, text: &str| {
        session.append_message(&user(text)).expect("appended").to_string()
    };
    let name = session.append_session_info("이름").expect("queued").to_string();
    let one = say(&mut session, "one");
    note(&session, &name);
    note(&session, &one);
    let long = say(&mut session, &"나이테 ".repeat(200));
    note(&session, &long);
    let label = session.append_label_change(&one, Some("표시")).expect("labelled");
    note(&session, label.as_str());
    let first = session.find(&one).expect("the first message");
    session.go(Some(first)).expect("moved");
    note(&session, session.leaf_id().expect("a leaf").as_str());
    session.undo().expect("moved back");
    session.redo().expect("and again");
    let left = Left { summary: "what was left", ..Left::default() };
    let summary = session.branch_with_summary(Some(&one), &left).expect("a summary");
    note(&session, summary.as_str());
    let two = say(&mut session, "two");
    note(&session, &two);
    session.create_branched_session(session.find(&two).expect("the entry")).expect("a new session");
    note(&session, &one);
    note(&session, &two);
    let three = say(&mut session, "three");
    note(&session, &three);
    session.finish().expect("all written");
    Life { folder: home.path().into(), changes: fs.changes(), acknowledged }
}

impl Life {
    /// The disk after some changes, the last of them cut to some bytes.
    fn disk(&self, count: usize, keep: usize) -> Disk {
        let mut disk = Disk::new();
        for (at, change) in self.changes[..count].iter().enumerate() {
            let keep = if at + 1 == count { keep } else { usize::MAX };
            change.apply(&mut disk, keep);
        }
        disk
    }

    /// The entries that had been acknowledged when so many changes had begun, of each file.
    fn promised(&self, begun: usize) -> BTreeMap<&Path, Vec<&str>> {
        let mut promised: BTreeMap<&Path, Vec<&str>> = BTreeMap::new();
        for (_, path, id) in self.acknowledged.iter().filter(|(done, ..)| *done < begun) {
            promised.entry(path).or_default().push(id);
        }
        promised
    }
}

/// Where a write of some bytes is torn.
fn places(bytes: usize) -> Vec<usize> {
    let step = if bytes > PLACES * 4 { bytes / PLACES } else { 1 };
    let mut places: Vec<usize> = (0..bytes).step_by(step).collect();
    places.extend([bytes.saturating_sub(1), bytes]);
    places.sort_unstable();
    places.dedup();
    places
}

#[test]
fn whatever_a_crash_leaves_opens_and_goes_on() {
    let life = live();
    let appends = life.changes.iter().filter(|change| change.bytes() > 0).count();
    assert!(appends >= 12, "{appends} writes");
    let mut crashes = 0;
    for count in 1..=life.changes.len() {
        for keep in places(life.changes[count - 1].bytes()) {
            look(&life, count, keep);
            crashes += 1;
        }
    }
    assert!(crashes > 500, "{crashes} crashes");
}

/// Lays out the disk in another folder and asks every session file on it.
fn look(life: &Life, count: usize, keep: usize) {
    let when = format!("{keep} bytes of change {count}: {:?}", life.changes[count - 1].name());
    let mut home = Home::new();
    home.first_id = 0x1000;
    let place = |path: &Path| home.path().join(path.strip_prefix(&life.folder).expect("a path in the home"));
    let disk = life.disk(count, keep);
    for (path, bytes) in &disk {
        std::fs::create_dir_all(place(path).parent().expect("a folder")).expect("a folder");
        std::fs::write(place(path), bytes).expect("a file");
    }
    let promised = life.promised(count);
    assert!(promised.keys().all(|path| disk.contains_key(*path)), "{when}: a file is missing");
    for path in disk.keys().filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
        let promised = promised.get(path.as_path()).map(Vec::as_slice).unwrap_or_default();
        goes_on(&home, &place(path), promised, &when);
    }
}

/// Everything that was promised is there, at most one torn line is wrong, and an append is found again.
fn goes_on(home: &Home, file: &Path, promised: &[&str], when: &str) {
    // Nothing crashes from here on.
    let setup = Setup { durability: Durability::Never, ..home.setup() };
    let opened = SessionManager::open(setup, LogName::new(file), Access::Write);
    let mut session = opened.unwrap_or_else(|error| panic!("{when}: {error}"));
    let before = ids(&session);
    for id in promised {
        assert!(before.iter().any(|known| known == id), "{when}: {id} is lost");
    }
    assert!(
        defects(&session).iter().all(|(_, kind)| *kind == "torn_tail"),
        "{when}: {:?}",
        defects(&session)
    );
    let id =
        session.append_message(&user("on")).unwrap_or_else(|error| panic!("{when}: {error}")).to_string();
    let again = fresh(file);
    assert_eq!(ids(&again), [before, vec![id]].concat(), "{when}");
    let wrong = defects(&again);
    assert!(wrong.len() <= 1 && wrong.iter().all(|(_, kind)| *kind == "invalid_json"), "{when}: {wrong:?}");
}
