//! What children say of themselves, outside of every teamtui: each writes a line when it begins and one when it ends.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The file that they append to; a line is one write, so lines are whole and in order.
pub const FILE: &str = "ledger";

/// A shell line that writes into the ledger: a word, and who writes it.
pub fn say(word: &str) -> String {
    format!("echo \"{word} $TEAMTUI_TASK $TEAMTUI_ATTEMPT\" >> {FILE}")
}

/// How often each attempt began and ended, by task and number of the attempt in the run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Ledger {
    pub begun: BTreeMap<(String, u64), u64>,
    pub ended: BTreeMap<(String, u64), u64>,
}

impl Ledger {
    /// What is written so far.
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        let mut ledger = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [word, task, attempt] = words.as_slice() else { panic!("torn line in the ledger: {line:?}") };
            let number = attempt.rsplit_once('.').and_then(|(_, number)| number.parse().ok()).unwrap();
            let lines = if *word == "begin" { &mut ledger.begun } else { &mut ledger.ended };
            *lines.entry(((*task).to_owned(), number)).or_default() += 1;
        }
        ledger
    }

    /// No attempt began or ended twice, and none ended that had not begun.
    pub fn check_once(&self) {
        for (who, times) in self.begun.iter().chain(&self.ended) {
            assert_eq!(*times, 1, "attempt {who:?} ran twice");
        }
        for who in self.ended.keys() {
            assert!(self.begun.contains_key(who), "attempt {who:?} ended and had not begun");
        }
    }

    /// Attempts that began, by number.
    pub fn attempts(&self) -> BTreeSet<u64> {
        self.begun.keys().map(|(_, number)| *number).collect()
    }
}
