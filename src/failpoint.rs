//! Named places at which this process dies as by kill -9, for the proofs that nothing is lost: only with the feature
//! `failpoints`, which no release has.
//!
//! `TEAMTUI_FAILPOINT=NAME:N` names the place, and how often it is reached before.
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A place that was named, and how often it may still be passed.
struct Place {
    name: String,
    left: AtomicU64,
}

/// Passes the place, or dies there.
pub(crate) fn reach(name: &str) {
    static PLACE: OnceLock<Option<Place>> = OnceLock::new();
    let Some(place) = PLACE.get_or_init(named).as_ref().filter(|place| place.name == name) else { return };
    // Below 0 it wraps round: nobody passes so often.
    if place.left.fetch_sub(1, Ordering::SeqCst) == 0 {
        // It dies of this before the call returns.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

fn named() -> Option<Place> {
    let written = std::env::var("TEAMTUI_FAILPOINT").ok()?;
    let (name, left) = written.split_once(':')?;
    Some(Place { name: name.to_owned(), left: AtomicU64::new(left.parse().ok()?) })
}
