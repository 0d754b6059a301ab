//! The mailbox: every send has a result, never silence (R22 to R26).
use super::find::{self, Caller};
use super::{Draft, Reply, create};
use crate::domain::event::{
    MessageRefused, MessageSent, MessagesLeft, MessagesRead, PairPaused, TimerDue, TimerSet,
};
use crate::domain::state::{Chair, Mail, Member, Team};
use crate::domain::{
    By, Code, Data, Driver, Letter, MessageId, MessageRefusal, Name, Party, Rejection, Seq, TeamId, limits,
};
use crate::text::Untrusted;
use std::collections::BTreeMap;

pub(super) fn send(
    draft: &mut Draft<'_>,
    caller: &Caller,
    to: &str,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    check_text(text)?;
    let from = sender(caller);
    let recipient = recipient(team, to)?;
    if recipient == from {
        return Err(Rejection::new(Code::NotFound, format!("{} cannot write to itself", shown(&from)))
            .help("say it instead: `teamtui do progress 50 \"...\"`"));
    }
    deliver(draft, id, from, recipient, text)
}

fn check_text(text: &Untrusted) -> Result<(), Rejection> {
    if text.is_empty() {
        return Err(Rejection::new(Code::BadPlan, "the message is empty")
            .help("say it: `teamtui do send NAME \"...\"`"));
    }
    if text.len_bytes() > limits::MAX_MESSAGE_BYTES {
        return Err(Rejection::new(Code::OverLimit, "a message has at most 64 KiB")
            .help("put it into a file and name the file"));
    }
    Ok(())
}

fn sender(caller: &Caller) -> Party {
    match &caller.by {
        By::Member(name) => Party::Member(name.clone()),
        By::Person | By::Script => Party::Person,
        By::System => Party::System,
    }
}

fn shown(party: &Party) -> String {
    match party {
        Party::Person => "the person".to_owned(),
        Party::System => "teamtui".to_owned(),
        Party::Member(name) => name.to_string(),
    }
}

/// Who is meant: a member, the lead, or the person. A lead that is no agent is the person (C011).
fn recipient(team: &Team, to: &str) -> Result<Party, Rejection> {
    let names: Vec<&str> = team.open_members().map(|m| m.name.as_str()).collect();
    let unknown = || {
        let written = crate::text::cut(&Untrusted::from(to).shown(), 40).into_owned();
        find::nearest(
            Rejection::new(Code::NotFound, format!("{} has no member `{written}`", team.name)),
            to,
            &names,
        )
    };
    let name = Name::reference(to).map_err(|_| unknown())?;
    match name.key() {
        "person" | "user" | "human" => Ok(Party::Person),
        "lead" if !team.has_lead() => Ok(Party::Person),
        _ => team.members.get(&name).map(|m| Party::Member(m.name.clone())).ok_or_else(unknown),
    }
}

fn deliver(
    draft: &mut Draft<'_>,
    id: TeamId,
    from: Party,
    to: Party,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let name = shown(&to);
    if let Party::Member(member) = &to
        && team.members.get(member).is_none_or(Member::is_over)
    {
        refuse(draft, id, &from, &name, text, MessageRefusal::Stopped);
        return Err(Rejection::new(
            Code::Stopped,
            format!("{name} has ended; the message is kept, and the lead told"),
        )
        .help(format!("more work for it is a new task: `teamtui do add \"SUBJECT\" to={name}`")));
    }
    let hop = hop(team, &from);
    if let (Party::Member(one), Party::Member(other)) = (&from, &to)
        && let Some(cap) = capped(team, one, other, hop)
    {
        return Err(pause(draft, id, &from, &to, text, cap));
    }
    let message = team.mail.next_id();
    let note = reading_note(draft, id, &to);
    draft.emit(Some(id), MessageSent { id: message, from, to, text: text.clone(), hop });
    Ok(Reply::say(format!("sent, {note}")))
}

/// Messages between members that led to one sent now; the person's count 0.
fn hop(team: &Team, from: &Party) -> u32 {
    match from {
        Party::Member(name) => team.members.get(name).map_or(0, |m| m.hop).saturating_add(1),
        Party::Person | Party::System => 0,
    }
}

