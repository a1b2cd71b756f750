//! The rows of a navigator: the tree in display order, filtered, searched, folded, indented at branch points only.

mod bits;
mod draw;
mod find;
mod haystack;
mod list;
mod rows;
mod words;

pub use draw::{Gutter, gutter, row, text_columns};
pub use find::{Progress, Texts};
pub use list::{Emptiness, List, Move};
pub use rows::{Connector, Filter, Order, Outline, Row, shows};
pub use words::{
    Caller, Tokens, caller, full_text, plain_text, row_text, search_text, tokens, touched_files,
};
