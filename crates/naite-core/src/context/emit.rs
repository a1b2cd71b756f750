//! Bodies to messages in stored form: what the peers' `buildSessionContext` gives.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::Plan;
use crate::entry::{Entry, Kind};
use crate::heads::Ix;
use crate::id::EntryId;
use crate::text::json::{self, Object, ObjectWriter};
use crate::tree::Tree;

/// The context at a leaf.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The leaf.
    pub leaf: Option<EntryId>,
    /// Root to leaf.
    pub path: Vec<EntryId>,
    /// Messages in stored form.
    pub messages: Vec<ContextMessage>,
    /// Thinking level.
    pub thinking: String,
    /// Provider and model id.
    pub model: Option<(String, String)>,
    /// Mode; `none` outside any.
    pub mode: String,
    /// Raw JSON of the mode's data.
    pub mode_data: Option<String>,
    /// Rules injected on the path, in order, each once.
    pub injected_rules: Vec<String>,
}

/// One message of a context.
#[derive(Clone, Debug)]
pub struct ContextMessage {
    /// The entry that it comes from.
    pub entry: Ix,
    /// The message in stored form, raw JSON.
    pub json: String,
}

/// Makes the context from a plan and the bodies of [`Plan::reads`], in that order. A body that could not be read
/// is an empty text; it gives no message.
pub fn emit<S: AsRef<str>>(tree: &Tree, plan: &Plan, bodies: &[S]) -> Context {
    let mut context = Context {
        leaf: plan.path.last().map(|ix| tree.heads().entry_id(*ix)),
        path: plan.path.iter().map(|ix| tree.heads().entry_id(*ix)).collect(),
        thinking: plan.thinking.clone(),
        model: plan.model.clone(),
        mode: plan.mode.and_then(|ix| tree.heads().setting(ix)).unwrap_or("none").into(),
        ..Context::default()
    };
    for (ix, body) in plan.reads().zip(bodies) {
        let Some(fields) = Object::parse(body.as_ref()) else { continue };
        let head = tree.head(ix);
        match head.kind {
            Kind::ModeChange => context.mode_data = fields.present("data").map(String::from),
            Kind::TtsrInjection => add_rules(&mut context.injected_rules, &fields),
            _ => {
                if let Some(json) = message(&fields, head.kind, head.at) {
                    context.messages.push(ContextMessage { entry: ix, json });
                }
            }
        }
    }
    context
}

fn add_rules(rules: &mut Vec<String>, fields: &Object<'_>) {
    for rule in fields.raw("injectedRules").and_then(json::array).unwrap_or_default() {
        let Some(rule) = json::string(rule) else { continue };
        if !rules.iter().any(|known| *known == rule) {
            rules.push(rule.into_owned());
        }
    }
}

fn message(fields: &Object<'_>, kind: Kind, at: i64) -> Option<String> {
    let summary = |role: &str, also: &str| {
        ObjectWriter::new()
            .str("role", role)
            .raw("summary", fields.raw("summary").unwrap_or("\"\""))
            .maybe_raw(also, fields.raw(also))
            .display("timestamp", at)
            .end()
    };
    match kind {
        Kind::Message => fields.raw("message").filter(|raw| raw.starts_with('{')).map(String::from),
        Kind::CustomMessage => Some(
            ObjectWriter::new()
                .str("role", "custom")
                .raw("customType", fields.raw("customType").unwrap_or("\"\""))
                .raw("content", fields.raw("content").unwrap_or("\"\""))
                .raw("display", fields.raw("display").unwrap_or("true"))
                .maybe_raw("details", fields.raw("details"))
                .display("timestamp", at)
                .end(),
        ),
        Kind::BranchSummary => Some(summary("branchSummary", "fromId")),
        Kind::Compaction => Some(summary("compactionSummary", "tokensBefore")),
        _ => None,
    }
}

impl Context {
    /// The context as `naite context --json` prints it (schema in `docs/json.md`).
    pub fn to_json(&self) -> String {
        let model = self.model.as_ref().map(|(provider, model_id)| {
            ObjectWriter::new().str("provider", provider).str("modelId", model_id).end()
        });
        ObjectWriter::new()
            .str_or_null("leaf", self.leaf.as_ref().map(EntryId::as_str))
            .raw("path", &json::join(self.path.iter().map(|id| json::quote(id.as_str()))))
            .raw("messages", &json::join(self.messages.iter().map(|message| &message.json)))
            .str("thinkingLevel", &self.thinking)
            .raw("model", model.as_deref().unwrap_or("null"))
            .str("mode", &self.mode)
            .maybe_raw("modeData", self.mode_data.as_deref())
            .raw("injectedRules", &json::join(self.injected_rules.iter().map(|rule| json::quote(rule))))
            .end()
    }
}

/// The text that goes to the editor when an entry is chosen again, and its images as raw blocks.
pub fn prefill(entry: &Entry<'_>) -> (String, Vec<String>) {
    let raw: Option<Cow<'_, str>> = match entry.kind {
        Kind::Message => {
            entry.fields().object("message").and_then(|message| message.raw("content")).map(Cow::Borrowed)
        }
        _ => entry.fields().raw("content").map(Cow::Borrowed),
    };
    let blocks = crate::entry::content_blocks(raw.as_deref());
    let images = blocks
        .iter()
        .filter_map(|block| match block {
            crate::entry::Block::Other { kind, raw } if kind == "image" => Some(String::from(*raw)),
            _ => None,
        })
        .collect();
    (crate::entry::joined_text(&blocks), images)
}
