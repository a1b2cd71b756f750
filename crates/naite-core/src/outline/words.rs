//! The words of a row, and all the words by which a row can be found (`tree-navigator.md`).

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::haystack::{Said, push};
use crate::entry::{Block, Entry, Kind, Message, Role, Stop, content_blocks};
use crate::heads::Ix;
use crate::text::json::{self, Object};
use crate::text::{fold_owned, is_blank, one_line, prefix_graphemes, printable, thousands};
use crate::tree::Tree;

/// A row shows no more of a text than this, in graphemes: the widest terminal is narrower.
const ROW_TEXT: usize = 500;
/// A command in a row, in graphemes.
const COMMAND: usize = 50;
/// Other arguments in a row, in graphemes.
const ARGUMENTS: usize = 40;

/// The call that a tool result answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The tool.
    pub name: String,
    /// Raw JSON of the arguments.
    pub arguments: String,
}

impl Caller {
    /// Finds a call among the blocks of an assistant's message.
    pub fn find(assistant: &Entry<'_>, call: &str) -> Option<Self> {
        if let Some(said) = Said::read(assistant.text) {
            let found = said.calls().find(|one| one.id == call)?;
            let arguments = found.arguments.unwrap_or("{}");
            return Some(Self { name: found.name.into(), arguments: arguments.into() });
        }
        assistant.message()?.blocks().into_iter().find_map(|block| match block {
            Block::ToolCall { id, name, arguments, .. } if id == call => {
                Some(Self { name: name.into_owned(), arguments: arguments.unwrap_or("{}").into() })
            }
            _ => None,
        })
    }
}

/// Finds the entry whose call a tool result answers: the nearest turn of the model above it.
pub fn caller(tree: &Tree, result: Ix) -> Option<Ix> {
    if tree.head(result).role != Role::ToolResult {
        return None;
    }
    let call = tree.heads().calls(result).next()?;
    let assistant = tree.ancestry(tree.parent(result)).find(|ix| tree.head(*ix).role == Role::Assistant)?;
    tree.heads().calls(assistant).any(|known| known == call).then_some(assistant)
}

/// The text of a row, on one line, with nothing in it that a terminal would obey. `home` is shown as `~`.
pub fn row_text(entry: &Entry<'_>, caller: Option<&Caller>, home: Option<&str>) -> String {
    let text = |key: &str| entry.fields().str(key).unwrap_or_default();
    let row = match entry.kind {
        Kind::Message => message_row(entry, caller, home),
        Kind::CustomMessage => {
            // What a program wraps in tags has its words beside it.
            let details = entry.fields().object("details");
            let title = details.and_then(|details| details.object("claudeCode")?.str("title"));
            let words = title.map_or_else(|| entry.content_text(), Cow::into_owned);
            alloc::format!("[{}]: {}", text("customType"), short(&words))
        }
        Kind::Compaction => {
            alloc::format!(
                "[compaction: {} tokens]",
                thousands(entry.fields().u64("tokensBefore").unwrap_or(0))
            )
        }
        Kind::BranchSummary => alloc::format!("[branch summary]: {}", short(&text("summary"))),
        Kind::ModelChange => alloc::format!("[model: {}]", model_id(entry)),
        Kind::ThinkingLevelChange => alloc::format!("[thinking: {}]", filled(&text("thinkingLevel"), "off")),
        Kind::Custom | Kind::Move => alloc::format!("[custom: {}]", text("customType")),
        Kind::Label => alloc::format!("[label: {}]", filled(&text("label"), "(cleared)")),
        Kind::SessionInfo => alloc::format!("[title: {}]", filled(text("name").trim(), "(cleared)")),
        Kind::TitleChange => alloc::format!("[title: {}]", filled(text("title").trim(), "(cleared)")),
        Kind::ModeChange => alloc::format!("[mode: {}]", filled(&text("mode"), "none")),
        Kind::Placeholder => String::from("[unreadable line]"),
        _ => alloc::format!("[{}]", entry.type_name().replace('_', " ")),
    };
    let line = one_line(row.trim());
    prefix_graphemes(line.trim(), ROW_TEXT).to_string()
}

fn filled<'a>(text: &'a str, or: &'a str) -> &'a str {
    if is_blank(text) { or } else { text }
}

/// The first graphemes of a long text: a row never pays for the megabytes behind them.
fn short(text: &str) -> &str {
    prefix_graphemes(text.trim_start(), ROW_TEXT)
}

fn model_id<'a>(entry: &'a Entry<'_>) -> Cow<'a, str> {
    entry.fields().str("modelId").unwrap_or_else(|| {
        let joined = entry.fields().str("model").unwrap_or_default();
        joined.split_once('/').map_or(joined.clone(), |(_, model)| Cow::Owned(model.into()))
    })
}

