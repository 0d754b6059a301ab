//! The owner of the standing run: found, or started when nobody owns it.
use super::call::Failed;
use super::look::{self, OWNER_TIME};
use super::place;
use crate::runtime::launch::launch;
use crate::runtime::{ConnectError, Handle, Remote};
use crate::store::{OwnerNote, RunDir, Starting, owner_of};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// Between two looks for an owner that is starting.
const LOOK_TIME: Duration = Duration::from_millis(10);

/// The owner of the standing run. `root` is the project, `state` the state directory if it was named.
///
/// Of many who start at once, one starts an owner and the others wait for it.
pub async fn attach(run: &RunDir, root: &Path, state: Option<&Path>) -> Result<Handle, Failed> {
    let mut until = Instant::now() + OWNER_TIME;
    let mut started: Option<Started> = None;
    loop {
        match owner_of(run).map_err(look::failed)? {
            Some(note) => {
                if let Some(handle) = greet(run, &note).await? {
                    started.into_iter().for_each(Started::leave);
                    return Ok(handle);
                }
            }
            None => match &mut started {
                Some(owner) => match owner.ended() {
                    Some(Err(failed)) => return Err(failed),
                    Some(Ok(())) => started = None,
                    None => {}
                },
                None => {
                    started = try_start(run, root, state)?;
                    until = if started.is_some() { Instant::now() + OWNER_TIME } else { until };
                }
            },
        }
        if Instant::now() >= until {
            return Err(started.as_ref().map_or_else(nobody, Started::late));
        }
        tokio::time::sleep(LOOK_TIME).await;
    }
}

/// The owner behind its socket; none while it does not listen yet.
async fn greet(run: &RunDir, note: &OwnerNote) -> Result<Option<Handle>, Failed> {
    let Some(socket) = &note.socket else { return Err(look::owned(run.name(), note)) };
    match tokio::time::timeout(OWNER_TIME, Remote::connect(Path::new(socket), run)).await {
        Ok(Ok(remote)) => Ok(Some(Handle::Remote(remote))),
        Ok(Err(error @ ConnectError::Version { .. })) => Err(look::other_version(&error, note)),
        Ok(Err(ConnectError::Refused(rejection))) => Err(look::refused(&rejection)),
        Ok(Err(_)) => Ok(None),
        Err(_) => Err(Failed::usage(format!(
            "the owner of {} (process {}) does not answer",
            look::title(run.name()),
            note.pid
        ))
        .help(format!("look what it does: `ps {}`", note.pid))),
    }
}

/// An owner that was started, until it listens.
struct Started {
    child: Child,
    starting: Starting,
}

impl Started {
    /// It has ended: well, or why not, by its last words.
    fn ended(&mut self) -> Option<Result<(), Failed>> {
        let status = self.child.try_wait().ok().flatten()?;
        Some(if status.success() { Ok(()) } else { Err(self.said("has ended")) })
    }

    /// It goes on by itself; its end is taken note of, so that no zombie stays while this process lives.
    fn leave(self) {
        let mut child = self.child;
        std::thread::spawn(move || child.wait());
    }

    fn late(&self) -> Failed {
        self.said("does not listen")
    }

    fn said(&self, what: &str) -> Failed {
        let word = self.starting.last_word();
        let word = word.as_deref().map(|word| word.strip_prefix("error: ").unwrap_or(word));
        let word = word.map_or_else(String::new, |word| format!(": {}", crate::text::sanitise::line(word)));
        Failed::usage(format!("the owner of the standing run {what}{word}"))
            .help("see what it says: `teamtui serve`")
    }
}

fn nobody() -> Failed {
    Failed::usage("nobody came to own the standing run, and another teamtui is starting an owner")
        .help("see what it says: `teamtui serve`")
}

/// Starts an owner; none while another process does, or has.
fn try_start(run: &RunDir, root: &Path, state: Option<&Path>) -> Result<Option<Started>, Failed> {
    let Some(starting) = Starting::take(run).map_err(look::failed)? else { return Ok(None) };
    if owner_of(run).map_err(look::failed)?.is_some() {
        return Ok(None);
    }
    start(starting, root, state).map(Some)
}

fn start(starting: Starting, root: &Path, state: Option<&Path>) -> Result<Started, Failed> {
    let words = starting.words().map_err(look::failed)?;
    let state = state.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let mut arguments = vec![OsStr::new("serve")];
    if let Some(state) = &state {
        arguments.extend([OsStr::new("--state"), state.as_os_str()]);
    }
    match launch(&place::exe(), &arguments, root, words) {
        Ok(child) => Ok(Started { child, starting }),
        Err(error) => Err(Failed::usage(format!("the owner could not be started: {error}"))),
    }
}
