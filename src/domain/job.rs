//! What an agent is given when it starts: its prompt, its inputs, its environment (R9, R25).
use super::state::{Attempt, Member, Message, MessageState, Phase, Task, Team};
use super::{AttemptId, Event, Fact, Input, Job, MessageId, Party, Purpose, State};
use crate::text::quantity::duration;
use crate::text::{Provenance, Untrusted, quote};
use std::fmt::Write as _;

/// The job of an attempt that has just begun. Its mail is what the same commit marked read.
pub fn job(state: &State, attempt: &Attempt, facts: &[Fact]) -> Option<Job> {
    let team = state.team(attempt.team)?;
    let member = team.members.get(&attempt.member)?;
    let task = match attempt.purpose {
        Purpose::Task(number) | Purpose::Review(number) => team.task(number),
        Purpose::Turn => None,
    };
    let inputs = match attempt.purpose {
        Purpose::Task(_) => task.map(|t| inputs(team, t)).unwrap_or_default(),
        Purpose::Review(_) => task.map(|t| vec![input(t, true)]).unwrap_or_default(),
        Purpose::Turn => Vec::new(),
    };
    let prompt = prompt(team, member, attempt, task, &inputs, &mail(facts, attempt, team, task));
    Some(Job {
        attempt: attempt.id,
        token: attempt.token,
        team: attempt.team,
        team_name: team.name.clone(),
        member: member.name.clone(),
        purpose: attempt.purpose,
        nth: attempt.nth,
        label: task.map_or_else(|| member.name.to_string(), Task::label),
        agent: member.agent.clone(),
        workspace: team.workspace.clone(),
        env: env(team, Some(member)),
        prompt,
        inputs,
        outputs: task
            .filter(|_| matches!(attempt.purpose, Purpose::Task(_)))
            .map(|t| t.spec.outputs.clone())
            .unwrap_or_default(),
        due_ms: attempt.due_ms,
    })
}

/// Environment of a member: the team's and its agent's, added up.
pub(super) fn env(team: &Team, member: Option<&Member>) -> Vec<String> {
    let own = member.map(|m| m.agent.env.as_slice()).unwrap_or_default();
    team.env.iter().chain(own).cloned().collect()
}

/// What the same commit marked read, after what former attempts at the task were given: each attempt starts fresh.
fn mail(facts: &[Fact], attempt: &Attempt, team: &Team, task: Option<&Task>) -> Vec<MessageId> {
    let former = |id: AttemptId| {
        let at_task = matches!(attempt.purpose, Purpose::Task(_));
        at_task && task.is_some_and(|t| t.attempts.iter().any(|a| a.id == id && a.member == attempt.member))
    };
    let given = |m: &&Message| matches!(m.state, MessageState::Read { attempt: Some(id), .. } if former(id));
    let again = task.is_some_and(|t| !t.attempts.is_empty());
    let mut ids: Vec<MessageId> =
        if again { team.mail.messages.iter().filter(given).map(|m| m.id).collect() } else { Vec::new() };
    let read = facts.iter().find_map(|f| match &f.event {
        Event::MessagesRead(e) if e.attempt == Some(attempt.id) => Some(e.ids.clone()),
        _ => None,
    });
    ids.extend(read.unwrap_or_default());
    ids
}

/// Results of upstream tasks, rendered when the dependent starts and never earlier (R9).
fn inputs(team: &Team, task: &Task) -> Vec<Input> {
    task.edges
        .iter()
        .filter_map(|e| team.task(e.on))
        .map(|up| input(up, up.phase == Phase::Completed))
        .collect()
}

fn input(up: &Task, there: bool) -> Input {
    let status = if up.is_held() { "held".to_owned() } else { up.status().word().to_owned() };
    let result = up.result.as_ref().filter(|_| there);
    Input {
        number: up.number,
        label: up.label(),
        status,
        attempt: result.map_or(0, |r| r.nth),
        text: result.map(|r| r.text.clone()),
        confirmed: result.is_none_or(|r| r.confirmed),
    }
}

