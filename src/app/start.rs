//! The first screen: what there is in this project, and the ways to begin. What is found is found by others.

use crate::domain::Seq;

/// What is known before any team is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Start {
    /// Version of this program.
    pub version: String,
    /// The project, as it is shown.
    pub project: String,
    /// What is known of it: `git, branch main`.
    pub project_note: String,
    /// What can sit in a chair here, a line each.
    pub members: Vec<String>,
    /// The ways to begin.
    pub ways: Vec<Way>,
    /// Runs of files that this project has.
    pub runs: usize,
    /// Which way is chosen.
    pub chosen: usize,
    /// The last recovery whose report was seen.
    pub recovery_seen: Seq,
}

/// One way to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// Its key.
    pub key: char,
    /// Its name.
    pub word: String,
    /// What it does.
    pub help: String,
    /// What it does, exactly.
    pub act: WayAct,
}

/// What a way to begin does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WayAct {
    /// Run this line.
    Run(String),
    /// Begin this line in the palette.
    Type(String),
    /// It cannot be done here: say why, and what would be needed.
    Tell(String),
}

impl Start {
    /// The chosen way.
    pub fn way(&self) -> Option<&Way> {
        self.ways.get(self.chosen)
    }

    /// Moves the choice by that many, not past an end.
    pub fn choose(&mut self, down: bool, steps: usize) {
        let last = self.ways.len().saturating_sub(1);
        self.chosen = if down { (self.chosen + steps).min(last) } else { self.chosen.saturating_sub(steps) };
    }
}
