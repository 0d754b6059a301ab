//! The run itself: opened, closed, resumed, recovered (R33).
use super::{Draft, Reply, end, question};
use crate::domain::event::{
    AttemptEnded, LimitsSet, Recovered, Resumed, RetryAsked, RunClosed, RunOpened, RunResumed,
};
use crate::domain::state::Phase;
use crate::domain::{
    AttemptEnd, AttemptId, CloseReason, Code, EndCause, Outcome, Purpose, Rejection, Rerun, ResumeRun,
    RunHeader, Status, TaskNo, TaskRef, TeamId,
};
use crate::text::Untrusted;

pub(super) fn open(draft: &mut Draft<'_>, header: &RunHeader) -> Result<Reply, Rejection> {
    if draft.state.seq.0 > 0 {
        return Err(Rejection::new(Code::BadPlan, "the run is open already"));
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

/// A new owner: what was live is interrupted, and goes on by itself where that is safe. Twice changes nothing (C035).
pub(super) fn recover(draft: &mut Draft<'_>) -> Reply {
    let live: Vec<AttemptId> = draft.state.live.keys().copied().collect();
    if live.is_empty() && draft.state.timers.is_empty() && !draft.state.run.stopping {
        return Reply::say("nothing to recover");
    }
    draft.emit(None, Recovered { interrupted: live.clone() });
    let orphaned: Vec<crate::domain::Seq> = draft.state.timers.keys().copied().collect();
    for id in &live {
        recover_attempt(draft, *id);
    }
    for timer in orphaned {
        if draft.state.timers.contains_key(&timer) {
            draft.emit(None, crate::domain::event::TimerDue { timer });
        }
    }
    Reply::say(format!("{} attempts were interrupted", live.len()))
}

fn recover_attempt(draft: &mut Draft<'_>, id: AttemptId) {
    let Some(attempt) = draft.state.live.get(&id).cloned() else { return };
    let member = draft.state.team(attempt.team).and_then(|t| t.members.get(&attempt.member));
    let safe = member.is_some_and(|m| {
        m.agent.rerun == Rerun::Safe || !matches!(m.agent.driver, crate::domain::Driver::Process { .. })
    });
    let outcome = if safe || attempt.stop.is_some() { Outcome::Interrupted } else { Outcome::Unknown };
    let moves = matches!(attempt.purpose, Purpose::Task(no)
        if draft.state.task(attempt.team, no).is_some_and(|t| t.phase == Phase::Running(id)));
    let again = moves && safe && attempt.stop.is_none();
    let reason = if again { "the owner ended; it starts again" } else { "the owner ended" };
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
            status: moves.then_some(Status::Stale),
            again,
            spent_micros: attempt.reserved_micros,
        },
    );
}

/// A closed run goes on: caps are raised, questions answered, and what the end interrupted is tried again (R33).
pub(super) fn resume(draft: &mut Draft<'_>, resume: &ResumeRun) -> Result<Reply, Rejection> {
    let Some(closed) = draft.state.run.closed.clone() else {
        return Err(
            Rejection::new(Code::BadPlan, "the run is not closed").help("watch it: `teamtui status --watch`")
        );
    };
    let teams: Vec<TeamId> = draft.state.live_teams().map(|(id, _)| id).collect();
    for (of, _) in &resume.answers {
        let known = |id: &TeamId| draft.state.team(*id).is_some_and(|t| t.find_task(of).is_some());
        if !teams.iter().any(known) {
            return Err(Rejection::new(Code::NotFound, format!("there is no task `{of}` to answer")));
        }
    }
    draft.emit(None, RunResumed { failed: resume.failed });
    let mut again = 0;
    let mut unasked = Vec::new();
    for id in teams {
        if let Some(limits) = &resume.limits {
            draft.emit(Some(id), LimitsSet { limits: limits.clone() });
        }
        if draft.state.team(id).is_some_and(|t| t.paused) {
            draft.emit(Some(id), Resumed { member: None });
        }
        for number in to_retry(draft, id, resume.failed, closed.reason) {
            draft.emit(Some(id), RetryAsked { number, text: Untrusted::default() });
            again += 1;
        }
        unasked.extend(answer(draft, id, resume));
    }
    let reply = Reply::say(format!("the run goes on: {again} tasks are tried again"));
    Ok(unasked
        .into_iter()
        .fold(reply, |reply, of| reply.and(format!("{of} has no open question; its answer was not used"))))
}

fn to_retry(draft: &Draft<'_>, id: TeamId, failed: bool, reason: CloseReason) -> Vec<TaskNo> {
    let cut_short = matches!(reason, CloseReason::Cap | CloseReason::Waiting | CloseReason::Interrupted(_));
    let wanted = |t: &&crate::domain::state::Task| match t.phase {
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
fn answer(draft: &mut Draft<'_>, id: TeamId, resume: &ResumeRun) -> Vec<TaskRef> {
    if resume.answers.is_empty() {
        return Vec::new();
    }
    crate::domain::schedule::run(draft);
    let mut unasked = Vec::new();
    for (of, text) in &resume.answers {
        let number = draft.state.team(id).and_then(|t| t.find_task(of));
        let meant = |a: &crate::domain::state::Attempt| {
            a.question.is_some()
                && number.is_some_and(
                    |n| matches!(a.purpose, Purpose::Task(own) | Purpose::Review(own) if own == n),
                )
        };
        let attempt = draft.state.live_of(id).find(|(_, a)| meant(a)).map(|(id, _)| id);
        match attempt {
            Some(attempt) => question::settle(draft, id, attempt, text),
            None => unasked.push(of.clone()),
        }
    }
    unasked
}
