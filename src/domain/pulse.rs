//! Whether a run still moves, whom it waits for, and how it ends when nothing moves it any more (R30).
use super::state::{Attempt, Member, Phase, Stage, Task, Team};
use super::{
    Asker, AttemptId, Cap, CloseReason, Driver, Goal, Name, Outcome, Purpose, Reviewer, State, Status,
    TaskNo, TeamId,
};
use crate::text::quantity::duration;

/// Who could still give a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waits {
    /// A person is at the screen.
    pub person: bool,
    /// A script has a command still to give. One that stands at a `wait` is not someone.
    pub script: bool,
}

/// What moves a run now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pulse {
    /// Tasks, reviews and turns that start without a decision, as soon as there is room.
    pub runnable: usize,
    /// Live attempts, reviews and turns that wait for nobody, and looks at what a lead promised.
    pub running: usize,
    /// Times that come by themselves and change something: sleeps, limits of persons who may still answer.
    pub due: usize,
    /// Whom it waits for.
    pub waiting_on: Vec<Waiting>,
    /// Nothing is runnable, running or due: only somebody can move it.
    pub quiet: bool,
}

/// Someone who could move a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// An open question of a live attempt.
    Question {
        /// Of which team.
        team: TeamId,
        /// Whose.
        attempt: AttemptId,
        /// Who is asked.
        of: Asker,
    },
    /// A result that a person or the lead must accept.
    Review {
        /// Of which team.
        team: TeamId,
        /// Which task.
        task: TaskNo,
    },
    /// The person at the screen.
    Person,
    /// The script, which has a command still to give.
    Script,
}

/// How a run that nothing moves any more ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The reason, and with it the exit code.
    pub reason: CloseReason,
    /// In words: what is missing, and because of what.
    pub why: String,
}

/// What becomes of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hope {
    /// It is so.
    Met,
    /// It may still come.
    Open,
    /// Nothing live, due or waiting brings it; why.
    Lost(String),
}

impl Pulse {
    /// Linear in members and live attempts, not in tasks; tasks are looked at only where nothing else moves.
    pub fn of(state: &State, waits: &Waits) -> Self {
        let mut pulse = Self { due: due(state), running: running(state), ..Self::default() };
        let asked: Vec<Waiting> = state.live.iter().filter_map(|(id, a)| question(state, *id, a)).collect();
        // Each decision starts what it can. What is left waits for room, and only what runs makes room.
        if pulse.running > 0 {
            pulse.runnable = state.live_teams().map(|(_, team)| runnable(state, team)).sum();
        }
        pulse.quiet = pulse.running == 0 && pulse.due == 0;
        pulse.waiting_on = asked;
        if pulse.quiet {
            pulse.waiting_on.extend(state.live_teams().flat_map(|(id, team)| reviews(id, team)));
        }
        pulse.waiting_on.extend(waits.person.then_some(Waiting::Person));
        pulse.waiting_on.extend(waits.script.then_some(Waiting::Script));
        pulse
    }
}

/// Nothing is runnable, running or due. Asked after every event, so it looks at live attempts and timers alone: what is
/// runnable waits for what runs.
pub fn is_quiet(state: &State) -> bool {
    running(state) == 0 && due(state) == 0
}

/// Live attempts that wait for nobody, and looks at what a lead promised.
fn running(state: &State) -> usize {
    let attempts = state.live.iter().filter(|(id, attempt)| question(state, **id, attempt).is_none());
    attempts.count() + state.live_teams().filter(|(_, team)| team.checking).count()
}

/// A live attempt that waits for an answer. A question to the lead is running as long as the lead can hear of it.
fn question(state: &State, id: AttemptId, attempt: &Attempt) -> Option<Waiting> {
    let question = attempt.question.as_ref()?;
    let lead_moves = || state.team(attempt.team).is_some_and(|team| lead_moves(state, attempt.team, team));
    if question.of == Asker::Lead && lead_moves() {
        return None;
    }
    Some(Waiting::Question { team: attempt.team, attempt: id, of: question.of })
}

/// The lead has a live turn, or one is due.
fn lead_moves(state: &State, id: TeamId, team: &Team) -> bool {
    team.members
        .get(&Name::lead())
        .is_some_and(|lead| lead.busy.is_some() || is_turn_due(state, id, team, lead))
}

fn is_turn_due(state: &State, id: TeamId, team: &Team, lead: &Member) -> bool {
    let news = team.news > 0 && state.live_of(id).next().is_none();
    starts(team) && lead.is_free() && (lead.turns == 0 || team.urgent || news)
}

/// Nothing of the team itself keeps what is ready from starting.
fn starts(team: &Team) -> bool {
    team.stage == Stage::Live && !team.paused && team.capped.is_none()
}

