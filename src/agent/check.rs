//! Outputs and checks: whether what a member says is done can be seen to be done (R16).
use std::sync::Arc;

use tokio::sync::watch;

use super::baseline::Baseline;
use super::guard::Guard;
use super::process::env::Inherited;
use super::seat::{Order, Place};
use crate::domain::CheckJob;
use crate::domain::port::Output;
use crate::text::Untrusted;

/// Everything that looking at outputs and running checks needs.
pub struct Checks {
    /// What to look at.
    pub job: CheckJob,
    /// What the outputs were when the attempt began.
    pub baseline: Baseline,
    /// Under which the checks run.
    pub guard: Guard,
    /// The number they run by, one after the other: unique among what is live under the guard.
    pub number: u64,
    /// Only the marker, the run, the socket and the folders on `PATH` count here.
    pub place: Place,
    /// What checks inherit.
    pub inherited: Arc<Inherited>,
    /// Where what they print goes.
    pub output: Arc<dyn Output>,
    /// `Stop` ends them; a check that was cut off is refused.
    pub orders: watch::Receiver<Order>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Looked {
    /// Each refusal; empty: all hold.
    pub refused: Vec<Untrusted>,
    /// Outputs that were written, with their sizes in bytes.
    pub outputs: Vec<(String, u64)>,
}

/// Looks at every output and runs every check, also after one was refused.
pub async fn check(checks: Checks) -> Looked {
    let _ = checks;
    Looked::default()
}
