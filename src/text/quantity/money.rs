//! Money in micro-dollars.

use super::number::{Inexact, Number, QuantityError};
use crate::text::Untrusted;

const DOLLAR_MICROS: u64 = 1_000_000;
const CENT_MICROS: u64 = DOLLAR_MICROS / 100;
const WHAT: &str = "money";

/// Dollars and cents, cut and never rounded up, without the unit: `0.42`.
pub fn money(micro_dollars: u64) -> String {
    format!("{}.{:02}", micro_dollars / DOLLAR_MICROS, micro_dollars % DOLLAR_MICROS / CENT_MICROS)
}

/// Micro-dollars of money as typed: `2`, `2.00`, `2.00 USD`.
///
/// Errors: no number, a unit other than USD, finer than a micro-dollar, more than a `u64` holds.
pub fn parse_money(text: &str) -> Result<u64, QuantityError> {
    let typed = || Untrusted::from(text);
    let (number, unit) = Number::read(text).ok_or_else(|| QuantityError::NoNumber {
        what: WHAT,
        text: typed(),
        example: "`2.00 USD`",
    })?;
    if !matches!(unit, "" | " USD" | "USD") {
        let unit = unit.trim_start().into();
        return Err(QuantityError::UnknownUnit { what: WHAT, text: typed(), unit, units: "USD alone" });
    }
    number.times(DOLLAR_MICROS).map_err(|inexact| match inexact {
        Inexact::TooFine => QuantityError::TooFine { what: WHAT, text: typed(), finest: "0.000001 USD" },
        Inexact::TooLarge => {
            QuantityError::TooLarge { what: WHAT, text: typed(), largest: "`18000000000000 USD`" }
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn money_is_cut_to_cents() {
        for (micros, text) in
            [(0, "0.00"), (429_999, "0.42"), (2_000_000, "2.00"), (1_234_560_000, "1234.56")]
        {
            assert_eq!(money(micros), text);
        }
    }

    #[test]
    fn money_is_read_as_typed() {
        for (text, micros) in
            [("2", 2_000_000), ("2.00", 2_000_000), ("2.00 USD", 2_000_000), ("0.000001", 1)]
        {
            assert_eq!(parse_money(text), Ok(micros), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_money_is_said() {
        let cases = [
            ("$2", "`$2` is no money: a number is missing; write it like `2.00 USD`"),
            ("2 EUR", "`2 EUR` is no money: `EUR` is no unit of it; the units are USD alone"),
            (
                "0.0000001",
                "`0.0000001` is finer than 0.000001 USD, the finest money there is; write fewer digits",
            ),
            ("20000000000000", "`20000000000000` is too large a money; write at most `18000000000000 USD`"),
        ];
        for (text, error) in cases {
            assert_eq!(parse_money(text).unwrap_err().to_string(), error);
        }
        assert!(parse_money("18000000000000 USD").is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn what_is_printed_is_read_back_cut_to_cents(micros: u64) {
            prop_assert_eq!(parse_money(&money(micros)), Ok(micros - micros % CENT_MICROS));
        }

        #[test]
        fn nothing_typed_is_fatal(text in "[0-9. USD]{0,12}|\\PC{0,8}") {
            let _ = parse_money(&text);
        }
    }
}
