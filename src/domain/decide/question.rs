//! Questions: a member waits for the person or the lead; its clocks stand still meanwhile (R31).
use super::find::Caller;
use super::{Draft, Reply, create, end};
use crate::domain::event::{QuestionAnswered, QuestionAsked, QuestionWithdrawn};
use crate::domain::state::Team;
use crate::domain::{
    Asker, AttemptId, Code, Data, Driver, Name, Purpose, Rejection, TaskRef, TeamId, limits,
};
use crate::text::Untrusted;

pub(super) fn ask(
    draft: &mut Draft<'_>,
    caller: &Caller,
    of: Asker,
    text: &Untrusted,
    default: Option<&Untrusted>,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(attempt) = caller.attempt else {
        return Err(Rejection::new(Code::NotYours, "`ask` is said from inside an attempt")
            .help("to tell a member something: `teamtui do send MEMBER \"...\"`"));
    };
    if text.len_bytes() > limits::MAX_MESSAGE_BYTES {
        return Err(Rejection::new(Code::OverLimit, "a question has at most 64 KiB")
            .help("put it into a file and name the file"));
    }
    if text.is_empty() {
        return Err(Rejection::new(Code::BadPlan, "the question is empty")
            .help("say it: `teamtui do ask person \"...\"`"));
    }
    if of == Asker::Lead && caller.is_lead() {
        return Err(Rejection::new(Code::Question, "the lead cannot ask itself")
            .help("ask the person: `teamtui do ask person \"...\"`"));
    }
    if draft.state.live.get(&attempt).is_some_and(|a| a.offered.is_some() || a.failing.is_some()) {
        return Err(Rejection::new(
            Code::Question,
            "this attempt has said how it ends; it has nothing left to ask",
        )
        .help("let its process exit"));
    }
    if draft.state.live.get(&attempt).is_some_and(|a| a.question.is_some()) {
        return Err(Rejection::new(Code::Question, "one question is open already; wait for its answer")
            .help("it comes as the answer to that `ask`"));
    }
    let has_lead = draft.state.team(id).is_some_and(Team::has_lead);
    let of = if of == Asker::Lead && !has_lead { Asker::Person } else { of };
    draft.emit(Some(id), QuestionAsked { attempt, of, text: text.clone(), default: default.cloned() });
    if let Some(default) = default.filter(|_| of == Asker::Person && draft.state.run.header.headless) {
        settle(draft, id, attempt, default);
        return Ok(Reply::say("answered by its default").with(Data::Answer(default.clone())));
    }
    Ok(Reply::say("asked; the answer comes here").with(Data::Question))
}

pub(super) fn answer(
    draft: &mut Draft<'_>,
    caller: &Caller,
    of: &TaskRef,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let attempt = open_question(draft, id, of)?;
    let asked = draft.state.live.get(&attempt);
    let of_person = asked.and_then(|a| a.question.as_ref()).is_some_and(|q| q.of == Asker::Person);
    if of_person && caller.is_lead() {
        let what = format!("{of} asks the person, and nobody answers in its name");
        return Err(
            Rejection::new(Code::NotYours, what).help("tell the person: `teamtui do send person \"...\"`")
        );
    }
    if asked.is_some_and(|a| a.human && matches!(a.purpose, Purpose::Review(_))) {
        return Err(Rejection::new(Code::Question, format!("{of} waits for a review, not for an answer"))
            .help(format!("accept it: `teamtui do approve {of}`"))
            .help(format!("or return it: `teamtui do send_back {of} \"FEEDBACK\"`")));
    }
    let label = end::label_of(draft, attempt);
    settle(draft, id, attempt, text);
    Ok(Reply::say(format!("answered {label}")))
}

/// Whoever waited for the answer to an attempt's question has gone. What a person is asked by its task stays asked.
pub(super) fn withdraw(draft: &mut Draft<'_>, attempt: AttemptId) -> Reply {
    let asking = draft.state.live.get(&attempt).filter(|a| a.question.is_some() && !a.human);
    if let Some(team) = asking.map(|a| a.team) {
        draft.emit(Some(team), QuestionWithdrawn { attempt });
    }
    Reply::default()
}

/// The live attempt with an open question that a task or a member names.
fn open_question(draft: &Draft<'_>, id: TeamId, of: &TaskRef) -> Result<AttemptId, Rejection> {
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let asking: Vec<(AttemptId, &crate::domain::state::Attempt)> =
        draft.state.live_of(id).filter(|(_, a)| a.question.is_some()).collect();
    let number = team.find_task(of);
    let by_task = asking.iter().find(|(_, a)| {
        number.is_some_and(|n| a.purpose == Purpose::Task(n) || a.purpose == Purpose::Review(n))
    });
    let name = match of {
        TaskRef::Name(name) => Some(name.clone()),
        TaskRef::Number(number) => Name::reference(&number.to_string()).ok(),
    };
    let by_member = || asking.iter().find(|(_, a)| name.as_ref() == Some(&a.member));
    by_task.or_else(by_member).map(|(id, _)| *id).ok_or_else(|| {
        let open: Vec<String> = asking.iter().map(|(id, _)| end::label_of(draft, *id)).collect();
        let rejection = Rejection::new(Code::Question, format!("{of} has no open question"));
        match open.as_slice() {
            [] => rejection
                .help("no question is open; to tell a member something: `teamtui do send MEMBER \"...\"`"),
            _ => rejection.help(format!("open: {}", open.join(", "))),
        }
    })
}

/// The answer goes to whoever asked; a task of a person is done with it.
pub(in crate::domain) fn settle(draft: &mut Draft<'_>, id: TeamId, attempt: AttemptId, text: &Untrusted) {
    draft.emit(Some(id), QuestionAnswered { attempt, text: text.clone() });
    let human = draft.state.live.get(&attempt).is_some_and(|a| {
        let member = draft.state.team(id).and_then(|t| t.members.get(&a.member));
        member.is_some_and(|m| m.agent.driver == Driver::Human)
    });
    if human {
        end::complete(draft, attempt, text);
    }
}
