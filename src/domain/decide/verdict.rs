//! Decisions about tasks: cancel, retry, review, adopt (R8, R11, R15, R17).
use super::find::{self, Caller};
use super::{Draft, Reply, create, work};
use crate::domain::event::{
    EdgeWaived, EndAsserted, ResultAdopted, RetryAsked, ReviewSettled, ReviewersSet, StopAsked, TaskCancelled,
};
use crate::domain::state::{Phase, Task};
use crate::domain::{
    AttemptId, Code, Dependents, Needs, Purpose, Rejection, Reviewer, Status, StopCause, TaskNo, TaskRef,
    TeamId, Verdict, limits,
};
use crate::text::Untrusted;

pub(super) fn final_task(task: &Task) -> Rejection {
    Rejection::new(
        Code::Final,
        format!("{} (#{}) is {}, which is final", task.label(), task.number, task.status()),
    )
    .help("more work is a new task: `teamtui do add \"SUBJECT\" to=MEMBER`")
}

/// On a blocked task the open blockers are named (C009).
fn wrong_status(draft: &Draft<'_>, id: TeamId, task: &Task, verb: &str, wants: &str) -> Rejection {
    if task.status() == Status::Blocked {
        return work::blocked(draft, id, task);
    }
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
    let waiting = waiting_for(draft, id, number);
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

/// Dependents that have not started and need the result of a task.
fn waiting_for(draft: &Draft<'_>, id: TeamId, number: TaskNo) -> Vec<TaskNo> {
    let Some(team) = draft.state.team(id) else { return Vec::new() };
    let needs_it = |t: &&Task| {
        let edge = t.edge(number);
        t.status().is_waiting() && edge.is_some_and(|e| e.needs == Needs::Completed && !e.waived)
    };
    let dependents = team.task(number).map(|t| t.dependents.as_slice()).unwrap_or_default();
    dependents.iter().filter_map(|d| team.task(*d)).filter(needs_it).map(|t| t.number).collect()
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
        _ => Err(wrong_status(draft, id, task, "retry", "failed or stale")),
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
            create::refuse_own_review(&task.label(), task.assignee.as_ref(), name)?;
        }
    }
    let (number, said) = (task.number, format!("{} will be reviewed", task.label()));
    let live = task.review.live;
    draft.emit(Some(id), ReviewersSet { number, by: by.to_vec() });
    let_go(draft, id, live);
    Ok(Reply::say(said))
}

/// The review attempt that was live is over: its verdict is not asked for any more.
fn let_go(draft: &mut Draft<'_>, id: TeamId, review: Option<AttemptId>) {
    let live = review.filter(|attempt| draft.state.live.get(attempt).is_some_and(|a| a.stop.is_none()));
    if let Some(attempt) = live {
        draft.emit(Some(id), StopAsked { attempt, cause: StopCause::Done });
    }
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
        return Err(if task.status().is_final() {
            final_task(task)
        } else {
            wrong_status(draft, id, task, verb, "in review")
        });
    }
    let reviewer = match caller.chair() {
        None => Reviewer::Person,
        Some(name) if name.is_lead() => Reviewer::Lead,
        Some(name) if own == Some(number) && task.review.live == caller.attempt => {
            Reviewer::Member(name.clone())
        }
        Some(name) => {
            return Err(Rejection::new(
                Code::NotYours,
                format!("{name} is not the reviewer of {} now", task.label()),
            )
            .help(format!("note what you think: `teamtui do comment {} \"...\"`", task.label())));
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
    let next = draft.state.task(id, number).and_then(Task::next_reviewer);
    if reviewer == Reviewer::Lead && next == Some(&Reviewer::Person) {
        let what =
            format!("{} waits for the person, and nobody approves in its name", label(draft, id, number));
        return Err(
            Rejection::new(Code::NotYours, what).help("tell the person: `teamtui do send person \"...\"`")
        );
    }
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
        )
        .help("say what is missing: `teamtui do send_back TASK \"FEEDBACK\"`"));
    }
    let status = settle_review(draft, id, number, reviewer, Verdict::SentBack, text);
    Ok(Reply::say(format!("sent {} back; it is {status}", label(draft, id, number))))
}

/// Records a verdict and where the task goes with it. The person speaks for every reviewer that is left; the lead for
/// every member that is left, and never for the person.
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
    let person_left = task
        .spec
        .review
        .iter()
        .skip(usize::try_from(task.review.approved).unwrap_or(usize::MAX))
        .any(|r| *r == Reviewer::Person);
    let for_all = !task.is_turn_of(&reviewer) && (reviewer == Reviewer::Person || !person_left);
    let last = left <= 1 || for_all;
    let status = match verdict {
        Verdict::Approved if last => Status::Completed,
        Verdict::Approved | Verdict::None => Status::InReview,
        Verdict::SentBack if task.sent_back >= limits::MAX_SENT_BACK => Status::Failed,
        Verdict::SentBack => Status::Pending,
        Verdict::Rejected => Status::Cancelled,
    };
    let live = task.review.live;
    draft.emit(Some(id), ReviewSettled { number, reviewer, verdict, text: text.clone(), status });
    let_go(draft, id, live);
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
    let dependents = waiting_for(draft, id, number);
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
        return Err(wrong_status(draft, id, task, "adopt", "failed, stale or in review"));
    }
    let kept: Vec<u32> = task.attempts.iter().filter(|a| a.result.is_some()).map(|a| a.nth).collect();
    let nth = attempt.or_else(|| kept.last().copied()).filter(|nth| kept.contains(nth)).ok_or_else(|| {
        let which = attempt.map_or_else(|| "no attempt".to_owned(), |nth| format!("no attempt {nth}"));
        Rejection::new(Code::NotFound, format!("{} has {which} with a result to adopt", task.label()))
            .help(format!("see its attempts: `teamtui do get {}`", task.label()))
    })?;
    let (number, live) = (task.number, task.review.live);
    draft.emit(Some(id), ResultAdopted { number, attempt: nth });
    let_go(draft, id, live);
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
