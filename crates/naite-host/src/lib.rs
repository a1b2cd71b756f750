//! The world around sessions: environment, clock, the places of sessions, hooks of agents, JSON-RPC.
//!
//! Invariant: the environment is read in `env.rs` and the clock in `clock.rs` alone; nothing here prints or exits.

pub mod claude_code;
mod clock;
mod context_root;
mod env;
pub mod export;
pub mod git;
pub mod hook;
pub mod install;
mod resolve;
pub mod rpc;
pub mod samples;
mod settings;
pub mod tmux;
pub mod trust;

pub use clock::{SystemCalendar, SystemSupply};
pub use context_root::context_root;
pub use env::{Environment, Holding, HookEnvironment, Surroundings};
pub use resolve::{ResolveError, Resolved, headers, latest_here, resolve};
pub use settings::{Settings, SettingsError};
