//! What must hold for every log, whatever its bytes: the checks that the fuzz targets share.
//!
//! `fuzz/run TARGET [SECONDS]` makes a corpus of the fixtures and runs a target over it. Targets are a few lines;
//! each names one module here.

mod check;
pub mod claude;
pub mod decode;
pub mod index;
pub mod navigate;
pub mod rpc;
pub mod tree;

pub use check::{check, check_context, is_json, read, walk};
