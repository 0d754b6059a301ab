//! Keys, pastes and sizes, as messages. The stream ends with the terminal.
use crossterm::event::{Event, EventStream};
use futures::StreamExt;
use rustix::event::{PollFd, PollFlags, poll};
use std::io;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

use crate::app::Msg;

/// The input of a terminal.
pub struct Input {
    events: EventStream,
    hung_up: oneshot::Receiver<()>,
}

impl Input {
    /// Begins to read.
    pub fn new() -> io::Result<Self> {
        Ok(Self { events: EventStream::new(), hung_up: hang_up()? })
    }

    /// The next message. None: the terminal is gone, and nothing more will come.
    pub async fn next(&mut self) -> Option<Msg> {
        loop {
            let event = tokio::select! {
                biased;
                _ = &mut self.hung_up => return None,
                event = self.events.next() => event,
            };
            // An error is the end too: a terminal that fails once fails forever, and asking again would spin.
            if let Some(msg) = msg(event?.ok()?) {
                return Some(msg);
            }
        }
    }

    /// The next message, if it is there already.
    ///
    /// It is polled with the waker of the loop: the stream keeps the waker it was first polled with, and would wake no one.
    pub async fn ready(&mut self) -> Option<Msg> {
        let poll = |cx: &mut Context<'_>| match self.events.poll_next_unpin(cx) {
            Poll::Ready(event) => Poll::Ready(event),
            Poll::Pending => Poll::Ready(None),
        };
        std::future::poll_fn(poll).await?.ok().and_then(msg)
    }
}

fn msg(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Some(Msg::Key(key)),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::FocusGained | Event::FocusLost | Event::Mouse(_) => None,
    }
}

/// Answers when the terminal hangs up. The event stream alone does not tell: when its reader fails it tries again forever.
/// A thread of its own sleeps until then; it holds nothing and ends with the process.
fn hang_up() -> io::Result<oneshot::Receiver<()>> {
    let (tell, hung_up) = oneshot::channel();
    let watch = move || {
        let stdin = io::stdin();
        // No event is asked for: only a hang-up or an error wakes it.
        while !tell.is_closed() {
            let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut fds, None) {
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => break,
            }
        }
        let _ = tell.send(());
    };
    std::thread::Builder::new().name("teamtui-tty".to_owned()).spawn(watch)?;
    Ok(hung_up)
}
