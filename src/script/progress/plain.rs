//! Progress as lines: what happened, when, to whom.
use crate::domain::view::note::{AGAIN, SENT_AGAIN};
use crate::domain::view::{Columns, Line, Narrator, Note, Tint, Told, Word, phrase, task};
use crate::domain::{Event, Fact, Purpose, State, TeamId};
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
    /// The teams, and how many of their tasks have room for their names in the columns.
    seen: BTreeMap<TeamId, Seen>,
    /// More than one team was live at once: names are told with their team.
    several: bool,
    /// Flags that were given before, as they are pasted.
    flags: String,
    told_ms: u64,
    /// A signal that ends the run was typed, and can be typed again.
    pub is_typed: bool,
}

#[derive(Debug, Clone, Default)]
struct Seen {
    name: String,
    tasks: usize,
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
            several: false,
            flags: String::new(),
            told_ms: state.elapsed_ms,
            is_typed: true,
        };
        state.teams.keys().for_each(|id| plain.widen(state, *id));
        plain
    }

    /// With these flags, given before, in the commands that it tells: ` --state DIR`.
    pub fn pasting(self, flags: &str) -> Self {
        Self { flags: flags.to_owned(), ..self }
    }

    /// Writes what one fact, with the state after it, gives to tell; returns all of it.
    pub fn fact(&mut self, out: &mut dyn Write, fact: &Fact, after: &State) -> io::Result<Told> {
        let told = self.narrator.tell(fact, after);
        fact.team.into_iter().for_each(|id| self.widen(after, id));
        self.notes(out, &told.notes)?;
        if let Some(help) = answer(fact, after, &self.flags) {
            self.page.whole(out, &help)?;
        }
        Ok(told)
    }

    /// Makes room for the names of tasks that are new.
    fn widen(&mut self, state: &State, id: TeamId) {
        let Some(team) = state.team(id) else { return };
        if !self.several && state.live_teams().nth(1).is_some() {
            self.several = true;
            self.seen.values_mut().for_each(|seen| seen.tasks = 0);
        }
        let seen = self.seen.entry(id).or_default();
        seen.name = team.name.to_string();
        let known = std::mem::replace(&mut seen.tasks, team.tasks.len());
        for task in team.tasks.iter().skip(known) {
            let label = self.label(id, &task.label());
            self.columns.widen(&label);
        }
    }

    /// A name; with its team where there are several.
    fn label(&self, team: TeamId, name: &str) -> String {
        match self.seen.get(&team) {
            Some(seen) if self.several && seen.name != name => format!("{}: {name}", seen.name),
            _ => name.to_owned(),
        }
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
            if note.word == Word::Interrupt && self.page.width.is_some() {
                // The terminal has written `^C` where the line begins.
                write!(out, "\r")?;
            }
            let name = self.label(note.team, &note.name);
            let mut note = Note { name, ..note.clone() };
            if !self.is_typed {
                note.detail = note.detail.replace(AGAIN, SENT_AGAIN);
            }
            self.page.line(out, &self.columns.note(&note))?;
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

/// How a question is answered while others still work; one that nobody can answer in time ends the run, and that says how.
fn answer(fact: &Fact, after: &State, flags: &str) -> Option<Line> {
    let Event::QuestionAsked(asked) = &fact.event else { return None };
    let attempt = after.live.get(&asked.attempt)?;
    let others =
        after.live.values().any(|other| other.id != attempt.id && !other.human && other.question.is_none());
    let team = after.team(attempt.team)?;
    if !others || asked.default.is_some() || !task::asks_person(team, attempt) {
        return None;
    }
    let run = after.run.header.number.map_or_else(String::new, |number| format!("--run {number} "));
    let call = format!("teamtui do{flags} {run}");
    let task = |number| team.task(number).map(phrase::reference);
    Some(Line::from(match attempt.purpose {
        Purpose::Task(number) => format!("help: answer it: `{call}answer {} \"..\"`", task(number)?),
        Purpose::Review(number) => {
            let of = task(number)?;
            format!("help: decide it: `{call}approve {of}`, or `{call}send_back {of} \"..\"`")
        }
        Purpose::Turn => format!("help: answer it: `{call}answer {} \"..\"`", attempt.member),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::page::Palette;

    #[test]
    fn the_line_of_an_interrupt_begins_over_what_the_terminal_echoes_of_the_key() {
        let note = Note::of_team(Word::Interrupt, TeamId(1), "ci".to_owned(), 52_300, "2 live".to_owned());
        let told = |page: Page| {
            let mut out = Vec::new();
            let plain = Plain::new(&State::default(), page, Choice::default());
            plain.notes(&mut out, std::slice::from_ref(&note)).unwrap();
            String::from_utf8(out).unwrap()
        };
        let on_terminal = told(Page { palette: Palette::default(), width: Some(80) });
        assert!(on_terminal.starts_with("\r 52.3s  interrupt"), "{on_terminal:?}");
        assert!(!told(Page::plain()).contains('\r'));
    }
}
