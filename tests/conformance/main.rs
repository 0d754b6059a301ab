//! One suite over both transports of `runtime::Handle`: in this process, and behind the owner's socket.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, missing_docs)]
mod bench;
mod cursor;
mod fact;
mod reopen;
mod stranger;
mod time;
mod wait;
mod work;
