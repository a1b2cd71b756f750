//! Holds the chores of this repository as a library, so that a test can run them too.
//!
//! It depends on no crate of the workspace: it still builds, and still says what is wrong, when they do not.

pub mod bench;
pub mod tidy;

use std::path::Path;

/// The root of the repository that this crate was built in.
///
/// Falls back to the crate's own folder, which cannot happen in a checkout: the root is its parent.
#[must_use]
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}
