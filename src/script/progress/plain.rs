//! Progress as lines: what happened, when, to whom.
use crate::domain::view::{Columns, Line, Narrator, Note, Tint, Told};
use crate::domain::{Fact, State, TeamId};
use crate::script::output::MAX_COLUMNS;
use crate::script::page::Page;
use crate::text::{Row, Untrusted, cut, pad_left, pad_right, quantity};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Which notes become lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choice {
    /// Only ends: a terminal shows starts in its live block.
    pub ends_only: bool,
    /// Messages and turns too.
    pub verbose: bool,
}

/// Follows a run and writes its progress.
#[derive(Debug, Clone)]
pub struct Plain {
    narrator: Narrator,
    page: Page,
    choice: Choice,
    columns: Columns,
    /// Tasks whose names have their room in the columns.
    seen: BTreeMap<TeamId, usize>,
    told_ms: u64,
}

impl Plain {
    /// Begins after a state; `State::default()` before the first fact.
    pub fn new(state: &State, page: Page, choice: Choice) -> Self {
        let mut plain = Self {
            narrator: Narrator::new(state),
            page,
            choice,
            columns: Columns::progress(std::iter::empty()),
            seen: BTreeMap::new(),
            told_ms: state.elapsed_ms,
        };
        state.teams.keys().for_each(|id| plain.widen(state, *id));
        plain
    }

    /// Writes what one fact, with the state after it, gives to tell; returns all of it.
    pub fn fact(&mut self, out: &mut dyn Write, fact: &Fact, after: &State) -> io::Result<Told> {
        let told = self.narrator.tell(fact, after);
        fact.team.into_iter().for_each(|id| self.widen(after, id));
        self.notes(out, &told.notes)?;
        Ok(told)
    }

    /// Makes room for the names of tasks that are new.
    fn widen(&mut self, state: &State, id: TeamId) {
        let Some(team) = state.team(id) else { return };
        let seen = self.seen.insert(id, team.tasks.len()).unwrap_or(0);
        team.tasks.iter().skip(seen).for_each(|task| self.columns.widen(&task.label()));
    }

    /// Writes the slow marks that came due since the last tick.
    pub fn tick(&mut self, out: &mut dyn Write, state: &State, now_ms: u64) -> io::Result<()> {
        let slow = Note::slow(state, self.told_ms, now_ms);
        self.told_ms = self.told_ms.max(now_ms);
        self.notes(out, &slow)
    }

    /// When the next tick has a slow mark to write; none while nothing is live.
    pub fn next_tick_ms(&self, state: &State, now_ms: u64) -> Option<u64> {
        use crate::domain::view::next_slow;
        let due = |a: &crate::domain::state::Attempt| {
            let took = a.took_ms(now_ms);
            a.still_since_ms.is_none().then(|| now_ms.saturating_add(next_slow(took).saturating_sub(took)))
        };
        state.live.values().filter_map(due).min()
    }

    /// Writes notes that come from elsewhere: a full disk, a second signal.
    pub fn notes(&self, out: &mut dyn Write, notes: &[Note]) -> io::Result<()> {
        let shown =
            |n: &&Note| (!n.verbose || self.choice.verbose) && (!self.choice.ends_only || n.word.is_end());
        for note in notes.iter().filter(shown) {
            self.page.line(out, &self.columns.note(note))?;
        }
        Ok(())
    }

    /// Writes the line of a script that is run now: `  0.0s  line 4     wait all`; only if more was asked for.
    pub fn script_line(
        &self,
        out: &mut dyn Write,
        now_ms: u64,
        line: u32,
        said: &Untrusted,
    ) -> io::Result<()> {
        if !self.choice.verbose {
            return Ok(());
        }
        let elapsed = pad_left(&quantity::duration(now_ms), 6);
        let word = pad_right(&format!("line {line}"), 9);
        let said = cut(&said.line(), MAX_COLUMNS).into_owned();
        self.page
            .line(out, &Line::new().and(Tint::Time, elapsed).and(Tint::Plain, format!("  {word}  {said}")))
    }

    /// Writes one row of a member's output: `NAME | text`.
    pub fn output(&self, out: &mut dyn Write, name: &str, row: &Row) -> io::Result<()> {
        let text = row.plain();
        self.page.line(out, &Line::new().and(Tint::Name, name).and(Tint::Plain, format!(" | {text}")))
    }
}
