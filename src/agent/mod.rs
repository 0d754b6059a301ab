//! Who can sit in a member's chair, and how their processes live and end.
mod baseline;
mod beneath;
mod check;
mod gate;
pub mod guard;
mod hash;
mod memory;
pub mod process;
mod scripted;
mod seat;

pub use baseline::Baseline;
pub use check::{Checks, Looked, check};
pub use gate::Gate;
pub use memory::{clear_memory, memory};
pub use process::env::Inherited;
pub use seat::{Order, Place, Render, Seat, sit};
