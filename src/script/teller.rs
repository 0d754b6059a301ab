//! Tells a run while it goes on: progress on stderr, the event stream on stdout.
use super::pen::{self, Desk, Pen, Side, Streams};
use super::progress::plain::Choice;
use super::progress::{Painter, Plain, Shape, block};
use super::report::text;
use super::tails::RunTails;
use super::trouble;
use super::{OutputTail, Page};
use crate::domain::state::{State, Team};
use crate::domain::view::note::AGAIN;
use crate::domain::view::{LiveView, Note, RunView, Stream, Word, phrase};
use crate::domain::{AttemptId, Event, Fact, Seq, TeamId};
use crate::runtime::Clock;
use crate::store::RunDir;
use crate::store::output::OutputReader;
use crate::text::Rows;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The signal that Ctrl-C sends.
const SIGINT: i32 = 2;
/// Between two drawings of the live block.
const REDRAW_MS: u64 = 1_000;

/// What is printed, and how.
#[derive(Debug, Clone, Default)]
pub struct Format {
    /// NDJSON on stdout in place of text.
    pub ndjson: bool,
    /// Messages, turns and members' output too.
    pub verbose: bool,
    /// stderr as a page.
    pub err: Page,
    /// stdout as a page.
    pub out: Page,
    /// stderr is a terminal of that shape: a live block is redrawn.
    pub live: Option<Shape>,
    /// Flags that were given before, as they are pasted: ` --state DIR`.
    pub flags: String,
}

/// A stream that somebody closed, or that is full.
#[derive(Debug, thiserror::Error)]
pub enum Silenced {
    /// Standard output: the reader is gone.
    #[error("standard output was closed")]
    Closed,
    /// Standard output cannot be written.
    #[error("could not write standard output: {}", words(.0))]
    Out(io::Error),
    /// Standard output is open, and nobody reads it.
    #[error("nobody read standard output, and it was not waited for any longer; the rest of it is not said")]
    Unread,
}

/// What the system said, as the end of a line of ours: `no space left on device`.
fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

impl From<io::Error> for Silenced {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Closed } else { Self::Out(error) }
    }
}

/// A pen takes everything; what its stream does not take is heard later, of standard output, or not at all.
fn kept<T>(_told: io::Result<T>) {}

/// The two streams of the process, and what was told on them.
pub struct Teller {
    out: Pen,
    err: Pen,
    desk: Desk,
    format: Format,
    plain: Plain,
    stream: Option<Stream>,
    painter: Painter,
    tails: RunTails,
    clock: Clock,
    opened: bool,
    followed: BTreeMap<AttemptId, (String, u64, Rows)>,
    /// When the live block was last drawn, in the run's time.
    drawn_ms: u64,
    /// Progress is not told any more.
    hushed: bool,
}

impl Teller {
    /// Nothing is told yet, of a run that stands so.
    ///
    /// # Errors
    /// The system gave no threads to write with.
    pub fn new(
        streams: Streams,
        format: Format,
        run: RunDir,
        clock: Clock,
        state: &State,
    ) -> io::Result<Self> {
        let (out, err, desk) = pen::desk(streams)?;
        let choice = Choice { ends_only: format.live.is_some(), verbose: format.verbose };
        let plain = Plain::new(state, format.err, choice).pasting(&format.flags);
        let painter = Painter::new(format.err.palette);
        let stream = format.ndjson.then(|| Stream::new(state, format.verbose));
        let followed = BTreeMap::new();
        Ok(Self {
            out,
            err,
            desk,
            format,
            plain,
            stream,
            painter,
            tails: RunTails(run),
            clock,
            opened: false,
            followed,
            drawn_ms: 0,
            hushed: false,
        })
    }

    /// How far the two streams are.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Has standard output failed? Told once.
    pub fn silenced(&self) -> Result<(), Silenced> {
        self.desk.fault().map_or(Ok(()), |error| Err(error.into()))
    }

    /// The first line of the event stream.
    pub fn begin(&mut self, run: Option<u64>, from: Seq) -> Result<(), Silenced> {
        if self.stream.is_none() {
            return Ok(());
        }
        let line = Stream::first(env!("CARGO_PKG_VERSION"), run, from);
        self.out_line(&line)
    }

    /// One fact, with the state after it.
    pub fn fact(&mut self, fact: &Fact, after: &State) -> Result<(), Silenced> {
        // A mark tells nothing, so what is drawn stays.
        if self.format.verbose || !matches!(fact.event, Event::OutputMarked(_)) {
            self.clear();
            self.drawn_ms = 0;
        }
        if let Event::TeamCreated(_) = fact.event {
            self.opening(after, fact);
        }
        if self.format.verbose {
            self.follow(fact);
        }
        if !self.hushed {
            kept(self.plain.fact(&mut self.err, fact, after));
        }
        let line = self.stream.as_mut().and_then(|stream| stream.fact(fact, after));
        line.map_or(Ok(()), |line| self.out_line(&line))
    }

    fn opening(&mut self, after: &State, fact: &Fact) {
        let view = RunView::of(after, after.elapsed_ms);
        if let Some(team) = view.teams.iter().find(|t| Some(t.id) == fact.team) {
            kept(text::opening(&mut self.err, &self.format.err, &view, team));
        }
        self.opened = true;
    }

    /// Time went on: slow marks, and the live block.
    pub fn tick(&mut self, state: &State) {
        let now = self.clock.elapsed_ms();
        let Some(shape) = self.format.live else {
            return kept(self.plain.tick(&mut self.err, state, now));
        };
        let Some((id, _)) = state.live_teams().next() else { return self.clear() };
        let lines = LiveView::of(state, id, now, None)
            .map(|view| block(&view, &self.tails, shape))
            .unwrap_or_default();
        kept(self.painter.draw(&mut self.err, &lines));
        self.drawn_ms = now;
    }

