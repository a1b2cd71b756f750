//! A catalog of sessions as JSON, for `listSessions` and every `--json` list.

use naite_core::entry::iso;
use naite_core::text::json::{self, ObjectWriter};
use naite_store::{Catalog, SessionRow};

/// `{"sessions":[…],"unreadable":[…]}` (schema in `docs/json.md`).
pub fn catalog_json(catalog: &Catalog) -> String {
    let unreadable = catalog.unreadable.iter().map(|file| {
        ObjectWriter::new()
            .str("path", &file.path.to_string_lossy())
            .str("reason", &file.error.to_string())
            .end()
    });
    ObjectWriter::new()
        .raw("sessions", &json::join(catalog.rows.iter().map(row_json)))
        .raw("unreadable", &json::join(unreadable))
        .end()
}

fn row_json(row: &SessionRow) -> String {
    ObjectWriter::new()
        .str("path", &row.path.to_string_lossy())
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
