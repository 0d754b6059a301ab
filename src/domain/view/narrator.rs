//! Tells a run as it happens: fed each fact with the state after it, it gives notes for those who watch and entries for
//! the logs of members.
use super::begun::{Begun, Memory};
use super::{Blocker, Entry, Note, Word, phrase, plan, task};
use crate::domain::event::{AttemptEnded, CapReached, QuestionAsked, ReviewSettled, StopAsked};
use crate::domain::state::{State, Task, Team};
use crate::domain::{
    Asker, AttemptId, Cap, Event, Fact, Outcome, Purpose, Status, StopCause, TaskNo, TeamId, Verdict,
};
use crate::text::quantity;
use std::collections::BTreeSet;

/// Newly held tasks whose causes are looked up one by one.
const FEW: usize = 8;

/// Follows one run.
#[derive(Debug, Clone, Default)]
pub struct Narrator {
    memory: Memory,
    held: BTreeSet<(TeamId, TaskNo)>,
    stopping: Option<(TeamId, u64)>,
}

/// What one fact gave to tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// For whoever watches the run.
    pub notes: Vec<Note>,
    /// For the logs of members.
    pub entries: Vec<Entry>,
}

impl Narrator {
    /// Begins with a state; `State::default()` before the first fact.
    pub fn new(state: &State) -> Self {
        let of_team = |(id, team): (&TeamId, &Team)| {
            let id = *id;
            team.tasks.iter().filter(|t| t.is_held()).map(move |t| (id, t.number)).collect::<Vec<_>>()
        };
        let held = state.teams.iter().flat_map(of_team).collect();
        Self { memory: Memory::new(state), held, stopping: None }
    }

    /// Tells one fact, with the state after it. Facts come in order.
    pub fn tell(&mut self, fact: &Fact, after: &State) -> Told {
        self.memory.learn(fact, after);
        let entries = super::log::entries(&self.memory, fact, after);
        let Some(id) = fact.team.or_else(|| self.team_of(&fact.event)) else {
            return Told { notes: Vec::new(), entries };
        };
        let Some(team) = after.team(id) else { return Told { notes: Vec::new(), entries } };
        let teller = Teller { memory: &self.memory, fact, after, id, team };
        let mut notes = teller.notes(&mut self.stopping);
        notes.extend(newly_held(&mut self.held, &teller));
        Told { notes, entries }
    }

    fn team_of(&self, event: &Event) -> Option<TeamId> {
        match event {
            Event::AttemptEnded(e) => self.memory.get(e.attempt).map(|b| b.team),
            _ => None,
        }
    }
}

/// Tasks that became held by this fact, down the chain, in order of number.
fn newly_held(held: &mut BTreeSet<(TeamId, TaskNo)>, teller: &Teller<'_>) -> Vec<Note> {
    let mut open = roots(teller.memory, &teller.fact.event, teller.team);
    let mut new = BTreeSet::new();
    let below = |number: TaskNo| teller.team.task(number).map_or(&[][..], |t| t.dependents.as_slice());
    open.extend(open.clone().into_iter().flat_map(below));
    while let Some(number) = open.pop() {
        let place = (teller.id, number);
        let is_held = teller.team.task(number).is_some_and(Task::is_held);
        let moved = if is_held { held.insert(place) } else { held.remove(&place) };
        if moved {
            open.extend(below(number));
        }
        if moved && is_held {
            new.insert(number);
        }
    }
    // One pass over the plan for many, a walk up the chain for few.
    let all = (new.len() > FEW).then(|| plan::causes(teller.team, &plan::dag(teller.team)));
    let causes = |task: &Task| match &all {
        Some(all) => all.get(&task.number).cloned().unwrap_or_default(),
        None => plan::causes_of(teller.team, task),
    };
    new.into_iter().filter_map(|n| teller.team.task(n)).map(|t| teller.held(t, &causes(t))).collect()
}

