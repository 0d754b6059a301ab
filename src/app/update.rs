//! A message changes the model: facts are folded, keys act, and at the end everything is put in order again.
use crossterm::event::KeyEventKind;

use super::dialog::Reply;
use super::layout::layout;
use super::model::MAX_RECENT;
use super::panes::attempt_of;
use super::{AppEffect, Dialog, Link, Model, Msg, News, Over, act, recovery};
use crate::domain::state::Phase;
use crate::domain::{By, Event, Fact, State};
use crate::text::Untrusted;

/// Lines of an answer that are kept; the rest is counted. Reason: nobody scrolls further in a box.
const MAX_REPLY_LINES: usize = 1_000;

/// Takes in one message, and says what the world is asked for.
pub fn update(model: &mut Model, msg: Msg) -> Vec<AppEffect> {
    let mut effects = Vec::new();
    match msg {
        Msg::News(news) => hear(model, news, &mut effects),
        Msg::Key(event) if event.kind != KeyEventKind::Release => act::key(model, event, &mut effects),
        Msg::Key(_) => {}
        Msg::Paste(text) => act::paste(model, &text),
        Msg::Resize(width, height) => model.size = (width, height),
        Msg::Tick(now_ms) => tick(model, now_ms),
        Msg::Output(chunk) => model.log.push(&chunk),
        Msg::Reply { line, result } => {
            if let Some(at) = model.waiting.iter().position(|waiting| *waiting == line) {
                model.waiting.remove(at);
            }
            answered(model, line, result);
        }
    }
    settle(model, &mut effects);
    effects
}

/// Time goes on, and never back.
fn tick(model: &mut Model, now_ms: u64) {
    model.clock.now_ms = model.clock.now_ms.max(now_ms);
    if model.notice.as_ref().is_some_and(|notice| notice.until_ms <= model.clock.now_ms) {
        model.notice = None;
    }
}

fn hear(model: &mut Model, news: News, effects: &mut Vec<AppEffect>) {
    match news {
        News::Snapshot { state, elapsed_ms, at_ms, owner } => {
            back(model, state.seq.0.saturating_sub(model.state.seq.0), newly_stale(&model.state, &state));
            model.clock.run_ms = elapsed_ms.max(state.elapsed_ms);
            model.clock.heard_ms = model.clock.now_ms;
            model.clock.at_ms = at_ms;
            model.owner = owner;
            model.state = *state;
            model.link = Link::Up;
            model.stale = true;
        }
        News::Facts(facts) => fold(model, &facts, effects),
        News::Beat { elapsed_ms, at_ms } => {
            back(model, 0, 0);
            if model.is_live() {
                model.clock.run_ms = model.clock.run_ms.max(elapsed_ms);
            }
            model.clock.heard_ms = model.clock.now_ms;
            model.clock.at_ms = at_ms;
        }
        News::Lost(loss) => {
            let since_ms = match model.link {
                Link::Lost { since_ms, .. } => since_ms,
                Link::Waiting | Link::Up => model.clock.heard_ms,
            };
            model.link = Link::Lost { loss, since_ms };
        }
    }
}

/// The owner answers again: says what came of its silence or its end.
fn back(model: &mut Model, caught_up: u64, stale: usize) {
    if !matches!(model.link, Link::Lost { .. }) {
        return;
    }
    model.link = Link::Up;
    let events = if caught_up == 1 { "event" } else { "events" };
    let missed = format!("owner back, {caught_up} {events} caught up, none missed");
    match stale {
        0 if caught_up == 0 => model.tell("owner back, nothing happened meanwhile", false),
        0 => model.tell(missed, false),
        1 => model.tell(format!("{missed}; 1 task became stale, ] goes there"), true),
        _ => model.tell(format!("{missed}; {stale} tasks became stale, ] goes there"), true),
    }
}

/// How many more tasks are stale now.
fn newly_stale(before: &State, now: &State) -> usize {
    let stale = |state: &State| {
        state.live_teams().flat_map(|(_, team)| &team.tasks).filter(|task| task.phase == Phase::Stale).count()
    };
    stale(now).saturating_sub(stale(before))
}

/// Folds what is new. After a gap nothing can be folded: a new snapshot is asked for.
fn fold(model: &mut Model, facts: &[Fact], effects: &mut Vec<AppEffect>) {
    let known = model.state.seq;
    let new = facts.iter().filter(|fact| fact.seq > known).count();
    back(model, u64::try_from(new).unwrap_or(u64::MAX), 0);
    for fact in facts.iter().filter(|fact| fact.seq > known) {
        if fact.seq != model.state.seq.next() {
            effects.push(AppEffect::Reconnect);
            return;
        }
        model.state.evolve(fact);
        if matches!((&fact.event, &fact.by), (Event::TeamCreated(_), By::Person)) {
            // Whoever makes a team wants to see it.
            model.team = fact.team;
        }
        model.clock.run_ms = fact.elapsed_ms;
        model.clock.at_ms = fact.at_ms;
        model.stale = true;
    }
    model.clock.heard_ms = model.clock.now_ms;
    model.link = Link::Up;
}

/// A short answer stands in the hint bar, a long one or a refusal in a box.
fn answered(model: &mut Model, line: String, result: Result<Vec<String>, String>) {
    let refused = result.is_err();
    let text = result.unwrap_or_else(|rejection| rejection.lines().map(str::to_owned).collect());
    let mut lines: Vec<String> =
        text.iter().map(|line| Untrusted::from(line.as_str()).block().into_owned()).collect();
    let more = lines.len().saturating_sub(MAX_REPLY_LINES);
    if more > 0 {
        lines.truncate(MAX_REPLY_LINES);
        lines.push(format!("and {more} more lines"));
    }
    let is_watched = matches!(model.over, Over::Dialog(Dialog::Dissolve(_)));
    if refused && !is_watched && matches!(model.over, Over::Nothing) {
        let why = format!("{}. Nothing was applied.", lines.join("; "));
        return act::type_again(model, &line, why);
    }
    let is_short = lines.len() <= 1 && !refused;
    let is_free = matches!(model.over, Over::Nothing) || is_watched && refused;
    if !is_short && is_free {
        model.over = Over::Dialog(Dialog::Reply(Reply { line, lines, refused, top: 0 }));
    } else if let Some(first) = lines.into_iter().next().filter(|_| !is_watched) {
        model.tell(first, refused);
    }
}

/// Remembers a line that is run.
pub(super) fn remember(model: &mut Model, line: &str) {
    model.recent.retain(|other| other != line);
    model.recent.insert(0, line.to_owned());
    model.recent.truncate(MAX_RECENT);
}

/// What follows: from the facts, the size and the cursor.
fn settle(model: &mut Model, effects: &mut Vec<AppEffect>) {
    model.refresh();
    recovery::show_new(model, effects);
    if let Some(team) = model.team.and_then(|id| model.state.teams.get(&id)) {
        model.rail.refold(team);
    }
    let height = layout(model).rail.map_or(0, |slot| usize::from(slot.body.height));
    model.rail.scroll(height);
    let task = model.team().and_then(|team| team.task(model.rail.selected?));
    let attempt = task.and_then(attempt_of);
    if attempt != model.log.attempt {
        model.log.turn_to(attempt);
        effects.push(AppEffect::Watch(attempt));
    }
}
