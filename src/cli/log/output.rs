//! The output of attempts, all of it, each under a line that says whose it is.
use super::super::call::{Call, Failed};
use super::super::look::Look;
use crate::domain::AttemptId;
use crate::domain::state::State;
use crate::domain::view::{Entry, Line, Tint};
use crate::store::RunDir;
use crate::store::output::OutputReader;
use crate::text::{Colour, Row, Rows, Style, ci, quantity};
use std::collections::BTreeMap;

/// Bytes read at once.
const BLOCK_BYTES: usize = 256 << 10;

/// The outputs of the attempts that are told.
pub struct Outputs {
    run: RunDir,
    /// Everything is one member's: lines need no name before them.
    alone: bool,
    github: bool,
    /// Only so many of the last lines of each, of what was written before.
    tail: Option<usize>,
    /// Everything of the past is told: what begins now is told as it comes.
    now: bool,
    live: BTreeMap<AttemptId, Reading>,
}

/// An attempt, and what of its output was told.
struct Reading {
    title: String,
    name: String,
    at: u64,
    rows: Rows,
    begun: bool,
    seam_told: bool,
}

impl Outputs {
    /// Nothing is told yet.
    pub fn new(look: &Look, alone: bool, tail: Option<usize>) -> Self {
        let github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|v| v == "true");
        Self { run: look.run.clone(), alone, github, tail, now: false, live: BTreeMap::new() }
    }

    /// A start is remembered, or told at once; an end is told with all there is.
    pub fn entry(&mut self, call: &mut Call<'_>, entry: &Entry, after: &State) -> Result<(), Failed> {
        match entry.word {
            "start" => {
                let (title, name) = title(entry, after);
                let reading =
                    Reading { title, name, at: 0, rows: Rows::new(), begun: false, seam_told: false };
                self.live.insert(entry.attempt, reading);
                if self.now {
                    self.begin(call, entry.attempt, "live")?;
                }
            }
            "end" => {
                let is_begun = self.live.get(&entry.attempt).is_some_and(|reading| reading.begun);
                self.begin(call, entry.attempt, &entry.detail)?;
                self.read(call, entry.attempt)?;
                if let Some(mut reading) = self.live.remove(&entry.attempt) {
                    if let Some(row) = reading.rows.finish() {
                        self.row(call, &reading.name, &row)?;
                    }
                    if reading.at == 0 && is_begun {
                        // Its heading is further up, and others may have written below it.
                        call.whole(&format!("({} wrote nothing: {})", reading.name, entry.detail))?;
                    } else if reading.at == 0 {
                        call.whole("(no output)")?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What is live is told up to now; from now on all is told as it comes.
    pub fn live(&mut self, call: &mut Call<'_>) -> Result<(), Failed> {
        for attempt in self.attempts() {
            self.begin(call, attempt, "live")?;
            self.read(call, attempt)?;
        }
        self.now = true;
        Ok(())
    }

    /// What came since.
    pub fn read_on(&mut self, call: &mut Call<'_>) -> Result<(), Failed> {
        self.attempts().into_iter().try_for_each(|attempt| self.read(call, attempt))
    }

    fn attempts(&self) -> Vec<AttemptId> {
        self.live.keys().copied().collect()
    }

    /// The line above the output of an attempt, once.
    fn begin(&mut self, call: &mut Call<'_>, attempt: AttemptId, stands: &str) -> Result<(), Failed> {
        let Some(reading) = self.live.get_mut(&attempt) else { return Ok(()) };
        if std::mem::replace(&mut reading.begun, true) {
            return Ok(());
        }
        let line =
            Line::new().and(Tint::Name, reading.title.as_str()).and(Tint::Plain, format!(", {stands}:"));
        call.line(&line)
    }

    /// The finished rows from where it was told to, and what is not kept of them.
    fn read(&mut self, call: &mut Call<'_>, attempt: AttemptId) -> Result<(), Failed> {
        let Some(mut reading) = self.live.remove(&attempt) else { return Ok(()) };
        let told = self.read_all(call, attempt, &mut reading);
        self.live.insert(attempt, reading);
        told
    }

    fn read_all(&self, call: &mut Call<'_>, attempt: AttemptId, reading: &mut Reading) -> Result<(), Failed> {
        let unreadable =
            |error| Failed::usage(format!("the output of {} cannot be read: {error}", reading.name));
        let mut reader = OutputReader::open(&self.run.attempt_path(attempt.0)).map_err(unreadable)?;
        if let Some(lines) = self.tail.filter(|_| reading.at == 0 && !self.now) {
            reading.at = reader.last_lines(lines, BLOCK_BYTES).map_err(unreadable)?.offset;
            if reading.at > 0 {
                call.whole(&format!("(the first {} are left out by --tail)", quantity::size(reading.at)))?;
            }
        }
        let mut rows = Vec::new();
        loop {
            let room = before_seam(&reader, reading);
            let chunk = reader.read(reading.at, room).map_err(|error| {
                Failed::usage(format!("the output of {} cannot be read: {error}", reading.name))
            })?;
            if chunk.left_out > 0 {
                rows.extend(reading.rows.finish());
                self.rows(call, &reading.name, &mut rows)?;
                call.whole(&format!("({} are left out here)", quantity::size(chunk.left_out)))?;
            }
            if chunk.bytes.is_empty() {
                return Ok(());
            }
            reading.at = chunk.end();
            reading.rows.push(&chunk.bytes, &mut rows);
            self.rows(call, &reading.name, &mut rows)?;
            if let Some(seam) = reader.seam().filter(|seam| seam.mark == reading.at && seam.past_mark() > 0)
                && !std::mem::replace(&mut reading.seam_told, true)
            {
                rows.extend(reading.rows.finish());
                self.rows(call, &reading.name, &mut rows)?;
                call.whole(&format!(
                    "(a seam: {} after the last mark follow)",
                    quantity::size(seam.past_mark())
                ))?;
            }
        }
    }

    fn rows(&self, call: &mut Call<'_>, name: &str, rows: &mut Vec<Row>) -> Result<(), Failed> {
        rows.drain(..).try_for_each(|row| self.row(call, name, &row))
    }

    /// One row, whole: harmless, with its colours on a terminal.
    fn row(&self, call: &mut Call<'_>, name: &str, row: &Row) -> Result<(), Failed> {
        let coloured = call.terminal.out.palette.colour;
        let text = if coloured { painted(row) } else { row.plain() };
        let text = if self.alone { text } else { format!("{name} | {text}") };
        let text = text.trim_end();
        if self.github { call.whole(&ci::neutralise(text)) } else { call.whole(text) }
    }
}

/// Bytes that may be read at once without going over the seam of a recovery.
fn before_seam(reader: &OutputReader, reading: &Reading) -> usize {
    let left = reader.seam().map(|seam| seam.mark.saturating_sub(reading.at)).filter(|left| *left > 0);
    left.and_then(|left| usize::try_from(left).ok()).map_or(BLOCK_BYTES, |left| left.min(BLOCK_BYTES))
}

/// `output of test-2 (#4), attempt 2/2`, and the name that its lines get.
fn title(entry: &Entry, after: &State) -> (String, String) {
    let task = entry.number.and_then(|number| after.task(entry.team, number));
    let member = entry.member.to_string();
    match task {
        None => (format!("output of {member}, turn {}", entry.fraction), member),
        Some(task) if entry.fraction == "review" => {
            (format!("output of {member}, review of {} (#{})", task.label(), task.number), member)
        }
        Some(task) => {
            let label = task.label();
            let by = if label == member { String::new() } else { format!(" by {member}") };
            (format!("output of {label} (#{}){by}, attempt {}", task.number, entry.fraction), label)
        }
    }
}

/// The row with its colours, as ECMA-48 writes them (8.3.117, SGR).
fn painted(row: &Row) -> String {
    let mut out = String::new();
    for span in &row.spans {
        let codes = codes(&span.style);
        if codes.is_empty() {
            out.push_str(&span.text);
        } else {
            out.push_str(&format!("\x1b[{}m{}\x1b[0m", codes.join(";"), span.text));
        }
    }
    out
}

fn codes(style: &Style) -> Vec<String> {
    let weights = [
        (style.bold, "1"),
        (style.dim, "2"),
        (style.italic, "3"),
        (style.underline, "4"),
        (style.reverse, "7"),
        (style.struck, "9"),
    ];
    let mut codes: Vec<String> =
        weights.iter().filter(|(on, _)| *on).map(|(_, code)| (*code).to_owned()).collect();
    codes.extend(colour(style.fg, 30));
    codes.extend(colour(style.bg, 40));
    codes
}

fn colour(colour: Colour, base: u8) -> Option<String> {
    match colour {
        Colour::Default => None,
        Colour::Ansi(number @ 0..=7) => Some((base + number).to_string()),
        Colour::Ansi(number) => Some((u32::from(base) + 60 + u32::from(number & 7)).to_string()),
        Colour::Indexed(index) => Some(format!("{};5;{index}", base + 8)),
        Colour::Rgb(r, g, b) => Some(format!("{};2;{r};{g};{b}", base + 8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_a_row_are_written_and_nothing_else_is() {
        let mut rows = Vec::new();
        Rows::new().push(
            b"\x1b[1;31mred\x1b[0m plain\x1b]0;title\x07 \x1b[38;5;208mx\x1b[48;2;1;2;3my\n",
            &mut rows,
        );
        let row = rows.first().unwrap();
        assert_eq!(
            painted(row),
            "\x1b[1;31mred\x1b[0m plain \x1b[38;5;208mx\x1b[0m\x1b[38;5;208;48;2;1;2;3my\x1b[0m"
        );
        assert_eq!(row.plain(), "red plain xy");
        assert_eq!(colour(Colour::Ansi(9), 30).as_deref(), Some("91"));
    }
}
