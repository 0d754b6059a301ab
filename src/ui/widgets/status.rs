//! The status line: counts, money, time, owner. What leaves first when it gets narrow: the owner, `USD`, then words.
use ratatui::layout::Rect;

use crate::app::model::LOADING_MS;
use crate::app::panes::clock_time;
use crate::app::tally::Look;
use crate::app::{Link, Model};
use crate::text::quantity::money;
use crate::text::{Untrusted, quantity, width};
use crate::ui::Role;
use crate::ui::glyph::role;
use crate::ui::paint::Paint;

/// Blanks between facts.
const GAP: u16 = 2;

/// How short the line is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Short {
    Nothing,
    Owner,
    Unit,
    Completed,
    Words,
    Money,
}

const LADDER: [Short; 6] =
    [Short::Nothing, Short::Owner, Short::Unit, Short::Completed, Short::Words, Short::Money];

/// Draws the status line.
pub fn draw(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    let end = area.right();
    if model.team.is_none() {
        let text = match model.link {
            Link::Waiting if model.clock.now_ms < LOADING_MS => String::new(),
            Link::Waiting => "Reading events.".to_owned(),
            _ => {
                let teams = if model.state.teams.is_empty() { "no team yet" } else { "no team is live" };
                let runs = match model.start.runs {
                    0 => "none".to_owned(),
                    runs => quantity::count(count(runs)),
                };
                format!("{teams}     runs: {runs}")
            }
        };
        paint.text(1, area.y, end.saturating_sub(1), &text, Role::Dim);
        return;
    }
    let parts = |short: Short| (left(model, paint, short), right(model, short).join("  "));
    let columns = |left: &[(String, Role)], right: &str, gap: u16| {
        let left = left.iter().fold(0, |sum, (text, _)| sum + width(text) + usize::from(gap));
        left + width(right) + 1
    };
    let fits = |short: &Short| {
        let (left, right) = parts(*short);
        columns(&left, &right, gap(*short)) <= usize::from(end)
    };
    let short = LADDER.into_iter().find(fits).unwrap_or(Short::Money);
    let (left, right) = parts(short);
    let mut x = 1;
    for (text, role) in &left {
        x = paint.text(x, area.y, end.saturating_sub(x), text, *role) + gap(short);
    }
    let needed = u16::try_from(width(&right)).unwrap_or(u16::MAX);
    let start = end.saturating_sub(needed.saturating_add(1)).max(x).min(end.saturating_sub(needed));
    if start >= x.saturating_sub(1) {
        paint.text(start, area.y, end - start, &right, Role::Text);
    }
}

/// The one line that is left when there is no room: the team, what runs, failed and waits; then less and less.
pub fn line(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    let tally = &model.tally;
    let glyph = |look: Look, count: usize| {
        (count > 0).then(|| (format!("{}{count}", paint.glyphs.status(look)), role(look)))
    };
    let urgent: Vec<(String, Role)> = [
        glyph(Look::Running, tally.running),
        glyph(Look::Failed, tally.failed),
        glyph(Look::Asking, model.attention.len()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let name = model.team_name().map_or("teamtui".to_owned(), |name| name.to_string());
    let mut parts = vec![(name, Role::Critical)];
    parts.extend(urgent);
    let worst = worst(model, paint);
    let fits = |parts: &[(String, Role)]| {
        let columns: usize = parts.iter().map(|(text, _)| width(text) + 1).sum();
        columns <= usize::from(area.width) + 1
    };
    if !fits(&parts) {
        parts.remove(0);
    }
    if !fits(&parts) && parts.len() > 2 {
        parts.remove(1);
    }
    if !fits(&parts) || parts.is_empty() {
        parts = vec![worst];
    }
    let mut x = area.x;
    for (text, role) in parts {
        x = paint.text(x, area.y, area.right().saturating_sub(x), &text, role) + 1;
    }
}

/// The glyph of what is most urgent.
fn worst(model: &Model, paint: &Paint<'_>) -> (String, Role) {
    let looks = model.tally.parts().map(|(look, _)| look);
    let look = looks.max_by_key(|look| look.urgency()).unwrap_or(Look::Completed);
    (paint.glyphs.status(look).to_owned(), role(look))
}

fn gap(short: Short) -> u16 {
    if short >= Short::Words { 1 } else { GAP }
}

fn left(model: &Model, paint: &Paint<'_>, short: Short) -> Vec<(String, Role)> {
    let tally = &model.tally;
    let done = format!("{}/{}", quantity::count(count(tally.completed)), quantity::count(count(tally.total)));
    let done = if short >= Short::Completed { done } else { format!("{done} completed") };
    let part = |(look, count): (Look, usize)| {
        let text = match short {
            Short::Words | Short::Money => format!("{}{count}", paint.glyphs.status(look)),
            _ => format!("{count} {}", look.word()),
        };
        (text, if matches!(look, Look::Blocked | Look::Running) { Role::Text } else { role(look) })
    };
    let mut parts = vec![(done, Role::Text)];
    let is_shown = |(look, _): &(Look, usize)| model.is_up() || *look == Look::Running;
    parts.extend(tally.parts().filter(is_shown).map(part));
    parts
}

fn right(model: &Model, short: Short) -> Vec<String> {
    let Some(team) = model.team() else { return Vec::new() };
    if !model.is_up() {
        return lost(model);
    }
    let unit = if matches!(short, Short::Unit | Short::Completed) { "" } else { " USD" };
    let spent = money(team.spent_micros);
    let money = match team.limits.money_micros {
        Some(cap) => Some(format!("{spent}/{}{unit}", whole(cap))),
        None => (team.spent_micros > 0).then(|| format!("{spent}{unit}")),
    };
    let time = clock_time(model.run_ms().saturating_sub(team.created_ms));
    let owner = (short == Short::Nothing).then(|| match model.owner.here {
        true => "here".to_owned(),
        false => format!("owner pid {}", model.owner.pid),
    });
    money.filter(|_| short < Short::Money).into_iter().chain([time]).chain(owner).collect()
}

fn lost(model: &Model) -> Vec<String> {
    let Link::Lost { loss, since_ms } = &model.link else { return Vec::new() };
    let waited = model.clock.now_ms.saturating_sub(*since_ms);
    let left = loss.retry_ms.saturating_sub(waited % loss.retry_ms.max(1)).div_ceil(1000);
    let again = format!("trying again in {left}s, no limit");
    let sent = match model.waiting.as_slice() {
        [] => None,
        [line] => {
            Some(format!("`{}` was sent and waits for the owner", Untrusted::from(line.as_str()).line()))
        }
        lines => Some(format!("{} lines were sent and wait for the owner", lines.len())),
    };
    vec![format!("as of {}", model.clock.heard_at()), sent.unwrap_or(again)]
}

/// Money without cents where there are none: `5`, `2.50`.
fn whole(micros: u64) -> String {
    let text = money(micros);
    text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
}

fn count(tasks: usize) -> u64 {
    u64::try_from(tasks).unwrap_or(u64::MAX)
}
