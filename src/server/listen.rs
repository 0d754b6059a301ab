//! Accepting clients and members, and answering them from the handle.
use super::place::{self, Sockets};
use crate::agent::guard;
use crate::domain::{Actor, Asked, Code, Rejection, Seq, State, Token};
use crate::runtime::wire::{self, Ask, Hello, MAX_ASK_BYTES, PROTOCOL, Told, WireFact};
use crate::runtime::{Facts, Local};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How many clients are connected, and word of each that goes.
#[derive(Debug, Default)]
pub struct Attached {
    count: AtomicUsize,
    came: AtomicUsize,
    changed: Notify,
}

impl Attached {
    /// Connections of clients now.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Connections of clients so far, those that are gone among them.
    pub fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }

    /// Resolves when the count changes.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }
}

/// Both sockets are open; dropped, they are closed and gone.
pub struct Listening {
    sockets: Sockets,
    tasks: Vec<JoinHandle<()>>,
    /// Who is connected.
    pub attached: Arc<Attached>,
}

impl Listening {
    /// Nobody can come any more. Whoever was accepted is answered; whoever was not was not heard, and knows it.
    pub async fn close(&mut self) {
        for task in std::mem::take(&mut self.tasks) {
            task.abort();
            // It ends where it waits: with its listener, after the last one that it accepted.
            let _ = task.await;
        }
    }

    /// Opens closed doors again.
    pub fn open(&mut self, local: &Local) -> io::Result<()> {
        for (path, door) in [(&self.sockets.owner, Door::Owner), (&self.sockets.member, Door::Member)] {
            let accepting = accept(place::bind(path)?, door, local.clone(), Arc::clone(&self.attached));
            self.tasks.push(tokio::spawn(accepting));
        }
        Ok(())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        for path in [&self.sockets.owner, &self.sockets.member] {
            // A socket that is gone already is gone.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    Owner,
    Member,
}

/// Opens both sockets of a run that this process owns.
pub fn listen(local: &Local, sockets: &Sockets) -> io::Result<Listening> {
    let mut listening =
        Listening { sockets: sockets.clone(), tasks: Vec::new(), attached: Arc::new(Attached::default()) };
    listening.open(local)?;
    Ok(listening)
}

async fn accept(listener: UnixListener, door: Door, local: Local, attached: Arc<Attached>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors: there will be some again.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        if !is_same_user(&stream) {
            continue;
        }
        let (local, attached) = (local.clone(), Arc::clone(&attached));
        // Counted before anything it asks is heard: an owner that looks whether it is needed sees it.
        let counted = door == Door::Owner;
        if counted {
            attached.count.fetch_add(1, Ordering::SeqCst);
            attached.came.fetch_add(1, Ordering::SeqCst);
        }
        tokio::spawn(async move {
            // A connection that breaks ends; nobody is left to be told.
            let _ = converse(stream, door, &local).await;
            if counted {
                attached.count.fetch_sub(1, Ordering::SeqCst);
                attached.changed.notify_waiters();
            }
        });
    }
}

fn is_same_user(stream: &UnixStream) -> bool {
    let own = rustix::process::getuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own)
}

/// Why a process may not speak as the person: it belongs to an attempt of this run, whatever it did to its environment.
///
/// This stops a member that forgets or hides the socket it was handed, and what it starts. It does not stop one that means
/// harm: it is the same user, may leave its parent and its environment behind, trace a client or write the store. For that
/// it must be another user.
async fn refusal(stream: &UnixStream, door: Door, local: &Local) -> Option<Box<Rejection>> {
    let pid = stream.peer_cred().ok()?.pid().and_then(|pid| u32::try_from(pid).ok())?;
    if door == Door::Member {
        return None;
    }
    let marker = local.marker().to_owned();
    let looking = tokio::task::spawn_blocking(move || guard::belongs(pid, &marker));
    let rejection = || {
        let what = "this process belongs to an attempt of the run, and a member does not speak as the person";
        Rejection::new(Code::NotYours, what)
            .help("say it as the member, by `teamtui do` (`teamtui do status` reads), with `$TEAMTUI_SOCKET` and `$TEAMTUI_TOKEN` as given")
    };
    looking.await.is_ok_and(|belongs| belongs).then(|| Box::new(rejection()))
}

