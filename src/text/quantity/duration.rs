//! Durations in milliseconds.

use super::number::{Inexact, Number, QuantityError};
use crate::text::Untrusted;

const SECOND_MS: u64 = 1000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// Largest first: units are typed in this order.
const UNITS: [(&str, u64); 5] =
    [("d", DAY_MS), ("h", HOUR_MS), ("m", MINUTE_MS), ("s", SECOND_MS), ("ms", 1)];
const UNIT_NAMES: &str = "d, h, m, s and ms";
const WHAT: &str = "duration";
const EXAMPLE: &str = "`1m42s`";
const LARGEST: &str = "`200000000000d`";

/// A duration as it can be typed, cut and never rounded up: `0.4s`, `38.2s`, `1m42s`, `1h04m`, `2d03h`.
pub fn duration(ms: u64) -> String {
    let whole = |unit_ms| ms / unit_ms;
    match ms {
        DAY_MS.. => format!("{}d{:02}h", whole(DAY_MS), whole(HOUR_MS) % 24),
        HOUR_MS.. => format!("{}h{:02}m", whole(HOUR_MS), whole(MINUTE_MS) % 60),
        MINUTE_MS.. => format!("{}m{:02}s", whole(MINUTE_MS), whole(SECOND_MS) % 60),
        _ => format!("{}.{}s", whole(SECOND_MS), ms % SECOND_MS / 100),
    }
}

/// Milliseconds of a duration as typed: `5m`, `1m42s`, `0.4s`, `500ms`; a fraction only in the first number.
///
/// Errors: no number, no or an unknown unit, units out of order, finer than 1 ms, more than a `u64` holds.
pub fn parse_duration(text: &str) -> Result<u64, QuantityError> {
    let typed = || Untrusted::from(text);
    let too_large = || QuantityError::TooLarge { what: WHAT, text: typed(), largest: LARGEST };
    let no_number = || QuantityError::NoNumber { what: WHAT, text: typed(), example: EXAMPLE };
    let (mut total, mut rest, mut smaller) = (0_u64, text, UNITS.as_slice());
    loop {
        let (number, after) = Number::read(rest).ok_or_else(no_number)?;
        if number.has_fraction() && rest.len() < text.len() {
            return Err(no_number());
        }
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (name, after) = after.split_at_checked(end).unwrap_or((after, ""));
        if name.is_empty() {
            return Err(QuantityError::NoUnit { what: WHAT, text: typed(), units: UNIT_NAMES });
        }
        let Some((_, unit_ms)) = UNITS.iter().find(|(unit, _)| *unit == name) else {
            return Err(QuantityError::UnknownUnit {
                what: WHAT,
                text: typed(),
                unit: name.into(),
                units: UNIT_NAMES,
            });
        };
        let Some(index) = smaller.iter().position(|(unit, _)| *unit == name) else {
            return Err(QuantityError::UnitOrder { what: WHAT, text: typed(), example: EXAMPLE });
        };
        smaller = smaller.get(index + 1..).unwrap_or_default();
        let part = number.times(*unit_ms).map_err(|inexact| match inexact {
            Inexact::TooFine => QuantityError::TooFine { what: WHAT, text: typed(), finest: "1 ms" },
            Inexact::TooLarge => too_large(),
        })?;
        total = total.checked_add(part).ok_or_else(too_large)?;
        rest = after;
        if rest.is_empty() {
            return Ok(total);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_cut_and_never_rounded_up() {
        let cases = [
            (0, "0.0s"),
            (499, "0.4s"),
            (38_299, "38.2s"),
            (59_999, "59.9s"),
            (60_000, "1m00s"),
            (102_999, "1m42s"),
            (3_599_999, "59m59s"),
            (3_840_000, "1h04m"),
            (86_399_999, "23h59m"),
            (183_600_000, "2d03h"),
        ];
        for (ms, text) in cases {
            assert_eq!(duration(ms), text);
        }
    }

    #[test]
    fn durations_are_read_as_typed() {
        let cases = [
            ("5m", 300_000),
            ("1m42s", 102_000),
            ("0.4s", 400),
            ("500ms", 500),
            ("1h04m", 3_840_000),
            ("2d", 172_800_000),
            ("1.5h", 5_400_000),
            ("90m", 5_400_000),
            ("1s500ms", 1500),
            ("0s", 0),
        ];
        for (text, ms) in cases {
            assert_eq!(parse_duration(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_duration_is_said() {
        let cases = [
            ("", "`` is no duration: a number is missing; write it like `1m42s`"),
            ("m", "`m` is no duration: a number is missing; write it like `1m42s`"),
            ("5", "`5` is no duration: a unit is missing; the units are d, h, m, s and ms"),
            ("5 m", "`5 m` is no duration: ` m` is no unit of it; the units are d, h, m, s and ms"),
            ("5w", "`5w` is no duration: `w` is no unit of it; the units are d, h, m, s and ms"),
            ("5M", "`5M` is no duration: `M` is no unit of it; the units are d, h, m, s and ms"),
            (
                "5s1m",
                "`5s1m` is no duration: its units are out of order; write the largest first, each once, like `1m42s`",
            ),
            (
                "1m1m",
                "`1m1m` is no duration: its units are out of order; write the largest first, each once, like `1m42s`",
            ),
            ("1m1.5s", "`1m1.5s` is no duration: a number is missing; write it like `1m42s`"),
            ("0.0004s", "`0.0004s` is finer than 1 ms, the finest duration there is; write fewer digits"),
            ("99999999999999d", "`99999999999999d` is too large a duration; write at most `200000000000d`"),
        ];
        for (text, error) in cases {
            assert_eq!(parse_duration(text).unwrap_err().to_string(), error);
        }
        assert!(parse_duration("200000000000d").is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn what_is_printed_is_read_back_not_later(ms in prop_oneof![0..10_000_000_u64, any::<u64>()]) {
            let printed = duration(ms);
            let read = parse_duration(&printed).unwrap();
            prop_assert!(read <= ms);
            prop_assert_eq!(duration(read), printed);
        }

        #[test]
        fn milliseconds_are_read_back_exactly(ms: u64) {
            prop_assert_eq!(parse_duration(&format!("{ms}ms")), Ok(ms));
        }

        #[test]
        fn nothing_typed_is_fatal(text in "[0-9.dhms ]{0,12}|\\PC{0,8}") {
            let _ = parse_duration(&text);
        }
    }
}
