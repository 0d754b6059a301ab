//! The report of the last recovery: what was found and what was done, in the past tense (R35).
use super::{AttemptView, Columns, Line, RunView, TaskView, Tint, phrase};
use crate::domain::state::State;
use crate::domain::{AttemptId, CameTo, FoundAttempt, Outcome, Purpose, Recovery, Seq, TaskNo, TeamId};
use crate::text::quantity;

/// Process ids that a line names; the rest is counted.
const MAX_PIDS: usize = 12;

/// What was found when a run that was not closed got a new owner, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryView {
    /// The last event of the former owner.
    pub last_seq: Seq,
    /// Its time.
    pub elapsed_ms: u64,
    /// Its wall clock, ms since 1970; 0 where that is not known.
    pub last_at_ms: u64,
    /// The wall clock of the recovery.
    pub at_ms: u64,
    /// How long the recovery took.
    pub took_ms: u64,
    /// Facts, and bytes of output, that were known to be safe and are gone, a line each.
    pub lost: Vec<String>,
    /// What was live, in the order of its teams and tasks.
    pub rows: Vec<RecoveryRow>,
    /// What else was found: left, and what was done: right.
    pub notes: Vec<(String, String)>,
}

/// Something that was live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryRow {
    /// Of which team.
    pub team: TeamId,
    /// Its number in the run.
    pub attempt: AttemptId,
    /// Its task with this attempt; none: it was a review or a turn.
    pub task: Option<Box<TaskView>>,
    /// Whose it was, harmless: the task, `the review of docs by critic`, `the turn of lead`.
    pub what: String,
    /// How it ended: `interrupted`, `unknown`, or that it goes on.
    pub word: &'static str,
    /// What was done about it.
    pub done: String,
    /// Somebody has to decide what becomes of it.
    pub waits: bool,
}

impl RecoveryView {
    /// Of the last recovery; none: there was none.
    pub fn of(state: &State) -> Option<Self> {
        let recovery = state.run.recovery.as_deref()?;
        let view = RunView::of(state, state.elapsed_ms);
        let mut rows: Vec<RecoveryRow> =
            recovery.attempts.iter().filter_map(|found| row(state, &view, found)).collect();
        rows.sort_by_key(|row| (row.team, row.task.as_ref().map(|task| task.number), row.attempt));
        let (outputs_lost, seams) = outputs(&rows, recovery);
        let facts = recovery.found.lost_from.map(|seq| {
            format!(
                "the facts from seq {} on: the store was damaged, and was restored",
                quantity::count(seq.0)
            )
        });
        let lost = facts.into_iter().chain(outputs_lost).collect();
        let mended = (recovery.found.restored && recovery.found.lost_from.is_none())
            .then(|| ("the store was damaged".to_owned(), "restored: nothing of it is lost".to_owned()));
        let unread = (recovery.unread > 0).then(|| {
            let messages = phrase::plural(recovery.unread, "message", "messages");
            (format!("{messages} not yet read"), "kept for whom they are for".to_owned())
        });
        Some(Self {
            last_seq: Seq(recovery.seq.0.saturating_sub(1)),
            elapsed_ms: recovery.elapsed_ms,
            last_at_ms: recovery.last_at_ms,
            at_ms: recovery.at_ms,
            took_ms: recovery.found.took_ms,
            lost,
            notes: mended.into_iter().chain(processes(&rows, recovery)).chain(seams).chain(unread).collect(),
            rows,
        })
    }

    /// How long nobody owned the run, in ms; none where the wall clock does not say.
    pub fn down_ms(&self) -> Option<u64> {
        self.at_ms.checked_sub(self.last_at_ms).filter(|_| self.last_at_ms > 0)
    }

    /// What was live as the rows of a table, in the columns of `columns`, then what else was found.
    pub fn lines(&self, columns: &Columns) -> Vec<Line> {
        let row = |row: &RecoveryRow| {
            row.task.as_ref().map(|task| columns.row_as(task, row.word, Tint::Warn, &row.done))
        };
        self.rows.iter().filter_map(row).chain(self.aside()).collect()
    }

    /// The row of a task that was live.
    pub fn row_of(&self, team: TeamId, number: TaskNo) -> Option<&RecoveryRow> {
        let is_it =
            |row: &&RecoveryRow| row.team == team && row.task.as_ref().is_some_and(|t| t.number == number);
        self.rows.iter().find(is_it)
    }

    /// What is in no row of a task: reviews and turns, bytes that are gone, and what else was found.
    pub fn aside(&self) -> Vec<Line> {
        let others = self.rows.iter().filter(|row| row.task.is_none());
        let others = others.map(|row| plain(format!("  {}: {}, {}", row.what, row.word, row.done)));
        let lost = self.lost.iter().map(|lost| Line::new().and(Tint::Bad, format!("  lost: {lost}")));
        let notes = self.notes.iter().map(|(found, done)| plain(format!("  {found}: {done}")));
        others.chain(lost).chain(notes).collect()
    }

    /// The tasks that somebody has to decide about, as a command refers to them, with their labels.
    pub fn choices(&self) -> Vec<(String, String)> {
        let waiting = self.rows.iter().filter(|row| row.waits).filter_map(|row| row.task.as_ref());
        waiting.map(|task| (task.reference.clone(), task.label.clone())).collect()
    }
}

