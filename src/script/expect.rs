//! `expect`: tested on the fold at the cursor; refused with what is, and what was expected.
use crate::domain::pulse::why_not;
use crate::domain::state::{State, Task, Team};
use crate::domain::view::{TaskView, TeamView, phrase, plan};
use crate::domain::{Name, Party, TaskNo, TaskRef, TeamId};
use crate::text::{Untrusted, quantity};
use crate::verbs::{Check, Cmp, Goal};

/// An `expect` that is not so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// What was expected, and that it is not so.
    pub what: String,
    /// Expected.
    pub wanted: String,
    /// Found.
    pub found: String,
    /// The task to ask `why` of.
    pub task: Option<String>,
}

/// What a passed check says of a task's end: it was asked for.
pub type Asserted = Option<TaskRef>;

/// Is it so? A check of an end other than completion asserts it.
pub fn check(state: &State, id: TeamId, check: &Check) -> Result<Asserted, Unmet> {
    let Some(team) = state.team(id) else { return Err(unmet("the team is gone", "", "", None)) };
    match check {
        Check::Status { task, is } => status(state, id, team, task, *is),
        Check::HeldBy { task, by } => held_by(team, task, by),
        Check::Assigned { task, to } => assigned(team, task, to),
        Check::Result { task, contains } => result(team, task, contains),
        Check::Messages { from, to, cmp, n } => messages(team, from, to, *cmp, *n),
        Check::Cost { cmp, micros } => cost(team, *cmp, *micros),
    }
}

fn unmet(
    what: impl Into<String>,
    wanted: impl Into<String>,
    found: impl Into<String>,
    task: Option<String>,
) -> Unmet {
    Unmet { what: what.into(), wanted: wanted.into(), found: found.into(), task }
}

fn find(team: &Team, task: &TaskRef) -> Result<TaskNo, Unmet> {
    team.find_task(task)
        .ok_or_else(|| unmet(format!("`{task}`: {} has no such task", team.name), "", "", None))
}

fn status(state: &State, id: TeamId, team: &Team, task: &TaskRef, is: Goal) -> Result<Asserted, Unmet> {
    let number = find(team, task)?;
    if team.task(number).is_some_and(|t| is.is_met(t)) {
        let ends = matches!(is, Goal::Held | Goal::Settled)
            || matches!(is, Goal::Status(s) if s.is_settled() || s.word() == "cancelled");
        return Ok(ends.then(|| task.clone()));
    }
    let view = TeamView::of(state, id, team, state.elapsed_ms);
    let found = view.task(number);
    let label = found.map_or_else(|| task.to_string(), |t| t.label.clone());
    let word = found.map_or("unknown", TaskView::word);
    let held = team.task(number).filter(|t| t.is_held());
    let found = held.map_or_else(
        || format!("{label}  {}", standing(team, number)),
        |task| format!("{label}  held by {}", causes(team, task)),
    );
    Err(unmet(
        format!("{label} {}: it is {word}", is.word()),
        format!("{label}  {}", is.word()),
        found,
        Some(label),
    ))
}

/// How a task stands, without its label: `failed at 2.0s ("no access")`.
fn standing(team: &Team, number: TaskNo) -> String {
    let stands = stands(team, number);
    let label = team.task(number).map(Task::label).unwrap_or_default();
    let rest = stands.strip_prefix(&label).unwrap_or(&stands).trim_start();
    rest.strip_prefix("is ").or_else(|| rest.strip_prefix("was ")).unwrap_or(rest).to_owned()
}

/// What holds a task, each with how it stands: `perf (failed at 2.0s: "no access")`.
fn causes(team: &Team, task: &Task) -> String {
    let of = |number: &TaskNo| {
        let cause = team.task(*number)?;
        let stands = standing(team, *number);
        let stands = stands.strip_suffix(')').map_or(stands.clone(), |rest| rest.replacen(" (", ": ", 1));
        Some(format!("{} ({stands})", cause.label()))
    };
    let causes: Vec<String> = plan::causes_of(team, task).iter().filter_map(of).collect();
    phrase::commas(&causes)
}

