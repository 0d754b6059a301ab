//! Stopping the screen, and going on when the shell says `fg`.
use rustix::process::{Signal, getpid, kill_process};
use std::io;

use super::guard::{Guard, restore};

/// Gives the terminal back and stops this process. Returns when it goes on, with the terminal taken again.
///
/// The stop is the one that cannot be caught, because the other one is: so that it works from outside too.
pub fn suspend(guard: &Guard) -> io::Result<()> {
    restore();
    kill_process(getpid(), Signal::STOP)?;
    guard.reenter()
}
