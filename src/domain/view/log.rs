//! The log of a member in lines: what its attempts began with, what they were told, what they did, how they ended.
use super::begun::{Begun, Memory};
use super::{Line, Tint, phrase};
use crate::domain::event::AttemptEnded;
use crate::domain::state::{Edge, State, Task, Team};
use crate::domain::{AttemptId, By, Event, Fact, Name, Outcome, Party, Purpose, Reviewer, TaskNo, TeamId};
use crate::text::{self, Untrusted, pad_left, pad_right, quantity};

/// Inputs that the line of a start lists; further ones are counted.
const MAX_INPUTS: usize = 20;
/// Messages that one reading shows; further ones are counted.
const MAX_MAIL: usize = 100;

/// One line of a member's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// When, in the run's time.
    pub elapsed_ms: u64,
    /// Of which team.
    pub team: TeamId,
    /// Whose.
    pub member: Name,
    /// At which task; none: a turn.
    pub number: Option<TaskNo>,
    /// In which attempt.
    pub attempt: AttemptId,
    /// `1/2`, or the turn's number.
    pub fraction: String,
    /// What it is about: start mail call check asks told step stop end.
    pub word: &'static str,
    /// The rest.
    pub detail: String,
}

impl Entry {
    /// `  0.9s  #3 1/1  start  inputs: churn (completed)`.
    pub fn line(&self) -> Line {
        let at = self.number.map_or_else(|| "turn".to_owned(), |n| format!("#{n}"));
        Line::new()
            .and(Tint::Time, pad_left(&quantity::duration(self.elapsed_ms), 6))
            .and(Tint::Plain, format!("  {at} {}  ", self.fraction))
            .and(Tint::Name, pad_right(self.word, 5))
            .and(Tint::Plain, format!("  {}", self.detail))
    }
}

/// What a fact gives to the logs of members.
pub(super) fn entries(memory: &Memory, fact: &Fact, after: &State) -> Vec<Entry> {
    let one = |id: AttemptId, word: &'static str, detail: String| {
        memory.get(id).map(|b| entry(b, id, fact.elapsed_ms, word, detail)).into_iter().collect::<Vec<_>>()
    };
    match &fact.event {
        Event::AttemptStarted(e) => one(e.attempt, "start", start(memory.get(e.attempt), after)),
        Event::MessagesRead(e) => {
            let Some(id) = e.attempt else { return Vec::new() };
            let Some(team) = fact.team.and_then(|t| after.team(t)) else { return Vec::new() };
            let mail = e.ids.iter().filter_map(|m| team.mail.get(*m)).take(MAX_MAIL);
            let mut lines: Vec<Entry> = mail
                .flat_map(|m| {
                    let sent = quantity::duration(m.sent_ms);
                    one(id, "mail", format!("from {} at {sent}: {}", party(&m.from), phrase::quoted(&m.text)))
                })
                .collect();
            if e.ids.len() > MAX_MAIL {
                lines.extend(one(id, "mail", format!("and {} more", e.ids.len() - MAX_MAIL)));
            }
            lines
        }
        Event::EffectAsked(e) => one(e.attempt, "call", format!("write {}", path(&e.path))),
        Event::CompletionAsked(e) => one(e.attempt, "call", format!("complete{}", after_blank(&e.result))),
        Event::ChecksSettled(e) => {
            let Some(id) = e.attempt else { return Vec::new() };
            one(id, "check", checks(&e.refused, &e.outputs))
        }
        Event::ProgressNoted(e) => one(e.attempt, "step", format!("{}%{}", e.percent, after_blank(&e.text))),
        Event::AttemptStalled(e) => {
            one(e.attempt, "step", format!("no output for {}", phrase::terse(e.silent_ms)))
        }
        Event::FailureSaid(e) => one(e.attempt, "call", format!("fail {}", phrase::quoted(&e.reason))),
        Event::QuestionAsked(e) => one(e.attempt, "asks", phrase::quoted(&e.text)),
        Event::QuestionAnswered(e) => {
            one(e.attempt, "told", format!("by {}: {}", who(&fact.by), phrase::quoted(&e.text)))
        }
        Event::QuestionWithdrawn(e) => one(e.attempt, "told", "nothing: whoever asked has gone".to_owned()),
        Event::MessageSent(e) => sent(after, fact, &e.from, &e.to, &e.text)
            .map_or_else(Vec::new, |(id, detail)| one(id, "call", detail)),
        Event::StopAsked(e) => one(e.attempt, "stop", e.cause.word().to_owned()),
        Event::AttemptEnded(e) => one(e.attempt, "end", end(e)),
        _ => Vec::new(),
    }
}

