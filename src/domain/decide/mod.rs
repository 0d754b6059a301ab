//! The one pure function: a command is decided into events, or refused with nothing changed.
//!
//! Architecture invariant: a family checks everything first and emits after; a refused command leaves the state as it was.
mod create;
mod declare;
mod diff;
mod dissolve;
mod draft;
mod end;
mod file;
mod fill;
mod find;
mod mail;
mod question;
mod replan;
mod run;
mod seat;
mod time;
mod turn;
mod verdict;
mod wire;
mod work;

pub use draft::{Draft, Now};
pub(in crate::domain) use end::end_alone;
pub use find::{Caller, parse_token, token_text};
pub(in crate::domain) use mail::{drain as drain_mail, leave as leave_mail};
pub(in crate::domain) use question::settle as settle_question;
pub use time::next_due;

use super::{Asked, Command, Fact, Rejection, Reply, State};

/// What was decided: the answer, and what happened. A refusal that has facts (a message that could not be delivered, a
/// late result) says so in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// To whoever asked.
    pub reply: Result<Reply, Rejection>,
    /// To be committed; already folded into the state that was given.
    pub facts: Vec<Fact>,
}

/// Decides one command on a state, folds what it decides, and starts what can start.
pub fn decide(state: &mut State, now: Now, asked: &Asked) -> Decision {
    let mut draft = Draft::new(state, now, asked.line.clone());
    let reply = family(&mut draft, asked);
    if !draft.facts.is_empty() {
        super::schedule::run(&mut draft);
    }
    let facts = draft.facts;
    let seq = state.seq;
    Decision { reply: reply.map(|reply| Reply { seq, ..reply }), facts }
}

fn family(draft: &mut Draft<'_>, asked: &Asked) -> Result<Reply, Rejection> {
    let caller = Caller::of(draft.state, asked);
    let caller = match (caller, &asked.command) {
        (Err(find::Stale { id: Some(id), rejection }), Command::Complete { task, text }) => {
            return work::late_result(draft, id, task.as_ref(), text, rejection);
        }
        (Err(stale), _) => return Err(stale.rejection),
        (Ok(caller), _) => caller,
    };
    draft.by = caller.by.clone();
    caller.may(&asked.command, draft.state)?;
    match &asked.command {
        Command::Create(spec) => create::team(draft, &caller, spec),
        Command::AddTask(spec) => create::task(draft, &caller, spec),
        Command::AddMember(member) => create::member(draft, &caller, member),
        Command::Replan(replan) => replan::replan(draft, &caller, replan),
        Command::Remove { member } => dissolve::remove(draft, &caller, member),
        Command::Dissolve => dissolve::dissolve(draft, &caller),
        Command::Pause { member } => dissolve::pause(draft, &caller, member.as_ref(), true),
        Command::Resume { member } => dissolve::pause(draft, &caller, member.as_ref(), false),
        Command::Interrupt { member } => dissolve::interrupt(draft, &caller, member),
        Command::InterruptAll { reason } => Ok(dissolve::interrupt_all(draft, *reason)),
        Command::Update { task, change } => work::update(draft, &caller, task, change),
        Command::Complete { task, text } => work::complete(draft, &caller, task.as_ref(), text),
        Command::Fail { task, text } => work::fail(draft, &caller, task.as_ref(), text),
        Command::Claim { task } => work::claim(draft, &caller, task),
        Command::Assign { task, to } => work::assign(draft, &caller, task, to),
        Command::Progress { percent, text } => work::progress(draft, &caller, *percent, text),
        Command::Comment { task, text } => work::comment(draft, &caller, task, text),
        Command::SetReviewers { task, by } => verdict::reviewers(draft, &caller, task, by),
        Command::Cancel { tasks, dependents, text } => {
            verdict::cancel(draft, &caller, tasks, *dependents, text)
        }
        Command::Retry { tasks, text } => verdict::retry(draft, &caller, tasks, text),
        Command::SendBack { task, text } => verdict::send_back(draft, &caller, task.as_ref(), text),
        Command::Approve { task, text } => verdict::approve(draft, &caller, task.as_ref(), text),
        Command::Reject { task, text, release } => verdict::reject(draft, &caller, task, text, *release),
        Command::Adopt { task, attempt } => verdict::adopt(draft, &caller, task, *attempt),
        Command::AssertEnd { task } => verdict::assert_end(draft, &caller, task),
        Command::Send { to, text } => mail::send(draft, &caller, to, text),
        Command::Broadcast { text } => mail::broadcast(draft, &caller, text),
        Command::ReadInbox { wait_ms } => mail::read(draft, &caller, *wait_ms),
        Command::ReadWaited { timer } => mail::read_waited(draft, &caller, *timer),
        Command::Ask { of, text, default } => question::ask(draft, &caller, *of, text, default.as_ref()),
        Command::Answer { of, text } => question::answer(draft, &caller, of, text),
        Command::WithdrawQuestion { attempt } => Ok(question::withdraw(draft, *attempt)),
        Command::Sleep { ms } => time::sleep(draft, &caller, *ms),
        Command::Tick => Ok(time::tick(draft)),
        Command::MarkOutput { attempt, bytes } => Ok(time::mark_output(draft, *attempt, *bytes)),
        Command::LoseOutput { attempt, why } => Ok(time::lose_output(draft, *attempt, why)),
        Command::AskWrite { path, before, after } => {
            file::ask(draft, &caller, path, before.as_deref(), after)
        }
        Command::SettleWrite { asked, refused } => file::settle(draft, &caller, *asked, refused.as_ref()),
        Command::EndAttempt { attempt, end } => Ok(end::end(draft, *attempt, end)),
        Command::SettleChecks { attempt, team, refused, outputs } => {
            Ok(end::checks(draft, *attempt, *team, refused, outputs))
        }
        Command::OpenRun(header) => run::open(draft, header),
        Command::CloseRun { reason } => run::close(draft, *reason),
        Command::ResumeRun(resume) => run::resume(draft, resume),
        Command::Recover(found) => Ok(run::recover(draft, found)),
    }
}
