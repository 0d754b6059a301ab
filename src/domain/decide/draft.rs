//! A decision in the making: events are folded as they are emitted, so that what follows sees them.
use crate::domain::{By, Event, Fact, State, TeamId, Token};
use crate::text::Untrusted;

/// Time and randomness, as arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// Time the run has been owned.
    pub elapsed_ms: u64,
    /// Wall clock in ms since 1970, a label.
    pub at_ms: u64,
    /// From the operating system, for tokens.
    pub random: u64,
}

/// The state with the events of one decision.
pub struct Draft<'a> {
    /// With every event so far folded.
    pub state: &'a mut State,
    /// When.
    pub now: Now,
    /// Whose events these are.
    pub by: By,
    /// What happened.
    pub facts: Vec<Fact>,
    line: Option<Untrusted>,
    drawn: u64,
}

impl<'a> Draft<'a> {
    /// Nothing decided yet.
    pub fn new(state: &'a mut State, now: Now, line: Option<Untrusted>) -> Self {
        Self { state, now, by: By::System, facts: Vec::new(), line, drawn: 0 }
    }

    /// It happened.
    pub fn emit(&mut self, team: Option<TeamId>, event: impl Into<Event>) {
        let by = self.by.clone();
        self.emit_by(team, by, event);
    }

    /// It happened, and somebody else than the caller did it.
    pub fn emit_by(&mut self, team: Option<TeamId>, by: By, event: impl Into<Event>) {
        let fact = Fact {
            seq: self.state.seq.next(),
            elapsed_ms: self.now.elapsed_ms.max(self.state.elapsed_ms),
            at_ms: self.now.at_ms,
            team,
            by,
            line: self.line.take(),
            event: event.into(),
        };
        self.state.evolve(&fact);
        self.facts.push(fact);
    }

    /// A token that nobody can guess: SplitMix64 over the given randomness.
    pub fn token(&mut self) -> Token {
        self.drawn += 1;
        let mut z = self.now.random.wrapping_add(self.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Token(z ^ (z >> 31))
    }

    /// The run's time.
    pub fn elapsed_ms(&self) -> u64 {
        self.now.elapsed_ms.max(self.state.elapsed_ms)
    }
}
