//! Work on tasks: claim, complete, fail, assign, and notes (R12 to R16, R27).
use super::find::{self, Caller};
use super::{Draft, Reply, create, end, verdict};
use crate::domain::event::{
    AttemptStarted, CompletionAsked, OrphanKept, ProgressNoted, TaskAssigned, TaskCommented, TaskUpdated,
};
use crate::domain::state::{Attempt, Phase, Task};
use crate::domain::{
    AttemptId, By, Code, Data, Name, Outcome, Purpose, Rejection, Status, TaskChange, TaskNo, TaskRef,
    TeamId, limits,
};
use crate::text::Untrusted;

/// A task that the caller may finish, and the live attempt at it.
enum Own {
    /// The caller's live attempt.
    Live(AttemptId),
    /// Pending, and the caller's to claim.
    Pending(TeamId, TaskNo),
    /// Completed by the caller already.
    Done(String),
}

pub(super) fn complete(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: Option<&TaskRef>,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let text = cut_result(text);
    match own(draft, caller, task, "complete")? {
        Own::Done(label) => Ok(Reply::say(format!("{label} is completed already"))),
        Own::Live(attempt) => Ok(end::complete(draft, attempt, &text)),
        Own::Pending(id, number) => {
            let attempt = begin_and_end(draft, caller, id, number, "complete")?;
            Ok(end::complete_at_once(draft, &attempt, text))
        }
    }
}

pub(super) fn fail(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: Option<&TaskRef>,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let by = caller.chair().map_or_else(|| "the person".to_owned(), ToString::to_string);
    let reason = if text.is_empty() { Untrusted::from(format!("given up by {by}")) } else { text.clone() };
    let label = match own(draft, caller, task, "fail")? {
        Own::Done(label) => {
            return Err(Rejection::new(Code::Final, format!("{label} is completed, which is final"))
                .help("more work is a new task: `teamtui do add \"SUBJECT\" to=MEMBER`"));
        }
        Own::Live(attempt) => {
            let label = end::label_of(draft, attempt);
            end::fail(draft, attempt, reason);
            label
        }
        Own::Pending(id, number) => {
            let attempt = begin_and_end(draft, caller, id, number, "fail")?;
            end::fail_at_once(draft, &attempt, reason);
            verdict::label(draft, id, number)
        }
    };
    Ok(Reply::say(format!("{label} has failed")))
}

/// A longer result is cut, and the cut is said.
pub(super) fn cut_result(text: &Untrusted) -> Untrusted {
    if text.len_bytes() <= limits::MAX_RESULT_BYTES {
        return text.clone();
    }
    let mut kept = String::new();
    for c in text.raw().chars() {
        if kept.len() + c.len_utf8() > limits::MAX_RESULT_BYTES {
            break;
        }
        kept.push(c);
    }
    kept.push_str(&format!("\n(cut here: the result has {} bytes, 64 KiB are kept)", text.len_bytes()));
    Untrusted::from(kept)
}

