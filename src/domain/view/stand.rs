//! How a task stands, in words: what it is since when, why, and what it waits for.
use super::{phrase, plan, task};
use crate::domain::state::{Chair, Phase, Stage, State, Task, Team};
use crate::domain::{Asker, Name, Purpose, Reviewer, Status};
use crate::text::quantity;

/// `completed at 0.9s`, `in_progress since 1m42s`, `held`.
pub fn state(task: &Task) -> String {
    let at = quantity::duration(task.since_ms);
    match task.status() {
        Status::Completed | Status::Failed | Status::Cancelled => format!("{} at {at}", task.status()),
        Status::Stale | Status::InProgress | Status::InReview => format!("{} since {at}", task.status()),
        Status::Blocked if task.is_held() => "held".to_owned(),
        Status::Blocked | Status::Pending => task.status().to_string(),
    }
}

/// Why it failed, is stale or was cancelled, and who said so.
pub fn cause(task: &Task) -> Option<String> {
    let why = phrase::reason(&task.reason)?;
    let who = task.attempts.last().map(|a| &a.member).filter(|_| phrase::is_said(&task.reason));
    match who.filter(|_| task.phase == Phase::Failed) {
        Some(member) => Some(format!("{why}, said by {member}")),
        None => Some(why),
    }
}

/// Who gives the next verdict on a task in review.
pub fn review_by(team: &Team, task: &Task) -> String {
    let who = match task::next_reviewer(team, task) {
        Reviewer::Person => "a person".to_owned(),
        Reviewer::Lead => "the lead".to_owned(),
        Reviewer::Member(name) => name.to_string(),
    };
    let unconfirmed = task.result.as_ref().is_some_and(|r| !r.confirmed);
    format!("the review of {who}{}", if unconfirmed { ", unconfirmed" } else { "" })
}

/// What a live attempt does: ends by itself, is being ended, or waits for an answer.
pub fn live(state: &State, task: &Task) -> String {
    let Some(attempt) = task::live(state, task) else { return "ends by itself".to_owned() };
    if let Some(cause) = attempt.stop {
        return format!("is being ended: {}", cause.word());
    }
    if let Some(question) = &attempt.question {
        let of = match question.of {
            Asker::Person => "person",
            Asker::Lead => "lead",
        };
        return format!("asks the {of}: {}", phrase::quoted(&question.text));
    }
    if attempt.offered.is_some() { "its checks run".to_owned() } else { "ends by itself".to_owned() }
}

/// What the task is, in one sentence without a full stop.
pub fn sentence(state: &State, team: &Team, task: &Task) -> String {
    let title = team.title_of(task).map_or_else(String::new, |title| format!(", {title}"));
    let who = format!("{} (#{}{title})", task.label(), task.number);
    let with = |cause: Option<String>| cause.map_or_else(String::new, |c| format!(": {c}"));
    let at = quantity::duration(task.since_ms);
    match task.phase {
        Phase::Completed => {
            let unconfirmed = if task.is_vouched() { "" } else { ", unconfirmed" };
            format!("{who} completed at {at}{unconfirmed}")
        }
        Phase::Failed => format!("{who} failed at {at}{}; no retry due", with(cause(task))),
        Phase::Stale => format!("{who} is stale since {at}{}; no retry due", with(cause(task))),
        Phase::Cancelled => {
            let new =
                task.replaced_by.and_then(|n| team.task(n)).map(|t| format!(": replaced by {}", t.label()));
            format!("{who} was cancelled at {at}{}", new.unwrap_or_else(|| with(cause(task))))
        }
        Phase::InReview => format!("{who} is in review since {at}: it waits for {}", review_by(team, task)),
        Phase::Running(_) => {
            let by = task::live(state, task).map(|a| format!(": attempt {} of {}", a.nth, a.member));
            format!("{who} is in progress since {at}{}; it {}", by.unwrap_or_default(), live_it(state, task))
        }
        Phase::Waiting if task.is_held() => {
            format!("{who} is held by {}", labels(team, &plan::causes_of(team, task)))
        }
        Phase::Waiting if task.open > 0 => {
            let open: Vec<_> = team.open_edges(task).iter().map(|(e, _)| e.on).collect();
            format!("{who} is blocked by {} and starts by itself after that", labels(team, &open))
        }
        Phase::Waiting => format!("{who} is pending: {}", pending(state, team, task).words(team)),
    }
}

fn live_it(state: &State, task: &Task) -> String {
    let words = live(state, task);
    words.strip_prefix("its checks").map_or(words.clone(), |_| "waits for its checks".to_owned())
}

fn labels(team: &Team, numbers: &[crate::domain::TaskNo]) -> String {
    let labels: Vec<String> = numbers.iter().filter_map(|n| team.task(*n)).map(Task::label).collect();
    phrase::list(&labels)
}

/// Why a task that is ready has not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pending {
    /// The run is closed.
    Closed,
    /// The team ends, or has ended.
    Ending,
    /// A cap was reached.
    Capped(&'static str),
    /// The team is paused.
    TeamPaused,
    /// Nobody has it.
    Nobody,
    /// The member's chair is closed.
    ChairClosed(Name),
    /// The member is paused.
    MemberPaused(Name),
    /// The member works on something else.
    Busy(Name, Option<crate::domain::TaskNo>),
    /// As many attempts are live as there may be.
    Parallel(u32),
    /// Nothing: it is next.
    Next,
}

/// Why a ready task has not started.
pub fn pending(state: &State, team: &Team, task: &Task) -> Pending {
    if state.run.closed.is_some() {
        return Pending::Closed;
    }
    if team.stage != Stage::Live {
        return Pending::Ending;
    }
    if let Some(cap) = team.capped {
        return Pending::Capped(cap.word());
    }
    if team.paused {
        return Pending::TeamPaused;
    }
    let Some(member) = task.assignee.as_ref().and_then(|name| team.members.get(name)) else {
        return Pending::Nobody;
    };
    let name = member.name.clone();
    if member.chair == Chair::Closed {
        return Pending::ChairClosed(name);
    }
    if member.paused {
        return Pending::MemberPaused(name);
    }
    if let Some(id) = member.busy {
        let at = state.live.get(&id).and_then(|a| match a.purpose {
            Purpose::Task(number) | Purpose::Review(number) => Some(number),
            Purpose::Turn => None,
        });
        return Pending::Busy(name, at);
    }
    if team.live >= team.limits.parallel { Pending::Parallel(team.limits.parallel) } else { Pending::Next }
}

impl Pending {
    fn words(&self, team: &Team) -> String {
        match self {
            Self::Closed => "the run is closed".to_owned(),
            Self::Ending => "its team starts nothing new".to_owned(),
            Self::Capped(cap) => format!("the cap of the team ({cap}) was reached"),
            Self::TeamPaused => "the team is paused".to_owned(),
            Self::Nobody => "nobody has it".to_owned(),
            Self::ChairClosed(name) => format!("the chair of {name} is closed"),
            Self::MemberPaused(name) => format!("{name} is paused"),
            Self::Busy(name, Some(number)) => {
                let label = team.task(*number).map_or_else(|| format!("#{number}"), Task::label);
                format!("{name} works on {label} and takes it after that")
            }
            Self::Busy(name, None) => format!("{name} is in a turn and takes it after that"),
            Self::Parallel(1) => "1 attempt is live, as many as there may be; it starts by itself".to_owned(),
            Self::Parallel(n) => {
                format!("{n} attempts are live, as many as there may be; it starts by itself")
            }
            Self::Next => "it starts next".to_owned(),
        }
    }
}
