//! What the model sees at a leaf: planned on heads, emitted from the few bodies that the plan names.

mod emit;
mod model;
mod pair;

use alloc::string::String;
use alloc::vec::Vec;

use crate::entry::Kind;
use crate::heads::Ix;
use crate::tree::Tree;

pub use emit::{Context, ContextMessage, emit, prefill};
pub use model::{Blobs, ModelMessage, ModelRole, convert};
pub use pair::{Late, late_results, pair, to_model};

/// What a leaf's context is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Root to leaf; empty for the state before the first entry.
    pub path: Vec<Ix>,
    /// The entries that give messages, in the order of the messages: a compaction stands first.
    pub emit: Vec<Ix>,
    /// Thinking level; `off` before any change.
    pub thinking: String,
    /// Provider and model id.
    pub model: Option<(String, String)>,
    /// The last change of mode.
    pub mode: Option<Ix>,
    /// Entries that name injected rules.
    pub rules: Vec<Ix>,
}

impl Plan {
    /// The entries whose bodies [`emit`] wants, in the order it wants them.
    pub fn reads(&self) -> impl Iterator<Item = Ix> + '_ {
        self.emit.iter().chain(&self.mode).chain(&self.rules).copied()
    }
}

/// Plans the context at a leaf (`session-tree.md` §2): one walk up the path, no body is needed.
pub fn plan(tree: &Tree, leaf: Option<Ix>) -> Plan {
    let heads = tree.heads();
    let path = tree.path(leaf);
    let mut plan = Plan { thinking: String::from("off"), ..Plan::default() };
    if path.is_empty() {
        return plan;
    }
    if let Some(header) = heads.header() {
        plan.thinking = header.thinking_level.clone().unwrap_or(plan.thinking);
        plan.model = header.provider.clone().zip(header.model_id.clone());
    }
    let (mut compaction, mut boundary) = (None, None);
    for (at, ix) in path.iter().enumerate() {
        match tree.head(*ix).kind {
            Kind::Message | Kind::ModelChange => {
                if let Some(model) = heads.model(*ix) {
                    plan.model = Some((model.provider.into(), model.model_id.into()));
                }
            }
            Kind::ThinkingLevelChange => plan.thinking = heads.setting(*ix).unwrap_or("off").into(),
            Kind::ModeChange => plan.mode = Some(*ix),
            Kind::TtsrInjection => plan.rules.push(*ix),
            Kind::Compaction => compaction = Some(at),
            Kind::ResetBoundary => boundary = Some(at),
            _ => {}
        }
    }
    let speaks = |ix: &&Ix| {
        let head = tree.head(**ix);
        match head.kind {
            Kind::Message | Kind::CustomMessage => true,
            Kind::BranchSummary => head.has_text(),
            _ => false,
        }
    };
    match (compaction, boundary) {
        (compaction, Some(boundary)) if compaction.is_none_or(|at| at < boundary) => {
            plan.emit.extend(path[boundary..].iter().filter(speaks));
        }
        (Some(at), _) => {
            plan.emit.push(path[at]);
            let kept =
                heads.anchor(path[at]).and_then(|anchor| path[..at].iter().position(|ix| *ix == anchor));
            if let Some(kept) = kept {
                plan.emit.extend(path[kept..at].iter().filter(speaks));
            }
            plan.emit.extend(path[at..].iter().filter(speaks));
        }
        (None, _) => plan.emit.extend(path.iter().filter(speaks)),
    }
    plan.path = path;
    plan
}
