//! Bad files, bad names, bad places and bad output, given to the real binary.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, missing_docs)]
mod file;
mod house;
mod output;
mod place;
