//! What can be wrong with a line; a defect costs that line and nothing else.

use serde::{Deserialize, Serialize};

use crate::id::EntryId;

/// The kinds of damage that loading can meet (`session-format.md` §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DefectKind {
    /// The line is no JSON and nothing on it could be saved.
    InvalidJson,
    /// JSON, but no object.
    NotAnObject,
    /// An object without an `id`.
    MissingId,
    /// Bytes that are no UTF-8; the line loads with U+FFFD in their place.
    InvalidUtf8,
    /// NUL bytes, as a crashed disk leaves them.
    NulBytes,
    /// Several records, or a fragment and a record, on one line; the whole ones load.
    GluedRecord,
    /// The last line breaks off; the next append starts a new one.
    TornTail,
    /// An id that an earlier line has: one node, the later content.
    DuplicateId,
    /// The parent is not in the file; the entry is a root.
    MissingParent,
    /// Parents that lead in a circle; the earliest becomes a root.
    ParentCycle,
    /// A second session header; skipped.
    SecondHeader,
    /// A format newer than this program; read-only.
    UnknownVersion,
    /// A time that cannot be read; that of the entry before it counts.
    BadTimestamp,
}

impl DefectKind {
    /// The name used in JSON output and in the conformance files.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::NotAnObject => "not_an_object",
            Self::MissingId => "missing_id",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::NulBytes => "nul_bytes",
            Self::GluedRecord => "glued_record",
            Self::TornTail => "torn_tail",
            Self::DuplicateId => "duplicate_id",
            Self::MissingParent => "missing_parent",
            Self::ParentCycle => "parent_cycle",
            Self::SecondHeader => "second_header",
            Self::UnknownVersion => "unknown_version",
            Self::BadTimestamp => "bad_timestamp",
        }
    }
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Physical line, from 1.
    pub line: u64,
    /// Bytes before that line.
    pub offset: u64,
    /// What is wrong.
    pub kind: DefectKind,
    /// The entry concerned, where there is one.
    pub id: Option<EntryId>,
}
