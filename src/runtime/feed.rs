//! A subscription: every fact from a seq on, in order, without gaps, however slow the reader is.
use super::engine::{LAG, Request, decoded};
use crate::domain::{Fact, Seq};
use crate::store::Reader;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use tokio::sync::{mpsc, oneshot};

/// Facts that were committed together, or read together.
pub type Facts = Arc<[Fact]>;

/// Commits read from the log at once.
const CHUNK: usize = 256;

/// Facts of the owner in this process: history from the log, then what is published. A reader that lags too far is sent
/// back to the log by itself.
pub struct LocalFeed {
    requests: Sender<Request>,
    reader: Reader,
    at: Seq,
    upto: Seq,
    read: VecDeque<Facts>,
    /// A subscription that is asked for, and not yet seen to begin.
    asked: Option<(oneshot::Receiver<Seq>, mpsc::Receiver<Facts>)>,
    live: Option<mpsc::Receiver<Facts>>,
}

impl LocalFeed {
    /// Subscribes at once: what is asked of the owner after this is published here, and not read from the log.
    pub(super) fn new(requests: Sender<Request>, reader: Reader, after: Seq) -> Self {
        let asked = ask(&requests);
        Self { requests, reader, at: after, upto: after, read: VecDeque::new(), asked, live: None }
    }

    /// The next facts; none when the owner is gone. Cancel safe.
    pub async fn next(&mut self) -> Option<Facts> {
        loop {
            if let Some(facts) = self.read.pop_front() {
                if let Some(facts) = self.fresh(facts) {
                    return Some(facts);
                }
                continue;
            }
            if self.live.is_none() {
                self.subscribe().await?;
            }
            if self.at < self.upto {
                self.read_on().await?;
                continue;
            }
            match self.live.as_mut()?.recv().await {
                Some(facts) => self.read.push_back(facts),
                None => self.live = None,
            }
        }
    }

    /// Facts that were not given yet.
    fn fresh(&mut self, facts: Facts) -> Option<Facts> {
        let last = facts.last()?.seq;
        if last <= self.at {
            return None;
        }
        let fresh = match facts.first() {
            Some(first) if first.seq <= self.at => {
                facts.iter().filter(|f| f.seq > self.at).cloned().collect()
            }
            _ => facts,
        };
        self.at = last;
        Some(fresh)
    }

    async fn subscribe(&mut self) -> Option<()> {
        if self.asked.is_none() {
            self.asked = Some(ask(&self.requests)?);
        }
        // Kept until it is answered: this may be cut off and called again.
        let (upto, _) = self.asked.as_mut()?;
        let upto = upto.await;
        let (_, live) = self.asked.take()?;
        self.upto = upto.ok()?;
        self.live = Some(live);
        Some(())
    }

    async fn read_on(&mut self) -> Option<()> {
        let (reader, from) = (self.reader.clone(), self.at.0.saturating_add(1));
        let read = tokio::task::spawn_blocking(move || {
            let mut chunk = Vec::new();
            for commit in reader.commits(from).ok()?.take(CHUNK) {
                let commit = commit.ok()?;
                chunk.push(Facts::from(decoded(commit.first_seq, &commit.records).ok()?));
            }
            Some(chunk)
        });
        let chunk = read.await.ok()??;
        if chunk.is_empty() {
            return None;
        }
        self.read.extend(chunk);
        Some(())
    }
}

fn ask(requests: &Sender<Request>) -> Option<(oneshot::Receiver<Seq>, mpsc::Receiver<Facts>)> {
    let (sink, live) = mpsc::channel(LAG);
    let (answer, upto) = oneshot::channel();
    requests.send(Request::Subscribe { sink, answer }).ok()?;
    Some((upto, live))
}
