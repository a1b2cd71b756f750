//! Tests of the core through its public names, one module for each kind of question.

mod found;
mod list;
mod properties;
mod transcripts;
