//! The run itself: opened, closed, resumed, recovered (R33).
use super::{Draft, Reply, end, question};
use crate::domain::event::{
    AttemptEnded, CompletionAsked, LimitsSet, PromiseAsked, Recovered, Resumed, RetryAsked, RunClosed,
    RunOpened, RunResumed, TimerDue,
};
use crate::domain::limits::MAX_CRASHES;
use crate::domain::state::{Attempt, AttemptRecord, Phase, Stage, Task};
use crate::domain::view::phrase;
use crate::domain::{
    AttemptEnd, AttemptId, CloseReason, Code, Driver, EndCause, Found, Outcome, Purpose, Rejection, Rerun,
    ResumeRun, RunHeader, Seq, State, Status, TaskNo, TaskRef, TeamId,
};
use crate::text::Untrusted;

pub(super) fn open(draft: &mut Draft<'_>, header: &RunHeader) -> Result<Reply, Rejection> {
    if draft.state.seq.0 > 0 {
        return Err(Rejection::new(Code::BadPlan, "the run is open already").help("go on: `teamtui status`"));
    }
    draft.emit(None, RunOpened { header: header.clone() });
    Ok(Reply::say("the run is open"))
}

pub(super) fn close(draft: &mut Draft<'_>, reason: CloseReason) -> Result<Reply, Rejection> {
    if draft.state.run.closed.is_none() {
        let live: Vec<AttemptId> = draft.state.live.keys().copied().collect();
        for id in live {
            end::end(draft, id, &AttemptEnd { cause: EndCause::Stopped, ..AttemptEnd::default() });
        }
        draft.emit(None, RunClosed { reason });
    }
    Ok(Reply::say("the run is closed"))
}

/// A new owner: what was live is interrupted, and goes on by itself where that is safe. A person's attempt has nothing that
/// could have been lost, and stays. Twice changes nothing (C035).
pub(super) fn recover(draft: &mut Draft<'_>, found: &Found) -> Reply {
    let unchecked: Vec<AttemptId> =
        draft.state.live.values().filter(|a| is_unchecked(draft.state, a)).map(|a| a.id).collect();
    let lost = |a: &&Attempt| !a.human && !unchecked.contains(&a.id);
    let live: Vec<AttemptId> = draft.state.live.values().filter(lost).map(|a| a.id).collect();
    let orphaned: Vec<Seq> = draft.state.timers.keys().copied().collect();
    let unlooked: Vec<TeamId> =
        draft.state.live_teams().filter(|(_, t)| t.checking).map(|(id, _)| id).collect();
    // A person may complete again what no check will be run for any more.
    let unlooked_at = draft.state.live.values().any(|a| a.human && a.looking > 0);
    let none =
        !unlooked_at && live.is_empty() && unchecked.is_empty() && orphaned.is_empty() && unlooked.is_empty();
    if none && !draft.state.run.stopping && !found.restored {
        return Reply::say("nothing to recover");
    }
    let (checked, found) = (unchecked.clone(), found.clone());
    draft.emit(None, Recovered { interrupted: live.clone(), checked, found });
    for id in &live {
        recover_attempt(draft, *id);
    }
    for id in unchecked {
        check_again(draft, id);
    }
    for timer in orphaned {
        if draft.state.timers.contains_key(&timer) {
            draft.emit(None, TimerDue { timer });
        }
    }
    for team in unlooked {
        draft.emit(Some(team), PromiseAsked {});
    }
    Reply::say(format!("{} attempts were interrupted", live.len()))
}

/// It has ended and said what it leaves, and its checks were being looked at. Not where it promised outputs: only the
/// owner that saw it begin knew what was there before.
fn is_unchecked(state: &State, attempt: &Attempt) -> bool {
    let promised = match attempt.purpose {
        Purpose::Task(number) => state.task(attempt.team, number).is_some_and(|t| !t.spec.outputs.is_empty()),
        Purpose::Review(_) | Purpose::Turn => false,
    };
    let crashes = attempt.crashes + 1 < MAX_CRASHES;
    attempt.looking > 0
        && attempt.is_alone()
        && !attempt.is_fenced()
        && (attempt.human || !promised)
        && crashes
}

/// Checks are safe by nature: they run again, and what has ended does not (R33).
fn check_again(draft: &mut Draft<'_>, id: AttemptId) {
    let Some(attempt) = draft.state.live.get(&id) else { return };
    let (team, offered) = (attempt.team, attempt.offered.clone());
    if let Some((result, exit)) = offered {
        draft.emit(Some(team), CompletionAsked { attempt: id, result, exit, settled: false });
    }
}

