//! What every `Store` promises, checked through two handles over one place.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use naite_store::{Durable, LogName, Stat, Store, StoreError, Wait};

/// Checks a store. `make` gives handles over one empty place, as processes share a folder; logs are named below
/// `folder`.
pub fn store_contract(folder: &Path, make: impl Fn() -> Box<dyn Store>) {
    let log = |name: &str| LogName::new(folder.join(name));
    missing_logs(make().as_mut(), &log("missing"));
    all_or_nothing(make().as_mut(), &log("whole"));
    taken_names(make().as_mut(), &log("taken"));
    appends(make().as_mut(), make().as_mut(), &log("appended"));
    replacements(make().as_mut(), make().as_mut(), &log("replaced"));
    ranges(make().as_mut(), &log("ranges"));
    patches(make().as_mut(), &log("patched"));
    locks(&make, &log("locked"));
}

fn create(store: &mut dyn Store, log: &LogName, bytes: &[u8]) -> Stat {
    let mut draft = store.begin(log, None).expect("a new log");
    draft.write_all(bytes).expect("written");
    draft.commit().expect("committed")
}

/// Says whether two states are those of one log at one length; an append need not know its stamp.
fn is_same(one: Stat, other: Stat) -> bool {
    (one.len, one.identity) == (other.len, other.identity)
}

fn content(store: &mut dyn Store, log: &LogName) -> Vec<u8> {
    let stat = store.stat(log).expect("a state").expect("a log");
    let mut bytes = vec![0; stat.len as usize + 10];
    let read = store.read(log, 0, &mut bytes).expect("readable");
    bytes.truncate(read);
    assert_eq!(bytes.len() as u64, stat.len, "the length that the state names");
    bytes
}

fn missing_logs(store: &mut dyn Store, log: &LogName) {
    assert_eq!(store.stat(log).expect("a state"), None);
    let read = store.read(log, 0, &mut [0; 4]);
    assert!(matches!(read, Err(StoreError::NotFound { .. })), "{read:?}");
    let append = store.append(log, Stat::default(), b"x", Durable::Written);
    assert!(matches!(append, Err(StoreError::Moved { now: None, .. })), "{append:?}");
    assert_eq!(store.stat(log).expect("a state"), None, "failing leaves nothing");
}

fn all_or_nothing(store: &mut dyn Store, log: &LogName) {
    let mut draft = store.begin(log, None).expect("a draft");
    draft.write_all(b"never").expect("written");
    assert_eq!(store.stat(log).expect("a state"), None, "a draft is not seen");
    drop(draft);
    assert_eq!(store.stat(log).expect("a state"), None, "a dropped draft leaves nothing");
    let made = create(store, log, b"one\n");
    assert_eq!(store.stat(log).expect("a state"), Some(made));
    assert_eq!(content(store, log), b"one\n");
}

fn taken_names(store: &mut dyn Store, log: &LogName) {
    create(store, log, b"");
    create(store, log, b"first\n");
    // A store may notice at the beginning or at the end.
    let late = store.begin(log, None).and_then(|mut draft| {
        draft.write_all(b"second\n").expect("written");
        draft.commit()
    });
    assert!(matches!(late, Err(StoreError::Exists { .. })), "{late:?}");
    assert_eq!(content(store, log), b"first\n");
}

fn appends(store: &mut dyn Store, other: &mut dyn Store, log: &LogName) {
    let made = create(store, log, b"a\n");
    let grown = store.append(log, made, b"b\n", Durable::Written).expect("appended");
    assert_eq!((grown.len, grown.identity), (4, made.identity));
    let seen = other.stat(log).expect("a state").expect("a log");
    assert!(is_same(seen, grown), "another handle sees the same state: {seen:?}");
    let late = other.append(log, made, b"lost\n", Durable::Written);
    assert!(matches!(late, Err(StoreError::Moved { now: Some(now), .. }) if is_same(now, grown)), "{late:?}");
    let again = other.append(log, grown, b"c\n", Durable::Synced).expect("appended");
    assert_eq!(again.len, 6);
    assert_eq!(content(store, log), b"a\nb\nc\n");
    let glance = store.glance(log, grown).expect("a state").expect("a log");
    assert!(is_same(glance, again), "a glance sees what others append: {glance:?}");
    let stale = store.append(log, grown, b"lost\n", Durable::Synced);
    assert!(matches!(stale, Err(StoreError::Moved { .. })), "{stale:?}");
    assert_eq!(content(other, log), b"a\nb\nc\n");
}

