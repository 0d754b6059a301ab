//! Attempts, reviews and turns: begin, wait, end.
use crate::domain::event::{
    AttemptEnded, AttemptStalled, AttemptStarted, ChecksSettled, CompletionAsked, FailureSaid, OutputLost,
    OutputMarked, ProgressNoted, QuestionAsked, StopAsked,
};
use crate::domain::state::{Attempt, AttemptRecord, Phase, Question, ResultText, Review, Task, Team};
use crate::domain::{Asker, AttemptId, Driver, Fact, Outcome, Purpose, State, Status};

pub(super) fn started(state: &mut State, fact: &Fact, e: &AttemptStarted) {
    let Some(team_id) = fact.team else { return };
    let Some(team) = state.teams.get_mut(&team_id) else { return };
    let now = fact.elapsed_ms;
    let agent = team.members.get(&e.member).map(|m| &m.agent);
    let human = agent.is_some_and(|a| a.driver == Driver::Human);
    let time = agent.and_then(|a| a.time_ms);
    let stall = agent.filter(|a| a.stall_ms > 0).map(|a| a.stall_ms);
    state.live.insert(
        e.attempt,
        Attempt {
            id: e.attempt,
            team: team_id,
            member: e.member.clone(),
            human,
            purpose: e.purpose,
            nth: e.nth,
            token: e.token,
            started_ms: now,
            due_ms: time.map(|t| now.saturating_add(t)),
            stall_due_ms: stall.map(|s| now.saturating_add(s)),
            still_ms: 0,
            still_since_ms: None,
            stop: None,
            offered: None,
            crashes: 0,
            looking: 0,
            settled: false,
            failing: None,
            question: None,
            output_bytes: 0,
            output_ms: now,
            output_lost: None,
            reserved_micros: e.reserved_micros,
            progress: None,
            outputs: Vec::new(),
        },
    );
    state.last_attempt = state.last_attempt.max(e.attempt);
    team.live += u32::from(!human);
    team.reserved_micros = team.reserved_micros.saturating_add(e.reserved_micros);
    team.lead_checks = None;
    begin(team, e, now);
}

fn begin(team: &mut Team, e: &AttemptStarted, now: u64) {
    let is_turn = e.purpose == Purpose::Turn;
    team.with_member(&e.member, |m| {
        m.busy = m.busy.or(Some(e.attempt));
        m.turns += u32::from(is_turn);
    });
    match e.purpose {
        Purpose::Task(number) => team.with_task(number, |t| {
            t.phase = Phase::Running(e.attempt);
            t.since_ms = now;
            t.begun = t.begun.max(e.nth);
            t.progress = None;
        }),
        Purpose::Review(number) => {
            if let Some(task) = team.task_mut(number) {
                task.review.live = Some(e.attempt);
            }
            team.queue_review(number);
        }
        Purpose::Turn if e.member.is_lead() => {
            team.news = 0;
            team.urgent = false;
        }
        Purpose::Turn => {}
    }
}

pub(super) fn ended(state: &mut State, fact: &Fact, e: &AttemptEnded) {
    let Some(attempt) = state.live.remove(&e.attempt) else { return };
    super::run::found_ended(&mut state.run, e);
    state.timers.retain(|_, (_, whose)| *whose != Some(e.attempt));
    state.writes.retain(|_, whose| *whose != e.attempt);
    let Some(team) = state.teams.get_mut(&attempt.team) else { return };
    team.live = team.live.saturating_sub(u32::from(!attempt.human));
    team.reserved_micros = team.reserved_micros.saturating_sub(attempt.reserved_micros);
    team.spent_micros = team.spent_micros.saturating_add(e.spent_micros);
    team.work_ms = team.work_ms.saturating_add(e.took_ms);
    team.with_member(&attempt.member, |m| {
        if m.busy == Some(e.attempt) {
            m.busy = None;
            m.hop = 0;
        }
        if attempt.purpose == Purpose::Turn {
            m.last_turn = Some((e.outcome, e.reason.clone()));
        }
    });
    match attempt.purpose {
        Purpose::Task(number) => {
            team.with_task(number, |t| settle(t, &attempt, e, fact.elapsed_ms));
            team.queue_review(number);
            team.news += 1;
            team.urgent |=
                !e.again && matches!(e.status, Some(Status::Failed | Status::Stale | Status::InReview));
        }
        Purpose::Review(number) => {
            if let Some(task) = team.task_mut(number).filter(|t| t.review.live == Some(e.attempt)) {
                task.review.live = None;
            }
            team.queue_review(number);
        }
        Purpose::Turn => team.urgent |= e.again && attempt.member.is_lead(),
    }
}

