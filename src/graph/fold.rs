//! Folds runs of finished rows into one, so that what still matters fits the pane.

use std::ops::Range;

/// When a run of finished rows is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldRule {
    /// The shortest run that is folded; below 2 counts as 2, for folding one row gains nothing.
    pub min_rows: usize,
    /// How many rows on either side of the cursor are never folded, besides its own.
    pub around_cursor: usize,
}

impl Default for FoldRule {
    fn default() -> Self {
        Self { min_rows: 4, around_cursor: 1 }
    }
}

/// A line of the folded list, by positions in the list it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldedRow {
    /// One row, as it is.
    Row(usize),
    /// A run of finished rows, shown as one; the number of rows is its length.
    Folded(Range<usize>),
}

/// Folds the runs of `rows` for which `finished` holds, but not near the cursor. Every row is in exactly one line.
pub fn fold<T>(
    rows: &[T],
    finished: impl Fn(&T) -> bool,
    cursor: Option<usize>,
    rule: FoldRule,
) -> Vec<FoldedRow> {
    let near_cursor = |row: usize| cursor.is_some_and(|cursor| row.abs_diff(cursor) <= rule.around_cursor);
    let mut lines = Vec::new();
    let mut start = 0;
    for (at, row) in rows.iter().enumerate() {
        if !finished(row) || near_cursor(at) {
            close_run(&mut lines, start..at, rule);
            lines.push(FoldedRow::Row(at));
            start = at + 1;
        }
    }
    close_run(&mut lines, start..rows.len(), rule);
    lines
}

fn close_run(lines: &mut Vec<FoldedRow>, run: Range<usize>, rule: FoldRule) {
    if run.len() >= rule.min_rows.max(2) {
        lines.push(FoldedRow::Folded(run));
    } else {
        lines.extend(run.map(FoldedRow::Row));
    }
}

#[cfg(test)]
mod tests {
    use super::FoldedRow::{Folded, Row};
    use super::*;
    use proptest::prelude::*;

    const RULE: FoldRule = FoldRule { min_rows: 3, around_cursor: 1 };

    fn folded(rows: &str, cursor: Option<usize>) -> Vec<FoldedRow> {
        let rows: Vec<char> = rows.chars().collect();
        fold(&rows, |row| *row == 'x', cursor, RULE)
    }

    #[test]
    fn a_long_run_is_folded_a_short_one_is_not() {
        assert_eq!(
            folded("xxxx.xx.xxx", None),
            [Folded(0..4), Row(4), Row(5), Row(6), Row(7), Folded(8..11)]
        );
    }

    #[test]
    fn the_neighbourhood_of_the_cursor_stays_open() {
        assert_eq!(folded("xxxxx.", Some(5)), [Folded(0..4), Row(4), Row(5)]);
        assert_eq!(folded("xxxxxxxxx", Some(4)), [Folded(0..3), Row(3), Row(4), Row(5), Folded(6..9)]);
        assert_eq!(folded("xxxx", Some(99)), [Folded(0..4)]);
    }

    #[test]
    fn one_row_is_never_folded_and_nothing_folds_to_nothing() {
        let rule = FoldRule { min_rows: 0, around_cursor: 0 };
        assert_eq!(fold(&['x'], |_| true, None, rule), [Row(0)]);
        assert_eq!(folded("", None), []);
    }

    proptest! {
        #[test]
        fn every_row_is_in_exactly_one_line_and_only_finished_rows_fold(
            rows in proptest::collection::vec(any::<bool>(), 0..60),
            cursor in proptest::option::of(0usize..60),
        ) {
            let mut next = 0;
            for line in fold(&rows, |row| *row, cursor, RULE) {
                match line {
                    Row(at) => { prop_assert_eq!(at, next); next += 1; }
                    Folded(run) => {
                        prop_assert_eq!(run.start, next);
                        prop_assert!(run.clone().all(|at| rows[at] && Some(at) != cursor));
                        next = run.end;
                    }
                }
            }
            prop_assert_eq!(next, rows.len());
        }
    }
}
