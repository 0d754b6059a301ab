//! The run as a stream of JSON lines: `stream` first, a line per fact, `run` last. Format 1: fields and types are only
//! added. Tokens are never in it.
use super::begun::{Begun, Memory};
use super::object::Object;
use super::{RunView, TaskView, TeamView, ending, field, moment};
use crate::domain::state::State;
use crate::domain::{AttemptId, By, Event, Fact, Purpose, Seq, TaskNo};

/// The format that is written.
pub const FORMAT: u32 = 1;

/// Follows one run and writes its lines, without their ends.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    memory: Memory,
    verbose: bool,
}

impl Stream {
    /// Begins after a state; `State::default()` before the first fact. Output marks are written only if `verbose`.
    pub fn new(state: &State, verbose: bool) -> Self {
        Self { memory: Memory::new(state), verbose }
    }

    /// Line one: who writes, of which run, and after which fact.
    pub fn first(version: &str, run: Option<u64>, from: Seq) -> String {
        Object::typed("stream")
            .number("format", FORMAT)
            .text("teamtui", version)
            .some_number("run", run)
            .number("from_seq", from.0)
            .finish()
    }

    /// The line of one fact, with the state after it; none for a fact that is left out.
    pub fn fact(&mut self, fact: &Fact, after: &State) -> Option<String> {
        self.memory.learn(fact, after);
        if matches!(fact.event, Event::OutputMarked(_)) && !self.verbose {
            return None;
        }
        let line = Object::typed(fact.event.word())
            .number("seq", fact.seq.0)
            .number("elapsed_ms", fact.elapsed_ms)
            .text("at", &moment::rfc3339(fact.at_ms));
        let attempt = attempt(&fact.event).and_then(|id| self.memory.get(id));
        let team_id = fact.team.or(attempt.map(|b| b.team));
        let team = team_id.and_then(|id| after.team(id));
        let line = line.some_text("team", team.map(|t| t.name.as_str()));
        let number = attempt.and_then(number).or_else(|| subject(&fact.event));
        let task = number.and_then(|n| team.and_then(|t| t.task(n)));
        let line = line
            .some_text("task", task.map(|t| t.label()).as_deref())
            .some_number("number", task.map(|t| t.number.0))
            .some_number("attempt", attempt.map(|b| b.nth));
        let line = by(line, &fact.by);
        Some(field::of(line, fact, attempt, team).finish())
    }

    /// The last line: the run as it stands.
    pub fn last(view: &RunView, flags: &str) -> String {
        let line = Object::typed("run").number("format", FORMAT).some_number("run", view.run);
        let line = match view.teams.as_slice() {
            [team] => line.text("team", &team.name),
            _ => line,
        };
        let line = line
            .number("rc", view.rc())
            .text("reason", view.reason.word())
            .number("elapsed_ms", view.elapsed_ms)
            .number("work_ms", view.work_ms())
            .number("last_seq", view.last_seq.0);
        let line = match view.teams.as_slice() {
            [team] => of_team(line, team),
            teams => line.list(
                "teams",
                teams.iter().map(|t| of_team(Object::new().text("team", &t.name), t).finish()),
            ),
        };
        line.number("cost_usd_micros", view.cost_micros())
            .some_text("next", ending::next(view).map(|c| format!("{c}{flags}")).as_deref())
            .finish()
    }
}

fn of_team(line: Object, team: &TeamView) -> Object {
    let counts = team.counts.words().into_iter();
    let counts = counts.fold(Object::new(), |o, (w, n)| o.number(w, u64::try_from(n).unwrap_or(u64::MAX)));
    line.object("counts", counts)
        .list("tasks", team.tasks.iter().map(|t| of_task(t).finish()))
        .texts("critical_path", team.path_done())
}

fn of_task(task: &TaskView) -> Object {
    let outputs = task.outputs.iter();
    let outputs =
        outputs.map(|(path, bytes)| Object::new().text("path", path).number("size_bytes", *bytes).finish());
    Object::new()
        .number("number", task.number.0)
        .text("task", &task.label)
        .text("status", task.status.word())
        .texts("held_by", task.held_by.iter().map(|b| b.label.as_str()))
        .mark("waits_on_person", task.waits.is_some())
        .some_number("attempts", begun(task))
        .mark("flaky", task.flaky)
        .mark("unconfirmed", task.unconfirmed)
        .mark("optional", task.optional)
        .some_text("reason", task.reason.as_deref().map(unquoted))
        .some_number("took_ms", task.shown.as_ref().map(|a| a.took_ms))
        .list("outputs", outputs)
}

/// Attempts begun, the live one among them; none where there is none.
fn begun(task: &TaskView) -> Option<u64> {
    let live = task.shown.as_ref().is_some_and(|a| a.outcome.is_none());
    u64::try_from(task.attempts.len() + usize::from(live)).ok().filter(|n| *n > 0)
}

/// A reason without the quotes that text puts around what someone said.
fn unquoted(reason: &str) -> &str {
    reason.strip_prefix('"').and_then(|r| r.strip_suffix('"')).unwrap_or(reason)
}

fn by(line: Object, by: &By) -> Object {
    match by {
        By::Person => line.text("by", "person"),
        By::Script => line.text("by", "script"),
        By::Member(name) => line.text("by", name.as_str()),
        By::System => line,
    }
}

fn number(begun: &Begun) -> Option<TaskNo> {
    match begun.purpose {
        Purpose::Task(number) | Purpose::Review(number) => Some(number),
        Purpose::Turn => None,
    }
}

/// The attempt that an event is about.
fn attempt(event: &Event) -> Option<AttemptId> {
    match event {
        Event::AttemptStarted(e) => Some(e.attempt),
        Event::StopAsked(e) => Some(e.attempt),
        Event::CompletionAsked(e) => Some(e.attempt),
        Event::ChecksSettled(e) => e.attempt,
        Event::AttemptEnded(e) => Some(e.attempt),
        Event::ProgressNoted(e) => Some(e.attempt),
        Event::AttemptStalled(e) => Some(e.attempt),
        Event::OutputMarked(e) => Some(e.attempt),
        Event::FailureSaid(e) => Some(e.attempt),
        Event::MessagesRead(e) => e.attempt,
        Event::QuestionAsked(e) => Some(e.attempt),
        Event::QuestionAnswered(e) => Some(e.attempt),
        Event::QuestionWithdrawn(e) => Some(e.attempt),
        Event::TimerSet(e) => e.attempt,
        Event::EffectAsked(e) => Some(e.attempt),
        _ => None,
    }
}

/// The task that an event is about, where it is not about an attempt.
fn subject(event: &Event) -> Option<TaskNo> {
    match event {
        Event::TaskAdded(e) => Some(e.number),
        Event::MemberAdded(e) => e.number,
        Event::TaskCancelled(e) => Some(e.number),
        Event::EdgeWaived(e) => Some(e.number),
        Event::TaskUpdated(e) => Some(e.number),
        Event::TaskAssigned(e) => Some(e.number),
        Event::TaskCommented(e) => Some(e.number),
        Event::ReviewersSet(e) => Some(e.number),
        Event::RetryAsked(e) => Some(e.number),
        Event::ResultAdopted(e) => Some(e.number),
        Event::EndAsserted(e) => Some(e.number),
        Event::ReviewSettled(e) => Some(e.number),
        Event::OrphanKept(e) => Some(e.number),
        Event::MessagesLeft(e) => Some(e.number),
        _ => None,
    }
}
