//! What is known of a foreign transcript beside its heads: the session, its names, its leaf, what belongs together.
//!
//! It is kept with the heads, so that a later opening can go on where this one ended.

mod lines;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{Flags, Heads, Ix};
use crate::entry::{Header, Span};
use crate::ingest::Program;
use crate::ingest::claude_code::Envelope;
use crate::text::json::ObjectWriter;

/// What is known of a foreign transcript beside its heads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Foreign {
    /// Who wrote it.
    pub program: Program,
    /// The version of that program that wrote the last line.
    pub version: Option<String>,
    /// The git branch of the last line.
    pub git_branch: Option<String>,
    /// The sub-agent whose transcript it is.
    pub agent: Option<String>,
    /// The session that it was copied from.
    pub forked_from: Option<String>,
    /// The last line that was copied, as the source names it.
    pub forked_at: Option<String>,
    /// Lines without a place in the tree, by type.
    pub notes: BTreeMap<String, u32>,
    session: Option<String>,
    cwd: Option<String>,
    created: Option<String>,
    custom_title: Option<Option<String>>,
    agent_name: Option<String>,
    ai_title: Option<String>,
    old_summary: Option<String>,
    /// Lines that belong to the entry of an earlier line.
    aliases: BTreeMap<String, u32>,
    /// The places of those lines, by entry, and whether an entry has got all it can get.
    more: BTreeMap<u32, Vec<Span>>,
    /// The last entry of a line that gave several.
    lasts: BTreeMap<u32, u32>,
    /// Answers by the id that their lines share.
    answers: BTreeMap<String, u32>,
    /// Answers by the ids of their calls, with the tool's interned name.
    callers: BTreeMap<String, (u32, u32)>,
    /// Results and what hangs between them, by the answer that they belong to.
    members: BTreeMap<u32, u32>,
    /// The last of them.
    tails: BTreeMap<u32, u32>,
    /// The last `last-prompt` line.
    named_leaf: Option<(String, bool)>,
    last: Option<u32>,
    last_main: Option<u32>,
    /// The last damaged line.
    hole: Option<Hole>,
}

impl Foreign {
    /// Starts with what the first lines were; `damaged` if one of them could not be read.
    pub(super) fn new(program: Program, notes: BTreeMap<String, u32>, damaged: bool) -> Self {
        Self {
            program,
            version: None,
            git_branch: None,
            agent: None,
            forked_from: None,
            forked_at: None,
            notes,
            session: None,
            cwd: None,
            created: None,
            custom_title: None,
            agent_name: None,
            ai_title: None,
            old_summary: None,
            aliases: BTreeMap::new(),
            more: BTreeMap::new(),
            lasts: BTreeMap::new(),
            answers: BTreeMap::new(),
            callers: BTreeMap::new(),
            members: BTreeMap::new(),
            tails: BTreeMap::new(),
            named_leaf: None,
            last: None,
            last_main: None,
            hole: damaged.then(Hole::default),
        }
    }

    /// The entry that a joined line belongs to.
    pub(super) fn alias(&self, uuid: &str) -> Option<Ix> {
        self.aliases.get(uuid).copied().map(Ix)
    }

    /// The entry of a line; of a line with several entries the last, on which its children hang.
    fn place(&self, heads: &Heads, uuid: &str) -> Option<Ix> {
        let ix = heads.find_own(uuid).or_else(|| self.alias(uuid))?;
        Some(self.lasts.get(&ix.0).copied().map_or(ix, Ix))
    }

    /// Where that which hangs on an answer or on one of its results hangs: behind all of them.
    fn behind_results(&self, ix: Ix) -> Ix {
        let answer = self.members.get(&ix.0).copied().unwrap_or(ix.0);
        self.tails.get(&answer).copied().map_or(ix, Ix)
    }

    /// The answer with calls to which an entry belongs, itself or one of its results.
    fn caller_of(&self, heads: &Heads, ix: Ix) -> Option<u32> {
        let answer = self.members.get(&ix.0).copied();
        answer.or_else(|| heads.heads[ix.at()].has_calls().then_some(ix.0))
    }

    fn hang_behind(&mut self, answer: u32, ix: Ix) {
        self.tails.insert(answer, ix.0);
        self.members.insert(ix.0, answer);
    }

