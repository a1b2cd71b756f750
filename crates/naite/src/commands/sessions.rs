//! `naite sessions`: the list.

use std::mem;

use naite_core::text::{clip, one_line, thousands, width};
use naite_host::{Environment, SystemSupply, rpc::catalog_pieces};
use naite_store::{Catalog, SessionRow};

use super::home;
use crate::out::{Out, busy, note, terminal_width};

/// List sessions, the last active first
///
/// Those of this folder, or of every folder with --all. What is shown of a session is read from its file and
/// remembered until the file changes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Sessions of every folder and every program
    #[arg(long)]
    all: bool,
    /// Only sessions of one program
    #[arg(long, value_name = "PROGRAM")]
    #[arg(value_parser = ["naite", "pi", "omp", "claude-code"])]
    from: Option<String>,
    /// Print one JSON object (schema in docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(env: &Environment, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    let own = || vec![if args.all { env.sessions() } else { env.workplace().folder(&env.cwd_text()) }];
    let read = || match args.from.as_deref() {
        Some("pi") => env.catalog(env.pi.as_slice()),
        Some("omp") => env.catalog(env.omp.as_slice()),
        Some("claude-code") => env.add_claude_code(Catalog::default()),
        None if args.all => env.everything(),
        Some(_) | None => env.catalog(&own()),
    };
    let mut catalog = busy("Reading the sessions", read);
    if !args.all {
        // Folder names collide; the header says where a session belongs.
        let cwd = env.cwd_text();
        catalog.rows.retain(|row| row.cwd.as_deref() == Some(cwd.as_str()));
    }
    if args.json {
        catalog_pieces(&catalog, |piece| out.piece(piece))?;
        out.line("")?;
    } else {
        print(env, &catalog, args, out)?;
    }
    for file in catalog.unreadable.iter().take(5) {
        note(&one_line(&format!("not listed: {}", file.error)));
    }
    if catalog.unreadable.len() > 5 {
        note(&format!("not listed: {} more files", catalog.unreadable.len() - 5));
    }
    // The process ends: taking thousands of rows apart would only keep the user waiting.
    mem::forget(catalog);
    Ok(())
}

fn print(env: &Environment, catalog: &Catalog, args: &Args, out: &mut Out) -> anyhow::Result<()> {
    if catalog.rows.is_empty() {
        note(if args.all {
            "There is no session yet."
        } else {
            "There is no session of this folder yet; --all lists every one."
        });
    }
    let now = SystemSupply::millis();
    let home = home(env);
    // What is the same in the first eight characters of two ids made in the same minute differs at the end.
    let short = short_ids(&catalog.rows);
    for (row, id) in catalog.rows.iter().zip(short) {
        let title = row.name.as_deref().or(row.first_prompt.as_deref()).unwrap_or("(nothing said yet)");
        let folder = if args.all {
            format!("  {}", tilde(row.cwd.as_deref().unwrap_or("–"), home.as_deref()))
        } else {
            String::new()
        };
        let damaged = if row.defects > 0 { "!" } else { " " };
        let line = format!(
            "{id} {damaged} {:>8}  {:>5}  {}{folder}",
            age(now - row.active),
            thousands(row.messages as u64),
            fit(title, 60),
        );
        let line = one_line(line.trim_end());
        out.line(
            terminal_width()
                .map_or_else(|| line.to_string(), |columns| clip(&line, columns).text.into_owned()),
        )?;
    }
    Ok(())
}

/// The beginnings of ids that tell the listed sessions apart, at least eight characters.
fn short_ids(rows: &[SessionRow]) -> Vec<String> {
    let mut ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    ids.sort_unstable();
    let common = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let longest = ids.windows(2).filter(|pair| pair[0] != pair[1]).map(|pair| common(pair[0], pair[1])).max();
    let length = longest.unwrap_or(0).max(7) + 1;
    rows.iter().map(|row| row.id.chars().take(length).collect()).collect()
}

fn fit(text: &str, columns: usize) -> String {
    let text = one_line(text);
    let cut = clip(&text, columns).text;
    let pad = columns.saturating_sub(width(&cut));
    format!("{cut}{}", " ".repeat(pad))
}

fn tilde(path: &str, home: Option<&str>) -> String {
    match home.filter(|home| !home.is_empty()).and_then(|home| path.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => path.into(),
    }
}

/// How long ago, in one unit.
fn age(millis: i64) -> String {
    let minutes = millis.max(0) / 60_000;
    match minutes {
        0 => "now".into(),
        1..=59 => format!("{minutes} min"),
        60..=1439 => format!("{} h", minutes / 60),
        1440..=43_199 => format!("{} d", minutes / 1440),
        43_200..=525_599 => format!("{} mon", minutes / 43_200),
        _ => format!("{} y", minutes / 525_600),
    }
}
