//! The contract of `Store`, kept by files and by memory.

use std::path::Path;
use std::sync::Arc;

use naite_store::{FileStore, LogName, MemoryStore, Owner, RealFs, Store};
use naite_testkit::contract::store_contract;

#[test]
fn memory_keeps_the_contract() {
    let store = MemoryStore::new();
    store_contract(Path::new("logs"), || Box::new(store.clone()));
}

#[test]
fn files_keep_the_contract() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let home = folder.path().join("home");
    let logs = folder.path().join("logs");
    store_contract(&logs, || Box::new(FileStore::new(Arc::new(RealFs), &home, Owner::default())));
    let names = std::fs::read_dir(&logs).expect("the logs").map(|entry| entry.expect("an entry").file_name());
    let odd: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert!(odd.is_empty(), "nothing lies beside the logs: {odd:?}");
}

#[test]
#[cfg(unix)]
fn new_files_and_folders_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temp folder");
    let path = folder.path().join("a/b/log.jsonl");
    let mut store = FileStore::new(Arc::new(RealFs), folder.path(), Owner::default());
    store.begin(&LogName::new(&path), None).and_then(|draft| draft.commit()).expect("a new log");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b")), 0o700);
}

#[test]
fn the_holder_of_a_lock_is_named() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let owner = Owner {
        pid: 4711,
        since: "2026-03-01T09:00:00.000Z".into(),
        host: "나무".into(),
        program: "naite".into(),
    };
    let log = LogName::new(folder.path().join("log.jsonl"));
    let store = |owner: &Owner| FileStore::new(Arc::new(RealFs), folder.path(), owner.clone());
    let _guard = store(&owner).lock(&log, naite_store::Wait::No).expect("a free log");
    match store(&Owner::default()).lock(&log, naite_store::Wait::No) {
        Err(naite_store::StoreError::Held { owner: holder, .. }) => assert_eq!(holder, owner),
        other => panic!("{other:?}"),
    }
}