/// Whose task is it, and may the caller finish it? The person may finish what is the person's.
fn own(draft: &Draft<'_>, caller: &Caller, task: Option<&TaskRef>, verb: &str) -> Result<Own, Rejection> {
    let Some(reference) = task else { return own_attempt(draft, caller, verb) };
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let task = find::task(team, reference)?;
    let holder =
        |name: &Name| caller.chair() == Some(name) || (caller.is_person() && is_human(draft, id, name));
    let mine =
        task.assignee.as_ref().is_some_and(holder) || (task.assignee.is_none() && caller.chair().is_some());
    match task.phase {
        Phase::Completed if mine => Ok(Own::Done(task.label())),
        Phase::Completed | Phase::Cancelled => Err(verdict::final_task(task)),
        Phase::Running(attempt) if mine && caller.attempt.is_none_or(|a| a == attempt) => {
            Ok(Own::Live(attempt))
        }
        Phase::Running(attempt) => {
            let has =
                draft.state.live.get(&attempt).map_or_else(String::new, |a| format!("; {} has it", a.member));
            Err(Rejection::new(
                Code::StaleToken,
                format!("{} (#{}) is not yours{has}", task.label(), task.number),
            )
            .help("to say something about it: `teamtui do comment TASK \"...\"`"))
        }
        Phase::Waiting if task.open > 0 => Err(blocked(draft, id, task)),
        Phase::Waiting if mine => Ok(Own::Pending(id, task.number)),
        Phase::Waiting => Err(not_mine(task)),
        Phase::InReview | Phase::Failed | Phase::Stale => {
            let what = format!(
                "{} (#{}) is {}; `{verb}` needs a task that is pending or in progress",
                task.label(),
                task.number,
                task.status()
            );
            Err(Rejection::new(Code::WrongStatus, what)
                .help(format!("try it again first: `teamtui do retry {}`", task.label())))
        }
    }
}

fn own_attempt(draft: &Draft<'_>, caller: &Caller, verb: &str) -> Result<Own, Rejection> {
    let outside = || {
        Rejection::new(
            Code::NotYours,
            format!("`{verb}` without a task means one's own, and this is not inside an attempt"),
        )
        .help(format!("name the task: `teamtui do {verb} TASK \"...\"`"))
    };
    let id = caller.attempt.ok_or_else(outside)?;
    match draft.state.live.get(&id).map(|a| a.purpose) {
        Some(Purpose::Task(_)) => Ok(Own::Live(id)),
        Some(Purpose::Review(_)) => {
            Err(Rejection::new(Code::NotYours, format!("this is a review; it has nothing to {verb}"))
                .help("answer it: `teamtui do approve` or `teamtui do send_back \"FEEDBACK\"`"))
        }
        _ => Err(Rejection::new(Code::NotYours, format!("this is a turn; it has no task to {verb}"))
            .help(format!("name one: `teamtui do {verb} task=TASK \"...\"`"))),
    }
}

fn is_human(draft: &Draft<'_>, id: TeamId, name: &Name) -> bool {
    let member = draft.state.team(id).and_then(|t| t.members.get(name));
    member.is_some_and(|m| m.agent.driver == crate::domain::Driver::Human)
}

/// Refused on a blocked task, with the open blockers (R13, C009).
pub(super) fn blocked(draft: &Draft<'_>, id: TeamId, task: &Task) -> Rejection {
    let Some(team) = draft.state.team(id) else { return create::gone() };
    let open: Vec<&Task> = team.open_edges(task).iter().filter_map(|(e, _)| team.task(e.on)).collect();
    let names: Vec<String> =
        open.iter().map(|t| format!("{} (#{}, {})", t.label(), t.number, t.status())).collect();
    let first = open.first().map(|t| t.label()).unwrap_or_default();
    Rejection::new(
        Code::Blocked,
        format!("{} (#{}) waits for {}", task.label(), task.number, names.join(", ")),
    )
    .help(format!(
        "it starts by itself when {first} is completed; tell the lead: `teamtui do send lead \"...\"`"
    ))
}

fn not_mine(task: &Task) -> Rejection {
    let whose = task.assignee.as_ref().map_or_else(|| "nobody's".to_owned(), |name| format!("{name}'s"));
    Rejection::new(Code::NotYours, format!("{} (#{}) is {whose}", task.label(), task.number))
        .help("write to whoever has it: `teamtui do send MEMBER \"...\"`")
}

