//! Conversation trees as values: bytes → records → heads → tree → context → rows.
//!
//! ```
//! use naite_core::{Place, Tree, context};
//! let log: &[u8] = b"{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"\"}\n\
//!     {\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n";
//! let mut tree = Tree::default();
//! let (mut line, mut offset) = (1, 0);
//! for bytes in log.split(|byte| *byte == b'\n').filter(|bytes| !bytes.is_empty()) {
//!     tree.line(bytes, Place { line, offset, ended: true }, &mut { log });
//!     (line, offset) = (line + 1, offset + bytes.len() as u64 + 1);
//! }
//! tree.settle();
//! let plan = context::plan(&tree, tree.leaf());
//! assert_eq!(plan.emit.len(), 1);
//! ```
//!
//! Invariant: no I/O, no clock, no randomness, no `std`; decoding never fails and nothing recurses over a tree.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod codec;
pub mod context;
pub mod entry;
mod heads;
mod id;
pub mod ingest;
pub mod navigate;
pub mod outline;
pub mod text;
mod tree;
pub mod undo;

pub use heads::{
    Earlier, Flags, Foreign, Head, Heads, Ix, LabelHead, ModelRef, MoveHead, Place, Point, StoredHeads,
    StoredRef,
};
pub use id::{EntryId, ProjectKey, SessionId};
pub use tree::Tree;
