//! The steps of a replan, in one line.
use super::error::{ParseError, shown};
use super::lex::{Span, Word};
use super::member;
use super::read::plan::edges;
use super::read::work::dependents;
use super::reader::Reader;
use super::value;
use crate::domain::{Name, Needs, PlanStep, TaskRef};
use crate::text::Untrusted;

/// The words that begin a step.
pub(super) const STEPS: [&str; 5] = ["cancel", "add", "rewire", "prompt", "replace"];

/// A step as it stands in the line; what is added needs to know whether it replaces something.
enum Step {
    Done(PlanStep),
    Add { name: Name, at: Span, within: Span },
}

/// Reads every step; there is at least one.
pub(super) fn steps(r: &mut Reader<'_>) -> Result<Vec<PlanStep>, ParseError> {
    let mut steps = Vec::new();
    while let Some(word) = r.next() {
        steps.push(step(r, &word)?);
    }
    if steps.is_empty() {
        return Err(r.missing("a step"));
    }
    let replaced: Vec<Name> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Done(PlanStep::Replace { new, .. }) => Some(new.clone()),
            _ => None,
        })
        .collect();
    let finish = |step| match step {
        Step::Done(step) => Ok(step),
        Step::Add { name, at, within } => {
            let replaces = replaced.contains(&name);
            member::read(r, name, at, within, replaces).map(|add| PlanStep::Add(Box::new(add)))
        }
    };
    steps.into_iter().map(finish).collect()
}

fn step(r: &mut Reader<'_>, word: &Word) -> Result<Step, ParseError> {
    match word.bare() {
        Some("cancel") => cancel(r).map(Step::Done),
        Some("add") => add(r),
        Some("rewire") => rewire(r).map(Step::Done),
        Some("prompt") => prompt(r).map(Step::Done),
        Some("replace") => replace(r).map(Step::Done),
        _ => {
            r.known_key(word)?;
            let text = word.span.of(r.source());
            Err(ParseError::new(format!("`{}` begins no step of a replan", shown(text)), word.span)
                .nearest(text, STEPS)
                .help(format!(
                    "a step begins with {}; lists have commas without blanks: `a,b`",
                    STEPS.join(", ")
                )))
        }
    }
}

fn argument(r: &mut Reader<'_>, step: &str, name: &str) -> Result<Word, ParseError> {
    r.next().ok_or_else(|| r.missing(&format!("{name} after `{step}`")))
}

fn cancel(r: &mut Reader<'_>) -> Result<PlanStep, ParseError> {
    let tasks = value::each(&argument(r, "cancel", "TASK,..")?, value::task)?;
    Ok(PlanStep::Cancel { tasks, dependents: dependents(r) })
}

fn add(r: &mut Reader<'_>) -> Result<Step, ParseError> {
    let word = argument(r, "add", "NAME")?;
    let name = value::new_name(&word)?;
    Ok(Step::Add { name, at: word.span, within: Span::new(word.span.start, r.next_word_start()) })
}

fn rewire(r: &mut Reader<'_>) -> Result<PlanStep, ParseError> {
    let word = argument(r, "rewire", "TASK")?;
    let task = value::task(&word)?;
    let within = Span::new(word.span.start, r.next_word_start());
    let after = r.many_in("after", within).ok_or_else(|| {
        let here = word.span.end;
        ParseError::new("`rewire` needs `after=`", Span::new(here, here))
            .help("all that it is to wait for, `rewire TASK after=a,b:finished`; nothing is `after=\"\"`")
    })?;
    Ok(PlanStep::Rewire { task, after: edges(&after, Needs::default())? })
}

fn prompt(r: &mut Reader<'_>) -> Result<PlanStep, ParseError> {
    let task = value::task(&argument(r, "prompt", "TASK")?)?;
    let text = argument(r, "prompt", "\"TEXT\"")?;
    Ok(PlanStep::Prompt { task, text: Untrusted::new(value::text(&text)) })
}

fn replace(r: &mut Reader<'_>) -> Result<PlanStep, ParseError> {
    let word = argument(r, "replace", "OLD=NEW")?;
    let halves = word.split('=', 2);
    let [old, new] = halves.as_slice() else {
        return Err(ParseError::new("a replacement is written `OLD=NEW`, without blanks", word.span));
    };
    let old: TaskRef = value::task(old)?;
    Ok(PlanStep::Replace { old, new: value::new_name(new)? })
}
