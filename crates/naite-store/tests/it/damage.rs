//! Files that are torn, odd, written by others or replaced while they are open: nothing that was there is lost.

use std::path::Path;

use naite_store::{Access, Refusal, StoreError};
use naite_testkit::Home;

use crate::words::{HEADER, chain, defects, foreign, fresh, ids, path, print_of, user};

fn add(path: &Path, bytes: &str) {
    use std::io::Write;
    let file = std::fs::OpenOptions::new().append(true).open(path);
    file.and_then(|mut file| file.write_all(bytes.as_bytes())).expect("a foreign append");
}

#[test]
fn an_append_behind_a_torn_tail_starts_a_new_line() {
    let home = Home::new();
    let torn = chain(2) + r#"{"type":"message","id":"2","parentId":"1","timest"#;
    let file = home.write("s.jsonl", torn.as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    assert_eq!(defects(&session), [(4, "torn_tail")]);
    let id = session.append_message(&user("on")).expect("appended").to_string();
    assert_eq!(path(&session), ["0", "1", &id]);
    let again = fresh(&file);
    assert_eq!(path(&again), ["0", "1", &id]);
    assert_eq!(defects(&again), [(4, "invalid_json")]);
    assert_eq!(defects(&session), defects(&again));
    assert!(std::fs::read_to_string(&file).expect("the file").starts_with(&(torn + "\n")));
}

#[test]
fn an_append_behind_a_line_without_its_end_starts_a_new_line() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(2).trim_end().as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    session.append_message(&user("on")).expect("appended");
    session.append_message(&user("and on")).expect("appended");
    let again = fresh(&file);
    assert_eq!(path(&again), ["0", "1", "00000001", "00000002"]);
    assert_eq!(defects(&again), []);
    assert!(std::fs::read_to_string(&file).expect("the file").starts_with(&chain(2)));
}

#[test]
fn a_mark_before_the_header_and_windows_line_ends_are_kept() {
    let home = Home::new();
    let odd = format!("\u{feff}{}", chain(2).replace('\n', "\r\n\r\n"));
    let file = home.write("s.jsonl", odd.as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    session.append_message(&user("on")).expect("appended");
    assert!(std::fs::read_to_string(&file).expect("the file").starts_with(&odd));
    let again = fresh(&file);
    assert_eq!(path(&again), ["0", "1", "00000001"]);
    assert_eq!(defects(&again), []);
}

#[test]
fn what_others_appended_is_loaded_before_our_next_entry() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(1).as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    let one = session.append_message(&user("one")).expect("appended").to_string();
    add(&file, &foreign("f1", &one));
    add(&file, &foreign("f2", "f1"));
    let two = session.append_message(&user("two")).expect("appended").to_string();
    assert_eq!(path(&session), ["0", &one, "f1", "f2", &two]);
    add(&file, &foreign("f3", &two));
    let told = session.refresh().expect("the foreign line");
    assert_eq!((told.entries, told.leaf_moved), (1, true));
    let three = session.append_message(&user("three")).expect("appended").to_string();
    let again = fresh(&file);
    assert_eq!(path(&again), ["0", &one, "f1", "f2", &two, "f3", &three]);
    assert_eq!(ids(&again), ids(&session));
    assert_eq!(defects(&again), []);
}

#[test]
fn what_others_tore_is_ended_before_our_next_entry() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(1).as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    add(&file, &foreign("f1", "0")[..60]);
    let one = session.append_message(&user("one")).expect("appended").to_string();
    add(&file, foreign("f2", &one).trim_end());
    let two = session.append_message(&user("two")).expect("appended").to_string();
    assert_eq!(path(&fresh(&file)), ["0", &one, "f2", &two]);
    assert_eq!(path(&session), path(&fresh(&file)));
}

#[test]
fn two_writers_that_take_turns_lose_nothing() {
    let home = Home::new();
    // As two programs that know nothing of each other's locks: each with a home of its own.
    let mut other_home = Home::new();
    other_home.first_id = 500;
    let file = home.write("s.jsonl", HEADER.as_bytes());
    let mut one = home.open(&file, Access::Write).expect("a session");
    let mut other = other_home.open(&file, Access::Write).expect("the same session");
    for turn in 0..6 {
        let writer = if turn % 2 == 0 { &mut one } else { &mut other };
        writer.append_message(&user("turn")).expect("appended");
    }
    let again = fresh(&file);
    assert_eq!(path(&again), ["00000001", "000001f4", "00000002", "000001f5", "00000003", "000001f6"]);
    assert_eq!(defects(&again), []);
}

