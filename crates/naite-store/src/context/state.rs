//! Marks that tell the worker what to do, and the lock that there is one worker.

use std::path::Path;
use std::sync::Arc;

use naite_context::name;
use naite_core::text::json::{Object, ObjectWriter};

use super::{ContextStore, Result, fail};
use crate::error::Act;
use crate::fs::FsFile;

/// Where marks lie, below `data/context`.
const MARKS: &str = "state/marks";
/// How they end; what is being written, or was when its process died, ends otherwise.
const ENDING: &str = ".json";

/// A sub-agent that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentMark {
    /// The session that it worked for.
    pub session_id: String,
    /// Its own id.
    pub agent_id: String,
    /// Its kind.
    pub agent_type: String,
    /// Where its transcript is.
    pub transcript_path: String,
    /// What it said last.
    pub result: Option<String>,
    /// The local day of its end.
    pub day: String,
    /// When it ended, in Unix milliseconds.
    pub at: i64,
}

/// Something that the worker is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Read and copy a session's transcript.
    Session {
        /// The session.
        session_id: String,
        /// Where its transcript is.
        transcript_path: String,
        /// When it was asked for, in Unix milliseconds.
        at: i64,
    },
    /// Keep a sub-agent's run.
    Agent(AgentMark),
}

impl Mark {
    fn file_name(&self) -> String {
        let name = match self {
            Self::Session { session_id, .. } => name::encode(session_id),
            Self::Agent(agent) => name::encode(&format!("{}@{}", agent.session_id, agent.agent_id)),
        };
        name + ENDING
    }

    fn to_json(&self) -> String {
        match self {
            Self::Session { session_id, transcript_path, at } => ObjectWriter::new()
                .str("session_id", session_id)
                .str("transcript_path", transcript_path)
                .display("at", at)
                .end(),
            Self::Agent(agent) => ObjectWriter::new()
                .str("session_id", &agent.session_id)
                .str("transcript_path", &agent.transcript_path)
                .display("at", agent.at)
                .str("agent_id", &agent.agent_id)
                .str("agent_type", &agent.agent_type)
                .str_or_null("result", agent.result.as_deref())
                .str("day", &agent.day)
                .end(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let object = Object::parse(text)?;
        let owned = |key: &str| object.str(key).map(std::borrow::Cow::into_owned);
        let (session_id, transcript_path) = (owned("session_id")?, owned("transcript_path")?);
        let at = object.raw("at")?.parse().ok()?;
        let Some(agent_id) = owned("agent_id") else {
            return Some(Self::Session { session_id, transcript_path, at });
        };
        let (agent_type, result, day) = (owned("agent_type")?, owned("result"), owned("day")?);
        Some(Self::Agent(AgentMark { session_id, agent_id, agent_type, transcript_path, result, day, at }))
    }
}

/// The right to work: held by one process at a time, for as long as this lives.
#[derive(Debug)]
pub struct Worker {
    _lock: Box<dyn FsFile>,
}

impl ContextStore {
    /// Leaves a mark for the worker.
    pub fn leave_mark(&self, mark: &Mark) -> Result<()> {
        self.write_text(Path::new(MARKS).join(mark.file_name()), &mark.to_json())?;
        Ok(())
    }

    /// The marks that are left: name and content; what is damaged has none.
    pub fn marks(&self) -> Result<Vec<(String, Option<Mark>)>> {
        let mut marks = Vec::new();
        for name in self.names(MARKS)?.into_iter().filter(|name| name.ends_with(ENDING)) {
            if let Some(text) = self.read_text(Path::new(MARKS).join(&name))? {
                let mark = Mark::parse(&text);
                marks.push((name, mark));
            }
        }
        Ok(marks)
    }

    /// Takes a mark away that was worked on, unless a newer one has its place.
    pub fn take_mark(&self, name: &str, done: Option<&Mark>) -> Result<()> {
        let file = Path::new(MARKS).join(name);
        let now = self.read_text(&file)?.and_then(|text| Mark::parse(&text));
        if now.as_ref() == done {
            let path = self.data.join(&file);
            self.fs.remove(&path).map_err(fail(Act::Replace, &path))?;
        }
        Ok(())
    }

    /// Becomes the worker, unless another process is.
    pub fn become_worker(&self) -> Result<Option<Worker>> {
        let path = self.folder("state")?.join("worker.lock");
        self.guard(&path)?;
        let file = Arc::clone(&self.fs).open_lock(&path).map_err(fail(Act::Lock, &path))?;
        let is_taken = file.try_lock().map_err(fail(Act::Lock, &path))?;
        Ok(is_taken.then_some(Worker { _lock: file }))
    }
}
