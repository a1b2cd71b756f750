//! The conversation as Markdown: a heading for each message, fences around what tools got and gave.

use naite_core::entry::{Kind, Role};
use naite_core::text::one_line;

use super::parts::{Part, parts};
use super::rich::tame;
use super::{Conversation, Turn};

/// Writes the document.
pub fn markdown(all: &Conversation) -> String {
    let mut out = format!("# {}\n\n", words(&all.title()));
    let mut fact = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            out.push_str(&format!("- {name}: {}\n", code(value)));
        }
    };
    fact("session", Some(&all.session));
    fact("folder", all.folder.as_deref());
    fact("created", all.created.as_deref());
    fact("leaf", all.leaf.as_deref());
    for (at, turn) in all.turns.iter().enumerate().filter(|(_, turn)| !turn.kind.is_bookkeeping()) {
        out.push_str(&heading(turn));
        if let Some(parent) = turn.parent.filter(|parent| parent + 1 != at) {
            out.push_str(&format!("\n*Another branch, from {}.*\n", code(&all.turns[parent].id)));
        }
        for part in parts(turn) {
            out.push('\n');
            out.push_str(&block(&part, turn));
            out.push('\n');
        }
    }
    out
}

fn heading(turn: &Turn) -> String {
    let who = match &turn.call {
        Some(call) if turn.role == Role::ToolResult => {
            format!("{} of {}", turn.speaker(), code(&one_line(&call.name)))
        }
        _ => turn.speaker().into(),
    };
    let depth = if turn.kind == Kind::Message && turn.role == Role::ToolResult { "###" } else { "##" };
    let model = turn.model.as_ref().filter(|_| turn.role == Role::Assistant);
    let model = model.map(|model| format!(" · {}", words(model))).unwrap_or_default();
    let label =
        turn.label.as_ref().map(|label| format!(" · {}", code(&format!("[{label}]")))).unwrap_or_default();
    format!("\n{depth} {who} · {}{model}{label}\n", turn.minute())
}

fn block(part: &Part, turn: &Turn) -> String {
    match part {
        Part::Text(text) => tame(text),
        Part::Thinking(text) => quote(&format!("*Thinking.* {}", tame(text))),
        Part::Summary(text) => quote(&tame(text)),
        Part::Call { name, arguments, .. } if arguments.is_empty() => format!("Calls {}.", code(name)),
        Part::Call { name, arguments, .. } => format!("Calls {}:\n\n{}", code(name), fence(arguments, "")),
        Part::Output { text, failed: true } => format!("It failed:\n\n{}", fence(text, "")),
        Part::Output { text, .. } => fence(text, ""),
        Part::Command { language, code } => fence(code, language),
        Part::Image { mime, data } => format!("*A picture ({mime}, {} bytes).*", data.len() / 4 * 3),
        Part::File { path, content } => format!("{}\n\n{}", code(path), fence(content, "")),
        Part::Note(text) if turn.kind == Kind::Compaction => format!("*{}*", words(text)),
        Part::Note(text) => code(text),
    }
}

/// A code fence longer than any run of backticks inside.
fn fence(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Text of one line as code, whatever backticks it has.
fn code(text: &str) -> String {
    let text = text.replace('\n', " ");
    match longest_run(&text) {
        0 => format!("`{text}`"),
        run => {
            let ticks = "`".repeat(run + 1);
            format!("{ticks} {text} {ticks}")
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn quote(text: &str) -> String {
    text.lines()
        .map(|line| if line.is_empty() { ">".into() } else { format!("> {line}") })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Text of one line in which no character means anything to Markdown.
fn words(text: &str) -> String {
    text.chars().flat_map(|c| "\\`*_[]<>#|&~".contains(c).then_some('\\').into_iter().chain([c])).collect()
}
