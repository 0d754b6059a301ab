//! INT, TERM and HUP, as numbers in a channel.
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Signals from now on; the default actions are off.
pub fn signals() -> std::io::Result<mpsc::Receiver<i32>> {
    let (sender, receiver) = mpsc::channel(8);
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let mut stream = signal(kind)?;
        let sender = sender.clone();
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                // A full channel has signals enough.
                let _ = sender.try_send(kind.as_raw_value());
            }
        });
    }
    Ok(receiver)
}

/// The exit code of a signal.
pub fn rc(number: i32) -> u8 {
    u8::try_from(128_i32.saturating_add(number)).unwrap_or(u8::MAX)
}