/// Claims a pending task for an attempt that ends in the same decision (R13). No agent is started for it, no mail is
/// read and no question asked, and what its member is busy with goes on.
fn begin_and_end(
    draft: &mut Draft<'_>,
    caller: &Caller,
    id: TeamId,
    number: TaskNo,
    verb: &str,
) -> Result<Attempt, Rejection> {
    let Some(task) = draft.state.task(id, number) else { return Err(create::gone()) };
    let gated = !task.spec.outputs.is_empty() || !task.spec.checks.is_empty();
    if gated && verb == "complete" {
        let what = format!(
            "{} (#{number}) has outputs or checks, which are looked at once it has started",
            task.label()
        );
        return Err(Rejection::new(Code::WrongStatus, what)
            .help("it waits in the queue of its member, and starts by itself"));
    }
    let unassigned = task.assignee.is_none();
    let member = task.assignee.clone().or_else(|| caller.chair().cloned()).ok_or_else(create::gone)?;
    refuse_own_review(task, &member)?;
    let (attempt, nth) = (draft.state.last_attempt.next(), task.begun + 1);
    if unassigned {
        draft.emit(Some(id), TaskAssigned { number, to: member.clone(), giver: None });
    }
    let (purpose, token) = (Purpose::Task(number), draft.token());
    draft.emit(Some(id), AttemptStarted { attempt, member, purpose, nth, token, reserved_micros: 0 });
    draft.state.live.get(&attempt).cloned().ok_or_else(create::gone)
}

/// Nobody reviews its own work (R17).
fn refuse_own_review(task: &Task, member: &Name) -> Result<(), Rejection> {
    match task.is_reviewed_by(member) {
        true => create::refuse_own_review(&task.label(), Some(member), member),
        false => Ok(()),
    }
}

/// R12: exactly one winner; the others learn who it is.
pub(super) fn claim(draft: &mut Draft<'_>, caller: &Caller, task: &TaskRef) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let task = find::task(team, task)?;
    let Some(member) = caller.chair().cloned() else {
        return Err(Rejection::new(Code::NotYours, "only a member claims; the person assigns")
            .help(format!("`teamtui do assign {} to=MEMBER`", task.label())));
    };
    if let Some(holder) = task.assignee.as_ref().filter(|a| **a != member) {
        return Err(Rejection::new(
            Code::NotYours,
            format!("{} (#{}) is taken: {holder} has it", task.label(), task.number),
        )
        .help("see what is free: `teamtui do list status=pending`"));
    }
    if task.status().is_final() {
        return Err(verdict::final_task(task));
    }
    if task.status() == Status::Blocked {
        return Err(blocked(draft, id, task));
    }
    if task.status() != Status::Pending {
        let what = format!(
            "{} (#{}) is {}; only a pending task can be claimed",
            task.label(),
            task.number,
            task.status()
        );
        return Err(Rejection::new(Code::WrongStatus, what)
            .help("see what is free: `teamtui do list status=pending`"));
    }
    refuse_own_review(task, &member)?;
    let number = task.number;
    if task.assignee.is_none() {
        draft.emit(Some(id), TaskAssigned { number, to: member.clone(), giver: None });
    }
    let label = verdict::label(draft, id, number);
    let said = format!("claimed {label}, {}", create::queue_note(draft.state, id, &member, number));
    Ok(Reply::say(said).with(Data::Added { name: label, number: Some(number) }))
}

pub(super) fn assign(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: &TaskRef,
    to: &Name,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let task = find::task(team, task)?;
    find::member(team, to)?;
    refuse_own_review(task, to)?;
    if task.status().is_final() {
        return Err(verdict::final_task(task));
    }
    if task.status() == Status::Blocked {
        return Err(blocked(draft, id, task));
    }
    if !task.status().is_waiting() && !task.status().is_settled() {
        let what = format!(
            "{} (#{}) is {}; only a task that is not running can be given away",
            task.label(),
            task.number,
            task.status()
        );
        return Err(Rejection::new(Code::WrongStatus, what)
            .help("more work is a new task: `teamtui do add \"SUBJECT\" to=MEMBER`"));
    }
    let owner_only = caller.member().is_some_and(|m| task.assignee.as_ref().is_some_and(|a| a != m));
    if owner_only {
        return Err(not_mine(task));
    }
    create::capacity(team, caller, to, Some(task))?;
    let number = task.number;
    draft.emit(Some(id), TaskAssigned { number, to: to.clone(), giver: create::giver(caller, Some(to)) });
    let said = format!(
        "assigned {}, {}",
        verdict::label(draft, id, number),
        create::queue_note(draft.state, id, to, number)
    );
    Ok(Reply::say(said))
}

