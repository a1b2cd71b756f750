//! The rows of a navigator: the tree in display order, filtered, searched, indented at branch points only.

mod draw;
mod rows;
mod words;

pub use draw::{Gutter, gutter, row};
pub use rows::{Connector, Filter, Outline, Row, shows};
pub use words::{Caller, caller, row_text, search_text};
