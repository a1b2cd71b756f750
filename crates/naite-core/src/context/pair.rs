//! Tool calls and their results side by side, as every provider demands, whatever the leaf cut off.

use alloc::string::String;
use alloc::vec::Vec;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use super::model::{Blobs, ModelMessage, ModelRole, convert, text_block};
use super::{Context, ContextMessage, Plan};
use crate::entry::Role;
use crate::heads::Ix;
use crate::tree::Tree;

/// A result that the path does not hold but the tree does, below its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// The entry of the call.
    pub caller: Ix,
    /// The call.
    pub call: String,
    /// The entry of the result.
    pub result: Ix,
}

/// Finds the late results of a plan on heads: their bodies are the only ones that pairing needs besides the plan's.
pub fn late_results(tree: &Tree, plan: &Plan) -> Vec<Late> {
    let heads = tree.heads();
    let mut open: Vec<(Ix, &str)> = Vec::new();
    for ix in &plan.emit {
        let head = tree.head(*ix);
        if head.has_calls() {
            for call in heads.calls(*ix) {
                open.retain(|(_, known)| *known != call);
                open.push((*ix, call));
            }
        } else if head.role == Role::ToolResult {
            for call in heads.calls(*ix) {
                open.retain(|(_, known)| *known != call);
            }
        }
    }
    let mut late: Vec<Late> = Vec::new();
    while let Some((caller, _)) = open.first().copied() {
        let wanted: HashSet<&str, FixedState> =
            open.iter().filter(|(ix, _)| *ix == caller).map(|(_, call)| *call).collect();
        below(tree, caller, wanted, &mut late);
        open.retain(|(ix, _)| *ix != caller);
    }
    late
}

/// Searches below a call, but not past another turn of the model: what lies there answers other calls.
fn below<'a>(tree: &'a Tree, caller: Ix, mut wanted: HashSet<&'a str, FixedState>, late: &mut Vec<Late>) {
    let mut next: Vec<Ix> = tree.children(caller).collect();
    let mut at = 0;
    while at < next.len() && !wanted.is_empty() {
        let ix = next[at];
        at += 1;
        let head = tree.head(ix);
        if head.role == Role::Assistant {
            continue;
        }
        if head.role == Role::ToolResult
            && let Some(call) = tree.heads().calls(ix).next()
            && wanted.remove(call)
        {
            late.push(Late { caller, call: call.into(), result: ix });
        }
        next.extend(tree.children(ix));
    }
}

/// Pairs calls with results: a call without one takes its late result or one that says that it was interrupted;
/// a result without its call goes, and so does a turn that broke off without a word.
pub fn pair(messages: Vec<ModelMessage>, late: Vec<(Late, ModelMessage)>) -> Vec<ModelMessage> {
    let mut turns: Vec<(ModelMessage, Vec<Option<ModelMessage>>)> = Vec::new();
    let mut open: HashMap<String, (usize, usize), FixedState> = HashMap::with_hasher(FixedState::default());
    for message in messages {
        if message.is_void {
            for (call, _) in &message.calls {
                open.remove(call);
            }
            continue;
        }
        if message.role == ModelRole::ToolResult {
            let slot = message.call_id.as_ref().and_then(|call| open.remove(call));
            if let Some((turn, call)) = slot {
                turns[turn].1[call] = Some(message);
            }
            continue;
        }
        for (at, (call, _)) in message.calls.iter().enumerate() {
            open.insert(call.clone(), (turns.len(), at));
        }
        let results = alloc::vec![None; message.calls.len()];
        turns.push((message, results));
    }
    for (late, message) in late {
        let turn =
            open.get(&late.call).filter(|(turn, _)| turns[*turn].0.entry == Some(late.caller)).copied();
        if let Some((turn, call)) = turn {
            turns[turn].1[call] = Some(message);
        }
    }
    let mut paired = Vec::new();
    for (message, results) in turns {
        if message.content.is_empty() {
            continue;
        }
        let calls = message.calls.clone();
        paired.push(message);
        for ((call, name), result) in calls.into_iter().zip(results) {
            paired.push(result.unwrap_or_else(|| interrupted(call, name)));
        }
    }
    paired
}

fn interrupted(call: String, tool: String) -> ModelMessage {
    let text = text_block("The call was interrupted; it has no result.");
    ModelMessage {
        call_id: Some(call),
        tool_name: Some(tool),
        is_error: true,
        ..ModelMessage::new(None, ModelRole::ToolResult, alloc::vec![text])
    }
}

/// The messages for a model: [`convert`] and [`pair`] over a context. `late` holds the results that
/// [`late_results`] found, each as a message in stored form.
pub fn to_model(context: &Context, late: Vec<(Late, ContextMessage)>, blobs: Blobs<'_>) -> Vec<ModelMessage> {
    let late =
        late.into_iter().filter_map(|(late, stored)| convert(&stored, blobs).map(|message| (late, message)));
    pair(context.messages.iter().filter_map(|stored| convert(stored, blobs)).collect(), late.collect())
}
