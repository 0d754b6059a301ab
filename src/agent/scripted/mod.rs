//! A member that speaks the language of scripts.
use super::seat::Seat;
use crate::domain::AttemptEnd;

pub async fn run(seat: Seat) -> AttemptEnd {
    let _ = (seat.attempt(), seat.port, seat.seq, seat.render);
    AttemptEnd::default()
}
