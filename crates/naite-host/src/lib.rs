//! The world around sessions: environment, clock, the places of sessions, JSON-RPC.
//!
//! Invariant: the environment is read in `env.rs` and the clock in `clock.rs` alone; nothing here prints or exits.

mod clock;
mod env;
pub mod export;
mod resolve;
pub mod rpc;
pub mod samples;
mod settings;

pub use clock::SystemSupply;
pub use env::{Environment, Holding, Surroundings};
pub use resolve::{ResolveError, Resolved, headers, latest_here, resolve};
pub use settings::{Settings, SettingsError};