    /// How long until there is something to tick for, in ms.
    pub fn next_tick_ms(&self, state: &State) -> Option<u64> {
        if self.desk.is_dead(Side::Err) || self.clock.is_virtual() {
            return None;
        }
        if self.format.live.is_some() {
            let due = self.drawn_ms.saturating_add(REDRAW_MS);
            return (!state.live.is_empty()).then(|| due.saturating_sub(self.clock.elapsed_ms()));
        }
        let now = self.clock.elapsed_ms();
        self.plain.next_tick_ms(state, now).map(|due| due.saturating_sub(now).max(10))
    }

    /// From now on only the event stream is told.
    pub fn hush(&mut self) {
        self.hushed = true;
    }

    /// A line of ours on stderr.
    pub fn say(&mut self, line: &str) {
        self.clear();
        kept(writeln!(self.err, "{line}"));
    }

    /// A first signal: was it typed?
    pub fn signalled(&mut self, signal: i32) {
        self.plain.is_typed = signal == SIGINT;
    }

    /// What is live is asked to end, and no signal asked for it.
    pub fn stopping(&mut self, state: &State) {
        if !self.hushed {
            self.of_live(state, ("gets", "get"), |team| phrase::terse(team.limits.grace_ms));
        }
    }

    /// A first signal, while what is live ends.
    pub fn pressed(&mut self, state: &State) {
        self.of_live(state, ("is", "are"), |_| format!("ending; {AGAIN}"));
    }

    /// A second signal: what is live is ended by force.
    pub fn ended_now(&mut self, state: &State) {
        self.of_live(state, ("is", "are"), |_| "ended now".to_owned());
    }

    /// Nothing can be stored now, and why; none: it can again.
    pub fn trouble(&mut self, state: &State, why: Option<&str>) {
        self.clear();
        let now_ms = self.clock.elapsed_ms();
        let (word, detail) = match why {
            Some(why) => (Word::Paused, trouble::paused(why, self.tails.0.path())),
            None => (Word::Resumed, trouble::resumed(self.tails.0.path())),
        };
        let teams = state.live_teams();
        let notes: Vec<Note> = teams
            .map(|(id, team)| Note::of_team(word, id, team.name.to_string(), now_ms, detail.clone()))
            .collect();
        kept(self.plain.notes(&mut self.err, &notes));
    }

    /// A line for each team with live attempts: how many they are, and what happens to them.
    fn of_live(&mut self, state: &State, (one, more): (&str, &str), what: impl Fn(&Team) -> String) {
        self.clear();
        let now_ms = self.clock.elapsed_ms();
        let note = |(id, team): (TeamId, &Team)| {
            let live = state.live_of(id).filter(|(_, a)| !a.human).count();
            let many = phrase::plural(live, &format!("live attempt {one}"), &format!("live attempts {more}"));
            let detail = format!("{many} {}", what(team));
            (live > 0).then(|| Note::of_team(Word::Interrupt, id, team.name.to_string(), now_ms, detail))
        };
        let notes: Vec<Note> = state.live_teams().filter_map(note).collect();
        kept(self.plain.notes(&mut self.err, &notes));
    }

    /// Lines that a reading verb answers, on stdout.
    pub fn answer(&mut self, lines: &[String]) -> Result<(), Silenced> {
        self.clear();
        lines.iter().try_for_each(|line| self.out_line(line))
    }

    /// The report, on stdout.
    pub fn report(&mut self, view: &RunView) -> Result<(), Silenced> {
        self.clear();
        if self.stream.is_some() {
            return Ok(());
        }
        let page = self.format.out;
        kept(text::report(&mut self.out, &page, view));
        self.silenced()
    }

    /// The last line of the event stream.
    pub fn last(&mut self, view: &RunView, flags: &str) -> Result<(), Silenced> {
        if self.stream.is_none() {
            return Ok(());
        }
        self.out_line(&Stream::last(view, flags))
    }

    /// stderr, without the live block on it, to write the end of the run.
    pub fn err(&mut self) -> (&mut dyn Write, &Page, &dyn OutputTail) {
        self.clear();
        (&mut self.err, &self.format.err, &self.tails)
    }

    fn clear(&mut self) {
        if self.format.live.is_some() {
            kept(self.painter.clear(&mut self.err));
        }
    }

    fn out_line(&mut self, line: &str) -> Result<(), Silenced> {
        kept(writeln!(self.out, "{line}"));
        self.silenced()
    }

    /// With `-v`: each line that a member writes, as it is marked.
    fn follow(&mut self, fact: &Fact) {
        match &fact.event {
            Event::AttemptStarted(e) => {
                self.followed.insert(e.attempt, (e.member.to_string(), 0, Rows::new()));
            }
            Event::OutputMarked(e) => self.read_on(e.attempt, false),
            Event::AttemptEnded(e) => self.read_on(e.attempt, true),
            _ => {}
        }
    }

    fn read_on(&mut self, attempt: AttemptId, ended: bool) {
        let Some((name, mut at, mut rows)) = self.followed.remove(&attempt) else { return };
        let mut finished = Vec::new();
        if let Ok(mut reader) = OutputReader::open(&self.tails.0.attempt_path(attempt.0)) {
            while let Ok(chunk) = reader.read(at, 1 << 16) {
                if chunk.bytes.is_empty() {
                    break;
                }
                at = chunk.end();
                rows.push(&chunk.bytes, &mut finished);
            }
        }
        if ended {
            finished.extend(rows.finish());
        }
        for row in &finished {
            kept(self.plain.output(&mut self.err, &name, row));
        }
        if !ended {
            self.followed.insert(attempt, (name, at, rows));
        }
    }
}
