//! A wall clock time as machines read it.
use jiff::Timestamp;

/// RFC 3339 in UTC with milliseconds: `2026-11-30T18:20:00.004Z`. Beyond year 9999 it is that year's end.
pub fn rfc3339(at_ms: u64) -> String {
    let ms = i64::try_from(at_ms).unwrap_or(i64::MAX);
    format!("{:.3}", Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_milliseconds_and_a_z() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(1_796_062_800_004), "2026-11-30T18:20:00.004Z");
        assert_eq!(rfc3339(u64::MAX), rfc3339(u64::MAX - 1));
    }
}
