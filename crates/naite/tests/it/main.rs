//! The real binary, started as a user starts it, in a throw-away home.

mod branch;
mod claude_code;
mod conformance;
mod context;
mod demo;
mod doctor;
mod errors;
mod export;
mod full;
mod go;
mod help;
mod holding;
mod hook;
mod info;
mod install;
mod kills;
mod label;
mod matrix;
#[cfg(unix)]
mod navigator;
#[cfg(unix)]
mod picture;
mod relocate;
mod resume;
mod rpc;
mod session;
mod sessions;
mod show;
mod support;
mod trash;
mod tree;
#[cfg(unix)]
mod tty;
