//! A plain command as a member: what it is handed, and how its process is run to its end.
pub mod drain;
pub mod env;
mod handout;
mod run;
mod tail;
mod usage;

pub use drain::{Finished, OutputSink, Stopped, Stream, copy_output, stop};
pub(super) use run::{Kept, SHELL, run, set_path};
