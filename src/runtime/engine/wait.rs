//! Answers that come later: a sleep, an inbox, a question, checks, and the attempt that hangs.
use super::{Answer, Ready};
use crate::domain::{
    Actor, Asked, AttemptId, Code, Command, Data, Effect, Event, Fact, Rejection, Reply, Seq, State,
};
use crate::text::Untrusted;
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// Everyone who waits, by what they wait for.
#[derive(Default)]
pub(super) struct Waits {
    timers: BTreeMap<Seq, (Option<AttemptId>, Answer)>,
    inboxes: BTreeMap<AttemptId, (Seq, Asked, Answer)>,
    questions: BTreeMap<AttemptId, Answer>,
    checks: BTreeMap<AttemptId, Answer>,
    hangs: BTreeMap<AttemptId, oneshot::Sender<()>>,
}

/// What an effect comes to.
pub(super) enum Settled {
    /// Somebody was answered.
    Done,
    /// The engine asks it, and the answer goes on.
    Ask(Asked, Answer),
    /// It is for the world.
    Perform(Effect),
}

impl Waits {
    /// Keeps a reply until its wait is over; gives back what can be answered now. The effects of the same commit come
    /// after, so a wait that is over already is answered by them.
    pub fn keep(&mut self, asked: Asked, answer: Answer, reply: Reply) -> Option<Ready> {
        let attempt = match asked.actor {
            Actor::Member { attempt, .. } => Some(attempt),
            _ => None,
        };
        let former = match (&reply.data, attempt) {
            (Data::Timer(seq), _) => self.timers.insert(*seq, (attempt, answer)).map(|(_, former)| former),
            (Data::InboxTimer(seq), Some(id)) => {
                self.inboxes.insert(id, (*seq, asked, answer)).map(|(_, _, former)| former)
            }
            (Data::Question, Some(id)) => self.questions.insert(id, answer),
            (Data::Checking, Some(id)) => self.checks.insert(id, answer),
            _ => return Some((answer, Ok(reply))),
        };
        let another = || Rejection::new(Code::Question, "another wait of this attempt took its place");
        former.map(|former| (former, Err(another())))
    }

    /// Keeps an attempt that waits for nothing but its end.
    pub fn hang(&mut self, state: &State, attempt: AttemptId, answer: oneshot::Sender<()>) {
        if state.live.contains_key(&attempt) {
            self.hangs.insert(attempt, answer);
        }
    }

    /// All attempts are dead, and what they waited for with them; who waits outside waits on.
    pub fn crash(&mut self) {
        self.timers.retain(|_, (whose, _)| whose.is_none());
        *self = Self { timers: std::mem::take(&mut self.timers), ..Self::default() };
    }

    /// Does the attempt wait for something that time, mail or an answer brings?
    pub fn is_parked(&self, attempt: AttemptId) -> bool {
        self.hangs.contains_key(&attempt)
            || self.inboxes.contains_key(&attempt)
            || self.questions.contains_key(&attempt)
            || self.timers.values().any(|(whose, _)| *whose == Some(attempt))
    }

    /// Answers whoever waited for this effect; gives back what is for the world.
    pub fn settle(&mut self, state: &State, effect: Effect) -> Settled {
        match effect {
            Effect::Due(seq) => self.due(state, seq),
            Effect::Mail(attempt) => read(self.inboxes.remove(&attempt)),
            Effect::Answered { attempt, text } => {
                if let Some(answer) = self.questions.remove(&attempt) {
                    let reply = Reply::say(text.line().into_owned()).with(Data::Answer(text));
                    let _ = answer.send(Ok(Reply { seq: state.seq, ..reply }));
                }
                Settled::Done
            }
            Effect::Checked { attempt, refused } => {
                if let Some(answer) = self.checks.remove(&attempt) {
                    let _ = answer.send(checked(state, &refused));
                }
                Settled::Done
            }
            other => Settled::Perform(other),
        }
    }

    fn due(&mut self, state: &State, seq: Seq) -> Settled {
        if let Some((_, answer)) = self.timers.remove(&seq) {
            let _ = answer.send(Ok(Reply { seq: state.seq, ..Reply::default() }));
            return Settled::Done;
        }
        let waiting = self.inboxes.iter().find(|(_, (timer, ..))| *timer == seq).map(|(attempt, _)| *attempt);
        read(waiting.and_then(|attempt| self.inboxes.remove(&attempt)))
    }

    /// Attempts whose question nobody waits to hear answered any more.
    pub fn unheard(&self) -> impl Iterator<Item = AttemptId> + '_ {
        self.questions.iter().filter(|(_, answer)| answer.is_closed()).map(|(attempt, _)| *attempt)
    }

    /// An attempt that has ended waits for nothing, and a question that was withdrawn for no answer.
    pub fn forget_ended(&mut self, facts: &[Fact]) {
        for fact in facts {
            // Who asks again in the same commit waits for the new question.
            if let Event::QuestionWithdrawn(e) = &fact.event
                && self.questions.get(&e.attempt).is_some_and(oneshot::Sender::is_closed)
            {
                self.questions.remove(&e.attempt);
            }
        }
        let ended = facts.iter().filter_map(|fact| match &fact.event {
            Event::AttemptEnded(e) => Some(e.attempt),
            _ => None,
        });
        for attempt in ended {
            self.hangs.remove(&attempt);
            let timers: Vec<Seq> = self
                .timers
                .iter()
                .filter(|(_, (whose, _))| *whose == Some(attempt))
                .map(|(seq, _)| *seq)
                .collect();
            let timed =
                timers.into_iter().filter_map(|seq| self.timers.remove(&seq)).map(|(_, answer)| answer);
            let inbox = self.inboxes.remove(&attempt).map(|(_, _, answer)| answer);
            let asked = [self.questions.remove(&attempt), self.checks.remove(&attempt), inbox];
            for answer in timed.chain(asked.into_iter().flatten()) {
                let _ = answer
                    .send(Err(Rejection::new(Code::StaleToken, "the attempt has ended while it waited")));
            }
        }
    }
}

/// Reads the inbox for whoever waited. Mail is not read for one who has hung up (R23).
fn read(waiting: Option<(Seq, Asked, Answer)>) -> Settled {
    match waiting {
        Some((timer, asked, answer)) if !answer.is_closed() => Settled::Ask(read_now(asked, timer), answer),
        _ => Settled::Done,
    }
}

fn read_now(asked: Asked, timer: Seq) -> Asked {
    Asked { command: Command::ReadWaited { timer }, ..asked }
}

fn checked(state: &State, refused: &[Untrusted]) -> Result<Reply, Rejection> {
    if refused.is_empty() {
        return Ok(Reply { seq: state.seq, ..Reply::say("outputs and checks hold") });
    }
    let all: Vec<String> = refused.iter().map(|r| r.line().into_owned()).collect();
    Err(Rejection::new(Code::BadPlan, all.join("; ")).help("mend it, then complete again"))
}
