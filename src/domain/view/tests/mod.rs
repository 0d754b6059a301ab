//! The views against what CLI.md prints, and against runs made at random.
mod always;
mod decided;
mod narration;
mod reading;
mod stream;
