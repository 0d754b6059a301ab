//! Decisions about tasks: cancel, retry, review, adopt (R8, R11, R15, R17).
use super::find::{self, Caller};
use super::{Draft, Reply, create};
use crate::domain::event::{
    EdgeWaived, EndAsserted, ResultAdopted, RetryAsked, ReviewSettled, ReviewersSet, StopAsked, TaskCancelled,
};
use crate::domain::state::{Phase, Task};
use crate::domain::{
    Code, Dependents, Needs, Purpose, Rejection, Reviewer, Status, StopCause, TaskNo, TaskRef, TeamId,
    Verdict, limits,
};
use crate::text::Untrusted;

pub(super) fn final_task(task: &Task) -> Rejection {
    Rejection::new(
        Code::Final,
        format!("{} (#{}) is {}, which is final", task.label(), task.number, task.status()),
    )
    .help("more work is a new task: `teamtui do add \"SUBJECT\" to=MEMBER`")
}

fn wrong_status(task: &Task, verb: &str, wants: &str) -> Rejection {
    let what = format!(
        "{} (#{}) is {}; `{verb}` needs a task that is {wants}",
        task.label(),
        task.number,
        task.status()
    );
    Rejection::new(Code::WrongStatus, what).help(format!("see why: `teamtui why {}`", task.label()))
}

pub(super) fn cancel(
    draft: &mut Draft<'_>,
    caller: &Caller,
    tasks: &[TaskRef],
    dependents: Option<Dependents>,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let numbers =
        settleable(
            draft,
            id,
            tasks,
            |task| if task.status().is_final() { Err(final_task(task)) } else { Ok(()) },
        )?;
    let mut reply = Reply::default();
    for number in numbers {
        let (held, released) = cancel_one(draft, id, number, dependents, text);
        let label = label(draft, id, number);
        let mut said = format!("cancelled {label}");
        if !held.is_empty() {
            said.push_str(&format!("; held: {}", held.join(", ")));
        }
        if !released.is_empty() {
            said.push_str(&format!("; released: {}", released.join(", ")));
        }
        reply = reply.and(said);
    }
    Ok(reply)
}

fn settleable(
    draft: &Draft<'_>,
    id: TeamId,
    tasks: &[TaskRef],
    check: impl Fn(&Task) -> Result<(), Rejection>,
) -> Result<Vec<TaskNo>, Rejection> {
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let mut numbers = Vec::new();
    for reference in tasks {
        let task = find::task(team, reference)?;
        check(task)?;
        if !numbers.contains(&task.number) {
            numbers.push(task.number);
        }
    }
    Ok(numbers)
}

pub(super) fn label(draft: &Draft<'_>, id: TeamId, number: TaskNo) -> String {
    draft.state.task(id, number).map_or_else(|| format!("#{number}"), Task::label)
}

/// Cancels one task; waives or keeps the edges on it (R8). Gives who is held and who released.
pub(super) fn cancel_one(
    draft: &mut Draft<'_>,
    id: TeamId,
    number: TaskNo,
    dependents: Option<Dependents>,
    text: &Untrusted,
) -> (Vec<String>, Vec<String>) {
    let Some(task) = draft.state.task(id, number) else { return Default::default() };
    if task.status().is_final() {
        return Default::default();
    }
    let release = match dependents {
        Some(Dependents::Release) => true,
        Some(Dependents::Hold) => false,
        None => task.added,
    };
    let live = match task.phase {
        Phase::Running(attempt) => Some(attempt),
        _ => task.review.live,
    };
    let waiting: Vec<TaskNo> = task.dependents.clone();
    let needs_it = |t: &Task| {
        t.status().is_waiting()
            && t.edges.iter().any(|e| e.on == number && e.needs == Needs::Completed && !e.waived)
    };
    let waiting: Vec<TaskNo> =
        waiting.into_iter().filter(|d| draft.state.task(id, *d).is_some_and(needs_it)).collect();
    draft.emit(Some(id), TaskCancelled { number, reason: text.clone() });
    if let Some(attempt) = live {
        draft.emit(Some(id), StopAsked { attempt, cause: StopCause::Cancel });
    }
    if release {
        for dependent in &waiting {
            draft.emit(Some(id), EdgeWaived { number: *dependent, on: number });
        }
    }
    let labels = waiting.iter().map(|d| label(draft, id, *d)).collect();
    if release { (Vec::new(), labels) } else { (labels, Vec::new()) }
}