fn message_row(entry: &Entry<'_>, caller: Option<&Caller>, home: Option<&str>) -> String {
    if let (Role::ToolResult, Some(caller)) = (entry.role, caller) {
        let agent = entry.message().and_then(|message| message.0.object("details")?.str("agentId"));
        return call_row(caller, agent.as_deref(), home);
    }
    let Some(message) = entry.message() else { return String::from("[message]") };
    let field = |key: &str| message.0.str(key).unwrap_or_default();
    match message.role() {
        Role::User => alloc::format!("user: {}", filled(short(&message.text()), "(no content)")),
        Role::Assistant => alloc::format!("assistant: {}", assistant_words(&message)),
        Role::ToolResult => alloc::format!("[tool {}]", filled(&field("toolName"), "result")),
        Role::BashExecution => alloc::format!("[bash]: {}", short(&field("command"))),
        Role::Custom => {
            alloc::format!("[{}]: {}", filled(&field("customType"), "custom"), short(&message.text()))
        }
        _ => alloc::format!("[{}] {}", filled(&field("role"), "message"), short(&message.text())),
    }
}

fn assistant_words(message: &Message<'_>) -> String {
    let text = message.text();
    if !is_blank(&text) {
        return short(&text).into();
    }
    match (message.stop(), message.0.str("errorMessage")) {
        (Some(Stop::Aborted), _) => String::from("(aborted)"),
        (_, Some(error)) if !is_blank(&error) => short(&error).into(),
        (Some(Stop::Error), _) => String::from("(error)"),
        _ => String::from("(no content)"),
    }
}

/// A call in words; `agent` is the sub-agent that it started.
fn call_row(caller: &Caller, agent: Option<&str>, home: Option<&str>) -> String {
    let arguments = Object::parse(&caller.arguments).unwrap_or_default();
    let text = |key: &str| arguments.str(key).map(|text| short(&text).to_string());
    let path = text("path").or_else(|| text("file_path")).map(|path| tilde(&path, home));
    let place = || path.clone().unwrap_or_else(|| String::from("."));
    match (caller.name.to_ascii_lowercase().as_str(), &path) {
        ("read", Some(path)) => alloc::format!("[read: {path}{}]", lines(&arguments)),
        ("write", Some(path)) => alloc::format!("[write: {path}]"),
        ("edit", Some(path)) => alloc::format!("[edit: {path}]"),
        ("ls", _) => alloc::format!("[ls: {}]", place()),
        ("bash", _) if text("command").is_some() => {
            alloc::format!("[bash: {}]", ellipsis(&text("command").unwrap_or_default(), COMMAND))
        }
        ("grep", _) if text("pattern").is_some() => {
            alloc::format!("[grep: /{}/ in {}]", text("pattern").unwrap_or_default(), place())
        }
        ("find" | "glob", _) if text("pattern").is_some() => {
            alloc::format!("[find: {} in {}]", text("pattern").unwrap_or_default(), place())
        }
        ("agent" | "task", _) if text("description").is_some() => {
            let run = agent.map(|id| alloc::format!(" → agent-{id}")).unwrap_or_default();
            alloc::format!("[agent: {}{run}]", ellipsis(&text("description").unwrap_or_default(), COMMAND))
        }
        _ => alloc::format!("[{}: {}]", caller.name, ellipsis(&caller.arguments, ARGUMENTS)),
    }
}

/// The lines that a read asked for, as `:10-20`.
fn lines(arguments: &Object<'_>) -> String {
    match (arguments.u64("offset"), arguments.u64("limit")) {
        (None, None) => String::new(),
        (from, Some(count)) => {
            let from = from.unwrap_or(1);
            alloc::format!(":{from}-{}", from.saturating_add(count).saturating_sub(1))
        }
        (Some(from), None) => alloc::format!(":{from}"),
    }
}

fn ellipsis(text: &str, graphemes: usize) -> String {
    let line = one_line(text.trim());
    let kept = prefix_graphemes(&line, graphemes);
    if kept.len() < line.len() { alloc::format!("{kept}…") } else { kept.into() }
}

/// Shows the home folder as `~`, on a border between path parts only.
fn tilde(path: &str, home: Option<&str>) -> String {
    let home = home.map(|home| home.trim_end_matches('/')).filter(|home| !home.is_empty());
    match home.and_then(|home| path.strip_prefix(home)) {
        Some("") => String::from("~"),
        Some(rest) if rest.starts_with('/') => alloc::format!("~{rest}"),
        _ => path.into(),
    }
}