/// What of a team starts by itself when there is room and its member is free.
fn runnable(state: &State, team: &Team) -> usize {
    if !starts(team) || state.run.closed.is_some() || state.run.stopping {
        return 0;
    }
    let works = |m: &&Member| !m.paused && !waits_for_person(state, m);
    let queued = team.open_members().filter(works).map(|m| m.pending.len() + m.reviews.len()).sum::<usize>();
    let woken = |m: &&Member| {
        let mail = team.mail.unread.contains_key(&Some(m.name.clone()));
        let by_mail = mail && m.brief.is_none() && m.agent.driver != Driver::Human && !m.name.is_lead();
        let by_news = m.name.is_lead() && (m.turns == 0 || team.urgent);
        by_mail || by_news
    };
    queued + team.open_members().filter(works).filter(woken).count()
}

/// Busy with something that only an answer moves: what is queued behind it is not runnable.
fn waits_for_person(state: &State, member: &Member) -> bool {
    let attempt = member.busy.and_then(|id| state.live.get(&id));
    attempt.is_some_and(|a| a.question.is_some() && question(state, a.id, a).is_some())
}

/// Sleeps of attempts (a script's own timer changes nothing by itself); in the screen also the wall clocks of persons,
/// who may answer until then.
fn due(state: &State) -> usize {
    let person_due = |a: &&Attempt| a.human && a.due_ms.is_some() && !state.run.header.headless;
    let waited = state.timers.values().filter(|(_, whose)| whose.is_some()).count();
    waited + state.live.values().filter(person_due).count()
}

/// Results that a person or the lead must accept: no reviewer is left, it is a person's turn, or the review is stuck.
fn reviews(id: TeamId, team: &Team) -> impl Iterator<Item = Waiting> + '_ {
    let waits = |t: &&Task| t.phase == Phase::InReview && t.review.live.is_none();
    team.tasks.iter().filter(waits).map(move |t| Waiting::Review { team: id, task: t.number })
}

/// Why a headless run ends, once it is quiet: completed; else a cap; else a person is waited for; else what failed.
pub fn end_reason(state: &State) -> End {
    let teams: Vec<(TeamId, &Team)> = state.teams.iter().map(|(id, team)| (*id, team)).collect();
    let missing = |(id, team): &(TeamId, &Team)| missing(*id, team);
    let Some((id, why)) = teams.iter().find_map(missing) else {
        return match teams.iter().find_map(|(_, team)| lead_failed(team).or_else(|| promise_broken(team))) {
            Some(why) => End { reason: CloseReason::RequiredFailed, why },
            None => End { reason: CloseReason::Completed, why: "every required task completed".to_owned() },
        };
    };
    if let Some((name, cap)) = teams.iter().find_map(|(_, team)| {
        let cap = team.capped.filter(|cap| *cap != Cap::FailFast && !team.is_complete())?;
        Some((&team.name, cap))
    }) {
        return End { reason: CloseReason::Cap, why: format!("{name} reached its cap: {}", cap.word()) };
    }
    if let Some(why) = waited_for(state) {
        return End { reason: CloseReason::Waiting, why };
    }
    let dissolved = state.team(id).is_some_and(|team| team.stage.is_ended());
    let reason = if dissolved { CloseReason::Dissolved } else { CloseReason::RequiredFailed };
    End { reason, why }
}

/// The first required task that is not completed, and why; what ended well misses nothing.
fn missing(id: TeamId, team: &Team) -> Option<(TeamId, String)> {
    match team.stage {
        Stage::Ended { completed: true, .. } => return None,
        // What was asserted after the end is not missing either.
        Stage::Ended { .. } if team.is_complete() => return None,
        Stage::Ended { .. } => {
            return Some((id, format!("{} was dissolved before it was completed", team.name)));
        }
        Stage::Live | Stage::Dissolving { .. } => {}
    }
    let open = |t: &&Task| t.is_required() && !t.is_vouched();
    let worst = |t: &&Task| (!t.status().is_settled(), !t.is_held(), t.number);
    team.tasks.iter().filter(open).min_by_key(worst).map(|task| (id, why_not(team, task)))
}

/// What the lead promised was looked at and does not hold, or was not looked at yet.
fn promise_broken(team: &Team) -> Option<String> {
    let promised = team.lead.as_ref().is_some_and(|l| !l.outputs.is_empty() || !l.checks.is_empty());
    let holds = ended_well(team) || team.lead_checks.as_ref().is_some_and(Vec::is_empty);
    (promised && !holds).then(|| format!("what the lead of {} promised does not hold", team.name))
}

/// The lead, whose last turn failed: what it came to.
pub fn lead_failed(team: &Team) -> Option<String> {
    let (outcome, reason) = team.members.get(&Name::lead())?.last_turn.as_ref()?;
    let failed = matches!(outcome, Outcome::Failed | Outcome::Unknown) && !ended_well(team);
    failed.then(|| format!("the lead of {} failed: {}", team.name, reason.line()))
}

fn ended_well(team: &Team) -> bool {
    matches!(team.stage, Stage::Ended { completed: true, .. })
}

