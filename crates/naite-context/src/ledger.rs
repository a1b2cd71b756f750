//! Decides what of a session is logged, so that each message is logged once whatever comes first, twice or never.
//!
//! A message reaches the log on two ways: a hook's payload has it at once, the agent's transcript has it sooner or
//! later. The transcript is read once, by offset, so it alone never repeats. What came from a payload *waits* until
//! the transcript brings it too; what the transcript brought first is remembered for the payload that is late. Text
//! is compared by a hash over what is not white space, since the two ways differ in that.
//!
//! The ledger is kept beside the log and may be lost or stale at any time: a log that is longer than the ledger says
//! is *recovered*, each line waiting as if a payload had brought it. The log is the truth.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use naite_core::text::json::{self, Object, ObjectWriter};

use crate::line::{LogLine, Speaker};
use crate::speech;
use crate::transcript::Said;

/// The layout of the stored form.
const VERSION: u64 = 1;
/// So many messages may wait for their transcript; an agent that keeps none must not fill the disk.
const WAITING: usize = 256;
/// So many messages are remembered for a payload that comes twice or late.
const KNOWN: usize = 32;

/// A message by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    speaker: Speaker,
    hash: u64,
    prompt: Option<String>,
    /// Found in the log after a crash: which prompt it was under is not known, but that it was logged is.
    is_recovered: bool,
}

/// A question that has no answer yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The id in `questions/`.
    pub id: String,
    /// When it was asked, in Unix milliseconds.
    pub at: i64,
}

/// How far the agent's transcript is read and copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Where the agent keeps it.
    pub path: String,
    /// Which file that was: device and inode.
    pub identity: (u64, u64),
    /// The first bytes of it: how many, and their hash. A file that was moved or copied is known by them.
    pub head: (u64, u64),
    /// Bytes whose messages were heard.
    pub heard: u64,
    /// Bytes that were copied.
    pub copied: u64,
    /// Bytes of the copy that stand for them.
    pub copy_len: u64,
}

/// What is known of a session beside its log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Bytes of the log that this knows of.
    pub log_bytes: u64,
    /// Lines in them.
    pub lines: u64,
    /// When the session was first heard of, in Unix milliseconds.
    pub created: i64,
    /// It began as a copy of another one: what is older than it was said there.
    pub is_fork: bool,
    /// What its transcript holds already when it is found is not to be read: it was forgotten on purpose.
    pub starts_late: bool,
    /// When it ended, in Unix milliseconds.
    pub closed: Option<i64>,
    /// The project, as it was given; `None` for none.
    pub project: Option<String>,
    /// The folder the session works in.
    pub cwd: Option<String>,
    /// The git branch there.
    pub branch: Option<String>,
    /// The transcript.
    pub reading: Option<Reading>,
    /// The last question, if it has no answer yet.
    pub question: Option<Question>,
    /// The prompt that the transcript was at.
    turn: Option<String>,
    waiting: VecDeque<Mark>,
    known: VecDeque<Mark>,
}

impl Ledger {
    /// Takes a prompt from a payload: the line to log, unless it is known or nothing that a person said.
    pub fn submit(&mut self, prompt_id: Option<&str>, prompt: &str, now: i64) -> Option<LogLine> {
        let text = speech::without_injected(prompt);
        if text.trim().is_empty() || speech::is_machine_made(&text) {
            return None;
        }
        self.take(Speaker::User, prompt_id, &text, now)
    }

    /// Takes the agent's last message from a payload.
    pub fn answer(&mut self, prompt_id: Option<&str>, text: &str, now: i64) -> Option<LogLine> {
        if text.trim().is_empty() { None } else { self.take(Speaker::Assistant, prompt_id, text, now) }
    }