fn entry(begun: &Begun, id: AttemptId, elapsed_ms: u64, word: &'static str, detail: String) -> Entry {
    let number = match begun.purpose {
        Purpose::Task(number) | Purpose::Review(number) => Some(number),
        Purpose::Turn => None,
    };
    let fraction = match begun.purpose {
        Purpose::Task(_) => format!("{}/{}", begun.nth, begun.most),
        Purpose::Review(_) => "review".to_owned(),
        Purpose::Turn => begun.nth.to_string(),
    };
    Entry {
        elapsed_ms,
        team: begun.team,
        member: begun.member.clone(),
        number,
        attempt: id,
        fraction,
        word,
        detail,
    }
}

fn start(begun: Option<&Begun>, after: &State) -> String {
    let at = begun.and_then(|b| Some((b.number()?, after.team(b.team)?)));
    let Some((task, team)) = at.and_then(|(number, team)| Some((team.task(number)?, team))) else {
        return String::new();
    };
    inputs(team, task)
}

/// `inputs: churn (completed), perf (failed, missing)`.
pub(super) fn inputs(team: &Team, task: &Task) -> String {
    if task.edges.is_empty() {
        return "no inputs".to_owned();
    }
    let one = |edge: &Edge| {
        let upstream = team.task(edge.on)?;
        let word = if upstream.is_held() { "held" } else { upstream.status().word() };
        let missing = if team.is_missing(edge) { ", missing" } else { "" };
        Some(format!("{} ({word}{missing})", upstream.label()))
    };
    let shown: Vec<String> = task.edges.iter().filter_map(one).take(MAX_INPUTS).collect();
    let more = task.edges.len().saturating_sub(MAX_INPUTS);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("inputs: {}{more}", shown.join(", "))
}

fn end(e: &AttemptEnded) -> String {
    let mut parts = vec![e.outcome.word().to_owned(), quantity::duration(e.took_ms)];
    match e.outcome {
        Outcome::Completed | Outcome::Unconfirmed | Outcome::Ended => {
            parts.extend(e.result.as_ref().and_then(phrase::one_line));
        }
        Outcome::Failed | Outcome::Interrupted | Outcome::Unknown => {
            parts.extend(phrase::reason(&e.reason).filter(|why| why != e.outcome.word()));
        }
    }
    if e.again {
        parts.push("next attempt starts".to_owned());
    }
    parts.join(", ")
}

fn checks(refused: &[Untrusted], outputs: &[(String, u64)]) -> String {
    let refused: Vec<String> =
        refused.iter().map(|r| text::cut(&r.line(), phrase::MAX_QUOTED).into_owned()).collect();
    if !refused.is_empty() {
        return format!("refused: {}", phrase::commas(&refused));
    }
    let outputs: Vec<String> =
        outputs.iter().map(|(p, bytes)| format!("{}, {}", path(p), quantity::size(*bytes))).collect();
    if outputs.is_empty() { "all hold".to_owned() } else { format!("all hold: {}", phrase::commas(&outputs)) }
}

/// A message that a member sent from within an attempt.
fn sent(
    after: &State,
    fact: &Fact,
    from: &Party,
    to: &Party,
    said: &Untrusted,
) -> Option<(AttemptId, String)> {
    let Party::Member(name) = from else { return None };
    let (id, _) = after.attempt_of(fact.team?, name)?;
    Some((id, format!("send {} {}", party(to), phrase::quoted(said))))
}

fn after_blank(said: &Untrusted) -> String {
    if said.line().trim().is_empty() { String::new() } else { format!(" {}", phrase::quoted(said)) }
}

fn path(path: &str) -> String {
    text::cut(&text::sanitise::line(path), phrase::MAX_QUOTED).into_owned()
}

/// The word for whoever made something happen.
pub fn who(by: &By) -> String {
    match by {
        By::Person => "person".to_owned(),
        By::Script => "script".to_owned(),
        By::Member(name) => name.to_string(),
        By::System => "teamtui".to_owned(),
    }
}

/// The word for one end of a message.
pub fn party(party: &Party) -> String {
    match party {
        Party::Person => "person".to_owned(),
        Party::Member(name) => name.to_string(),
        Party::System => "teamtui".to_owned(),
    }
}

/// The word for a reviewer.
pub fn reviewer(reviewer: &Reviewer) -> String {
    match reviewer {
        Reviewer::Person => "person".to_owned(),
        Reviewer::Lead => "lead".to_owned(),
        Reviewer::Member(name) => name.to_string(),
    }
}
