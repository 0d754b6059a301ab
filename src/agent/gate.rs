//! Between what an attempt may make ready and what it may do: open once its start is committed.
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// What is done in the moment a gate opens, on the thread that opens it; it must not block.
type Then = Box<dyn FnOnce() + Send>;

/// Closed until the start that an attempt was made ready for is on the disk. Clones share it.
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    stage: watch::Sender<Stage>,
    then: Mutex<Option<Then>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Closed,
    Open,
    Shut,
}

impl Gate {
    /// Not to be passed yet.
    pub fn closed() -> Self {
        Self::at(Stage::Closed)
    }

    /// The start is committed already.
    pub fn opened() -> Self {
        Self::at(Stage::Open)
    }

    fn at(stage: Stage) -> Self {
        Self(Arc::new(Inner { stage: watch::Sender::new(stage), then: Mutex::default() }))
    }

    /// The start is committed: whoever waits goes on, and what was to be done is done here.
    pub fn open(&self) {
        if let Some(then) = self.move_to(Stage::Open) {
            then();
        }
    }

    /// The start has not happened: whoever waits leaves, and what was to be done is dropped.
    pub fn shut(&self) {
        drop(self.move_to(Stage::Shut));
    }

    fn move_to(&self, stage: Stage) -> Option<Then> {
        let mut then = self.0.then.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.stage.send_replace(stage);
        then.take()
    }

    /// Does it now if the gate is open, else in the moment it opens; never if it is shut.
    pub fn pass(&self, then: impl FnOnce() + Send + 'static) {
        let mut kept = self.0.then.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = *self.0.stage.borrow();
        match stage {
            Stage::Closed => *kept = Some(Box::new(then)),
            Stage::Open => {
                drop(kept);
                then();
            }
            Stage::Shut => {}
        }
    }

    /// Waits until it is open (true) or shut.
    pub async fn passed(&self) -> bool {
        let mut stage = self.0.stage.subscribe();
        // The sender lives in this gate: it cannot be dropped first.
        stage.wait_for(|stage| *stage != Stage::Closed).await.is_ok_and(|stage| *stage == Stage::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn counter() -> (Arc<AtomicU32>, impl FnOnce() + Send + 'static) {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        (count, move || {
            counted.fetch_add(1, Ordering::SeqCst);
        })
    }

    #[tokio::test]
    async fn what_waits_at_a_gate_is_done_when_it_opens_and_not_before() {
        let (gate, (count, then)) = (Gate::closed(), counter());
        gate.pass(then);
        assert_eq!(count.load(Ordering::SeqCst), 0);
        gate.open();
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert!(gate.passed().await);
        let (late, then) = counter();
        gate.pass(then);
        assert_eq!(late.load(Ordering::SeqCst), 1, "at an open gate at once");
    }

    #[tokio::test]
    async fn what_waits_at_a_gate_that_is_shut_is_dropped() {
        let (gate, (count, then)) = (Gate::closed(), counter());
        gate.pass(then);
        gate.shut();
        assert!(!gate.passed().await);
        assert_eq!((count.load(Ordering::SeqCst), Arc::strong_count(&count)), (0, 1));
        let (late, then) = counter();
        gate.pass(then);
        assert_eq!((late.load(Ordering::SeqCst), Arc::strong_count(&late)), (0, 1));
    }
}
