//! Ends: what the end of an agent, of a check, or of a wait means for its task (R14 to R17, R29, R33).
use super::{Draft, Reply, verdict, work};
use crate::domain::event::{
    AttemptEnded, ChecksSettled, CompletionAsked, FailureSaid, MessageSent, MessagesLeft, QuestionAsked,
};
use crate::domain::state::{Attempt, Phase, Task};
use crate::domain::{
    Asker, AttemptEnd, AttemptId, By, Data, Driver, EndCause, Name, Outcome, Party, Purpose, Reviewer,
    Status, Stdin, StopCause, TaskNo, TeamId, Unconfirmed, Verdict,
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

/// The supervisor saw an agent end.
pub(super) fn end(draft: &mut Draft<'_>, id: AttemptId, end: &AttemptEnd) -> Reply {
    let Some(attempt) = draft.state.live.get(&id).cloned() else { return Reply::default() };
    draft.by = By::System;
    match attempt.purpose {
        Purpose::Task(_) => end_task(draft, &attempt, end),
        Purpose::Review(number) => end_review(draft, &attempt, number, end),
        Purpose::Turn => end_turn(draft, &attempt, end),
    }
    Reply::default()
}

/// A person's attempt is over, as it was asked to be.
pub(in crate::domain) fn end_human(draft: &mut Draft<'_>, id: AttemptId) {
    end(draft, id, &AttemptEnd { cause: EndCause::Stopped, ..AttemptEnd::default() });
}

fn end_task(draft: &mut Draft<'_>, attempt: &Attempt, end: &AttemptEnd) {
    let said = |e: End| End { output_bytes: end.output_bytes, spent_micros: end.cost_micros, ..e };
    let exit = match end.cause {
        EndCause::Exit(code) => Some(code),
        _ => None,
    };
    let left = (!end.result.is_empty()).then(|| work::cut_result(&end.result));
    if let Some(cause) = attempt.stop {
        let orphan =
            attempt.offered.as_ref().map(|(text, _)| text.clone()).or(left.filter(|_| exit == Some(0)));
        let ended =
            End { result: orphan, exit, ..End::of(cause.outcome(), stop_reason(draft, attempt, cause)) };
        finish(draft, attempt, said(ended));
        return;
    }
    if let Some(reason) = attempt.failing.clone() {
        finish(draft, attempt, said(End { reason, exit, ..End::of(Outcome::Failed, "") }));
        return;
    }
    if let Some((result, _)) = attempt.offered.clone().filter(|_| attempt.settled) {
        finish(draft, attempt, said(End { result: Some(result), exit, ..End::of(Outcome::Completed, "") }));
        return;
    }
    let accepted = matches!(end.cause, EndCause::Exit(code) if agent_accepts(draft, attempt, code));
    if accepted && is_gated(draft, attempt) {
        let result = left.unwrap_or_default();
        draft.emit(Some(attempt.team), CompletionAsked { attempt: attempt.id, result, exit, settled: false });
        return;
    }
    let ended = match &end.cause {
        EndCause::Exit(_) if accepted => End { result: left, ..End::of(Outcome::Completed, "") },
        EndCause::Exit(code) => End { result: left, ..End::of(Outcome::Failed, format!("exit {code}")) },
        EndCause::Signal(signal) => {
            End::of(Outcome::Failed, format!("signal {signal}{}", signal_name(*signal)))
        }
        EndCause::NotStarted(why) => End { reason: why.clone(), ..End::of(Outcome::Failed, "") },
        EndCause::Broken(why) => End { reason: why.clone(), result: left, ..End::of(Outcome::Failed, "") },
        EndCause::Silent => End { result: left, ..End::of(Outcome::Unconfirmed, "ended without complete") },
        EndCause::Stopped => End::of(Outcome::Interrupted, "interrupted"),
        EndCause::Lost => End::of(Outcome::Unknown, "its guard was lost; nobody knows what it did"),
    };
    finish(draft, attempt, said(End { exit, ..ended }));
}

fn stop_reason(draft: &Draft<'_>, attempt: &Attempt, cause: StopCause) -> String {
    let agent = draft.state.team(attempt.team).and_then(|t| t.members.get(&attempt.member)).map(|m| &m.agent);
    match (cause, agent) {
        (StopCause::Time, Some(agent)) => {
            format!("over its time, {}", duration(agent.time_ms.unwrap_or_default()))
        }
        (StopCause::Stall, Some(agent)) => format!("no output for {}", duration(agent.stall_ms)),
        _ => cause.word().to_owned(),
    }
}

fn signal_name(signal: i32) -> &'static str {
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
    let Some(task) = draft.state.task(attempt.team, number) else { return None };
    let moves = task.phase == Phase::Running(attempt.id);
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
    if status == Some(Status::Completed) {
        leave_mail(draft, attempt.team, &attempt.member, number);
    }
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

/// Mail that its reader will not come to read is reported to whoever sent it (R22).
fn leave_mail(draft: &mut Draft<'_>, id: TeamId, member: &Name, number: TaskNo) {
    let Some(team) = draft.state.team(id) else { return };
    let reads_on = team.members.get(member).is_none_or(|m| m.outstanding > 0 || m.brief.is_none());
    let ids = team.mail.unread(Some(member));
    if reads_on || ids.is_empty() {
        return;
    }
    let senders: Vec<Party> = ids.iter().filter_map(|m| team.mail.get(*m)).map(|m| m.from.clone()).collect();
    let count = ids.len();
    draft.emit_by(Some(id), By::System, MessagesLeft { ids, number });
    let mut told = Vec::new();
    for sender in senders {
        if sender == Party::System || told.contains(&sender) {
            continue;
        }
        told.push(sender.clone());
        let Some(message) = draft.state.team(id).map(|t| t.mail.next_id()) else { return };
        let label = verdict::label(draft, id, number);
        let text = Untrusted::from(format!(
            "{count} of the messages to {member} were not read: {label} is completed"
        ));
        draft.emit_by(
            Some(id),
            By::System,
            MessageSent { id: message, from: Party::System, to: sender, text, hop: 0 },
        );
    }
}

/// A review ends: by its verdict, by an exit code, or without one.
fn end_review(draft: &mut Draft<'_>, attempt: &Attempt, number: TaskNo, end: &AttemptEnd) {
    let spoken = attempt.stop == Some(StopCause::Done);
    let reads_stdin = matches!(driver(draft, attempt), Some(Driver::Process { stdin: Stdin::Prompt, .. }));
    let verdict = match end.cause {
        _ if spoken => None,
        EndCause::Exit(_) if reads_stdin || attempt.stop.is_some() => Some(Verdict::None),
        EndCause::Exit(0) => Some(Verdict::Approved),
        EndCause::Exit(126 | 127) => Some(Verdict::None),
        EndCause::Exit(_) => Some(Verdict::SentBack),
        _ => Some(Verdict::None),
    };
    let reason = match &end.cause {
        EndCause::Broken(why) | EndCause::NotStarted(why) => why.clone(),
        EndCause::Exit(code) if verdict == Some(Verdict::None) => {
            Untrusted::from(format!("exit {code} without a verdict"))
        }
        _ if verdict == Some(Verdict::None) => Untrusted::from("ended without a verdict"),
        _ => Untrusted::default(),
    };
    let exit = if let EndCause::Exit(code) = end.cause { Some(code) } else { None };
    over(
        draft,
        attempt,
        end,
        if verdict == Some(Verdict::None) { Outcome::Failed } else { Outcome::Ended },
        reason.clone(),
        exit,
    );
    let Some(verdict) = verdict else { return };
    if draft.state.task(attempt.team, number).is_none_or(|t| t.phase != Phase::InReview) {
        return;
    }
    let reviewer =
        if attempt.member.is_lead() { Reviewer::Lead } else { Reviewer::Member(attempt.member.clone()) };
    let text = if verdict == Verdict::None { reason } else { work::cut_result(&end.result) };
    draft.by = By::Member(attempt.member.clone());
    verdict::settle_review(draft, attempt.team, number, reviewer, verdict, &text);
    draft.by = By::System;
}

fn end_turn(draft: &mut Draft<'_>, attempt: &Attempt, end: &AttemptEnd) {
    let exit = if let EndCause::Exit(code) = end.cause { Some(code) } else { None };
    let (outcome, reason) = match &end.cause {
        _ if attempt.failing.is_some() => (Outcome::Failed, attempt.failing.clone().unwrap_or_default()),
        _ if attempt.stop.is_some_and(|c| c != StopCause::Done) => {
            let cause = attempt.stop.unwrap_or(StopCause::Interrupt);
            (cause.outcome(), Untrusted::from(stop_reason(draft, attempt, cause)))
        }
        EndCause::Exit(code) if !agent_accepts(draft, attempt, *code) => {
            (Outcome::Failed, Untrusted::from(format!("exit {code}")))
        }
        EndCause::Signal(signal) => {
            (Outcome::Failed, Untrusted::from(format!("signal {signal}{}", signal_name(*signal))))
        }
        EndCause::Broken(why) | EndCause::NotStarted(why) => (Outcome::Failed, why.clone()),
        EndCause::Lost => (Outcome::Unknown, Untrusted::from("its guard was lost")),
        EndCause::Stopped => (Outcome::Interrupted, Untrusted::from("interrupted")),
        EndCause::Exit(_) | EndCause::Silent => (Outcome::Ended, Untrusted::default()),
    };
    over(draft, attempt, end, outcome, reason, exit);
}

fn over(
    draft: &mut Draft<'_>,
    attempt: &Attempt,
    end: &AttemptEnd,
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
            output_bytes: end.output_bytes.max(attempt.output_bytes),
            result: (!end.result.is_empty()).then(|| work::cut_result(&end.result)),
            status: None,
            again: false,
            spent_micros: end.cost_micros.unwrap_or(attempt.reserved_micros),
        },
    );
}

