//! `teamtui verify RUN`: is the run what it says it is? Reads it all and changes nothing.
//!
//! A run with an owner is refused, as `resume` refuses it: what is verified is the file, and its owner still writes it.
use super::args::Format;
use super::call::{Call, Done, Failed, NOT_FOUND};
use super::look;
use super::place::Project;
use crate::domain::view::object::Object;
use crate::domain::view::phrase;
use crate::runtime::audit::OutputAudit;
use crate::runtime::{AuditError, Looked, look_over};
use crate::store::{RunDir, RunName, StoreError};
use crate::text::quantity::{count, size};

/// Unknown outcomes named on the line; the rest is counted.
const SHOWN: usize = 3;

/// Prints what was found; 1 where something does not hold.
pub async fn verify(call: &mut Call<'_>, name: &str) -> Done {
    let project = call.project()?;
    let run = look::named(&project, name)?;
    let looked = looked(&project, &run).await?;
    if matches!(call.cli.print.format, Some(Format::Ndjson | Format::Json)) {
        call.whole(&json(&run, &looked))?;
    } else {
        for line in lines(&run, &looked) {
            call.whole(&line)?;
        }
    }
    call.flush()?;
    match fault(&looked) {
        None => Ok(0),
        Some(what) => Err(Failed::new(1, format!("damaged: {}, {what}", look::title(run.name())))
            .help("nothing was changed; what holds can be taken out: ".to_owned() + &export(&project, &run))),
    }
}

fn export(project: &Project, run: &RunDir) -> String {
    format!("`teamtui export {}{}`", run.name(), project.flags)
}

async fn looked(project: &Project, run: &RunDir) -> Result<Looked, Failed> {
    if !run.has_store() {
        let why = format!("not found: {} has no facts yet", look::title(run.name()));
        return Err(Failed::new(NOT_FOUND, why).help("the others: `teamtui runs`"));
    }
    let folder = run.clone();
    let looked = tokio::task::spawn_blocking(move || look_over(&folder)).await;
    let looked = looked.map_err(|error| Failed::usage(error.to_string()))?;
    looked.map_err(|error| failed(project, run, error))
}

fn failed(project: &Project, run: &RunDir, error: AuditError) -> Failed {
    let title = look::title(run.name());
    match error {
        AuditError::Store { error: StoreError::Owned { owner, .. }, .. } => {
            let again = format!("`teamtui verify {}{}`", run.name(), project.flags);
            look::owned(run.name(), &owner).help(format!("verify it when nobody owns it: {again}"))
        }
        AuditError::Store { error, table, good } => match damage(&error) {
            None => look::failed(error),
            Some(what) => {
                let from = count(good.saturating_add(1));
                let flag = match run.name() {
                    RunName::Standing => String::new(),
                    RunName::Numbered(number) => format!(" --run {number}"),
                };
                let table = table.map_or_else(String::new, |table| format!("table `{table}`, "));
                let why =
                    format!("damaged: {title}, {table}{what}; commits from seq {from} on cannot be trusted");
                Failed::new(1, why).help(format!(
                    "nothing was changed; the next command that opens it restores the newest good backup: `teamtui status{flag}{}`",
                    project.flags
                ))
            }
        },
        AuditError::Newer { kind, version, seq, by } => {
            let own = env!("CARGO_PKG_VERSION");
            Failed::usage(format!(
                "newer: {title} was written by a newer teamtui (event kind {kind} v{version} at seq {}, made by {}), this is {own}; nothing was changed",
                count(seq),
                crate::text::sanitise::line(&by),
            ))
            .help(format!("take it out as it is: {}", export(project, run)))
        }
        AuditError::Body { seq, why } => {
            let why = crate::text::sanitise::line(&why).into_owned();
            Failed::new(1, format!("damaged: {title}, seq {}: {why}", count(seq)))
                .help(format!("take it out as it is: {}", export(project, run)))
        }
    }
}

/// Where it is and what it is; none: the store is not damaged.
fn damage(error: &StoreError) -> Option<String> {
    match error {
        StoreError::Row { seq, fault } => Some(format!("the commit at seq {}: {fault}", count(*seq))),
        StoreError::ChainBroken { at_seq } => {
            Some(format!("seq {}: it does not continue the commit before it", count(*at_seq)))
        }
        StoreError::Damaged { what, .. } => {
            Some(format!("its pages do not hold ({})", crate::text::sanitise::line(what)))
        }
        _ => None,
    }
}

/// The first thing that does not hold.
fn fault(looked: &Looked) -> Option<String> {
    if let Some(seq) = looked.strays.first() {
        return Some(format!("state: the fold of its events is not the state kept at seq {}", count(*seq)));
    }
    if let Some(fault) = looked.receipts.told.first() {
        return Some(format!("receipts: {fault}"));
    }
    let (attempt, bytes, mark) = looked.output.told.first()?;
    Some(format!("output: attempt {attempt} has {}, and {} were marked", size(*bytes), size(*mark)))
}

