//! Sizes in bytes.

use super::number::{Inexact, Number, QuantityError};
use crate::text::Untrusted;

/// Largest first.
const UNITS: [(&str, u64); 5] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
const UNIT_NAMES: &str = "B, KiB, MiB, GiB and TiB";
const WHAT: &str = "size";

/// A size, cut to one decimal and never rounded up: `812 B`, `14.2 KiB`, `64.0 MiB`.
pub fn size(bytes: u64) -> String {
    let unit = UNITS.iter().find(|(_, unit_bytes)| bytes >= *unit_bytes);
    match unit {
        Some((name, unit_bytes)) if *unit_bytes > 1 => {
            let (whole, part) = (bytes / unit_bytes, bytes % unit_bytes);
            format!("{whole}.{} {name}", part * 10 / unit_bytes)
        }
        _ => format!("{bytes} B"),
    }
}

/// Bytes of a size as typed: `64 MiB`, `64MiB`, `14.2 KiB`, `812 B`, `812`. A part of a byte counts as a whole one,
/// so that what was printed is read back as what prints the same.
///
/// Errors: no number, an unknown unit, parts of bytes in `B`, more than a `u64` holds.
pub fn parse_size(text: &str) -> Result<u64, QuantityError> {
    let typed = || Untrusted::from(text);
    let (number, name) = Number::read(text).ok_or_else(|| QuantityError::NoNumber {
        what: WHAT,
        text: typed(),
        example: "`64 MiB`",
    })?;
    let name = name.strip_prefix(' ').unwrap_or(name);
    let unit_bytes = match UNITS.iter().find(|(unit, _)| *unit == name) {
        Some((_, unit_bytes)) => *unit_bytes,
        None if name.is_empty() => 1,
        None => {
            return Err(QuantityError::UnknownUnit {
                what: WHAT,
                text: typed(),
                unit: name.into(),
                units: UNIT_NAMES,
            });
        }
    };
    let bytes = if unit_bytes == 1 { number.times(1) } else { number.times_up(unit_bytes) };
    bytes.map_err(|inexact| match inexact {
        Inexact::TooFine => QuantityError::TooFine { what: WHAT, text: typed(), finest: "1 B" },
        Inexact::TooLarge => QuantityError::TooLarge { what: WHAT, text: typed(), largest: "`16000000 TiB`" },
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_cut_and_never_rounded_up() {
        let cases = [
            (0, "0 B"),
            (812, "812 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (14_600, "14.2 KiB"),
            ((1 << 20) - 1, "1023.9 KiB"),
            (64 << 20, "64.0 MiB"),
            (u64::MAX, "16777215.9 TiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn sizes_are_read_as_typed() {
        let cases = [
            ("64 MiB", 64 << 20),
            ("64MiB", 64 << 20),
            ("812 B", 812),
            ("812", 812),
            ("1.5 GiB", 3 << 29),
            ("0", 0),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_size_is_said() {
        let cases = [
            ("big", "`big` is no size: a number is missing; write it like `64 MiB`"),
            ("64 MB", "`64 MB` is no size: `MB` is no unit of it; the units are B, KiB, MiB, GiB and TiB"),
            ("1.5 B", "`1.5 B` is finer than 1 B, the finest size there is; write fewer digits"),
            ("16777216 TiB", "`16777216 TiB` is too large a size; write at most `16000000 TiB`"),
        ];
        for (text, error) in cases {
            assert_eq!(parse_size(text).unwrap_err().to_string(), error);
        }
        assert!(parse_size("16000000 TiB").is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn what_is_printed_is_read_back_as_what_prints_the_same(shift in 0u32..64, bits: u64) {
            let printed = size(bits >> shift);
            prop_assert_eq!(size(parse_size(&printed).unwrap()), printed);
        }

        #[test]
        fn bytes_are_read_back_exactly(bytes: u64) {
            prop_assert_eq!(parse_size(&format!("{bytes} B")), Ok(bytes));
        }

        #[test]
        fn nothing_typed_is_fatal(text in "[0-9. KMGiB]{0,12}|\\PC{0,8}") {
            let _ = parse_size(&text);
        }
    }
}
