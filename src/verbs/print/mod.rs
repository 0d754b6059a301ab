//! The canonical line of what was asked: what `parse` reads back to the same. Texts are quoted, names are bare where
//! nothing could mistake them.
mod member;
mod quote;

use super::act::{Act, Check, Goal, MemberAct, Parsed, Read, Wait, WaitOn};
use crate::domain::{
    AddMember, Asker, Command, Dependents, EdgeSpec, Needs, PlanStep, Replan, Reviewer, TaskRef, TaskSpec,
};
use crate::text::Untrusted;
use quote::{exact_duration, exact_money, name, string, task, tasks, value};

/// The line that says the same.
///
/// Commands that no line can ask (what the runtime reports) print as the verb alone.
pub fn print(parsed: &Parsed) -> String {
    let line = act(Line { text: parsed.verb.id.to_owned() }, &parsed.act);
    line.maybe_pair("team", parsed.team.as_ref().map(|team| name(team, &[]))).text
}

/// A line that is being written.
struct Line {
    text: String,
}

impl Line {
    fn word(mut self, word: impl AsRef<str>) -> Self {
        self.text.push(' ');
        self.text.push_str(word.as_ref());
        self
    }

    fn maybe_word(self, word: Option<String>) -> Self {
        match word {
            Some(word) => self.word(word),
            None => self,
        }
    }

    fn pair(self, key: &str, value: impl AsRef<str>) -> Self {
        self.word(format!("{key}={}", value.as_ref()))
    }

    fn maybe_pair(self, key: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.pair(key, value),
            None => self,
        }
    }

    fn flag(self, key: &str, set: bool) -> Self {
        self.maybe_pair(key, set.then(|| "true".to_owned()))
    }

    /// Text to the end: nothing, where there is none.
    fn rest(self, text: &Untrusted) -> Self {
        self.maybe_word((!text.is_empty()).then(|| string(text.raw())))
    }
}

fn act(line: Line, act: &Act) -> Line {
    match act {
        Act::Ask(asked) => command(line, asked),
        Act::Create { path, set, as_name } => set
            .iter()
            .fold(line.word(value(path)), |line, (variable, to)| {
                line.pair("set", value(&format!("{variable}={to}")))
            })
            .maybe_pair("as", as_name.as_ref().map(|of| name(of, &[]))),
        Act::Read(asked) => read(line, asked),
        Act::Wait(asked) => wait(line, asked),
        Act::Expect(check) => expect(line, check),
        Act::Report { path } => line.maybe_word(path.as_deref().map(value)),
        Act::Export { path, script } => line.maybe_word(path.as_deref().map(value)).flag("script", *script),
        Act::Sleep { ms } => line.word(exact_duration(*ms)),
        Act::Member(asked) => member_act(line, asked),
        Act::Inbox { wait_ms } => line.maybe_pair("wait", wait_ms.map(exact_duration)),
    }
}

fn read(line: Line, read: &Read) -> Line {
    match read {
        Read::Status => line,
        Read::List { status, assignee } => line
            .maybe_pair("status", (!status.is_empty()).then(|| goals(status)))
            .maybe_pair("assignee", (!assignee.is_empty()).then(|| joined(assignee, |of| name(of, &[])))),
        Read::Get(of) | Read::Why(of) => line.word(task(of, &[])),
    }
}

fn wait(line: Line, wait: &Wait) -> Line {
    let line = match &wait.on {
        WaitOn::All => line.word("all"),
        WaitOn::Tasks { tasks: which, until } if until.as_slice() == Goal::OVER => {
            line.word(tasks(which, &["all"]))
        }
        WaitOn::Tasks { tasks: which, until } => {
            line.word(tasks(which, &["all"])).word("until").word(goals(until))
        }
    };
    line.maybe_word(wait.within_ms.map(|ms| format!("within {}", exact_duration(ms))))
}

fn expect(line: Line, check: &Check) -> Line {
    let subject = |of: &TaskRef| task(of, &["messages", "cost"]);
    match check {
        Check::Status { task: of, is } => line.word(subject(of)).word(is.word()),
        Check::HeldBy { task: of, by } => line.word(subject(of)).word("held by").word(tasks(by, &[])),
        Check::Assigned { task: of, to } => line.word(subject(of)).word("assigned").word(name(to, &[])),
        Check::Result { task: of, contains } => {
            line.word(subject(of)).word("result contains").word(string(contains))
        }
        Check::Messages { from, to, cmp, n } => {
            let (from, to) = (name(from, &[]), name(to, &[]));
            line.word(format!("messages {from} -> {to} {} {n}", cmp.sign()))
        }
        Check::Cost { cmp, micros } => line.word("cost").word(cmp.sign()).word(exact_money(*micros)),
    }
}

fn member_act(line: Line, act: &MemberAct) -> Line {
    match act {
        MemberAct::Say(text) | MemberAct::Emit(text) => line.word(string(text)),
        MemberAct::Write { path, text } => line.word(value(path)).rest(&Untrusted::from(text.as_str())),
        MemberAct::Read { path } => line.word(value(path)),
        MemberAct::Hang => line,
        MemberAct::Crash { at } => line.maybe_word(at.map(|at| format!("at event {at}"))),
    }
}

