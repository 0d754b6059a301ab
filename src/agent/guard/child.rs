//! What the owner asks for and gets: a program to start, the running child, and how it ended.
use std::ffi::OsString;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::net::unix::pipe;
use tokio::sync::oneshot;

/// One end of a pipe that the child writes to: the owner reads it as `AsyncRead`.
pub type ChildOutput = pipe::Receiver;

/// A program to start. `attempt` names it to the guard and is taken until the child has ended and was swept.
#[derive(Debug, Clone)]
pub struct Spawn {
    /// The number the caller gives it: unique among what is live under one guard.
    pub attempt: u64,
    /// The program and its arguments; a program without `/` is looked up in `PATH` of `env`.
    pub argv: Vec<OsString>,
    /// The whole environment of the child; nothing else is inherited. Holds the marker.
    pub env: Vec<(OsString, OsString)>,
    /// The folder the child starts in.
    pub cwd: PathBuf,
    /// What the child reads on its standard input.
    pub stdin: Stdin,
}

impl Spawn {
    /// The value of the marker in the environment, if the caller set one.
    pub fn marker(&self) -> Option<&OsString> {
        self.env.iter().rev().find(|(name, _)| name == super::MARKER).map(|(_, value)| value)
    }
}

/// What a child reads on its standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing: `/dev/null`.
    #[default]
    Null,
    /// These bytes, then end of file. A child that does not read them all is no error.
    Bytes(Vec<u8>),
}

/// A running child: its identity, its two outputs, and its end to wait for. Dropping it ends nothing.
#[derive(Debug)]
pub struct Child {
    /// The number it was started under.
    pub attempt: u64,
    /// Its process id.
    pub pid: u32,
    /// Its standard output.
    pub stdout: ChildOutput,
    /// Its standard error.
    pub stderr: ChildOutput,
    /// Its end.
    pub exit: Exiting,
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// The guard died first; the child was ended with it and its code is unknown.
    GuardLost,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::GuardLost => f.write_str("ended with its guard, exit code unknown"),
        }
    }
}

/// The end of a direct child, and whether processes it started are still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// How the direct child ended.
    pub exit: Exit,
    /// Other processes of the attempt were alive at that moment: sweep it.
    pub left: bool,
}

/// Resolves once, when the direct child has ended.
#[derive(Debug)]
pub struct Exiting(oneshot::Receiver<Ended>);

impl Exiting {
    /// The end that `sender` will tell; [`Exit::GuardLost`] if the sender goes without telling.
    pub(super) fn new() -> (oneshot::Sender<Ended>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(receiver))
    }
}

impl Future for Exiting {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended> {
        Pin::new(&mut self.0)
            .poll(context)
            .map(|ended| ended.unwrap_or(Ended { exit: Exit::GuardLost, left: false }))
    }
}

/// A signal that a tree may be sent, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sig {
    /// Hang-up.
    Hup,
    /// Interrupt, as by Ctrl-C.
    Int,
    /// Quit, with a core dump where allowed.
    Quit,
    /// First user-defined signal.
    Usr1,
    /// Second user-defined signal.
    Usr2,
    /// Ask to end.
    Term,
    /// End now; cannot be refused.
    Kill,
}

impl Sig {
    /// Every signal, in the order of their declaration.
    pub const ALL: [Self; 7] =
        [Self::Hup, Self::Int, Self::Quit, Self::Usr1, Self::Usr2, Self::Term, Self::Kill];

    /// Its name without `SIG`, in capitals.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hup => "HUP",
            Self::Int => "INT",
            Self::Quit => "QUIT",
            Self::Usr1 => "USR1",
            Self::Usr2 => "USR2",
            Self::Term => "TERM",
            Self::Kill => "KILL",
        }
    }

    /// The signal of a name, with or without `SIG`, in any case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        let bare = name.strip_prefix("SIG").unwrap_or(&name);
        Self::ALL.into_iter().find(|sig| sig.name() == bare)
    }

    /// The signal as the system calls take it.
    pub(super) fn to_signal(self) -> rustix::process::Signal {
        use rustix::process::Signal;
        match self {
            Self::Hup => Signal::HUP,
            Self::Int => Signal::INT,
            Self::Quit => Signal::QUIT,
            Self::Usr1 => Signal::USR1,
            Self::Usr2 => Signal::USR2,
            Self::Term => Signal::TERM,
            Self::Kill => Signal::KILL,
        }
    }
}

/// Why a program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// No such program, or its interpreter is missing.
    #[error("cannot start `{program}`: no such program; install it, or give its path")]
    NotFound {
        /// The first word of the argv.
        program: String,
    },
    /// The file is there but may not be run.
    #[error("cannot start `{program}`: permission denied; make it executable (chmod +x)")]
    Denied {
        /// The first word of the argv.
        program: String,
    },
    /// The folder to start in cannot be entered.
    #[error("cannot start `{program}` in `{cwd}`: {reason}; check `cwd`")]
    Folder {
        /// The first word of the argv.
        program: String,
        /// The folder asked for.
        cwd: String,
        /// The system's words.
        reason: String,
    },
    /// Arguments and environment are more than the kernel takes.
    #[error("cannot start `{program}`: arguments and environment are too long; pass the text in a file")]
    TooLong {
        /// The first word of the argv.
        program: String,
    },
    /// The number is taken.
    #[error("cannot start `{program}`: attempt {attempt} still has a process; wait for its end or sweep it")]
    Busy {
        /// The first word of the argv.
        program: String,
        /// The number that is taken.
        attempt: u64,
    },
    /// The guard is gone.
    #[error("cannot start `{program}`: the process guard is gone; start it again")]
    GuardLost {
        /// The first word of the argv.
        program: String,
    },
    /// Any other refusal of the system.
    #[error("cannot start `{program}`: {reason}")]
    Failed {
        /// The first word of the argv.
        program: String,
        /// The system's words.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_found_by_its_name_in_any_spelling() {
        assert_eq!(Sig::named("SIGTERM"), Some(Sig::Term));
        assert_eq!(Sig::named("int"), Some(Sig::Int));
        assert_eq!(Sig::named("SEGV"), None);
        for sig in Sig::ALL {
            assert_eq!(Sig::named(sig.name()), Some(sig));
        }
    }
}
