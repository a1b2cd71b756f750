//! Handoff documents as they are read: what they say of themselves, whether they belong here, how much of them fits.

use alloc::format;
use alloc::string::String;

use naite_core::entry::{iso, millis};
use naite_core::text::json::{Object, ObjectWriter};

use crate::speech::{BLOCK, BLOCK_END};

/// Begins the record in a handoff's first line, a comment that Markdown does not show.
const RECORD: &str = "<!-- naite: ";
const RECORD_END: &str = " -->";

/// At most so much context goes into a session of Claude Code, in UTF-16 units; above 10,000 the model sees the
/// beginning only (`agent-clients.md` §1.4).
pub const LIMIT: usize = 9_000;

/// What a handoff says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The project, as it was given.
    pub project: String,
    /// The folder that the work was done in.
    pub cwd: Option<String>,
    /// The root of its git repository.
    pub git_root: Option<String>,
    /// The branch there.
    pub branch: Option<String>,
    /// The commit there.
    pub commit: Option<String>,
    /// The session that wrote it.
    pub session_id: Option<String>,
    /// When, in Unix milliseconds.
    pub at: Option<i64>,
    /// Nobody asked for it: it was made at the end of a turn.
    pub is_automatic: bool,
}

impl Record {
    /// The first line of a handoff, with its line feed.
    pub fn to_line(&self) -> String {
        let json = ObjectWriter::new()
            .str("project", &self.project)
            .maybe_str("cwd", self.cwd.as_deref())
            .maybe_str("git_root", self.git_root.as_deref())
            .maybe_str("branch", self.branch.as_deref())
            .maybe_str("commit", self.commit.as_deref())
            .maybe_str("session_id", self.session_id.as_deref())
            .maybe_str("at", self.at.map(iso).as_deref())
            .display("automatic", self.is_automatic)
            .end()
            // A comment must not end early.
            .replace("--", "\\u002d\\u002d");
        format!("{RECORD}{json}{RECORD_END}\n")
    }

    /// Reads a handoff: its record, if it has one, and its text.
    ///
    /// ```
    /// use naite_context::handoff::Record;
    /// let record = Record { project: "a--b".into(), cwd: Some("/w".into()), ..Record::default() };
    /// let text = record.to_line() + "# Next\n";
    /// assert_eq!(Record::split(&text), (Some(record), "# Next\n"));
    /// assert_eq!(Record::split("# Next\n"), (None, "# Next\n"));
    /// ```
    pub fn split(handoff: &str) -> (Option<Self>, &str) {
        let read = || {
            let (json, rest) = handoff.strip_prefix(RECORD)?.split_once(RECORD_END)?;
            let object = Object::parse(json)?;
            let owned = |key: &str| object.str(key).map(alloc::borrow::Cow::into_owned);
            let record = Self {
                project: owned("project")?,
                cwd: owned("cwd"),
                git_root: owned("git_root"),
                branch: owned("branch"),
                commit: owned("commit"),
                session_id: owned("session_id"),
                at: object.str("at").and_then(|at| millis(&at)),
                is_automatic: object.bool("automatic").unwrap_or(false),
            };
            Some((record, rest.strip_prefix('\n').unwrap_or(rest)))
        };
        match read() {
            Some((record, rest)) => (Some(record), rest),
            None => (None, handoff),
        }
    }

    /// Says whether the work was done where somebody works now: in the same repository, else in the same folder.
    pub fn is_of(&self, cwd: Option<&str>, git_root: Option<&str>) -> bool {
        match (&self.git_root, git_root) {
            (Some(then), Some(now)) => then == now,
            (None, None) => self.cwd.is_some() && self.cwd.as_deref() == cwd,
            _ => false,
        }
    }
}

/// A piece of context and where it stands in full.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// What it is, in a word or two.
    pub title: &'a str,
    /// The text.
    pub text: &'a str,
    /// Its file.
    pub path: &'a str,
}

/// Puts pieces into one block for a model, at most `limit` UTF-16 units of it. A piece that does not fit whole is cut
/// at the end of a line, with a mark that says where the rest is; pieces after it are named only. What is taken out
/// of prompts again is told by the block's tags.
pub fn compose(pieces: &[Piece<'_>], limit: usize) -> String {
    let mut block = format!("{BLOCK}>\n");
    let room = limit.saturating_sub(units(BLOCK_END) + 1);
    for piece in pieces {
        let head = format!("## {} ({})\n\n", piece.title, piece.path);
        let text = piece.text.replace(BLOCK_END, "").replace(BLOCK, "");
        let cut = format!("\n[… cut here; the rest is in {}]\n", piece.path);
        let left = room.saturating_sub(units(&block) + units(&head));
        if units(&text) < left {
            block.push_str(&head);
            block.push_str(text.trim_end());
            block.push_str("\n\n");
        } else if left > units(&cut) {
            block.push_str(&head);
            block.push_str(cut_at_line(&text, left - units(&cut)));
            block.push_str(&cut);
        }
    }
    block.push_str(BLOCK_END);
    block
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The beginning of a text, at most so many UTF-16 units, to the end of a line if one is near, never inside a
/// character as people see it.
fn cut_at_line(text: &str, limit: usize) -> &str {
    let mut left = limit;
    let end = text.char_indices().find_map(|(at, c)| {
        let len = c.len_utf16();
        if len > left {
            return Some(at);
        }
        left -= len;
        None
    });
    let Some(end) = end else { return text };
    let kept = naite_core::text::prefix_bytes(text, end);
    match kept.rfind('\n') {
        Some(line) if line > kept.len() / 2 => &kept[..line],
        _ => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_what_would_end_its_comment() {
        let record =
            Record { project: "x --> y".into(), at: Some(0), is_automatic: true, ..Record::default() };
        let line = record.to_line();
        assert_eq!(line.matches("-->").count(), 1);
        assert_eq!(Record::split(&line), (Some(record), ""));
        assert_eq!(Record::split("<!-- naite: {} -->x").0, None);
    }

    #[test]
    fn work_belongs_to_its_repository_or_its_folder() {
        let record = |cwd: Option<&str>, root: Option<&str>| Record {
            cwd: cwd.map(Into::into),
            git_root: root.map(Into::into),
            ..Record::default()
        };
        for (then, now, is_of) in [
            ((Some("/a"), Some("/r")), (Some("/b"), Some("/r")), true),
            ((Some("/a"), None), (Some("/a"), None), true),
            ((Some("/a"), None), (Some("/b"), None), false),
            ((Some("/a"), Some("/r")), (Some("/a"), None), false),
            ((None, None), (None, None), false),
        ] {
            assert_eq!(record(then.0, then.1).is_of(now.0, now.1), is_of, "{then:?} {now:?}");
        }
    }

    #[test]
    fn a_block_keeps_its_limit_and_says_where_the_rest_is() {
        let long = "한글 줄 🌳 하나\n".repeat(2_000);
        for limit in [200, 1_000, LIMIT] {
            let pieces = [
                Piece { title: "Handoff", text: &long, path: "/h.md" },
                Piece { title: "More", text: "x", path: "/m" },
            ];
            let block = compose(&pieces, limit);
            assert!(units(&block) <= limit, "{}", units(&block));
            assert!(block.contains("[… cut here; the rest is in /h.md]") && block.ends_with(BLOCK_END));
        }
        let whole = compose(&[Piece { title: "A", text: "a </naite-context> b", path: "/a" }], LIMIT);
        assert_eq!(whole, "<naite-context>\n## A (/a)\n\na  b\n\n</naite-context>");
    }
}