/// Everything by which a row can be found, folded for matching.
pub fn search_text(
    entry: &Entry<'_>,
    label: Option<&str>,
    caller: Option<&Caller>,
    home: Option<&str>,
) -> String {
    match quick_search_text(entry, label, caller, home) {
        Some(text) => text,
        None => careful_search_text(entry, label, caller, home),
    }
}

/// The same for what nearly all messages look like, in one pass over the record.
fn quick_search_text(
    entry: &Entry<'_>,
    label: Option<&str>,
    caller: Option<&Caller>,
    home: Option<&str>,
) -> Option<String> {
    let is_turn = matches!(entry.role, Role::User | Role::Assistant);
    if entry.kind != Kind::Message || !(is_turn || entry.role == Role::ToolResult && caller.is_some()) {
        return None;
    }
    // The row of a call that started a sub-agent names it, which stands elsewhere in the record.
    if caller.is_some_and(|caller| matches!(caller.name.to_ascii_lowercase().as_str(), "agent" | "task")) {
        return None;
    }
    let said = Said::read(entry.text)?;
    let mut all = String::with_capacity(said.len() + 256);
    match caller {
        Some(caller) => {
            all.push_str(&call_row(caller, None, home));
            push(&mut all, &caller.name);
            push(&mut all, &plain_arguments(&caller.arguments));
        }
        // A turn without text has other words in its row.
        None if said.texts().all(is_blank) => return None,
        None => all.push_str(&said.role.0),
    }
    let mut before = if caller.is_some() { "\n" } else { ": " };
    for text in said.texts() {
        all.push_str(core::mem::replace(&mut before, "\n"));
        all.push_str(text);
    }
    push(&mut all, label.unwrap_or_default());
    push(&mut all, &said.role.0);
    said.fields().for_each(|text| push(&mut all, text));
    for call in said.calls() {
        push(&mut all, call.name);
        push(&mut all, &plain_arguments(call.arguments.unwrap_or_default()));
    }
    Some(fold_owned(all))
}

fn careful_search_text(
    entry: &Entry<'_>,
    label: Option<&str>,
    caller: Option<&Caller>,
    home: Option<&str>,
) -> String {
    let message = entry.message();
    // The row of a turn begins like its text, which is there in full.
    let spoken = match (&message, entry.role) {
        (Some(message), Role::User | Role::Assistant) => Some(message.text()).filter(|text| !is_blank(text)),
        _ => None,
    };
    let mut all = match &spoken {
        Some(text) => alloc::format!("{}: {text}", entry.role.name()),
        None => row_text(entry, caller, home),
    };
    let mut add = |text: &str| {
        if !text.is_empty() {
            all.push('\n');
            all.push_str(text);
        }
    };
    add(label.unwrap_or_default());
    for key in ["summary", "customType", "name", "title", "label"] {
        add(&entry.fields().str(key).unwrap_or_default());
    }
    if entry.kind == Kind::CustomMessage {
        add(&entry.content_text());
    }
    if let Some(message) = message {
        for key in ["role", "command", "output", "toolName", "customType", "errorMessage"] {
            add(&message.0.str(key).unwrap_or_default());
        }
        for block in content_blocks(message.0.raw("content")) {
            match block {
                Block::Text(text) if spoken.is_none() => add(&text),
                Block::ToolCall { name, arguments, .. } => {
                    add(&name);
                    add(&plain_arguments(arguments.unwrap_or_default()));
                }
                Block::Text(_) | Block::Thinking { .. } | Block::Other { .. } => {}
            }
        }
    }
    if let Some(caller) = caller {
        add(&caller.name);
        add(&plain_arguments(&caller.arguments));
    }
    fold_owned(all)
}

/// An entry in full, harmless, on lines: its text, and in words what else it holds.
pub fn full_text(entry: &Entry<'_>) -> Vec<String> {
    let message = entry.message();
    let mut lines = Vec::new();
    let mut add = |text: &str| {
        if !text.is_empty() {
            lines.push(printable(text).into_owned());
        }
    };
    add(&entry.fields().str("summary").unwrap_or_default());
    let content = match &message {
        Some(message) => {
            for key in ["command", "output", "errorMessage"] {
                add(&message.0.str(key).unwrap_or_default());
            }
            message.0.raw("content")
        }
        None => entry.fields().raw("content"),
    };
    for block in content_blocks(content) {
        match block {
            Block::Text(text) => add(&text),
            Block::Thinking { raw } => {
                let text = Object::parse(raw).and_then(|fields| fields.str("thinking")).unwrap_or_default();
                add(&alloc::format!("[thinking] {text}"));
            }
            Block::ToolCall { name, arguments, .. } => {
                add(&alloc::format!("[call {}] {}", one_line(&name), one_line(arguments.unwrap_or("{}"))));
            }
            Block::Other { kind, .. } => add(&alloc::format!("[{}]", one_line(&kind))),
        }
    }
    lines
}

