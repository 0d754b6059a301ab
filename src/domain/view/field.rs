//! The fields of each event in the JSON stream, after those that every fact has.
use super::begun::Begun;
use super::log::{party, reviewer};
use super::object::Object;
use crate::domain::event::{
    AttemptEnded, AttemptStarted, ChecksSettled, MessageRefused, PlanChanged, TaskUpdated, TeamCreated,
};
use crate::domain::state::{Task, Team};
use crate::domain::{
    Asker, EdgeFact, Event, Fact, MessageId, MessageRefusal, Needs, Purpose, TaskNo, Verdict,
};
use crate::text::{Untrusted, sanitise};

/// The line with the fields of its event.
pub(super) fn of(line: Object, fact: &Fact, attempt: Option<&Begun>, team: Option<&Team>) -> Object {
    match &fact.event {
        Event::RunOpened(e) => line.some_text("file", e.header.file.as_ref().map(|f| f.line()).as_deref()),
        Event::RunClosed(e) => line.text("reason", e.reason.word()).number("rc", e.reason.rc()),
        Event::RunResumed(e) => line.mark("failed", e.failed),
        Event::Recovered(e) => line
            .list("interrupted", e.interrupted.iter().map(|id| id.to_string()))
            .list("checked", e.checked.iter().map(|id| id.to_string()))
            .list("ended_pids", e.found.processes.iter().map(|left| left.pid.to_string())),
        Event::TeamCreated(e) => team_created(line, e, team),
        Event::DissolveAsked(_) => line,
        Event::TeamDissolved(e) => {
            line.flag("completed", e.completed).texts("cut_off", e.cut_off.iter().map(|n| n.as_str()))
        }
        Event::Paused(e) => line.some_text("member", e.member.as_ref().map(|n| n.as_str())),
        Event::Resumed(e) => line.some_text("member", e.member.as_ref().map(|n| n.as_str())),
        Event::CapReached(e) => line.text("cap", e.cap.word()),
        Event::LimitsSet(e) => line
            .number("parallel", e.limits.parallel)
            .some_number("time_ms", e.limits.time_ms)
            .some_number("money_usd_micros", e.limits.money_micros),
        Event::TaskAdded(e) => {
            let line = edges(line, team, e.number);
            line.some_text("assignee", e.spec.assignee.as_ref().map(|n| n.as_str()))
        }
        Event::MemberAdded(e) => {
            let line = line.text("member", e.member.name.as_str());
            e.number.map_or(line.clone(), |number| edges(line, team, number))
        }
        Event::MemberRemoved(e) => line.text("member", e.member.as_str()),
        Event::PlanChanged(e) => plan_changed(line, e, team),
        Event::TaskCancelled(e) => reason(line, &e.reason).text("status", "cancelled"),
        Event::EdgeWaived(e) => line.text("on", &label(team, e.on)),
        Event::TaskUpdated(e) => updated(line, e),
        Event::TaskAssigned(e) => {
            line.text("to", e.to.as_str()).some_text("giver", e.giver.as_ref().map(|n| n.as_str()))
        }
        Event::TaskCommented(e) => block(line, "text", &e.text),
        Event::ReviewersSet(e) => line.texts("reviewers", e.by.iter().map(reviewer)),
        Event::RetryAsked(e) => block(line, "text", &e.text),
        Event::ResultAdopted(e) => line.number("adopted", e.attempt).text("status", "completed"),
        Event::EndAsserted(_) => line,
        Event::AttemptStarted(e) => started(line, e, team),
        Event::StopAsked(e) => line.text("cause", e.cause.word()),
        Event::CompletionAsked(e) => block(line, "result", &e.result).some_number("exit", e.exit),
        Event::ChecksSettled(e) => checks(line, e),
        Event::AttemptEnded(e) => ended(line, e, fact.elapsed_ms, attempt, team),
        Event::ReviewSettled(e) => {
            let line = line.text("reviewer", &reviewer(&e.reviewer)).text("verdict", verdict(e.verdict));
            block(line, "text", &e.text).text("status", e.status.word())
        }
        Event::OrphanKept(e) => block(line.number("orphan_of", e.attempt), "result", &e.result),
        Event::ProgressNoted(e) => block(line.number("percent", e.percent), "text", &e.text),
        Event::AttemptStalled(e) => line.number("silent_ms", e.silent_ms),
        Event::OutputMarked(e) => line.number("output_bytes", e.bytes),
        Event::OutputLost(e) => block(line, "why", &e.why),
        Event::FailureSaid(e) => block(line, "reason", &e.reason),
        Event::RunStopping(e) => line.text("cause", e.cause.word()),
        Event::PromiseAsked(_) | Event::QuestionWithdrawn(_) => line,
        Event::MessageSent(e) => {
            let line = line.number("message", e.id.0).text("from", &party(&e.from)).text("to", &party(&e.to));
            block(line.number("hop", e.hop), "text", &e.text)
        }
        Event::MessageRefused(e) => refused(line, e),
        Event::MessagesRead(e) => ids(line.text("reader", &party(&e.reader)), &e.ids),
        Event::PairPaused(e) => {
            line.text("one", &party(&e.one)).text("other", &party(&e.other)).text("cap", &harmless(&e.cap))
        }
        Event::MessagesLeft(e) => ids(line, &e.ids),
        Event::QuestionAsked(e) => {
            let of = match e.of {
                Asker::Person => "person",
                Asker::Lead => "lead",
            };
            let line = block(line.text("of", of), "text", &e.text);
            match &e.default {
                Some(default) => block(line, "default", default),
                None => line,
            }
        }
        Event::QuestionAnswered(e) => block(line, "text", &e.text),
        Event::TimerSet(e) => line.number("due_ms", e.due_ms),
        Event::TimerDue(e) => line.number("timer", e.timer.0),
        Event::EffectAsked(e) => line
            .text("path", &harmless(&e.path))
            .some_text("before", e.before.as_deref().map(harmless).as_deref())
            .text("after", &harmless(&e.after)),
        Event::EffectSettled(e) => {
            let line = line.number("asked", e.asked.0);
            e.refused.iter().fold(line, |line, why| block(line, "refused", why))
        }
    }
}

