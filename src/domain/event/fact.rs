//! An event with its place, time and author, and how the log has it.
use super::Event;
use crate::domain::{Name, Seq, TeamId};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// An event with its place, time and author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Place in the run.
    pub seq: Seq,
    /// Time the run had been owned.
    pub elapsed_ms: u64,
    /// Wall clock in ms since 1970, a label.
    pub at_ms: u64,
    /// The team, where it is about one.
    pub team: Option<TeamId>,
    /// Who made it happen.
    pub by: By,
    /// The script line that asked for it, on the first event of what a person asked.
    pub line: Option<Untrusted>,
    /// What happened.
    pub event: Event,
}

/// Who made something happen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The person at a keyboard.
    Person,
    /// A script.
    Script,
    /// A member, the lead among them.
    Member(Name),
    /// teamtui itself.
    #[default]
    System,
}

/// Why bytes of the log are not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Written by a newer teamtui.
    #[error("event kind {kind} version {version} is newer than this teamtui")]
    Newer {
        /// Its number.
        kind: u16,
        /// Its version.
        version: u16,
    },
    /// The body is not of its kind.
    #[error("the body of event kind {kind} cannot be read: {why}")]
    Body {
        /// Its number.
        kind: u16,
        /// What the parser said.
        why: String,
    },
}

#[derive(Serialize)]
struct Head<'a> {
    #[serde(rename = "t")]
    elapsed_ms: u64,
    #[serde(rename = "a")]
    at_ms: u64,
    #[serde(rename = "m", skip_serializing_if = "Option::is_none")]
    team: Option<TeamId>,
    #[serde(rename = "b", skip_serializing_if = "is_system")]
    by: &'a By,
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    line: Option<&'a Untrusted>,
}

#[derive(Deserialize)]
struct OwnedHead {
    #[serde(rename = "t")]
    elapsed_ms: u64,
    #[serde(rename = "a")]
    at_ms: u64,
    #[serde(rename = "m", default)]
    team: Option<TeamId>,
    #[serde(rename = "b", default)]
    by: By,
    #[serde(rename = "l", default)]
    line: Option<Untrusted>,
}

fn is_system(by: &&By) -> bool {
    **by == By::System
}

impl Fact {
    /// The body as it is logged: the head and the event, two JSON values on one line.
    pub fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let mut out = Vec::with_capacity(160);
        let head = Head {
            elapsed_ms: self.elapsed_ms,
            at_ms: self.at_ms,
            team: self.team,
            by: &self.by,
            line: self.line.as_ref(),
        };
        serde_json::to_writer(&mut out, &head)?;
        out.push(b'\n');
        self.event.write(&mut out)?;
        Ok(out)
    }

    /// Reads what [`Fact::encode`] wrote, of this or an older version.
    pub fn decode(seq: Seq, kind: u16, version: u16, body: &[u8]) -> Result<Self, DecodeError> {
        let broken = |why: &str| DecodeError::Body { kind, why: why.to_owned() };
        let cut = body.iter().position(|b| *b == b'\n').ok_or_else(|| broken("no head"))?;
        let (head, rest) = body.split_at_checked(cut).ok_or_else(|| broken("no head"))?;
        let head: OwnedHead = serde_json::from_slice(head).map_err(|e| broken(&e.to_string()))?;
        let event = Event::read(kind, version, rest.get(1..).unwrap_or_default())?;
        Ok(Self {
            seq,
            elapsed_ms: head.elapsed_ms,
            at_ms: head.at_ms,
            team: head.team,
            by: head.by,
            line: head.line,
            event,
        })
    }
}
