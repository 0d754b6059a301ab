//! What starts now: reviews, tasks and turns, the moment they can (R27, R28). Part of every decision.
use super::decide::{self, Draft, drain_mail};
use super::event::{AttemptStarted, CapReached, PromiseAsked, QuestionAsked, StopAsked, TeamDissolved};
use super::state::{Member, Stage, Team};
use super::{
    Asker, AttemptId, By, Cap, Driver, Event, Name, Party, Purpose, Status, StopCause, TaskNo, TeamId, limits,
};
use crate::text::Untrusted;

/// Starts everything that can start, and ends what has come to its end.
pub fn run(draft: &mut Draft<'_>) {
    draft.by = By::System;
    end_alone(draft);
    if draft.state.run.closed.is_some() || draft.state.run.stopping {
        return;
    }
    let teams: Vec<TeamId> = draft.state.live_teams().map(|(id, _)| id).collect();
    for id in teams {
        fail_fast(draft, id);
        leave_mail(draft, id);
        while step(draft, id) {}
    }
}

/// One thing that can be done now for a team; false when there is none.
fn step(draft: &mut Draft<'_>, id: TeamId) -> bool {
    let Some(team) = draft.state.team(id) else { return false };
    match team.stage {
        Stage::Ended { .. } => false,
        Stage::Dissolving { .. } => dissolved(draft, id),
        Stage::Live if team.paused || team.capped.is_some() => false,
        Stage::Live => match next(draft, id) {
            Some((member, purpose)) => affordable(draft, id, &member) && begin(draft, id, &member, purpose),
            None => false,
        },
    }
}

/// What starts next: a review, else the first ready task, else a turn.
fn next(draft: &Draft<'_>, id: TeamId) -> Option<(Name, Purpose)> {
    let team = draft.state.team(id)?;
    let room = team.live < team.limits.parallel && draft.state.live.len() < limits::MAX_LIVE;
    let fitting = |name: &Name| team.members.get(name).filter(|m| fits(m, room));
    let review = team.queue.reviews.iter().find_map(|number| {
        let member = fitting(team.reviewing.get(number)?)?;
        Some((member.name.clone(), Purpose::Review(*number)))
    });
    if review.is_some() {
        return review;
    }
    let agents = team.queue.heads.first().filter(|_| room);
    let task = agents.into_iter().chain(team.queue.persons.first()).min().and_then(|(_, number)| {
        let member = fitting(team.task(*number)?.assignee.as_ref()?)?;
        Some((member.name.clone(), Purpose::Task(*number)))
    });
    task.or_else(|| if room { turn(draft, team, id) } else { None })
}

fn fits(member: &Member, room: bool) -> bool {
    member.is_free() && (room || member.agent.driver == Driver::Human)
}

/// Who is woken: the lead by its first turn, mail, trouble or silence; a member without a brief by mail.
fn turn(draft: &Draft<'_>, team: &Team, id: TeamId) -> Option<(Name, Purpose)> {
    if let Some(lead) = team.members.get(&Name::lead()).filter(|m| fits(m, true)) {
        let quiet = draft.state.live_of(id).next().is_none();
        if lead.turns == 0 || team.urgent || (team.news > 0 && quiet) {
            return Some((Name::lead(), Purpose::Turn));
        }
    }
    let woken = team.mail.unread.keys().flatten().filter_map(|name| team.members.get(name)).find(|m| {
        fits(m, true)
            && !m.name.is_lead()
            && m.brief.is_none()
            && m.pending.is_empty()
            && m.agent.driver != Driver::Human
    });
    woken.map(|m| (m.name.clone(), Purpose::Turn))
}

/// Money is reserved before it is spent (R29). What live attempts have reserved may come back, so it is waited for; what
/// is spent is not.
fn affordable(draft: &mut Draft<'_>, id: TeamId, member: &Name) -> bool {
    let Some(team) = draft.state.team(id) else { return false };
    let Some(cap) = team.limits.money_micros else { return true };
    let cost = team.members.get(member).map_or(0, |m| m.agent.cost_micros);
    let wanted = team.spent_micros.saturating_add(cost);
    if wanted.saturating_add(team.reserved_micros) <= cap {
        return true;
    }
    if wanted > cap || team.reserved_micros == 0 {
        reach(draft, id, Cap::Money);
    }
    false
}

/// Mail of those that nothing wakes any more is reported to whoever sent it (R22).
fn leave_mail(draft: &mut Draft<'_>, id: TeamId) {
    let Some(team) = draft.state.team(id).filter(|t| t.stage == Stage::Live) else { return };
    let over = |name: &&Name| team.members.get(*name).is_some_and(Member::is_over);
    let names: Vec<Name> = team.mail.unread.keys().flatten().filter(over).cloned().collect();
    for name in names {
        decide::leave_mail(draft, id, &name);
    }
}

