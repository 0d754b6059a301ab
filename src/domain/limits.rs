//! Every limit, its reason, and what happens at it.
use serde::{Deserialize, Serialize};

/// Members of one team; a larger team file is refused. Reason: a person cannot oversee more, and names stay quick to search.
pub const MAX_MEMBERS: usize = 1_000;
/// Tasks of one team; a further one is refused. Reason: the state is held in memory.
pub const MAX_TASKS: usize = 100_000;
/// Edges into one task; more are refused. Reason: each is rendered into the prompt.
pub const MAX_EDGES: usize = 10_000;
/// Bytes of a team file; a larger one is refused before it is parsed.
pub const MAX_TEAM_FILE_BYTES: u64 = 1 << 20;
/// Bytes of a script; a larger one is refused before it is parsed.
pub const MAX_SCRIPT_BYTES: u64 = 1 << 20;
/// Bytes of one message or comment; a longer one is refused. Reason: it is rendered into a prompt.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// Bytes of a result kept in the event itself; a longer one is cut, and the cut is said.
pub const MAX_RESULT_BYTES: usize = 64 << 10;
/// Bytes of a task's prompt; a longer one is refused.
pub const MAX_PROMPT_BYTES: usize = 256 << 10;
/// Bytes kept of one attempt's output: head and tail; what lies between is counted, not kept.
pub const MAX_OUTPUT_BYTES: u64 = 64 << 20;
/// Live attempts of one owner; ready tasks above it wait. Reason: descriptors and processes.
pub const MAX_LIVE: usize = 256;
/// Events of one run; at it no new team opens in this run.
pub const MAX_EVENTS: u64 = 10_000_000;
/// Outstanding tasks that one giver gave one member; the next is refused (R27).
pub const MAX_GIVEN_PAIR: u32 = 3;
/// Outstanding tasks that all members gave one member; the next is refused (R27).
pub const MAX_GIVEN_ALL: u32 = 5;
/// Times a review sends a task back; the next one fails it (R17).
pub const MAX_SENT_BACK: u32 = 3;
/// Ends of the owner in a row while a task ran; at it the task is stale and does not start again by itself (R34).
pub const MAX_CRASHES: u32 = 3;
/// A check that runs longer is ended and counts as refused.
pub const CHECK_TIME_MS: u64 = 5 * 60_000;
/// A gap between two ticks of the owner over this did not happen to the team: suspend, SIGSTOP.
pub const MAX_GAP_MS: u64 = 10_000;

/// What one team may use. Every one has a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Live attempts of the team; ready tasks above it wait in (priority, number) order.
    pub parallel: u32,
    /// Team time; at it nothing new starts, live attempts get the grace (R29). `None`: no cap.
    pub time_ms: Option<u64>,
    /// Money in micro-dollars, reserved before an attempt and settled after. `None`: no cap.
    pub money_micros: Option<u64>,
    /// Longest chain of messages between members without a person in it; at it the pair is paused (R26).
    pub hops: u32,
    /// Messages between one pair of members without a person in between; at it the pair is paused (R26).
    pub pair: u32,
    /// Between asking an attempt to end and ending its process tree.
    pub grace_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { parallel: 8, time_ms: None, money_micros: None, hops: 10, pair: 100, grace_ms: 10_000 }
    }
}

/// Team time of a headless run that names none: 60 minutes.
pub const HEADLESS_TIME_MS: u64 = 60 * 60_000;
/// Wall clock of one attempt that names none: 30 minutes (`human`: none).
pub const ATTEMPT_TIME_MS: u64 = 30 * 60_000;
/// Silence after which an attempt is shown stalled, once: 5 minutes.
pub const STALL_MS: u64 = 5 * 60_000;
/// Steps of one attempt or turn.
pub const STEPS: u32 = 200;
