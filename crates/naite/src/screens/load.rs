//! What a navigator wants loaded: words of rows, entries in full, texts to search, two branches to compare.

use naite_core::entry::{Entry, Kind, Role, iso};
use naite_core::outline::{self, Caller, Tokens, row_text, search_text};
use naite_core::text::{one_line, prefix_bytes, printable, thousands};
use naite_core::{Ix, Tree};
use naite_store::{Result, SessionManager};
use naite_tui::navigator::{Comparison, Detail, Navigator, RowWords, Side};

/// Bytes of an entry that are shown in full; `naite show` prints more.
const FULL: usize = 4 << 20;
/// Bytes of records whose texts are made before keys are looked at again.
const MOMENT: u64 = 256 * 1024;
/// Bytes of a record that is loaded for the preview as soon as it is selected.
const GLANCE: usize = 2 << 20;
/// Bytes of one turn in a comparison.
const TURN: usize = 16 * 1024;
/// Turns on one side of a comparison.
const TURNS: usize = 500;

/// The words of rows. What cannot be read any more has none.
pub(super) fn rows(session: &mut SessionManager, entries: &[Ix], home: Option<&str>) -> Vec<(Ix, RowWords)> {
    let mut rows = Vec::with_capacity(entries.len());
    let read = session.each_entry(entries, |tree, ix, entry, caller| {
        let label = tree.label(ix).map(str::to_owned);
        rows.push((ix, RowWords { text: row_text(entry, caller, home), label }));
    });
    if read.is_err() || rows.len() < entries.len() {
        let missing: Vec<Ix> =
            entries.iter().copied().filter(|ix| !rows.iter().any(|(known, _)| known == ix)).collect();
        rows.extend(missing.into_iter().map(|ix| (ix, RowWords { text: "?".into(), label: None })));
    }
    rows
}

/// An entry in full.
pub(super) fn detail(session: &mut SessionManager, ix: Ix, home: Option<&str>, full: bool) -> Detail {
    let id = one_line(session.tree().id(ix)).into_owned();
    let bytes = session.tree().head(ix).span.len as usize;
    let mut detail = Detail { entry: Some(ix), id, is_whole: full || bytes <= GLANCE, ..Detail::default() };
    if !detail.is_whole {
        detail.time = readable(session.tree().head(ix).at);
        detail.megabytes = Some(format!("{:.1}", bytes as f64 / 1e6));
        return detail;
    }
    // An entry that cannot be read any more is shown as an empty one.
    let _ =
        session.each_entry(&[ix], |tree, ix, entry, caller| fill(&mut detail, tree, ix, entry, caller, home));
    detail
}

fn fill(
    detail: &mut Detail,
    tree: &Tree,
    ix: Ix,
    entry: &Entry<'_>,
    caller: Option<&Caller>,
    home: Option<&str>,
) {
    detail.time = readable(entry.at);
    detail.model = tree.heads().model(ix).map(|model| format!("{}/{}", model.provider, model.model_id));
    detail.tokens = outline::tokens(entry).map(|tokens| said(&tokens));
    detail.label = tree.label(ix).map(str::to_owned);
    let mut text = outline::full_text(entry).join("\n\n");
    if text.is_empty() || caller.is_some() {
        let row = row_text(entry, caller, home);
        text = if text.is_empty() { row } else { format!("{row}\n\n{text}") };
    }
    let kept = prefix_bytes(&text, FULL).len();
    detail.is_cut = kept < text.len();
    text.truncate(kept);
    detail.text = text;
}

/// A time as `2026-03-01 09:00:00Z`.
fn readable(at: i64) -> String {
    let iso = iso(at);
    match iso.split_once('T') {
        Some((day, time)) => format!("{day} {}Z", time.split(['.', 'Z']).next().unwrap_or_default()),
        None => iso,
    }
}

fn said(tokens: &Tokens) -> String {
    format!("{} → {}", thousands(tokens.input), thousands(tokens.output))
}

/// Texts by which entries are found: the first of them, as many as a moment allows.
pub(super) fn texts(
    session: &mut SessionManager,
    navigator: &mut Navigator,
    entries: &[Ix],
    home: Option<&str>,
) {
    let mut bytes = 0;
    let fitting = entries.iter().take_while(|ix| {
        let fits = bytes < MOMENT;
        bytes += u64::from(session.tree().head(**ix).span.len);
        fits
    });
    let entries = &entries[..fitting.count()];
    let mut missing: std::collections::HashSet<Ix> = entries.iter().copied().collect();
    // What cannot be read any more is found by nothing.
    let _ = session.each_entry(entries, |tree, ix, entry, caller| {
        missing.remove(&ix);
        navigator.put_text(ix, &search_text(entry, tree.label(ix), caller, home));
    });
    for ix in missing {
        navigator.put_text(ix, "");
    }
}

/// The text of an entry for the clipboard.
pub(super) fn plain(session: &mut SessionManager, ix: Ix) -> Result<String> {
    session.with_entry(ix, outline::plain_text)
}

/// Two branches from their last common entry on.
pub(super) fn compare(
    session: &mut SessionManager,
    left: Ix,
    right: Ix,
    home: Option<&str>,
) -> Result<Comparison> {
    let common = session.tree().common_ancestor(Some(left), Some(right));
    let row = |session: &mut SessionManager, ix: Ix| {
        rows(session, &[ix], home).pop().map(|(_, words)| words.text).unwrap_or_default()
    };
    let common_row = common.map(|ix| row(session, ix));
    let mut side = |end: Ix| {
        let mut path: Vec<Ix> =
            session.tree().ancestry(Some(end)).take_while(|ix| Some(*ix) != common).collect();
        path.reverse();
        let named = session.tree().nearest_spoken(Some(end)).unwrap_or(end);
        let mut side = Side { title: row(session, named), entries: path.len(), ..Side::default() };
        let mut total = Tokens::default();
        session.each_entry(&path, |_, _, entry, caller| {
            if let Some(tokens) = outline::tokens(entry) {
                total.input += tokens.input;
                total.output += tokens.output;
            }
            for file in outline::touched_files(entry) {
                if !side.files.contains(&file) {
                    side.files.push(file);
                }
            }
            if side.turns.len() < TURNS && !entry.kind.is_bookkeeping() {
                side.turns.extend(turn(entry, caller, home));
            }
        })?;
        side.tokens = said(&total);
        Ok::<_, naite_store::StoreError>(side)
    };
    Ok(Comparison { common: common_row, sides: [side(left)?, side(right)?] })
}

/// What was said, with its speaker; tools in one line. `None` where only tools were called: their results tell.
fn turn(entry: &Entry<'_>, caller: Option<&Caller>, home: Option<&str>) -> Option<String> {
    let spoken = match (entry.kind, entry.role) {
        (Kind::BranchSummary, _) => Some(("[branch summary]", entry.fields().str("summary")?.into_owned())),
        (_, Role::User | Role::Assistant) => Some((entry.role.name(), entry.message()?.text())),
        _ => None,
    };
    match spoken {
        Some((who, text)) if !text.trim().is_empty() => {
            Some(format!("{who}: {}", prefix_bytes(&printable(&text), TURN)))
        }
        Some(_)
            if entry.message().is_some_and(|message| message.stop().is_none_or(|stop| !stop.is_broken())) =>
        {
            None
        }
        _ => Some(row_text(entry, caller, home)),
    }
}
