//! The log: rows of one attempt's output, the newest in view until the person scrolls up.
use super::super::Chunk;
use crate::domain::AttemptId;
use crate::text::{self, Row, Rows, Span};
use std::collections::VecDeque;
use unicode_segmentation::UnicodeSegmentation;

/// Rows kept of a log; the oldest go. Reason: the whole is on disk, and one command away.
pub const MAX_LOG_ROWS: usize = 10_000;
/// Bytes of text kept of a log; the oldest rows go. Reason: a row may be 64 KiB long.
pub const MAX_LOG_BYTES: usize = 8 << 20;

/// The log of the attempt that is looked at.
#[derive(Debug, Clone, Default)]
pub struct LogPane {
    /// Whose output it is.
    pub attempt: Option<AttemptId>,
    /// The first row in view, counted from the first row ever. None: the newest are in view.
    top: Option<usize>,
    reader: Rows,
    rows: VecDeque<Row>,
    /// The row that no line end has finished yet.
    pending: Option<Row>,
    /// Rows that went.
    dropped: usize,
    bytes: usize,
    /// Bytes of the output that have come, so that none is read twice.
    read_to: u64,
    /// Something was answered, be it that there is nothing.
    heard: bool,
}

impl LogPane {
    /// Turns to another attempt.
    pub(in crate::app) fn turn_to(&mut self, attempt: Option<AttemptId>) {
        *self = Self { attempt, ..Self::default() };
    }

    /// Appends output. What has been seen is skipped; where bytes are missing the rows go on behind the gap.
    pub(in crate::app) fn push(&mut self, chunk: &Chunk) {
        if self.attempt != Some(chunk.attempt) {
            return;
        }
        self.heard = true;
        let seen = usize::try_from(self.read_to.saturating_sub(chunk.at)).unwrap_or(usize::MAX);
        let Some(fresh) = chunk.bytes.get(seen..).filter(|fresh| !fresh.is_empty()) else { return };
        let length = u64::try_from(chunk.bytes.len()).unwrap_or(u64::MAX);
        self.read_to = chunk.at.saturating_add(length);
        let mut rows = Vec::new();
        self.reader.push(fresh, &mut rows);
        for row in rows {
            self.bytes += bytes(&row);
            self.rows.push_back(row);
        }
        self.pending = self.reader.pending();
        while self.rows.len() > MAX_LOG_ROWS || self.bytes > MAX_LOG_BYTES {
            let Some(row) = self.rows.pop_front() else { break };
            self.bytes -= bytes(&row).min(self.bytes);
            self.dropped += 1;
        }
        self.top = self.top.map(|top| top.max(self.dropped));
    }

    /// Nothing was written.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.pending.is_none()
    }

    /// It was read, and there may still be nothing in it.
    pub fn is_heard(&self) -> bool {
        self.heard
    }

    /// The newest rows are in view.
    pub fn is_following(&self) -> bool {
        self.top.is_none()
    }

    /// The text of its last row that is not blank.
    pub fn last_text(&self) -> Option<String> {
        let rows = self.rows.iter().chain(&self.pending);
        rows.rev().map(|row| row.plain().trim().to_owned()).find(|text| !text.is_empty())
    }

    /// All of it as text.
    pub fn plain(&self) -> String {
        let rows: Vec<String> = self.rows.iter().chain(&self.pending).map(Row::plain).collect();
        rows.join("\n")
    }

    /// What is in view: lines of spans, and how many rows there are below.
    pub fn view(&self, columns: usize, height: usize) -> (Vec<Vec<Span>>, usize) {
        if columns == 0 || height == 0 {
            return (Vec::new(), 0);
        }
        match self.top {
            Some(top) => self.view_from(top.max(self.dropped), columns, height),
            None => (self.newest(columns, height).0, 0),
        }
    }

    /// Scrolls by rows, up or down; following begins again at the end.
    pub(in crate::app) fn scroll(&mut self, down: bool, rows: usize, columns: usize, height: usize) {
        let last_top = self.newest(columns, height).1;
        let top = self.top.unwrap_or(last_top);
        let moved = if down { top.saturating_add(rows) } else { top.saturating_sub(rows).max(self.dropped) };
        self.top = (moved < last_top).then_some(moved);
    }

    /// To the oldest row.
    pub(in crate::app) fn rewind(&mut self, columns: usize, height: usize) {
        self.scroll(false, usize::MAX, columns, height);
    }

    /// To the newest row, and stay there.
    pub(in crate::app) fn follow(&mut self) {
        self.top = None;
    }

    /// Begins and ends following.
    pub(in crate::app) fn toggle_follow(&mut self, columns: usize, height: usize) {
        self.top = match self.top {
            Some(_) => None,
            None => Some(self.newest(columns, height).1),
        };
    }

    fn end(&self) -> usize {
        self.dropped + self.rows.len() + usize::from(self.pending.is_some())
    }

    /// A row by its number from the first row ever.
    fn row(&self, number: usize) -> Option<&Row> {
        let at = number.checked_sub(self.dropped)?;
        if at == self.rows.len() { self.pending.as_ref() } else { self.rows.get(at) }
    }

    fn view_from(&self, top: usize, columns: usize, height: usize) -> (Vec<Vec<Span>>, usize) {
        let mut lines = Vec::with_capacity(height);
        let mut next = top;
        while lines.len() < height {
            let Some(row) = self.row(next) else { break };
            lines.extend(wrapped(row, columns));
            next += 1;
        }
        lines.truncate(height);
        (lines, self.end().saturating_sub(next))
    }

    /// The last lines, and the number of the first row that is whole in view.
    fn newest(&self, columns: usize, height: usize) -> (Vec<Vec<Span>>, usize) {
        let mut lines: VecDeque<Vec<Span>> = VecDeque::with_capacity(height);
        let mut first = self.end();
        while let Some(row) = first.checked_sub(1).and_then(|number| self.row(number)) {
            let row = wrapped(row, columns);
            if lines.len() + row.len() > height && !lines.is_empty() {
                let rest = row.len() - (height - lines.len()).min(row.len());
                row.into_iter().skip(rest).rev().for_each(|line| lines.push_front(line));
                break;
            }
            first -= 1;
            row.into_iter().rev().for_each(|line| lines.push_front(line));
            if lines.len() >= height {
                break;
            }
        }
        let over = lines.len().saturating_sub(height);
        (lines.into_iter().skip(over).collect(), first)
    }
}

