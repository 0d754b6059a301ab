//! The cursor of a script: the fold of the run up to one event, and the way to the next.
use super::alarm::{Alarm, Timers};
use super::pen::Side;
use super::teller::{Silenced, Teller};
use crate::domain::{Actor, Asked, Code, Command, Fact, Rejection, Reply, Seq, State, StopCause};
use crate::runtime::{Attendance, Facts, Feed, Gone, Handle, Owned};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// Between two tries to ask for an end that was not stored.
const RETRY_TIME: Duration = Duration::from_millis(500);
/// So long is waited for the end of what was ended by force.
const KILLED_TIME: Duration = Duration::from_secs(10);
/// After a signal a stream that nobody reads is waited for so long, and no longer.
const STUCK_TIME: Duration = Duration::from_secs(2);

/// Follows a run that this process owns, event by event, and tells each.
pub struct Follow<'a> {
    owned: &'a Owned,
    handle: Handle,
    feed: Feed,
    read: Unread,
    attendance: Attendance,
    signals: mpsc::Receiver<i32>,
    trouble: watch::Receiver<Option<String>>,
    crash_at: Option<Seq>,
    exported: Vec<String>,
    timers: Timers,
    /// It was said that the end cannot be stored.
    unstored: bool,
    /// A signal has come: nobody who does not read is waited for any longer.
    leaves: bool,
    /// It ends in a report.
    pub reports: bool,
    /// The fold at the cursor.
    pub state: State,
    /// What is told.
    pub teller: Teller,
}

/// Facts that were read and not folded yet: shared with the engine, each with the place of its next one.
#[derive(Default)]
struct Unread(VecDeque<(Facts, usize)>);

impl Unread {
    /// The next fact, by its place.
    fn next(&mut self) -> Option<(Facts, usize)> {
        let (facts, next) = self.0.front_mut()?;
        let found = (Facts::clone(facts), *next);
        *next += 1;
        if *next >= facts.len() {
            self.0.pop_front();
        }
        Some(found)
    }
}

