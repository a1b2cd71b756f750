//! Session logs on disk: opened once, grown by whole lines, never rewritten unasked.
//!
//! Start at [`SessionManager`]; [`Store`] is the contract below it, [`Fs`] the file system below the files.
//!
//! Invariant: depends on core (and context) alone, reads no environment, no clock; opening a session writes nothing.

mod catalog;
pub mod context;
mod error;
mod files;
mod fs;
mod index;
mod lock;
mod log;
mod manager;
mod memory;
mod rows;
mod scan;
mod trash;

pub use catalog::{Catalog, MakeStore, SessionRow, Unreadable};
pub use error::{Act, Owner, Refusal, Result, StoreError};
pub use files::FileStore;
pub use fs::{Fs, FsFile, Meta, RealFs};
pub use index::HeadIndex;
pub use log::{Durable, Guard, LogName, NewLog, Stat, Store, Wait};
pub use manager::{
    Access, Durability, Left, Moved, Navigated, Refreshed, Repair, SessionManager, Setup, Supply, Undone,
    Watched, Workplace,
};
pub use memory::MemoryStore;
pub use rows::RowCache;
pub use scan::read_header;
pub use trash::{Trash, Trashed};
