//! What is told, on its way to the two streams: a thread for each stream writes it, so that a reader who does not read
//! holds up nobody who must hear signals.
//!
//! Lines come out in the order of their telling, on both streams together, as long as both are read. What is put since
//! the last flush is one write, and while much is told, what is put within `GATHER_TIME` is.
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Bytes of one stream on their way; at it nothing more is told until some are written. Reason: they are held in memory.
const MAX_UNSAID_BYTES: u64 = 1 << 20;
/// Bytes that are written without a flush being waited for.
const BURST_BYTES: u64 = 64 << 10;
/// Between two writes of a stream, unless somebody waits for them: a thread that is woken for each line costs a run of
/// small programs a tenth of its time.
const GATHER_TIME: Duration = Duration::from_millis(2);
/// A stream whose reader has not moved for so long is overtaken by the other one.
const ORDER_TIME: Duration = Duration::from_millis(250);

/// Where a run tells: standard output and standard error, or what stands for them.
pub struct Streams {
    /// Results.
    pub out: Box<dyn Write + Send>,
    /// Everything else.
    pub err: Box<dyn Write + Send>,
}

/// One of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Out => Self::Err,
            Self::Err => Self::Out,
        }
    }
}

/// Bytes that are written at once, and how much of the other stream comes before them.
struct Part {
    bytes: Vec<u8>,
    after: u64,
}

/// One stream.
struct Lane {
    parts: VecDeque<Part>,
    put: u64,
    written: u64,
    /// When its writer last had nothing to do, or something done.
    moved: Instant,
    /// When it last wrote.
    wrote: Option<Instant>,
    /// Its writer has nothing to do, and waits to be woken.
    sleeps: bool,
    fault: Option<io::Error>,
    /// It failed: what is put is dropped.
    is_dead: bool,
}

impl Lane {
    fn new() -> Self {
        Self {
            parts: VecDeque::new(),
            put: 0,
            written: 0,
            moved: Instant::now(),
            wrote: None,
            sleeps: false,
            fault: None,
            is_dead: false,
        }
    }

    fn left(&self) -> u64 {
        self.put.saturating_sub(self.written)
    }
}

struct Lanes {
    out: Lane,
    err: Lane,
    /// Somebody waits for what was put.
    is_urgent: bool,
    /// Nobody puts any more.
    is_over: bool,
}

impl Lanes {
    fn of(&mut self, side: Side) -> &mut Lane {
        match side {
            Side::Out => &mut self.out,
            Side::Err => &mut self.err,
        }
    }

    fn put(&mut self, side: Side, bytes: &[u8]) -> u64 {
        let after = self.of(side.other()).put;
        let lane = self.of(side);
        if lane.is_dead || bytes.is_empty() {
            return 0;
        }
        if lane.left() == 0 {
            lane.moved = Instant::now();
        }
        lane.put = lane.put.saturating_add(length(bytes));
        match lane.parts.back_mut().filter(|part| part.after == after) {
            Some(part) => part.bytes.extend_from_slice(bytes),
            None => lane.parts.push_back(Part { bytes: bytes.to_vec(), after }),
        }
        lane.left()
    }

    /// How long a stream still gathers before it writes again.
    fn pause(&mut self, side: Side) -> Duration {
        let at_once = self.is_urgent || self.is_over;
        let lane = self.of(side);
        match lane.wrote {
            Some(wrote) if !at_once && lane.left() < BURST_BYTES => {
                GATHER_TIME.saturating_sub(wrote.elapsed())
            }
            _ => Duration::ZERO,
        }
    }

    /// Must the writer of a stream be woken? One that gathers comes by itself.
    fn must_wake(&mut self, side: Side) -> bool {
        let at_once = self.is_urgent || self.is_over;
        let lane = self.of(side);
        at_once || lane.left() >= BURST_BYTES || (lane.sleeps && !lane.parts.is_empty())
    }

    /// The next part of a stream; or how long it waits for the other one, for ever where there is none.
    fn next(&mut self, side: Side) -> Result<Part, Option<Duration>> {
        let other = self.of(side.other());
        let (written, moved) = (other.written, other.moved);
        let lane = self.of(side);
        let Some(part) = lane.parts.front() else { return Err(None) };
        let patience = ORDER_TIME.saturating_sub(moved.elapsed());
        if part.after > written && !patience.is_zero() {
            return Err(Some(patience));
        }
        lane.parts.pop_front().ok_or(None)
    }

