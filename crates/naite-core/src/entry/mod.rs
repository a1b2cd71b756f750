//! What a session file holds, as values: the header, and entries of the kinds that pi and oh-my-pi write.

mod instant;
mod kind;
mod message;

use alloc::borrow::Cow;
use alloc::string::String;
use core::cell::OnceCell;

pub use instant::{iso, millis};
pub use kind::{Kind, Role, Stop};
pub use message::{Block, Message, content_blocks, joined_text};

use crate::id::{EntryId, SessionId};
use crate::text::json::Object;

/// Where bytes lie in a log: `offset` from the start of the file and `len`, both in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// Bytes before the record.
    pub offset: u64,
    /// Bytes of the record, without its line end.
    pub len: u32,
}

impl Span {
    /// The offset just behind the record.
    pub fn end(self) -> u64 {
        self.offset + u64::from(self.len)
    }
}

/// The format version that Naite writes.
pub const VERSION: u32 = 3;

/// The first logical line of a session file (`session-format.md` §2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Format version; 1 where the file names none.
    pub version: u32,
    /// Identity of the session; the file's name is a convenience.
    pub id: SessionId,
    /// Time of creation as it stands in the file.
    pub timestamp: String,
    /// Working directory; absent in some old files.
    pub cwd: Option<String>,
    /// Where the session came from: a path, or (omp) a session id.
    pub parent_session: Option<String>,
    /// omp's title inside the header.
    pub title: Option<String>,
    /// Model of the earliest v1 files, in use until an entry says otherwise.
    pub provider: Option<String>,
    /// See `provider`.
    pub model_id: Option<String>,
    /// Thinking level of the earliest v1 files.
    pub thinking_level: Option<String>,
    /// The whole header as it stands in the file; other writers' fields live on in it.
    pub raw: String,
}

impl Header {
    /// Reads a header from a record; `None` if it is no `session` object with an id.
    pub fn read(raw: &str) -> Option<Self> {
        let fields = Object::parse(raw)?;
        if fields.str("type")? != "session" {
            return None;
        }
        let text = |key: &str| fields.str(key).map(Cow::into_owned).filter(|text| !text.is_empty());
        Some(Self {
            version: version(&fields),
            id: SessionId::new(text("id")?)?,
            timestamp: text("timestamp").unwrap_or_default(),
            cwd: text("cwd"),
            parent_session: text("parentSession"),
            title: text("title"),
            provider: text("provider"),
            model_id: text("modelId"),
            thinking_level: text("thinkingLevel"),
            raw: raw.into(),
        })
    }

    /// Says whether a newer program wrote the file; then it is only read.
    pub fn is_newer(&self) -> bool {
        self.version > VERSION
    }
}

/// The format version: 1 where none is named; what is no number cannot be known and counts as newer.
fn version(fields: &Object<'_>) -> u32 {
    let Some(raw) = fields.present("version") else { return 1 };
    match raw.trim_matches('"').parse::<f64>() {
        Ok(number) if number < 1.0 => 1,
        // `3.0` is 3; with a fraction, or too large, it is nothing that this program knows.
        Ok(number) if f64::from(number as u32) == number => number as u32,
        _ => u32::MAX,
    }
}

/// One entry, borrowed from its record: the fields every entry has, and the rest by name.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The entry's id (made up for v1 files).
    pub id: EntryId,
    /// The parent as the tree has it.
    pub parent: Option<EntryId>,
    /// What it is.
    pub kind: Kind,
    /// Who speaks, of a message.
    pub role: Role,
    /// Time in Unix milliseconds; of the entry before it where its own cannot be read.
    pub at: i64,
    pub(crate) text: &'a str,
    pub(crate) fields: OnceCell<Object<'a>>,
}

impl<'a> Entry<'a> {
    /// All fields as they stand in the file; read when first asked for, since many rows need none.
    pub fn fields(&self) -> &Object<'a> {
        self.fields.get_or_init(|| Object::parse(self.text).unwrap_or_default())
    }

    /// The message of a `message` entry.
    pub fn message(&self) -> Option<Message<'a>> {
        (self.kind == Kind::Message).then(|| self.fields().object("message").map(Message)).flatten()
    }

    /// The `type` as it stands in the file.
    pub fn type_name(&self) -> Cow<'a, str> {
        self.fields().str("type").unwrap_or_default()
    }
}
