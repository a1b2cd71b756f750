//! The real binary, started as a user starts it, in a throw-away home.

mod branch;
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
mod kills;
mod label;
mod matrix;
mod relocate;
mod rpc;
mod sessions;
mod show;
mod support;
mod trash;
mod tree;