fn team_created(line: Object, e: &TeamCreated, team: Option<&Team>) -> Object {
    let line = line.number("revision", team.map_or(1, |t| t.revision.0));
    let declared = e.spec.members.iter().filter(|m| m.brief.is_some()).count() + e.spec.tasks.len();
    let tasks = team.map(|t| t.tasks.get(..declared).unwrap_or(&t.tasks)).unwrap_or_default();
    line.list("tasks", tasks.iter().map(|t| declared_task(t, team)))
}

fn declared_task(task: &Task, team: Option<&Team>) -> String {
    let retries =
        task.assignee.as_ref().and_then(|n| team.and_then(|t| t.members.get(n))).map(|m| m.agent.retries);
    let line = Object::new().number("number", task.number.0).text("task", &task.label());
    edges(line, team, task.number)
        .some_number("retries", retries.filter(|n| *n > 0))
        .mark("optional", task.spec.optional)
        .finish()
}

fn edges(line: Object, team: Option<&Team>, number: TaskNo) -> Object {
    let edges = team.and_then(|t| t.task(number)).map(|t| t.edges.as_slice()).unwrap_or_default();
    line.texts("depends_on", edges.iter().map(|e| edge(team, e.on, e.needs)))
}

/// An edge as it is typed: `build`, `docs:finished`.
fn edge(team: Option<&Team>, on: TaskNo, needs: Needs) -> String {
    match needs {
        Needs::Completed => label(team, on),
        Needs::Finished => format!("{}:finished", label(team, on)),
    }
}

fn label(team: Option<&Team>, number: TaskNo) -> String {
    team.and_then(|t| t.task(number)).map_or_else(|| format!("#{number}"), Task::label)
}

