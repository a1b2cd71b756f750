//! The head index: quick when it can be believed, and never the reason for another answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_store::{Access, SessionManager};
use naite_testkit::{FaultFs, Home};

use crate::words::{chain, foreign, fresh, print_of, shape, user};

/// Enough entries for a session that is worth an index.
const MANY: usize = 2_000;

fn index_file(home: &Home) -> PathBuf {
    let folder = std::fs::read_dir(home.file("naite/index")).expect("an index folder");
    let files: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

fn open(home: &Home, file: &Path) -> SessionManager {
    home.open(file, Access::Read).expect("a session")
}

/// Opens a session and says how many bytes of the log were asked for.
fn bytes_read(home: &Home, fs: &FaultFs, file: &Path) -> usize {
    let before = fs.calls().len();
    let session = open(home, file);
    assert_eq!(shape(&session), shape(&fresh(file)), "the same answer as without an index");
    let calls = fs.calls();
    let reads = calls[before..].iter().filter(|call| call.name == "read_at" && call.path == file);
    reads.map(|call| call.bytes).sum()
}

#[test]
fn a_second_opening_reads_next_to_nothing() {
    let fs = FaultFs::default();
    let home = Home::on(Arc::new(fs.clone()));
    let text = chain(MANY);
    let file = home.write("s.jsonl", text.as_bytes());
    assert!(bytes_read(&home, &fs, &file) >= text.len());
    assert!(bytes_read(&home, &fs, &file) <= 16 * 1024, "only both ends are looked at");
    let grown = text.clone() + &foreign("f1", "7") + &foreign("f2", "f1");
    std::fs::write(&file, &grown).expect("a foreign append");
    assert!(bytes_read(&home, &fs, &file) <= 16 * 1024 + grown.len() - text.len(), "and the new tail");
}

#[test]
fn damaged_and_foreign_indexes_change_no_answer() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(MANY).as_bytes());
    let wanted = shape(&open(&home, &file));
    let index = index_file(&home);
    let sound = std::fs::read(&index).expect("an index");
    let mut newer = sound.clone();
    newer[15] = b'9';
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 1;
    let cuts = [0, 1, 16, 24, 28, sound.len() / 2, sound.len() - 1].map(|len| sound[..len].to_vec());
    let garbage = vec![b"garbage".repeat(100), [sound.as_slice(), b"more"].concat(), newer, flipped];
    for bytes in cuts.into_iter().chain(garbage) {
        std::fs::write(&index, &bytes).expect("a damaged index");
        assert_eq!(shape(&open(&home, &file)), wanted);
        assert_eq!(std::fs::read(&index).expect("an index"), sound, "it is made anew");
    }
    std::fs::remove_file(&index).expect("removed");
    assert_eq!(shape(&open(&home, &file)), wanted);
    std::fs::remove_dir_all(home.file("naite/index")).expect("removed");
    std::fs::write(home.file("naite/index"), "in the way").expect("a file");
    assert_eq!(shape(&open(&home, &file)), wanted, "a folder that cannot be made costs only time");
}

#[test]
fn a_log_that_is_no_longer_that_of_the_index_is_read_anew() {
    let home = Home::new();
    let text = chain(MANY);
    let file = home.write("s.jsonl", text.as_bytes());
    open(&home, &file);
    let renamed = text.replacen("\"id\":\"1000\"", "\"id\":\"abcd\"", 1);
    let cut = chain(MANY - 1);
    let longer = text.replacen("0195a000", "0195a001", 1) + &foreign("f", "3");
    for other in [renamed, cut, longer, text] {
        // Beside and over it, as every editor saves: another file under the same name.
        std::fs::rename(home.write("new", other.as_bytes()), &file).expect("replaced");
        assert_eq!(shape(&open(&home, &file)), shape(&fresh(&file)));
    }
}

#[test]
fn an_index_that_grew_with_its_log_is_one_that_was_built_at_once() {
    let home = Home::new();
    let file = home.write("s.jsonl", chain(MANY).as_bytes());
    for round in 0..4 {
        let mut session = home.open(&file, Access::Write).expect("a session");
        let labelled = format!("{}", round * 7);
        session.append_label_change(&labelled, Some("이름")).expect("labelled");
        session.branch(&labelled).expect("an entry");
        for _ in 0..200 {
            session.append_message(&user(&"바이트 ".repeat(30))).expect("appended");
        }
        session.undo().expect("a label to undo");
        drop(session);
        assert_eq!(shape(&open(&home, &file)), shape(&fresh(&file)));
    }
    let grown = shape(&open(&home, &file));
    std::fs::remove_file(index_file(&home)).expect("removed");
    assert_eq!(shape(&open(&home, &file)), grown);
}

#[test]
fn opening_changes_neither_bytes_nor_times() {
    let home = Home::new();
    let torn = chain(MANY) + r#"{"type":"message","id":"torn""#;
    for (name, text) in [("sound", chain(MANY)), ("torn", torn), ("small", chain(3))] {
        let file = home.write(name, text.as_bytes());
        let before = print_of(&file);
        for access in [Access::Read, Access::Write, Access::Read] {
            let mut session = home.open(&file, access).expect("a session");
            let leaf = session.leaf();
            session.build_session_context(leaf).expect("a context");
            session.finish().expect("nothing to write");
        }
        assert_eq!(print_of(&file), before, "{name}");
    }
}