fn prompt(
    team: &Team,
    member: &Member,
    attempt: &Attempt,
    task: Option<&Task>,
    inputs: &[Input],
    mail: &[MessageId],
) -> String {
    let mut out = String::new();
    let role = if member.name.is_lead() { "the lead" } else { "a member" };
    // Writing to a string does not fail.
    let _ = writeln!(out, "You are {}, {role} of the team {}.", member.name, team.name);
    section(&mut out, None, member.agent.instructions.as_ref());
    section(&mut out, Some("Goal of the team"), team.goal.as_ref());
    match (attempt.purpose, task) {
        (Purpose::Task(_), Some(task)) => brief(&mut out, task, attempt.nth),
        (Purpose::Review(_), Some(task)) => {
            let _ = writeln!(out, "\n# Review of {} (#{})\n", task.label(), task.number);
            out.push_str("Accept the result with `teamtui do approve`, or return it with `teamtui do send_back \"FEEDBACK\"`.\n");
            if let Some(asked) = &task.spec.prompt {
                let _ = writeln!(out, "\nWhat was asked:\n\n{}", asked.block());
            }
        }
        _ => section(
            &mut out,
            Some("Your turn"),
            team.lead.as_ref().filter(|_| member.name.is_lead()).and_then(|l| l.prompt.as_ref()),
        ),
    }
    for (at, input) in inputs.iter().enumerate() {
        if at == 0 {
            out.push_str("\n# Inputs\n");
        }
        one_input(&mut out, input);
    }
    letters(&mut out, team, mail);
    out
}

fn section(out: &mut String, title: Option<&str>, text: Option<&Untrusted>) {
    let Some(text) = text else { return };
    let _ = match title {
        Some(title) => writeln!(out, "\n# {title}\n\n{}", text.block()),
        None => writeln!(out, "\n{}", text.block()),
    };
}

fn brief(out: &mut String, task: &Task, nth: u32) {
    let _ = writeln!(out, "\n# Task {} (#{}), attempt {nth}\n", task.label(), task.number);
    if let Some(title) = &task.spec.title {
        let _ = writeln!(out, "{}\n", title.line());
    }
    if let Some(prompt) = &task.spec.prompt {
        let _ = writeln!(out, "{}", prompt.block());
    }
    if !task.spec.outputs.is_empty() {
        let _ = writeln!(out, "\nFiles to write: {}", task.spec.outputs.join(", "));
    }
    if let Some(feedback) = &task.feedback {
        let from = Untrusted::from("whoever sent it back");
        let envelope = Provenance { what: "feedback", from: &from, at: "after the last attempt", hop: 0 };
        let _ = write!(out, "\n# Feedback\n\n{}", quote(&envelope, feedback));
        former(out, task);
    }
}

/// After a retry or a `send_back`: what the former attempt left.
fn former(out: &mut String, task: &Task) {
    let Some(last) = task.attempts.last() else { return };
    let Some(result) = &last.result else { return };
    let from = Untrusted::from(last.member.as_str());
    let at = format!("attempt {}", last.nth);
    let envelope = Provenance { what: "former result", from: &from, at: &at, hop: 0 };
    let _ = write!(out, "\n# Former result\n\n{}", quote(&envelope, result));
}

fn one_input(out: &mut String, input: &Input) {
    let Some(text) = &input.text else {
        let _ = writeln!(
            out,
            "\n{} (#{}) is {}: its result is missing.",
            input.label, input.number, input.status
        );
        return;
    };
    let from = Untrusted::from(format!("{} (#{})", input.label, input.number));
    let mark = if input.confirmed { "" } else { ", unconfirmed" };
    let at = format!("{}, attempt {}{mark}", input.status, input.attempt);
    let _ = write!(out, "\n{}", quote(&Provenance { what: "result", from: &from, at: &at, hop: 0 }, text));
}

fn letters(out: &mut String, team: &Team, mail: &[MessageId]) {
    let messages: Vec<_> = mail.iter().filter_map(|id| team.mail.get(*id)).collect();
    if messages.is_empty() {
        return;
    }
    out.push_str("\n# Mail\n");
    for message in messages {
        let from = Untrusted::from(party(&message.from));
        let at = duration(message.sent_ms);
        let envelope = Provenance { what: "message", from: &from, at: &at, hop: message.hop };
        let _ = write!(out, "\n{}", quote(&envelope, &message.text));
    }
}

/// A party as prompts and logs name it.
pub fn party(party: &Party) -> String {
    match party {
        Party::Person => "person".to_owned(),
        Party::System => "teamtui".to_owned(),
        Party::Member(name) => name.to_string(),
    }
}
