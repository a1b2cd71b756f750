//! What a person wants to know of the context store: where it is, what is in it, what is wrong.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use naite_context::handoff::Record;
use naite_context::ledger::Ledger;
use naite_context::project::Project;
use naite_core::text::json::Object;
use naite_store::context::{ContextError, ContextStore};

use super::Hook;
use crate::trust::Verdict;

/// Which rule found the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootRule {
    /// `--root`.
    Given,
    /// `NAITE_CONTEXT_ROOT`.
    Environment,
    /// A folder `.ai-core` here or above.
    Nearest,
    /// The one in the home folder.
    Home,
}

/// A session, as the store has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionStatus {
    /// Its id.
    pub id: String,
    /// Its folder, if the store has it.
    pub folder: Option<PathBuf>,
    /// Messages in its log.
    pub messages: u64,
    /// Messages that the transcript has still to bring.
    pub waiting: usize,
    /// Where the agent keeps its transcript.
    pub transcript: Option<PathBuf>,
    /// Bytes of it that are copied, and that it has now.
    pub copied: (u64, Option<u64>),
    /// It ended.
    pub is_closed: bool,
}

/// A handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffStatus {
    /// Its file.
    pub path: PathBuf,
    /// Its characters.
    pub characters: usize,
    /// When it was written, in Unix milliseconds, if it says so.
    pub at: Option<i64>,
    /// It is of the folder that is asked for.
    pub is_here: bool,
}

/// The state of the store, seen from a folder.
#[derive(Clone, Debug)]
pub struct Status {
    /// The root.
    pub root: PathBuf,
    /// Why it is that one.
    pub root_rule: RootRule,
    /// There is data in it.
    pub is_there: bool,
    /// Whether its text may be put into conversations.
    pub verdict: Verdict,
    /// The project, and why.
    pub project: Project,
    /// The session that is asked for or was active last.
    pub session: Option<SessionStatus>,
    /// The project's handoff.
    pub handoff: Option<HandoffStatus>,
    /// For each folder of the store: its name, files in it, their bytes.
    pub sizes: Vec<(String, u64, u64)>,
    /// The last lines of the log of errors, and how many there are.
    pub errors: (Vec<String>, usize),
    /// Marks that the worker has not worked on.
    pub marks: usize,
}

/// So many errors are shown.
const ERRORS: usize = 5;

/// Looks at the store. `root` and `session_id` are what was asked for, if anything was.
pub fn status(
    hook: &Hook,
    root: Option<&Path>,
    session_id: Option<&str>,
) -> Result<Option<Status>, ContextError> {
    let found = match root {
        Some(root) => Some(hook.env.cwd.join(root)),
        None => hook.root(None),
    };
    let Some(found) = found else { return Ok(None) };
    let home = hook.env.user_home.as_ref().map(|home| home.join(".ai-core"));
    let root_rule = match (root, &hook.env.context_root) {
        (Some(_), _) => RootRule::Given,
        (None, Some(_)) => RootRule::Environment,
        _ if home.as_ref() == Some(&found) => RootRule::Home,
        _ => RootRule::Nearest,
    };
    let store = ContextStore::new(Arc::clone(&hook.fs), &found, Arc::clone(&hook.calendar), false);
    let (project, _) = hook.project();
    let cwd = hook.env.cwd.to_string_lossy();
    let git_root = crate::git::repository(hook.fs.as_ref(), &hook.env.cwd).map(|found| found.root);
    let git_root = git_root.as_ref().map(|root| root.to_string_lossy());
    let name = Path::new("handoffs").join(project.folder()).join("handoff.md");
    let handoff = store.read_text(&name)?.map(|text| {
        let record = Record::split(&text).0;
        HandoffStatus {
            path: store.data().join(&name),
            characters: text.chars().count(),
            at: record.as_ref().and_then(|record| record.at),
            is_here: record.is_some_and(|record| record.is_of(Some(&cwd), git_root.as_deref())),
        }
    });
    let current = store.read_text("current-session.json")?.unwrap_or_default();
    let current = Object::parse(&current).and_then(|object| Some(object.str("session_id")?.into_owned()));
    let id = session_id.map(str::to_owned).or(current);
    Ok(Some(Status {
        root_rule,
        is_there: hook.fs.meta(store.data()).is_ok(),
        verdict: hook.trust().map_or(Verdict::Foreign, |trust| trust.verdict(&found)),
        session: id.map(|id| session(hook, &store, id)).transpose()?,
        handoff,
        sizes: sizes(hook, &store)?,
        errors: errors(&store)?,
        marks: store.marks()?.len(),
        project,
        root: found,
    }))
}

fn session(hook: &Hook, store: &ContextStore, id: String) -> Result<SessionStatus, ContextError> {
    let Some(folder) = store.find(&id)? else { return Ok(SessionStatus { id, ..SessionStatus::default() }) };
    let name = folder.strip_prefix(store.data()).unwrap_or(&folder).join("cursor.json");
    let ledger = store.read_text(name)?.as_deref().and_then(Ledger::parse).unwrap_or_default();
    let reading = ledger.reading.clone().unwrap_or_default();
    let transcript = (!reading.path.is_empty()).then(|| PathBuf::from(&reading.path));
    let len = transcript.as_ref().and_then(|path| hook.fs.meta(path).ok()).map(|meta| meta.len);
    Ok(SessionStatus {
        id,
        folder: Some(folder),
        messages: ledger.lines,
        waiting: ledger.waiting(),
        transcript,
        copied: (reading.copied, len),
        is_closed: ledger.closed.is_some(),
    })
}

fn sizes(hook: &Hook, store: &ContextStore) -> Result<Vec<(String, u64, u64)>, ContextError> {
    let mut sizes = Vec::new();
    for name in store.names("")? {
        let top = store.data().join(&name);
        if hook.fs.is_link(&top) || !hook.fs.meta(&top).is_ok_and(|meta| meta.is_dir) {
            continue;
        }
        let (mut files, mut bytes, mut folders) = (0, 0, vec![top]);
        while let Some(folder) = folders.pop() {
            for path in hook.fs.list(&folder).unwrap_or_default() {
                match hook.fs.meta(&path) {
                    _ if hook.fs.is_link(&path) => {}
                    Ok(meta) if meta.is_dir => folders.push(path),
                    Ok(meta) => (files, bytes) = (files + 1, bytes + meta.len),
                    Err(_) => {}
                }
            }
        }
        sizes.push((name, files, bytes));
    }
    Ok(sizes)
}

fn errors(store: &ContextStore) -> Result<(Vec<String>, usize), ContextError> {
    let text = store.read_text("hook-errors.log")?.unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let word = |line: &&str| {
        let object = Object::parse(line)?;
        Some(format!("{} {}: {}", object.str("ts")?, object.str("event")?, object.str("error")?))
    };
    let last = lines[lines.len().saturating_sub(ERRORS)..].iter().filter_map(word).collect();
    Ok((last, lines.len()))
}
