//! The facts of a run from its first on, and what comes after while it is owned.
use super::call::Failed;
use super::look::Look;
use super::restored;
use crate::domain::{Event, Fact, Seq, State};
use crate::runtime::{Feed, Handle, OwnerError, read_facts};
use crate::store::RunDir;
use std::collections::VecDeque;
use tokio::sync::mpsc;

/// Commits of a store that are read ahead.
const AHEAD: usize = 16;

/// Facts in order, with the fold after each.
pub struct History {
    source: Source,
    queue: VecDeque<Fact>,
    /// Facts up to this one were there when it began.
    upto: Seq,
    /// The fold up to the last fact that was given.
    pub state: State,
    /// Its number, where it was imported.
    imported: Option<u64>,
}

enum Source {
    Owner(Feed),
    Store(RunDir, mpsc::Receiver<Result<Vec<Fact>, OwnerError>>),
}

impl History {
    /// Of a run, from its first fact.
    pub async fn of(look: &Look) -> Result<Self, Failed> {
        Self::after(look, State::default()).await
    }

    /// Of a run, from where it was looked at.
    pub async fn from_now(look: &Look) -> Result<Self, Failed> {
        Self::after(look, State::clone(&look.state)).await
    }

    /// Of a run that has an owner, from its first fact up to that one.
    pub async fn owned(handle: &Handle, upto: Seq) -> Result<Self, Failed> {
        let feed = handle.subscribe(Seq(0)).await.map_err(|gone| Failed::usage(gone.to_string()))?;
        Ok(Self {
            source: Source::Owner(feed),
            queue: VecDeque::new(),
            upto,
            state: State::default(),
            imported: None,
        })
    }

    async fn after(look: &Look, state: State) -> Result<Self, Failed> {
        let source = match &look.handle {
            Some(handle) => {
                let feed = handle.subscribe(state.seq).await;
                Source::Owner(feed.map_err(|gone| Failed::usage(gone.to_string()))?)
            }
            None => Source::Store(look.run.clone(), read(look, state.seq)),
        };
        let imported = look.imported();
        Ok(Self { source, queue: VecDeque::new(), upto: look.state.seq, state, imported })
    }

    /// The next fact, folded; none when there is no more, or the owner is gone. Cancel safe.
    pub async fn next(&mut self) -> Result<Option<Fact>, Failed> {
        self.next_upto(Seq(u64::MAX)).await
    }

    /// The same of facts up to this one; none when the next one comes after it.
    pub async fn next_upto(&mut self, last: Seq) -> Result<Option<Fact>, Failed> {
        while self.queue.is_empty() {
            if self.state.seq >= last {
                return Ok(None);
            }
            let facts = match &mut self.source {
                Source::Owner(feed) => feed.next().await.map(|facts| facts.to_vec()),
                Source::Store(run, facts) => match facts.recv().await.transpose() {
                    Ok(facts) => facts,
                    Err(error) => return Err(restored::found(run, error).await),
                },
            };
            match facts {
                Some(facts) => self.queue.extend(facts.into_iter().filter(|f| f.seq > self.state.seq)),
                None => return Ok(None),
            }
        }
        let Some(fact) = self.queue.pop_front_if(|fact| fact.seq <= last) else { return Ok(None) };
        self.state.evolve(&fact);
        self.number(&fact);
        Ok(Some(fact))
    }

    /// An imported run is shown under the number that it has here.
    fn number(&mut self, fact: &Fact) {
        if let (Event::RunOpened(_), Some(number)) = (&fact.event, self.imported) {
            self.state.run.header.number = Some(number);
        }
    }

    /// Everything that was there when it began was given.
    pub fn is_caught_up(&self) -> bool {
        self.state.seq >= self.upto
    }

    /// Everything that was read so far was given.
    pub fn is_abreast(&self) -> bool {
        self.queue.is_empty()
    }
}

fn read(look: &Look, after: Seq) -> mpsc::Receiver<Result<Vec<Fact>, OwnerError>> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    if after >= look.state.seq {
        return receiver;
    }
    let run = look.run.clone();
    tokio::task::spawn_blocking(move || {
        let read = read_facts(&run, Seq(0), |facts| sender.blocking_send(Ok(facts)).is_ok());
        if let Err(error) = read {
            // Whoever reads may have gone.
            let _ = sender.blocking_send(Err(error));
        }
    });
    receiver
}