fn capped(team: &Team, one: &Name, other: &Name, hop: u32) -> Option<String> {
    let pair = Mail::pair(one, other);
    let count = team.mail.pairs.get(&pair).copied().unwrap_or_default();
    if team.mail.paused.contains(&pair) {
        return Some("the pair is paused".to_owned());
    }
    if hop > team.limits.hops {
        return Some(format!("message cap {} reached", team.limits.hops));
    }
    (count >= team.limits.pair).then(|| format!("message cap {} reached", team.limits.pair))
}

/// At a cap the pair is paused, and whoever leads is told once (R26, C020).
fn pause(
    draft: &mut Draft<'_>,
    id: TeamId,
    from: &Party,
    to: &Party,
    text: &Untrusted,
    cap: String,
) -> Rejection {
    refuse(draft, id, from, &shown(to), text, MessageRefusal::Cap(cap.clone()));
    if cap.starts_with("message cap") {
        let (one, other) = (from.clone(), to.clone());
        draft.emit_by(Some(id), By::System, PairPaused { one, other, cap: cap.clone() });
        let Some(team) = draft.state.team(id) else { return create::gone() };
        let lead = if team.has_lead() { Party::Member(Name::lead()) } else { Party::Person };
        let message = team.mail.next_id();
        let said = format!(
            "{} and {} are paused: {cap}. A message of yours to either lets them write again.",
            shown(from),
            shown(to)
        );
        draft.emit_by(
            Some(id),
            By::System,
            MessageSent { id: message, from: Party::System, to: lead, text: Untrusted::from(said), hop: 0 },
        );
    }
    Rejection::new(
        Code::OverLimit,
        format!("{cap}; {} and {} are paused, and the lead was told", shown(from), shown(to)),
    )
    .help("go on with the task; a message of the person lets you write again")
}

fn refuse(draft: &mut Draft<'_>, id: TeamId, from: &Party, to: &str, text: &Untrusted, why: MessageRefusal) {
    let (from, to, text) = (from.clone(), to.to_owned(), text.clone());
    draft.emit(Some(id), MessageRefused { from, to, text, why });
}

/// When the recipient reads it, by its driver.
fn reading_note(draft: &Draft<'_>, id: TeamId, to: &Party) -> String {
    let Party::Member(name) = to else { return "the person reads it".to_owned() };
    let Some(member) = draft.state.team(id).and_then(|t| t.members.get(name)) else { return String::new() };
    match (&member.agent.driver, member.busy.is_some()) {
        (Driver::Process { .. }, true) => format!("{name} reads it when it asks, else in its next attempt"),
        (Driver::Scripted(_), true) => format!("{name} reads it when it asks"),
        _ => format!("{name} reads it when it starts next"),
    }
}

pub(super) fn broadcast(
    draft: &mut Draft<'_>,
    caller: &Caller,
    text: &Untrusted,
) -> Result<Reply, Rejection> {
    let id = caller.team(draft.state)?;
    check_text(text)?;
    let from = sender(caller);
    let Some(team) = draft.state.team(id) else { return Err(create::gone()) };
    let to: Vec<Party> =
        team.members.values().filter(|m| !m.is_over()).map(|m| Party::Member(m.name.clone())).collect();
    let to: Vec<Party> = to.into_iter().filter(|p| *p != from).collect();
    let hop = hop(team, &from);
    let free = |p: &&Party| match (&from, p) {
        (Party::Member(one), Party::Member(other)) => capped(team, one, other, hop).is_none(),
        _ => true,
    };
    let (open, paused): (Vec<&Party>, Vec<&Party>) = to.iter().partition(free);
    let (count, left) = (open.len(), paused.len());
    for party in open.into_iter().cloned().collect::<Vec<_>>() {
        let Some(message) = draft.state.team(id).map(|t| t.mail.next_id()) else { break };
        draft.emit(
            Some(id),
            MessageSent { id: message, from: from.clone(), to: party, text: text.clone(), hop },
        );
    }
    let note = if left > 0 { format!("; {left} are paused") } else { String::new() };
    Ok(Reply::say(format!("sent to {count}{note}")))
}

