//! The writers against what CLI.md prints.
mod always;
mod ci;
mod end;
mod live;

use crate::domain::AttemptId;
use crate::script::{OutputTail, Tail};
use crate::text::{Row, Rows};
use std::collections::BTreeMap;
use std::io;

/// Outputs that lie in memory: what was written last, and how much there was in all.
#[derive(Default)]
pub struct Outputs(pub BTreeMap<AttemptId, (String, u64, u64)>);

impl Outputs {
    pub fn with(mut self, attempt: u64, text: &str, lines: u64, bytes: u64) -> Self {
        self.0.insert(AttemptId(attempt), (text.to_owned(), lines, bytes));
        self
    }
}

impl OutputTail for Outputs {
    fn tail(&self, attempt: AttemptId, rows: usize) -> io::Result<Tail> {
        let Some((text, lines, bytes)) = self.0.get(&attempt) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let mut reader = Rows::new();
        let mut all: Vec<Row> = Vec::new();
        reader.push(text.as_bytes(), &mut all);
        all.extend(reader.finish());
        let rows = all.split_off(all.len().saturating_sub(rows));
        Ok(Tail { rows, lines: *lines, bytes: *bytes })
    }
}

/// Everything that was written, as text.
pub fn written(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
