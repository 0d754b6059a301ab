//! Newline JSON between an owner and its clients: one value a line, a greeting first on both sides.
use crate::domain::{Asked, DecodeError, Fact, Rejection, Reply, Seq, State};
use serde::{Deserialize, Serialize};
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Raised when a line changes its meaning; owner and client must agree.
pub const PROTOCOL: u32 = 2;
/// Longest line taken; a longer one ends the connection. Larger than any team file, snapshots excepted.
pub const MAX_ASK_BYTES: u64 = 8 << 20;
/// Longest answer taken: a snapshot of 100,000 tasks.
pub const MAX_ANSWER_BYTES: u64 = 1 << 30;

/// The first line of both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The program, so that a stranger on the socket is seen.
    pub teamtui: String,
    /// See [`PROTOCOL`].
    pub protocol: u32,
    /// Process id of the speaker.
    pub pid: u32,
    /// The owner does not talk to this client, for that reason, and hangs up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Box<Rejection>>,
}

impl Hello {
    /// Of this process.
    pub fn own() -> Self {
        let teamtui = env!("CARGO_PKG_VERSION").to_owned();
        Self { teamtui, protocol: PROTOCOL, pid: std::process::id(), refused: None }
    }
}

/// What a client asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// A command.
    Submit(Box<Asked>),
    /// The state.
    Snapshot,
    /// The run's time, in ms.
    Clock,
    /// Every fact after that seq, from now on, until the connection ends.
    Subscribe(Seq),
}

/// What the owner answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// A command was accepted, or refused.
    Reply(Result<Reply, Rejection>),
    /// The state.
    State(Box<State>),
    /// The run's time, in ms.
    Clock(u64),
    /// Facts, in order.
    Facts(Vec<WireFact>),
    /// The line was not understood.
    Refused(String),
}

/// A fact as it is logged.
#[derive(Debug, Serialize, Deserialize)]
pub struct WireFact {
    seq: u64,
    kind: u16,
    version: u16,
    body: String,
}

impl WireFact {
    /// From a fact.
    pub fn new(fact: &Fact) -> serde_json::Result<Self> {
        let (kind, version) = fact.event.kind();
        let body = String::from_utf8_lossy(&fact.encode()?).into_owned();
        Ok(Self { seq: fact.seq.0, kind, version, body })
    }

    /// Back to the fact.
    pub fn fact(&self) -> Result<Fact, DecodeError> {
        Fact::decode(Seq(self.seq), self.kind, self.version, self.body.as_bytes())
    }
}

/// Reads one line as a value; none at the end. A line over the limit, or no value, is an error.
pub async fn read<T: for<'de> Deserialize<'de>>(
    from: &mut (impl AsyncBufRead + Unpin),
    max: u64,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    let read = from.take(max).read_until(b'\n', &mut line).await?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        let why = if u64::try_from(read).unwrap_or(u64::MAX) >= max {
            "the line is too long"
        } else {
            "the line is cut off"
        };
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    serde_json::from_slice(&line).map(Some).map_err(io::Error::from)
}

/// Writes one value as a line.
pub async fn write<T: Serialize>(to: &mut (impl AsyncWrite + Unpin), value: &T) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    to.write_all(&line).await?;
    to.flush().await
}
