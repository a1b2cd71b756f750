//! The context that a new session starts with: the person's own text, then the handoff of the project.

use std::path::Path;

use naite_context::handoff::{self, Piece, Record};
use naite_context::mask::mask;
use naite_context::project::Project;
use naite_store::context::{ContextError, ContextStore};

use crate::trust::Verdict;

/// What goes into a session, and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The text for the model, if there is any.
    pub block: Option<String>,
    /// One line for the person.
    pub notice: String,
}

/// Finds what a session of a project, in a folder, is to start with. `None` if there is nothing to say.
pub fn injection(
    store: &ContextStore,
    project: &Project,
    cwd: Option<&str>,
    git_root: Option<&str>,
    verdict: Verdict,
    now: i64,
) -> Result<Option<Injection>, ContextError> {
    let read = |name: &Path| -> Result<Option<(String, String)>, ContextError> {
        let text = store.read_text(name)?.filter(|text| !text.trim().is_empty());
        Ok(text.map(|text| (store.data().join(name).display().to_string(), text)))
    };
    let global = read(Path::new("global/project-context.md"))?;
    let handoff = read(&Path::new("handoffs").join(project.folder()).join("handoff.md"))?;
    if global.is_none() && handoff.is_none() {
        return Ok(None);
    }
    let why_not = match verdict {
        Verdict::Trusted => None,
        Verdict::Foreign => Some("was not made here"),
        Verdict::Tracked => Some("is tracked by git"),
    };
    if let Some(why) = why_not {
        let root = store.root().display();
        let notice =
            format!("Naite put no context in: the data of {root} {why}. `naite trust {root}` allows it.");
        return Ok(Some(Injection { block: None, notice }));
    }
    let mut said = Vec::new();
    let mut pieces = Vec::new();
    if let Some((path, text)) = &global {
        pieces.push(("Project context", path.clone(), mask(text).into_owned()));
        said.push("the global context".to_owned());
    }
    if let Some((path, text)) = &handoff {
        let (record, text) = Record::split(text);
        let is_here = record.as_ref().is_some_and(|record| record.is_of(cwd, git_root));
        if project.needs_place() && !is_here {
            said.push(format!("not the handoff of another folder, {path}"));
        } else {
            pieces.push(("Handoff", path.clone(), mask(text).into_owned()));
            said.push(words(project, record.as_ref(), is_here, now));
        }
    }
    let notice = format!("Naite put in: {}.", said.join("; "));
    let pieces: Vec<Piece<'_>> =
        pieces.iter().map(|(title, path, text)| Piece { title, text, path }).collect();
    let block = (!pieces.is_empty()).then(|| handoff::compose(&pieces, handoff::LIMIT));
    Ok(Some(Injection { block, notice }))
}

fn words(project: &Project, record: Option<&Record>, is_here: bool, now: i64) -> String {
    let mut words = format!("the handoff of {}", project.decoded());
    if let Some(at) = record.and_then(|record| record.at) {
        words.push_str(&format!(", {} old", age(now - at)));
    }
    if let Some(record) = record.filter(|_| !is_here)
        && let Some(place) = record.git_root.as_ref().or(record.cwd.as_ref())
    {
        words.push_str(&format!(", written in {place}"));
    }
    words
}

/// A span of milliseconds in words, rounded down to its largest unit.
pub fn age(millis: i64) -> String {
    let minutes = millis.max(0) / 60_000;
    match (minutes / 1440, minutes / 60, minutes) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, _) => format!("{hours} h"),
        (1, ..) => "1 day".into(),
        (days, ..) => format!("{days} days"),
    }
}
