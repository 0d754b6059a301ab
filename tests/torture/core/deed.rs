//! What agents do, and what is reported of them.
use super::engine::{Core, system};
use super::team::{member_name, name};
use crate::torture::Dice;
use teamtui::domain::state::Attempt;
use teamtui::domain::{
    Actor, Asked, Asker, AttemptEnd, AttemptId, Command, Driver, EndCause, Purpose, TaskNo, TaskRef,
    TaskSpec, Token,
};
use teamtui::text::Untrusted;

pub fn person(command: Command) -> Asked {
    Asked { actor: Actor::Person, team: None, line: None, command }
}

fn text() -> Untrusted {
    "because".into()
}

/// A message as nobody else sends it.
pub fn mail(dice: &mut Dice) -> Untrusted {
    format!("mail {}", dice.roll(u64::MAX)).into()
}

pub fn someone(dice: &mut Dice) -> String {
    match dice.roll(12) {
        0 => "lead".into(),
        1 => "person".into(),
        2 => "r".into(),
        _ => member_name(dice.roll(8)),
    }
}

/// A task by its number, which may be none.
pub fn some_task(dice: &mut Dice) -> TaskRef {
    TaskRef::Number(TaskNo(1 + u32::try_from(dice.roll(10)).unwrap()))
}

/// Somebody who is live does something, or something is reported of it. None: everybody waits.
pub fn of_somebody(core: &mut Core, dice: &mut Dice) -> Option<Asked> {
    if !core.looks.is_empty() && dice.percent(50) {
        let at = usize::try_from(dice.roll(core.looks.len() as u64)).unwrap();
        let (attempt, team) = core.looks.swap_remove(at);
        let refused = if dice.percent(30) { vec!["no".into()] } else { Vec::new() };
        return Some(system(Command::SettleChecks { attempt, team, refused, outputs: Vec::new() }));
    }
    if !core.writes.is_empty() && dice.percent(50) {
        let (attempt, token, asked) = core.writes.pop()?;
        let refused = dice.percent(20).then(text);
        return Some(by(attempt, token, Command::SettleWrite { asked, refused }));
    }
    let moving: Vec<Attempt> = core.state().live.values().filter(|a| moves(core, a)).cloned().collect();
    if moving.is_empty() {
        return None;
    }
    let attempt = dice.pick(&moving);
    let stopping = core.agents.get(&attempt.id).is_some_and(|agent| agent.stopping);
    let command = match stopping && dice.percent(70) {
        true => end(attempt, EndCause::Stopped),
        false => deed(core, dice, attempt),
    };
    let is_report = matches!(
        command,
        Command::EndAttempt { .. } | Command::MarkOutput { .. } | Command::WithdrawQuestion { .. }
    );
    Some(if is_report { system(command) } else { by(attempt.id, attempt.token, command) })
}

/// It waits for no look and for no person.
fn moves(core: &Core, attempt: &Attempt) -> bool {
    let waits = attempt.question.as_ref().is_some_and(|question| question.of == Asker::Person);
    let exited = core.agents.get(&attempt.id).is_some_and(|agent| agent.exited);
    !waits && !exited && (attempt.human || core.agents.contains_key(&attempt.id))
}

fn by(attempt: AttemptId, token: Token, command: Command) -> Asked {
    Asked { actor: Actor::Member { attempt, token }, team: None, line: None, command }
}

fn end(attempt: &Attempt, cause: EndCause) -> Command {
    let end = AttemptEnd { cause, result: "out".into(), ..AttemptEnd::default() };
    Command::EndAttempt { attempt: attempt.id, end }
}

fn deed(core: &Core, dice: &mut Dice, attempt: &Attempt) -> Command {
    let member = core.state().team(attempt.team).and_then(|team| team.members.get(&attempt.member));
    let is_process = member.is_some_and(|m| matches!(m.agent.driver, Driver::Process { .. }));
    match dice.roll(24) {
        0..=3 => Command::Complete { task: None, text: text() },
        4 => Command::Fail { task: None, text: text() },
        5 => Command::Approve { task: None, text: text() },
        6 => Command::SendBack { task: None, text: text() },
        7 => {
            let of = if dice.percent(50) { Asker::Lead } else { Asker::Person };
            Command::Ask { of, text: text(), default: dice.percent(50).then(text) }
        }
        8..=10 => Command::Send { to: someone(dice), text: mail(dice) },
        11 => Command::Broadcast { text: text() },
        12 | 13 => Command::ReadInbox { wait_ms: dice.percent(30).then_some(500) },
        14 => Command::Progress { percent: 50, text: text() },
        15 => {
            let assignee = dice.percent(80).then(|| name(&member_name(dice.roll(6))));
            Command::AddTask(Box::new(TaskSpec { assignee, ..TaskSpec::default() }))
        }
        16 => Command::Claim { task: some_task(dice) },
        17 => Command::Complete { task: Some(some_task(dice)), text: text() },
        18 => Command::AskWrite { path: "a.md".into(), before: None, after: "0".repeat(64) },
        19 => Command::MarkOutput { attempt: attempt.id, bytes: attempt.output_bytes + 1 + dice.roll(9) },
        20 => Command::Answer { of: some_task(dice), text: text() },
        _ if attempt.human => Command::Complete { task: None, text: text() },
        _ => end(attempt, cause(dice, is_process, attempt.purpose)),
    }
}

fn cause(dice: &mut Dice, is_process: bool, purpose: Purpose) -> EndCause {
    match dice.roll(6) {
        0 if is_process => EndCause::Signal(9),
        1 => EndCause::Broken(text()),
        2 => EndCause::Lost,
        3 if purpose != Purpose::Turn => EndCause::NotStarted(text()),
        _ if is_process => EndCause::Exit(i32::try_from(dice.roll(3)).unwrap()),
        _ => EndCause::Silent,
    }
}

/// Somebody whose attempt is over, or who has another's number, tries something.
pub fn stale(core: &Core, dice: &mut Dice) -> Option<Asked> {
    let (attempt, mut token) = match core.gone.is_empty() {
        true => return None,
        false => *dice.pick(&core.gone),
    };
    if core.state().live.contains_key(&attempt) {
        token.0 ^= 1;
    }
    let command = match dice.roll(7) {
        0 => Command::Progress { percent: 1, text: text() },
        1 => Command::Send { to: someone(dice), text: mail(dice) },
        2 => Command::ReadInbox { wait_ms: None },
        3 => Command::AddTask(Box::default()),
        4 => Command::Claim { task: some_task(dice) },
        5 => Command::Fail { task: None, text: text() },
        _ => Command::Complete { task: None, text: text() },
    };
    Some(by(attempt, token, command))
}
