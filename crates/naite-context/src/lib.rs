//! What is made of conversations outside of their session: hook payloads, logs, projects, names, masks for secrets.
//!
//! A hook's payload ([`payload`]) becomes log lines ([`line`]) in the order and number that the [`ledger`] decides: it
//! knows what was logged from payloads and what a transcript ([`transcript`]) brings later, so that each message is
//! logged once. [`project`] says which project that is, [`name`] how foreign names become file names.
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

pub mod handoff;
pub mod ledger;
pub mod line;
pub mod mask;
pub mod name;
pub mod payload;
pub mod project;
pub mod speech;
pub mod strings;
pub mod transcript;
