//! The owner of the standing run: there while it is needed, gone by itself when it is not.
use super::listen::{Attached, Listening};
use crate::domain::{Pulse, State, StopCause, Waits};
use crate::runtime::Owned;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long an owner without work and without clients stays: the next command soon after finds it.
const IDLE_TIME: Duration = Duration::from_secs(2);
/// How often an owner without clients looks whether work is left.
const LOOK_TIME: Duration = Duration::from_secs(1);

/// Why an owner ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Nothing was left to do, and nobody was attached.
    Idle,
    /// A signal.
    Signal(i32),
}

/// Serves until nothing is live, nothing is due and nobody is attached; or until it is signalled. A
/// signal while it ends takes the grace away.
pub async fn serve(owned: Owned, listening: Listening, mut signals: mpsc::Receiver<i32>) -> Served {
    let attached = std::sync::Arc::clone(&listening.attached);
    let ended = tokio::select! {
        () = idle(&owned, &attached) => Served::Idle,
        Some(number) = signals.recv() => Served::Signal(number),
    };
    if ended != Served::Idle {
        let interrupted = owned.interrupt(StopCause::Signal);
        tokio::pin!(interrupted);
        loop {
            tokio::select! {
                () = &mut interrupted => break,
                Some(_) = signals.recv() => owned.kill(),
            }
        }
    }
    drop(listening);
    owned.end().await;
    ended
}

async fn idle(owned: &Owned, attached: &Attached) {
    loop {
        while attached.count() > 0 {
            // Word of a change may have come before this waits for it.
            let _ = tokio::time::timeout(LOOK_TIME, attached.changed()).await;
        }
        let waited = tokio::time::timeout(IDLE_TIME, attached.changed()).await;
        if waited.is_ok() || attached.count() > 0 {
            continue;
        }
        match owned.local.snapshot().await {
            Some(state) if is_busy(&state) || owned.running() > 0 => tokio::time::sleep(LOOK_TIME).await,
            // Somebody may have come while it was looked.
            _ if attached.count() > 0 => {}
            _ => return,
        }
    }
}

/// Something is live, due, or starts by itself. A cap of a team that stands still is none: without an owner no time passes.
fn is_busy(state: &State) -> bool {
    !state.live.is_empty() || !state.timers.is_empty() || !Pulse::of(state, &Waits::default()).quiet
}
