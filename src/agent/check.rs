//! Outputs and checks: whether what a member says is done can be seen to be done (R16).
use std::ffi::OsString;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::baseline::Baseline;
use super::beneath::Root;
use super::guard::{Exit, Guard, MARKER, Sig, Spawn, Stdin};
use super::process::env::{Environment, Inherited};
use super::process::{Finished, Kept, SHELL, copy_output, set_path, stop};
use super::seat::{Order, Place};
use crate::domain::CheckJob;
use crate::domain::port::{Channel, Output};
use crate::text::quantity::duration;
use crate::text::{Untrusted, cut};

/// Between the signal that ends a check and KILL. Reason: a check has nothing to save.
const CHECK_GRACE: Duration = Duration::from_secs(2);

/// Columns of a check's last line that its refusal repeats.
const MAX_SAID: usize = 120;

/// Everything that looking at outputs and running checks needs.
pub struct Checks {
    /// What to look at.
    pub job: CheckJob,
    /// What the outputs were when the attempt began.
    pub baseline: Baseline,
    /// Under which the checks run; checks without one are refused.
    pub guard: Option<Guard>,
    /// The number they run by, one after the other: unique among what is live under the guard.
    pub number: u64,
    /// Only the marker, the run, the scratch and the folder on `PATH` count here: a check has no token to act with.
    pub place: Place,
    /// What checks inherit.
    pub inherited: Arc<Inherited>,
    /// How long each may take: [`CHECK_TIME_MS`](crate::domain::limits::CHECK_TIME_MS).
    pub time_ms: u64,
    /// Where what they print goes.
    pub output: Arc<dyn Output>,
    /// `Stop` ends them; a check that was cut off, or not begun, is refused.
    pub orders: watch::Receiver<Order>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Looked {
    /// Each refusal; empty: all hold.
    pub refused: Vec<Untrusted>,
    /// Outputs that were written, with their sizes in bytes.
    pub outputs: Vec<(String, u64)>,
}

/// Looks at every output and runs every check, also after one was refused.
pub async fn check(checks: Checks) -> Looked {
    let mut looked = look(&checks).await;
    for line in &checks.job.checks {
        if let Err(refusal) = checks.run(line).await {
            looked.refused.push(Untrusted::from(refusal));
        }
    }
    for refusal in &looked.refused {
        checks.note(&refusal.line());
    }
    looked
}

/// Looks at the outputs. Reading them blocks, so another thread does it.
async fn look(checks: &Checks) -> Looked {
    if checks.job.outputs.is_empty() {
        return Looked::default();
    }
    let (job, baseline) = (checks.job.clone(), checks.baseline.clone());
    let looking = tokio::task::spawn_blocking(move || {
        let mut looked = Looked::default();
        let root = Root::open(&PathBuf::from(&job.workspace));
        for path in job.outputs {
            let written = match &root {
                Ok(root) => baseline.written(root, &path),
                Err(error) => Err(format!("output {path}: the workspace {}: {error}", job.workspace)),
            };
            match written {
                Ok(bytes) => looked.outputs.push((path, bytes)),
                Err(refusal) => looked.refused.push(Untrusted::from(refusal)),
            }
        }
        looked
    });
    looking.await.unwrap_or_else(|_| Looked {
        refused: vec![Untrusted::from("the outputs could not be looked at")],
        outputs: Vec::new(),
    })
}

/// Why a check is cut off.
enum Cut {
    Time,
    Ordered,
}

impl Checks {
    /// Runs one check; the error is its refusal.
    async fn run(&self, line: &str) -> Result<(), String> {
        let Some(guard) = &self.guard else { return Err(format!("check refused: {line}  no process guard")) };
        if let Order::Stop { .. } = *self.orders.borrow() {
            return Err(cut_off(line));
        }
        self.note(&format!("check: {line}"));
        let spawn = Spawn {
            attempt: self.number,
            argv: [SHELL, "-c", line].map(OsString::from).to_vec(),
            env: self.environment(),
            cwd: PathBuf::from(&self.job.workspace),
            stdin: Stdin::Null,
        };
        let child = guard.spawn(spawn).await.map_err(|error| format!("check refused: {line}  {error}"))?;
        let mut kept = Kept::both(&self.output);
        let ended = {
            let mut copy = pin!(copy_output(guard, child, &mut kept));
            tokio::select! {
                finished = &mut copy => Ok(finished),
                cut = self.cut() => {
                    tokio::join!(copy, stop(guard, self.number, Sig::Term, CHECK_GRACE));
                    Err(cut)
                }
            }
        };
        match ended {
            Ok(Finished { exit: Exit::Code(0), .. }) => Ok(()),
            Ok(Finished { exit, .. }) => Err(refusal(line, exit, &kept)),
            Err(Cut::Time) => Err(format!("check over its time, {}: {line}", duration(self.time_ms))),
            Err(Cut::Ordered) => Err(cut_off(line)),
        }
    }

    /// Resolves when a check must be cut off.
    async fn cut(&self) -> Cut {
        let mut orders = self.orders.clone();
        let ordered = async {
            if orders.wait_for(|order| matches!(order, Order::Stop { .. })).await.is_err() {
                // Nobody gives orders any more.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = ordered => Cut::Ordered,
            () = sleep(Duration::from_millis(self.time_ms)) => Cut::Time,
        }
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut env = Environment::new(&self.inherited, &self.job.env);
        env.add_path(&self.place.exe_folder);
        env.set("TEAMTUI_RUN", &self.place.run);
        env.set("TEAMTUI_TEAM", self.job.team_name.as_str());
        env.set(MARKER, self.place.mark(self.number));
        set_path(&mut env, "TEAMTUI_SCRATCH", &self.place.scratch);
        env.into_vec()
    }

    fn note(&self, line: &str) {
        self.output.write(Channel::Note, format!("{line}\n").as_bytes());
    }
}

fn cut_off(line: &str) -> String {
    format!("check cut off: {line}")
}

fn refusal(line: &str, exit: Exit, kept: &Kept<'_>) -> String {
    let how = match exit {
        Exit::Code(code) => format!("exit {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::GuardLost => "its guard was lost".to_owned(),
    };
    let text = kept.tail.text();
    let said = text.raw().lines().rev().map(|line| Untrusted::from(line).line().trim().to_owned());
    match said.take(32).find(|said| !said.is_empty()) {
        Some(said) => format!("check refused: {line}  {how}: {}", cut(&said, MAX_SAID)),
        None => format!("check refused: {line}  {how}"),
    }
}
