//! The conversation as one HTML page that needs nothing else: left the tree, right the talk.
//!
//! Invariant: everything from the session goes through maud's escaping or [`render`]; no attribute holds its text,
//! except pictures that were decoded. The page's policy lets nothing run but our script and loads nothing at all.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use naite_core::entry::{Kind, Role};
use naite_core::text::{nfc, one_line};
use sha2::{Digest, Sha256};

use super::parts::{Part, arguments, parts};
use super::rich::render;
use super::{Conversation, Row, Turn};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Outputs of at most this many lines are shown without a click.
const SHORT: usize = 6;

/// Writes the page.
pub fn html(all: &Conversation) -> String {
    let title = all.title();
    let policy = format!(
        "default-src 'none'; img-src data:; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (nfc(&title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (bar(&title))
                div.page {
                    nav #tree aria-label="Tree" {
                        ol #rows role="tree" aria-label="Entries" {
                            @for (at, row) in all.rows.iter().enumerate() { (tree_row(all, row, at)) }
                        }
                        p #none hidden { "Nothing holds all these words." }
                    }
                    main #talk tabindex="-1" {
                        (facts(all))
                        @for (at, turn) in all.turns.iter().enumerate() { (article(all, turn, at)) }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

fn bar(title: &str) -> Markup {
    html! {
        header.bar {
            button #toggle type="button" aria-controls="tree" aria-expanded="false" { "Tree" }
            h1 lang=[lang(title)] { (nfc(title)) }
            div.search role="search" {
                input #q type="search" placeholder="Search" aria-label="Search" autocomplete="off" spellcheck="false";
                kbd { "/" }
                output #hits for="q" {}
            }
        }
    }
}

fn facts(all: &Conversation) -> Markup {
    let entries = all.turns.iter().filter(|turn| !turn.kind.is_bookkeeping()).count();
    let scope = if all.whole { "the whole tree" } else { "one branch" };
    html! {
        p.facts {
            @if let Some(folder) = &all.folder { span { (nfc(folder)) } }
            @if let Some(created) = &all.created { span { (created.get(..10).unwrap_or(created)) } }
            span { (entries) " entries, " (scope) }
            span { "times in UTC" }
            @if !all.masked { span.warn { "secrets are not masked" } }
        }
        @if entries == 0 { p.facts { "There is nothing before the first entry." } }
    }
}

fn tree_row(all: &Conversation, row: &Row, at: usize) -> Markup {
    let turn = &all.turns[row.turn];
    let (who, words) = match turn.role {
        Role::User => ("user", turn.words.strip_prefix("user: ")),
        Role::Assistant => ("assistant", turn.words.strip_prefix("assistant: ")),
        Role::ToolResult => ("tool", None),
        _ => ("other", None),
    };
    let class = format!("{who}{}", if turn.active { " active" } else { "" });
    html! {
        li class=(class) role="treeitem" tabindex=(if at == 0 { "0" } else { "-1" })
            aria-level=(row.level + 1) aria-expanded=[row.folds_to.map(|_| "true")]
            data-e=(row.turn) data-to=[row.folds_to] {
            (gutter(&row.gutter))
            @match row.folds_to {
                Some(last) => { b.fold aria-hidden="true" data-hides=(last - at) {} }
                None => { b.dot aria-hidden="true" {} }
            }
            @if let Some(label) = &turn.label { em.label { (nfc(label)) } }
            @match words {
                Some(words) => { span.hush { (who) ": " } span.words { (nfc(words)) } }
                None => { span.words { (nfc(&bare(&turn.words))) } }
            }
        }
    }
}

/// The words of a row without the brackets that a terminal needs: `[bash: ls]`, `[branch summary]: …`.
fn bare(words: &str) -> Cow<'_, str> {
    match words.strip_prefix('[').and_then(|words| words.split_once("]: ")) {
        Some((what, rest)) => format!("{what}: {rest}").into(),
        None => words.strip_prefix('[').and_then(|words| words.strip_suffix(']')).unwrap_or(words).into(),
    }
}

fn gutter(drawn: &str) -> Markup {
    let (cut, drawn) = match drawn.strip_prefix('…') {
        // What was cut through in the middle is left out.
        Some(rest) => {
            (true, rest.char_indices().nth(rest.chars().count() % 3).map_or("", |(at, _)| &rest[at..]))
        }
        None => (false, drawn),
    };
    let units: Vec<char> = drawn.chars().step_by(3).collect();
    html! {
        @if cut { i.cut { "…" } }
        @for unit in units {
            i class=(match unit { '├' => "tee", '└' => "bend", '│' => "line", _ => "gap" }) {}
        }
    }
}

