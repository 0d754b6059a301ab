//! Ends of reviews and turns: attempts that have no task of their own (R17).
use super::{Draft, end, verdict, work};
use crate::domain::event::AttemptEnded;
use crate::domain::state::Attempt;
use crate::domain::{AttemptEnd, By, Driver, EndCause, Outcome, Reviewer, Stdin, StopCause, TaskNo, Verdict};
use crate::text::Untrusted;

/// A review ends: by its verdict, by an exit code, or without one. One that is not the current one any more says nothing.
pub(super) fn end_review(draft: &mut Draft<'_>, attempt: &Attempt, number: TaskNo, seen: &AttemptEnd) {
    let is_current =
        draft.state.task(attempt.team, number).is_some_and(|t| t.review.live == Some(attempt.id));
    let reads_stdin =
        matches!(end::driver(draft, attempt), Some(Driver::Process { stdin: Stdin::Prompt, .. }));
    let verdict = match seen.cause {
        _ if !is_current || is_cut_short(attempt, &seen.cause) => None,
        EndCause::Exit(_) if reads_stdin || attempt.stop.is_some() => Some(Verdict::None),
        EndCause::Exit(0) => Some(Verdict::Approved),
        EndCause::Exit(126 | 127) => Some(Verdict::None),
        EndCause::Exit(_) => Some(Verdict::SentBack),
        _ => Some(Verdict::None),
    };
    let reason = match &seen.cause {
        EndCause::Broken(why) | EndCause::NotStarted(why) => why.clone(),
        EndCause::Exit(code) if verdict == Some(Verdict::None) => {
            Untrusted::from(format!("exit {code} without a verdict"))
        }
        _ if verdict == Some(Verdict::None) => Untrusted::from("ended without a verdict"),
        _ => Untrusted::default(),
    };
    let exit = if let EndCause::Exit(code) = seen.cause { Some(code) } else { None };
    let outcome = match verdict {
        Some(Verdict::None) => Outcome::Failed,
        None if is_current => Outcome::Interrupted,
        _ => Outcome::Ended,
    };
    over(draft, attempt, seen, outcome, reason.clone(), exit);
    let Some(verdict) = verdict else { return };
    let reviewer =
        if attempt.member.is_lead() { Reviewer::Lead } else { Reviewer::Member(attempt.member.clone()) };
    let text = if verdict == Verdict::None { reason } else { work::cut_result(&seen.result) };
    draft.by = By::Member(attempt.member.clone());
    verdict::settle_review(draft, attempt.team, number, reviewer, verdict, &text);
    draft.by = By::System;
}

/// The run, the team or a cap ended it: the review waits, and begins again when they go on.
fn is_cut_short(attempt: &Attempt, cause: &EndCause) -> bool {
    match attempt.stop {
        None => *cause == EndCause::Stopped,
        Some(stop) => {
            matches!(
                stop,
                StopCause::Cap
                    | StopCause::Signal
                    | StopCause::Pipe
                    | StopCause::ScriptEnd
                    | StopCause::Dissolve
            )
        }
    }
}

/// A turn ends: it fell silent, failed, or was ended.
pub(super) fn end_turn(draft: &mut Draft<'_>, attempt: &Attempt, seen: &AttemptEnd) {
    let exit = if let EndCause::Exit(code) = seen.cause { Some(code) } else { None };
    let (outcome, reason) = match &seen.cause {
        _ if attempt.failing.is_some() => (Outcome::Failed, attempt.failing.clone().unwrap_or_default()),
        _ if attempt.stop.is_some_and(|c| c != StopCause::Done) => {
            let cause = attempt.stop.unwrap_or(StopCause::Interrupt);
            (cause.outcome(), Untrusted::from(end::stop_reason(draft, attempt, cause)))
        }
        EndCause::Exit(code) if !end::agent_accepts(draft, attempt, *code) => {
            (Outcome::Failed, Untrusted::from(format!("exit {code}")))
        }
        EndCause::Signal(signal) => {
            (Outcome::Failed, Untrusted::from(format!("signal {signal}{}", end::signal_name(*signal))))
        }
        EndCause::Broken(why) | EndCause::NotStarted(why) => (Outcome::Failed, why.clone()),
        EndCause::Lost => (Outcome::Unknown, Untrusted::from("its guard was lost")),
        EndCause::Stopped => (Outcome::Interrupted, Untrusted::from("interrupted")),
        EndCause::Exit(_) | EndCause::Silent => (Outcome::Ended, Untrusted::default()),
    };
    over(draft, attempt, seen, outcome, reason, exit);
}

fn over(
    draft: &mut Draft<'_>,
    attempt: &Attempt,
    seen: &AttemptEnd,
    outcome: Outcome,
    reason: Untrusted,
    exit: Option<i32>,
) {
    draft.emit(
        Some(attempt.team),
        AttemptEnded {
            attempt: attempt.id,
            outcome,
            reason,
            exit,
            took_ms: attempt.took_ms(draft.elapsed_ms()),
            output_bytes: seen.output_bytes.max(attempt.output_bytes),
            result: (!seen.result.is_empty()).then(|| work::cut_result(&seen.result)),
            status: None,
            again: false,
            spent_micros: seen.cost_micros.unwrap_or(attempt.reserved_micros),
        },
    );
}