fn plain(text: String) -> Line {
    Line::new().and(Tint::Plain, text)
}

/// What the rows of tasks are aligned to.
pub fn columns(view: &RecoveryView) -> Columns {
    Columns::table(view.rows.iter().filter_map(|row| row.task.as_deref()))
}

fn row(state: &State, view: &RunView, found: &FoundAttempt) -> Option<RecoveryRow> {
    let team = view.teams.iter().find(|team| team.id == found.team)?;
    let task = match found.purpose {
        Purpose::Task(number) => Some(team.task(number)?),
        Purpose::Review(_) | Purpose::Turn => None,
    };
    let what = match found.purpose {
        Purpose::Task(_) => task.map(|task| task.label.clone()).unwrap_or_default(),
        Purpose::Review(number) => format!("the review of {} by {}", team.task(number)?.label, found.member),
        Purpose::Turn => format!("turn {} of {}", found.nth, found.member),
    };
    let (word, done) = told(found);
    let stale = || {
        let Purpose::Task(number) = found.purpose else { return false };
        state.task(found.team, number).is_some_and(|task| task.status() == crate::domain::Status::Stale)
    };
    let task = task.map(|task| Box::new(TaskView { shown: at(task, found.nth), ..task.clone() }));
    let ended_for_good = matches!(found.came_to, CameTo::Ended { again: false, .. });
    let waits = ended_for_good && stale();
    Some(RecoveryRow { team: found.team, attempt: found.id, task, what, word, done, waits })
}

/// The attempt of that number.
fn at(task: &TaskView, nth: u32) -> Option<AttemptView> {
    let ended = task.attempts.iter().find(|attempt| attempt.nth == nth).cloned();
    ended.or_else(|| task.shown.clone())
}

/// The word of what it came to, and what was done.
fn told(found: &FoundAttempt) -> (&'static str, String) {
    let next = found.nth.saturating_add(1);
    let is_task = matches!(found.purpose, Purpose::Task(_));
    match found.came_to {
        CameTo::GoesOn => ("waits", "a person does it: goes on".to_owned()),
        CameTo::Checked => ("ended", "its checks run again".to_owned()),
        CameTo::Ended { again: true, .. } => {
            ("interrupted", format!("safe: starts again, as attempt {next}"))
        }
        CameTo::Ended { outcome: Outcome::Unknown, .. } if is_task => {
            ("unknown", "may or may not have finished: stale, your choice".to_owned())
        }
        CameTo::Ended { outcome: Outcome::Unknown, .. } => {
            ("unknown", "may or may not have finished: your choice".to_owned())
        }
        CameTo::Ended { outcome: Outcome::Interrupted, .. } if is_task => {
            ("interrupted", "stale, your choice".to_owned())
        }
        CameTo::Ended { outcome: Outcome::Interrupted, .. } => {
            ("interrupted", "begins again when it is needed".to_owned())
        }
        CameTo::Ended { outcome, .. } => (outcome.word(), "what it said stands".to_owned()),
    }
}

/// `5 left-over processes ended`, `71502 71507 71511 (build), 71512 71519 (docs)`.
fn processes(rows: &[RecoveryRow], recovery: &Recovery) -> Option<(String, String)> {
    let (left, ended) = (&recovery.found.processes, recovery.found.ended);
    if ended == 0 {
        return None;
    }
    let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
    for process in left.iter().take(MAX_PIDS) {
        let whose = process.attempt.map_or_else(|| "a check".to_owned(), |id| whose(rows, id));
        match groups.iter_mut().find(|(name, _)| *name == whose) {
            Some((_, pids)) => pids.push(process.pid),
            None => groups.push((whose, vec![process.pid])),
        }
    }
    let group = |(whose, pids): &(String, Vec<u32>)| {
        let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
        format!("{} ({whose})", pids.join(" "))
    };
    let mut named: Vec<String> = groups.iter().map(group).collect();
    let more = ended.saturating_sub(left.len().min(MAX_PIDS));
    if more > 0 {
        named.push(format!("{more} more"));
    }
    let count = phrase::plural(ended, "left-over process", "left-over processes");
    Some((format!("{count} ended"), named.join(", ")))
}

/// Output that is gone, and output after the last mark.
fn outputs(rows: &[RecoveryRow], recovery: &Recovery) -> (Vec<String>, Vec<(String, String)>) {
    let seams = &recovery.found.seams;
    let lost = seams.iter().filter(|seam| seam.lost > 0);
    let lost = lost
        .map(|seam| format!("{} of the output of {}", quantity::size(seam.lost), whose(rows, seam.attempt)));
    let past = seams.iter().filter(|seam| seam.past > 0).map(|seam| {
        let found =
            format!("{} of output of {} past its mark", quantity::size(seam.past), whose(rows, seam.attempt));
        (found, "kept, behind a seam".to_owned())
    });
    (lost.collect(), past.collect())
}

fn whose(rows: &[RecoveryRow], id: AttemptId) -> String {
    rows.iter().find(|row| row.attempt == id).map_or_else(|| format!("attempt {id}"), |row| row.what.clone())
}
