//! The world around sessions: environment, clock, the places of sessions, JSON-RPC.
//!
//! Invariant: the environment is read in `env.rs` and the clock in `clock.rs` alone; nothing here prints or exits.

pub mod claude_code;
mod clock;
mod context_root;
mod env;
pub mod export;
mod resolve;
pub mod rpc;
pub mod samples;

pub use clock::SystemSupply;
pub use context_root::context_root;
pub use env::{Environment, Holding};
pub use resolve::{ResolveError, Resolved, headers, latest_here, resolve};
