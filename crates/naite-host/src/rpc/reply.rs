//! Errors as JSON-RPC has them; `data` names the entry or file concerned.

use naite_core::text::json::{self, ObjectWriter};
use naite_store::StoreError;

/// An error reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    code: i32,
    message: String,
    data: Option<String>,
}

impl RpcError {
    pub(super) fn parse() -> Self {
        Self { code: -32700, message: "the line is no JSON object".into(), data: None }
    }

    pub(super) fn request() -> Self {
        Self { code: -32600, message: "a request needs a method".into(), data: None }
    }

    pub(super) fn method(name: &str) -> Self {
        let data = ObjectWriter::new().str("kind", "unknown_method").str("method", name).end();
        Self { code: -32601, message: format!("there is no method {name}"), data: Some(data) }
    }

    pub(super) fn params(why: impl Into<String>) -> Self {
        Self { code: -32602, message: why.into(), data: None }
    }

    pub(super) fn no_model() -> Self {
        let data = ObjectWriter::new().str("kind", "no_model").end();
        Self {
            code: -32000,
            message: "a summary needs a model and none is configured".into(),
            data: Some(data),
        }
    }

    pub(super) fn to_json(&self) -> String {
        ObjectWriter::new()
            .display("code", self.code)
            .str("message", &self.message)
            .maybe_raw("data", self.data.as_deref())
            .end()
    }
}

impl From<StoreError> for RpcError {
    fn from(error: StoreError) -> Self {
        let path = |kind: &str, path: &std::path::Path| {
            ObjectWriter::new().str("kind", kind).str("path", &path.to_string_lossy()).end()
        };
        let id = |kind: &str, id: &str| ObjectWriter::new().str("kind", kind).str("id", id).end();
        let data = match &error {
            StoreError::UnknownEntry { id: entry } => id("unknown_entry", entry),
            StoreError::NotAUserMessage { id: entry } => id("not_a_user_message", entry),
            StoreError::NotFound { path: file } => path("not_found", file),
            StoreError::Exists { path: file } => path("exists", file),
            StoreError::NotASession { path: file, .. } => path("not_a_session", file),
            StoreError::ReadOnly { path: file, .. } => path("read_only", file),
            StoreError::Foreign { path: file, .. } => path("foreign", file),
            StoreError::Moved { path: file, .. } => path("changed", file),
            StoreError::Io { path: file, .. } => path("io", file),
            StoreError::Short { path: file, .. } => path("not_durable", file),
            StoreError::Held { path: file, owner } => ObjectWriter::new()
                .str("kind", "held")
                .str("path", &file.to_string_lossy())
                .display("pid", owner.pid)
                .str("program", &owner.program)
                .str("host", &owner.host)
                .str("since", &owner.since)
                .end(),
            StoreError::InMemory => format!("{{\"kind\":{}}}", json::quote("in_memory")),
            StoreError::EmptyPath => format!("{{\"kind\":{}}}", json::quote("empty_path")),
            StoreError::NothingToUndo { .. } => format!("{{\"kind\":{}}}", json::quote("nothing_to_undo")),
        };
        Self { code: -32000, message: error.to_string(), data: Some(data) }
    }
}
