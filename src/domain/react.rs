//! What must be done to the world because of what happened: asked of each commit, done by the runtime.
use super::job;
use super::state::Attempt;
use super::{CheckJob, Effect, Event, Fact, Outcome, Party, Purpose, State, StopCause};

/// Effects of the facts of one commit, on the state after it.
pub fn react(state: &State, facts: &[Fact]) -> Vec<Effect> {
    facts.iter().filter_map(|fact| effect(state, facts, fact)).collect()
}

fn effect(state: &State, facts: &[Fact], fact: &Fact) -> Option<Effect> {
    match &fact.event {
        Event::AttemptStarted(e) => {
            let attempt = state.live.get(&e.attempt).filter(|a| !a.human)?;
            job::job(state, attempt, facts).map(Box::new).map(Effect::Start)
        }
        Event::StopAsked(e) => {
            let attempt = state.live.get(&e.attempt).filter(|a| !a.human)?;
            let grace_ms = grace_ms(state, attempt);
            match e.cause {
                StopCause::Done => Some(Effect::LetGo { attempt: e.attempt, grace_ms }),
                cause => Some(Effect::Stop { attempt: e.attempt, cause, grace_ms }),
            }
        }
        // Checks of an agent that has exited have nobody else who would end them.
        Event::AttemptEnded(e) if e.outcome == Outcome::Interrupted => {
            Some(Effect::Stop { attempt: e.attempt, cause: StopCause::Interrupt, grace_ms: 0 })
        }
        Event::CompletionAsked(e) if e.settled => let_go(state, e.attempt),
        Event::CompletionAsked(e) => check(state, state.live.get(&e.attempt)?),
        Event::FailureSaid(e) => let_go(state, e.attempt),
        Event::ChecksSettled(e) => Some(Effect::Checked { attempt: e.attempt?, refused: e.refused.clone() }),
        Event::PromiseAsked(_) => promise(state, fact),
        Event::MessageSent(e) => {
            let Party::Member(name) = &e.to else { return None };
            state.attempt_of(fact.team?, name).map(|(attempt, _)| Effect::Mail(attempt))
        }
        Event::QuestionAnswered(e) => Some(Effect::Answered { attempt: e.attempt, text: e.text.clone() }),
        Event::TimerDue(e) => Some(Effect::Due(e.timer)),
        _ => None,
    }
}

/// One that was asked to end is ending already.
fn let_go(state: &State, id: super::AttemptId) -> Option<Effect> {
    let attempt = state.live.get(&id).filter(|a| !a.human && !a.is_fenced())?;
    Some(Effect::LetGo { attempt: id, grace_ms: grace_ms(state, attempt) })
}

fn grace_ms(state: &State, attempt: &Attempt) -> u64 {
    state.team(attempt.team).map_or(0, |t| t.limits.grace_ms)
}

fn check(state: &State, attempt: &Attempt) -> Option<Effect> {
    let Purpose::Task(number) = attempt.purpose else { return None };
    let team = state.team(attempt.team)?;
    let task = team.task(number)?;
    Some(Effect::Check(Box::new(CheckJob {
        attempt: Some(attempt.id),
        team: attempt.team,
        team_name: team.name.clone(),
        workspace: team.workspace.clone(),
        env: job::env(team, team.members.get(&attempt.member)),
        outputs: task.spec.outputs.clone(),
        checks: task.spec.checks.clone(),
    })))
}

fn promise(state: &State, fact: &Fact) -> Option<Effect> {
    let id = fact.team?;
    let team = state.team(id)?;
    let lead = team.lead.as_ref()?;
    Some(Effect::Check(Box::new(CheckJob {
        attempt: None,
        team: id,
        team_name: team.name.clone(),
        workspace: team.workspace.clone(),
        env: team.env.clone(),
        outputs: lead.outputs.clone(),
        checks: lead.checks.clone(),
    })))
}
