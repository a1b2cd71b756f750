//! The lines of logs: what was said, by whom, when; and the questions among it.

use alloc::format;
use alloc::string::String;

use naite_core::entry::iso;
use naite_core::text::json::{Object, ObjectWriter};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    User,
    /// The agent.
    Assistant,
}

impl Speaker {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One message of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When it was said, in Unix milliseconds.
    pub at: i64,
    /// By whom.
    pub speaker: Speaker,
    /// The whole text.
    pub content: String,
}

impl LogLine {
    /// The line of `sessions/…/log.jsonl`, with its line feed: `ts` (ISO UTC), `type`, `content`, nothing else.
    pub fn to_session_line(&self) -> String {
        self.writer().end() + "\n"
    }

    /// The line of `projects/…/{day}.jsonl`: the same and the session's id.
    pub fn to_project_line(&self, session_id: &str) -> String {
        self.writer().str("session_id", session_id).end() + "\n"
    }

    fn writer(&self) -> ObjectWriter {
        ObjectWriter::new()
            .str("ts", &iso(self.at))
            .str("type", self.speaker.name())
            .str("content", &self.content)
    }

    /// Reads a line of either log; `None` if it is damaged.
    ///
    /// ```
    /// use naite_context::line::{LogLine, Speaker};
    /// let line = LogLine::parse(r#"{"ts":"2026-04-10T11:00:00Z","type":"user","content":"안녕"}"#).unwrap();
    /// assert_eq!((line.speaker, line.content.as_str()), (Speaker::User, "안녕"));
    /// ```
    pub fn parse(line: &str) -> Option<Self> {
        let object = Object::parse(line)?;
        let speaker = match object.str("type")?.as_ref() {
            "user" => Speaker::User,
            "assistant" => Speaker::Assistant,
            _ => return None,
        };
        Some(Self {
            at: naite_core::entry::millis(&object.str("ts")?)?,
            speaker,
            content: object.str("content")?.into_owned(),
        })
    }

    /// A name of the message that follows from its session and its own words, the same whenever it is asked for.
    pub fn id(&self, session_id: &str) -> String {
        let text = format!("{session_id}\0{}\0{}\0{}", self.at, self.speaker.name(), self.content);
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }
}

/// The line of `questions/{day}.jsonl` for a prompt that asks something.
pub fn question(line: &LogLine, session_id: &str, project: &str) -> String {
    ObjectWriter::new()
        .str("id", &line.id(session_id))
        .str("ts", &iso(line.at))
        .str("session_id", session_id)
        .str("project", project)
        .str("question", &line.content)
        .end()
        + "\n"
}

/// The line of `questions/{day}.jsonl` that says where a question was answered: `log` is the number of the line in
/// the session's log, counted from 1.
pub fn answer(question_id: &str, at: i64, log_line: u64) -> String {
    ObjectWriter::new().str("answers", question_id).str("ts", &iso(at)).display("log", log_line).end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_what_the_schema_says_and_nothing_else() {
        let line = LogLine { at: 1_775_818_800_000, speaker: Speaker::User, content: "a \"b\"\n🌳".into() };
        assert_eq!(
            line.to_session_line(),
            "{\"ts\":\"2026-04-10T11:00:00.000Z\",\"type\":\"user\",\"content\":\"a \\\"b\\\"\\n🌳\"}\n"
        );
        assert!(line.to_project_line("s").ends_with(",\"session_id\":\"s\"}\n"));
        assert_eq!(LogLine::parse(line.to_project_line("s").trim_end()), Some(line));
    }

    #[test]
    fn damaged_lines_are_none() {
        for line in ["", "{}", "[1]", "{\"ts\":\"2026-04-10T11:00:00Z\",\"type\":\"user\",\"cont", "\0\0"] {
            assert_eq!(LogLine::parse(line), None);
        }
    }
}
