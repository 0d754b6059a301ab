//! `teamtui runs prune`: drops runs that completed long ago. Without `--yes` it says which.
use super::call::{Call, Done, Failed};
use super::{look, place};
use crate::domain::view::phrase;
use crate::runtime::clock::wall_ms;
use crate::runtime::read_run;
use crate::script::act;
use crate::store::{Dropped, OwnerNote, RunDir, StoreError, owner_of};
use crate::text::quantity::{parse_duration, size};
use crate::text::{pad_left, pad_right, width};

const DAY_MS: u64 = 86_400_000;

/// A run that may be dropped.
struct Old {
    number: u64,
    run: RunDir,
    team: String,
    state: &'static str,
    bytes: u64,
    ended: String,
}

/// Says which there are, and drops them with `yes`.
///
/// Kept are: what is live, crashed, resumable or standing, what was imported, and the newest run: by its number the next
/// one is counted.
pub async fn prune(call: &mut Call<'_>, yes: bool, older: &str) -> Done {
    let older_ms = parse_duration(older).map_err(|error| Failed::usage(error.to_string()))?;
    let project = call.project()?;
    let numbers = project.dir.runs().map_err(look::failed)?;
    let mut old = Vec::new();
    for number in numbers.iter().rev().skip(1) {
        // One that goes away meanwhile is not listed.
        let Ok(run) = project.dir.run(*number) else { continue };
        old.extend(
            tokio::task::spawn_blocking({
                let number = *number;
                move || completed(number, run, older_ms)
            })
            .await
            .ok()
            .flatten(),
        );
    }
    let what = format!("ended over {} ago, rc 0", span(older_ms));
    if old.is_empty() {
        call.whole(&format!("nothing to drop: no run {what}, but for the newest"))?;
        return Ok(0);
    }
    for line in table(&old) {
        call.whole(&line)?;
    }
    let runs = phrase::plural(old.len(), "run", "runs");
    let bytes = old.iter().map(|old| old.bytes).sum();
    if yes {
        return drop_all(call, &project.dir, &old);
    }
    call.whole(&format!(
        "would drop {runs}, {} ({what}); live, crashed and resumable runs are kept",
        size(bytes)
    ))?;
    call.flush()?;
    let it = if old.len() == 1 { "it" } else { "them" };
    let given = if older_ms == 30 * DAY_MS { String::new() } else { format!(" --older {older}") };
    call.say(&format!("help: drop {it}: `teamtui runs prune{given} --yes{}`", project.flags));
    Ok(0)
}

fn drop_all(call: &mut Call<'_>, project: &crate::store::ProjectDir, old: &[Old]) -> Done {
    let (mut runs, mut bytes, mut kept) = (0, 0_u64, 0);
    // What a former drop did not come to the end of is as good as dropped.
    project.finish_drops().map_err(look::failed)?;
    for old in old {
        match project.drop_run(&old.run, &note()) {
            Ok(Dropped::Gone) => {
                runs += 1;
                bytes = bytes.saturating_add(old.bytes);
            }
            Ok(Dropped::Stranger(path)) => {
                let path = crate::text::sanitise::line(&path.to_string_lossy()).into_owned();
                call.say(&format!("warning: run {} is kept: {path} was not made by teamtui", old.number));
                kept += 1;
            }
            Err(StoreError::Owned { .. } | StoreError::InUse { .. }) => {
                call.say(&format!("warning: run {} is kept: somebody uses it now", old.number));
                kept += 1;
            }
            Err(error) => {
                let why = place::said(error);
                call.say(&format!("warning: run {} is kept: {why}", old.number));
                kept += 1;
            }
        }
    }
    call.whole(&format!("dropped {}, {}", phrase::plural(runs, "run", "runs"), size(bytes)))?;
    Ok(u8::from(kept > 0))
}

/// It completed that long ago, and nobody has it now.
fn completed(number: u64, run: RunDir, older_ms: u64) -> Option<Old> {
    if run.is_imported() || !run.has_store() || owner_of(&run).ok()?.is_some() {
        return None;
    }
    let state = read_run(&run).ok()?;
    let closed = state.run.closed.as_ref().filter(|closed| closed.reason.rc() == 0)?;
    let ago_ms = wall_ms().checked_sub(closed.at_ms).filter(|ago| *ago > older_ms)?;
    let team = act::last_team(&state).and_then(|id| state.team(id));
    let bytes = run.size().map_or(0, |size| size.bytes());
    Some(Old {
        number,
        team: team.map_or_else(|| "-".to_owned(), |team| team.name.to_string()),
        state: closed.reason.word(),
        bytes,
        ended: format!("{} ago", span(ago_ms)),
        run,
    })
}

/// `31 days`, from a day on; `5h12m` below it.
fn span(ms: u64) -> String {
    match ms / DAY_MS {
        0 => phrase::terse(ms),
        days => phrase::plural(usize::try_from(days).unwrap_or(usize::MAX), "day", "days"),
    }
}

/// The number right, words left, the size and the end right.
fn table(old: &[Old]) -> Vec<String> {
    let head = ["run", "team", "state", "size", "ended"].map(str::to_owned);
    let row = |old: &Old| {
        [old.number.to_string(), old.team.clone(), old.state.to_owned(), size(old.bytes), old.ended.clone()]
    };
    let rows: Vec<[String; 5]> = std::iter::once(head).chain(old.iter().map(row)).collect();
    let wide =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(wide).collect();
    let line = |(index, row): (usize, &[String; 5])| {
        let cell = |(at, (text, columns)): (usize, (&String, &usize))| match at {
            0 if index > 0 => pad_left(text, *columns),
            3 if index > 0 => pad_left(text, *columns),
            _ => pad_right(text, *columns),
        };
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().enumerate().map(line).collect()
}

/// Who this process says it is while it holds a run.
pub fn note() -> OwnerNote {
    OwnerNote {
        pid: std::process::id(),
        since_ms: wall_ms(),
        socket: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: place::command_line(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_days_and_below_a_day_as_it_is_typed() {
        let told = [30 * DAY_MS, DAY_MS, 31 * DAY_MS + 5, 3_600_000].map(span);
        assert_eq!(told, ["30 days", "1 day", "31 days", "1h"]);
    }
}
