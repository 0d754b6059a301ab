//! Ends: what the end of an agent, of a check, or of a wait means for its task (R14 to R17, R29, R33).
use super::{Draft, Reply, turn, verdict, work};
use crate::domain::event::{AttemptEnded, ChecksSettled, CompletionAsked, FailureSaid, QuestionAsked};
use crate::domain::state::{Attempt, Phase, Task};
use crate::domain::{
    Asker, AttemptEnd, AttemptId, By, Data, Driver, EndCause, Outcome, Purpose, Status, StopCause, TeamId,
    Unconfirmed,
};
use crate::text::Untrusted;
use crate::text::quantity::duration;

/// How an attempt at a task ends.
struct End {
    outcome: Outcome,
    reason: Untrusted,
    exit: Option<i32>,
    result: Option<Untrusted>,
    output_bytes: u64,
    spent_micros: Option<u64>,
}

impl End {
    fn of(outcome: Outcome, reason: impl Into<String>) -> Self {
        let reason = Untrusted::from(reason.into());
        Self { outcome, reason, exit: None, result: None, output_bytes: 0, spent_micros: None }
    }
}

pub(super) fn label_of(draft: &Draft<'_>, id: AttemptId) -> String {
    let Some(attempt) = draft.state.live.get(&id) else { return String::new() };
    match attempt.purpose {
        Purpose::Task(number) | Purpose::Review(number) => verdict::label(draft, attempt.team, number),
        Purpose::Turn => attempt.member.to_string(),
    }
}

/// A member says that its task is done. Outputs and checks gate it; a process is waited for.
pub(super) fn complete(draft: &mut Draft<'_>, id: AttemptId, result: &Untrusted) -> Reply {
    let label = label_of(draft, id);
    let Some(attempt) = draft.state.live.get(&id).cloned() else { return Reply::default() };
    if attempt.offered.is_some() || attempt.failing.is_some() {
        return Reply::say(format!("{label} is settled already"));
    }
    let settled = !is_gated(draft, &attempt);
    let process = matches!(driver(draft, &attempt), Some(Driver::Process { .. }));
    if !settled || process {
        let result = result.clone();
        draft.emit(Some(attempt.team), CompletionAsked { attempt: id, result, exit: None, settled });
        return match settled {
            true => Reply::say(format!("{label} is completed as soon as the process exits")),
            false => Reply::say(format!("{label}: outputs and checks are looked at")).with(Data::Checking),
        };
    }
    let end = End { result: Some(result.clone()), ..End::of(Outcome::Completed, "") };
    let status = finish(draft, &attempt, end);
    Reply::say(format!("{label} is {}", status.map_or("over", Status::word)))
}

/// A member says that its task is not done.
pub(super) fn fail(draft: &mut Draft<'_>, id: AttemptId, reason: Untrusted) {
    let Some(attempt) = draft.state.live.get(&id).cloned() else { return };
    if matches!(driver(draft, &attempt), Some(Driver::Process { .. })) {
        draft.emit(Some(attempt.team), FailureSaid { attempt: id, reason });
        return;
    }
    finish(draft, &attempt, End { reason, ..End::of(Outcome::Failed, "") });
}

/// A pending task is completed without an agent of its own (R13).
pub(super) fn complete_at_once(draft: &mut Draft<'_>, attempt: &Attempt, result: Untrusted) -> Reply {
    let label = label_of(draft, attempt.id);
    let status = finish(draft, attempt, End { result: Some(result), ..End::of(Outcome::Completed, "") });
    Reply::say(format!("{label} is {}", status.map_or("over", Status::word)))
}

/// A pending task is given up without an agent of its own.
pub(super) fn fail_at_once(draft: &mut Draft<'_>, attempt: &Attempt, reason: Untrusted) {
    finish(draft, attempt, End { reason, ..End::of(Outcome::Failed, "") });
}

/// The supervisor saw an agent end.
pub(super) fn end(draft: &mut Draft<'_>, id: AttemptId, end: &AttemptEnd) -> Reply {
    let Some(attempt) = draft.state.live.get(&id).cloned() else { return Reply::default() };
    draft.by = By::System;
    match attempt.purpose {
        Purpose::Task(_) => end_task(draft, &attempt, end),
        Purpose::Review(number) => turn::end_review(draft, &attempt, number, end),
        Purpose::Turn => turn::end_turn(draft, &attempt, end),
    }
    Reply::default()
}

/// An attempt without an agent is over, as it was asked to be.
pub(in crate::domain) fn end_alone(draft: &mut Draft<'_>, id: AttemptId) {
    end(draft, id, &AttemptEnd { cause: EndCause::Stopped, ..AttemptEnd::default() });
}

