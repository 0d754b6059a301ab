//! A member as the pairs that make it: those that were written, and those that differ from what is without them.
use super::quote::{exact_duration, exact_money, name, string, value};
use super::{Line, edges, joined, reviewer};
use crate::domain::{AgentSpec, Driver, Line as Runs, MemberSpec, Name, Stdin, TaskSpec};
use crate::text::Untrusted;
use crate::verbs::member::{RERUNS, STALL_ACTIONS, STDINS, STOPS, UNCONFIRMEDS};

/// `NAME` and the pairs of a member, in the order of the table. `given`: keys that were written in any case.
pub(super) fn member(
    line: Line,
    spec: &MemberSpec,
    like: Option<&Name>,
    given: &dyn Fn(&str) -> bool,
) -> Line {
    let line = line.word(name(&spec.name, &[])).maybe_pair("agent", like.map(|like| name(like, &[])));
    let line = driver(line, &spec.agent.driver, given).maybe_pair("title", text(spec.title.as_ref()));
    let line = match &spec.brief {
        Some(task) => brief(line, task, given),
        None => line,
    };
    agent(line, &spec.agent, given)
}

fn driver(line: Line, driver: &Driver, given: &dyn Fn(&str) -> bool) -> Line {
    match driver {
        Driver::Process { line: runs, stdin } => {
            let line = match runs {
                Runs::Run(run) => line.pair("run", string(run)),
                Runs::Argv(words) => line.pair("argv", texts(words)),
            };
            let shown = *stdin != Stdin::default() || given("stdin");
            line.maybe_pair("stdin", shown.then(|| word_of(STDINS, *stdin)))
        }
        Driver::Scripted(attempts) => line.maybe_pair("script", attempts.first().map(|lines| texts(lines))),
        Driver::Human => line.pair("driver", "human"),
    }
}

/// The pairs of a task.
pub(super) fn brief(line: Line, spec: &TaskSpec, given: &dyn Fn(&str) -> bool) -> Line {
    let shown = |key: &str, differs: bool, value: String| (differs || given(key)).then_some(value);
    line.maybe_pair("prompt", text(spec.prompt.as_ref()))
        .maybe_pair("after", shown("after", !spec.depends_on.is_empty(), edges(&spec.depends_on)))
        .maybe_pair("priority", shown("priority", spec.priority != 0, spec.priority.to_string()))
        .maybe_pair("optional", shown("optional", spec.optional, spec.optional.to_string()))
        .maybe_pair("outputs", list(&spec.outputs))
        .maybe_pair("checks", list(&spec.checks))
        .maybe_pair("review", (!spec.review.is_empty()).then(|| joined(&spec.review, reviewer)))
        .maybe_pair("default", text(spec.default.as_ref()))
}

fn agent(line: Line, agent: &AgentSpec, given: &dyn Fn(&str) -> bool) -> Line {
    let usual = AgentSpec::new(agent.driver.clone());
    let shown = |key: &str, differs: bool, value: String| (differs || given(key)).then_some(value);
    let time = agent.time_ms.map_or("none".to_owned(), exact_duration);
    let tell = word_of(STALL_ACTIONS, agent.stall_action);
    let ends = word_of(UNCONFIRMEDS, agent.unconfirmed);
    line.maybe_pair("instructions", text(agent.instructions.as_ref()))
        .maybe_pair("env", list(&agent.env))
        .maybe_pair("cwd", agent.cwd.as_deref().map(value))
        .maybe_pair("time", shown("time", agent.time_ms != usual.time_ms, time))
        .maybe_pair("stall", shown("stall", agent.stall_ms != usual.stall_ms, exact_duration(agent.stall_ms)))
        .maybe_pair("stall_action", shown("stall_action", agent.stall_action != usual.stall_action, tell))
        .maybe_pair("stop", shown("stop", agent.stop != usual.stop, word_of(STOPS, agent.stop)))
        .maybe_pair("steps", shown("steps", agent.steps != usual.steps, agent.steps.to_string()))
        .maybe_pair("rerun", shown("rerun", agent.rerun != usual.rerun, word_of(RERUNS, agent.rerun)))
        .maybe_pair("retries", shown("retries", agent.retries != usual.retries, agent.retries.to_string()))
        .maybe_pair(
            "cost",
            shown("cost", agent.cost_micros != usual.cost_micros, exact_money(agent.cost_micros)),
        )
        .maybe_pair("exit", (!agent.exit.is_empty()).then(|| joined(&agent.exit, i32::to_string)))
        .maybe_pair("unconfirmed", shown("unconfirmed", agent.unconfirmed != usual.unconfirmed, ends))
}

fn text(text: Option<&Untrusted>) -> Option<String> {
    text.map(|text| string(text.raw()))
}

fn list(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| texts(list))
}

fn texts(list: &[String]) -> String {
    joined(list, |text| value(text))
}

/// The word for a choice.
fn word_of<T: PartialEq + Copy>(choices: &[(&'static str, T)], value: T) -> String {
    choices.iter().find(|(_, choice)| *choice == value).map(|(word, _)| *word).unwrap_or_default().to_owned()
}
