//! The run's time: milliseconds it has been owned. Real, or virtual and moved by the engine alone.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Shared by everyone who stamps something with the run's time.
#[derive(Debug, Clone)]
pub struct Clock(Arc<Inner>);

#[derive(Debug)]
enum Inner {
    Real { since: Instant, base_ms: u64, forgiven_ms: AtomicU64 },
    Virtual(AtomicU64),
}

impl Clock {
    /// Goes on from the time that the run had when it was last owned.
    pub fn real(base_ms: u64) -> Self {
        Self(Arc::new(Inner::Real { since: Instant::now(), base_ms, forgiven_ms: AtomicU64::new(0) }))
    }

    /// Stands still until it is moved.
    pub fn virtual_from(base_ms: u64) -> Self {
        Self(Arc::new(Inner::Virtual(AtomicU64::new(base_ms))))
    }

    /// The run's time in ms.
    pub fn elapsed_ms(&self) -> u64 {
        match &*self.0 {
            Inner::Real { since, base_ms, forgiven_ms } => {
                let passed = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
                base_ms.saturating_add(passed).saturating_sub(forgiven_ms.load(Ordering::Relaxed))
            }
            Inner::Virtual(now) => now.load(Ordering::Relaxed),
        }
    }

    /// Does time jump?
    pub fn is_virtual(&self) -> bool {
        matches!(&*self.0, Inner::Virtual(_))
    }

    /// Virtual time goes on to this moment; real time does not jump.
    pub(super) fn jump(&self, to_ms: u64) {
        if let Inner::Virtual(now) = &*self.0 {
            now.fetch_max(to_ms, Ordering::Relaxed);
        }
    }

    /// A suspend did not happen to the run.
    pub(super) fn forgive(&self, gap_ms: u64) {
        if let Inner::Real { forgiven_ms, .. } = &*self.0 {
            forgiven_ms.fetch_add(gap_ms, Ordering::Relaxed);
        }
    }
}

/// Wall clock in ms since 1970, for labels only.
pub fn wall_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_moves_only_forward_and_only_when_told() {
        let clock = Clock::virtual_from(5);
        clock.jump(3);
        clock.forgive(2);
        assert_eq!(clock.elapsed_ms(), 5);
        clock.jump(70);
        assert_eq!(clock.elapsed_ms(), 70);
    }

    #[test]
    fn real_time_goes_on_from_where_the_run_was_and_forgives_a_gap() {
        let clock = Clock::real(1_000_000);
        assert!(clock.elapsed_ms() >= 1_000_000);
        clock.forgive(500_000);
        assert!(clock.elapsed_ms() < 600_000);
    }
}