/// What was said before it was asked to stop stands: done, or not done. What came later is an orphan (R21).
fn end_task(draft: &mut Draft<'_>, attempt: &Attempt, end: &AttemptEnd) {
    let unstarted = matches!(end.cause, EndCause::NotStarted(_)).then_some(0);
    let spent_micros = end.cost_micros.or(unstarted);
    let exit = match (&end.cause, &attempt.offered) {
        (EndCause::Exit(code), _) => Some(*code),
        (_, offered) => offered.as_ref().and_then(|(_, exit)| *exit),
    };
    let left = (!end.result.is_empty()).then(|| work::cut_result(&end.result));
    let offered = attempt.offered.as_ref().map(|(text, _)| text.clone());
    let has_task = is_running(draft, attempt);
    let said = |e: End| End { output_bytes: end.output_bytes, spent_micros, exit, ..e };
    if let Some(reason) = attempt.failing.clone().filter(|_| has_task) {
        finish(draft, attempt, said(End { reason, ..End::of(Outcome::Failed, "") }));
        return;
    }
    if attempt.settled && has_task {
        finish(draft, attempt, said(End { result: offered, ..End::of(Outcome::Completed, "") }));
        return;
    }
    if let Some(cause) = attempt.stop {
        let result = offered.or(left.filter(|_| exit == Some(0)));
        let reason = stop_reason(draft, attempt, cause);
        finish(draft, attempt, said(End { result, ..End::of(cause.outcome(), reason) }));
        return;
    }
    let accepted = matches!(end.cause, EndCause::Exit(code) if agent_accepts(draft, attempt, code));
    let exited = matches!(end.cause, EndCause::Exit(_));
    if exited && (attempt.looking > 0 || (accepted && is_gated(draft, attempt))) {
        let result = offered.or(left).unwrap_or_default();
        draft.emit(Some(attempt.team), CompletionAsked { attempt: attempt.id, result, exit, settled: false });
        return;
    }
    let ended = match &end.cause {
        EndCause::Exit(_) if accepted => End { result: left, ..End::of(Outcome::Completed, "") },
        EndCause::Exit(code) => End { result: left, ..End::of(Outcome::Failed, format!("exit {code}")) },
        EndCause::Signal(signal) => {
            let reason = format!("signal {signal}{}", signal_name(*signal));
            End { result: offered, ..End::of(Outcome::Failed, reason) }
        }
        EndCause::NotStarted(why) => End { reason: why.clone(), ..End::of(Outcome::Failed, "") },
        EndCause::Broken(why) => {
            End { reason: why.clone(), result: offered.or(left), ..End::of(Outcome::Failed, "") }
        }
        EndCause::Silent => End { result: left, ..End::of(Outcome::Unconfirmed, "ended without complete") },
        EndCause::Stopped => End { result: offered, ..End::of(Outcome::Interrupted, "interrupted") },
        EndCause::Lost => End {
            result: offered,
            ..End::of(Outcome::Unknown, "its guard was lost; nobody knows what it did")
        },
    };
    finish(draft, attempt, said(ended));
}

/// Does its task still stand with this attempt?
fn is_running(draft: &Draft<'_>, attempt: &Attempt) -> bool {
    let Purpose::Task(number) = attempt.purpose else { return false };
    draft.state.task(attempt.team, number).is_some_and(|t| t.phase == Phase::Running(attempt.id))
}

pub(super) fn stop_reason(draft: &Draft<'_>, attempt: &Attempt, cause: StopCause) -> String {
    let agent = draft.state.team(attempt.team).and_then(|t| t.members.get(&attempt.member)).map(|m| &m.agent);
    match (cause, agent) {
        (StopCause::Time, Some(agent)) => {
            format!("over its time, {}", duration(agent.time_ms.unwrap_or_default()))
        }
        (StopCause::Stall, Some(agent)) => format!("no output for {}", duration(agent.stall_ms)),
        _ => cause.word().to_owned(),
    }
}

pub(super) fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (HUP)",
        2 => " (INT)",
        3 => " (QUIT)",
        6 => " (ABRT)",
        9 => " (KILL)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        15 => " (TERM)",
        _ => "",
    }
}

