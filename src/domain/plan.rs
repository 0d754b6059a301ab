//! The difference that a replan makes, as every face shows it (R18).
use super::{Name, Revision, Status, TaskNo};
use serde::{Deserialize, Serialize};

/// What a replan changes, or would change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlanDiff {
    /// The plan's revision after it (or now, for a dry run).
    pub revision: Revision,
    /// Tasks that stay, by label, in order of number.
    pub kept: Vec<String>,
    /// Kept tasks whose edges change: label, edges before, edges after.
    pub rewired: Vec<(String, Vec<String>, Vec<String>)>,
    /// Kept tasks whose prompt changes.
    pub prompts: Vec<String>,
    /// Members and their briefs.
    pub added: Vec<AddedTask>,
    /// Tasks that are cancelled: label and status before.
    pub dropped: Vec<(String, Status)>,
    /// Tasks that become pending by it.
    pub runnable: Vec<String>,
    /// Tasks that are held after it, and by what.
    pub held: Vec<(String, Vec<String>)>,
    /// Tasks whose live attempt is cut off.
    pub cut_off: Vec<String>,
    /// Files that dropped tasks wrote and that stay as they are.
    pub at_risk: Vec<String>,
}

/// One added member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedTask {
    /// Its name.
    pub name: Name,
    /// The agent it is like.
    pub agent: Option<Name>,
    /// Its brief.
    pub number: Option<TaskNo>,
    /// What the brief waits for.
    pub after: Vec<String>,
    /// The task it replaces.
    pub replaces: Option<String>,
}
