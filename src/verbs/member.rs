//! A member from pairs: who sits in the chair, how it runs, and the work it declares.
use super::error::ParseError;
use super::lex::{Span, Word};
use super::parse::parse_line;
use super::read::plan::edges;
use super::reader::Reader;
use super::value;
use crate::domain::spec::WAYS;
use crate::domain::{
    AddMember, AgentSpec, Driver, Line, MemberSpec, Name, Needs, Rerun, StallAction, Stdin, StopSignal,
    TaskSpec, Unconfirmed,
};
use crate::text::Untrusted;

pub(super) const NEEDS: &[(&str, Needs)] = &[("completed", Needs::Completed), ("finished", Needs::Finished)];
pub(super) const STDINS: &[(&str, Stdin)] = &[("null", Stdin::Null), ("prompt", Stdin::Prompt)];
pub(super) const STALL_ACTIONS: &[(&str, StallAction)] =
    &[("tell", StallAction::Tell), ("fail", StallAction::Fail)];
pub(super) const STOPS: &[(&str, StopSignal)] = &[
    ("TERM", StopSignal::Term),
    ("INT", StopSignal::Int),
    ("HUP", StopSignal::Hup),
    ("QUIT", StopSignal::Quit),
];
pub(super) const RERUNS: &[(&str, Rerun)] = &[("ask", Rerun::Ask), ("safe", Rerun::Safe)];
pub(super) const UNCONFIRMEDS: &[(&str, Unconfirmed)] =
    &[("review", Unconfirmed::Review), ("accept", Unconfirmed::Accept)];

/// The keys that declare work: a member that has one of them has a brief.
const WORK: [&str; 12] = [
    "prompt", "run", "argv", "script", "after", "priority", "optional", "outputs", "checks", "review",
    "default", "needs",
];
/// Keys that leave no trace of their own: the member says who, the edges say what they need.
const UNTRACED: [&str; 2] = ["agent", "needs"];

/// A member from the pairs that stand between those bytes.
///
/// With `agent=` and nothing that runs it, its driver is a `Scripted` without lines, which `decide` replaces by that of
/// the agent; `given` names every key that was written, in the order of the table, for the keys that go on top.
/// `replaces`: it takes the place of a task, so that it has a brief though the brief may be inherited.
pub(super) fn read(
    r: &mut Reader<'_>,
    name: Name,
    at: Span,
    within: Span,
    replaces: bool,
) -> Result<AddMember, ParseError> {
    let given = r.given_in(within);
    let has = |key: &str| given.contains(&key);
    let like = r.one_in("agent", within)?.map(|word| value::name(&word)).transpose()?;
    let driver = match driver(r, within, &given)? {
        Some(driver) => driver,
        None if like.is_some() => Driver::Scripted(Vec::new()),
        None => {
            return Err(ParseError::new(format!("nobody sits in the chair of `{name}`"), at)
                .help("say who or what does the work: `agent=NAME`, `run=LINE`, `argv=`, `script=` or `driver=human`"));
        }
    };
    let agent = agent(r, within, driver)?;
    let title = text_of(r, "title", within)?;
    let task = brief(r, within)?;
    let has_brief = replaces || WORK.iter().any(|key| has(key));
    let brief =
        has_brief.then(|| TaskSpec { name: Some(name.clone()), assignee: Some(name.clone()), ..task });
    let given = given.into_iter().filter(|key| !UNTRACED.contains(key)).map(str::to_owned).collect();
    Ok(AddMember {
        member: MemberSpec { name, title, agent_name: None, agent, brief: brief.map(Into::into) },
        like,
        given,
    })
}

/// What a task is asked for, after what, and how it is accepted; name, title and assignee are left open.
pub(super) fn brief(r: &mut Reader<'_>, within: Span) -> Result<TaskSpec, ParseError> {
    let needs_word = r.one_in("needs", within)?;
    let needs = needs_word.as_ref().map(|word| value::choice(word, NEEDS)).transpose()?.unwrap_or_default();
    let after = r.many_in("after", within);
    if let (Some(word), None) = (&needs_word, &after) {
        return Err(ParseError::new(
            "`needs=` says what `after=` needs, and there is no `after=`",
            word.span,
        ));
    }
    Ok(TaskSpec {
        prompt: text_of(r, "prompt", within)?,
        depends_on: edges(&after.unwrap_or_default(), needs)?,
        priority: r.one_in("priority", within)?.map(|w| value::number(&w)).transpose()?.unwrap_or_default(),
        optional: r.one_in("optional", within)?.map(|w| value::flag(&w)).transpose()?.unwrap_or_default(),
        outputs: texts(r, "outputs", within)?,
        checks: texts(r, "checks", within)?,
        review: r
            .many_in("review", within)
            .unwrap_or_default()
            .iter()
            .map(value::reviewer)
            .collect::<Result<_, _>>()?,
        default: text_of(r, "default", within)?,
        ..TaskSpec::default()
    })
}

