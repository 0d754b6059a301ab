//! A line of progress: what happened, to whom, in one word and a detail.
use super::{Tint, phrase, task};
use crate::domain::state::State;
use crate::domain::{Status, TaskNo, TeamId};

/// What a second signal does, where the first was typed.
pub const AGAIN: &str = "Ctrl-C again ends them at once";
/// The same where it was sent.
pub const SENT_AGAIN: &str = "a second signal ends them at once";

/// The first slow mark.
const SLOW_MS: u64 = 60_000;

/// One thing that happened, for whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// When, in the run's time.
    pub elapsed_ms: u64,
    /// What.
    pub word: Word,
    /// Of which team.
    pub team: TeamId,
    /// Of which task; none: of the team or a member.
    pub number: Option<TaskNo>,
    /// Label of the task, else the name of the member or team.
    pub name: String,
    /// Which attempt, and the most there may be.
    pub attempt: Option<(u32, u32)>,
    /// How long it took.
    pub took_ms: Option<u64>,
    /// The rest; empty where there is none.
    pub detail: String,
    /// Only for those who asked for more.
    pub verbose: bool,
}

/// The words of progress. Past tense for what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words say it")]
pub enum Word {
    Started,
    Slow,
    Stalled,
    Checking,
    Asks,
    Answered,
    Withdrawn,
    Lost,
    Cap,
    Interrupt,
    Paused,
    Resumed,
    Message,
    Held,
    /// It is that now.
    Now(Status),
}

impl Word {
    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Slow => "slow",
            Self::Stalled => "stalled",
            Self::Checking => "checking",
            Self::Asks => "asks",
            Self::Answered => "answered",
            Self::Withdrawn => "withdrawn",
            Self::Lost => "lost",
            Self::Cap => "cap",
            Self::Interrupt => "interrupt",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Message => "message",
            Self::Held => "held",
            Self::Now(status) => status.word(),
        }
    }

    /// What it means.
    pub fn tint(self) -> Tint {
        match self {
            Self::Slow | Self::Stalled | Self::Lost | Self::Held | Self::Cap | Self::Interrupt => Tint::Warn,
            Self::Now(status) => task::tint(status, false),
            _ => Tint::Plain,
        }
    }

    /// Is it the end of something? On a terminal only ends stay as lines.
    pub fn is_end(self) -> bool {
        !matches!(self, Self::Started | Self::Slow)
    }
}

/// When the next slow mark of an attempt is due, by the time it has taken: at 1 minute, then at each doubling.
pub fn next_slow(took_ms: u64) -> u64 {
    let mut due = SLOW_MS;
    while due <= took_ms {
        let Some(next) = due.checked_mul(2) else { return u64::MAX };
        due = next;
    }
    due
}

impl Note {
    /// A slow mark of every attempt at a task for which one came due after `before_ms`, up to now.
    pub fn slow(state: &State, before_ms: u64, now_ms: u64) -> Vec<Self> {
        let mut notes = Vec::new();
        for attempt in state.live.values() {
            let crate::domain::Purpose::Task(number) = attempt.purpose else { continue };
            let due = next_slow(attempt.took_ms(before_ms));
            let Some(team) = state.team(attempt.team).filter(|_| attempt.took_ms(now_ms) >= due) else {
                continue;
            };
            let Some(task) = team.task(number) else { continue };
            let most = phrase::most(task, task::retries(state, team, task), attempt.nth, Some(attempt.id));
            notes.push(Self {
                elapsed_ms: now_ms,
                word: Word::Slow,
                team: attempt.team,
                number: Some(number),
                name: task.label(),
                attempt: Some((attempt.nth, most)),
                took_ms: Some(attempt.took_ms(now_ms)),
                detail: String::new(),
                verbose: false,
            });
        }
        notes
    }

    /// A second signal came: what is live is ended without waiting longer.
    pub fn ended_now(state: &State, now_ms: u64) -> Vec<Self> {
        let live = |id| usize::try_from(state.team(id).map_or(0, |t| t.live)).unwrap_or(0);
        let note = |(id, team): (TeamId, &crate::domain::state::Team)| {
            let are = if live(id) == 1 { "is" } else { "are" };
            let detail =
                format!("{} {are} ended now", phrase::plural(live(id), "live attempt", "live attempts"));
            Self::of_team(Word::Interrupt, id, team.name.to_string(), now_ms, detail)
        };
        state.live_teams().filter(|(id, _)| live(*id) > 0).map(note).collect()
    }

    /// Something about a whole team or a member: disk space, a cap, a pause.
    pub fn of_team(word: Word, team: TeamId, name: String, elapsed_ms: u64, detail: String) -> Self {
        Self {
            elapsed_ms,
            word,
            team,
            number: None,
            name,
            attempt: None,
            took_ms: None,
            detail,
            verbose: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_marks_come_at_a_minute_and_at_each_doubling() {
        let cases =
            [(0, 60_000), (59_999, 60_000), (60_000, 120_000), (239_999, 240_000), (240_000, 480_000)];
        for (took, due) in cases {
            assert_eq!(next_slow(took), due);
        }
        assert_eq!(next_slow(u64::MAX), u64::MAX);
    }
}