pub(super) fn retry(
    draft: &mut Draft<'_>,
    caller: &Caller,
    tasks: &[TaskRef],
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let check = |task: &Task| match task.status() {
        Status::Failed | Status::Stale => Ok(()),
        status if status.is_final() => Err(final_task(task)),
        _ => Err(wrong_status(task, "retry", "failed or stale")),
    };
    let numbers = settleable(draft, id, tasks, check)?;
    let mut reply = Reply::default();
    for number in numbers {
        draft.emit(Some(id), RetryAsked { number, text: text.clone() });
        reply = reply.and(format!("{} will be tried again", label(draft, id, number)));
    }
    Ok(reply)
}

pub(super) fn reviewers(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: &TaskRef,
    by: &[Reviewer],
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let task = find::task(team, task)?;
    if task.status().is_final() {
        return Err(final_task(task));
    }
    for reviewer in by {
        if let Reviewer::Member(name) = reviewer {
            find::member(team, name)?;
            if task.assignee.as_ref() == Some(name) {
                return Err(Rejection::new(
                    Code::BadPlan,
                    format!("{name} cannot review its own task {}", task.label()),
                ));
            }
        }
    }
    let (number, said) = (task.number, format!("{} will be reviewed", task.label()));
    draft.emit(Some(id), ReviewersSet { number, by: by.to_vec() });
    Ok(Reply::say(said))
}

/// The task in review that is meant, and as whom the caller answers.
fn in_review(
    draft: &Draft<'_>,
    caller: &Caller,
    task: Option<&TaskRef>,
    verb: &str,
) -> Result<(TeamId, TaskNo, Reviewer), Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let own = match caller.own_task(draft.state) {
        Some((number, Purpose::Review(_))) => Some(number),
        _ => None,
    };
    let number = match task {
        Some(reference) => find::task(team, reference)?.number,
        None => own.ok_or_else(|| {
            Rejection::new(Code::NotYours, format!("`{verb}` is for a review, and this is not one"))
                .help("name the task: `teamtui do approve TASK`")
        })?,
    };
    let Some(task) = team.task(number) else { return Err(create::gone()) };
    if task.phase != Phase::InReview {
        return Err(wrong_status(task, verb, "in review"));
    }
    let reviewer = match caller.chair() {
        None => Reviewer::Person,
        Some(name) if name.is_lead() => Reviewer::Lead,
        Some(name) if own == Some(number) => Reviewer::Member(name.clone()),
        Some(name) => {
            return Err(Rejection::new(
                Code::NotYours,
                format!("{name} is not the reviewer of {} now", task.label()),
            ));
        }
    };
    Ok((id, number, reviewer))
}

pub(super) fn approve(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: Option<&TaskRef>,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let (id, number, reviewer) = in_review(draft, caller, task, "approve")?;
    let status = settle_review(draft, id, number, reviewer, Verdict::Approved, text);
    Ok(Reply::say(format!("approved {}; it is {status}", label(draft, id, number))))
}

pub(super) fn send_back(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: Option<&TaskRef>,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let (id, number, reviewer) = in_review(draft, caller, task, "send_back")?;
    if text.is_empty() {
        return Err(Rejection::new(
            Code::BadPlan,
            "`send_back` needs feedback, which the next attempt is told",
        ));
    }
    let status = settle_review(draft, id, number, reviewer, Verdict::SentBack, text);
    Ok(Reply::say(format!("sent {} back; it is {status}", label(draft, id, number))))
}

