//! Numbers with a fraction, read and printed without floats.

use thiserror::Error;

use crate::text::Untrusted;

/// Why a quantity could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// There is no number where one should begin.
    #[error("`{}` is no {what}: a number is missing; write it like {example}", text.line())]
    NoNumber {
        /// What was being read: duration, size, money.
        what: &'static str,
        /// What was typed.
        text: Untrusted,
        /// How it is written.
        example: &'static str,
    },
    /// The number has no unit.
    #[error("`{}` is no {what}: a unit is missing; the units are {units}", text.line())]
    NoUnit {
        /// What was being read.
        what: &'static str,
        /// What was typed.
        text: Untrusted,
        /// The units there are.
        units: &'static str,
    },
    /// The unit is none of those there are.
    #[error("`{}` is no {what}: `{}` is no unit of it; the units are {units}", text.line(), unit.line())]
    UnknownUnit {
        /// What was being read.
        what: &'static str,
        /// What was typed.
        text: Untrusted,
        /// The part that should be a unit.
        unit: Untrusted,
        /// The units there are.
        units: &'static str,
    },
    /// A unit comes after itself or a smaller one.
    #[error("`{}` is no {what}: its units are out of order; write the largest first, each once, like {example}", text.line())]
    UnitOrder {
        /// What was being read.
        what: &'static str,
        /// What was typed.
        text: Untrusted,
        /// How it is written.
        example: &'static str,
    },
    /// It is finer than what can be kept.
    #[error("`{}` is finer than {finest}, the finest {what} there is; write fewer digits", text.line())]
    TooFine {
        /// What was being read.
        what: &'static str,
        /// What was typed.
        text: Untrusted,
        /// The finest there is.
        finest: &'static str,
    },
    /// It is larger than what can be kept.
    #[error("`{}` is too large a {what}; write at most {largest}", text.line())]
    TooLarge {
        /// What was being read.
        what: &'static str,
        /// What was typed.
        text: Untrusted,
        /// The largest there is.
        largest: &'static str,
    },
}

/// A count with commas between thousands: `1,000`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.50` as typed: the digits before and after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number<'a> {
    whole: &'a str,
    fraction: &'a str,
}

/// Why a [`Number`] is no whole count of some unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inexact {
    TooFine,
    TooLarge,
}

impl<'a> Number<'a> {
    /// Reads `digits [ "." digits ]` off the start of `text`, and returns what follows.
    pub(super) fn read(text: &'a str) -> Option<(Self, &'a str)> {
        let (whole, rest) = digits(text)?;
        let Some(after_point) = rest.strip_prefix('.') else {
            return Some((Self { whole, fraction: "" }, rest));
        };
        let (fraction, rest) = digits(after_point)?;
        Some((Self { whole, fraction }, rest))
    }

    /// Whether it was typed with a point.
    pub(super) fn has_fraction(&self) -> bool {
        !self.fraction.is_empty()
    }

    /// The number of units when 1 is `scale` units, exactly.
    pub(super) fn times(&self, scale: u64) -> Result<u64, Inexact> {
        let (value, exact) = self.scaled(scale)?;
        if exact { Ok(value) } else { Err(Inexact::TooFine) }
    }

    /// As [`Self::times`], but a part of a unit counts as a whole one.
    pub(super) fn times_up(&self, scale: u64) -> Result<u64, Inexact> {
        let (value, exact) = self.scaled(scale)?;
        value.checked_add(u64::from(!exact)).ok_or(Inexact::TooLarge)
    }

    fn scaled(&self, scale: u64) -> Result<(u64, bool), Inexact> {
        let whole: u64 = self.whole.parse().map_err(|_| Inexact::TooLarge)?;
        let fraction = self.fraction.trim_end_matches('0');
        let digits = u32::try_from(fraction.len()).unwrap_or(u32::MAX);
        let (part, exact) = match 10_u128.checked_pow(digits) {
            Some(power) => {
                let part = fraction
                    .parse()
                    .unwrap_or(0_u128)
                    .checked_mul(u128::from(scale))
                    .ok_or(Inexact::TooFine)?;
                (part / power, part % power == 0)
            }
            None => return Err(Inexact::TooFine),
        };
        let total = (u128::from(whole) * u128::from(scale)).checked_add(part).ok_or(Inexact::TooLarge)?;
        u64::try_from(total).map(|total| (total, exact)).map_err(|_| Inexact::TooLarge)
    }
}

/// The digits at the start, at least one, and what follows.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_have_commas() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(n), text);
        }
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn numbers_are_exact_or_refused() {
        let times = |text, scale| Number::read(text).unwrap().0.times(scale);
        assert_eq!(times("1.50", 1000), Ok(1500));
        assert_eq!(times("0.0005", 1000), Err(Inexact::TooFine));
        assert_eq!(times("1.00000000000000000000000000000000000000000", 1), Ok(1));
        assert_eq!(times("0.00000000000000000000000000000000000000001", 1), Err(Inexact::TooFine));
        assert_eq!(times("99999999999999999999", 1), Err(Inexact::TooLarge));
        assert_eq!(times("18446744073709551615", 2), Err(Inexact::TooLarge));
        assert_eq!(Number::read("1."), None);
        assert_eq!(Number::read("-1"), None);
    }

    proptest! {
        #[test]
        fn a_count_without_its_commas_is_the_number(n: u64) {
            prop_assert_eq!(count(n).replace(',', ""), n.to_string());
        }
    }
}
