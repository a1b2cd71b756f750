//! Errors in words that help: what went wrong, where, and what to do.

use naite_core::text::one_line;
use naite_host::{ResolveError, SettingsError};
use naite_store::{Owner, Refusal, StoreError};

/// What is said about an error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// One sentence.
    pub(crate) what: String,
    /// What to do.
    pub(crate) hint: Option<String>,
}

impl Complaint {
    fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        Self { what: what.into(), hint: (!hint.is_empty()).then_some(hint) }
    }
}

/// Words an error.
pub(crate) fn explain(error: &anyhow::Error) -> Complaint {
    let mut complaint = match (error.downcast_ref::<StoreError>(), error.downcast_ref::<ResolveError>()) {
        (Some(error), _) => store(error),
        (_, Some(error)) => resolve(error),
        _ if let Some(error) = error.downcast_ref::<SettingsError>() => settings(error),
        _ => Complaint::new(format!("{error:#}"), ""),
    };
    // File names and ids are other people's text: nothing in them may reach the terminal as a command.
    complaint.what = one_line(&complaint.what).into_owned();
    complaint
}

fn store(error: &StoreError) -> Complaint {
    match error {
        StoreError::NotFound { path } => Complaint::new(
            format!("There is no session file {}.", path.display()),
            "Check the path, or name a session by the beginning of its id.",
        ),
        StoreError::NotASession { path, why } => {
            let path = path.display();
            match why {
                Refusal::Folder => Complaint::new(format!("{path} is a folder, not a session file."), ""),
                Refusal::DanglingLink => Complaint::new(format!("{path} is a link to nothing."), ""),
                Refusal::Special => Complaint::new(format!("{path} is no ordinary file."), ""),
                Refusal::NoHeader => Complaint::new(
                    format!("{path} is not a session file: its first line is no session header."),
                    "The file was left as it is.",
                ),
            }
        }
        StoreError::Io { act, path, source } => Complaint::new(
            format!("Cannot {} {}: {}.", act.verb(), path.display(), reason(source)),
            advice(source),
        ),
        StoreError::Short { path, source, .. } => Complaint::new(
            format!("Cannot append to {}: {}.", path.display(), reason(source)),
            match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                    "Nothing that was acknowledged is lost; make room and run the command again.".into()
                }
                _ => advice(source),
            },
        ),
        StoreError::Held { path, owner } => Complaint::new(
            format!("{} is in use{}.", path.display(), holder(owner)),
            "Use --wait to wait for it, --fork to go on in a copy, or look at it with a command that only reads.",
        ),
        StoreError::ReadOnly { path, newer_version: Some(version) } => Complaint::new(
            format!(
                "{} has format version {version}, which is newer than this program; it is read-only.",
                path.display()
            ),
            "A newer naite can grow it.",
        ),
        StoreError::ReadOnly { path, newer_version: None } => {
            Complaint::new(format!("{} was opened for reading only.", path.display()), "")
        }
        StoreError::Foreign { path, program } => Complaint::new(
            format!("{} is a transcript of {}; Naite only reads it.", path.display(), program.title()),
            "`naite fork SESSION` makes a Naite session of all of it, `naite branch SESSION ENTRY` one of the path to an \
             entry; those can be grown.",
        ),
        StoreError::UnknownEntry { id } => Complaint::new(
            format!("The session has no entry {id}."),
            "`naite tree --filter all --json` lists the ids of all entries.",
        ),
        StoreError::NotAUserMessage { id } => {
            Complaint::new(format!("Entry {id} is no user message; only those can be branched from."), "")
        }
        StoreError::Moved { path, .. } => Complaint::new(
            format!("{} was changed by another program at the same moment.", path.display()),
            "Run the command again.",
        ),
        StoreError::Exists { path } => Complaint::new(format!("{} exists already.", path.display()), ""),
        StoreError::InMemory => Complaint::new("A session in memory cannot become one of a file.", ""),
        StoreError::EmptyPath => {
            Complaint::new("There is nothing before the first entry to branch from.", "")
        }
        StoreError::NothingToUndo { redo: false } => Complaint::new(
            "There is nothing to undo in this session.",
            "Moves of the leaf, branch summaries and labels can be undone.",
        ),
        StoreError::NothingToUndo { redo: true } => {
            Complaint::new("There is nothing to redo in this session.", "")
        }
    }
}

fn holder(owner: &Owner) -> String {
    if owner.pid == 0 {
        return String::from(" by another process");
    }
    format!(" by {} (process {} on {}, since {})", owner.program, owner.pid, owner.host, owner.since)
}

fn reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::StorageFull => "the disk is full".into(),
        ErrorKind::QuotaExceeded => "the disk quota is used up".into(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => error.to_string(),
    }
}

fn advice(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => "Check who owns it and its permissions.".into(),
        std::io::ErrorKind::StorageFull => "Make room and run the command again.".into(),
        std::io::ErrorKind::ReadOnlyFilesystem => "NAITE_HOME can name a place that can be written.".into(),
        _ => String::new(),
    }
}

fn settings(error: &SettingsError) -> Complaint {
    match error {
        SettingsError::Unreadable { path, source } => {
            Complaint::new(format!("Cannot read {}: {}.", path.display(), reason(source)), advice(source))
        }
        SettingsError::NotToml { path, message } => {
            Complaint::new(format!("{} is not written as TOML.", path.display()), message.clone())
        }
        SettingsError::Wrong { path, key, wanted } => {
            Complaint::new(format!("{key} in {} is wrong.", path.display()), format!("It may be {wanted}."))
        }
    }
}

fn resolve(error: &ResolveError) -> Complaint {
    match error {
        ResolveError::NoneHere { cwd } => Complaint::new(
            format!("There is no session of {} yet.", cwd.display()),
            "Name one by its path, the beginning of its id or its name, or try `naite demo`.",
        ),
        ResolveError::Unknown { given, unreadable } => Complaint::new(
            format!("No session has the path, id or name \"{given}\"."),
            match unreadable {
                0 => String::new(),
                count => format!("{count} files could not be read and may be it."),
            },
        ),
        ResolveError::Ambiguous { given, candidates } => {
            let listed: Vec<String> =
                candidates.iter().take(5).map(|(id, path)| format!("  {id}  {}", path.display())).collect();
            let more = if candidates.len() > 5 { "\n  …" } else { "" };
            Complaint::new(
                format!("\"{given}\" fits {} sessions; give more of the id, or the path.", candidates.len()),
                one_line_each(&listed) + more,
            )
        }
    }
}

fn one_line_each(lines: &[String]) -> String {
    lines.iter().map(|line| one_line(line).into_owned()).collect::<Vec<_>>().join("\n")
}
