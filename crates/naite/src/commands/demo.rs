//! `naite demo`: sample sessions in a throw-away home, and one of them drawn.

use std::path::{Path, PathBuf};

use naite_core::text::json::{self, ObjectWriter};
use naite_host::{Environment, samples};
use naite_store::SessionManager;

use super::tree::draw_all;
use crate::out::Out;

/// Make sample sessions in a throw-away home and draw one
///
/// Three sessions: a short one with two approaches, one in Korean, one of 300 entries with five branches. Your own
/// sessions are not touched; the printed commands go on from there.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Make the home here instead of in the temporary folder; it must be empty or missing
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Print the home and the sessions as one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let home = throw_away_home(args.into.as_deref())?;
    let there = env.at(&home, &env.cwd);
    let mut samples = samples::make(&there)?;
    if args.json {
        return print_json(&home, &[&samples.short, &samples.korean, &samples.large], out);
    }
    let prefers_korean = std::env::var("LANG").is_ok_and(|lang| lang.starts_with("ko"));
    let shown = if prefers_korean { &mut samples.korean } else { &mut samples.short };
    draw_all(&there, shown, out)?;
    let home = home.display();
    out.line("")?;
    out.line("The leaf is on the branch marked with •; the other branch is kept. Go on with")?;
    out.line(format!("  export NAITE_HOME={home}"))?;
    for (session, what) in [
        (&samples.short, "this one, every entry"),
        (&samples.korean, "in Korean"),
        (&samples.large, "300 entries, five branches"),
    ] {
        let id = session.session_id();
        let all = if what.starts_with("this") { " --filter all" } else { "" };
        out.line(format!("  naite tree {id}{all}   # {what}"))?;
    }
    out.line(format!("  naite go {} root --json && naite undo {0}", samples.short.session_id()))?;
    Ok(())
}

fn throw_away_home(into: Option<&Path>) -> anyhow::Result<PathBuf> {
    let Some(folder) = into else {
        return Ok(tempfile::Builder::new().prefix("naite-demo-").tempdir()?.keep());
    };
    std::fs::create_dir_all(folder)?;
    if std::fs::read_dir(folder)?.next().is_some() {
        anyhow::bail!("{} is not empty; the samples go into an empty folder only.", folder.display());
    }
    Ok(std::path::absolute(folder)?)
}

fn print_json(home: &Path, sessions: &[&SessionManager], out: &mut Out) -> anyhow::Result<()> {
    let sessions = sessions.iter().map(|session| {
        let path = session.path().map(|path| path.to_string_lossy());
        ObjectWriter::new()
            .str("id", session.session_id())
            .str_or_null("path", path.as_deref())
            .str_or_null("name", session.session_name())
            .display("entries", session.tree().entries().count())
            .end()
    });
    let json =
        ObjectWriter::new().str("home", &home.to_string_lossy()).raw("sessions", &json::join(sessions));
    Ok(out.line(json.end())?)
}
