//! Messages, sessions and questions about files that the tests of this crate share.

use std::path::Path;
use std::time::SystemTime;

use naite_store::{Access, SessionManager};
use naite_testkit::Home;

/// A user's message in stored form.
pub(crate) fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":"{text}","timestamp":1}}"#)
}

/// The line of a user's message that another program appends, with its line end.
pub(crate) fn foreign(id: &str, parent: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-02-28T09:30:00.000Z","message":{}}}"#,
        user("from elsewhere")
    ) + "\n"
}

/// A header line with its line end.
pub(crate) const HEADER: &str = concat!(
    r#"{"type":"session","version":3,"id":"0195a000-0000-7000-8000-0000000000ff","#,
    r#""timestamp":"2026-02-28T09:00:00.000Z","cwd":"/home/user/project"}"#,
    "\n"
);

/// A session of `count` entries in one chain, `0` to `count - 1`, each with some hundred bytes.
pub(crate) fn chain(count: usize) -> String {
    let mut text = String::from(HEADER);
    for at in 0..count {
        let parent = at.checked_sub(1).map_or("null".into(), |before| format!("\"{before}\""));
        text += &format!(
            r#"{{"type":"message","id":"{at}","parentId":{parent},"timestamp":"2026-02-28T09:00:01.000Z","message":{}}}"#,
            user(&"가나다 ".repeat(8))
        );
        text.push('\n');
    }
    text
}

/// The ids of all entries in file order.
pub(crate) fn ids(session: &SessionManager) -> Vec<String> {
    session.tree().entries().map(|ix| session.tree().id(ix).to_owned()).collect()
}

/// The ids from the root to the leaf.
pub(crate) fn path(session: &SessionManager) -> Vec<String> {
    let tree = session.tree();
    tree.path(tree.leaf()).into_iter().map(|ix| tree.id(ix).to_owned()).collect()
}

/// The names of what is wrong, each with its line.
pub(crate) fn defects(session: &SessionManager) -> Vec<(u64, &'static str)> {
    session.defects().iter().map(|defect| (defect.line, defect.kind.name())).collect()
}

/// Everything of a session that opening it decides.
pub(crate) fn shape(session: &SessionManager) -> String {
    let tree = session.tree();
    let mut shape =
        format!("{:?} {:?} {:?}\n", session.session_id(), session.session_name(), session.leaf_id());
    for ix in tree.entries() {
        let children: Vec<&str> = tree.children(ix).map(|child| tree.id(child)).collect();
        shape += &format!("{} {:?} {:?} {children:?}\n", tree.id(ix), tree.head(ix).kind, tree.label(ix));
    }
    shape + &format!("{:?} {:?}", tree.roots(), tree.defects())
}

/// The bytes of a file and when they were written.
pub(crate) fn print_of(path: &Path) -> (Vec<u8>, SystemTime) {
    let written = std::fs::metadata(path).and_then(|meta| meta.modified()).expect("a file");
    (std::fs::read(path).expect("a readable file"), written)
}

/// Opens a file for reading, in another home, so that no index helps.
pub(crate) fn fresh(path: &Path) -> SessionManager {
    Home::new().open(path, Access::Read).expect("a session")
}