/// What runs it, where the line says so.
fn driver(r: &mut Reader<'_>, within: Span, given: &[&'static str]) -> Result<Option<Driver>, ParseError> {
    let ways: Vec<&str> = WAYS.into_iter().filter(|way| given.contains(way)).collect();
    if let [first, second, ..] = ways.as_slice() {
        let span = r.span_in(second, within);
        return Err(ParseError::new(format!("`{first}=` and `{second}=` exclude each other"), span));
    }
    let stdin = r.one_in("stdin", within)?;
    let driver = match ways.first() {
        Some(&"run") => {
            let line = r.one_in("run", within)?.map(|word| filled(&word)).transpose()?.unwrap_or_default();
            Driver::Process { line: Line::Run(line), stdin: Stdin::Null }
        }
        Some(&"argv") => {
            let words = texts(r, "argv", within)?;
            Driver::Process { line: Line::Argv(words), stdin: Stdin::Null }
        }
        Some(&"script") => Driver::Scripted(vec![script(r, within)?]),
        Some(_) => {
            let human = r.one_in("driver", within)?;
            human.map(|word| value::choice(&word, &[("human", ())])).transpose()?;
            Driver::Human
        }
        None => return stdin.map_or(Ok(None), |word| Err(no_stdin(&word))),
    };
    let Some(word) = stdin else { return Ok(Some(driver)) };
    let stdin = value::choice(&word, STDINS)?;
    match driver {
        Driver::Process { line, .. } => Ok(Some(Driver::Process { line, stdin })),
        _ => Err(no_stdin(&word)),
    }
}

fn no_stdin(word: &Word) -> ParseError {
    ParseError::new("`stdin=` goes with `run=` or `argv=`", word.span)
}

/// The lines of a scripted member, each of them read once so that a mistake shows now and not in the attempt.
fn script(r: &mut Reader<'_>, within: Span) -> Result<Vec<String>, ParseError> {
    let words = r.many_in("script", within).unwrap_or_default();
    words
        .iter()
        .map(|word| {
            let line = word.text();
            match parse_line(&line, true) {
                Ok(_) => Ok(line),
                Err(e) => Err(ParseError { what: format!("in this line: {}", e.what), span: word.span, ..e }),
            }
        })
        .collect()
}

/// An agent of that driver with the keys that were written on top.
fn agent(r: &mut Reader<'_>, within: Span, driver: Driver) -> Result<AgentSpec, ParseError> {
    let mut agent = AgentSpec::new(driver);
    agent.instructions = text_of(r, "instructions", within)?;
    agent.env = texts(r, "env", within)?;
    agent.cwd = r.one_in("cwd", within)?.map(|word| value::path(&word)).transpose()?;
    if let Some(word) = r.one_in("time", within)? {
        agent.time_ms = if word.text() == "none" { None } else { Some(value::duration(&word)?) };
    }
    set(&mut agent.stall_ms, r.one_in("stall", within)?, value::duration)?;
    set(&mut agent.stall_action, r.one_in("stall_action", within)?, |w| value::choice(w, STALL_ACTIONS))?;
    set(&mut agent.stop, r.one_in("stop", within)?, |w| value::choice(w, STOPS))?;
    set(&mut agent.steps, r.one_in("steps", within)?, value::number)?;
    set(&mut agent.rerun, r.one_in("rerun", within)?, |w| value::choice(w, RERUNS))?;
    set(&mut agent.retries, r.one_in("retries", within)?, value::number)?;
    set(&mut agent.cost_micros, r.one_in("cost", within)?, value::money)?;
    set(&mut agent.unconfirmed, r.one_in("unconfirmed", within)?, |w| value::choice(w, UNCONFIRMEDS))?;
    agent.exit =
        r.many_in("exit", within).unwrap_or_default().iter().map(value::number).collect::<Result<_, _>>()?;
    Ok(agent)
}

fn set<T>(
    field: &mut T,
    word: Option<Word>,
    read: impl Fn(&Word) -> Result<T, ParseError>,
) -> Result<(), ParseError> {
    if let Some(word) = word {
        *field = read(&word)?;
    }
    Ok(())
}

fn text_of(r: &mut Reader<'_>, key: &str, within: Span) -> Result<Option<Untrusted>, ParseError> {
    Ok(r.one_in(key, within)?.map(|word| Untrusted::new(value::text(&word))))
}

fn texts(r: &mut Reader<'_>, key: &str, within: Span) -> Result<Vec<String>, ParseError> {
    r.many_in(key, within).unwrap_or_default().iter().map(filled).collect()
}

/// A text that may not be empty.
fn filled(word: &Word) -> Result<String, ParseError> {
    let text = word.text();
    if text.trim().is_empty() {
        return Err(ParseError::new("nothing is written here", word.span));
    }
    Ok(text)
}
