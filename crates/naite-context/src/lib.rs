//! What is made of conversations before they leave the session: for now, masks for secrets.
//!
//! ```
//! use naite_context::mask::mask;
//! assert_eq!(mask("postgres://me:hunter2@db/app"), "postgres://me:[masked database-password]@db/app");
//! assert_eq!(mask("nothing to see"), "nothing to see");
//! ```
//!
//! Invariant: no I/O, no clock, no randomness, no `std`; depends on `naite-core` alone of the workspace.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod mask;
