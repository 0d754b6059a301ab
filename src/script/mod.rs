//! Headless: what a run prints while it goes on and when it ends.
//!
//! Everything here writes through a writer that is handed in, and reads nothing but views and output.
pub mod act;
mod alarm;
pub mod expect;
pub mod follow;
pub mod load;
pub mod output;
pub mod page;
pub mod pen;
pub mod progress;
pub mod report;
pub mod run;
pub mod tails;
pub mod teller;
mod trouble;
pub mod wait;

pub use output::{OutputTail, Tail};
pub use page::{Page, Palette};

#[cfg(test)]
mod tests;