    /// The name: the person's, else the agent's, else the model's, else one that an old version wrote.
    fn name(&self) -> Option<String> {
        let given = self.custom_title.clone().flatten();
        given
            .or_else(|| self.agent_name.clone())
            .or_else(|| self.ai_title.clone())
            .or_else(|| self.old_summary.clone())
    }

    /// The leaf: where the last `last-prompt` line says if that can be, else the last line of the conversation.
    fn leaf(&self, heads: &Heads) -> Option<Ix> {
        let named = self.named_leaf.as_ref().and_then(|(uuid, explicit)| {
            let ix = self.place(heads, uuid)?;
            let behind = self.behind_results(ix);
            if *explicit {
                return Some(if self.members.contains_key(&ix.0) { behind } else { ix });
            }
            (!heads.heads[behind.at()].flags.has(Flags::INNER)).then_some(behind)
        });
        named.or_else(|| self.last_main.or(self.last).map(|ix| self.behind_results(Ix(ix))))
    }

    /// A header as a session file would have it; `None` until a line names the session.
    fn header(&self) -> Option<Header> {
        let session = self.session.as_deref()?;
        let id = match &self.agent {
            Some(agent) => Cow::Owned(alloc::format!("agent-{agent}")),
            None => Cow::Borrowed(session),
        };
        let parent = if self.agent.is_some() { Some(session) } else { self.forked_from.as_deref() };
        let raw = ObjectWriter::new()
            .str("type", "session")
            .display("version", crate::entry::VERSION)
            .str("id", &id)
            .str("timestamp", self.created.as_deref().unwrap_or_default())
            .maybe_str("cwd", self.cwd.as_deref())
            .maybe_str("parentSession", parent)
            .end();
        Header::read(&raw)
    }

    /// Takes over what a line says of its session; says whether the header changes by it.
    fn learn(&mut self, envelope: &Envelope<'_>, uuid: Option<&str>) -> bool {
        let mut changed = false;
        let mut first = |slot: &mut Option<String>, given: Option<&str>| {
            if slot.is_none() && given.is_some() {
                *slot = given.map(String::from);
                changed = true;
            }
        };
        first(&mut self.session, envelope.session.as_deref().or(uuid));
        first(&mut self.agent, envelope.agent.as_deref());
        first(&mut self.cwd, envelope.cwd.as_deref());
        if uuid.is_some() {
            first(&mut self.created, envelope.timestamp.as_deref());
        }
        let replace = |slot: &mut Option<String>, given: Option<&str>| {
            let new = given.is_some() && slot.as_deref() != given;
            if new {
                *slot = given.map(String::from);
            }
            new
        };
        replace(&mut self.version, envelope.version.as_deref());
        replace(&mut self.git_branch, envelope.git_branch.as_deref());
        let elsewhere = envelope.request_session.as_deref().filter(|id| Some(*id) != self.session.as_deref());
        match (&envelope.forked_from, elsewhere) {
            (Some((session, line)), _) => {
                changed |= replace(&mut self.forked_from, Some(session));
                replace(&mut self.forked_at, line.as_deref().or(uuid));
            }
            (None, Some(session)) => {
                if self.forked_from.is_none() {
                    changed |= replace(&mut self.forked_from, Some(session));
                }
                replace(&mut self.forked_at, uuid);
            }
            (None, None) => {}
        }
        changed
    }

    /// Says whether every place and span that is named is there (of a cache that may be damaged).
    pub(super) fn is_consistent(&self, heads: usize, end: u64) -> bool {
        let is_place = |ix: &u32| (*ix as usize) < heads;
        let fits = |span: &Span| span.offset.checked_add(span.len.into()).is_some_and(|to| to <= end);
        let maps = [&self.lasts, &self.members, &self.tails];
        maps.iter().all(|map| map.iter().all(|(from, to)| is_place(from) && is_place(to)))
            && self.aliases.values().chain(self.answers.values()).all(is_place)
            && self.callers.values().all(|(answer, _)| is_place(answer))
            && self.more.iter().all(|(ix, spans)| is_place(ix) && spans.iter().all(fits))
            && [self.last, self.last_main, self.hole.as_ref().and_then(|hole| hole.parent)]
                .iter()
                .flatten()
                .all(is_place)
    }
}

/// A damaged line: what hung on it hangs on its parent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Hole {
    /// Its parent; `None` if it was a root.
    parent: Option<u32>,
    /// Its id, once a later line named it: any other id that is missing is another loss.
    uuid: Option<String>,
}