/// Why a script cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// A signal came; everything live was ended.
    #[error("signal {0}")]
    Signal(i32),
    /// Standard output was closed or is full.
    #[error(transparent)]
    Silenced(#[from] Silenced),
    /// The engine is gone.
    #[error(transparent)]
    Gone(#[from] Gone),
}

impl<'a> Follow<'a> {
    /// Follows from that state on, by the feed of what comes after it.
    pub fn new(
        owned: &'a Owned,
        feed: Feed,
        state: State,
        teller: Teller,
        signals: mpsc::Receiver<i32>,
    ) -> Self {
        let handle = owned.handle.clone();
        let attendance = handle.attend();
        Self {
            owned,
            handle,
            feed,
            read: Unread::default(),
            attendance,
            signals,
            trouble: owned.trouble(),
            crash_at: None,
            exported: Vec::new(),
            timers: Timers::default(),
            unstored: false,
            leaves: false,
            reports: false,
            state,
            teller,
        }
    }

    /// Asks a command as a script; the cursor is moved to what it committed.
    pub async fn ask(&mut self, asked: Asked) -> Result<Result<Reply, Rejection>, Halt> {
        self.attendance.resume();
        self.teller.desk().flush();
        let waits = matches!(asked.command, Command::Sleep { .. });
        let reply = if waits { self.ask_and_wait(asked).await? } else { self.handle.submit(asked).await };
        if let Ok(reply) = &reply {
            self.reach(reply.seq).await?;
        }
        Ok(reply)
    }

    /// Asks the last command of a run and follows it to its end, whatever is heard meanwhile. Gives the answer, and
    /// standard output if it failed.
    pub async fn ask_last(
        &mut self,
        asked: Asked,
    ) -> (Result<Result<Reply, Rejection>, Gone>, Option<Silenced>) {
        self.attendance.resume();
        let reply = self.handle.submit(asked).await;
        let Ok(Reply { seq, .. }) = reply else { return (Ok(reply), None) };
        let mut late = None;
        loop {
            match self.reach(seq).await {
                Ok(()) => return (Ok(reply), late),
                Err(Halt::Silenced(silenced)) => late = Some(silenced),
                Err(Halt::Signal(_)) => {}
                Err(Halt::Gone(gone)) => return (Err(gone), late),
            }
        }
    }

    /// A command that is answered later: meanwhile the run is followed. It is sent before the script is seen to wait,
    /// so that virtual time does not jump over it.
    async fn ask_and_wait(&mut self, asked: Asked) -> Result<Result<Reply, Rejection>, Halt> {
        let handle = self.handle.clone();
        self.timers.ask();
        let mut reply = std::pin::pin!(async move { handle.submit(asked).await });
        let answered = loop {
            tokio::select! {
                biased;
                answered = &mut reply => break answered,
                moved = self.step() => moved?,
            }
        };
        if answered.is_err() {
            self.timers.refused();
        }
        Ok(answered)
    }

    /// Goes on until the cursor has come to a fact.
    pub(super) async fn reach(&mut self, seq: Seq) -> Result<(), Halt> {
        while self.state.seq < seq {
            self.step().await?;
        }
        Ok(())
    }

    /// Goes on by one event, by one tick of the clock, or by what a reader has read; what happens is told. Cancel safe.
    pub async fn step(&mut self) -> Result<(), Halt> {
        if self.teller.desk().is_full() && !self.leaves {
            return self.room().await;
        }
        if let Some((facts, at)) = self.read.next() {
            return facts.get(at).map_or(Ok(()), |fact| self.fold(fact));
        }
        self.attendance.park(self.state.seq);
        let tick = self.teller.next_tick_ms(&self.state);
        self.teller.desk().flush();
        tokio::select! {
            biased;
            Some(signal) = self.signals.recv() => self.signalled(signal).await,
            Ok(()) = self.trouble.changed() => {
                let why = self.trouble.borrow_and_update().clone();
                self.teller.trouble(&self.state, why.as_deref());
                Ok(())
            }
            () = self.teller.desk().failed() => self.teller.silenced().map_err(Halt::from),
            facts = self.feed.next() => match facts {
                Some(facts) => { self.read.0.push_back((facts, 0)); Ok(()) }
                None => Err(Halt::Gone(Gone)),
            },
            () = after(tick) => { self.teller.tick(&self.state); Ok(()) }
        }
    }

    async fn signalled(&mut self, signal: i32) -> Result<(), Halt> {
        self.teller.signalled(signal);
        self.end_all(StopCause::Signal).await?;
        Err(Halt::Signal(signal))
    }

    /// Waits for a reader that is behind: nothing more is told meanwhile, and signals are heard.
    async fn room(&mut self) -> Result<(), Halt> {
        self.teller.desk().flush();
        tokio::select! {
            biased;
            Some(signal) = self.signals.recv() => self.signalled(signal).await,
            () = self.teller.desk().moved() => Ok(()),
        }
    }

    /// Waits until a stream has taken everything: for ever, but after a signal no longer than `STUCK_TIME`, and not at all
    /// after the next. Gives the signal that cut it off; 0: the one that ended the run.
    pub async fn said(&mut self, side: Side) -> Result<(), i32> {
        self.teller.desk().hurry();
        let said = self.taken(side).await;
        self.teller.desk().calm();
        said
    }

    async fn taken(&mut self, side: Side) -> Result<(), i32> {
        let mut cut = self.leaves.then(|| (0, Instant::now() + STUCK_TIME));
        while !self.teller.desk().is_said(side) {
            tokio::select! {
                biased;
                Some(signal) = self.signals.recv() => match cut {
                    Some((first, _)) => return Err(first),
                    None => {
                        self.leaves = true;
                        cut = Some((signal, Instant::now() + STUCK_TIME));
                    }
                },
                () = self.teller.desk().moved() => {}
                first = over(cut) => return Err(first),
            }
        }
        Ok(())
    }

    fn fold(&mut self, fact: &Fact) -> Result<(), Halt> {
        self.state.evolve(fact);
        self.timers.fold(fact);
        self.exported.extend(fact.line.iter().map(|line| line.line().into_owned()));
        self.teller.fact(fact, &self.state).map_err(Halt::from)
    }

    /// The engine dies as by kill -9 at a seq, and recovers.
    pub async fn crash(&mut self, at: Seq) -> Result<(), Halt> {
        self.attendance.resume();
        self.crash_at = Some(at);
        self.owned.local.crash(at).await.map_err(Halt::from)
    }

    /// The seq at which the engine was to die and to which the log never came.
    pub fn uncrashed(&self) -> Option<Seq> {
        self.crash_at.filter(|at| self.state.seq < *at)
    }

    /// The commands that were given so far, as a script.
    pub fn exported(&self) -> Vec<String> {
        self.exported.clone()
    }

    /// How many attempts are live now that a person does not hold, seen by the cursor or not.
    pub async fn live_now(&self) -> usize {
        let state = self.handle.snapshot().await;
        let live = |state: &State| state.live.values().filter(|a| !a.human).count();
        state.map_or_else(|_| live(&self.state), |state| live(&state))
    }

    /// Sets a timer of the script's own: an event comes when it is due. The cursor stays where it is, so that no state is
    /// skipped meanwhile. Dropped, nobody waits for it.
    pub async fn alarm(&mut self, ms: u64) -> Alarm {
        self.attendance.resume();
        let handle = self.handle.clone();
        let asked = Asked { actor: Actor::Script, team: None, line: None, command: Command::Sleep { ms } };
        let mut asking = Box::pin(async move { handle.submit(asked).await });
        let place = self.timers.ask();
        // Sent before the script is seen to wait, so that virtual time does not jump over it.
        match futures::poll!(&mut asking) {
            std::task::Poll::Ready(answered) => Alarm::new(place, std::future::ready(answered)),
            std::task::Poll::Pending => Alarm::new(place, asking),
        }
    }

    /// When an alarm is due, in ms of the run's time; none before the cursor has seen it set.
    pub fn due_ms(&self, alarm: &Alarm) -> Option<u64> {
        self.timers.due_ms(alarm.place())
    }

    /// A step, unless the alarm is refused: then nothing would end the wait.
    pub async fn step_until(&mut self, alarm: &mut Alarm) -> Result<Result<(), Rejection>, Halt> {
        let refused = tokio::select! {
            biased;
            refused = alarm.refused() => refused,
            moved = self.step() => return moved.map(Ok),
        };
        self.timers.refused();
        Ok(Err(refused))
    }

    /// Has the cursor seen everything that was read?
    pub fn is_abreast(&self) -> bool {
        self.read.0.is_empty()
    }

    /// Asks everything live to end and follows it to its end. Begun by a signal, the next one ends it by force; begun by
    /// something else, the first one is given back, and the second does.
    pub async fn end_all(&mut self, cause: StopCause) -> Result<Option<i32>, Halt> {
        let mut pressed = cause == StopCause::Signal;
        self.leaves |= pressed;
        let mut first = None;
        if cause != StopCause::Signal {
            self.teller.stopping(&self.state);
        }
        let mut until = self.stop(cause).await;
        let (mut asked, mut killed, mut silent) = (Instant::now(), None, false);
        loop {
            while let Some((facts, at)) = self.read.next() {
                let Some(fact) = facts.get(at) else { continue };
                self.state.evolve(fact);
                // Somebody who does not listen any more is not told; the run is ended all the same.
                let _ = self.teller.fact(fact, &self.state);
            }
            let ended = self.state.live.values().all(|a| a.human) && self.owned.running() == 0;
            if ended && until.is_some_and(|until| self.state.seq >= until) {
                return Ok(first);
            }
            let waited = killed.map(|at: Instant| at.elapsed());
            // Those who were ended by force are gone, or will not go; what a full disk did not take is not waited for.
            if waited.is_some_and(|time| time >= KILLED_TIME || (silent && self.owned.running() == 0)) {
                return Ok(first);
            }
            if until.is_none() && asked.elapsed() >= RETRY_TIME {
                until = self.stop(cause).await;
                asked = Instant::now();
            }
            self.teller.desk().flush();
            silent = false;
            tokio::select! {
                biased;
                Some(signal) = self.signals.recv() => {
                    if pressed {
                        self.teller.ended_now(&self.state);
                        self.owned.kill();
                        killed = killed.or_else(|| Some(Instant::now()));
                    } else {
                        (pressed, first) = (true, Some(signal));
                        self.leaves = true;
                        self.teller.signalled(signal);
                        self.teller.pressed(&self.state);
                    }
                }
                facts = self.feed.next() => match facts {
                    Some(facts) => self.read.0.push_back((facts, 0)),
                    None => return Err(Halt::Gone(Gone)),
                },
                () = after(Some(50)) => silent = true,
            }
        }
    }

    /// Asks everything live to end; gives where that is in the log. None: it could not be stored, which is said once, and
    /// nobody was asked.
    async fn stop(&mut self, cause: StopCause) -> Option<Seq> {
        let command = Command::InterruptAll { reason: cause };
        let stop = Asked { actor: Actor::System, team: None, line: None, command };
        match self.handle.submit(stop).await {
            Ok(reply) => Some(reply.seq),
            Err(rejection) if rejection.code == Code::NotStored => {
                if !std::mem::replace(&mut self.unstored, true) {
                    self.teller.say(&format!("error: {}", rejection.headline()));
                    self.teller
                        .say("help: nobody could be asked to end; that is tried again until there is room");
                    self.teller.say("help: or end everything at once: Ctrl-C, or the same signal again");
                }
                None
            }
            Err(_) => Some(self.state.seq),
        }
    }
}

/// Resolves at a time, with the signal that set it; never where there is none.
async fn over(cut: Option<(i32, Instant)>) -> i32 {
    match cut {
        Some((signal, at)) => {
            tokio::time::sleep_until(at).await;
            signal
        }
        None => std::future::pending().await,
    }
}

async fn after(ms: Option<u64>) {
    match ms {
        Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
        None => std::future::pending().await,
    }
}
