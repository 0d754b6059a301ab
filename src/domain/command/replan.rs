//! What changes a plan or a task of it.
use crate::domain::{EdgeSpec, MemberSpec, Name, Needs, Revision, TaskRef};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};

/// Change a plan in one step, all or nothing (R18 to R20).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Replan {
    /// In the order given.
    pub steps: Vec<PlanStep>,
    /// Refused if the plan has moved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Revision>,
    /// Show the difference, change nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// One step of a replan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStep {
    /// Cancel tasks.
    Cancel {
        /// Which.
        tasks: Vec<TaskRef>,
        /// Dependents; none: by origin.
        dependents: Option<Dependents>,
    },
    /// Add a member with its brief.
    Add(Box<AddMember>),
    /// Give a task these upstreams, and no others.
    Rewire {
        /// Which.
        task: TaskRef,
        /// All its edges.
        after: Vec<EdgeSpec>,
    },
    /// Give a task that has not started another prompt.
    Prompt {
        /// Which.
        task: TaskRef,
        /// The text.
        text: Untrusted,
    },
    /// Put a new member's brief in the place of a task.
    Replace {
        /// The old.
        old: TaskRef,
        /// The new, added in the same replan.
        new: Name,
    },
}

/// A member to be added: what was written, and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddMember {
    /// The member and its brief. Empty parts of the brief are inherited in a `Replace`.
    pub member: MemberSpec,
    /// Use the agent of the team's `[agents]` table, or of this member; resolved by `decide`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<Name>,
    /// Which keys were written: those of the agent go on top of `like`, those of the brief are not inherited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
}

/// What happens to those that wait on a cancelled task (R8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependents {
    /// They are held.
    Hold,
    /// The edge is waived.
    Release,
}

/// What `update` changes. None: stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskChange {
    /// Shown in place of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Untrusted>,
    /// Higher starts first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// May fail without failing the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

impl Needs {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Finished => "finished",
        }
    }
}
