//! What happened. An event carries what was decided, so that replaying it decides nothing again.
//!
//! Each event is a frozen struct with a number; a change of shape is a new version with an upcaster in [`Fact::decode`].
mod detail;
mod fact;

pub use detail::{Cap, EdgeFact, MessageRefusal, Party, Purpose, Verdict};
pub use fact::{By, DecodeError, Fact};

use super::{
    Asker, AttemptId, CloseReason, Found, MemberSpec, MessageId, Name, Outcome, Reviewer, Revision,
    RunHeader, Seq, Status, StopCause, TaskChange, TaskNo, TaskSpec, TeamSpec, Token,
};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

macro_rules! events {
    ($($(#[$doc:meta])* $kind:literal $word:literal $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[allow(missing_docs, reason = "a field that has no words of its own is named by the words of the domain")]
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name { $($(#[$fdoc])* pub $field: $type),* })*

        /// Everything that can have happened.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Event { $($(#[$doc])* $name($name)),* }

        $(impl From<$name> for Event {
            fn from(event: $name) -> Self {
                Self::$name(event)
            }
        })*

        impl Event {
            /// Its number and version in the log.
            pub fn kind(&self) -> (u16, u16) {
                match self { $(Self::$name(_) => ($kind, 1)),* }
            }

            /// Its name in the event stream.
            pub fn word(&self) -> &'static str {
                match self { $(Self::$name(_) => $word),* }
            }

            /// May a teamtui that does not know the kind skip it?
            pub fn ignorable(&self) -> bool {
                matches!(
                    self,
                    Self::OutputMarked(_)
                        | Self::OutputLost(_)
                        | Self::TaskCommented(_)
                        | Self::ProgressNoted(_)
                )
            }

            fn write(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
                match self { $(Self::$name(event) => serde_json::to_writer(out, event)),* }
            }

            fn read(kind: u16, version: u16, body: &[u8]) -> Result<Self, DecodeError> {
                match (kind, version) {
                    $(($kind, 1) => serde_json::from_slice(body).map(Self::$name)
                        .map_err(|e| DecodeError::Body { kind, why: e.to_string() }),)*
                    _ => Err(DecodeError::Newer { kind, version }),
                }
            }

            /// Every kind: number and name, for the documentation and its tests.
            pub const KINDS: &'static [(u16, &'static str)] = &[$(($kind, $word)),*];
        }
    };
}

events! {
    /// A run began.
    1 "run_opened" RunOpened { #[serde(flatten)] header: RunHeader }
    /// A run ended.
    2 "run_closed" RunClosed { reason: CloseReason }
    /// A closed run went on.
    3 "run_resumed" RunResumed { failed: bool }
    /// A new owner found a run that was not closed.
    4 "recovered" Recovered {
        /// What was live and is not any more.
        interrupted: Vec<AttemptId>,
        /// What had ended: its checks run again.
        #[serde(default)]
        checked: Vec<AttemptId>,
        /// What was found outside the log.
        #[serde(default)]
        found: Found,
    }

    /// Nothing new starts until the run is closed, resumed or has a new owner.
    5 "run_stopping" RunStopping { cause: StopCause }

    /// A team was made. Its tasks are the briefs in the order of its members, then `tasks`, numbered from 1. Of a team
    /// that is there and has no tasks: its lead gave it these members and tasks.
    10 "team_created" TeamCreated { spec: Box<TeamSpec> }
    /// No more work is accepted.
    11 "dissolve_asked" DissolveAsked {}
    /// The team has ended.
    12 "team_dissolved" TeamDissolved {
        /// Every required task was completed, and what the lead promised holds.
        completed: bool,
        /// Whose attempts were cut off.
        cut_off: Vec<Name>,
    }
    /// Nothing new starts: for one member, or for all.
    13 "paused" Paused { member: Option<Name> }
    /// Undone.
    14 "resumed" Resumed { member: Option<Name> }
    /// A cap of the team was reached: no new attempt starts.
    15 "cap_reached" CapReached { cap: Cap }
    /// Caps were set anew.
    16 "limits_set" LimitsSet { limits: super::Limits }

    /// What the lead promised (outputs and checks) is looked at before the team can be completed.
    17 "promise_asked" PromiseAsked {}

    /// A task was added.
    20 "task_added" TaskAdded {
        /// Its number.
        number: TaskNo,
        /// As declared.
        spec: Arc<TaskSpec>,
        /// The member that gave it, for R27.
        giver: Option<Name>,
    }
    /// A member was added, with its brief.
    21 "member_added" MemberAdded {
        /// As declared.
        member: Box<MemberSpec>,
        /// The brief's number.
        number: Option<TaskNo>,
    }
    /// A chair was closed.
    22 "member_removed" MemberRemoved { member: Name }
    /// The plan changed: edges and prompts.
    23 "plan_changed" PlanChanged {
        /// The revision it has now.
        revision: Revision,
        /// Tasks with all the edges they have now.
        rewired: Vec<(TaskNo, Vec<EdgeFact>)>,
        /// Tasks with the prompt they have now.
        prompts: Vec<(TaskNo, Untrusted)>,
        /// Old and new.
        replaced: Vec<(TaskNo, TaskNo)>,
    }
    /// A task was cancelled.
    24 "task_cancelled" TaskCancelled { number: TaskNo, reason: Untrusted }
    /// An edge counts as satisfied from now on (R8).
    25 "edge_waived" EdgeWaived { number: TaskNo, on: TaskNo }
    /// Title, priority or optional changed.
    26 "task_updated" TaskUpdated { number: TaskNo, change: TaskChange }
    /// A task was given to someone.
    27 "task_assigned" TaskAssigned {
        number: TaskNo,
        to: Name,
        /// The member that gave it, for R27.
        giver: Option<Name>,
    }
    /// Someone noted something.
    28 "task_commented" TaskCommented { number: TaskNo, text: Untrusted }
    /// Reviews were asked for.
    29 "reviewers_set" ReviewersSet { number: TaskNo, by: Vec<Reviewer> }
    /// A settled task will be tried again.
    30 "retry_asked" RetryAsked { number: TaskNo, text: Untrusted }
    /// A late or unconfirmed result became the result.
    31 "result_adopted" ResultAdopted { number: TaskNo, attempt: u32 }
    /// A passed `expect` asserted how the task ended.
    32 "end_asserted" EndAsserted { number: TaskNo }

    /// An attempt, a review or a turn began.
    40 "attempt_started" AttemptStarted {
        attempt: AttemptId,
        member: Name,
        purpose: Purpose,
        /// Which attempt at the task it is, from 1; the turn's number for a turn.
        nth: u32,
        token: Token,
        /// Micro-dollars reserved.
        reserved_micros: u64,
    }
    /// An attempt was asked to end. From now on it is fenced.
    41 "stop_asked" StopAsked { attempt: AttemptId, cause: StopCause }
    /// A member says that its task is done; outputs and checks are looked at.
    42 "completion_asked" CompletionAsked {
        attempt: AttemptId,
        result: Untrusted,
        exit: Option<i32>,
        /// There is nothing to look at.
        settled: bool,
    }
    /// They were looked at.
    43 "checks_settled" ChecksSettled {
        /// None: the lead's, of the whole team.
        attempt: Option<AttemptId>,
        refused: Vec<Untrusted>,
        outputs: Vec<(String, u64)>,
    }
    /// An attempt, a review or a turn ended.
    44 "attempt_ended" AttemptEnded {
        attempt: AttemptId,
        outcome: Outcome,
        reason: Untrusted,
        exit: Option<i32>,
        took_ms: u64,
        output_bytes: u64,
        /// What it leaves. Kept with the attempt; the task's result if the status says so.
        result: Option<Untrusted>,
        /// What the task is now. None: the attempt does not move it.
        status: Option<Status>,
        /// The next attempt starts by itself.
        again: bool,
        spent_micros: u64,
    }
    /// A reviewer answered.
    45 "review_settled" ReviewSettled {
        number: TaskNo,
        reviewer: Reviewer,
        verdict: Verdict,
        text: Untrusted,
        /// What the task is now: in review, pending, failed, completed or cancelled.
        status: Status,
    }
    /// A result that came after its attempt had ended: kept beside the task, `adopt` makes it the result.
    50 "orphan_kept" OrphanKept { number: TaskNo, attempt: u32, result: Untrusted }
    /// Percent done.
    46 "progress_noted" ProgressNoted { attempt: AttemptId, percent: u8, text: Untrusted }
    /// It has been silent for its agent's `stall`.
    47 "attempt_stalled" AttemptStalled { attempt: AttemptId, silent_ms: u64 }
    /// Output was synced up to here.
    48 "output_marked" OutputMarked { attempt: AttemptId, bytes: u64 }
    /// Not all of its output is kept.
    51 "output_lost" OutputLost { attempt: AttemptId, why: Untrusted }
    /// A member said that its task is not done; its process may still exit.
    49 "failure_said" FailureSaid { attempt: AttemptId, reason: Untrusted }

    /// A message was sent.
    60 "message_sent" MessageSent { id: MessageId, from: Party, to: Party, text: Untrusted, hop: u32 }
    /// A message was not delivered; it is kept here.
    61 "message_refused" MessageRefused { from: Party, to: String, text: Untrusted, why: MessageRefusal }
    /// Messages were in a prompt or an answered inbox.
    62 "messages_read" MessagesRead { reader: Party, ids: Vec<MessageId>, attempt: Option<AttemptId> }
    /// Two members may not write to each other until the person does.
    63 "pair_paused" PairPaused { one: Party, other: Party, cap: String }
    /// Mail that nobody will read: the recipient's task is final.
    64 "messages_left" MessagesLeft { ids: Vec<MessageId>, number: TaskNo }
    /// A member waits for an answer; its clocks stand still.
    65 "question_asked" QuestionAsked { attempt: AttemptId, of: Asker, text: Untrusted, default: Option<Untrusted> }
    /// It got one.
    66 "question_answered" QuestionAnswered { attempt: AttemptId, text: Untrusted }
    /// Whoever waited for the answer has gone; the clocks of the attempt run again.
    67 "question_withdrawn" QuestionWithdrawn { attempt: AttemptId }

    /// Somebody waits for a time.
    70 "timer_set" TimerSet { due_ms: u64, attempt: Option<AttemptId> }
    /// The time came.
    71 "timer_due" TimerDue { timer: Seq }
    /// A file is about to be written.
    72 "effect_asked" EffectAsked { attempt: AttemptId, path: String, before: Option<String>, after: String }
    /// It was, or was not.
    73 "effect_settled" EffectSettled { asked: Seq, refused: Option<Untrusted> }
}