/// Who is waited for, in words: the first open question, else the first result to be accepted.
fn waited_for(state: &State) -> Option<String> {
    let asked = state.live.values().find_map(|a| {
        let question = a.question.as_ref()?;
        let whom = if question.of == Asker::Lead { "the lead" } else { "the person" };
        let team = state.team(a.team)?;
        let label = match a.purpose {
            Purpose::Task(number) | Purpose::Review(number) => team.task(number)?.label(),
            Purpose::Turn => a.member.to_string(),
        };
        Some(format!("{label} asks {whom}: \"{}\"", question.text.line()))
    });
    let in_review = || {
        state.live_teams().find_map(|(_, team)| {
            let waits = |t: &&Task| t.phase == Phase::InReview && t.is_required();
            team.tasks.iter().find(waits).map(|task| why_not(team, task))
        })
    };
    asked.or_else(in_review)
}

/// Why a task is not completed, in one line.
pub fn why_not(team: &Team, task: &Task) -> String {
    let label = task.label();
    let reason = |t: &Task| match t.reason.is_empty() {
        true => String::new(),
        false => format!(" (\"{}\")", t.reason.line()),
    };
    match task.status() {
        Status::Blocked => {
            let open = team.open_edges(task);
            let held = task.is_held();
            let upstream =
                open.iter().find(|(e, s)| !held || e.effect(*s).1).and_then(|(e, _)| team.task(e.on));
            let by = upstream.map_or_else(String::new, |up| {
                format!("{} ({} at {})", up.label(), word(up), duration(up.since_ms))
            });
            if held { format!("{label} is held by {by}") } else { format!("{label} waits for {by}") }
        }
        Status::Pending => match &task.assignee {
            None => format!("{label} is pending, and nobody has claimed it"),
            Some(name) => format!("{label} is pending, and {name} does not start it"),
        },
        Status::InProgress => format!("{label} is in progress"),
        Status::InReview => match (&task.result, task.next_reviewer()) {
            (_, Some(Reviewer::Person)) => format!("{label} waits for the person's review"),
            (Some(result), None) if !result.confirmed => {
                format!("{label} ended without complete, and nobody has accepted its result")
            }
            _ => format!("{label} waits for a review"),
        },
        Status::Completed => format!("{label} is completed"),
        status @ (Status::Failed | Status::Cancelled | Status::Stale) => {
            let verb = if status == Status::Stale { "is " } else { "" };
            let verb = if status == Status::Cancelled { "was " } else { verb };
            format!("{label} {verb}{status} at {}{}", duration(task.since_ms), reason(task))
        }
    }
}

fn word(task: &Task) -> &'static str {
    if task.is_held() { "held" } else { task.status().word() }
}

/// R30 for `wait all`: no attempt or turn is live or due, and each task is final, settled or held.
pub fn is_settled_all(state: &State, id: TeamId) -> bool {
    let Some(team) = state.team(id) else { return true };
    if state.live_of(id).next().is_some() || team.checking {
        return false;
    }
    let lead = team.members.get(&Name::lead());
    let turn_due = lead.is_some_and(|lead| is_turn_due(state, id, team, lead)) || runnable(state, team) > 0;
    !turn_due && team.tasks.iter().all(is_settled)
}

fn is_settled(task: &Task) -> bool {
    task.status().is_final() || task.status().is_settled() || task.is_held()
}

/// Can a `wait TASK until GOALS` still be satisfied by what is live, due or waiting? Without goals: settled.
pub fn can_still(state: &State, waits: &Waits, id: TeamId, number: TaskNo, goals: &[Goal]) -> Hope {
    let Some((team, task)) = state.team(id).and_then(|team| Some((team, team.task(number)?))) else {
        return Hope::Lost("there is no such task".to_owned());
    };
    let met = if goals.is_empty() { is_settled(task) } else { goals.iter().any(|goal| goal.is_met(task)) };
    if met {
        return Hope::Met;
    }
    if task.status().is_final() || team.stage.is_ended() {
        return Hope::Lost(format!("{}, which is final", why_not(team, task)));
    }
    let pulse = Pulse::of(state, waits);
    let decides = waits.person || waits.script || (team.has_lead() && !pulse.quiet);
    let needs_decision = task.status().is_settled() || task.is_held();
    if decides || !(needs_decision || pulse.quiet) {
        return Hope::Open;
    }
    Hope::Lost(format!("{}, nothing live or due changes that", why_not(team, task)))
}

/// Can a `wait all` still be satisfied?
pub fn can_all(state: &State, waits: &Waits, id: TeamId) -> Hope {
    if is_settled_all(state, id) {
        return Hope::Met;
    }
    if waits.person || waits.script || !Pulse::of(state, waits).quiet {
        return Hope::Open;
    }
    let open = state.team(id).and_then(|team| Some((team, team.tasks.iter().find(|t| !is_settled(t))?)));
    let why = open.map_or_else(|| "something is still open".to_owned(), |(team, task)| why_not(team, task));
    Hope::Lost(format!("{why}, nothing live or due changes that"))
}