#[test]
fn a_file_that_was_replaced_is_read_anew() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(9).as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    std::fs::rename(home.write("new.jsonl", chain(2).as_bytes()), &file).expect("replaced");
    let id = session.append_message(&user("on")).expect("appended").to_string();
    assert_eq!(path(&session), ["0", "1", &id]);
    assert_eq!(path(&fresh(&file)), ["0", "1", &id]);
    let stale = session.leaf().expect("a leaf");
    std::fs::rename(home.write("new.jsonl", chain(1).as_bytes()), &file).expect("replaced");
    let gone = session.navigate(stale, None);
    assert!(matches!(&gone, Err(StoreError::UnknownEntry { .. })), "a place of the old file: {gone:?}");
}

#[test]
fn a_file_that_was_cut_and_grew_again_is_read_anew() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(2).as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    std::fs::write(
        &file,
        HEADER.to_owned() + &foreign("other", "none") + &foreign("longer", "other").repeat(9),
    )
    .expect("written over");
    let id = session.append_message(&user("on")).expect("appended").to_string();
    assert_eq!(path(&session), ["other", "longer", &id]);
    assert_eq!(path(&fresh(&file)), ["other", "longer", &id]);
    std::fs::write(&file, chain(1)).expect("cut");
    let id = session.append_message(&user("on")).expect("appended").to_string();
    assert_eq!(path(&fresh(&file)), ["0", &id]);
}

/// Within a turn only the open descriptor is looked at, which still has its file when that got another name.
#[test]
fn a_file_that_was_moved_away_in_a_turn_is_not_followed() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(2).as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    session.append_message(&user("asked")).expect("appended");
    let aside = home.file("aside.jsonl");
    // The clock of a file system may be coarse: the rename must have another time than our write.
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let is_settled = || naite_store::Fs::meta(&naite_store::RealFs, &file).is_ok_and(|meta| meta.is_settled);
    while cfg!(unix) && is_settled() {
        assert!(std::time::Instant::now() < limit, "a rename does not show");
        std::fs::rename(&file, &aside).expect("moved");
        std::fs::rename(&aside, &file).expect("and back");
    }
    std::fs::rename(&file, &aside).expect("moved");
    let moved = std::fs::read(&aside).expect("readable");
    std::fs::write(&file, &moved).expect("a copy in its place");
    let answer = r#"{"role":"assistant","content":[{"type":"text","text":"ok"}],"stopReason":"toolUse"}"#;
    let id = session.append_message(answer).expect("appended").to_string();
    assert_eq!(std::fs::read(&aside).expect("readable"), moved, "the file that was moved away stays");
    assert_eq!(fresh(&file).leaf_id().map(|id| id.to_string()), Some(id));
}

#[test]
fn a_file_that_was_removed_while_open_comes_back_whole() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(3).as_bytes());
    let mut session = home.open(&file, Access::Write).expect("a session");
    session.append_message(&user("one")).expect("appended");
    let before = std::fs::read(&file).expect("the file");
    std::fs::remove_file(&file).expect("removed");
    session.append_message(&user("two")).expect("appended");
    session.append_message(&user("three")).expect("appended");
    assert!(std::fs::read(&file).expect("the file").starts_with(&before));
    let again = fresh(&file);
    assert_eq!(path(&again), ["0", "1", "2", "00000001", "00000002", "00000003"]);
    assert_eq!(defects(&again), []);
}

#[test]
fn a_file_that_is_no_session_is_left_alone() {
    let home = Home::new();
    let log = r#"{"level":"info","message":"not a session"}"#.to_owned() + "\n";
    let ours = foreign("a", "b");
    for bytes in [log.repeat(80_000), ours, "null\n".into(), "hello".into(), "\0".repeat(5000)] {
        let file = home.write("s.jsonl", bytes.as_bytes());
        let before = print_of(&file);
        for access in [Access::Read, Access::Write] {
            let refused = home.open(&file, access).map(drop);
            let why = Refusal::NoHeader;
            assert!(
                matches!(&refused, Err(StoreError::NotASession { why: told, .. }) if *told == why),
                "{refused:?}"
            );
        }
        assert_eq!(print_of(&file), before);
    }
}