    fn take(&mut self, speaker: Speaker, prompt: Option<&str>, text: &str, now: i64) -> Option<LogLine> {
        let mark = Mark {
            speaker,
            hash: squeezed(text),
            prompt: prompt.map(ToString::to_string),
            is_recovered: false,
        };
        // Twice too much cannot be mended, once too little can: the transcript brings it again.
        let is_same = |known: &Mark| {
            let fits = known.prompt.is_none() || mark.prompt.is_none() || known.prompt == mark.prompt;
            (known.speaker, known.hash) == (speaker, mark.hash) && fits
        };
        if self.known.iter().any(|known| is_same(known) && known.prompt == mark.prompt) {
            return None;
        }
        if let Some(known) = self.known.iter_mut().find(|known| is_same(known)) {
            // What the log brought back is known without its prompt until its payload names it.
            if known.prompt.is_none() {
                known.prompt.clone_from(&mark.prompt);
                let unnamed = |waiting: &&mut Mark| waiting.prompt.is_none() && is_same(waiting);
                if let Some(waiting) = self.waiting.iter_mut().find(unnamed) {
                    waiting.prompt = mark.prompt;
                    waiting.is_recovered = false;
                }
            }
            return None;
        }
        let recovered = |waiting: &&mut Mark| waiting.is_recovered && is_same(waiting);
        if let Some(waiting) = self.waiting.iter_mut().find(recovered) {
            waiting.prompt.clone_from(&mark.prompt);
            waiting.is_recovered = false;
            self.know(mark);
            return None;
        }
        self.begin(speaker);
        self.know(mark.clone());
        self.waiting.push_back(mark);
        if self.waiting.len() > WAITING {
            self.waiting.pop_front();
        }
        Some(LogLine { at: now, speaker, content: text.into() })
    }

