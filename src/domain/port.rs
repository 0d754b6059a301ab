//! Traits by which the rooms below `runtime` reach the world. `runtime` implements them and hands them in.
use super::{Asked, AttemptId, Rejection, Reply, State};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// An answer that comes later.
pub type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The owner of the log, as a driver sees it.
pub trait Port: Send + Sync {
    /// Asks a command. Waits (sleep, inbox, a question, checks) are answered when they are over.
    fn submit(&self, asked: Asked) -> Later<Result<Reply, Rejection>>;

    /// Never answered; says that the attempt waits for nothing but its end, so that virtual time may pass.
    fn hang(&self, attempt: AttemptId) -> Later<()>;

    /// The state after everything that was answered so far.
    fn snapshot(&self) -> Later<Arc<State>>;
}

/// Where an attempt's output goes. Live bytes, never facts.
pub trait Output: Send + Sync {
    /// Takes bytes as they arrived, cut anywhere; they are kept, head and tail, within the limit.
    fn write(&self, channel: Channel, bytes: &[u8]);
}

/// Which of the outputs of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// Standard output, and what a scripted member says.
    Out,
    /// Standard error.
    Err,
    /// What teamtui itself notes in the log, a seam or a call.
    Note,
}