fn replacements(store: &mut dyn Store, other: &mut dyn Store, log: &LogName) {
    let made = create(store, log, b"old\n");
    let mut draft = other.begin(log, Some(made)).expect("a draft");
    draft.write_all(b"new\n").expect("written");
    assert_eq!(content(store, log), b"old\n", "until it is committed");
    let replaced = draft.commit().expect("committed");
    assert_ne!(replaced.identity, made.identity);
    assert_eq!(content(store, log), b"new\n");
    let glance = store.glance(log, made).expect("a state").expect("a log");
    assert!(is_same(glance, replaced), "a glance sees that a log was replaced: {glance:?}");
    let stale = store.append(log, made, b"x\n", Durable::Written);
    assert!(matches!(stale, Err(StoreError::Moved { .. })), "same length, other log: {stale:?}");
    let mut late = store.begin(log, Some(replaced)).expect("a draft");
    late.write_all(b"lost\n").expect("written");
    let grown = other.append(log, replaced, b"more\n", Durable::Written).expect("appended");
    let late = late.commit();
    assert!(matches!(late, Err(StoreError::Moved { now: Some(now), .. }) if is_same(now, grown)), "{late:?}");
    assert_eq!(content(store, log), b"new\nmore\n");
}

fn ranges(store: &mut dyn Store, log: &LogName) {
    create(store, log, b"0123456789");
    for (offset, len, wanted) in [(0, 4, "0123"), (3, 7, "3456789"), (8, 9, "89"), (10, 3, ""), (99, 3, "")] {
        let mut bytes = vec![0; len];
        let read = store.read(log, offset, &mut bytes).expect("readable");
        assert_eq!(&bytes[..read], wanted.as_bytes(), "{len} bytes from {offset}");
    }
}

fn patches(store: &mut dyn Store, log: &LogName) {
    let made = create(store, log, b"slot....\nrest\n");
    let patched = store.patch(log, made, 4, b"full").expect("patched");
    assert_eq!((patched.len, patched.identity), (made.len, made.identity));
    assert_eq!(content(store, log), b"slotfull\nrest\n");
    let grown = store.append(log, patched, b"more\n", Durable::Written).expect("appended");
    let late = store.patch(log, made, 0, b"lost");
    assert!(matches!(late, Err(StoreError::Moved { now: Some(now), .. }) if is_same(now, grown)), "{late:?}");
    assert_eq!(content(store, log), b"slotfull\nrest\nmore\n");
}

fn locks(make: &impl Fn() -> Box<dyn Store>, log: &LogName) {
    let (mut one, mut other) = (make(), make());
    let guard = one.lock(log, Wait::No).expect("a free log");
    for wait in [Wait::No, Wait::AtMost(Duration::from_millis(1))] {
        let refused = other.lock(log, wait).map(drop);
        assert!(matches!(refused, Err(StoreError::Held { .. })), "{wait:?}: {refused:?}");
    }
    let waiter = std::thread::spawn({
        let log = log.clone();
        move || other.lock(&log, Wait::Forever).map(drop)
    });
    drop(guard);
    waiter.join().expect("a waiter that ends").expect("the lock that was let go");
    // A waiter that was given up may still have it for a moment.
    drop(one.lock(log, Wait::AtMost(Duration::from_secs(60))).expect("a free log"));
}
