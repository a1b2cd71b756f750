//! Where the transcripts of Claude Code are: its own folder, the copies of the context store, the sub-agents beside.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use naite_core::text::json::Object;
use naite_store::Fs;

use crate::env::Environment;

/// The largest description of a sub-agent that is read, in bytes.
const META: usize = 64 * 1024;

/// The run of a sub-agent, which has a transcript of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubAgent {
    /// Its id as sessions have it: `agent-…`.
    pub id: String,
    /// Its transcript.
    pub path: PathBuf,
    /// The kind of agent.
    pub kind: Option<String>,
    /// What it was to do.
    pub description: Option<String>,
    /// The call that started it.
    pub tool_call: Option<String>,
}

/// The transcripts of sessions: those of the client first, then those that only the context store still has.
/// Sub-agents are no sessions of their own.
pub fn transcripts(env: &Environment) -> Vec<PathBuf> {
    let fs = env.fs().as_ref();
    let mut files = Vec::new();
    for project in env.claude.iter().flat_map(|projects| list(fs, projects)) {
        files.extend(list(fs, &project).into_iter().filter(|path| is_jsonl(path)));
    }
    let known: HashSet<String> = files.iter().filter_map(|path| session_of(path)).collect();
    let root = env.context_root(None);
    for folder in root.iter().flat_map(|root| list(fs, &root.join("data/context/sessions"))) {
        let copy = folder.join("transcript.jsonl");
        let is_new = session_of(&copy).is_some_and(|session| !known.contains(&session));
        if is_new && fs.meta(&copy).is_ok_and(|meta| meta.is_file) {
            files.push(copy);
        }
    }
    files
}

/// The session that a transcript belongs to, by its place: `<session>.jsonl`, or `<date>_<session>/transcript.jsonl`.
pub fn session_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    if stem != "transcript" {
        return Some(stem.into());
    }
    let (_, session) = path.parent()?.file_name()?.to_str()?.split_once('_')?;
    Some(session.into())
}

/// The sub-agents of a session, by their files beside its transcript.
pub fn sub_agents(fs: &dyn Fs, transcript: &Path) -> Vec<SubAgent> {
    let folder = transcript.with_extension("").join("subagents");
    let files = list(fs, &folder).into_iter().filter(|path| is_jsonl(path));
    files.filter_map(|path| sub_agent(fs, path)).collect()
}

/// The transcripts of sub-agents whose id (`agent-…`) begins so, of every session.
pub(crate) fn agents_by_id(env: &Environment, given: &str) -> Vec<(String, PathBuf)> {
    let fs = env.fs().as_ref();
    let mut found = Vec::new();
    for project in env.claude.iter().flat_map(|projects| list(fs, projects)) {
        for session in list(fs, &project).into_iter().filter(|path| !is_jsonl(path)) {
            for file in list(fs, &session.join("subagents")).into_iter().filter(|path| is_jsonl(path)) {
                let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                if id.starts_with(given) {
                    found.push((id, file));
                }
            }
        }
    }
    found
}

fn sub_agent(fs: &dyn Fs, path: PathBuf) -> Option<SubAgent> {
    let id = path.file_stem()?.to_str()?.to_owned();
    let meta = read(fs, &path.with_extension("meta.json")).unwrap_or_default();
    let meta = Object::parse(&meta).unwrap_or_default();
    let text = |key: &str| meta.str(key).map(|text| text.into_owned()).filter(|text| !text.is_empty());
    let (kind, description) = (text("agentType"), text("description"));
    Some(SubAgent { id, kind, description, tool_call: text("toolUseId"), path })
}

fn read(fs: &dyn Fs, path: &Path) -> Option<String> {
    let file = fs.open(path).ok()?;
    let mut bytes = vec![0; META];
    let read = file.read_at(&mut bytes, 0).ok()?;
    bytes.truncate(read);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn is_jsonl(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// The paths in a folder, by name; none if it cannot be listed.
fn list(fs: &dyn Fs, folder: &Path) -> Vec<PathBuf> {
    let mut paths = fs.list(folder).unwrap_or_default();
    paths.sort_unstable();
    paths
}
