//! Runs the process of one attempt to its end, and ends it when that is ordered.
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::drain::{OutputSink, Stream, copy_output};
use super::env::Environment;
use super::handout::{Handout, task_word};
use super::tail::Tail;
use crate::agent::guard::{Exit, Guard, MARKER, Sig, Spawn, SpawnError, Stdin};
use crate::agent::seat::{Order, Seat, not_started};
use crate::domain::decide::token_text;
use crate::domain::port::{Channel, Output};
use crate::domain::{AttemptEnd, Driver, EndCause, Line, Purpose, StopSignal, spec};
use crate::text::Untrusted;

/// The longest grace that is waited for; a longer one is this long. Reason: clocks end somewhere.
const MAX_GRACE_MS: u64 = 24 * 60 * 60 * 1000;

/// The shell of `run` lines and checks; a path, so that it is found whatever `PATH` a member has.
pub const SHELL: &str = "/bin/sh";

/// Runs the process that a job asks for.
pub async fn run(seat: Seat) -> AttemptEnd {
    let Driver::Process { line, stdin } = &seat.job.agent.driver else {
        return not_started("it has no process");
    };
    let Some(guard) = &seat.guard else {
        return not_started("there is no process guard; give the attempt to an owner that has one");
    };
    if let Order::Stop { .. } = *seat.orders.borrow() {
        return AttemptEnd { cause: EndCause::Stopped, ..AttemptEnd::default() };
    }
    let handout = match Handout::write(&seat.place, &seat.job) {
        Ok(handout) => handout,
        Err(error) => {
            let folder = seat.place.folder.display();
            return not_started(format!("cannot write its prompt and inputs to {folder}: {error}"));
        }
    };
    let spawn = Spawn {
        attempt: seat.attempt().0,
        argv: argv(line),
        env: environment(&seat, &handout),
        cwd: PathBuf::from(seat.job.agent.cwd.as_ref().unwrap_or(&seat.job.workspace)),
        stdin: match stdin {
            spec::Stdin::Null => Stdin::Null,
            spec::Stdin::Prompt => Stdin::Bytes(seat.job.prompt.clone().into_bytes()),
        },
    };
    let signal = signal_of(seat.job.agent.stop);
    let mut kept = Kept::out(&seat.output);
    let cause = match supervise(guard, spawn, signal, &seat, &mut kept).await {
        Ok(cause) => cause,
        Err(SpawnError::GuardLost { .. }) => EndCause::Lost,
        Err(error) => EndCause::NotStarted(Untrusted::from(error.to_string())),
    };
    failpoint!("exit.before");
    let cost_micros = handout.cost_micros().unwrap_or_else(|why| {
        let note = format!("$TEAMTUI_USAGE is not read: {why}\n");
        seat.output.write(Channel::Note, note.as_bytes());
        None
    });
    let result = handout.result().unwrap_or_else(|| kept.tail.text());
    clear_up(handout);
    failpoint!("exit.after");
    AttemptEnd { cause, result, output_bytes: kept.bytes, cost_micros }
}

/// Takes the files away once the end is reported; nobody waits for that.
fn clear_up(handout: Handout) {
    if handout.is_in_memory() {
        // Cheaper than to wake another thread.
        drop(tokio::spawn(async move { handout.remove() }));
    } else {
        drop(tokio::task::spawn_blocking(move || handout.remove()));
    }
}

/// Starts a program, hands on what it prints, and obeys orders about it until nothing of it is left.
async fn supervise(
    guard: &Guard,
    spawn: Spawn,
    signal: Sig,
    seat: &Seat,
    kept: &mut Kept<'_>,
) -> Result<EndCause, SpawnError> {
    let attempt = spawn.attempt;
    let mut orders = seat.orders.clone();
    let (launch, starting) = guard.ready(spawn)?;
    seat.gate.pass(move || launch.go());
    let child = starting.child().await?;
    let mut copy = pin!(copy_output(guard, child, kept));
    let mut ending = Ending::default();
    ending.hear(*orders.borrow_and_update());
    let finished = loop {
        tokio::select! {
            finished = &mut copy => break finished,
            never = ending.come(guard, attempt, signal) => match never {},
            order = next(&mut orders) => ending.hear(order),
        }
    };
    Ok(match finished.exit {
        Exit::Code(code) => EndCause::Exit(code),
        Exit::Signal(_) if ending.asked => EndCause::Stopped,
        Exit::Signal(signal) => EndCause::Signal(signal),
        Exit::GuardLost => EndCause::Lost,
    })
}

/// The next order; none if nobody gives any more.
async fn next(orders: &mut watch::Receiver<Order>) -> Order {
    match orders.changed().await {
        Ok(()) => *orders.borrow_and_update(),
        Err(_) => std::future::pending().await,
    }
}