/// The end of an attempt at a task: its record, and where the task goes.
fn settle(task: &mut Task, attempt: &Attempt, e: &AttemptEnded, now: u64) {
    // Nearly all tasks have one attempt.
    task.attempts.reserve_exact(1);
    task.attempts.push(AttemptRecord {
        id: e.attempt,
        nth: attempt.nth,
        member: attempt.member.clone(),
        token: attempt.token,
        started_ms: attempt.started_ms,
        took_ms: e.took_ms,
        outcome: e.outcome,
        reason: e.reason.clone(),
        exit: e.exit,
        output_bytes: e.output_bytes,
        output_lost: attempt.output_lost.clone(),
        result: e.result.clone(),
        outputs: attempt.outputs.clone(),
        spent_micros: e.spent_micros,
    });
    if matches!(e.outcome, Outcome::Interrupted | Outcome::Unknown) {
        task.interrupted += 1;
    }
    if task.phase != Phase::Running(e.attempt) {
        return;
    }
    task.progress = attempt.progress.clone().or_else(|| task.progress.take());
    task.since_ms = now;
    task.reason = e.reason.clone();
    let phase = match e.status {
        _ if e.again => Phase::Waiting,
        Some(Status::Completed) => Phase::Completed,
        Some(Status::InReview) => Phase::InReview,
        Some(Status::Failed) => Phase::Failed,
        Some(Status::Cancelled) => Phase::Cancelled,
        Some(Status::Pending | Status::Blocked) => Phase::Waiting,
        Some(Status::Stale | Status::InProgress) | None => Phase::Stale,
    };
    task.phase = phase;
    if e.again && e.outcome == Outcome::Failed {
        task.retried += 1;
    }
    if matches!(phase, Phase::Completed | Phase::InReview) {
        task.result = Some(ResultText {
            text: e.result.clone().unwrap_or_default(),
            nth: attempt.nth,
            confirmed: e.outcome == Outcome::Completed,
            outputs: attempt.outputs.clone(),
        });
        task.review = Review { said: std::mem::take(&mut task.review.said), ..Review::default() };
    }
}

pub(super) fn stop_asked(state: &mut State, e: &StopAsked) {
    let Some(attempt) = state.live.get_mut(&e.attempt) else { return };
    attempt.stop = Some(e.cause);
    attempt.due_ms = None;
    attempt.stall_due_ms = None;
    attempt.question = None;
}

/// What a fenced attempt offers is kept, and settles nothing.
pub(super) fn completion_asked(state: &mut State, e: &CompletionAsked) {
    let Some(attempt) = state.live.get_mut(&e.attempt) else { return };
    attempt.offered = Some((e.result.clone(), e.exit));
    attempt.settled = e.settled && !attempt.is_fenced();
    attempt.looking += u32::from(!e.settled);
    attempt.stall_due_ms = None;
    if attempt.settled {
        attempt.due_ms = None;
    }
}

pub(super) fn checks_settled(state: &mut State, fact: &Fact, e: &ChecksSettled) {
    match e.attempt {
        Some(id) => {
            let Some(attempt) = state.live.get_mut(&id) else { return };
            attempt.looking = attempt.looking.saturating_sub(1);
            if attempt.looking == 0 {
                looked_at(attempt, e);
            }
        }
        None => {
            if let Some(team) = state.team_mut(fact.team) {
                team.lead_checks = Some(e.refused.clone());
                team.checking = false;
            }
        }
    }
}

/// A refused result is offered no more; a fenced attempt keeps it for an orphan.
fn looked_at(attempt: &mut Attempt, e: &ChecksSettled) {
    attempt.outputs = e.outputs.clone();
    attempt.settled = e.refused.is_empty() && !attempt.is_fenced();
    if attempt.settled {
        attempt.due_ms = None;
    } else if !attempt.is_fenced() {
        attempt.offered = None;
    }
}

pub(super) fn progress_noted(state: &mut State, e: &ProgressNoted) {
    let Some(attempt) = state.live.get_mut(&e.attempt) else { return };
    attempt.progress = Some((e.percent, e.text.clone()));
    if let (Purpose::Task(number), Some(team)) = (attempt.purpose, state.teams.get_mut(&attempt.team))
        && let Some(task) = team.task_mut(number)
    {
        task.progress = Some((e.percent, e.text.clone()));
    }
}

pub(super) fn stalled(state: &mut State, e: &AttemptStalled) {
    let Some(attempt) = state.live.get_mut(&e.attempt) else { return };
    attempt.stall_due_ms = None;
    if let Some(team) = state.teams.get_mut(&attempt.team) {
        team.news += 1;
        team.urgent = true;
    }
}

pub(super) fn output_marked(state: &mut State, fact: &Fact, e: &OutputMarked) {
    let Some(attempt) = state.live.get_mut(&e.attempt) else { return };
    attempt.output_bytes = e.bytes;
    attempt.output_ms = fact.elapsed_ms;
}

pub(super) fn output_lost(state: &mut State, e: &OutputLost) {
    if let Some(attempt) = state.live.get_mut(&e.attempt) {
        attempt.output_lost = Some(e.why.clone());
    }
}

pub(super) fn failure_said(state: &mut State, e: &FailureSaid) {
    if let Some(attempt) = state.live.get_mut(&e.attempt) {
        attempt.failing = Some(e.reason.clone());
        attempt.due_ms = None;
        attempt.stall_due_ms = None;
    }
}

pub(super) fn question_asked(state: &mut State, fact: &Fact, e: &QuestionAsked) {
    let Some(attempt) = state.live.get_mut(&e.attempt) else { return };
    attempt.question = Some(Question {
        of: e.of,
        text: e.text.clone(),
        default: e.default.clone(),
        asked_ms: fact.elapsed_ms,
    });
    attempt.still_since_ms = Some(fact.elapsed_ms);
    if let (Asker::Lead, Some(team)) = (e.of, state.teams.get_mut(&attempt.team)) {
        team.news += 1;
        team.urgent = true;
    }
}

/// Answered or withdrawn: the clocks run again.
pub(super) fn question_over(state: &mut State, fact: &Fact, id: AttemptId) {
    let Some(attempt) = state.live.get_mut(&id) else { return };
    attempt.question = None;
    let Some(since) = attempt.still_since_ms.take() else { return };
    let still = fact.elapsed_ms.saturating_sub(since);
    attempt.still_ms = attempt.still_ms.saturating_add(still);
    attempt.due_ms = attempt.due_ms.map(|due| due.saturating_add(still));
    attempt.stall_due_ms = attempt.stall_due_ms.map(|due| due.saturating_add(still));
    attempt.output_ms = attempt.output_ms.saturating_add(still);
}