/// The text that somebody would copy: what was said, the output of a command, a summary.
pub fn plain_text(entry: &Entry<'_>) -> String {
    let message = entry.message();
    let text = match &message {
        Some(message) => message.text(),
        None => entry.content_text(),
    };
    let field = |key: &str| match &message {
        Some(message) => message.0.str(key).unwrap_or_default().into_owned(),
        None => entry.fields().str(key).unwrap_or_default().into_owned(),
    };
    let mut texts =
        [text, field("summary"), field("output"), field("command"), field("errorMessage")].into_iter();
    texts.find(|text| !is_blank(text)).unwrap_or_default()
}

/// Tokens that a turn of the model took: what it was given (cached or not), and what it said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
}

/// Reads the tokens of an entry; `None` where the file does not say.
pub fn tokens(entry: &Entry<'_>) -> Option<Tokens> {
    let usage = entry.message()?.0.object("usage")?;
    let count = |key: &str| usage.u64(key).unwrap_or(0);
    let input = count("input").saturating_add(count("cacheRead")).saturating_add(count("cacheWrite"));
    Some(Tokens { input, output: count("output") })
}

/// The files that an entry's tool calls write or change, as the calls name them.
pub fn touched_files(entry: &Entry<'_>) -> Vec<String> {
    let blocks = entry.message().map(|message| message.blocks()).unwrap_or_default();
    let touched = blocks.into_iter().filter_map(|block| match block {
        Block::ToolCall { name, arguments, .. }
            if matches!(
                name.to_ascii_lowercase().as_str(),
                "write" | "edit" | "multiedit" | "notebookedit"
            ) =>
        {
            let arguments = Object::parse(arguments?)?;
            let path =
                ["path", "file_path", "notebook_path"].into_iter().find_map(|key| arguments.str(key))?;
            Some(path.into_owned())
        }
        _ => None,
    });
    touched.collect()
}

/// Arguments with their strings unescaped, so that `한글` or a line break in a command is found as it is read.
fn plain_arguments(raw: &str) -> String {
    let Some(fields) = Object::parse(raw) else { return raw.into() };
    let mut text = String::new();
    for (key, value) in fields.fields() {
        text.push_str(key);
        text.push(' ');
        text.push_str(&json::string(value).unwrap_or(Cow::Borrowed(value)));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryId;

    /// The quick way must find the same words as the careful one, or leave the record to it.
    #[test]
    fn both_ways_to_search_find_the_same() {
        let caller =
            Caller { name: "bash".into(), arguments: r#"{"command":"echo \"한글\" && ls"}"#.into() };
        let records = [
            (Role::User, r#"{"message":{"role":"user","content":"Hello 한글\n\tL"}}"#, true),
            (
                Role::User,
                r#"{"message":{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"zz"},{"type":"text","text":"B"}]}}"#,
                true,
            ),
            (Role::User, r#"{"message":{"role":"user","content":" "}}"#, false),
            (Role::User, r#"{"message":{"role":"user","content":"x\ud83d y"}}"#, false),
            (
                Role::Assistant,
                r#"{"message":{"role":"assistant","content":[{"type":"thinking","thinking":"no"},{"type":"text","text":"Yes"},{"type":"toolCall","id":"c","name":"Read","arguments":{"path":"a\"b","n":[1,{"k":"v"}]}}],"errorMessage":"Boom"}}"#,
                true,
            ),
            (
                Role::Assistant,
                r#"{"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":null}]}}"#,
                false,
            ),
            (
                Role::ToolResult,
                r#"{"message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"OUT"}]}}"#,
                true,
            ),
            (Role::User, r#"{"message":{"role":"user","role":"user","content":"twice"}}"#, false),
        ];
        for (role, record, is_quick) in records {
            let id = EntryId::new("e").expect("an id");
            let entry = crate::codec::entry(record, id, None, (Kind::Message, role, 0));
            let caller = (role == Role::ToolResult).then_some(&caller);
            let careful = careful_search_text(&entry, Some("Pin"), caller, None);
            let quick = quick_search_text(&entry, Some("Pin"), caller, None);
            assert_eq!(quick.is_some(), is_quick, "{record}");
            let words = |text: &str| -> Vec<String> {
                let mut words: Vec<String> = text.split_whitespace().map(String::from).collect();
                words.sort_unstable();
                words.dedup();
                words
            };
            assert_eq!(words(&quick.unwrap_or_else(|| careful.clone())), words(&careful), "{record}");
        }
    }
}