#[test]
fn folders_and_links_to_nothing_are_refused() {
    let home = Home::new();
    let folder = home.file("folder.jsonl");
    std::fs::create_dir(&folder).expect("a folder");
    let refused = home.open(&folder, Access::Write).map(drop);
    assert!(matches!(&refused, Err(StoreError::NotASession { why: Refusal::Folder, .. })), "{refused:?}");
    #[cfg(unix)]
    {
        let link = home.file("link.jsonl");
        std::os::unix::fs::symlink(home.file("nothing"), &link).expect("a link");
        let refused = home.open(&link, Access::Write).map(drop);
        let is_told = matches!(&refused, Err(StoreError::NotASession { why: Refusal::DanglingLink, .. }));
        assert!(is_told, "{refused:?}");
        assert!(!home.file("nothing").exists());
    }
}

#[test]
#[cfg(unix)]
fn a_link_is_followed_and_an_upgrade_replaces_its_target() {
    let home = Home::new();
    let old = r#"{"type":"session","id":"s","timestamp":"2026-02-28T09:00:00.000Z"}"#.to_owned()
        + "\n"
        + r#"{"type":"message","timestamp":"2026-02-28T09:00:01.000Z","message":{"role":"user","content":"x"}}"#
        + "\n";
    let target = home.write("target.jsonl", old.as_bytes());
    let link = home.file("link.jsonl");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    let mut session = home.open(&link, Access::Write).expect("a session");
    let held = home.open(&target, Access::Write).map(drop);
    assert!(matches!(held, Err(StoreError::Held { .. })), "one lock for both names: {held:?}");
    session.append_message(&user("on")).expect("appended");
    assert!(std::fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(path(&fresh(&target)), path(&session));
}

#[test]
fn an_empty_or_missing_file_is_a_new_session_there() {
    let home = Home::new();
    for file in [home.write("empty.jsonl", b""), home.file("missing.jsonl")] {
        let mut session = home.open(&file, Access::Write).expect("a new session");
        assert_eq!(std::fs::read(&file).unwrap_or_default(), b"", "opening writes nothing");
        session.append_session_info("first").expect("appended");
        session.append_message(&user("second")).expect("appended");
        let again = fresh(&file);
        assert_eq!(path(&again), path(&session));
        assert_eq!(again.session_id(), session.session_id());
        let text = std::fs::read_to_string(&file).expect("the file");
        assert_eq!(text.matches(r#""type":"session""#).count(), 1);
    }
}

#[test]
fn a_session_with_nothing_said_leaves_no_file() {
    let home = Home::new();
    let mut session = naite_store::SessionManager::create(home.setup(), None).expect("a session");
    session.append_session_info("named").expect("queued");
    session.finish().expect("nothing to write");
    assert!(!session.is_created() && !session.path().expect("a path").exists());
    let said = session.append_message(&user("hello")).expect("appended").to_string();
    assert_eq!(path(&fresh(session.path().expect("a path"))), ["00000001", &said]);
}

#[test]
fn a_session_that_is_open_stays_when_another_cannot_be_opened() {
    let home = Home::new();
    let log = home.write("log.jsonl", b"{\"level\":\"info\"}\n");
    let mut session = naite_store::SessionManager::create(home.setup(), None).expect("a session");
    session.append_session_info("named").expect("queued");
    let before = (session.session_id().to_owned(), ids(&session));
    session.set_session_file(naite_store::LogName::new(&log)).expect_err("no session");
    assert_eq!((session.session_id().to_owned(), ids(&session)), before);
    session.append_message(&user("hello")).expect("appended");
    let again = fresh(session.path().expect("a path"));
    assert_eq!((again.session_name(), ids(&again)), (Some("named"), ids(&session)));
}

#[test]
fn a_missing_file_is_opened_as_a_new_session_also_after_one_that_is_only_read() {
    let home = Home::new();
    let newer = home.write("newer.jsonl", HEADER.replace(":3,", ":9,").as_bytes());
    let mut session = home.open(&newer, Access::Write).expect("a session");
    session.set_session_file(naite_store::LogName::new(home.file("new.jsonl"))).expect("a new session");
    session.append_message(&user("hello")).expect("appended");
    assert_eq!(path(&fresh(&home.file("new.jsonl"))), path(&session));
}
