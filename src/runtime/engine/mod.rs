//! The single writer: one thread that decides, commits, answers and publishes, in batches.
//!
//! Architecture invariant: nothing is answered or published before it is committed. If a commit fails, the state is
//! thrown away and folded anew from what is on the disk.
mod backup;
mod batch;
mod journal;
mod pace;
mod wait;

pub(crate) use journal::{FOLD, Journal, OpenError, decoded, fold};

use super::clock::{Clock, wall_ms};
use super::feed::Facts;
use crate::domain::{
    Actor, Asked, AttemptId, Code, Command, Effect, Fact, Now, Rejection, Reply, Seq, State, decide, limits,
    next_due, react,
};
use batch::gather;
use pace::Pace;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use wait::Waits;

/// Commits that a subscriber may lag behind before it is sent back to the log.
pub(super) const LAG: usize = 1_024;
/// How often the engine looks at the clock while something is live, so that a suspend is seen.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// After a commit that failed, nothing is tried for so long: a disk that fails is not asked in a loop.
const FAULT_PAUSE: Duration = Duration::from_millis(200);

/// What is said of a commit that failed, by what is known of it.
const NOTHING: &str = "nothing of it happened; make room or mend the disk, then ask again";
const THERE: &str = "the disk took it after all: look at what has happened before you ask again";
const UNKNOWN: &str = "whether the disk took it is not known before it can be read: make room or mend it, then look before you ask again";

pub(crate) type Answer = oneshot::Sender<Result<Reply, Rejection>>;
/// An answer that can be sent.
pub(crate) type Ready = (Answer, Result<Reply, Rejection>);

/// What the engine can be asked.
pub(crate) enum Request {
    /// Decide a command.
    Submit { asked: Box<Asked>, answer: Answer },
    /// An attempt that waits for nothing but its end.
    Hang { attempt: AttemptId, answer: oneshot::Sender<()> },
    /// Somebody who waited for an answer has gone.
    HungUp,
    /// The state after everything before.
    Snapshot { answer: oneshot::Sender<Arc<State>> },
    /// Publish to this subscriber from now on; the answer is the last seq before.
    Subscribe { sink: mpsc::Sender<Facts>, answer: oneshot::Sender<Seq> },
    /// Somebody has commands still to give: time does not jump unless it is parked.
    Attend { who: u64 },
    /// It waits at this seq.
    Park { who: u64, at: Seq },
    /// It is gone.
    Leave { who: u64 },
    /// Die as by kill -9 once this seq is committed, and recover.
    Crash { at: Seq, answer: oneshot::Sender<()> },
    /// Close the store and end.
    Stop { answer: oneshot::Sender<()> },
}

/// Where effects go.
pub(crate) trait Effects: Send {
    /// These come once they are committed: what takes time and does nothing in the world may be done meanwhile.
    fn prepare(&self, effects: &[Effect]);

    /// What was prepared and has not come will not come.
    fn forget(&self);

    /// Everything that runs dies, and nobody hears of it.
    fn crash(&self);

    /// Does it, without waiting for it.
    fn perform(&self, effect: Effect);

    /// Everything up to this seq is committed.
    fn published(&self, seq: Seq);

    /// Nothing can be stored now, and why; none: it can again.
    fn trouble(&self, why: Option<&str>);
}

pub(crate) struct Engine<E> {
    journal: Journal,
    state: State,
    clock: Clock,
    effects: E,
    subscribers: Vec<mpsc::Sender<Facts>>,
    waits: Waits,
    pace: Pace,
    /// Asked by the engine itself, decided with the next batch.
    own: Vec<(Asked, Option<Answer>)>,
    /// The last seq that was published and reacted to.
    published: Seq,
    /// Why a commit failed after which the disk cannot be written yet: nothing is decided meanwhile.
    unread: Option<String>,
    /// It was said that nothing can be stored.
    troubled: bool,
    /// Where it is to die.
    crash_at: Option<Seq>,
    entropy: u64,
}

impl<E: Effects> Engine<E> {
    pub fn new(journal: Journal, state: State, clock: Clock, effects: E, entropy: u64) -> Self {
        let published = state.seq;
        Self {
            journal,
            state,
            clock,
            effects,
            subscribers: Vec::new(),
            waits: Waits::default(),
            pace: Pace::default(),
            own: Vec::new(),
            published,
            unread: None,
            troubled: false,
            crash_at: None,
            entropy,
        }
    }

    /// Runs until it is stopped or every handle is gone.
    pub fn run(mut self, requests: &Receiver<Request>) {
        loop {
            let first = match self.next(requests) {
                Ok(first) => first,
                Err(()) => break,
            };
            let live = if self.clock.is_virtual() { 0 } else { self.state.live.len() };
            let batch = gather(first, requests, live);
            if let Some(stopped) = self.turn(batch) {
                self.journal.close(&self.state);
                // Whoever asked may be gone.
                let _ = stopped.send(());
                return;
            }
        }
        self.journal.close(&self.state);
    }

