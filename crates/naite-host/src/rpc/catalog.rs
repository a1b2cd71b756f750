//! A catalog of sessions as JSON, for `listSessions` and every `--json` list.

use std::borrow::Cow;
use std::convert::Infallible;

use naite_core::entry::iso;
use naite_core::text::json::{self, ObjectWriter};
use naite_store::{Catalog, SessionRow};

/// Bytes that a row usually takes.
const ROW: usize = 640;

/// `{"sessions":[…],"unreadable":[…]}` (schema in `docs/json.md`).
pub fn catalog_json(catalog: &Catalog) -> String {
    let mut text = String::with_capacity(catalog.rows.len() * ROW + ROW);
    let Ok(()) = catalog_pieces(catalog, |piece| {
        text.push_str(piece);
        Ok::<(), Infallible>(())
    });
    text
}

/// The same text in pieces, so that a long list need not be in memory twice.
pub fn catalog_pieces<E>(catalog: &Catalog, mut each: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    let mut before = r#"{"sessions":["#;
    for row in &catalog.rows {
        each(before)?;
        each(&row_json(row))?;
        before = ",";
    }
    if catalog.rows.is_empty() {
        each(before)?;
    }
    let unreadable = catalog.unreadable.iter().map(|file| {
        ObjectWriter::new()
            .str("path", &file.path.to_string_lossy())
            .str("reason", &file.error.to_string())
            .end()
    });
    each(r#"],"unreadable":"#)?;
    each(&json::join(unreadable))?;
    each("}")
}

fn row_json(row: &SessionRow) -> String {
    // Nearly every path is text, and asking is quicker than replacing.
    let path = row.path.to_str().map_or_else(|| row.path.to_string_lossy(), Cow::Borrowed);
    ObjectWriter::with_room(ROW)
        .str("path", &path)
        .str("id", &row.id)
        .str_or_null("cwd", row.cwd.as_deref())
        .str_or_null("name", row.name.as_deref())
        .str_or_null("parentSession", row.parent_session.as_deref())
        .str_or_null("firstPrompt", row.first_prompt.as_deref())
        .display("messages", row.messages)
        .str("created", &iso(row.created))
        .str("active", &iso(row.active))
        .display("bytes", row.bytes)
        .display("defects", row.defects)
        .maybe_str("program", row.program.map(naite_core::ingest::Program::name))
        .end()
}