async fn converse(stream: UnixStream, door: Door, local: &Local) -> io::Result<()> {
    let refused = refusal(&stream, door, local).await;
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let is_refused = refused.is_some();
    wire::write(&mut write, &Hello { refused, ..Hello::own() }).await?;
    if is_refused {
        return Ok(());
    }
    let hello: Option<Hello> = wire::read(&mut read, MAX_ASK_BYTES).await?;
    if hello.is_none_or(|h| h.protocol != PROTOCOL) {
        // The client has our version by now, and says so.
        return Ok(());
    }
    loop {
        let ask = match wire::read::<Ask>(&mut read, MAX_ASK_BYTES).await {
            Ok(Some(ask)) => ask,
            Ok(None) => return Ok(()),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                return wire::write(&mut write, &Told::Refused(format!("the line was not understood: {e}")))
                    .await;
            }
            Err(e) => return Err(e),
        };
        match ask {
            Ask::Submit(asked) if !may_ask(door, &asked) => {
                let why =
                    "members show the token of their attempt, and only teamtui itself speaks as the system";
                wire::write(&mut write, &Told::Refused(why.to_owned())).await?;
            }
            Ask::Submit(asked) => {
                let reply = tokio::select! {
                    reply = local.submit(*asked) => reply,
                    () = hung_up(&mut read) => return Ok(()),
                };
                wire::write(&mut write, &Told::Reply(reply)).await?;
            }
            Ask::Snapshot => {
                let mut state = Arc::unwrap_or_clone(local.snapshot().await.unwrap_or_default());
                if door == Door::Member {
                    without_tokens(&mut state);
                }
                wire::write(&mut write, &Told::State(Box::new(state))).await?;
            }
            Ask::Clock => wire::write(&mut write, &Told::Clock(local.elapsed_ms())).await?,
            Ask::Subscribe(after) if door == Door::Owner => {
                return subscribe(read, write, local, after).await;
            }
            Ask::Subscribe(_) => {
                // Facts have the tokens of others in them.
                wire::write(&mut write, &Told::Refused("members cannot follow the log".to_owned())).await?;
            }
        }
    }
}

/// A member does not learn the tokens of others.
fn without_tokens(state: &mut State) {
    for attempt in state.live.values_mut() {
        attempt.token = Token::default();
    }
    for record in
        state.teams.values_mut().flat_map(|t| t.tasks.iter_mut()).flat_map(|t| t.attempts.iter_mut())
    {
        record.token = Token::default();
    }
}

fn may_ask(door: Door, asked: &Asked) -> bool {
    match asked.actor {
        Actor::System => false,
        Actor::Member { .. } => true,
        Actor::Person | Actor::Script => door == Door::Owner,
    }
}

/// Resolves when the other side has closed the connection while it waits for an answer.
async fn hung_up(read: &mut BufReader<OwnedReadHalf>) {
    use tokio::io::AsyncBufReadExt;
    match read.fill_buf().await {
        Ok([]) | Err(_) => {}
        // It asks on before it was answered: it is there.
        Ok(_) => std::future::pending().await,
    }
}

async fn subscribe(
    mut read: BufReader<OwnedReadHalf>,
    mut write: OwnedWriteHalf,
    local: &Local,
    after: Seq,
) -> io::Result<()> {
    let mut feed = local.feed(after);
    let mut nothing = [0_u8; 64];
    loop {
        let facts = tokio::select! {
            facts = feed.next() => facts,
            read = read.read(&mut nothing) => match read {
                Ok(0) | Err(_) => return Ok(()),
                Ok(_) => continue,
            },
        };
        let Some(facts) = facts else { return Ok(()) };
        wire::write(&mut write, &Told::Facts(wired(&facts)?)).await?;
    }
}

fn wired(facts: &Facts) -> io::Result<Vec<WireFact>> {
    facts.iter().map(WireFact::new).collect::<Result<_, _>>().map_err(io::Error::from)
}
