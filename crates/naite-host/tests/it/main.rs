//! Tests of the host through its public names.

mod hook;
