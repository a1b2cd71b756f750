//! `naite show`: one entry in full.

use naite_core::entry::{Kind, iso};
use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::one_line;
use naite_core::{Ix, outline};
use naite_host::Environment;
use naite_host::claude_code::{SubAgent, sub_agents};
use naite_store::SessionManager;

use super::info::{agent_json, agent_words};
use super::{find_entry, home, open, session_and};
use crate::cli::SessionArg;
use crate::out::Out;

/// Show one entry in full: its text, its tool calls, its place in the tree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The session (may be left out) and the entry's id, or the beginning of it
    #[arg(value_names = ["SESSION", "ENTRY"], num_args = 1..=2, required = true)]
    what: Vec<String>,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let (session, rest) = session_and(&args.what, 1);
    let mut session = open(env, &SessionArg { session })?;
    let ix = find_entry(&session, &rest[0])?;
    if args.json {
        return print_json(env, &mut session, ix, out);
    }
    let mut lines = head(&session, ix);
    for agent in agents(env, &session, ix) {
        lines.push(agent_words(&agent));
    }
    let home = home(env);
    session.each_entry(&[ix], |_, _, entry, caller| {
        lines.push(String::new());
        lines.extend(outline::full_text(entry));
        if lines.last().is_some_and(String::is_empty) {
            lines.push(outline::row_text(entry, caller, home.as_deref()));
        }
    })?;
    for line in lines {
        out.line(line)?;
    }
    Ok(())
}

/// The sub-agents that a call started, of an entry that holds the call or its result.
fn agents(env: &Environment, session: &SessionManager, ix: Ix) -> Vec<SubAgent> {
    let Some(path) = session.foreign().and_then(|_| session.path()) else { return Vec::new() };
    let heads = session.tree().heads();
    let mut all = sub_agents(env.fs().as_ref(), path);
    all.retain(|agent| agent.tool_call.as_deref().is_some_and(|call| heads.calls(ix).any(|id| id == call)));
    all
}

fn print_json(env: &Environment, session: &mut SessionManager, ix: Ix, out: &mut Out) -> anyhow::Result<()> {
    let agents: Vec<String> = agents(env, session, ix).iter().map(agent_json).collect();
    let entry = session.text(ix)?;
    let tree = session.tree();
    let json = ObjectWriter::new()
        .str("id", tree.id(ix))
        .str_or_null("parent", tree.parent(ix).map(|parent| tree.id(parent)))
        .raw("children", &json::join(tree.children(ix).map(|child| json::quote(tree.id(child)))))
        .maybe_str("label", tree.label(ix))
        .display("active", tree.ancestry(tree.leaf()).any(|on_path| on_path == ix))
        .raw("entry", &entry);
    let agents = (!agents.is_empty()).then(|| json::join(&agents));
    Ok(out.line(json.maybe_raw("subAgents", agents.as_deref()).end())?)
}

fn head(session: &SessionManager, ix: Ix) -> Vec<String> {
    let tree = session.tree();
    let head = tree.head(ix);
    let kind = if head.kind == Kind::Message { head.role.name() } else { head.kind.name() };
    let mut lines = vec![format!("{}  {}  {}", one_line(tree.id(ix)), one_line(kind), iso(head.at))];
    if let Some(model) = tree.heads().model(ix) {
        lines.push(one_line(&format!("model {}/{}", model.provider, model.model_id)).into_owned());
    }
    if let Some(label) = tree.label(ix) {
        lines.push(format!("label [{}]", one_line(label)));
    }
    let ids = |entries: &mut dyn Iterator<Item = Ix>| {
        entries.map(|ix| one_line(tree.id(ix)).into_owned()).collect::<Vec<_>>().join(" ")
    };
    lines.push(match tree.parent(ix) {
        Some(parent) => format!("after {}", one_line(tree.id(parent))),
        None => "a root".into(),
    });
    let children = ids(&mut tree.children(ix));
    if !children.is_empty() {
        lines.push(format!("before {children}"));
    }
    lines
}
