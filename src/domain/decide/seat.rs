//! Who sits in a chair that is added: the agent that is named, with the keys that were written on top.
use super::find;
use crate::domain::spec::WAYS;
use crate::domain::state::Team;
use crate::domain::{AgentSpec, Code, Driver, MemberSpec, Name, Rejection};
use std::sync::Arc;

/// `agent=NAME` means: the agent of the team's file, else like the members made from it, else like that member. Keys that
/// were `given` go on top.
pub(super) fn resolve_agent(team: &Team, spec: &mut MemberSpec, given: &[String]) -> Result<(), Rejection> {
    let Some(wanted) = spec.agent_name.clone() else { return Ok(()) };
    let base = named(team, &wanted).ok_or_else(|| unknown(team, &wanted))?;
    let own = std::mem::replace(&mut spec.agent, base.clone());
    spec.agent = on_top(own, base, &|key| given.iter().any(|written| written == key));
    Ok(())
}

fn named<'a>(team: &'a Team, wanted: &Name) -> Option<&'a AgentSpec> {
    let alike = || team.members.values().find(|member| member.agent_name.as_ref() == Some(wanted));
    let member = || alike().or_else(|| team.members.get(wanted)).map(|member| &member.agent);
    team.agents.get(wanted).map(Arc::as_ref).or_else(member)
}

fn unknown(team: &Team, wanted: &Name) -> Rejection {
    let made = team.members.values().filter_map(|m| m.agent_name.as_ref());
    let mut names: Vec<&str> = team.agents.keys().chain(made).map(Name::as_str).collect();
    names.extend(team.members.keys().map(Name::as_str));
    names.dedup();
    let what = format!("{} has no agent `{wanted}`", team.name);
    find::nearest(Rejection::new(Code::NotFound, what), wanted.as_str(), &names)
}

/// The keys of `own` that were given on top of `base`; `env` adds up. What counts for people alone is not taken over to
/// an agent, nor the other way round.
fn on_top(own: AgentSpec, base: &AgentSpec, given: &dyn Fn(&str) -> bool) -> AgentSpec {
    let has_way = WAYS.iter().any(|key| given(key));
    let alike = !has_way || (own.driver == Driver::Human) == (base.driver == Driver::Human);
    let of = |key: &str| given(key) || !alike;
    let env = base.env.iter().cloned().chain(own.env).collect();
    AgentSpec {
        driver: if has_way { own_driver(own.driver, base, given("stdin")) } else { base.driver.clone() },
        instructions: own.instructions.or_else(|| base.instructions.clone()),
        env,
        cwd: own.cwd.or_else(|| base.cwd.clone()),
        time_ms: if of("time") { own.time_ms } else { base.time_ms },
        stall_ms: if of("stall") { own.stall_ms } else { base.stall_ms },
        stall_action: if given("stall_action") { own.stall_action } else { base.stall_action },
        stop: if given("stop") { own.stop } else { base.stop },
        steps: if given("steps") { own.steps } else { base.steps },
        rerun: if given("rerun") { own.rerun } else { base.rerun },
        retries: if given("retries") { own.retries } else { base.retries },
        cost_micros: if given("cost") { own.cost_micros } else { base.cost_micros },
        exit: if given("exit") { own.exit } else { base.exit.clone() },
        unconfirmed: if given("unconfirmed") { own.unconfirmed } else { base.unconfirmed },
    }
}

/// A process reads what the agent's process reads, unless it says otherwise.
fn own_driver(own: Driver, base: &AgentSpec, says_stdin: bool) -> Driver {
    match (own, &base.driver) {
        (Driver::Process { line, .. }, Driver::Process { stdin, .. }) if !says_stdin => {
            Driver::Process { line, stdin: *stdin }
        }
        (own, _) => own,
    }
}