    /// Takes lines of the transcript in their order: what of them is to be logged. `now` stands for a time that a
    /// line does not give.
    pub fn hear(&mut self, said: &[Said<'_>], now: i64) -> Vec<LogLine> {
        // What was copied from another session stands first, not all of it marked (`--fork-session` marks the
        // agent's lines alone, and gives the others the new prompt's id).
        let copied = said.iter().rposition(|one| matches!(one, Said::Copied)).map_or(0, |last| last + 1);
        let said = &said[copied..];
        let mut lines = Vec::new();
        let mut message = Message::default();
        for (place, one) in said.iter().enumerate() {
            match one {
                Said::Turn { at, .. } if self.is_older(*at) => {}
                Said::Turn { prompt_id, .. } => {
                    self.turn = Some(prompt_id.to_string());
                    self.settle(Speaker::User, None, Some(prompt_id));
                }
                Said::User { prompt_id, text, at } => {
                    self.turn = prompt_id.as_deref().map(ToString::to_string);
                    lines.extend(self.hear_one(Speaker::User, text, at.unwrap_or(now)));
                }
                Said::Assistant { text, at, .. } => {
                    if message.blocks == 0 || message.last < place {
                        message = Message::at(said, place);
                        // A payload brings a message whole, the transcript a block at a time.
                        let is_waiting = message.blocks > 1;
                        message.is_settled =
                            is_waiting && self.settle(Speaker::Assistant, Some(message.hash), None);
                    }
                    if message.is_settled {
                        continue;
                    }
                    lines.extend(self.hear_one(Speaker::Assistant, text, at.unwrap_or(now)));
                    if message.blocks > 1 && message.last == place {
                        self.know(Mark {
                            speaker: Speaker::Assistant,
                            hash: message.hash,
                            prompt: self.turn.clone(),
                            is_recovered: false,
                        });
                    }
                }
                Said::Copied | Said::Nothing => {}
            }
        }
        lines
    }

    /// Says whether something was said in the session that this one began as a copy of.
    fn is_older(&self, at: Option<i64>) -> bool {
        self.is_fork && at.is_some_and(|at| at < self.created)
    }

    fn hear_one(&mut self, speaker: Speaker, text: &str, at: i64) -> Option<LogLine> {
        if self.is_older(Some(at)) {
            return None;
        }
        let mark = Mark { speaker, hash: squeezed(text), prompt: self.turn.clone(), is_recovered: false };
        // A prompt that the agent rewrote is known by its id.
        let is_settled = self.settle(speaker, Some(mark.hash), mark.prompt.as_deref())
            || (speaker == Speaker::User
                && mark.prompt.is_some()
                && self.settle(speaker, None, mark.prompt.as_deref()));
        if !is_settled {
            // What is settled began something when it was logged.
            self.begin(speaker);
        }
        // Also what is settled: its payload may come once more, or its prompt be named only now.
        self.know(mark);
        if is_settled { None } else { Some(LogLine { at, speaker, content: text.into() }) }
    }

    /// Counts a line of the log that this did not know of.
    pub fn recover(&mut self, line: &LogLine) {
        let mark =
            Mark { speaker: line.speaker, hash: squeezed(&line.content), prompt: None, is_recovered: true };
        self.begin(line.speaker);
        self.know(mark.clone());
        self.waiting.push_back(mark);
    }

    /// A message of one side makes those of the other side, which no prompt names, belong to an older turn: the same
    /// words may be said again.
    fn begin(&mut self, speaker: Speaker) {
        self.known.retain(|mark| mark.speaker == speaker || mark.prompt.is_some());
    }

    fn know(&mut self, mark: Mark) {
        self.known.retain(|known| *known != mark);
        self.known.push_back(mark);
        if self.known.len() > KNOWN {
            self.known.pop_front();
        }
    }

    /// Ends the wait of the message that fits best: the same words under the same prompt, else the same words, of
    /// several the first. Without words the prompt alone must fit.
    fn settle(&mut self, speaker: Speaker, hash: Option<u64>, prompt: Option<&str>) -> bool {
        let mut second = None;
        for (place, mark) in self.waiting.iter().enumerate() {
            let fits = mark.speaker == speaker && hash.is_none_or(|hash| hash == mark.hash);
            if fits && (mark.prompt.as_deref() == prompt || (hash.is_some() && mark.prompt.is_none())) {
                second = Some(place);
                break;
            }
            if fits && hash.is_some() && second.is_none() {
                second = Some(place);
            }
        }
        second.is_some_and(|place| self.waiting.remove(place).is_some())
    }

    /// Lets nothing wait: for a transcript that is to be read anew against the whole log.
    pub fn forget_waiting(&mut self) {
        self.waiting.clear();
        self.known.clear();
    }

    /// How many messages wait for the transcript.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The stored form: one JSON object.
    pub fn to_json(&self) -> String {
        let reading = self.reading.as_ref().map(|reading| {
            ObjectWriter::new()
                .str("path", &reading.path)
                .raw("identity", &pair(reading.identity))
                .raw("head", &pair(reading.head))
                .display("heard", reading.heard)
                .display("copied", reading.copied)
                .display("copy_len", reading.copy_len)
                .end()
        });
        let question = self
            .question
            .as_ref()
            .map(|question| ObjectWriter::new().str("id", &question.id).display("at", question.at).end());
        ObjectWriter::new()
            .display("version", VERSION)
            .display("log_bytes", self.log_bytes)
            .display("lines", self.lines)
            .display("created", self.created)
            .display("is_fork", self.is_fork)
            .display("starts_late", self.starts_late)
            .maybe_raw("closed", self.closed.map(|at| at.to_string()).as_deref())
            .maybe_str("project", self.project.as_deref())
            .maybe_str("cwd", self.cwd.as_deref())
            .maybe_str("branch", self.branch.as_deref())
            .maybe_raw("reading", reading.as_deref())
            .maybe_raw("question", question.as_deref())
            .maybe_str("turn", self.turn.as_deref())
            .raw("waiting", &json::join(self.waiting.iter().map(Mark::to_json)))
            .raw("known", &json::join(self.known.iter().map(Mark::to_json)))
            .end()
    }

    /// Reads the stored form; `None` if it is damaged or of another layout.
    pub fn parse(text: &str) -> Option<Self> {
        let object = Object::parse(text)?;
        if object.u64("version")? != VERSION {
            return None;
        }
        let owned = |key: &str| object.str(key).map(alloc::borrow::Cow::into_owned);
        Some(Self {
            log_bytes: object.u64("log_bytes")?,
            lines: object.u64("lines")?,
            created: integer(&object, "created")?,
            is_fork: object.bool("is_fork")?,
            starts_late: object.bool("starts_late")?,
            closed: integer(&object, "closed"),
            project: owned("project"),
            cwd: owned("cwd"),
            branch: owned("branch"),
            reading: object.object("reading").as_ref().and_then(Reading::parse),
            question: object.object("question").and_then(|question| {
                Some(Question { id: question.str("id")?.into_owned(), at: integer(&question, "at")? })
            }),
            turn: owned("turn"),
            waiting: marks(&object, "waiting")?,
            known: marks(&object, "known")?,
        })
    }
}

impl Reading {
    fn parse(object: &Object<'_>) -> Option<Self> {
        let pair = |key: &str| {
            let pair = json::array(object.raw(key)?)?;
            Some((pair.first()?.parse().ok()?, pair.get(1)?.parse().ok()?))
        };
        Some(Self {
            path: object.str("path")?.into_owned(),
            identity: pair("identity")?,
            head: pair("head")?,
            heard: object.u64("heard")?,
            copied: object.u64("copied")?,
            copy_len: object.u64("copy_len")?,
        })
    }
}

impl Mark {
    fn to_json(&self) -> String {
        ObjectWriter::new()
            .str("s", self.speaker.name())
            .str("h", &format!("{:016x}", self.hash))
            .maybe_str("p", self.prompt.as_deref())
            .maybe_raw("r", self.is_recovered.then_some("true"))
            .end()
    }

