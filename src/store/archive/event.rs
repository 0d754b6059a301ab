//! A record as one line of `events.ndjson`, and back.

use serde::{Deserialize, Serialize};

use super::ArchiveError;
use crate::store::codec::Record;
use crate::store::digest::Digest;
use crate::store::limit;

/// Most bytes of one line: a body of control characters is six times as long as JSON text.
pub(super) const LINE_BYTES: usize = 6 * limit::RECORD_BYTES + 1_024;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventLine {
    pub seq: u64,
    pub kind: u16,
    pub version: u16,
    pub flags: u8,
    pub commit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_hex: Option<String>,
}

impl EventLine {
    /// The record at a seq, in the commit with this hash.
    pub fn of(seq: u64, record: &Record, commit: Digest) -> Self {
        let Record { kind, version, flags, .. } = *record;
        let (body, body_hex) = match std::str::from_utf8(&record.body) {
            Ok(text) => (Some(text.to_owned()), None),
            Err(_) => (None, Some(record.body.iter().map(|byte| format!("{byte:02x}")).collect())),
        };
        Self { seq, kind, version, flags, commit: commit.to_string(), body, body_hex }
    }

    /// The record, and the hash of its commit.
    pub fn record(self) -> Result<(Record, Digest), ArchiveError> {
        let wrong = |what: &str| ArchiveError::refused(format!("the event at seq {} has {what}", self.seq));
        let commit = Digest::from_hex(&self.commit).ok_or_else(|| wrong("no hash of a commit"))?;
        let body = match (self.body, &self.body_hex) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(hex)) => bytes_of(hex).ok_or_else(|| wrong("a body that is no hex"))?,
            _ => return Err(wrong("no body, or two")),
        };
        let Self { kind, version, flags, .. } = self;
        Ok((Record { kind, version, flags, body }, commit))
    }
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = digits.chunks(2).map(|pair| {
        let [high, low] = pair else { return None };
        u8::try_from(digit(high)? * 16 + digit(low)?).ok()
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_record_survives_its_line(
            kind in any::<u16>(), flags in any::<u8>(), body in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            let record = Record { kind, version: 2, flags, body };
            let commit = Digest::of(b"c");
            let line = serde_json::to_string(&EventLine::of(7, &record, commit)).unwrap();
            let read: EventLine = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(read.seq, 7);
            prop_assert_eq!(read.record().unwrap(), (record, commit));
        }
    }

    #[test]
    fn a_line_without_one_body_is_refused() {
        let line =
            EventLine::of(1, &Record { kind: 1, version: 1, flags: 0, body: b"x".into() }, Digest::ZERO);
        for wrong in [
            EventLine { body: None, ..line.clone() },
            EventLine { body_hex: Some("00".into()), ..line.clone() },
            EventLine { body: None, body_hex: Some("0".into()), ..line.clone() },
            EventLine { body: None, body_hex: Some("é".into()), ..line.clone() },
            EventLine { commit: "ab".into(), ..line.clone() },
        ] {
            assert!(wrong.record().is_err());
        }
    }
}
