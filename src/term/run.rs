//! The loop of the screen: one task that takes whatever comes first, changes the model, and draws when a frame is due.
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt, future::BoxFuture};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use std::io::{self, BufWriter, Stdout, Write};
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::Instant;

use super::frame::Frames;
use super::guard::Guard;
use super::input::Input;
use super::signal::{Asked, Signals};
use super::suspend::suspend;
use super::{ScreenClient, TermError, clipboard};
use crate::app::{AppEffect, Chunk, Commands, Model, Msg, News, Start, update};
use crate::ui::{Glyphs, Theme, view};

/// Messages of one kind taken in before the others have their turn and a frame may be drawn.
const MAX_BATCH: usize = 256;
/// Lines that wait for an answer; a further one is refused. Reason: an owner that answers none of them will not answer more.
const MAX_WAITING: usize = 64;

/// What the screen is shown with.
pub struct ScreenOptions {
    /// The table of commands.
    pub commands: &'static dyn Commands,
    /// What the first screen shows.
    pub start: Start,
    /// Seconds that local time is ahead of UTC.
    pub utc_offset_s: i32,
    /// What roles look like.
    pub theme: Theme,
    /// Which characters there are.
    pub glyphs: Glyphs,
}

/// Why the screen was left. What runs goes on in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitKind {
    /// The person left.
    Quit,
    /// By a signal.
    Signal(i32),
    /// The terminal is gone.
    Gone,
    /// There is no owner any more.
    Ended,
}

/// Shows the screen until it is left. The terminal is given back whatever happens.
pub async fn run(client: impl ScreenClient, options: ScreenOptions) -> Result<ExitKind, TermError> {
    // Signals first: none of them may end the process while it has the terminal.
    let mut signals = Signals::new()?;
    let guard = Guard::enter()?;
    let mut input = Input::new()?;
    let mut screen = Screen::new(client, options, guard)?;
    screen.take(Msg::Resize(screen.size()?.0, screen.size()?.1))?;
    loop {
        if let Some(exit) = screen.draw_if_due()? {
            return Ok(exit);
        }
        let wake = screen.wait(&mut input, &mut signals).await;
        if let Some(exit) = screen.handle(wake, &mut input).await? {
            return Ok(exit);
        }
    }
}

/// What the loop woke for.
enum Wake {
    Signal(Asked),
    Input(Option<Msg>),
    News(Option<News>),
    Output(Option<Chunk>),
    Reply(Msg),
    Time,
}

struct Screen<C> {
    client: C,
    model: Model,
    theme: Theme,
    glyphs: Glyphs,
    guard: Guard,
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    frames: Frames,
    began: Instant,
    news: Receiver<News>,
    output: Option<Receiver<Chunk>>,
    replies: FuturesUnordered<BoxFuture<'static, Msg>>,
    is_leaving: bool,
    /// The terminal is not ours until the signal to go on comes.
    is_suspended: bool,
}

