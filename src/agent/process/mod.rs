//! A plain command as a member: how its process is run to its end.
pub mod drain;

pub use drain::{Finished, OutputSink, Stopped, Stream, copy_output, stop};