/// When an attempt is signalled and when it is killed, by the strictest of the orders so far.
#[derive(Debug, Default)]
struct Ending {
    signal_at: Option<Instant>,
    kill_at: Option<Instant>,
    /// It is being signalled, or was.
    asked: bool,
    signalled: bool,
    killed: bool,
}

impl Ending {
    fn hear(&mut self, order: Order) {
        let (signal, kill) = match order {
            Order::Run => return,
            Order::LetGo { grace_ms } => (grace_ms, grace_ms.saturating_mul(2)),
            Order::Stop { grace_ms, .. } => (0, grace_ms),
        };
        let now = Instant::now();
        let sooner = |at: Option<Instant>, ms: u64| {
            let new = now + Duration::from_millis(ms.min(MAX_GRACE_MS));
            Some(at.map_or(new, |at| at.min(new)))
        };
        self.signal_at = sooner(self.signal_at, signal);
        self.kill_at = sooner(self.kill_at, kill);
    }

    /// Does each step when it is due, and never returns: a new order cuts it off.
    async fn come(&mut self, guard: &Guard, attempt: u64, signal: Sig) -> Infallible {
        let (Some(signal_at), Some(kill_at)) = (self.signal_at, self.kill_at) else {
            return std::future::pending().await;
        };
        // A step that another order cuts off is done again: twice is no harm.
        if !self.signalled {
            sleep_until(signal_at).await;
            self.asked = true;
            guard.signal(attempt, signal).await;
            self.signalled = true;
        }
        // Once the direct child has ended, what it left is swept by whoever copies the output.
        if !self.killed && timeout_at(kill_at, guard.ended(attempt)).await.is_err() {
            guard.sweep(attempt).await;
            self.killed = true;
        }
        std::future::pending().await
    }
}

/// Hands output on, counts it, and keeps its end.
pub struct Kept<'a> {
    output: &'a Arc<dyn Output>,
    /// The end of standard output, or of both.
    pub tail: Tail,
    /// Bytes in all.
    pub bytes: u64,
    both: bool,
}

impl<'a> Kept<'a> {
    /// Keeps the end of standard output.
    pub fn out(output: &'a Arc<dyn Output>) -> Self {
        Self { output, tail: Tail::default(), bytes: 0, both: false }
    }

    /// Keeps the end of both outputs.
    pub fn both(output: &'a Arc<dyn Output>) -> Self {
        Self { both: true, ..Self::out(output) }
    }
}

impl OutputSink for Kept<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let channel = match stream {
            Stream::Out => Channel::Out,
            Stream::Err => Channel::Err,
        };
        self.output.write(channel, bytes);
        if self.both || stream == Stream::Out {
            self.tail.push(bytes);
        }
    }
}

fn argv(line: &Line) -> Vec<OsString> {
    match line {
        Line::Run(line) => [SHELL, "-c", line].map(OsString::from).to_vec(),
        Line::Argv(words) => words.iter().map(OsString::from).collect(),
    }
}

fn environment(seat: &Seat, handout: &Handout) -> Vec<(OsString, OsString)> {
    let (job, place) = (&seat.job, &seat.place);
    let mut env = Environment::new(&seat.inherited, &job.env);
    env.add_path(&place.exe_folder);
    env.set("TEAMTUI_RUN", &place.run);
    env.set("TEAMTUI_TEAM", job.team_name.as_str());
    env.set("TEAMTUI_MEMBER", job.member.as_str());
    if let Purpose::Task(number) | Purpose::Review(number) = job.purpose {
        env.set("TEAMTUI_TASK", task_word(&job.label, number.0));
    }
    env.set(MARKER, place.mark(job.attempt.0));
    env.set("TEAMTUI_TOKEN", token_text(job.attempt, job.token));
    env.set("TEAMTUI_PROMPT_FILE", &handout.prompt);
    env.set("TEAMTUI_INPUTS", &handout.inputs);
    env.set("TEAMTUI_RESULT", &handout.result);
    env.set("TEAMTUI_USAGE", &handout.usage);
    set_path(&mut env, "TEAMTUI_SCRATCH", &place.scratch);
    set_path(&mut env, "TEAMTUI_SOCKET", &place.socket);
    env.into_vec()
}

/// Sets a path, unless there is none.
pub fn set_path(env: &mut Environment, name: &str, path: &Path) {
    if !path.as_os_str().is_empty() {
        env.set(name, path);
    }
}

fn signal_of(signal: StopSignal) -> Sig {
    match signal {
        StopSignal::Term => Sig::Term,
        StopSignal::Int => Sig::Int,
        StopSignal::Hup => Sig::Hup,
        StopSignal::Quit => Sig::Quit,
    }
}