/// Answers with the caller's unread mail, and marks it read in the same step (R23); else waits for some.
pub(super) fn read(draft: &mut Draft<'_>, caller: &Caller, wait_ms: Option<u64>) -> Result<Reply, Rejection> {
    let id = caller.any_team_for_reads(draft.state)?;
    let letters = drain(draft, id, &sender(caller), caller.attempt);
    if let (true, Some(wait_ms), Some(attempt)) = (letters.is_empty(), wait_ms, caller.attempt) {
        let due_ms = draft.elapsed_ms().saturating_add(wait_ms);
        draft.emit(Some(id), TimerSet { due_ms, attempt: Some(attempt) });
        return Ok(Reply::default().with(Data::InboxTimer(draft.state.seq)));
    }
    Ok(inbox(letters))
}

/// The end of a wait for mail: what is there is read, and the wait's own timer is done with. Other timers run on.
pub(super) fn read_waited(draft: &mut Draft<'_>, caller: &Caller, timer: Seq) -> Result<Reply, Rejection> {
    let id = caller.any_team_for_reads(draft.state)?;
    let letters = drain(draft, id, &sender(caller), caller.attempt);
    let own =
        draft.state.timers.get(&timer).is_some_and(|(_, whose)| whose.is_some() && *whose == caller.attempt);
    if own {
        draft.emit(Some(id), TimerDue { timer });
    }
    Ok(inbox(letters))
}

fn inbox(letters: Vec<Letter>) -> Reply {
    let count = letters.len();
    let head = if count == 0 { "no new messages".to_owned() } else { format!("{count} new messages") };
    Reply::say(head).with(Data::Inbox(letters))
}

/// Takes the unread mail of a reader.
pub(in crate::domain) fn drain(
    draft: &mut Draft<'_>,
    id: TeamId,
    reader: &Party,
    attempt: Option<crate::domain::AttemptId>,
) -> Vec<Letter> {
    let Some(team) = draft.state.team(id) else { return Vec::new() };
    let ids: Vec<MessageId> = match reader {
        Party::Member(name) => team.mail.unread(Some(name)),
        Party::Person => team.mail.unread(None),
        Party::System => return Vec::new(),
    };
    let letter = |id: &MessageId| {
        team.mail.get(*id).map(|m| Letter {
            id: m.id,
            from: m.from.clone(),
            sent_ms: m.sent_ms,
            hop: m.hop,
            text: m.text.clone(),
        })
    };
    let letters: Vec<Letter> = ids.iter().filter_map(letter).collect();
    if !ids.is_empty() {
        draft.emit(Some(id), MessagesRead { reader: reader.clone(), ids, attempt });
    }
    letters
}

/// Mail that its reader will not come to read is reported to whoever sent it, once each (R22).
pub(in crate::domain) fn leave(draft: &mut Draft<'_>, id: TeamId, reader: &Name) {
    let Some(team) = draft.state.team(id) else { return };
    let ids = team.mail.unread(Some(reader));
    let Some(member) = team.members.get(reader).filter(|_| !ids.is_empty()) else { return };
    let mut senders: BTreeMap<Party, u32> = BTreeMap::new();
    for message in ids.iter().filter_map(|m| team.mail.get(*m)).filter(|m| m.from != Party::System) {
        *senders.entry(message.from.clone()).or_default() += 1;
    }
    senders.retain(|sender, _| match sender {
        Party::Member(name) => team.members.get(name).is_some_and(|m| !m.is_over()),
        Party::Person | Party::System => true,
    });
    let number = member.brief.unwrap_or_default();
    let why = match team.task(number) {
        _ if member.chair == Chair::Closed => "its chair is closed".to_owned(),
        Some(task) if task.status().is_final() => format!("{} is {}", task.label(), task.status()),
        _ => "it has no work left".to_owned(),
    };
    draft.emit_by(Some(id), By::System, MessagesLeft { ids, number });
    for (sender, count) in senders {
        let Some(message) = draft.state.team(id).map(|t| t.mail.next_id()) else { return };
        let text = Untrusted::from(format!("{count} of your messages to {reader} were not read: {why}"));
        let event = MessageSent { id: message, from: Party::System, to: sender, text, hop: 0 };
        draft.emit_by(Some(id), By::System, event);
    }
}