fn article(all: &Conversation, turn: &Turn, at: usize) -> Markup {
    if turn.kind.is_bookkeeping() {
        return html! { article id=(format!("e{at}")) data-p=[turn.parent] hidden {} };
    }
    let parts: Vec<Part> = parts(turn).into_iter().filter(|part| !is_answered(all, part)).collect();
    let class = match (turn.kind, turn.role) {
        (Kind::Message, Role::User) => "user",
        (Kind::Message, Role::Assistant) => "assistant",
        (Kind::Message, Role::ToolResult) => "tool",
        (Kind::Compaction | Kind::BranchSummary, _) => "summary",
        _ => "other",
    };
    let is_quiet = class == "tool" || parts.is_empty();
    html! {
        article.(class) id=(format!("e{at}")) data-p=[turn.parent] hidden[!turn.active] {
            @if !is_quiet || turn.label.is_some() { (heading(turn)) }
            @if turn.role == Role::ToolResult { (result(turn, &parts)) }
            @else { @for part in &parts { (block(part, turn.role)) } }
        }
    }
}

fn heading(turn: &Turn) -> Markup {
    html! {
        header {
            h2 { (turn.speaker()) }
            @if let Some(label) = &turn.label { em.label { (nfc(label)) } }
            @if let Some(model) = turn.model.as_ref().filter(|_| turn.role == Role::Assistant) {
                span.model { (nfc(model)) }
            }
            time { (turn.minute()) }
        }
    }
}

/// Says whether a call is shown together with its result.
fn is_answered(all: &Conversation, part: &Part) -> bool {
    matches!(part, Part::Call { id, .. } if all.answered.contains(id))
}

fn block(part: &Part, role: Role) -> Markup {
    match part {
        Part::Text(text) if role == Role::User => {
            html! { div.said lang=[lang(text)] { (nfc(text.trim_end())) } }
        }
        Part::Text(text) => html! { div.rich lang=[lang(text)] { (render(text)) } },
        Part::Summary(text) => html! { div.rich lang=[lang(text)] { (render(text)) } },
        Part::Thinking(text) => html! {
            details.thinking { summary { "Thinking" } div.said lang=[lang(text)] { (nfc(text.trim())) } }
        },
        Part::Call { name, arguments, .. } => html! {
            details.call { summary { b { (nfc(name)) } " " span { (one_line(first_line(arguments))) } } (pre(arguments)) }
        },
        Part::Output { text, failed } => html! { div.output.failed[*failed] { (pre(text)) } },
        Part::Command { code, .. } => html! { div.command { (pre(code)) } },
        Part::Image { mime, data } => html! { img alt="" src=(format!("data:{mime};base64,{data}")); },
        Part::File { path, content } => {
            html! { details.call { summary { b { (nfc(path)) } } (pre(content)) } }
        }
        Part::Note(text) => html! { p.note { (nfc(text)) } },
    }
}

/// A tool's result with the call that it answers.
fn result(turn: &Turn, parts: &[Part]) -> Markup {
    let failed = parts.iter().any(|part| matches!(part, Part::Output { failed: true, .. }));
    let lines: usize = parts
        .iter()
        .map(|part| match part {
            Part::Output { text, .. } => text.lines().count() + text.len() / 400,
            _ => 1,
        })
        .sum();
    let given = turn.call.as_ref().map(|call| arguments(&call.arguments)).unwrap_or_default();
    let words = bare(&turn.words);
    let (name, rest) = words.split_once(": ").unwrap_or((&words, ""));
    html! {
        details.result.failed[failed] open[failed] {
            summary {
                b { (nfc(name)) } " " span { (nfc(rest)) }
                @if failed { em { "failed" } }
                @else if lines <= SHORT { (short(parts)) }
            }
            @if given.lines().count() > 1 || given.len() > rest.len() + 20 { div.given { (pre(&given)) } }
            @for part in parts { (block(part, turn.role)) }
        }
    }
}

/// The first line of a short output, beside the call.
fn short(parts: &[Part]) -> Markup {
    let line = parts.iter().find_map(|part| match part {
        Part::Output { text, .. } => text.lines().find(|line| !line.trim().is_empty()),
        _ => None,
    });
    html! { @if let Some(line) = line { i { (nfc(line)) } } }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn pre(text: &str) -> Markup {
    // A line break behind `<pre>` would be swallowed.
    html! { pre tabindex="0" { "\n" (nfc(text.trim_end())) } }
}

/// Korean text is told, so that browsers break it at spaces and take Korean fonts.
fn lang(text: &str) -> Option<&'static str> {
    text.chars().any(|c| matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}')).then_some("ko")
}