/// Begins an attempt, a review or a turn: its mail is read with it, and a person is asked.
fn begin(draft: &mut Draft<'_>, id: TeamId, member: &Name, purpose: Purpose) -> bool {
    let attempt = draft.state.last_attempt.next();
    let token = draft.token();
    let nth = nth(draft, id, member, purpose);
    let agent = draft
        .state
        .team(id)
        .and_then(|t| t.members.get(member))
        .map(|m| (m.agent.cost_micros, m.agent.driver == Driver::Human));
    let (reserved_micros, human) = agent.unwrap_or_default();
    draft.emit(
        Some(id),
        AttemptStarted { attempt, member: member.clone(), purpose, nth, token, reserved_micros },
    );
    drain_mail(draft, id, &Party::Member(member.clone()), Some(attempt));
    if human {
        ask_person(draft, id, attempt, purpose);
    }
    true
}

fn nth(draft: &Draft<'_>, id: TeamId, member: &Name, purpose: Purpose) -> u32 {
    let turns = || draft.state.team(id).and_then(|t| t.members.get(member)).map_or(0, |m| m.turns);
    let begun = |number: TaskNo| draft.state.task(id, number).map_or(0, |t| t.begun);
    match purpose {
        Purpose::Task(number) => begun(number) + 1,
        Purpose::Review(number) => begun(number),
        Purpose::Turn => turns() + 1,
    }
}

/// A task of a person is a question: its prompt is asked, its default taken where nobody can answer (R31).
fn ask_person(draft: &mut Draft<'_>, id: TeamId, attempt: AttemptId, purpose: Purpose) {
    let (Purpose::Task(number) | Purpose::Review(number)) = purpose else { return };
    let Some(task) = draft.state.task(id, number) else { return };
    let asked = task.spec.prompt.clone().or_else(|| task.spec.title.clone());
    let (text, default) = match purpose {
        Purpose::Review(_) => {
            (Untrusted::from(format!("Review {}: accept it, or send it back?", task.label())), None)
        }
        _ => (asked.unwrap_or_else(|| Untrusted::from(task.label())), task.spec.default.clone()),
    };
    draft.emit(Some(id), QuestionAsked { attempt, of: Asker::Person, text, default: default.clone() });
    if let Some(default) = default.filter(|_| draft.state.run.header.headless) {
        decide::settle_question(draft, id, attempt, &default);
    }
}

/// A cap is reached: nothing new starts; headless, live attempts get the grace (R29).
pub(super) fn reach(draft: &mut Draft<'_>, id: TeamId, cap: Cap) {
    if draft.state.team(id).is_none_or(|t| t.capped.is_some()) {
        return;
    }
    draft.emit(Some(id), CapReached { cap });
    if !draft.state.run.header.headless || cap == Cap::FailFast {
        return;
    }
    let live: Vec<AttemptId> =
        draft.state.live_of(id).filter(|(_, a)| a.stop.is_none()).map(|(id, _)| id).collect();
    for attempt in live {
        draft.emit(Some(id), StopAsked { attempt, cause: StopCause::Cap });
    }
    end_alone(draft);
}

/// `--fail-fast`: the first failure of a required task.
fn fail_fast(draft: &mut Draft<'_>, id: TeamId) {
    if !draft.state.run.header.fail_fast {
        return;
    }
    let failed = |fact: &super::Fact| match &fact.event {
        Event::AttemptEnded(e) => fact.team == Some(id) && e.status == Some(Status::Failed) && !e.again,
        _ => false,
    };
    let Some(team) = draft.state.team(id) else { return };
    let required = || team.tasks.iter().any(|t| t.is_required() && t.status() == Status::Failed);
    if draft.facts.iter().any(failed) && required() {
        reach(draft, id, Cap::FailFast);
    }
}

/// An attempt without an agent cannot be asked to end: it ends at once.
fn end_alone(draft: &mut Draft<'_>) {
    if !draft.facts.iter().any(|f| matches!(f.event, Event::StopAsked(_))) {
        return;
    }
    let alone: Vec<AttemptId> =
        draft.state.live.values().filter(|a| a.is_alone() && a.stop.is_some()).map(|a| a.id).collect();
    for id in alone {
        decide::end_alone(draft, id);
    }
}

/// A dissolving team ends when its last attempt has; what the lead promised is looked at first.
fn dissolved(draft: &mut Draft<'_>, id: TeamId) -> bool {
    let Some(team) = draft.state.team(id) else { return false };
    if draft.state.live_of(id).next().is_some() || team.checking {
        return false;
    }
    let complete = team.is_complete();
    let promised = team.lead.as_ref().is_some_and(|l| !l.outputs.is_empty() || !l.checks.is_empty());
    if complete && promised && team.lead_checks.is_none() {
        draft.emit(Some(id), PromiseAsked {});
        return false;
    }
    let kept = team.lead_checks.as_ref().is_none_or(Vec::is_empty);
    let cut_off = cut_off(team);
    draft.emit(Some(id), TeamDissolved { completed: complete && kept, cut_off });
    false
}

/// Members whose attempt ended because the team did.
fn cut_off(team: &Team) -> Vec<Name> {
    let Stage::Dissolving { since_ms } = team.stage else { return Vec::new() };
    let cut = |t: &&super::state::Task| {
        t.attempts.last().is_some_and(|a| {
            a.outcome == super::Outcome::Interrupted
                && a.started_ms.saturating_add(a.took_ms) >= since_ms
                && t.since_ms >= since_ms
        })
    };
    team.tasks.iter().filter(cut).filter_map(|t| t.assignee.clone()).collect()
}
