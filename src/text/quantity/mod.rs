//! Quantities as they are printed and typed: durations, sizes, counts, money. Integers only; printing cuts and never
//! rounds up, reading is exact or refuses.

mod duration;
mod money;
mod number;
mod size;

pub use duration::{duration, parse_duration};
pub use money::{money, parse_money};
pub use number::{QuantityError, count};
pub use size::{parse_size, size};
