//! The mailbox: sent, read, left.
use crate::domain::event::{MessageRefused, MessageSent, MessagesLeft, MessagesRead, PairPaused};
use crate::domain::state::{Mail, Message, MessageState, Team};
use crate::domain::{Fact, MessageRefusal, Name, Party};

pub(super) fn sent(team: &mut Team, fact: &Fact, e: &MessageSent) {
    let mail = &mut team.mail;
    mail.messages.push(Message {
        id: e.id,
        from: e.from.clone(),
        to: e.to.clone(),
        text: e.text.clone(),
        hop: e.hop,
        sent_ms: fact.elapsed_ms,
        state: MessageState::Sent,
    });
    if let Some(reader) = reader(&e.to) {
        mail.unread.entry(reader).or_default().insert(e.id);
    }
    match (&e.from, &e.to) {
        (Party::Member(one), Party::Member(other)) => {
            *mail.pairs.entry(Mail::pair(one, other)).or_default() += 1
        }
        (Party::Person, Party::Member(name)) => refresh(mail, name),
        _ => {}
    }
    if e.to == Party::Member(Name::lead()) {
        team.news += 1;
        team.urgent = true;
    }
}

/// The person wrote to a member: what it and others may write to each other counts from zero again (C020).
fn refresh(mail: &mut Mail, name: &Name) {
    let with = |pair: &(Name, Name)| pair.0 == *name || pair.1 == *name;
    mail.pairs.retain(|pair, _| !with(pair));
    mail.paused.retain(|pair| !with(pair));
}

pub(super) fn read(team: &mut Team, fact: &Fact, e: &MessagesRead) {
    let mut hop = 0;
    for id in &e.ids {
        if let Some(message) = team.mail.get_mut(*id) {
            message.state = MessageState::Read { elapsed_ms: fact.elapsed_ms, attempt: e.attempt };
            hop = hop.max(message.hop);
        }
    }
    forget(&mut team.mail, &e.reader, &e.ids);
    if let Party::Member(name) = &e.reader {
        team.with_member(name, |m| m.hop = m.hop.max(hop));
    }
}

pub(super) fn left(team: &mut Team, e: &MessagesLeft) {
    for id in &e.ids {
        let Some(message) = team.mail.get_mut(*id) else { continue };
        message.state = MessageState::Left;
        let to = message.to.clone();
        forget(&mut team.mail, &to, &[*id]);
    }
}

/// Kept in the log and counted; the lead is shown that somebody writes to one who has ended.
pub(super) fn refused(team: &mut Team, e: &MessageRefused) {
    team.mail.refused += 1;
    let by_lead = e.from == Party::Member(Name::lead());
    team.news += u32::from(e.why == MessageRefusal::Stopped && !by_lead);
}

pub(super) fn pair_paused(team: &mut Team, e: &PairPaused) {
    if let (Party::Member(one), Party::Member(other)) = (&e.one, &e.other) {
        team.mail.paused.insert(Mail::pair(one, other));
    }
}

fn forget(mail: &mut Mail, reader_of: &Party, ids: &[crate::domain::MessageId]) {
    let Some(key) = reader(reader_of) else { return };
    let Some(unread) = mail.unread.get_mut(&key) else { return };
    for id in ids {
        unread.remove(id);
    }
    if unread.is_empty() {
        mail.unread.remove(&key);
    }
}

fn reader(to: &Party) -> Option<Option<Name>> {
    match to {
        Party::Person => Some(None),
        Party::Member(name) => Some(Some(name.clone())),
        Party::System => None,
    }
}