fn lines(run: &RunDir, looked: &Looked) -> Vec<String> {
    let last = count(looked.last_seq);
    let commits = count(looked.commits);
    let word = if looked.holds() { "verified" } else { "damaged" };
    vec![
        format!(
            "{}: {word}, seq 1 to {last} in {}",
            look::title(run.name()),
            plural(looked.commits, "commit", "commits")
        ),
        format!("  chain     unbroken from commit 1 to {commits}{}", imported(run)),
        format!("  state     {}", state(looked)),
        format!("  receipts  {}", receipts(looked)),
        format!("  output    {}", output(&looked.output)),
    ]
}

/// What the chain of an imported run proves, where that is not all.
fn imported(run: &RunDir) -> String {
    match run.import_note() {
        Some(note) if !note.is_proved() => {
            format!("; made at import, since {} redacted", was(note.redacted_events, "event"))
        }
        _ => String::new(),
    }
}

fn was(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what} was") } else { format!("{} {what}s were", count(n)) }
}

fn state(looked: &Looked) -> String {
    let events = plural(looked.last_seq, "event", "events");
    match looked.strays.first() {
        None => format!("fold of {events} equals the state at seq {}", count(looked.last_seq)),
        Some(seq) => format!("fold of {events} differs from the state kept at seq {}", count(*seq)),
    }
}

fn receipts(looked: &Looked) -> String {
    let audit = &looked.receipts;
    let mut line =
        format!("{} asked, {} settled", plural(audit.asked, "effect", "effects"), count(audit.settled));
    if audit.live > 0 {
        line += &format!(", {} live", count(audit.live));
    }
    if audit.unknown > 0 {
        let shown: Vec<&str> = audit.unknowns.iter().take(SHOWN).map(String::as_str).collect();
        let more = audit.unknown.saturating_sub(u64::try_from(shown.len()).unwrap_or(u64::MAX));
        let more = if more > 0 { format!("; and {} more", count(more)) } else { String::new() };
        line += &format!(", {} unknown ({}{more})", count(audit.unknown), shown.join("; "));
    }
    match audit.told.first() {
        None => line + "; nothing ran twice",
        Some(fault) => line + &format!("; {}: {fault}", plural(audit.faults, "fault", "faults")),
    }
}

fn output(audit: &OutputAudit) -> String {
    let mut line = format!("{}, {}", plural(audit.logs, "log", "logs"), size(audit.bytes));
    line += &match audit.told.first() {
        None => ", every mark holds".to_owned(),
        Some((attempt, bytes, mark)) => format!(
            ", {} not hold: attempt {attempt} has {}, and {} were marked",
            if audit.short == 1 {
                "1 mark does".to_owned()
            } else {
                format!("{} marks do", count(audit.short))
            },
            size(*bytes),
            size(*mark)
        ),
    };
    if audit.seams > 0 {
        line += &format!(", {}", plural(audit.seams, "seam", "seams"));
    }
    if audit.stated_loss > 0 {
        line += &format!(", {} lost as the recovery said", size(audit.stated_loss));
    }
    line
}

/// `1 log`, `8 logs`.
fn plural(n: u64, one: &str, many: &str) -> String {
    phrase::plural(usize::try_from(n).unwrap_or(usize::MAX), one, many)
}

fn json(run: &RunDir, looked: &Looked) -> String {
    let number = match run.name() {
        RunName::Standing => None,
        RunName::Numbered(number) => Some(number),
    };
    let (receipts, output) = (&looked.receipts, &looked.output);
    let strays = looked.strays.iter().map(u64::to_string);
    Object::typed("verified")
        .number("format", crate::domain::view::ndjson::FORMAT)
        .some_number("run", number)
        .flag("holds", looked.holds())
        .number("last_seq", looked.last_seq)
        .number("commits", looked.commits)
        .text("commit", &looked.tip.to_string())
        .text("state", &looked.state.to_string())
        .number("snapshots", looked.snapshots)
        .list("strays", strays)
        .object(
            "receipts",
            Object::new()
                .number("asked", receipts.asked)
                .number("settled", receipts.settled)
                .number("live", receipts.live)
                .number("unknown", receipts.unknown)
                .texts("unknowns", &receipts.unknowns)
                .number("faults", receipts.faults)
                .texts("told", receipts.told.iter().map(ToString::to_string)),
        )
        .object(
            "output",
            Object::new()
                .number("logs", output.logs)
                .number("size_bytes", output.bytes)
                .number("seams", output.seams)
                .number("lost_bytes", output.stated_loss)
                .number("marks_short", output.short),
        )
        .finish()
}
