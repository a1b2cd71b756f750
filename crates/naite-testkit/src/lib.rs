//! Drawings, fakes and contract suites for the tests of the workspace.

#[cfg(feature = "store")]
pub mod contract;
pub mod drawing;
mod faults;
mod home;
#[cfg(feature = "model")]
pub mod model;
#[cfg(feature = "screen")]
pub mod screen;
mod supply;

use std::path::PathBuf;

pub use faults::{Call, Change, FaultFs, Plan, Then};
pub use home::Home;
pub use supply::Counting;

/// The folder of files that other programs wrote, and of sessions with their right answers.
pub fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
}