/// Tasks that an event is about: being held changes at them and, down the chain, below them.
fn roots(memory: &Memory, event: &Event, team: &Team) -> Vec<TaskNo> {
    let one = match event {
        Event::TeamCreated(_) | Event::PlanChanged(_) => {
            return team.tasks.iter().map(|t| t.number).collect();
        }
        Event::MemberAdded(e) => e.number,
        Event::TaskAdded(e) => Some(e.number),
        Event::AttemptStarted(e) => memory.get(e.attempt).and_then(Begun::number),
        Event::AttemptEnded(e) => memory.get(e.attempt).and_then(Begun::number),
        Event::TaskCancelled(e) => Some(e.number),
        Event::EdgeWaived(e) => Some(e.number),
        Event::RetryAsked(e) => Some(e.number),
        Event::ResultAdopted(e) => Some(e.number),
        Event::ReviewSettled(e) => Some(e.number),
        _ => None,
    };
    one.into_iter().collect()
}

/// One fact and what is known around it.
struct Teller<'a> {
    memory: &'a Memory,
    fact: &'a Fact,
    after: &'a State,
    id: TeamId,
    team: &'a Team,
}

impl Teller<'_> {
    fn notes(&self, stopping: &mut Option<(TeamId, u64)>) -> Vec<Note> {
        match &self.fact.event {
            Event::AttemptStarted(e) => self.attempt(Word::Started, e.attempt, String::new()),
            Event::AttemptEnded(e) => self.ended(e),
            Event::AttemptStalled(e) => self.attempt(
                Word::Stalled,
                e.attempt,
                format!("no output for {}", phrase::terse(e.silent_ms)),
            ),
            Event::CompletionAsked(e) if e.settled => Vec::new(),
            Event::CompletionAsked(e) => self.checking(e.attempt),
            Event::PromiseAsked(_) => self.about(Word::Checking, None, "what the lead promised"),
            Event::QuestionAsked(e) => self.asks(e),
            Event::QuestionAnswered(e) => {
                let by = format!("by {}: {}", super::log::who(&self.fact.by), phrase::quoted(&e.text));
                self.attempt(Word::Answered, e.attempt, by)
            }
            Event::OutputLost(e) => self.attempt(Word::Lost, e.attempt, format!("output: {}", e.why.line())),
            Event::QuestionWithdrawn(e) => {
                self.attempt(Word::Withdrawn, e.attempt, "whoever asked has gone".to_owned())
            }
            Event::CapReached(e) => self.cap(e),
            Event::StopAsked(e) => self.stop(e, stopping),
            Event::Paused(e) => self.about(Word::Paused, e.member.as_ref(), "nothing new starts"),
            Event::Resumed(e) => self.about(Word::Resumed, e.member.as_ref(), ""),
            Event::TaskCancelled(e) => {
                let why = phrase::reason(&e.reason).filter(|_| phrase::is_said(&e.reason));
                self.task(e.number, Word::Now(Status::Cancelled), why.unwrap_or_default())
            }
            Event::ResultAdopted(e) => {
                let detail = format!("attempt {} adopted by {}", e.attempt, super::log::who(&self.fact.by));
                self.task(e.number, Word::Now(Status::Completed), detail)
            }
            Event::ReviewSettled(e) => self.reviewed(e),
            Event::MessageSent(e) => {
                let detail = format!("to {}: {}", super::log::party(&e.to), phrase::quoted(&e.text));
                self.verbose(self.member(Word::Message, super::log::party(&e.from), detail))
            }
            _ => Vec::new(),
        }
    }

    fn attempt(&self, word: Word, id: AttemptId, detail: String) -> Vec<Note> {
        let Some(begun) = self.memory.get(id) else { return Vec::new() };
        let live = self.after.live.get(&id);
        let took = live.filter(|_| word != Word::Started).map(|a| a.took_ms(self.fact.elapsed_ms));
        let took = took.filter(|_| matches!(word, Word::Stalled | Word::Checking));
        self.at(begun, word, took, detail)
    }

    /// A note about an attempt: at a task, or a review or turn under the member's name.
    fn at(&self, begun: &Begun, word: Word, took_ms: Option<u64>, detail: String) -> Vec<Note> {
        if let Some(task) = begun.number().and_then(|n| self.team.task(n)) {
            let note = self.of(task, word, detail);
            return vec![Note { attempt: Some((begun.nth, begun.most)), took_ms, ..note }];
        }
        let what = match begun.purpose {
            Purpose::Review(number) => {
                let label = self.team.task(number).map_or_else(|| format!("#{number}"), Task::label);
                format!("review of {label}")
            }
            _ => format!("turn {}", begun.nth),
        };
        let detail = if detail.is_empty() { what } else { format!("{what}; {detail}") };
        let note = self.member(word, begun.member.to_string(), detail);
        let told =
            begun.purpose != Purpose::Turn || matches!(word, Word::Now(Status::Failed | Status::Stale));
        if told || word == Word::Asks { vec![note] } else { self.verbose(note) }
    }

    fn ended(&self, e: &AttemptEnded) -> Vec<Note> {
        let Some(begun) = self.memory.get(e.attempt) else { return Vec::new() };
        let by_outcome = match e.outcome {
            Outcome::Interrupted | Outcome::Unknown => Status::Stale,
            Outcome::Failed => Status::Failed,
            Outcome::Completed | Outcome::Unconfirmed | Outcome::Ended => Status::Completed,
        };
        let status = match (begun.number(), e.status) {
            (Some(_), None) if !e.again => return Vec::new(),
            (Some(_), Some(status)) if !e.again => status,
            _ => by_outcome,
        };
        let mut parts: Vec<String> = Vec::new();
        match status {
            Status::Completed | Status::InReview => {
                parts.extend(
                    e.result.as_ref().filter(|_| begun.number().is_some()).and_then(phrase::one_line),
                );
                if e.outcome == Outcome::Unconfirmed {
                    parts.push("unconfirmed".to_owned());
                }
            }
            _ => parts.extend(phrase::end_reason(e.outcome, &e.reason)),
        }
        if e.again {
            parts.push("next attempt starts".to_owned());
        }
        let task = begun.number().and_then(|n| self.team.task(n));
        if status != Status::Completed && task.is_some_and(|t| t.spec.optional) {
            parts.push("optional".to_owned());
        }
        self.at(begun, Word::Now(status), Some(e.took_ms), parts.join("; "))
    }

    fn checking(&self, id: AttemptId) -> Vec<Note> {
        let task = self.memory.get(id).and_then(Begun::number).and_then(|n| self.team.task(n));
        let Some(spec) = task.map(|t| &t.spec) else { return Vec::new() };
        let mut parts = Vec::new();
        if !spec.outputs.is_empty() {
            parts.push(phrase::plural(spec.outputs.len(), "output", "outputs"));
        }
        if !spec.checks.is_empty() {
            parts.push(phrase::plural(spec.checks.len(), "check", "checks"));
        }
        if parts.is_empty() { Vec::new() } else { self.attempt(Word::Checking, id, parts.join(", ")) }
    }

    fn asks(&self, e: &QuestionAsked) -> Vec<Note> {
        let of = match e.of {
            Asker::Person => "person",
            Asker::Lead => "lead",
        };
        let default = match &e.default {
            Some(text) => format!("default {}", phrase::quoted(text)),
            None => "no default".to_owned(),
        };
        self.attempt(Word::Asks, e.attempt, format!("{of}: {}, {default}", phrase::quoted(&e.text)))
    }

    fn cap(&self, e: &CapReached) -> Vec<Note> {
        let limits = &self.team.limits;
        let used = match e.cap {
            Cap::Time => limits.time_ms.map(|cap| {
                let used = self.fact.elapsed_ms.saturating_sub(self.team.created_ms);
                let step = if cap % 1000 == 0 { 1000 } else { 100 };
                format!(", {} of {}", phrase::terse(used / step * step), phrase::terse(cap))
            }),
            Cap::Money => limits.money_micros.map(|cap| {
                format!(", {} of {} USD", quantity::money(self.team.spent_micros), quantity::money(cap))
            }),
            Cap::FailFast => None,
        };
        let mut detail = format!("{}{}: nothing new starts", e.cap.word(), used.unwrap_or_default());
        if self.after.run.header.headless && self.team.live > 0 && e.cap != Cap::FailFast {
            detail.push_str(&format!("; {} {}", self.live(), self.grace()));
        }
        self.about(Word::Cap, None, &detail)
    }

    /// What asked attempts to end is told once for all of them; ends that something else tells of are not.
    fn stop(&self, e: &StopAsked, stopping: &mut Option<(TeamId, u64)>) -> Vec<Note> {
        let moment = (self.id, self.fact.elapsed_ms);
        match e.cause {
            StopCause::Interrupt => self.attempt(
                Word::Interrupt,
                e.attempt,
                format!("gets {}", phrase::terse(self.team.limits.grace_ms)),
            ),
            StopCause::Signal if *stopping != Some(moment) => {
                *stopping = Some(moment);
                let detail = format!("{} {}; {}", self.live(), self.grace(), super::note::AGAIN);
                self.about(Word::Interrupt, None, &detail)
            }
            _ => Vec::new(),
        }
    }

    fn reviewed(&self, e: &ReviewSettled) -> Vec<Note> {
        let who = super::log::reviewer(&e.reviewer);
        let what = match e.verdict {
            Verdict::Approved => format!("approved by {who}"),
            Verdict::SentBack => format!("sent back by {who}"),
            Verdict::Rejected => format!("rejected by {who}"),
            Verdict::None => format!("{who} gave no verdict"),
        };
        let said = e.text.line();
        let said =
            if said.trim().is_empty() { String::new() } else { format!(": {}", phrase::quoted(&e.text)) };
        self.task(e.number, Word::Now(e.status), format!("{what}{said}"))
    }

    fn held(&self, task: &Task, causes: &[TaskNo]) -> Note {
        let blockers: Vec<Blocker> =
            causes.iter().filter_map(|n| self.team.task(*n)).map(Blocker::of).collect();
        let optional = if task.spec.optional { "; optional" } else { "" };
        self.of(task, Word::Held, format!("{}{optional}", task::by(&blockers)))
    }

    fn task(&self, number: TaskNo, word: Word, detail: String) -> Vec<Note> {
        self.team.task(number).map(|t| self.of(t, word, detail)).into_iter().collect()
    }

    fn of(&self, task: &Task, word: Word, detail: String) -> Note {
        let note = self.member(word, task.label(), detail);
        Note { number: Some(task.number), ..note }
    }

    fn about(&self, word: Word, member: Option<&crate::domain::Name>, detail: &str) -> Vec<Note> {
        let name = member.unwrap_or(&self.team.name).to_string();
        vec![self.member(word, name, detail.to_owned())]
    }

    fn member(&self, word: Word, name: String, detail: String) -> Note {
        Note::of_team(word, self.id, name, self.fact.elapsed_ms, detail)
    }

    fn verbose(&self, note: Note) -> Vec<Note> {
        vec![Note { verbose: true, ..note }]
    }

    fn live(&self) -> String {
        phrase::plural(usize::try_from(self.team.live).unwrap_or(0), "live attempt", "live attempts")
    }

    fn grace(&self) -> String {
        let verb = if self.team.live == 1 { "gets" } else { "get" };
        format!("{verb} {}", phrase::terse(self.team.limits.grace_ms))
    }
}
