//! `naite export`: a session as a page, a text or data for other programs.

use std::io;
use std::path::{Path, PathBuf};

use naite_host::export::{Choice, Scope, collect, html, json, markdown};
use naite_host::{Environment, export};
use naite_store::Fs;

use super::{find_point, home, open};
use crate::cli::SessionArg;
use crate::out::{Out, note};

/// Write a session as Markdown, as one HTML page, or as JSON
///
/// A branch is written from the root to the leaf, with nothing left out that a compaction condensed; `--all` writes
/// every branch. Secrets (keys, tokens, passwords) are replaced by `[masked KIND]` unless --no-mask is said; look
/// through the result before you give it away all the same.
///
/// The HTML page is one file that loads nothing: a tree to fold and walk, the conversation, and a search.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    naite export --format html --all --output session.html\n  \
    naite export 019c > talk.md\n  \
    naite export 019c --leaf 1a2b3c4d --format json | jq '.entries[].text'")]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArg,
    /// What to write: Markdown, one HTML page, or one JSON object (schema in docs/json.md)
    #[arg(long, value_name = "FORMAT", default_value = "md", value_parser = ["md", "html", "json"])]
    format: String,
    /// The end of the branch, or `root` for the empty state [default: the leaf]
    #[arg(long, value_name = "ENTRY|root", conflicts_with = "all")]
    leaf: Option<String>,
    /// Every branch, not only the one to the leaf
    #[arg(long)]
    all: bool,
    /// Write a new file that only you can read, instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Leave keys, tokens and passwords as they are
    #[arg(long)]
    no_mask: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let mut session = open(env, &args.session)?;
    let scope = match &args.leaf {
        _ if args.all => Scope::Whole,
        Some(given) => Scope::Branch(find_point(&session, given)?),
        None => Scope::Branch(session.leaf()),
    };
    let home = home(env);
    let choice = Choice { scope, mask: !args.no_mask, home: home.as_deref() };
    let conversation = collect(&mut session, &choice)?;
    let text = written(&conversation, &args.format);
    match &args.output {
        None => Ok(out.line(text.trim_end_matches('\n'))?),
        Some(path) => {
            save(env.fs().as_ref(), path, &text, args.force)?;
            note(&format!("Wrote {}.", naite_core::text::one_line(&path.display().to_string())));
            Ok(())
        }
    }
}

fn written(conversation: &export::Conversation, format: &str) -> String {
    match format {
        "html" => html(conversation),
        "json" => json(conversation),
        _ => markdown(conversation),
    }
}

/// Writes a file beside its place and gives it its name in one step.
fn save(fs: &dyn Fs, path: &Path, text: &str, replace: bool) -> anyhow::Result<()> {
    let shown = path.display();
    if fs.meta(path).is_ok_and(|meta| meta.is_dir) {
        anyhow::bail!("{shown} is a folder; name a file to write.");
    }
    let Some(name) = path.file_name() else {
        anyhow::bail!("{shown} names no file to write.");
    };
    let beside = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let write = || -> io::Result<()> {
        let mut file = fs.create(&beside)?;
        let mut rest = format!("{}\n", text.trim_end_matches('\n')).into_bytes();
        while !rest.is_empty() {
            let written = file.append(&rest)?;
            rest.drain(..written);
        }
        file.sync()?;
        if replace { fs.rename(&beside, path) } else { fs.rename_new(&beside, path) }
    };
    let done = write();
    if done.is_err() {
        let _ = fs.remove(&beside);
    }
    match done {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            anyhow::bail!("{shown} exists already; --force replaces it.")
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            anyhow::bail!("Cannot write {shown}: its folder does not exist.")
        }
        Err(error) => anyhow::bail!("Cannot write {shown}: {error}."),
        Ok(()) => Ok(()),
    }
}
