//! PURE: what a team is. Commands are decided into events, events are folded into the state, the state asks for effects.
//!
//! Architecture invariant: nothing here knows a clock, a disk, a thread, randomness or tokio; time, ids and
//! randomness are arguments.
pub mod command;
pub mod decide;
pub mod effect;
pub mod event;
pub mod evolve;
pub mod found;
pub mod goal;
pub mod id;
pub mod job;
pub mod limits;
pub mod name;
pub mod plan;
pub mod port;
pub mod pulse;
pub mod react;
pub mod receipt;
pub mod rejection;
pub mod reply;
#[cfg(test)]
mod rules;
pub mod schedule;
pub mod spec;
pub mod state;
pub mod status;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod trial;
pub mod view;

pub use command::{
    Actor, AddMember, Asked, Asker, AttemptEnd, CloseReason, Command, Dependents, EndCause, PlanStep, Replan,
    ResumeRun, RunHeader, StopCause, TaskChange,
};
pub use decide::{Decision, Now, decide, next_due};
pub use effect::{CheckJob, Effect, Input, Job};
pub use event::{By, Cap, DecodeError, EdgeFact, Event, Fact, MessageRefusal, Party, Purpose, Verdict};
pub use found::{CameTo, Found, FoundAttempt, LeftOver, OutputSeam, Recovery};
pub use goal::Goal;
pub use id::{AttemptId, MessageId, Revision, Seq, TaskNo, TeamId, Token};
pub use limits::Limits;
pub use name::{Name, NameError};
pub use plan::{AddedTask, PlanDiff};
pub use pulse::{Hope, Pulse, Waiting, Waits};
pub use react::react;
pub use rejection::{Code, Rejection};
pub use reply::{Data, Letter, Reply};
pub use spec::{
    AgentSpec, Driver, EdgeSpec, LeadSpec, Line, MemberSpec, Needs, Rerun, Reviewer, StallAction, Stdin,
    StopSignal, TaskRef, TaskSpec, TeamSpec, Unconfirmed,
};
pub use state::State;
pub use status::{Outcome, Status};