fn plan_changed(line: Object, e: &PlanChanged, team: Option<&Team>) -> Object {
    let rewired = |(number, edges): &(TaskNo, Vec<EdgeFact>)| {
        let after = edges.iter().map(|e| edge(team, e.on, e.needs));
        Object::new().text("task", &label(team, *number)).texts("depends_on", after).finish()
    };
    let replaced = |(old, new): &(TaskNo, TaskNo)| {
        Object::new().text("old", &label(team, *old)).text("new", &label(team, *new)).finish()
    };
    line.number("revision", e.revision.0)
        .list("rewired", e.rewired.iter().map(rewired))
        .texts("prompts", e.prompts.iter().map(|(number, _)| label(team, *number)))
        .list("replaced", e.replaced.iter().map(replaced))
}

fn updated(line: Object, e: &TaskUpdated) -> Object {
    let line = e.change.title.iter().fold(line, |line, title| block(line, "title", title));
    let line = line.some_number("priority", e.change.priority);
    match e.change.optional {
        Some(optional) => line.flag("optional", optional),
        None => line,
    }
}

fn started(line: Object, e: &AttemptStarted, team: Option<&Team>) -> Object {
    let number = match e.purpose {
        Purpose::Task(number) => number,
        Purpose::Review(_) => return line.text("purpose", "review").text("member", e.member.as_str()),
        Purpose::Turn => return line.text("purpose", "turn").text("member", e.member.as_str()),
    };
    let own = team.and_then(|t| t.task(number)).is_some_and(|t| t.brief);
    let member = Some(e.member.as_str()).filter(|_| !own);
    line.some_text("member", member)
        .some_number("reserved_usd_micros", Some(e.reserved_micros).filter(|n| *n > 0))
        .text("status", "in_progress")
}

fn ended(line: Object, e: &AttemptEnded, now: u64, attempt: Option<&Begun>, team: Option<&Team>) -> Object {
    let outputs = attempt.and_then(Begun::number).and_then(|n| team.and_then(|t| t.task(n)));
    let outputs = outputs.and_then(|t| t.attempts.last()).filter(|a| a.id == e.attempt);
    let line = line
        .text("outcome", e.outcome.word())
        .some_text("reason", Some(e.reason.line()).as_deref())
        .some_number("exit", e.exit)
        .number("took_ms", e.took_ms)
        .number("output_bytes", e.output_bytes);
    let line = e.result.iter().fold(line, |line, result| block(line, "result", result));
    line.list("outputs", outputs.map(|a| a.outputs.as_slice()).unwrap_or_default().iter().map(output))
        .some_number("cost_usd_micros", Some(e.spent_micros).filter(|n| *n > 0))
        .some_text("status", e.status.map(|s| s.word()))
        .some_number("retry_due_ms", e.again.then_some(now))
}

fn output((path, bytes): &(String, u64)) -> String {
    Object::new().text("path", &harmless(path)).number("size_bytes", *bytes).finish()
}

fn checks(line: Object, e: &ChecksSettled) -> Object {
    line.texts("refused", e.refused.iter().map(|r| r.block().into_owned()))
        .list("outputs", e.outputs.iter().map(output))
}

fn refused(line: Object, e: &MessageRefused) -> Object {
    let why = match &e.why {
        MessageRefusal::Stopped => "stopped".to_owned(),
        MessageRefusal::Cap(text) => harmless(text),
    };
    block(line.text("from", &party(&e.from)).text("to", &harmless(&e.to)), "text", &e.text).text("why", &why)
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approved => "approved",
        Verdict::SentBack => "sent_back",
        Verdict::Rejected => "rejected",
        Verdict::None => "none",
    }
}

fn ids(line: Object, ids: &[MessageId]) -> Object {
    line.list("messages", ids.iter().map(ToString::to_string))
}

fn reason(line: Object, text: &Untrusted) -> Object {
    line.some_text("reason", Some(&text.line()))
}

fn block(line: Object, key: &str, text: &Untrusted) -> Object {
    line.some_text(key, Some(&text.block()))
}

fn harmless(text: &str) -> String {
    sanitise::line(text).into_owned()
}