    /// Waits for a request, or until something is due. `Err`: nobody can ask any more.
    fn next(&mut self, requests: &Receiver<Request>) -> Result<Option<Request>, ()> {
        if !self.own.is_empty() {
            return Ok(None);
        }
        if self.clock.is_virtual() {
            if let Ok(request) = requests.try_recv() {
                return Ok(Some(request));
            }
            if let Some(due) = next_due(&self.state).filter(|_| self.pace.may_jump(&self.state, &self.waits))
            {
                self.clock.jump(due);
                return Ok(None);
            }
            return requests.recv().map(Some).map_err(|_| ());
        }
        let Some(due) = next_due(&self.state) else { return requests.recv().map(Some).map_err(|_| ()) };
        let wait = Duration::from_millis(due.saturating_sub(self.clock.elapsed_ms())).min(HEARTBEAT);
        let planned = Instant::now() + wait;
        let received = requests.recv_timeout(wait);
        let late = Instant::now().saturating_duration_since(planned);
        if late > Duration::from_millis(limits::MAX_GAP_MS) {
            self.clock.forgive(u64::try_from(late.as_millis()).unwrap_or(u64::MAX));
        }
        match received {
            Ok(request) => Ok(Some(request)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(()),
        }
    }

    /// Decides a batch, commits it, then answers and publishes. Gives whoever asked it to stop.
    fn turn(&mut self, batch: Vec<Request>) -> Option<oneshot::Sender<()>> {
        if let Some(why) = self.unread.clone()
            && !self.read_again()
        {
            return self.refuse(batch, &why);
        }
        let mut facts: Vec<Fact> = Vec::new();
        let mut answers: Vec<(Box<Asked>, Answer, Result<Reply, Rejection>)> = Vec::new();
        let mut after: Vec<Request> = Vec::new();
        if next_due(&self.state).is_some_and(|due| due <= self.clock.elapsed_ms()) {
            facts.extend(self.decide(&system(Command::Tick)).1);
        }
        for (asked, answer) in std::mem::take(&mut self.own) {
            let (reply, own) = self.decide(&asked);
            facts.extend(own);
            if let Some(answer) = answer {
                answers.push((Box::new(asked), answer, reply));
            }
        }
        for request in batch {
            match request {
                Request::Submit { asked, answer } => {
                    let (reply, own) = self.decide(&asked);
                    facts.extend(own);
                    answers.push((asked, answer, reply));
                }
                other => after.push(other),
            }
        }
        let effects = react(&self.state, &facts);
        self.effects.prepare(&effects);
        if let Err(why) = self.journal.commit(&facts, &self.state) {
            self.not_stored(answers, &why);
            return self.serve(after);
        }
        if self.troubled && !facts.is_empty() {
            self.troubled = false;
            self.effects.trouble(None);
        }
        failpoint!("publish.before");
        if self.crash_at.is_some_and(|at| self.state.seq >= at) {
            self.crash(facts, answers);
            return self.serve(after);
        }
        // Whoever waits is known before the effects come, and whoever is answered finds them done.
        let ready = self.keep_waits(answers);
        self.publish(facts, effects);
        failpoint!("publish.after");
        for (answer, reply) in ready {
            // Whoever asked may be gone.
            let _ = answer.send(reply);
        }
        self.serve(after)
    }

    fn decide(&mut self, asked: &Asked) -> (Result<Reply, Rejection>, Vec<Fact>) {
        self.entropy = self.entropy.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let now = Now { elapsed_ms: self.clock.elapsed_ms(), at_ms: wall_ms(), random: self.entropy };
        let decision = decide(&mut self.state, now, asked);
        (decision.reply, decision.facts)
    }

    /// The owner dies between a commit and its effects, and a new one finds what is on the disk. Who is outside of it (a
    /// script, a person) is answered; those who ran for it die with it.
    fn crash(&mut self, facts: Vec<Fact>, answers: Vec<(Box<Asked>, Answer, Result<Reply, Rejection>)>) {
        self.crash_at = None;
        self.effects.crash();
        self.effects.forget();
        self.waits.crash();
        match self.journal.reload() {
            Ok(state) => self.state = state,
            Err(error) => self.unread = Some(error.to_string()),
        }
        self.publish(facts, Vec::new());
        self.own.clear();
        self.own.push((system(Command::Recover(Box::default())), None));
        let outside = answers.into_iter().filter(|(asked, ..)| !matches!(asked.actor, Actor::Member { .. }));
        for (answer, reply) in self.keep_waits(outside.collect()) {
            // Whoever asked may be gone.
            let _ = answer.send(reply);
        }
    }

    /// The commit failed: the state is what the disk has.
    fn not_stored(&mut self, answers: Vec<(Box<Asked>, Answer, Result<Reply, Rejection>)>, why: &str) {
        self.unread = Some(why.to_owned());
        if !std::mem::replace(&mut self.troubled, true) {
            self.effects.trouble(Some(why));
        }
        let before = self.published;
        let help = if !self.read_again() {
            // An unreadable disk leaves an empty state, which accepts nothing.
            self.state = self.journal.look().unwrap_or_default();
            UNKNOWN
        } else if self.published > before {
            THERE
        } else {
            NOTHING
        };
        std::thread::sleep(FAULT_PAUSE);
        self.withdraw();
        answers.into_iter().for_each(|(_, answer, _)| unstored(answer, why, help));
    }

    /// Takes what the disk has, if it can be written again. A commit that is there after all, whole, has happened.
    fn read_again(&mut self) -> bool {
        let Ok(state) = self.journal.reload() else { return false };
        self.state = state;
        self.unread = None;
        let found = self.journal.facts_after(self.published);
        let effects = react(&self.state, &found);
        self.publish(found, effects);
        self.effects.forget();
        true
    }

    /// While the disk cannot be written, nothing is decided.
    fn refuse(&mut self, batch: Vec<Request>, why: &str) -> Option<oneshot::Sender<()>> {
        std::thread::sleep(FAULT_PAUSE);
        let mut after = Vec::new();
        for request in batch {
            match request {
                Request::Submit { answer, .. } => unstored(answer, why, NOTHING),
                other => after.push(other),
            }
        }
        self.serve(after)
    }

    /// Keeps the answers whose wait is not over; gives those that can be sent.
    fn keep_waits(&mut self, answers: Vec<(Box<Asked>, Answer, Result<Reply, Rejection>)>) -> Vec<Ready> {
        let waits = &mut self.waits;
        let keep = |(asked, answer, reply): (Box<Asked>, Answer, Result<Reply, Rejection>)| match reply {
            Ok(reply) => waits.keep(*asked, answer, reply),
            Err(rejection) => Some((answer, Err(rejection))),
        };
        answers.into_iter().filter_map(keep).collect()
    }

    fn publish(&mut self, facts: Vec<Fact>, effects: Vec<Effect>) {
        if facts.is_empty() {
            return;
        }
        for effect in effects {
            match self.waits.settle(&self.state, effect) {
                wait::Settled::Done => {}
                wait::Settled::Ask(asked, answer) => self.own.push((asked, Some(answer))),
                wait::Settled::Perform(effect) => self.effects.perform(effect),
            }
        }
        self.published = self.state.seq;
        self.waits.forget_ended(&facts);
        self.effects.published(self.state.seq);
        let facts: Facts = Arc::from(facts);
        self.subscribers.retain(|sink| sink.try_send(Arc::clone(&facts)).is_ok());
    }

    /// A question is withdrawn when nobody waits for its answer any more.
    fn withdraw(&mut self) {
        let withdraw = |attempt| (system(Command::WithdrawQuestion { attempt }), None);
        self.own.extend(self.waits.unheard().map(withdraw));
    }

    /// What is no command: asked after the commit, so that it sees all of it.
    fn serve(&mut self, requests: Vec<Request>) -> Option<oneshot::Sender<()>> {
        let mut stop = None;
        for request in requests {
            match request {
                Request::Submit { .. } => {}
                Request::Hang { attempt, answer } => self.waits.hang(&self.state, attempt, answer),
                Request::HungUp => self.withdraw(),
                Request::Snapshot { answer } => drop(answer.send(Arc::new(self.state.clone()))),
                Request::Subscribe { sink, answer } => {
                    // What is decided and not stored will not be published.
                    if answer.send(self.published).is_ok() {
                        self.subscribers.push(sink);
                    }
                }
                Request::Attend { who } => self.pace.attend(who),
                Request::Park { who, at } => self.pace.park(who, at),
                Request::Leave { who } => self.pace.leave(who),
                Request::Crash { at, answer } => {
                    self.crash_at = Some(at);
                    if self.state.seq >= at {
                        self.crash(Vec::new(), Vec::new());
                    }
                    // Whoever asked may be gone.
                    let _ = answer.send(());
                }
                Request::Stop { answer } => stop = Some(answer),
            }
        }
        stop
    }
}

fn unstored(answer: Answer, why: &str, help: &str) {
    let what = why.strip_prefix("not stored: ").unwrap_or(why);
    // Whoever asked may be gone.
    let _ = answer.send(Err(Rejection::new(Code::NotStored, what).help(help)));
}

fn system(command: Command) -> Asked {
    Asked { actor: Actor::System, team: None, line: None, command }
}

#[cfg(test)]
mod power;
#[cfg(test)]
mod tests;
