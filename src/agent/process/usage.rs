//! What a process says it has cost: JSON in `$TEAMTUI_USAGE`, `{"cost_usd": "0.12"}` or `{"cost_usd_micros": 120000}`.
//!
//! Dollars may be a string or a number and have any number of digits, also an exponent, as programs print them.
//! What is finer than a micro-dollar is rounded up: a cap must not be passed by many small costs.
use serde_json::{Map, Value};

/// Digits of a dollar that count.
const MICRO_DIGITS: i64 = 6;

/// The largest exponent and number of digits that are read; a u64 of micro-dollars has 20.
const MAX_DIGITS: usize = 60;

/// Micro-dollars of a usage file; `None`: it names no cost.
///
/// Errors: what is wrong with it, in a few words.
pub fn cost_micros(json: &[u8]) -> Result<Option<u64>, String> {
    let usage: Map<String, Value> = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    if let Some(written) = usage.get("cost_usd_micros") {
        let micros = written.as_u64();
        return micros.map(Some).ok_or_else(|| format!("cost_usd_micros is no whole number: {written}"));
    }
    let Some(written) = usage.get("cost_usd") else { return Ok(None) };
    let micros = match written {
        Value::String(text) => micros(text.trim()),
        Value::Number(number) => micros(&number.to_string()),
        _ => None,
    };
    micros.map(Some).ok_or_else(|| format!("cost_usd is no amount of dollars: {written}"))
}

/// Micro-dollars of a decimal number of dollars, rounded up.
fn micros(text: &str) -> Option<u64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || digits.len() > MAX_DIGITS {
        return None;
    }
    // The number is 0.DIGITS times ten to the power of `point`, in micro-dollars.
    let point = i64::try_from(whole.len()).ok()? + i64::from(exponent) + MICRO_DIGITS;
    let point = usize::try_from(point.max(0)).ok()?;
    let (kept, dropped) = digits.split_at_checked(point).unwrap_or((&digits, ""));
    let mut value: u64 = if kept.is_empty() { 0 } else { kept.parse().ok()? };
    for _ in kept.len()..point {
        if value == 0 {
            break;
        }
        value = value.checked_mul(10)?;
    }
    value.checked_add(u64::from(dropped.bytes().any(|digit| digit != b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(json: &str) -> Result<Option<u64>, String> {
        cost_micros(json.as_bytes())
    }

    #[test]
    fn r29_cost_is_read_as_programs_write_it() {
        for (json, micros) in [
            (r#"{"cost_usd": "0.12"}"#, 120_000),
            (r#"{"cost_usd": 0.12}"#, 120_000),
            (r#"{"cost_usd": 2}"#, 2_000_000),
            (r#"{"cost_usd": "2.50", "tokens": 12}"#, 2_500_000),
            (r#"{"cost_usd_micros": 7}"#, 7),
            (r#"{"cost_usd": 0.0234567}"#, 23_457),
            (r#"{"cost_usd": 1e-7}"#, 1),
            (r#"{"cost_usd": "1.5E3"}"#, 1_500_000_000),
            (r#"{"cost_usd": 0}"#, 0),
            (r#"{"cost_usd": "0e99"}"#, 0),
            (r#"{"cost_usd": "0.000001"}"#, 1),
        ] {
            assert_eq!(cost(json), Ok(Some(micros)), "{json}");
        }
        assert_eq!(cost("{}"), Ok(None));
    }

    #[test]
    fn what_is_no_cost_says_so() {
        for json in [
            "",
            "[]",
            "{",
            r#"{"cost_usd": "-1"}"#,
            r#"{"cost_usd": -1}"#,
            r#"{"cost_usd": "$1"}"#,
            r#"{"cost_usd": "."}"#,
            r#"{"cost_usd": "1e40"}"#,
            r#"{"cost_usd": true}"#,
            r#"{"cost_usd_micros": -1}"#,
        ] {
            assert!(cost(json).is_err(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn micro_dollars_come_back_from_dollars(value in 0..u64::MAX) {
            let text = format!("{}.{:06}", value / 1_000_000, value % 1_000_000);
            prop_assert_eq!(micros(&text), Some(value));
        }

        #[test]
        fn nothing_written_is_fatal(text in "[0-9.eE+-]{0,12}") {
            let _ = micros(&text);
        }
    }
}
