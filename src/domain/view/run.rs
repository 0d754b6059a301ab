//! A whole run as one value: the text report, NDJSON, JUnit and the exit code are views of it.
use super::TeamView;
use crate::domain::pulse;
use crate::domain::state::State;
use crate::domain::{CloseReason, Seq};

/// A run with all its teams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunView {
    /// `runs/N`; none: the standing run.
    pub run: Option<u64>,
    /// What was run: the file as it was named, harmless.
    pub file: Option<String>,
    /// Time it has been owned.
    pub elapsed_ms: u64,
    /// Wall clock of its opening, ms since 1970.
    pub opened_at_ms: u64,
    /// The last fact.
    pub last_seq: Seq,
    /// Every team, in order of creation.
    pub teams: Vec<TeamView>,
    /// Why it closed, or would close now.
    pub reason: CloseReason,
    /// It is closed.
    pub closed: bool,
    /// Its owner ended without closing it: nothing that is shown as live runs.
    pub crashed: bool,
}

/// Why a run would close as it stands.
///
/// `Completed` if and only if every required task of every team is completed and vouched for, and what each lead
/// promised holds. Else the first that is so: a cap of time or money, a person who is waited for, a team dissolved
/// before its end.
pub fn verdict(state: &State) -> CloseReason {
    pulse::end_reason(state).reason
}

impl RunView {
    /// The run as it stands at `now_ms` of its time. A closed run stands as it closed.
    pub fn of(state: &State, now_ms: u64) -> Self {
        let closed = state.run.closed.as_ref();
        let now_ms = closed.map_or(now_ms.max(state.elapsed_ms), |c| c.elapsed_ms);
        let header = &state.run.header;
        Self {
            run: header.number,
            file: header.file.as_ref().map(|f| f.line().into_owned()),
            elapsed_ms: now_ms,
            opened_at_ms: state.run.opened_at_ms,
            last_seq: state.seq,
            teams: state.teams.iter().map(|(id, t)| TeamView::of(state, *id, t, now_ms)).collect(),
            reason: closed.map_or_else(|| verdict(state), |c| c.reason),
            closed: closed.is_some(),
            crashed: false,
        }
    }

    /// The same of a run that nobody owns.
    #[must_use]
    pub fn unowned(self) -> Self {
        let crashed = !self.closed && self.teams.iter().any(|team| team.live > 0);
        Self { crashed, ..self }
    }

    /// The exit code.
    pub fn rc(&self) -> u8 {
        self.reason.rc()
    }

    /// `run 42`, or `standing run`.
    pub fn title(&self) -> String {
        self.run.map_or_else(|| "standing run".to_owned(), |n| format!("run {n}"))
    }

    /// How a command says which run: ` --run 42`, or nothing for the standing one.
    pub fn run_flag(&self) -> String {
        self.run.map_or_else(String::new, |n| format!(" --run {n}"))
    }

    /// Time spent in attempts of all teams.
    pub fn work_ms(&self) -> u64 {
        self.teams.iter().fold(0, |sum, t| sum.saturating_add(t.work_ms))
    }

    /// Money spent by all teams, in micro-dollars.
    pub fn cost_micros(&self) -> u64 {
        self.teams.iter().fold(0, |sum, t| sum.saturating_add(t.cost_micros))
    }
}
