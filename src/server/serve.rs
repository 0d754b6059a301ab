//! The owner of the standing run: there while it is needed, gone by itself when it is not.
use super::listen::{Attached, Listening};
use crate::domain::{Pulse, State, StopCause, Waits};
use crate::runtime::Owned;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long an owner without work and without clients stays: the next command soon after finds it.
const IDLE_TIME: Duration = Duration::from_secs(2);
/// How often an owner without clients looks whether work is left.
const LOOK_TIME: Duration = Duration::from_secs(1);

/// Why an owner ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Nothing was left to do, and nobody was attached.
    Idle,
    /// A signal.
    Signal(i32),
}

/// Serves until nothing is live, nothing is due and nobody is attached; or until it is signalled. A
/// signal while it ends takes the grace away.
pub async fn serve(owned: Owned, mut listening: Listening, mut signals: mpsc::Receiver<i32>) -> Served {
    let ended = tokio::select! {
        () = idle(&owned, &mut listening) => Served::Idle,
        Some(number) = signals.recv() => Served::Signal(number),
    };
    if ended != Served::Idle {
        let interrupted = owned.interrupt(StopCause::Signal);
        tokio::pin!(interrupted);
        loop {
            tokio::select! {
                () = &mut interrupted => break,
                Some(_) = signals.recv() => owned.kill(),
            }
        }
    }
    drop(listening);
    owned.end().await;
    ended
}

/// Resolves when nobody needs the owner and nobody can come any more.
async fn idle(owned: &Owned, listening: &mut Listening) {
    loop {
        let came = unneeded(owned, &listening.attached).await;
        if shut(owned, listening, came).await {
            return;
        }
    }
}

/// Closes the doors for good, unless more than `came` have come by then: whoever is accepted is answered. Who finds the
/// doors closed was not heard, and finds them open again, or the next owner.
async fn shut(owned: &Owned, listening: &mut Listening, came: usize) -> bool {
    listening.close().await;
    if listening.attached.came() == came {
        return true;
    }
    if listening.open(&owned.local).is_ok() {
        return false;
    }
    while listening.attached.count() > 0 {
        let _ = tokio::time::timeout(LOOK_TIME, listening.attached.changed()).await;
    }
    true
}

/// Resolves when nothing is left to do, and nobody has come for a while; gives how many had come until then.
async fn unneeded(owned: &Owned, attached: &Attached) -> usize {
    loop {
        while attached.count() > 0 {
            // Word of a change may have come before this waits for it.
            let _ = tokio::time::timeout(LOOK_TIME, attached.changed()).await;
        }
        let came = attached.came();
        tokio::time::sleep(IDLE_TIME).await;
        if attached.came() != came || attached.count() > 0 {
            continue;
        }
        match owned.local.snapshot().await {
            Some(state) if is_busy(&state) || owned.running() > 0 => tokio::time::sleep(LOOK_TIME).await,
            _ => return came,
        }
    }
}

/// Something is live, due, or starts by itself. A cap of a team that stands still is none: without an owner no time passes.
fn is_busy(state: &State) -> bool {
    !state.live.is_empty() || !state.timers.is_empty() || !Pulse::of(state, &Waits::default()).quiet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Actor, Asked, Code, Command, RunHeader};
    use crate::runtime::{Begin, Handle, Remote};
    use crate::server::{listen, sockets};
    use crate::store::StateDir;

    #[tokio::test]
    async fn whoever_comes_in_the_last_moment_is_answered_and_nobody_after_it_is_heard() {
        let folder = tempfile::tempdir().unwrap();
        let project = StateDir::new(folder.path().join("state")).project(folder.path()).unwrap();
        let run = project.new_run().unwrap();
        let sockets = sockets(&run).unwrap();
        let header = RunHeader { run: "01890a5d-ac96-774b-bcce-b302099a8057".into(), ..RunHeader::default() };
        let begin = Begin {
            run: run.clone(),
            header: Some(header),
            command: "teamtui serve".into(),
            socket: Some(sockets.owner.clone()),
            member_socket: Some(sockets.member.clone()),
            exe: "/nowhere".into(),
        };
        let owned = Owned::begin(begin).await.unwrap();
        let mut listening = listen(&owned.local, &sockets).unwrap();
        let sleep =
            |ms| Asked { actor: Actor::Person, team: None, line: None, command: Command::Sleep { ms } };
        let (idle, none) = (listening.attached.came(), listening.attached.count());
        // The owner has looked, and wants to go: then somebody comes.
        let client = Handle::Remote(Remote::connect(&sockets.owner, &run).await.unwrap());
        let waits = tokio::spawn({
            let client = client.clone();
            async move { client.submit(sleep(200)).await }
        });
        while listening.attached.came() < idle + 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!((none, shut(&owned, &mut listening, idle).await), (0, false));
        assert!(waits.await.unwrap().is_ok());
        assert!(client.submit(sleep(1)).await.is_ok(), "the doors are open again");
        let came = listening.attached.came();
        assert!(shut(&owned, &mut listening, came).await);
        assert_eq!(client.submit(sleep(1)).await.unwrap_err().code, Code::NotStored);
        drop(listening);
        owned.end().await;
    }
}
