//! Random teams: scripted members, processes and persons, with checks, reviews, retries, costs and caps.
use std::sync::Arc;

use crate::torture::Dice;
use teamtui::domain::{
    AgentSpec, Driver, EdgeSpec, LeadSpec, Limits, Line, MemberSpec, Name, Needs, Rerun, Reviewer,
    StallAction, Stdin, TaskRef, TaskSpec, TeamSpec, Unconfirmed,
};

pub fn name(text: &str) -> Name {
    Name::reference(text).unwrap()
}

/// The name of a member by its number.
pub fn member_name(number: u64) -> String {
    format!("m{number}")
}

/// A team without members.
pub fn empty(called: &str) -> TeamSpec {
    TeamSpec {
        name: name(called),
        title: None,
        goal: None,
        file: None,
        workspace: "/w".into(),
        env: Vec::new(),
        limits: Limits { grace_ms: 500, ..Limits::default() },
        lead: None,
        agents: Default::default(),
        members: Vec::new(),
        tasks: Vec::new(),
    }
}

/// A member with a brief.
pub fn member(own: &str, driver: Driver, brief: TaskSpec) -> MemberSpec {
    let brief = TaskSpec { name: Some(name(own)), ..brief };
    let agent = AgentSpec::new(driver);
    MemberSpec { name: name(own), title: None, agent_name: None, agent, brief: Some(Arc::new(brief)) }
}

pub fn scripted() -> Driver {
    Driver::Scripted(Vec::new())
}

fn process() -> Driver {
    Driver::Process { line: Line::Run("true".into()), stdin: Stdin::Null }
}

pub fn edge(on: &str, needs: Needs) -> EdgeSpec {
    EdgeSpec { on: TaskRef::Name(name(on)), needs }
}

pub fn random(dice: &mut Dice, called: &str) -> TeamSpec {
    let mut spec = empty(called);
    for number in 0..2 + dice.roll(6) {
        let after = (0..number).filter(|_| dice.percent(30)).collect::<Vec<_>>();
        let edges = after.into_iter().map(|on| edge(&member_name(on), needs(dice))).collect();
        spec.members.push(random_member(dice, &member_name(number), edges));
    }
    let reviewer = AgentSpec::new(scripted());
    spec.members.push(MemberSpec {
        name: name("r"),
        title: None,
        agent_name: None,
        agent: reviewer,
        brief: None,
    });
    if dice.percent(40) {
        let (outputs, checks) = (Vec::new(), if dice.percent(30) { vec!["true".into()] } else { Vec::new() });
        spec.lead = Some(LeadSpec { agent: AgentSpec::new(scripted()), prompt: None, outputs, checks });
    }
    spec.limits.parallel = 1 + u32::try_from(dice.roll(4)).unwrap();
    spec.limits.money_micros = dice.percent(20).then_some(700);
    spec.limits.time_ms = dice.percent(20).then_some(30_000);
    spec.limits.hops = if dice.percent(20) { 3 } else { 1_000 };
    spec.limits.pair = if dice.percent(20) { 5 } else { 1_000 };
    if dice.percent(30) {
        spec.tasks = vec![Arc::new(TaskSpec { name: Some(name("free")), ..TaskSpec::default() })];
    }
    spec
}

pub fn needs(dice: &mut Dice) -> Needs {
    if dice.percent(25) { Needs::Finished } else { Needs::Completed }
}

pub fn random_member(dice: &mut Dice, own: &str, depends_on: Vec<EdgeSpec>) -> MemberSpec {
    let driver = match dice.roll(8) {
        0 => Driver::Human,
        1..=3 => process(),
        _ => scripted(),
    };
    let review = match dice.roll(8) {
        0 => vec![Reviewer::Person],
        1 => vec![Reviewer::Member(name("r")), Reviewer::Lead],
        2 => vec![Reviewer::Member(name("r"))],
        _ => Vec::new(),
    };
    let brief = TaskSpec {
        depends_on,
        review,
        priority: i32::try_from(dice.roll(3)).unwrap(),
        optional: dice.percent(25),
        default: dice.percent(50).then(|| "yes".into()),
        checks: if dice.percent(25) { vec!["true".into()] } else { Vec::new() },
        outputs: if dice.percent(10) { vec!["out".into()] } else { Vec::new() },
        ..TaskSpec::default()
    };
    let mut spec = member(own, driver, brief);
    spec.agent.retries = u32::try_from(dice.roll(3)).unwrap();
    spec.agent.cost_micros = dice.roll(2) * 100;
    spec.agent.unconfirmed = if dice.percent(30) { Unconfirmed::Accept } else { Unconfirmed::Review };
    spec.agent.rerun = if dice.percent(50) { Rerun::Safe } else { Rerun::Ask };
    if dice.percent(20) {
        spec.agent.time_ms = Some(2_000);
    }
    if dice.percent(20) {
        (spec.agent.stall_ms, spec.agent.stall_action) = (1_000, StallAction::Fail);
    }
    spec
}
