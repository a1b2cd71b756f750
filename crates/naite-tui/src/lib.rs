//! Screens as values: state, update, view, without a terminal.
//!
//! A terminal's bytes become events ([`input`]), an event changes a state and gives effects, and a view draws the
//! state into a buffer. The program that owns the terminal does the effects and paints the buffer.
//!
//! Invariant: no file, no network, no environment, no clock, no thread, no terminal; words for people come from
//! [`Words`] in the person's language.

mod draw;
mod editor;
pub mod input;
pub mod key;
mod keymap;
pub mod navigator;
pub mod sessions;
mod theme;
mod words;

pub use draw::{Pen, found_in, wrap};
pub use editor::Editor;
pub use keymap::{Action, Keymap, KeymapError, Place};
pub use ratatui::buffer::{Buffer, Cell};
pub use ratatui::layout::Rect;
pub use ratatui::style;
pub use theme::{Palette, Theme};
pub use words::{Language, Words};
