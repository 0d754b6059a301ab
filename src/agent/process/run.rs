//! Runs the process of one attempt.
use crate::agent::seat::Seat;
use crate::domain::AttemptEnd;

pub async fn run(seat: Seat) -> AttemptEnd {
    let _ = (seat.attempt(), seat.guard, seat.output, seat.orders, seat.place, seat.inherited);
    AttemptEnd::default()
}
