//! A member that speaks the language of scripts: the lines of its attempt, one after the other.
//!
//! It knows no clock: whatever it waits for, it waits for through the port, so that time may be virtual.
mod disk;
mod fault;
mod file;
mod play;
#[cfg(test)]
mod tests;

use super::seat::{Seat, not_started};
use crate::domain::{AttemptEnd, Driver, EndCause};
use fault::Over;
use play::Play;

/// Runs the lines of an attempt or turn.
pub async fn run(seat: Seat) -> AttemptEnd {
    let Driver::Scripted(lists) = &seat.job.agent.driver else {
        return not_started("it has no lines");
    };
    let lines = list_of(lists, seat.job.nth).to_vec();
    let mut play = Play::new(seat);
    let cause = match play.lines(&lines).await {
        Ok(()) | Err(Over::Settled) => EndCause::Silent,
        Err(Over::Stopped) => EndCause::Stopped,
        Err(Over::Broken(why)) => EndCause::Broken(why),
    };
    AttemptEnd { cause, result: play.last, output_bytes: play.bytes, cost_micros: None }
}

/// The lines of the nth attempt or turn, from 1; the last list repeats.
fn list_of(lists: &[Vec<String>], nth: u32) -> &[String] {
    let at = usize::try_from(nth.saturating_sub(1)).unwrap_or(usize::MAX);
    lists.get(at).or(lists.last()).map(Vec::as_slice).unwrap_or_default()
}
