//! The process guard: no process of an attempt outlives the process that owns the run.
//!
//! The owner starts one guard (`teamtui guard`, a hidden subcommand of the same binary) and asks it over a
//! socket to start, signal and end processes. The guard is the subreaper of everything it starts, so a
//! process that detaches itself still ends up as the guard's child; when the owner's end of the socket
//! closes, for whatever reason, the guard ends all its descendants and then itself.
//!
//! Invariant: what the guard ends is always a descendant of the guard.
//!
//! Owner side: `client`, `launch`, [`child`], [`sweep`]. Guard side: `serve`, `spawn`, `tree`. Between them:
//! `protocol` (what is said) and `packet` (how it travels). Where there is no subreaper (macOS), `group` gives
//! the same interface from process groups alone.
#[cfg(target_os = "linux")]
mod board;
pub mod child;
#[cfg(target_os = "linux")]
mod client;
#[cfg(any(not(target_os = "linux"), test))]
mod group;
#[cfg(target_os = "linux")]
mod launch;
pub mod limit;
pub mod lineage;
#[cfg(target_os = "linux")]
mod packet;
#[cfg(target_os = "linux")]
mod procfs;
#[cfg(target_os = "linux")]
mod protocol;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod spawn;
pub mod sweep;
#[cfg(target_os = "linux")]
mod tree;

pub use child::{Child, ChildOutput, Ended, Exit, Exiting, Sig, Spawn, SpawnError, Stdin};
#[cfg(target_os = "linux")]
pub use client::Guard;
#[cfg(not(target_os = "linux"))]
pub use group::{Guard, Launch, Starting};
#[cfg(target_os = "linux")]
pub use launch::{Launch, Starting};
pub use lineage::belongs;
#[cfg(target_os = "linux")]
pub use serve::main;
pub use sweep::{Swept, sweep_marked};

/// The environment variable that marks every process of an attempt; its value is the caller's.
pub const MARKER: &str = "TEAMTUI_ATTEMPT";

/// Without a subreaper there is no guard process to run: always fails.
#[cfg(not(target_os = "linux"))]
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(2)
}
