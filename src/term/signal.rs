//! Signals to the screen: those that end it, and those that stop it and let it go on.
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Leave; the signal's number.
    End(i32),
    /// Stop until it goes on.
    Stop,
    /// It went on: another program may have had the terminal.
    GoneOn,
}

/// The signals that are listened to.
pub struct Signals {
    term: Signal,
    hup: Signal,
    int: Signal,
    stop: Signal,
    go_on: Signal,
}

impl Signals {
    /// Begins to listen. From now on none of them ends or stops the process by itself.
    pub fn new() -> io::Result<Self> {
        let raw = |signal: rustix::process::Signal| SignalKind::from_raw(signal.as_raw());
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
            int: signal(SignalKind::interrupt())?,
            stop: signal(raw(rustix::process::Signal::TSTP))?,
            go_on: signal(raw(rustix::process::Signal::CONT))?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Asked {
        let number = |kind: SignalKind| kind.as_raw_value();
        tokio::select! {
            _ = self.hup.recv() => Asked::End(number(SignalKind::hangup())),
            _ = self.term.recv() => Asked::End(number(SignalKind::terminate())),
            _ = self.int.recv() => Asked::End(number(SignalKind::interrupt())),
            _ = self.stop.recv() => Asked::Stop,
            _ = self.go_on.recv() => Asked::GoneOn,
        }
    }
}