/// Records the end and where the task goes with it; a failed attempt with retries left goes on by itself.
fn finish(draft: &mut Draft<'_>, attempt: &Attempt, end: End) -> Option<Status> {
    let Purpose::Task(number) = attempt.purpose else { return None };
    let task = draft.state.task(attempt.team, number)?;
    let moves = is_running(draft, attempt);
    let again = moves
        && end.outcome == Outcome::Failed
        && task.retried < retries(draft, attempt)
        && may_retry(attempt.stop);
    let status = moves.then(|| next_status(draft, attempt, task, end.outcome));
    let spent = end.spent_micros.unwrap_or(attempt.reserved_micros);
    draft.emit(
        Some(attempt.team),
        AttemptEnded {
            attempt: attempt.id,
            outcome: end.outcome,
            reason: end.reason,
            exit: end.exit,
            took_ms: attempt.took_ms(draft.elapsed_ms()),
            output_bytes: end.output_bytes.max(attempt.output_bytes),
            result: end.result,
            status,
            again,
            spent_micros: spent,
        },
    );
    status
}

fn may_retry(stop: Option<StopCause>) -> bool {
    stop.is_none_or(|cause| matches!(cause, StopCause::Time | StopCause::Stall))
}

fn next_status(draft: &Draft<'_>, attempt: &Attempt, task: &Task, outcome: Outcome) -> Status {
    let accept = draft
        .state
        .team(attempt.team)
        .and_then(|t| t.members.get(&attempt.member))
        .is_some_and(|m| m.agent.unconfirmed == Unconfirmed::Accept);
    match outcome {
        Outcome::Completed | Outcome::Unconfirmed if !task.spec.review.is_empty() => Status::InReview,
        Outcome::Completed => Status::Completed,
        Outcome::Unconfirmed if accept => Status::Completed,
        Outcome::Unconfirmed => Status::InReview,
        Outcome::Failed => Status::Failed,
        Outcome::Interrupted | Outcome::Unknown | Outcome::Ended => Status::Stale,
    }
}

/// Retries that the task has in all.
pub(super) fn retries(draft: &Draft<'_>, attempt: &Attempt) -> u32 {
    let own = draft
        .state
        .team(attempt.team)
        .and_then(|t| t.members.get(&attempt.member))
        .map_or(0, |m| m.agent.retries);
    draft.state.run.header.retries.unwrap_or(own)
}

/// Outputs and checks were looked at (R16). Where they are looked at again meanwhile, the later look decides.
pub(super) fn checks(
    draft: &mut Draft<'_>,
    attempt: Option<AttemptId>,
    team: TeamId,
    refused: &[Untrusted],
    outputs: &[(String, u64)],
) -> Reply {
    let settled = |attempt| ChecksSettled { attempt, refused: refused.to_vec(), outputs: outputs.to_vec() };
    let Some(id) = attempt else {
        if draft.state.team(team).is_some_and(|t| t.checking) {
            draft.emit(Some(team), settled(None));
        }
        return Reply::default();
    };
    let Some(before) = draft.state.live.get(&id).filter(|a| a.looking > 0).cloned() else {
        return Reply::default();
    };
    let Some((result, exit)) = before.offered.clone() else { return Reply::default() };
    draft.emit(Some(before.team), settled(Some(id)));
    let Some(after) = draft.state.live.get(&id).cloned() else { return Reply::default() };
    let process = matches!(driver(draft, &after), Some(Driver::Process { .. }));
    let running = process && exit.is_none();
    if after.looking > 0 || after.is_fenced() || running {
        return Reply::default();
    }
    let end = |e: End| End { result: Some(result), exit, ..e };
    if refused.is_empty() {
        finish(draft, &after, end(End::of(Outcome::Completed, "")));
    } else if process {
        finish(draft, &after, end(End::of(Outcome::Failed, refusal_text(refused))));
    } else if driver(draft, &after) == Some(&Driver::Human) {
        let text = Untrusted::from(format!("not accepted: {}", refusal_text(refused)));
        draft.emit(Some(after.team), QuestionAsked { attempt: id, of: Asker::Person, text, default: None });
    }
    Reply::default()
}

/// All refusals on one line.
pub fn refusal_text(refused: &[Untrusted]) -> String {
    refused.iter().map(|r| r.line().into_owned()).collect::<Vec<_>>().join("; ")
}

pub(super) fn driver<'a>(draft: &'a Draft<'_>, attempt: &Attempt) -> Option<&'a Driver> {
    draft.state.team(attempt.team)?.members.get(&attempt.member).map(|m| &m.agent.driver)
}

pub(super) fn agent_accepts(draft: &Draft<'_>, attempt: &Attempt, code: i32) -> bool {
    let member = draft.state.team(attempt.team).and_then(|t| t.members.get(&attempt.member));
    member.is_some_and(|m| m.agent.accepts(code))
}

fn is_gated(draft: &Draft<'_>, attempt: &Attempt) -> bool {
    let Purpose::Task(number) = attempt.purpose else { return false };
    draft
        .state
        .task(attempt.team, number)
        .is_some_and(|t| !t.spec.outputs.is_empty() || !t.spec.checks.is_empty())
}
