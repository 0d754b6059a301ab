//! The guard where there is no subreaper: process groups alone, inside the owner's own process.
//!
//! A process that leaves its group (setsid) is not found, and a killed owner leaves its children running.
use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, kill_process_group, test_kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};

use super::child::{Child, Ended, Exit, Exiting, Sig, Spawn, SpawnError, Stdin};

/// The handle that starts processes and ends their groups; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Guard(Arc<Groups>);

#[derive(Debug, Default)]
struct Groups {
    live: Mutex<BTreeMap<u64, Group>>,
}

/// The process group of an attempt.
#[derive(Debug, Clone)]
struct Group {
    leader: Option<Pid>,
    ended: watch::Receiver<bool>,
}

impl Group {
    fn signal(&self, sig: Sig) -> bool {
        self.leader.is_some_and(|leader| kill_process_group(leader, sig.to_signal()).is_ok())
    }

    fn lives(&self) -> bool {
        self.leader.is_some_and(|leader| test_kill_process_group(leader).is_ok())
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for group in self.live.get_mut().unwrap_or_else(PoisonError::into_inner).values() {
            group.signal(Sig::Kill);
        }
    }
}

/// A program that is ready to be started; dropped, it never is.
pub struct Launch {
    guard: Guard,
    runtime: Handle,
    spawn: Spawn,
    told: oneshot::Sender<Result<Child, SpawnError>>,
}

impl Launch {
    /// Starts it, from any thread. What comes of it is told to its [`Starting`].
    pub fn go(self) {
        let _inside = self.runtime.enter();
        // Nobody left to hear it is fine: the group is ended with the guard.
        let _ = self.told.send(self.guard.start_now(self.spawn));
    }
}

/// A program that starts once its [`Launch`] goes.
pub struct Starting {
    name: String,
    started: oneshot::Receiver<Result<Child, SpawnError>>,
}

impl Starting {
    /// Waits until the program runs or was refused.
    pub async fn child(self) -> Result<Child, SpawnError> {
        self.started.await.unwrap_or(Err(SpawnError::GuardLost { program: self.name }))
    }
}

impl Guard {
    /// A guard; there is no process behind it, so `exe` is not used and nothing can fail.
    pub fn start(_exe: &Path) -> io::Result<Self> {
        Ok(Self::default())
    }

    /// Process id of the guard: this process.
    pub fn pid(&self) -> u32 {
        std::process::id()
    }

    /// Always there.
    pub fn alive(&self) -> bool {
        true
    }

    /// Starts a program as leader of its own process group.
    pub async fn spawn(&self, spawn: Spawn) -> Result<Child, SpawnError> {
        let (launch, starting) = self.ready(spawn)?;
        launch.go();
        starting.child().await
    }

    /// Makes ready to start a program, and starts nothing yet. Must be called inside a tokio runtime.
    pub fn ready(&self, spawn: Spawn) -> Result<(Launch, Starting), SpawnError> {
        let (told, started) = oneshot::channel();
        let name = spawn.argv.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let launch = Launch { guard: self.clone(), runtime: Handle::current(), spawn, told };
        Ok((launch, Starting { name, started }))
    }

    fn start_now(&self, spawn: Spawn) -> Result<Child, SpawnError> {
        let name = spawn.argv.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if self.live().contains_key(&spawn.attempt) {
            return Err(SpawnError::Busy { program: name, attempt: spawn.attempt });
        }
        let cwd = spawn.cwd.clone();
        self.start_group(spawn).map_err(|error| worded(&error, name, &cwd))
    }

    fn start_group(&self, spawn: Spawn) -> io::Result<Child> {
        let (stdout, child_stdout) = output()?;
        let (stderr, child_stderr) = output()?;
        let mut words = spawn.argv.iter();
        let mut command = Command::new(words.next().ok_or(io::ErrorKind::NotFound)?);
        command.args(words).env_clear().envs(spawn.env).current_dir(&spawn.cwd).process_group(0);
        command.stdout(child_stdout).stderr(child_stderr);
        command.stdin(if spawn.stdin == Stdin::Null { Stdio::null() } else { Stdio::piped() });
        let mut process = command.spawn()?;
        let pid = process.id().unwrap_or_default();
        let (told_end, exit) = Exiting::new();
        let (tell, ended) = watch::channel(false);
        let group = Group { leader: Pid::from_raw(pid.cast_signed()), ended };
        self.live().insert(spawn.attempt, group.clone());
        if let (Some(mut stdin), Stdin::Bytes(bytes)) = (process.stdin.take(), spawn.stdin) {
            // A child that does not read all of its input is no error.
            tokio::spawn(async move { drop(stdin.write_all(&bytes).await) });
        }
        let (groups, attempt) = (Arc::downgrade(&self.0), spawn.attempt);
        tokio::spawn(async move {
            let exit = process.wait().await.map_or(Exit::GuardLost, exit_of);
            let left = group.lives();
            if let Some(groups) = groups.upgrade().filter(|_| !left) {
                groups.live.lock().unwrap_or_else(PoisonError::into_inner).remove(&attempt);
            }
            // Nobody left to hear it is fine.
            let _ = told_end.send(Ended { exit, left });
            tell.send_replace(true);
        });
        Ok(Child { attempt, pid, stdout, stderr, exit })
    }