    fn settle(&mut self, side: Side, count: u64, done: io::Result<()>) {
        let lane = self.of(side);
        lane.moved = Instant::now();
        lane.wrote = Some(lane.moved);
        lane.written = lane.written.saturating_add(count);
        if let Err(error) = done {
            lane.fault = Some(error);
            lane.is_dead = true;
            lane.parts.clear();
            lane.written = lane.put;
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

struct Shared {
    lanes: Mutex<Lanes>,
    out: Condvar,
    err: Condvar,
    failed: Notify,
    moved: Notify,
}

impl Shared {
    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, side: Side) {
        if self.lanes().must_wake(side) {
            self.notify(side);
        }
    }

    fn notify(&self, side: Side) {
        match side {
            Side::Out => self.out.notify_one(),
            Side::Err => self.err.notify_one(),
        }
    }

    /// The next part to be written; none: nothing comes any more.
    fn next(&self, side: Side) -> Option<Part> {
        let woken = if side == Side::Out { &self.out } else { &self.err };
        let mut lanes = self.lanes();
        loop {
            let pause = lanes.pause(side);
            if !pause.is_zero() {
                lanes = woken.wait_timeout(lanes, pause).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            match lanes.next(side) {
                Ok(part) => return Some(part),
                Err(None) if lanes.is_over => return None,
                Err(None) => {
                    lanes.of(side).sleeps = true;
                    lanes = woken.wait(lanes).unwrap_or_else(PoisonError::into_inner);
                    lanes.of(side).sleeps = false;
                }
                Err(Some(patience)) => {
                    self.notify(side.other());
                    lanes = woken.wait_timeout(lanes, patience).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    fn write(&self, side: Side, to: &mut dyn Write) {
        while let Some(Part { bytes, .. }) = self.next(side) {
            let done = to.write_all(&bytes).and_then(|()| to.flush());
            let failed = done.is_err();
            let mut lanes = self.lanes();
            lanes.settle(side, length(&bytes), done);
            let waits = !lanes.of(side.other()).parts.is_empty();
            drop(lanes);
            if waits {
                self.notify(side.other());
            }
            self.moved.notify_one();
            if failed {
                self.failed.notify_one();
            }
        }
    }
}

/// One stream, to be written to: it takes everything at once, and a flush sends it on its way.
pub struct Pen {
    shared: Arc<Shared>,
    side: Side,
}

impl Write for Pen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.shared.lanes().put(self.side, bytes);
        if left >= BURST_BYTES {
            self.shared.notify(self.side);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.shared.wake(self.side);
        Ok(())
    }
}

/// How far the two streams are. Dropped, their threads end with what is left.
pub struct Desk(Arc<Shared>);

/// Starts a thread for each stream; gives the pens of standard output and standard error, and the desk they write at.
pub fn desk(streams: Streams) -> io::Result<(Pen, Pen, Desk)> {
    let shared = Arc::new(Shared {
        lanes: Mutex::new(Lanes { out: Lane::new(), err: Lane::new(), is_urgent: false, is_over: false }),
        out: Condvar::new(),
        err: Condvar::new(),
        failed: Notify::new(),
        moved: Notify::new(),
    });
    let desk = Desk(Arc::clone(&shared));
    for (name, side, mut to) in [("out", Side::Out, streams.out), ("err", Side::Err, streams.err)] {
        let shared = Arc::clone(&shared);
        // Nobody joins it: at the end of the process a reader that does not read is left alone with it.
        std::thread::Builder::new().name(name.into()).spawn(move || shared.write(side, &mut *to))?;
    }
    let pen = |side| Pen { shared: Arc::clone(&shared), side };
    Ok((pen(Side::Out), pen(Side::Err), desk))
}

impl Desk {
    /// What was put is on its way.
    pub fn flush(&self) {
        self.0.wake(Side::Out);
        self.0.wake(Side::Err);
    }

    /// What was put is waited for.
    pub fn hurry(&self) {
        self.urgent(true);
        self.0.notify(Side::Out);
        self.0.notify(Side::Err);
    }

    /// It came, or nobody waits any more.
    pub fn calm(&self) {
        self.urgent(false);
    }

    fn urgent(&self, is_urgent: bool) {
        self.0.lanes().is_urgent = is_urgent;
    }

    /// Nothing more should be put before something is written.
    pub fn is_full(&self) -> bool {
        let lanes = self.0.lanes();
        [&lanes.out, &lanes.err].iter().any(|lane| lane.left() > MAX_UNSAID_BYTES)
    }

    /// Everything that was put into a stream was written, or it has failed.
    pub fn is_said(&self, side: Side) -> bool {
        self.0.lanes().of(side).left() == 0
    }

    /// A stream has failed: nothing is written to it any more.
    pub fn is_dead(&self, side: Side) -> bool {
        self.0.lanes().of(side).is_dead
    }

    /// Why standard output has failed; given once.
    pub fn fault(&self) -> Option<io::Error> {
        self.0.lanes().out.fault.take()
    }

    /// Resolves when a stream has failed. For one who waits. Cancel safe.
    pub async fn failed(&self) {
        self.0.failed.notified().await;
    }

    /// Resolves when something was written since it last did. For one who waits. Cancel safe.
    pub async fn moved(&self) {
        self.0.moved.notified().await;
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.0.lanes().is_over = true;
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Both streams write here: what was written, by whom.
    struct Page(&'static str, Sender<String>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = format!("{}:{}", self.0, String::from_utf8_lossy(bytes));
            self.1.send(text).map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Writes nothing before it is told to, then fails or not.
    struct Stuck(Receiver<io::Result<()>>);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().unwrap_or(Ok(())).map(|()| bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn both() -> (Streams, Receiver<String>) {
        let (sender, written) = channel();
        let err = Box::new(Page("err", sender.clone()));
        (Streams { out: Box::new(Page("out", sender)), err }, written)
    }

    #[tokio::test]
    async fn what_is_put_between_two_flushes_is_one_write_and_the_order_is_that_of_the_telling() {
        let (streams, written) = both();
        let (mut out, mut err, desk) = desk(streams).unwrap();
        for round in 0..50 {
            write!(err, "a{round}").unwrap();
            write!(err, "b").unwrap();
            write!(out, "c").unwrap();
            write!(err, "d").unwrap();
            desk.flush();
            let parts: Vec<String> = (0..3).map(|_| written.recv().unwrap()).collect();
            assert_eq!(parts, [format!("err:a{round}b"), "out:c".to_owned(), "err:d".to_owned()]);
        }
        while !desk.is_said(Side::Err) {
            desk.moved().await;
        }
    }

    #[tokio::test]
    async fn a_stream_that_is_stuck_holds_up_neither_the_teller_nor_the_other_stream() {
        let (sender, written) = channel();
        let (go, told) = channel();
        let streams = Streams { out: Box::new(Stuck(told)), err: Box::new(Page("err", sender)) };
        let (mut out, mut err, desk) = desk(streams).unwrap();
        for _ in 0..20 {
            out.write_all(&[b'x'; 64 << 10]).unwrap();
        }
        assert!(desk.is_full() && !desk.is_said(Side::Out));
        writeln!(err, "it is stuck").unwrap();
        desk.flush();
        assert_eq!(written.recv().unwrap(), "err:it is stuck\n");
        // It goes on where it is read again.
        drop(go);
        while !desk.is_said(Side::Out) {
            desk.moved().await;
        }
        assert!(!desk.is_full());
    }

    #[tokio::test]
    async fn a_stream_that_fails_says_so_once_and_takes_the_rest_in_silence() {
        let (go, told) = channel();
        let (streams, _written) = both();
        let (mut out, _err, desk) = desk(Streams { out: Box::new(Stuck(told)), ..streams }).unwrap();
        go.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        writeln!(out, "a").unwrap();
        desk.flush();
        desk.failed().await;
        assert_eq!(desk.fault().map(|e| e.kind()), Some(io::ErrorKind::StorageFull));
        writeln!(out, "b").unwrap();
        assert!(desk.fault().is_none() && desk.is_dead(Side::Out) && desk.is_said(Side::Out));
    }
}
