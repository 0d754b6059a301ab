//! What comes in, and what is asked for.
use crate::domain::{AttemptId, Fact, Name, Seq, State};
use crossterm::event::KeyEvent;

use super::Owner;

/// Everything that can happen to the screen.
#[derive(Debug, Clone)]
pub enum Msg {
    /// From the owner.
    News(News),
    /// A key.
    Key(KeyEvent),
    /// Text that was pasted.
    Paste(String),
    /// The terminal has that many columns and rows.
    Resize(u16, u16),
    /// Milliseconds since the screen began.
    Tick(u64),
    /// Bytes of the output that is watched.
    Output(Chunk),
    /// A line that was submitted is answered: what to say of it, or why it was refused.
    Reply {
        /// The line.
        line: String,
        /// Lines of text.
        result: Result<Vec<String>, String>,
    },
}

/// What the owner tells, in order.
#[derive(Debug, Clone)]
pub enum News {
    /// Everything as it is now: first, and whenever facts were missed.
    Snapshot {
        /// The fold of everything so far.
        state: Box<State>,
        /// The run's time now, at least the state's.
        elapsed_ms: u64,
        /// The wall clock of the last fact, ms since 1970.
        at_ms: u64,
        /// Who owns the run.
        owner: Owner,
    },
    /// What happened since, in order of `seq`.
    Facts(Vec<Fact>),
    /// It answers: nothing has happened, and that is its time.
    Beat {
        /// The run's time now.
        elapsed_ms: u64,
        /// The wall clock now, ms since 1970.
        at_ms: u64,
    },
    /// The owner does not answer. Whatever it tells next, it is back.
    Lost(Loss),
}

/// How an owner was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Its lock is free: it has ended. Else it lives and is silent.
    pub gone: bool,
    /// Its process.
    pub pid: u32,
    /// Its socket, for who wants to look.
    pub socket: String,
    /// When it is tried again.
    pub retry_ms: u64,
}

/// A piece of an attempt's output. The first may be empty: then there is none yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Whose.
    pub attempt: AttemptId,
    /// Where it begins, in bytes since the attempt began.
    pub at: u64,
    /// As they came.
    pub bytes: Vec<u8>,
}

/// What the screen asks of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppEffect {
    /// Run a script line for a team.
    Submit {
        /// The line.
        line: String,
        /// The focused team.
        team: Option<Name>,
    },
    /// Read the output of this attempt from now on, and of no other. None: of none.
    Watch(Option<AttemptId>),
    /// Put text into the clipboard.
    Copy(String),
    /// The report of this recovery was shown: it is not shown by itself again.
    Seen(Seq),
    /// Try the owner now.
    Reconnect,
    /// Give the terminal back until the shell says `fg`.
    Suspend,
    /// Draw every cell again.
    Redraw,
    /// Leave. What runs goes on.
    Quit,
}
