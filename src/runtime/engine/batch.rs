//! Which requests share a commit.
use super::Request;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Most requests decided in one commit.
const BATCH: usize = 1_024;
/// A commit waits for others to come along while many attempts run: for one in `SHARE` of them, at most so long. One that
/// is alone is never held up (a chain of tasks), and many share what a commit costs.
const SHARE: usize = 4;
const COMMIT_DELAY: Duration = Duration::from_millis(1);

/// What is asked now, as far as one commit takes it, while `live` attempts run in real time.
pub(super) fn gather(first: Option<Request>, requests: &Receiver<Request>, live: usize) -> Vec<Request> {
    let mut batch: Vec<Request> = first.into_iter().collect();
    take(&mut batch, requests);
    let until = Instant::now() + COMMIT_DELAY;
    while batch.len() < live / SHARE {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(request) = requests.recv_timeout(left) else { break };
        batch.push(request);
        take(&mut batch, requests);
    }
    batch
}

/// Takes what is there. Those who are about to ask are let go first: a commit that they miss is one that they wait for.
fn take(batch: &mut Vec<Request>, requests: &Receiver<Request>) {
    loop {
        let before = batch.len();
        batch.extend(requests.try_iter().take(BATCH.saturating_sub(before)));
        if batch.len() == before || batch.len() >= BATCH {
            return;
        }
        std::thread::yield_now();
    }
}