pub(super) fn update(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: &TaskRef,
    change: &TaskChange,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let task = find::task(team, task)?;
    if task.status().is_final() {
        return Err(verdict::final_task(task));
    }
    let number = task.number;
    draft.emit(Some(id), TaskUpdated { number, change: change.clone() });
    Ok(Reply::say(format!("updated {}", verdict::label(draft, id, number))))
}

pub(super) fn comment(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: &TaskRef,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let number = find::task(team, task)?.number;
    if text.len_bytes() > limits::MAX_MESSAGE_BYTES {
        return Err(Rejection::new(Code::OverLimit, "a comment has at most 64 KiB")
            .help("put it into a file and name the file"));
    }
    draft.emit(Some(id), TaskCommented { number, text: text.clone() });
    Ok(Reply::say(format!("noted on {}", verdict::label(draft, id, number))))
}

pub(super) fn progress(
    draft: &mut Draft<'_>,
    caller: &Caller,
    percent: u8,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let attempt = caller.attempt.ok_or_else(|| {
        Rejection::new(Code::NotYours, "`progress` is said from inside an attempt")
            .help("to note something: `teamtui do comment TASK \"...\"`")
    })?;
    if percent > 100 {
        return Err(Rejection::new(Code::BadPlan, format!("{percent} is over 100 percent"))
            .help("say a number from 0 to 100"));
    }
    let id = caller.team(draft.state)?;
    draft.emit(Some(id), ProgressNoted { attempt, percent, text: text.clone() });
    Ok(Reply::say(format!("noted: {percent} percent")))
}

/// `complete` with the token of an attempt that is over: what was said before is said again, anything else is kept as an
/// orphan, and the caller told so (R11, R13).
pub(super) fn late_result(
    draft: &mut Draft<'_>,
    id: AttemptId,
    task: Option<&TaskRef>,
    text: &Untrusted,
    rejection: Rejection,
) -> Result<Reply, Rejection> {
    let Some(former) = find::former(draft.state, id) else { return Err(rejection) };
    let (team, number, attempt) = (former.team, former.task.number, former.nth);
    let meant = task.is_none_or(|r| draft.state.team(team).and_then(|t| t.find_task(r)) == Some(number));
    if !meant {
        return Err(rejection);
    }
    let live = draft.state.live.get(&id);
    let result = former.task.result.as_ref();
    let accepted = matches!(former.task.phase, Phase::Completed | Phase::InReview)
        && result.is_some_and(|r| r.nth == attempt && r.confirmed);
    if accepted || live.is_some_and(|a| a.settled) {
        return Ok(Reply::say(format!("{} is settled already", former.task.label())));
    }
    let record = former.task.attempts.iter().find(|a| a.id == id);
    let kept =
        record.map(|a| a.result.as_ref()).unwrap_or(live.and_then(|a| a.offered.as_ref()).map(|o| &o.0));
    let text = cut_result(text);
    let is_news = kept != Some(&text) && record.is_none_or(|a| a.outcome != Outcome::Completed);
    let is_live = live.is_some();
    draft.by = By::Member(former.member.clone());
    if is_news && is_live {
        draft.emit(Some(team), CompletionAsked { attempt: id, result: text, exit: None, settled: true });
    } else if is_news {
        draft.emit(Some(team), OrphanKept { number, attempt, result: text });
    }
    let help = vec!["stop; the result is kept as an orphan, and the lead can adopt it".to_owned()];
    Err(Rejection { help, ..rejection })
}
