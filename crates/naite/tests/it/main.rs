//! The real binary, started as a user starts it, in a throw-away home.

mod conformance;
mod context;
mod demo;
mod errors;
mod full;
mod go;
mod help;
mod holding;
mod info;
mod kills;
mod rpc;
mod sessions;
mod support;
mod tree;
