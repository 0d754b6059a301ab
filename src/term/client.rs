//! What the screen needs of an owner, wherever it is. Nothing here may wait for the owner before it returns.
use crate::app::{Chunk, News};
use crate::domain::{AttemptId, Name, Seq};
use std::future::Future;
use tokio::sync::mpsc;

/// A way to an owner.
pub trait ScreenClient: Send + Sync + 'static {
    /// Everything from now on: a snapshot, then facts in order without gaps; `Lost` and `Back` in between. Asking again
    /// tries the owner at once and begins with a snapshot. The channel is bounded and ends when there is no owner any more.
    fn subscribe(&self) -> mpsc::Receiver<News>;

    /// Runs a script line for a team: what to say of it, or why it was refused.
    fn submit(
        &self,
        line: String,
        team: Option<Name>,
    ) -> impl Future<Output = Result<Vec<String>, String>> + Send + 'static;

    /// The end of an attempt's output, and while it is live what comes. The first piece comes at once, be it empty; the
    /// channel is bounded, ends with the attempt, and dropping it ends the reading.
    fn output(&self, attempt: AttemptId) -> mpsc::Receiver<Chunk>;

    /// The report of this recovery was shown.
    fn seen(&self, recovery: Seq);
}