fn held_by(team: &Team, task: &TaskRef, by: &[TaskRef]) -> Result<Asserted, Unmet> {
    let number = find(team, task)?;
    let wanted: Vec<TaskNo> = by.iter().map(|t| find(team, t)).collect::<Result<_, _>>()?;
    let Some(own) = team.task(number) else { return Err(unmet("the task is gone", "", "", None)) };
    let holders = plan::causes_of(team, own);
    let direct: Vec<TaskNo> =
        team.open_edges(own).into_iter().filter(|(e, s)| e.effect(*s).1).map(|(e, _)| e.on).collect();
    if own.is_held() && wanted.iter().all(|w| holders.contains(w) || direct.contains(w)) {
        return Ok(Some(task.clone()));
    }
    let label =
        |no: &TaskNo| team.task(*no).map_or_else(|| format!("#{no}"), crate::domain::state::Task::label);
    let names: Vec<String> = wanted.iter().map(&label).collect();
    let held: Vec<String> = holders.iter().map(&label).collect();
    let found = if own.is_held() { format!("held by {}", held.join(", ")) } else { stands(team, number) };
    let own = own.label();
    Err(unmet(
        format!("{own} held by {}: it is not", names.join(", ")),
        format!("{own}  held by {}", names.join(", ")),
        found,
        Some(own),
    ))
}

fn assigned(team: &Team, task: &TaskRef, to: &Name) -> Result<Asserted, Unmet> {
    let number = find(team, task)?;
    let Some(own) = team.task(number) else { return Err(unmet("the task is gone", "", "", None)) };
    if own.assignee.as_ref() == Some(to) {
        return Ok(None);
    }
    let has = own.assignee.as_ref().map_or_else(|| "nobody".to_owned(), ToString::to_string);
    let label = own.label();
    Err(unmet(
        format!("{label} assigned {to}: {has} has it"),
        format!("{label}  assigned {to}"),
        format!("{label}  assigned {has}"),
        None,
    ))
}

fn result(team: &Team, task: &TaskRef, contains: &str) -> Result<Asserted, Unmet> {
    let number = find(team, task)?;
    let Some(own) = team.task(number) else { return Err(unmet("the task is gone", "", "", None)) };
    let text = own.result.as_ref().map(|r| r.text.clone()).unwrap_or_default();
    if text.raw().contains(contains) {
        return Ok(None);
    }
    let label = own.label();
    let wanted = Untrusted::from(contains);
    let found = if text.is_empty() {
        "no result".to_owned()
    } else {
        format!("\"{}\"", crate::text::cut(&text.line(), 120))
    };
    Err(unmet(
        format!("{label} result contains \"{}\": it does not", wanted.line()),
        format!("{label}  result contains \"{}\"", wanted.line()),
        format!("{label}  {found}"),
        Some(label),
    ))
}

fn messages(team: &Team, from: &Name, to: &Name, cmp: Cmp, n: u64) -> Result<Asserted, Unmet> {
    let is = |party: &Party, name: &Name| match party {
        Party::Member(member) => member == name,
        Party::Person => {
            matches!(name.key(), "person" | "user" | "human") || (name.is_lead() && !team.has_lead())
        }
        Party::System => false,
    };
    let count = team.mail.messages.iter().filter(|m| is(&m.from, from) && is(&m.to, to)).count();
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    if cmp.holds(count, n) {
        return Ok(None);
    }
    let wanted = format!("messages {from} -> {to} {} {n}", cmp.sign());
    Err(unmet(
        format!("{wanted}: there are {count}"),
        wanted,
        format!("messages {from} -> {to} = {count}"),
        None,
    ))
}

fn cost(team: &Team, cmp: Cmp, micros: u64) -> Result<Asserted, Unmet> {
    if cmp.holds(team.spent_micros, micros) {
        return Ok(None);
    }
    let wanted = format!("cost {} {}", cmp.sign(), quantity::money(micros));
    let found = format!("cost = {}", quantity::money(team.spent_micros));
    Err(unmet(format!("{wanted}: it is {}", quantity::money(team.spent_micros)), wanted, found, None))
}

fn stands(team: &Team, number: TaskNo) -> String {
    team.task(number).map_or_else(|| format!("#{number}"), |task| why_not(team, task))
}
