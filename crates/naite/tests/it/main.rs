//! The real binary, started as a user starts it, in a throw-away home.

mod conformance;
mod support;