    /// Sends a signal to the attempt's process group.
    pub async fn signal(&self, attempt: u64, sig: Sig) {
        if let Some(group) = self.live().get(&attempt) {
            group.signal(sig);
        }
    }

    /// Kills what is left of the attempt's process group; gives 1 if there was anything.
    pub async fn sweep(&self, attempt: u64) -> u32 {
        let group = self.live().get(&attempt).cloned();
        let Some(mut group) = group else { return 0 };
        let killed = group.signal(Sig::Kill);
        // The sender is dropped only after it told.
        let _ = group.ended.wait_for(|ended| *ended).await;
        self.live().remove(&attempt);
        u32::from(killed)
    }

    /// How many process groups live.
    pub async fn count(&self) -> u32 {
        self.live().values().filter(|group| group.lives()).count() as u32
    }

    /// Resolves when the direct child of the attempt has ended, at once if none is running.
    pub async fn ended(&self, attempt: u64) {
        let group = self.live().get(&attempt).cloned();
        if let Some(mut group) = group {
            // The sender is dropped only after it told.
            let _ = group.ended.wait_for(|ended| *ended).await;
        }
    }

    /// Kills every process group, and returns when their leaders are gone.
    pub async fn close(&self) {
        let attempts: Vec<u64> = self.live().keys().copied().collect();
        for attempt in attempts {
            self.sweep(attempt).await;
        }
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<u64, Group>> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn output() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    Ok((pipe::Receiver::from_owned_fd(ours.into())?, theirs.into()))
}

fn exit_of(status: std::process::ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::GuardLost,
    }
}

fn worded(error: &io::Error, program: String, cwd: &Path) -> SpawnError {
    if let Err(folder) = std::fs::metadata(cwd.join(".")) {
        let cwd = cwd.to_string_lossy().into_owned();
        return SpawnError::Folder { program, cwd, reason: folder.to_string() };
    }
    match error.kind() {
        io::ErrorKind::NotFound => SpawnError::NotFound { program },
        io::ErrorKind::PermissionDenied => SpawnError::Denied { program },
        io::ErrorKind::ArgumentListTooLong => SpawnError::TooLong { program },
        _ => SpawnError::Failed { program, reason: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt;
    use tokio::time::timeout;

    use super::*;

    fn sh(attempt: u64, script: &str) -> Spawn {
        Spawn {
            attempt,
            argv: ["/bin/sh", "-c", script].map(Into::into).to_vec(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: "/".into(),
            stdin: Stdin::Bytes(b"in".to_vec()),
        }
    }

    async fn end(child: &mut Child) -> Ended {
        timeout(Duration::from_secs(20), &mut child.exit).await.unwrap()
    }

    #[tokio::test]
    async fn a_group_is_started_signalled_and_swept() {
        let guard = Guard::start(Path::new("unused")).unwrap();
        assert!(guard.alive());
        assert_eq!(guard.pid(), std::process::id());
        let mut child = guard.spawn(sh(1, "cat; exit 3")).await.unwrap();
        let mut out = String::new();
        child.stdout.read_to_string(&mut out).await.unwrap();
        assert_eq!(out, "in");
        assert_eq!(end(&mut child).await, Ended { exit: Exit::Code(3), left: false });
        guard.ended(1).await;

        let mut child = guard.spawn(sh(1, "sleep 60 & exit 0")).await.unwrap();
        assert_eq!(end(&mut child).await, Ended { exit: Exit::Code(0), left: true });
        assert_eq!(guard.sweep(1).await, 1);

        let mut child = guard.spawn(sh(1, "exec sleep 60")).await.unwrap();
        assert!(matches!(guard.spawn(sh(1, "true")).await, Err(SpawnError::Busy { .. })));
        assert_eq!(guard.count().await, 1);
        guard.signal(1, Sig::Term).await;
        assert_eq!(end(&mut child).await.exit, Exit::Signal(15));

        let mut child = guard.spawn(sh(2, "exec sleep 60")).await.unwrap();
        guard.close().await;
        assert_eq!(end(&mut child).await.exit, Exit::Signal(9));
        assert_eq!(guard.count().await, 0);
        let missing = Spawn { argv: vec!["/no/such".into()], ..sh(3, "") };
        assert!(matches!(guard.spawn(missing).await, Err(SpawnError::NotFound { .. })));
    }
}
