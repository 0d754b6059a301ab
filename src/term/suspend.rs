//! Stopping the screen until the shell says `fg`.
use rustix::process::{Signal, getpid, kill_process};
use std::io;

use super::guard::restore;

/// Gives the terminal back and stops this process.
///
/// It may return a moment before the stop takes hold, in any thread: the terminal is taken again when the signal to go on
/// comes, and not before. The stop is the one that cannot be caught, because the other one is: so it works from outside too.
pub fn suspend() -> io::Result<()> {
    restore();
    Ok(kill_process(getpid(), Signal::STOP)?)
}
