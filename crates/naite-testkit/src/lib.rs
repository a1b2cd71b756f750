//! Drawings, fakes and contract suites for the tests of the workspace.

mod home;
mod supply;

pub use home::Home;
pub use supply::Counting;
