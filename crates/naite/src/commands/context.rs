//! `naite context`: what a model would see at a leaf.

use naite_core::text::json::{self, Object, ObjectWriter};
use naite_core::text::{one_line, printable};
use naite_host::Environment;

use super::{find_point, open};
use crate::cli::SessionArg;
use crate::out::Out;

/// Show what the model sees at the leaf
///
/// The path from the root, with everything before the latest compaction replaced by its summary.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArg,
    /// See it from another entry, or `root` for the empty state
    #[arg(long, value_name = "ENTRY|root")]
    leaf: Option<String>,
    /// The messages as a provider gets them: three roles, every tool call with its result
    #[arg(long)]
    model_messages: bool,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let mut session = open(env, &args.session)?;
    let leaf = match &args.leaf {
        None => session.leaf(),
        Some(given) => find_point(&session, given)?,
    };
    if args.model_messages {
        session.look_for_images_in(env.omp_blobs.clone());
        let messages = session.model_messages(leaf)?;
        if args.json {
            let messages = json::join(messages.iter().map(naite_core::context::ModelMessage::to_json));
            return Ok(out.line(ObjectWriter::new().raw("messages", &messages).end())?);
        }
        for message in messages {
            out.line(format!("── {}", message.role.name()))?;
            for block in &message.content {
                out.line(block_words(block))?;
            }
        }
        return Ok(());
    }
    let context = session.build_session_context(leaf)?;
    if args.json {
        return Ok(out.line(context.to_json())?);
    }
    let model =
        context.model.as_ref().map_or("none".into(), |(provider, model)| format!("{provider}/{model}"));
    out.line(one_line(&format!(
        "{} messages · model {model} · thinking {} · mode {}",
        context.messages.len(),
        context.thinking,
        context.mode
    )))?;
    for message in &context.messages {
        let fields = Object::parse(&message.json).unwrap_or_default();
        out.line(format!("── {}", one_line(&fields.str("role").unwrap_or_default())))?;
        for key in ["summary", "command", "output"] {
            if let Some(text) = fields.str(key) {
                out.line(printable(&text))?;
            }
        }
        match fields.raw("content") {
            Some(raw) if raw.starts_with('[') => {
                for block in json::array(raw).unwrap_or_default() {
                    out.line(block_words(block))?;
                }
            }
            Some(raw) => out.line(printable(&json::string(raw).unwrap_or_default()))?,
            None => {}
        }
    }
    Ok(())
}

/// A block in words.
fn block_words(raw: &str) -> String {
    let fields = Object::parse(raw).unwrap_or_default();
    let kind = fields.str("type").unwrap_or_default();
    match kind.as_ref() {
        "text" => printable(&fields.str("text").unwrap_or_default()).into_owned(),
        "thinking" => format!("[thinking] {}", printable(&fields.str("thinking").unwrap_or_default())),
        "toolCall" => {
            let name = fields.str("name").unwrap_or_default();
            format!("[call {}] {}", one_line(&name), one_line(fields.raw("arguments").unwrap_or_default()))
        }
        other => format!("[{}]", one_line(other)),
    }
}
