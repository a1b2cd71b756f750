//! `naite info`: what a session is, how large, and what is wrong with it.

use naite_core::entry::{Kind, iso};
use naite_core::text::json::{self, ObjectWriter};
use naite_core::text::one_line;
use naite_core::{Heads, Tree, context};
use naite_host::Environment;
use naite_host::claude_code::{SubAgent, sub_agents};
use naite_store::SessionManager;

use super::tree::{defect_json, is_read_only};
use super::{leaf_field, open};
use crate::cli::SessionArg;
use crate::out::Out;

/// Show what a session is: name, folder, size, branches, model, and what is wrong with the file
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArg,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

struct Counts {
    entries: usize,
    messages: usize,
    branch_points: usize,
    tips: usize,
    labels: usize,
    depth: usize,
    active: Option<i64>,
}

fn count(tree: &Tree) -> Counts {
    let mut counts = Counts {
        entries: 0,
        messages: 0,
        branch_points: 0,
        tips: 0,
        labels: tree.heads().labels().len(),
        depth: tree.ancestry(tree.leaf()).count(),
        active: None,
    };
    for ix in tree.entries() {
        let head = tree.head(ix);
        counts.entries += 1;
        counts.messages += usize::from(head.kind == Kind::Message);
        counts.active = counts.active.max(Some(head.at));
        match tree.children(ix).take(2).count() {
            0 => counts.tips += 1,
            1 => {}
            _ => counts.branch_points += 1,
        }
    }
    counts
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let session = open(env, &args.session)?;
    let counts = count(session.tree());
    let agents = match session.foreign().and_then(|_| session.path()) {
        Some(path) => sub_agents(env.fs().as_ref(), path),
        None => Vec::new(),
    };
    if args.json {
        print_json(&session, &counts, &agents, out)
    } else {
        print(&session, &counts, &agents, out)
    }
}

/// What a foreign transcript is, as fields.
fn foreign_fields(json: ObjectWriter, heads: &Heads, agents: &[SubAgent]) -> ObjectWriter {
    let Some(foreign) = heads.foreign() else { return json };
    let notes = foreign.notes.iter();
    let notes = notes.fold(ObjectWriter::new(), |notes, (kind, count)| notes.display(kind, count));
    json.str("program", foreign.program.name())
        .str_or_null("programVersion", foreign.version.as_deref())
        .str_or_null("gitBranch", foreign.git_branch.as_deref())
        .str_or_null("forkedFrom", foreign.forked_from.as_deref())
        .str_or_null("forkedAt", foreign.forked_at.as_deref())
        .raw("subAgents", &json::join(agents.iter().map(agent_json)))
        .raw("linesBeside", &notes.end())
}

/// A sub-agent as JSON.
pub(super) fn agent_json(agent: &SubAgent) -> String {
    ObjectWriter::new()
        .str("id", &agent.id)
        .str_or_null("agentType", agent.kind.as_deref())
        .str_or_null("description", agent.description.as_deref())
        .str_or_null("toolCallId", agent.tool_call.as_deref())
        .str("path", &agent.path.to_string_lossy())
        .end()
}

/// A sub-agent in words.
pub(super) fn agent_words(agent: &SubAgent) -> String {
    let what = [agent.kind.as_deref(), agent.description.as_deref()];
    let what = what.into_iter().flatten().collect::<Vec<_>>().join(": ");
    let what = if what.is_empty() { what } else { format!(" ({what})") };
    one_line(&format!("{:<10} {}{what}  {}", "sub-agent", agent.id, agent.path.display())).into_owned()
}

