//! The mailbox of a team: every message that was sent, and what became of it.
use crate::domain::{AttemptId, MessageId, Name, Party};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// All mail of a team.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mail {
    /// In order of sending; `MessageId(1)` is at 0.
    pub messages: Vec<Message>,
    /// Unread, by recipient; a member's, and the person's under `None`.
    #[serde(with = "by_recipient")]
    pub unread: BTreeMap<Option<Name>, BTreeSet<MessageId>>,
    /// Messages between two members since the person last wrote to either.
    #[serde(with = "by_pair")]
    pub pairs: BTreeMap<(Name, Name), u32>,
    /// Pairs that are paused.
    pub paused: BTreeSet<(Name, Name)>,
    /// Messages refused, for the record: who, to whom, what, why.
    pub refused: u32,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its number in the team.
    pub id: MessageId,
    /// From whom.
    pub from: Party,
    /// To whom.
    pub to: Party,
    /// What.
    pub text: Untrusted,
    /// Messages between members that led to it, itself counted; 0: the person's.
    pub hop: u32,
    /// When, in the run's time.
    pub sent_ms: u64,
    /// What became of it.
    pub state: MessageState,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Not yet read.
    Sent,
    /// It was in a prompt, or in an answered inbox.
    Read {
        /// When.
        elapsed_ms: u64,
        /// In which attempt.
        attempt: Option<AttemptId>,
    },
    /// Nobody will read it: the recipient's task is final.
    Left,
}

impl Mail {
    /// A message by number.
    pub fn get(&self, id: MessageId) -> Option<&Message> {
        self.messages.get(usize::try_from(id.0).ok()?.checked_sub(1)?)
    }

    /// A message by number, to change it.
    pub fn get_mut(&mut self, id: MessageId) -> Option<&mut Message> {
        self.messages.get_mut(usize::try_from(id.0).ok()?.checked_sub(1)?)
    }

    /// Unread messages of a member, or of the person, oldest first.
    pub fn unread(&self, reader: Option<&Name>) -> Vec<MessageId> {
        self.unread.get(&reader.cloned()).map(|ids| ids.iter().copied().collect()).unwrap_or_default()
    }

    /// The number that the next message gets.
    pub fn next_id(&self) -> MessageId {
        MessageId(u64::try_from(self.messages.len()).unwrap_or(u64::MAX)).next()
    }

    /// Two members as a key, whichever comes first.
    pub fn pair(one: &Name, other: &Name) -> (Name, Name) {
        if one <= other { (one.clone(), other.clone()) } else { (other.clone(), one.clone()) }
    }
}

/// JSON maps have text for keys, so these are written as lists.
mod by_recipient {
    use super::*;
    use serde::{Deserializer, Serializer};

    type Map = BTreeMap<Option<Name>, BTreeSet<MessageId>>;

    pub fn serialize<S: Serializer>(map: &Map, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Map, D::Error> {
        Vec::<(Option<Name>, BTreeSet<MessageId>)>::deserialize(from).map(Map::from_iter)
    }
}

mod by_pair {
    use super::*;
    use serde::{Deserializer, Serializer};

    type Map = BTreeMap<(Name, Name), u32>;

    pub fn serialize<S: Serializer>(map: &Map, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Map, D::Error> {
        Vec::<((Name, Name), u32)>::deserialize(from).map(Map::from_iter)
    }
}