    fn parse(text: &str) -> Option<Self> {
        let object = Object::parse(text)?;
        let is_user = object.str("s")? == Speaker::User.name();
        Some(Self {
            speaker: if is_user { Speaker::User } else { Speaker::Assistant },
            hash: u64::from_str_radix(&object.str("h")?, 16).ok()?,
            prompt: object.str("p").map(alloc::borrow::Cow::into_owned),
            is_recovered: object.bool("r").unwrap_or(false),
        })
    }
}

fn pair((one, other): (u64, u64)) -> String {
    format!("[{one},{other}]")
}

fn integer(object: &Object<'_>, key: &str) -> Option<i64> {
    object.raw(key)?.parse().ok()
}

fn marks(object: &Object<'_>, key: &str) -> Option<VecDeque<Mark>> {
    json::array(object.raw(key)?)?.into_iter().map(Mark::parse).collect()
}

/// A message of the agent's, of which the transcript has one or more blocks.
#[derive(Default)]
struct Message {
    blocks: usize,
    /// The place of the last block.
    last: usize,
    /// Over the text of all.
    hash: u64,
    is_settled: bool,
}

impl Message {
    /// The message that begins at a place; what lies between its blocks belongs to none.
    fn at(said: &[Said<'_>], start: usize) -> Self {
        let mut message = Self { blocks: 1, last: start, ..Self::default() };
        let Said::Assistant { message_id: Some(id), text, .. } = &said[start] else { return message };
        let mut hasher = Squeezed::default();
        hasher.add(text);
        for (place, one) in said.iter().enumerate().skip(start + 1) {
            match one {
                Said::Assistant { message_id: Some(other), text, .. } if other == id => {
                    message.blocks += 1;
                    message.last = place;
                    hasher.add(text);
                }
                Said::Nothing | Said::Copied => {}
                _ => break,
            }
        }
        message.hash = hasher.0.digest();
        message
    }
}

/// A hash over everything in texts but white space.
#[derive(Default)]
struct Squeezed(xxhash_rust::xxh3::Xxh3);

impl Squeezed {
    fn add(&mut self, text: &str) {
        text.split_whitespace().for_each(|word| self.0.update(word.as_bytes()));
    }
}

fn squeezed(text: &str) -> u64 {
    let mut hash = Squeezed::default();
    hash.add(text);
    hash.0.digest()
}

#[cfg(test)]
mod tests;