fn print_json(
    session: &SessionManager,
    counts: &Counts,
    agents: &[SubAgent],
    out: &mut Out,
) -> anyhow::Result<()> {
    let heads = session.tree().heads();
    let plan = context::plan(session.tree(), session.leaf());
    let model = plan.model.as_ref().map(|(provider, model_id)| {
        ObjectWriter::new().str("provider", provider).str("modelId", model_id).end()
    });
    let header = session.header();
    let path = session.path().map(|path| path.to_string_lossy());
    let json = ObjectWriter::new()
        .str_or_null("path", path.as_deref())
        .str("id", session.session_id())
        .display("version", heads.version())
        .str_or_null("name", session.session_name())
        .str_or_null("cwd", header.and_then(|header| header.cwd.as_deref()))
        .str_or_null("parentSession", header.and_then(|header| header.parent_session.as_deref()))
        .str_or_null("created", header.map(|header| header.timestamp.as_str()))
        .str_or_null("active", counts.active.map(iso).as_deref())
        .display("bytes", heads.end())
        .display("entries", counts.entries)
        .display("messages", counts.messages)
        .display("branchPoints", counts.branch_points)
        .display("branches", counts.tips)
        .display("labels", counts.labels)
        .display("depth", counts.depth);
    let json = leaf_field(json, session)
        .raw("model", model.as_deref().unwrap_or("null"))
        .str("thinkingLevel", &plan.thinking)
        .raw("defects", &json::join(session.defects().iter().map(defect_json)))
        .display("readOnly", is_read_only(session));
    Ok(out.line(foreign_fields(json, heads, agents).end())?)
}

fn print(
    session: &SessionManager,
    counts: &Counts,
    agents: &[SubAgent],
    out: &mut Out,
) -> anyhow::Result<()> {
    let plan = context::plan(session.tree(), session.leaf());
    let header = session.header();
    let mut line = |name: &str, value: &str| out.line(format!("{name:<10} {}", one_line(value)));
    line("session", session.session_id())?;
    line("name", session.session_name().unwrap_or("–"))?;
    line("file", &session.path().map(|path| path.display().to_string()).unwrap_or_default())?;
    line("folder", header.and_then(|header| header.cwd.as_deref()).unwrap_or("–"))?;
    line("created", header.map(|header| header.timestamp.as_str()).unwrap_or("–"))?;
    line("active", &counts.active.map_or_else(|| "–".into(), iso))?;
    line(
        "size",
        &format!(
            "{} bytes, {} entries, {} messages",
            session.tree().heads().end(),
            counts.entries,
            counts.messages
        ),
    )?;
    line(
        "branches",
        &format!("{} tips, {} branch points, {} labels", counts.tips, counts.branch_points, counts.labels),
    )?;
    let leaf = session.leaf_id().map_or_else(|| "the root".into(), |id| id.to_string());
    line("leaf", &format!("{leaf}, {} entries deep", counts.depth))?;
    let model = plan.model.map_or_else(|| "none".into(), |(provider, model)| format!("{provider}/{model}"));
    line("model", &format!("{model}, thinking {}", plan.thinking))?;
    if let Some(parent) = header.and_then(|header| header.parent_session.as_deref()) {
        let at = session.tree().heads().foreign().and_then(|foreign| foreign.forked_at.as_deref());
        line("from", &at.map_or_else(|| parent.into(), |at| format!("{parent}, copied up to {at}")))?;
    }
    if let Some(foreign) = session.tree().heads().foreign() {
        let version = foreign.version.as_deref().unwrap_or_default();
        line("format", &format!("{} {version}: read-only", foreign.program.title()))?;
        if let Some(branch) = &foreign.git_branch {
            line("git branch", branch)?;
        }
    } else if is_read_only(session) {
        line(
            "format",
            &format!("version {}, newer than this program: read-only", session.tree().heads().version()),
        )?;
    }
    for agent in agents {
        out.line(agent_words(agent))?;
    }
    let mut line = |name: &str, value: &str| out.line(format!("{name:<10} {}", one_line(value)));
    for defect in session.defects() {
        let id = defect.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        line("defect", &format!("line {}: {}{id}", defect.line, defect.kind.name()))?;
    }
    Ok(())
}