/// Outputs and checks were looked at (R16).
pub(super) fn checks(
    draft: &mut Draft<'_>,
    attempt: Option<AttemptId>,
    team: TeamId,
    refused: &[Untrusted],
    outputs: &[(String, u64)],
) -> Reply {
    let settled = |attempt| ChecksSettled { attempt, refused: refused.to_vec(), outputs: outputs.to_vec() };
    let Some(id) = attempt else {
        draft.emit(Some(team), settled(None));
        return Reply::default();
    };
    let Some(before) = draft.state.live.get(&id).cloned() else { return Reply::default() };
    let Some((result, exit)) = before.offered.clone() else { return Reply::default() };
    draft.emit(Some(before.team), settled(Some(id)));
    let Some(after) = draft.state.live.get(&id).cloned() else { return Reply::default() };
    let process = matches!(driver(draft, &after), Some(Driver::Process { .. }));
    let running = process && exit.is_none();
    if after.is_fenced() || running {
        return Reply::default();
    }
    if refused.is_empty() {
        finish(draft, &after, End { result: Some(result), exit, ..End::of(Outcome::Completed, "") });
    } else if process {
        let reason = refusal_text(refused);
        finish(draft, &after, End { result: Some(result), exit, ..End::of(Outcome::Failed, reason) });
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

fn driver<'a>(draft: &'a Draft<'_>, attempt: &Attempt) -> Option<&'a Driver> {
    draft.state.team(attempt.team)?.members.get(&attempt.member).map(|m| &m.agent.driver)
}

fn agent_accepts(draft: &Draft<'_>, attempt: &Attempt, code: i32) -> bool {
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
