//! Reads a child's output to its end, and ends what the child left behind.
//!
//! The end of a command is the exit of its direct child, never the end of its output: a process in the
//! background may hold the pipe open for ever. So after the exit the pipes are drained for a moment only,
//! then the rest of the tree is ended.
use std::cell::RefCell;
use std::io;
use std::time::Duration;

use tokio::task::coop;
use tokio::time::{Instant, sleep_until, timeout};

use crate::agent::guard::{Child, ChildOutput, Exit, Guard, Sig};

/// How long output is still read after the direct child has ended while something holds a pipe open.
pub const DRAIN_TIME: Duration = Duration::from_millis(500);

/// Bytes taken from a pipe at once: what a pipe holds by default.
const CHUNK: usize = 64 * 1024;

/// Bytes still taken per pipe after the tree was ended: what the largest unprivileged pipe holds. More can
/// only come from a stranger that was handed the pipe.
const LAST_BYTES: usize = 1024 * 1024;

/// Which of the two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Takes output as it arrives. It is called on the reader's task: it must not block for long.
pub trait OutputSink {
    /// Takes the next bytes of a stream, cut anywhere.
    fn write(&mut self, stream: Stream, bytes: &[u8]);
}

impl<F: FnMut(Stream, &[u8])> OutputSink for F {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self(stream, bytes);
    }
}

/// How a child ended, and how many processes it left that had to be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// The end of the direct child.
    pub exit: Exit,
    /// Processes of the attempt that outlived it and were ended.
    pub swept: u32,
}

/// Hands both outputs of a child to `sink` in order of arrival until the child has ended and no process of its
/// attempt is left. It has no time limit of its own: see [`stop`].
pub async fn copy_output(guard: &Guard, child: Child, sink: &mut impl OutputSink) -> Finished {
    let Child { attempt, stdout, stderr, mut exit, .. } = child;
    let mut outputs = Outputs { out: Some(stdout), err: Some(stderr) };
    let ended = loop {
        tokio::select! {
            ended = &mut exit => break ended,
            stream = outputs.readable(), if outputs.is_open() => { outputs.take(stream, sink); }
        }
        coop::consume_budget().await;
    };
    outputs.drain(Instant::now() + DRAIN_TIME, sink).await;
    let swept = if ended.left { guard.sweep(attempt).await } else { 0 };
    outputs.take_rest(sink);
    Finished { exit: ended.exit, swept }
}

/// The outputs that are still open.
struct Outputs {
    out: Option<ChildOutput>,
    err: Option<ChildOutput>,
}

thread_local! {
    /// What was read, until it is handed on: one chunk for all that a thread reads.
    static READ: RefCell<Vec<u8>> = RefCell::new(vec![0; CHUNK]);
}

impl Outputs {
    fn is_open(&self) -> bool {
        self.out.is_some() || self.err.is_some()
    }

    /// The next stream that has something to read, or its end; for ever if none is open.
    async fn readable(&self) -> Stream {
        tokio::select! {
            () = readable(self.out.as_ref()) => Stream::Out,
            () = readable(self.err.as_ref()) => Stream::Err,
        }
    }

    /// Hands on what a stream has now, at most a chunk; gives the number of bytes, and closes it at its end.
    fn take(&mut self, stream: Stream, sink: &mut impl OutputSink) -> usize {
        let output = match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        };
        let Some(open) = output else { return 0 };
        let taken = READ.with_borrow_mut(|chunk| {
            let length = open.try_read(chunk)?;
            sink.write(stream, chunk.get(..length).unwrap_or_default());
            Ok::<usize, io::Error>(length)
        });
        match taken {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Ok(0) | Err(_) => {
                *output = None;
                0
            }
            Ok(length) => length,
        }
    }

    async fn drain(&mut self, until: Instant, sink: &mut impl OutputSink) {
        while self.is_open() {
            tokio::select! {
                () = sleep_until(until) => return,
                stream = self.readable() => { self.take(stream, sink); }
            }
            coop::consume_budget().await;
        }
    }

    /// Takes what is in the pipes without waiting.
    fn take_rest(&mut self, sink: &mut impl OutputSink) {
        for stream in [Stream::Out, Stream::Err] {
            let mut taken = 0;
            while taken < LAST_BYTES {
                match self.take(stream, sink) {
                    0 => break,
                    length => taken += length,
                }
            }
        }
    }
}

async fn readable(output: Option<&ChildOutput>) {
    match output {
        // A failure shows itself when reading.
        Some(output) => drop(output.readable().await),
        None => std::future::pending().await,
    }
}

/// What it took to stop an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It ended by itself after the signal.
    Obeyed,
    /// The grace was over: it was cut off.
    Killed,
}

/// Asks every process of an attempt to end; after `grace` kills what is left of it.
///
/// Returns when the direct child has ended; whoever runs [`copy_output`] then ends the rest of the tree.
pub async fn stop(guard: &Guard, attempt: u64, signal: Sig, grace: Duration) -> Stopped {
    guard.signal(attempt, signal).await;
    if timeout(grace, guard.ended(attempt)).await.is_ok() {
        return Stopped::Obeyed;
    }
    guard.sweep(attempt).await;
    guard.ended(attempt).await;
    Stopped::Killed
}
