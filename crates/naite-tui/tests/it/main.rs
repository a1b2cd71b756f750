//! Screens without a terminal, one module for each screen.

mod navigator;
mod picker;
mod screens;
