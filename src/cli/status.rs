//! `teamtui status [--watch]`: the team and its tasks, once or as they change.
use super::call::{Call, Done, Failed};
use super::history::History;
use super::look::{self, Look};
use crate::domain::view::{Line, RunView, TeamView, status};
use crate::domain::{State, TeamId};
use crate::script::act;
use crate::script::progress::plain::Choice;
use crate::script::progress::{Painter, Plain};
use crate::script::teller::Silenced;
use std::time::{Duration, Instant};

/// Between two drawings of what only time changes.
const DRAW_TIME: Duration = Duration::from_secs(1);

/// Prints it, or watches it.
pub async fn status(call: &mut Call<'_>, watch: bool) -> Done {
    let project = call.project()?;
    let look = look::seen(call, &project).await?;
    if watch {
        return self::watch(call, &look, &project.flags).await;
    }
    let lines = lines(&look.state, &look.view());
    if lines.is_empty() {
        look.team(None)?;
    }
    call.lines(&lines)?;
    Ok(0)
}

/// Every live team, else the last one.
pub fn lines(state: &State, run: &RunView) -> Vec<Line> {
    let mut ids: Vec<TeamId> = state.live_teams().map(|(id, _)| id).collect();
    if ids.is_empty() {
        ids.extend(act::last_team(state));
    }
    let shown = |team: &&TeamView| ids.contains(&team.id);
    run.teams.iter().filter(shown).flat_map(|team| status::status(run, team)).collect()
}

/// Goes on until nothing is live, or the owner is gone. What is waited for from the start is waited for.
async fn watch(call: &mut Call<'_>, look: &Look, flags: &str) -> Done {
    look.team(None)?;
    let mut history = History::from_now(look).await?;
    let mut pane = Pane::new(call, look, flags);
    pane.draw(call, &history.state)?;
    let mut changed = false;
    while !is_over(&history, changed) {
        let next = tokio::select! {
            next = history.next() => next?,
            () = tokio::time::sleep(DRAW_TIME) => { pane.draw(call, &history.state)?; continue }
        };
        let Some(fact) = next else { break };
        changed = true;
        pane.fact(call, &fact, &history.state)?;
        if history.is_abreast() {
            pane.draw(call, &history.state)?;
        }
    }
    Ok(0)
}

/// Nothing is live, and either something has been told or nobody has to decide anything.
pub fn is_over(history: &History, changed: bool) -> bool {
    let state = &history.state;
    let decisions = || {
        let run = RunView::of(state, state.elapsed_ms);
        let live = |team: &&TeamView| !team.stage.is_ended();
        run.teams.iter().filter(live).any(|team| !status::decisions(team).is_empty())
    };
    let still = state.live.is_empty() && history.is_abreast();
    still && (changed || state.run.closed.is_some() || !decisions())
}

/// Where it is shown: redrawn in place on a terminal, else a line per change.
struct Pane {
    shown: Shown,
    began: Instant,
    began_ms: u64,
}

enum Shown {
    Drawn(Painter, (usize, usize)),
    Told(Box<Plain>),
}

impl Pane {
    fn new(call: &Call<'_>, look: &Look, flags: &str) -> Self {
        let page = call.terminal.out;
        let dumb = call.terminal.is_dumb;
        let shown = match page.width {
            Some(columns) if !dumb => Shown::Drawn(Painter::new(page.palette), (columns, call.terminal.rows)),
            _ => {
                let choice = Choice { ends_only: false, verbose: call.cli.print.verbose };
                let plain = Plain::new(&look.state, page, choice).pasting(flags);
                Shown::Told(Box::new(plain))
            }
        };
        Self { shown, began: Instant::now(), began_ms: look.now_ms }
    }

    fn fact(&mut self, call: &mut Call<'_>, fact: &crate::domain::Fact, after: &State) -> Result<(), Failed> {
        let Shown::Told(plain) = &mut self.shown else { return Ok(()) };
        plain.fact(call.out, fact, after).map_err(Silenced::from)?;
        call.flush()
    }

    fn draw(&mut self, call: &mut Call<'_>, state: &State) -> Result<(), Failed> {
        let Shown::Drawn(painter, (columns, rows)) = &mut self.shown else { return Ok(()) };
        let passed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let now_ms = self.began_ms.saturating_add(passed).max(state.elapsed_ms);
        let lines: Vec<Line> =
            lines(state, &RunView::of(state, now_ms)).iter().map(|line| line.cut(*columns)).collect();
        let room = rows.saturating_sub(1);
        let shown = lines.get(..room.min(lines.len())).unwrap_or_default();
        painter.draw(call.out, shown).map_err(|e| Silenced::from(e).into())
    }
}