fn bytes(row: &Row) -> usize {
    row.spans.iter().map(|span| span.text.len()).sum()
}

/// A row broken between words into lines of at most so many columns: one at least.
fn wrapped(row: &Row, columns: usize) -> Vec<Vec<Span>> {
    if row.width() <= columns {
        return vec![row.spans.clone()];
    }
    let mut styled = row
        .spans
        .iter()
        .flat_map(|span| span.text.graphemes(true).map(move |grapheme| (grapheme, span.style)));
    let restyle = |line: &str| {
        let mut spans: Vec<Span> = Vec::new();
        for grapheme in line.graphemes(true) {
            // A break swallows blanks: skip those the line does not have. Every other grapheme is in both.
            let is_blank = grapheme == " ";
            let found = styled.by_ref().find(|(source, _)| is_blank || *source != " ");
            let style = found.map(|(_, style)| style).unwrap_or_default();
            match spans.last_mut() {
                Some(last) if last.style == style => last.text.push_str(grapheme),
                _ => spans.push(Span { style, text: grapheme.to_owned() }),
            }
        }
        spans
    };
    text::wrap(&row.plain(), columns).iter().map(String::as_str).map(restyle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(text: &str) -> LogPane {
        let mut pane = LogPane { attempt: Some(AttemptId(1)), ..LogPane::default() };
        pane.push(&Chunk { attempt: AttemptId(1), at: 0, bytes: text.as_bytes().to_vec() });
        pane
    }

    fn shown(pane: &LogPane, columns: usize, height: usize) -> (Vec<String>, usize) {
        let (lines, below) = pane.view(columns, height);
        let plain = |spans: &Vec<Span>| spans.iter().map(|span| span.text.as_str()).collect();
        (lines.iter().map(plain).collect(), below)
    }

    #[test]
    fn it_follows_the_end_until_someone_scrolls_up_and_says_how_much_is_below() {
        let mut pane = pane("1\n2\n3\n4\n5\n6");
        assert_eq!(shown(&pane, 9, 3), (vec!["4".into(), "5".into(), "6".into()], 0));
        pane.scroll(false, 2, 9, 3);
        assert_eq!(shown(&pane, 9, 3), (vec!["2".into(), "3".into(), "4".into()], 2));
        pane.push(&Chunk { attempt: AttemptId(1), at: 11, bytes: b"\n7\n".to_vec() });
        assert_eq!(shown(&pane, 9, 3), (vec!["2".into(), "3".into(), "4".into()], 3));
        pane.scroll(true, 9, 9, 3);
        assert!(pane.is_following());
    }

    #[test]
    fn bytes_that_come_twice_are_shown_once() {
        let mut pane = pane("one\ntwo\n");
        pane.push(&Chunk { attempt: AttemptId(1), at: 4, bytes: b"two\nthree\n".to_vec() });
        pane.push(&Chunk { attempt: AttemptId(2), at: 0, bytes: b"of another\n".to_vec() });
        assert_eq!(pane.plain(), "one\ntwo\nthree");
    }

    #[test]
    fn a_long_row_is_broken_between_words_and_keeps_its_colours() {
        let pane = pane("plain words \x1b[31mand red ones\x1b[0m behind\n");
        let (lines, _) = pane.view(12, 9);
        let red: String = lines
            .iter()
            .flatten()
            .filter(|span| span.style != text::Style::default())
            .map(|span| span.text.as_str())
            .collect::<Vec<_>>()
            .join("|");
        assert_eq!(shown(&pane, 12, 9).0, ["plain words", "and red ones", "behind"]);
        assert_eq!(red, "and red ones");
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let pane = pane(&"x\n".repeat(MAX_LOG_ROWS + 5));
        assert_eq!(pane.rows.len(), MAX_LOG_ROWS);
        assert_eq!(pane.end(), MAX_LOG_ROWS + 5);
    }
}