/// Records a verdict and where the task goes with it. The person and the lead speak for every reviewer that is left.
pub(super) fn settle_review(
    draft: &mut Draft<'_>,
    id: TeamId,
    number: TaskNo,
    reviewer: Reviewer,
    verdict: Verdict,
    text: &Untrusted,
) -> Status {
    let Some(task) = draft.state.task(id, number) else { return Status::InReview };
    let left = u32::try_from(task.spec.review.len()).unwrap_or(u32::MAX).saturating_sub(task.review.approved);
    let own_turn =
        task.spec.review.get(usize::try_from(task.review.approved).unwrap_or(usize::MAX)) == Some(&reviewer);
    let last = left <= 1 || !own_turn;
    let status = match verdict {
        Verdict::Approved if last => Status::Completed,
        Verdict::Approved | Verdict::None => Status::InReview,
        Verdict::SentBack if task.sent_back >= limits::MAX_SENT_BACK => Status::Failed,
        Verdict::SentBack => Status::Pending,
        Verdict::Rejected => Status::Cancelled,
    };
    let live = task.review.live;
    draft.emit(Some(id), ReviewSettled { number, reviewer, verdict, text: text.clone(), status });
    let from_review = live.filter(|attempt| draft.state.live.get(attempt).is_some_and(|a| a.stop.is_none()));
    if let Some(attempt) = from_review {
        draft.emit(Some(id), StopAsked { attempt, cause: StopCause::Done });
    }
    status
}

pub(super) fn reject(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: &TaskRef,
    text: &Untrusted,
    release: bool,
) -> Result<Reply, Rejection> {
    let (id, number, reviewer) = in_review(draft, caller, Some(task), "reject")?;
    let dependents = draft.state.task(id, number).map(|t| t.dependents.clone()).unwrap_or_default();
    settle_review(draft, id, number, reviewer, Verdict::Rejected, text);
    if release {
        for dependent in dependents {
            draft.emit(Some(id), EdgeWaived { number: dependent, on: number });
        }
    }
    let kept = if release { "released" } else { "held" };
    Ok(Reply::say(format!(
        "rejected {}: it is cancelled, and what waits on it is {kept}",
        label(draft, id, number)
    )))
}

pub(super) fn adopt(
    draft: &mut Draft<'_>,
    caller: &Caller,
    task: &TaskRef,
    attempt: Option<u32>,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let task = find::task(team, task)?;
    if task.status().is_final() {
        return Err(final_task(task));
    }
    if !task.status().is_settled() && task.phase != Phase::InReview {
        return Err(wrong_status(task, "adopt", "failed, stale or in review"));
    }
    let kept: Vec<u32> = task.attempts.iter().filter(|a| a.result.is_some()).map(|a| a.nth).collect();
    let nth = attempt.or_else(|| kept.last().copied()).filter(|nth| kept.contains(nth)).ok_or_else(|| {
        let which = attempt.map_or_else(|| "no attempt".to_owned(), |nth| format!("no attempt {nth}"));
        Rejection::new(Code::NotFound, format!("{} has {which} with a result to adopt", task.label()))
            .help(format!("see its attempts: `teamtui do get {}`", task.label()))
    })?;
    let number = task.number;
    draft.emit(Some(id), ResultAdopted { number, attempt: nth });
    Ok(Reply::say(format!("{} is completed with the result of attempt {nth}", label(draft, id, number))))
}

pub(super) fn assert_end(draft: &mut Draft<'_>, caller: &Caller, task: &TaskRef) -> Result<Reply, Rejection> {
    let id = caller.any_team_for_reads(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let task = find::task(team, task)?;
    let number = task.number;
    if task.asserted || task.phase == Phase::Completed {
        return Ok(Reply::say(format!("{} is as expected", task.label())));
    }
    let said = format!("{} is {}, as expected", task.label(), task.status());
    draft.emit(Some(id), EndAsserted { number });
    Ok(Reply::say(said))
}