fn command(line: Line, command: &Command) -> Line {
    match command {
        Command::AddTask(spec) => add_task(line, spec),
        Command::AddMember(add) => added(line, add),
        Command::Replan(replan) => self::replan(line, replan),
        Command::Remove { member } | Command::Interrupt { member } => line.word(name(member, &[])),
        Command::Pause { member } | Command::Resume { member } => {
            line.maybe_word(member.as_ref().map(|member| name(member, &[])))
        }
        Command::Update { task: of, change } => line
            .word(task(of, &[]))
            .maybe_pair("title", change.title.as_ref().map(|title| string(title.raw())))
            .maybe_pair("priority", change.priority.map(|priority| priority.to_string()))
            .maybe_pair("optional", change.optional.map(|optional| optional.to_string())),
        Command::SetReviewers { task: of, by } => line.word(task(of, &[])).pair("by", joined(by, reviewer)),
        Command::Complete { task: of, text }
        | Command::Fail { task: of, text }
        | Command::SendBack { task: of, text }
        | Command::Approve { task: of, text } => {
            line.maybe_pair("task", of.as_ref().map(|of| task(of, &[]))).rest(text)
        }
        Command::Claim { task: of } => line.word(task(of, &[])),
        Command::Assign { task: of, to } => line.word(task(of, &[])).pair("to", name(to, &[])),
        Command::Progress { percent, text } => line.word(percent.to_string()).rest(text),
        Command::Comment { task: of, text } | Command::Answer { of, text } => {
            line.word(task(of, &[])).rest(text)
        }
        Command::Cancel { tasks, dependents, text } => cancelled(line, tasks, *dependents).rest(text),
        Command::Retry { tasks: which, text } => line.word(tasks(which, &[])).rest(text),
        Command::Reject { task: of, text, release } => {
            line.word(task(of, &[])).rest(text).flag("release", *release)
        }
        Command::Adopt { task: of, attempt } => {
            line.word(task(of, &[])).maybe_pair("attempt", attempt.map(|attempt| attempt.to_string()))
        }
        Command::Send { to, text } => line.word(value(to)).rest(text),
        Command::Broadcast { text } => line.rest(text),
        Command::ReadInbox { wait_ms } => line.maybe_pair("wait", wait_ms.map(exact_duration)),
        Command::Ask { of, text, default } => line
            .word(if *of == Asker::Person { "person" } else { "lead" })
            .rest(text)
            .maybe_pair("default", default.as_ref().map(|default| string(default.raw()))),
        _ => line,
    }
}

fn cancelled(line: Line, which: &[TaskRef], dependents: Option<Dependents>) -> Line {
    let line = line.word(tasks(which, &[]));
    match dependents {
        Some(Dependents::Hold) => line.word("hold"),
        Some(Dependents::Release) => line.word("release"),
        None => line,
    }
}

fn add_task(line: Line, spec: &TaskSpec) -> Line {
    let subject = string(spec.title.as_ref().map(Untrusted::raw).unwrap_or_default());
    let to = spec.assignee.as_ref().map(|to| name(to, &[]));
    member::brief(line.word(subject).maybe_pair("to", to), spec, &|_| false)
}

fn replan(line: Line, replan: &Replan) -> Line {
    replan
        .steps
        .iter()
        .fold(line, step)
        .maybe_pair("at", replan.at.map(|at| at.to_string()))
        .flag("dry_run", replan.dry_run)
}

fn step(line: Line, step: &PlanStep) -> Line {
    match step {
        PlanStep::Cancel { tasks, dependents } => cancelled(line.word("cancel"), tasks, *dependents),
        PlanStep::Add(add) => added(line.word("add"), add),
        PlanStep::Rewire { task: of, after } => {
            line.word("rewire").word(task(of, &[])).pair("after", edges(after))
        }
        PlanStep::Prompt { task: of, text } => {
            line.word("prompt").word(task(of, &[])).word(string(text.raw()))
        }
        PlanStep::Replace { old, new } => line.word(format!("replace {}={}", task(old, &[]), name(new, &[]))),
    }
}

fn added(line: Line, add: &AddMember) -> Line {
    member::member(line, &add.member, add.like.as_ref(), &|key| add.given.iter().any(|given| given == key))
}

fn edges(edges: &[EdgeSpec]) -> String {
    if edges.is_empty() {
        return "\"\"".to_owned();
    }
    joined(edges, |edge| match edge.needs {
        Needs::Completed => task(&edge.on, &[]),
        Needs::Finished => format!("{}:finished", task(&edge.on, &[])),
    })
}

fn goals(goals: &[Goal]) -> String {
    joined(goals, |goal| goal.word().to_owned())
}

fn reviewer(reviewer: &Reviewer) -> String {
    match reviewer {
        Reviewer::Person => "person".to_owned(),
        Reviewer::Lead => "lead".to_owned(),
        Reviewer::Member(member) => name(member, &[]),
    }
}

fn joined<T>(list: &[T], print: impl Fn(&T) -> String) -> String {
    list.iter().map(print).collect::<Vec<_>>().join(",")
}
