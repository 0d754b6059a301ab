//! What a person decides, at any time: anything.
use super::deed::{mail, person, some_task, someone};
use super::engine::{Core, Fate};
use super::team::{edge, member_name, name, needs, random, random_member};
use crate::torture::Dice;
use teamtui::domain::{
    AddMember, Asked, CloseReason, Command, Dependents, EdgeSpec, PlanStep, Replan, ResumeRun, Reviewer,
    StopCause, TaskChange, TaskSpec,
};
use teamtui::text::Untrusted;

pub fn asks(core: &Core, dice: &mut Dice) -> Asked {
    let live: Vec<_> = core.state().live_teams().map(|(_, team)| team.name.clone()).collect();
    let team = (!live.is_empty()).then(|| dice.pick(&live).clone());
    Asked { team, ..person(command(dice)) }
}

fn text() -> Untrusted {
    "so".into()
}

fn command(dice: &mut Dice) -> Command {
    let member = |dice: &mut Dice| name(&member_name(dice.roll(8)));
    match dice.roll(34) {
        0..=3 => Command::Send { to: someone(dice), text: mail(dice) },
        4 => Command::Broadcast { text: text() },
        5 | 6 => Command::Cancel { tasks: vec![some_task(dice)], dependents: dependents(dice), text: text() },
        7..=9 => Command::Retry { tasks: vec![some_task(dice)], text: text() },
        10 => Command::Approve { task: Some(some_task(dice)), text: text() },
        11 => Command::SendBack { task: Some(some_task(dice)), text: text() },
        12 => Command::Reject { task: some_task(dice), text: text(), release: dice.percent(50) },
        13 => Command::Adopt { task: some_task(dice), attempt: None },
        14 => Command::Assign { task: some_task(dice), to: member(dice) },
        15 => Command::Update { task: some_task(dice), change: change(dice) },
        16 => Command::SetReviewers { task: some_task(dice), by: vec![Reviewer::Person] },
        17 => Command::Pause { member: dice.percent(60).then(|| member(dice)) },
        18 | 19 => Command::Resume { member: dice.percent(50).then(|| member(dice)) },
        20 | 21 => Command::Interrupt { member: member(dice) },
        22 | 23 => Command::Answer { of: some_task(dice), text: text() },
        24..=27 => Command::Replan(Replan { steps: steps(dice), at: None, dry_run: dice.percent(10) }),
        28 => {
            let assignee = dice.percent(80).then(|| member(dice));
            let depends_on = vec![EdgeSpec { on: some_task(dice), needs: needs(dice) }];
            let depends_on = if dice.percent(50) { depends_on } else { Vec::new() };
            Command::AddTask(Box::new(TaskSpec { assignee, depends_on, ..TaskSpec::default() }))
        }
        29 => Command::Complete { task: Some(some_task(dice)), text: text() },
        30 => Command::Remove { member: member(dice) },
        31 => Command::InterruptAll { reason: StopCause::Interrupt },
        32 => Command::Sleep { ms: 1 + dice.roll(2_000) },
        _ => rare(dice),
    }
}

fn rare(dice: &mut Dice) -> Command {
    match dice.roll(6) {
        0 => Command::Dissolve,
        1 => Command::Create(Box::new(random(dice, "u"))),
        2 => Command::CloseRun { reason: CloseReason::Waiting },
        3 | 4 => Command::ResumeRun(ResumeRun { failed: dice.percent(50), ..ResumeRun::default() }),
        _ => Command::ReadInbox { wait_ms: None },
    }
}

fn dependents(dice: &mut Dice) -> Option<Dependents> {
    *dice.pick(&[None, Some(Dependents::Hold), Some(Dependents::Release)])
}

fn change(dice: &mut Dice) -> TaskChange {
    TaskChange {
        priority: Some(i32::try_from(dice.roll(5)).unwrap()),
        optional: dice.percent(20).then_some(true),
        ..TaskChange::default()
    }
}

fn steps(dice: &mut Dice) -> Vec<PlanStep> {
    let mut steps = Vec::new();
    for _ in 0..1 + dice.roll(3) {
        let new = member_name(20 + dice.roll(20));
        match dice.roll(5) {
            0 => steps.push(PlanStep::Cancel { tasks: vec![some_task(dice)], dependents: dependents(dice) }),
            1 => {
                let after = vec![EdgeSpec { on: some_task(dice), needs: needs(dice) }];
                let after = if dice.percent(80) { after } else { Vec::new() };
                steps.push(PlanStep::Rewire { task: some_task(dice), after });
            }
            2 => steps.push(PlanStep::Prompt { task: some_task(dice), text: text() }),
            3 => {
                let on = edge(&member_name(dice.roll(6)), needs(dice));
                let edges = if dice.percent(60) { vec![on] } else { Vec::new() };
                steps.push(add(random_member(dice, &new, edges)));
            }
            _ => {
                steps.push(add(random_member(dice, &new, Vec::new())));
                steps.push(PlanStep::Replace { old: some_task(dice), new: name(&new) });
            }
        }
    }
    steps
}

fn add(member: teamtui::domain::MemberSpec) -> PlanStep {
    PlanStep::Add(Box::new(AddMember { member, like: None, given: Vec::new() }))
}

/// Whatever a person holds up goes on: a closed run, a paused team, a paused member.
pub fn let_go(core: &mut Core) {
    if core.state().run.closed.is_some() {
        core.turn(vec![person(Command::ResumeRun(ResumeRun::default()))], Fate::Commits);
    }
    let live: Vec<_> = core.state().live_teams().map(|(_, team)| team.clone()).collect();
    for team in live {
        let members = team.members.values().filter(|member| member.paused).map(|m| Some(m.name.clone()));
        for member in members.chain([None]) {
            let asked = Asked { team: Some(team.name.clone()), ..person(Command::Resume { member }) };
            core.turn(vec![asked], Fate::Commits);
        }
    }
}