fn recover_attempt(draft: &mut Draft<'_>, id: AttemptId) {
    let Some(attempt) = draft.state.live.get(&id).cloned() else { return };
    let member = draft.state.team(attempt.team).and_then(|t| t.members.get(&attempt.member));
    let safe = member
        .is_some_and(|m| m.agent.rerun == Rerun::Safe || !matches!(m.agent.driver, Driver::Process { .. }));
    let said = attempt.settled || attempt.failing.is_some();
    let is_review = matches!(attempt.purpose, Purpose::Review(_));
    if said || (is_review && !safe) {
        end::end(draft, id, &AttemptEnd { cause: EndCause::Lost, ..AttemptEnd::default() });
        return;
    }
    let task = match attempt.purpose {
        Purpose::Task(number) => draft.state.task(attempt.team, number),
        _ => None,
    };
    let task = task.filter(|t| t.phase == Phase::Running(id));
    let crashes = task.is_some_and(|t| crashes_in_a_row(t) + attempt.crashes + 1 >= MAX_CRASHES);
    let goes_on = task.is_some() || attempt.purpose == Purpose::Turn;
    let again = goes_on && safe && attempt.stop.is_none() && !crashes;
    let quarantined = "the owner ended 3 times while it ran: quarantined, retry is a choice";
    let reason = if crashes { quarantined } else { OWNER_ENDED };
    let status = task.map(|_| Status::Stale);
    let outcome = if safe || attempt.stop.is_some() { Outcome::Interrupted } else { Outcome::Unknown };
    draft.emit(
        Some(attempt.team),
        AttemptEnded {
            attempt: id,
            outcome,
            reason: Untrusted::from(reason),
            exit: None,
            took_ms: attempt.took_ms(draft.elapsed_ms()),
            output_bytes: attempt.output_bytes,
            result: attempt.offered.map(|(text, _)| text),
            status,
            again,
            spent_micros: attempt.reserved_micros,
        },
    );
}

/// How the reason of every attempt begins that was live when its owner ended.
const OWNER_ENDED: &str = "the owner ended";

/// R34: how often, last and without a pause, the owner ended while the task ran.
fn crashes_in_a_row(task: &Task) -> u32 {
    let crashed = |a: &&AttemptRecord| a.reason.raw().starts_with(OWNER_ENDED);
    u32::try_from(task.attempts.iter().rev().take_while(crashed).count()).unwrap_or(u32::MAX)
}

/// A closed run goes on: caps are raised, questions answered, and what the end interrupted is tried again (R33). A run that
/// is not closed takes what it is given, too: raised caps, answers, `--failed`.
pub(super) fn resume(draft: &mut Draft<'_>, resume: &ResumeRun) -> Result<Reply, Rejection> {
    let closed = draft.state.run.closed.clone();
    if closed.is_none() && !resume.failed && resume.limits.is_none() && resume.answers.is_empty() {
        return Err(
            Rejection::new(Code::BadPlan, "the run is not closed").help("watch it: `teamtui status --watch`")
        );
    }
    let live = draft.state.live_teams().filter(|(_, t)| t.stage == Stage::Live);
    let teams: Vec<TeamId> = live.map(|(id, _)| id).collect();
    for (of, _) in &resume.answers {
        let known = |id: &TeamId| draft.state.team(*id).is_some_and(|t| t.find_task(of).is_some());
        if !teams.iter().any(known) {
            return Err(Rejection::new(Code::NotFound, format!("there is no task `{of}` to answer"))
                .help("see what is asked: `teamtui status`"));
        }
    }
    draft.emit(None, RunResumed { failed: resume.failed });
    let mut again = 0;
    for id in &teams {
        if let Some(limits) = &resume.limits {
            draft.emit(Some(*id), LimitsSet { limits: limits.clone() });
        }
        if closed.is_some() && draft.state.team(*id).is_some_and(|t| t.paused) {
            draft.emit(Some(*id), Resumed { member: None });
        }
        for number in to_retry(draft, *id, resume.failed, closed.as_ref().map(|c| c.reason)) {
            draft.emit(Some(*id), RetryAsked { number, text: Untrusted::default() });
            again += 1;
        }
    }
    let unasked = answer(draft, &teams, resume);
    let tasks = phrase::plural(again, "task is", "tasks are");
    let reply = Reply::say(format!("the run goes on: {tasks} tried again"));
    Ok(unasked
        .into_iter()
        .fold(reply, |reply, of| reply.and(format!("{of} has no open question; its answer was not used"))))
}

fn to_retry(draft: &Draft<'_>, id: TeamId, failed: bool, reason: Option<CloseReason>) -> Vec<TaskNo> {
    let cut_short =
        matches!(reason, Some(CloseReason::Cap | CloseReason::Waiting | CloseReason::Interrupted(_)));
    let wanted = |t: &&Task| match t.phase {
        Phase::Failed => failed,
        Phase::Stale => {
            failed || (cut_short && t.attempts.last().is_some_and(|a| a.outcome == Outcome::Interrupted))
        }
        _ => false,
    };
    draft
        .state
        .team(id)
        .map(|t| t.tasks.iter().filter(wanted).map(|t| t.number).collect())
        .unwrap_or_default()
}

/// Answers are given once the scheduler has asked again; gives the tasks that did not ask.
fn answer(draft: &mut Draft<'_>, teams: &[TeamId], resume: &ResumeRun) -> Vec<TaskRef> {
    if resume.answers.is_empty() {
        return Vec::new();
    }
    let by = draft.by.clone();
    crate::domain::schedule::run(draft);
    draft.by = by;
    let mut unasked = Vec::new();
    for (of, text) in &resume.answers {
        let asking = teams.iter().find_map(|id| asking(draft, *id, of));
        match asking {
            Some((id, attempt)) => question::settle(draft, id, attempt, text),
            None => unasked.push(of.clone()),
        }
    }
    unasked
}

/// The attempt at a task of a team that waits for an answer.
fn asking(draft: &Draft<'_>, id: TeamId, of: &TaskRef) -> Option<(TeamId, AttemptId)> {
    let number = draft.state.team(id)?.find_task(of)?;
    let (attempt, _) =
        draft.state.live_of(id).find(|(_, a)| a.question.is_some() && a.purpose == Purpose::Task(number))?;
    Some((id, attempt))
}
