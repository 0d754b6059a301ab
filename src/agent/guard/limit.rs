//! The limits of the guard: each with its reason, and what happens at it.
use std::time::Duration;

/// Bytes of a request that travel inside a packet; a longer one travels in a memory file. Well under the
/// default socket buffer (208 KiB), so that a packet never fails for its size.
pub const PACKET_MAX: usize = 32 * 1024;

/// Bytes of arguments and environment of one spawn; beyond it the spawn is refused. The kernel itself takes
/// at most 6 MiB (three quarters of its 8 MiB stack limit).
pub const REQUEST_MAX: usize = 8 * 1024 * 1024;

/// Requests done before the guard looks at ended children again and answers.
pub const TURN_REQUESTS: usize = 16;

/// Bytes of an answer: all are of a few fixed fields.
pub const ANSWER_MAX: usize = 64;

/// Bytes of answers that travel together; more of them travel after.
pub const ANSWERS_MAX: usize = 4 * 1024;

/// File descriptors in one packet: a memory file, stdin, stdout, stderr.
pub const PACKET_FDS: usize = 4;

/// How long one sweep goes on killing before it answers with what it has; only processes that cannot be
/// killed (another user's, or stuck in the kernel) last that long.
pub const SWEEP_TIME: Duration = Duration::from_secs(2);

/// How long the guard goes on killing after its owner is gone before it leaves too.
pub const LAST_SWEEP_TIME: Duration = Duration::from_secs(5);

/// Pause between two rounds of killing: a killed process needs a moment to go.
pub const ROUND_PAUSE: Duration = Duration::from_millis(2);

/// Bytes read of one process's environment while looking for the marker; a marker behind that is not seen.
pub const ENVIRON_MAX: u64 = REQUEST_MAX as u64;

/// How often a process in the middle of its exec is looked at again before it counts as unmarked; an exec
/// takes well under a millisecond.
pub const EXEC_LOOKS: u32 = 20;

/// Pause between two such looks.
pub const EXEC_PAUSE: Duration = Duration::from_micros(200);