impl<C: ScreenClient> Screen<C> {
    fn new(client: C, options: ScreenOptions, guard: Guard) -> Result<Self, TermError> {
        let ScreenOptions { commands, start, utc_offset_s, theme, glyphs } = options;
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout())))?;
        let news = client.subscribe();
        Ok(Self {
            client,
            model: Model::new(commands, start, utc_offset_s),
            theme,
            glyphs,
            guard,
            terminal,
            frames: Frames::default(),
            began: Instant::now(),
            news,
            output: None,
            replies: FuturesUnordered::new(),
            is_leaving: false,
            is_suspended: false,
        })
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Sleeps until there is something to do. People first, so that no flood of facts can keep a key waiting.
    async fn wait(&mut self, input: &mut Input, signals: &mut Signals) -> Wake {
        let wake_ms = self.frames.wake_ms(self.model.next_change_ms()).filter(|_| !self.is_suspended);
        let wake_at = wake_ms.map(|ms| self.began + Duration::from_millis(ms));
        let output = async {
            match &mut self.output {
                Some(output) => output.recv().await,
                None => std::future::pending().await,
            }
        };
        let time = async {
            match wake_at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            asked = signals.next() => Wake::Signal(asked),
            msg = input.next() => Wake::Input(msg),
            () = time => Wake::Time,
            Some(reply) = self.replies.next() => Wake::Reply(reply),
            news = self.news.recv() => Wake::News(news),
            chunk = output => Wake::Output(chunk),
        }
    }

    /// Takes in what came, and what else is there already.
    async fn handle(&mut self, wake: Wake, input: &mut Input) -> Result<Option<ExitKind>, TermError> {
        self.take_time();
        match wake {
            Wake::Signal(Asked::End(number)) => return Ok(Some(ExitKind::Signal(number))),
            Wake::Signal(Asked::Stop) => self.suspend()?,
            Wake::Signal(Asked::GoneOn) => {
                self.guard.reenter()?;
                self.is_suspended = false;
                self.redraw()?;
            }
            Wake::Input(None) => return Ok(Some(ExitKind::Gone)),
            Wake::Input(Some(msg)) => {
                self.take(msg)?;
                for _ in 0..MAX_BATCH {
                    let Some(msg) = input.ready().await else { break };
                    self.take(msg)?;
                }
            }
            Wake::News(None) => return Ok(Some(ExitKind::Ended)),
            Wake::News(Some(news)) => {
                let more =
                    std::iter::from_fn(|| self.news.try_recv().ok()).take(MAX_BATCH).collect::<Vec<_>>();
                for news in joined(std::iter::once(news).chain(more)) {
                    self.take(Msg::News(news))?;
                }
            }
            Wake::Output(Some(chunk)) => self.take(Msg::Output(chunk))?,
            Wake::Output(None) => self.output = None,
            Wake::Reply(reply) => self.take(reply)?,
            Wake::Time => self.frames.want(),
        }
        Ok(self.is_leaving.then_some(ExitKind::Quit))
    }

    /// The model learns what time it is. By itself that is no reason to draw.
    fn take_time(&mut self) {
        let now_ms = self.now_ms();
        update(&mut self.model, Msg::Tick(now_ms));
    }

    fn take(&mut self, msg: Msg) -> Result<(), TermError> {
        // That it still lives is nothing to see.
        if !matches!(msg, Msg::News(News::Beat { .. })) || !self.model.is_up() {
            self.frames.want();
        }
        for effect in update(&mut self.model, msg) {
            self.carry_out(effect)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, effect: AppEffect) -> Result<(), TermError> {
        match effect {
            AppEffect::Submit { line, team } => {
                if self.replies.len() >= MAX_WAITING {
                    let result = Err(format!("{MAX_WAITING} lines wait for an answer; wait for one of them"));
                    return self.take(Msg::Reply { line, result });
                }
                let answer = self.client.submit(line.clone(), team);
                self.replies.push(answer.map(move |result| Msg::Reply { line, result }).boxed());
            }
            AppEffect::Watch(attempt) => self.output = attempt.map(|id| self.client.output(id)),
            AppEffect::Copy(text) => clipboard::copy(self.terminal.backend_mut(), &text)?,
            AppEffect::Seen(recovery) => self.client.seen(recovery),
            AppEffect::Reconnect => self.news = self.client.subscribe(),
            AppEffect::Suspend => self.suspend()?,
            AppEffect::Redraw => self.redraw()?,
            AppEffect::Quit => self.is_leaving = true,
        }
        Ok(())
    }

    fn suspend(&mut self) -> Result<(), TermError> {
        self.is_suspended = true;
        Ok(suspend()?)
    }

    /// Every cell again, and the size anew: it may have changed while another program had the terminal.
    fn redraw(&mut self) -> Result<(), TermError> {
        let (width, height) = self.size()?;
        // `clear` would ask the terminal where its cursor is, and the answer would go to the reader of keys.
        self.terminal.resize(Rect::new(0, 0, width, height))?;
        self.take(Msg::Resize(width, height))
    }

    /// Draws a frame if one is due. A terminal that takes none is gone.
    fn draw_if_due(&mut self) -> Result<Option<ExitKind>, TermError> {
        if self.is_suspended || !self.frames.take(self.now_ms()) {
            return Ok(None);
        }
        match self.draw() {
            Ok(()) => Ok(None),
            Err(error) if is_gone(&error) => Ok(Some(ExitKind::Gone)),
            Err(error) => Err(error.into()),
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let Self { terminal, model, theme, glyphs, .. } = self;
        queue!(terminal.backend_mut(), BeginSynchronizedUpdate)?;
        terminal.draw(|frame| {
            let area = frame.area();
            // A size that changed since its message came: the next frame has it.
            if let Some(cursor) = view(model, theme, *glyphs, area, frame.buffer_mut())
                && area.contains(cursor)
            {
                frame.set_cursor_position(cursor);
            }
        })?;
        queue!(terminal.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(terminal.backend_mut())
    }
}

/// Facts that come one behind the other are folded as one batch: what follows from them is computed once.
fn joined(all: impl Iterator<Item = News>) -> Vec<News> {
    let mut out: Vec<News> = Vec::new();
    for news in all {
        match (out.last_mut(), news) {
            (Some(News::Facts(facts)), News::Facts(more)) => facts.extend(more),
            (_, news) => out.push(news),
        }
    }
    out
}

fn is_gone(error: &io::Error) -> bool {
    let gone = [rustix::io::Errno::IO, rustix::io::Errno::NXIO].map(rustix::io::Errno::raw_os_error);
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error().is_some_and(|code| gone.contains(&code))
}
