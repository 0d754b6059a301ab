//! One team: its plan, its chairs, its mail, and where it is in its life.
use super::{Mail, Task};
use crate::domain::{AgentSpec, AttemptId, Cap, LeadSpec, Limits, Name, Outcome, Revision, TaskNo, TeamSpec};
use crate::text::Untrusted;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A lead and members with settings, and the graph of their tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Unique among live teams.
    pub name: Name,
    /// Shown, and given to every member.
    pub goal: Option<Untrusted>,
    /// Shown in place of the name.
    pub title: Option<Untrusted>,
    /// The team file, as it was named.
    pub file: Option<Untrusted>,
    /// Absolute path.
    pub workspace: String,
    /// Environment for every member.
    pub env: Vec<String>,
    /// Caps.
    pub limits: Limits,
    /// What the lead promised, where there is a lead agent.
    pub lead: Option<LeadSpec>,
    /// Agents of its file, for members that are added later.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Name, Arc<AgentSpec>>,
    /// Every chair there ever was.
    pub members: BTreeMap<Name, Member>,
    /// `#1` is at 0.
    pub tasks: Vec<Task>,
    /// Tasks by name.
    pub names: BTreeMap<Name, TaskNo>,
    /// Moved by adding, removing and rewiring.
    pub revision: Revision,
    /// Where it is in its life.
    pub stage: Stage,
    /// When it was made, in the run's time.
    pub created_ms: u64,
    /// Mailbox.
    pub mail: Mail,
    /// Nothing new starts, until `resume`.
    pub paused: bool,
    /// A cap that was reached and not raised.
    pub capped: Option<Cap>,
    /// Money settled, micro-dollars.
    pub spent_micros: u64,
    /// Money reserved by live attempts, micro-dollars.
    pub reserved_micros: u64,
    /// Time spent in attempts, ms.
    pub work_ms: u64,
    /// Live attempts, reviews and turns of all but persons: they share `parallel`.
    pub live: u32,
    /// Members that could start a task now, by the task they would start: the scheduler's queue.
    pub queue: Queue,
    /// Something the lead has not been told: it wakes when its time comes.
    pub news: u32,
    /// It wakes the lead at once: a failure, a question.
    pub urgent: bool,
    /// The lead's outputs and checks are being looked at.
    pub checking: bool,
    /// Tasks that wait for a member's review, and whose.
    pub reviewing: BTreeMap<TaskNo, Name>,
    /// Outcome of the lead's outputs and checks; none: not looked at since something changed.
    pub lead_checks: Option<Vec<Untrusted>>,
}

/// (priority, number) order: higher priority first, then lower number.
pub type Place = (Reverse<i32>, TaskNo);

/// Tasks that could start, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Queue {
    /// The first pending task of each free member that an agent sits for.
    pub heads: BTreeSet<Place>,
    /// The first pending task of each free person; these start where the team has no room for agents too.
    #[serde(default)]
    pub persons: BTreeSet<Place>,
    /// The first review that waits for each free member.
    pub reviews: BTreeSet<TaskNo>,
}

/// Where a team is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Working, or waiting for work.
    Live,
    /// Asked to end at this time; attempts are ending.
    Dissolving {
        /// When, in the run's time.
        since_ms: u64,
    },
    /// Over.
    Ended {
        /// Every required task was completed.
        completed: bool,
        /// When, in the run's time.
        elapsed_ms: u64,
    },
}

/// A chair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Unique in the team.
    pub name: Name,
    /// Shown beside the name.
    pub title: Option<Untrusted>,
    /// The agent it was made from.
    pub agent_name: Option<Name>,
    /// How it runs.
    pub agent: AgentSpec,
    /// Its brief, if it declared one.
    pub brief: Option<TaskNo>,
    /// Open or closed.
    pub chair: Chair,
    /// Nothing new starts for it, until `resume`.
    pub paused: bool,
    /// Its live attempt, review or turn.
    pub busy: Option<AttemptId>,
    /// Its pending tasks.
    pub pending: BTreeSet<Place>,
    /// Tasks of others that wait for its review.
    pub reviews: BTreeSet<TaskNo>,
    /// Its tasks that are neither final nor settled.
    pub outstanding: u32,
    /// Its tasks that are not final.
    pub unfinished: u32,
    /// Its outstanding tasks that another member gave it, by giver (R27).
    pub given: BTreeMap<Name, u32>,
    /// Turns begun.
    pub turns: u32,
    /// How its last turn ended, once one has.
    pub last_turn: Option<(Outcome, Untrusted)>,
    /// The highest hop among the messages that its live attempt has read.
    pub hop: u32,
}

/// Is a chair open?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chair {
    /// Work and mail reach it.
    Open,
    /// It was removed, or its team ended.
    Closed,
}

impl Stage {
    /// Over.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Ended { .. })
    }
}

impl Team {
    /// What is shown beside the name of a task: its title, else that of the member whose brief it is. Harmless.
    pub fn title_of(&self, task: &Task) -> Option<String> {
        let member = task.spec.name.as_ref().and_then(|name| self.members.get(name));
        let titles = [task.spec.title.as_ref(), member.and_then(|member| member.title.as_ref())];
        let titles = titles.into_iter().flatten().map(|title| title.line().trim().to_owned());
        let name = task.label();
        titles.into_iter().find(|title| !title.is_empty() && *title != name)
    }

    /// A team as declared, without its members and tasks.
    pub fn new(spec: &TeamSpec, elapsed_ms: u64) -> Self {
        Self {
            name: spec.name.clone(),
            goal: spec.goal.clone(),
            title: spec.title.clone(),
            file: spec.file.clone(),
            workspace: spec.workspace.clone(),
            env: spec.env.clone(),
            limits: spec.limits.clone(),
            lead: spec.lead.clone(),
            agents: spec.agents.clone(),
            members: BTreeMap::new(),
            tasks: Vec::new(),
            names: BTreeMap::new(),
            revision: Revision(1),
            stage: Stage::Live,
            created_ms: elapsed_ms,
            mail: Mail::default(),
            paused: false,
            capped: None,
            spent_micros: 0,
            reserved_micros: 0,
            work_ms: 0,
            live: 0,
            queue: Queue::default(),
            news: 0,
            urgent: false,
            checking: false,
            reviewing: BTreeMap::new(),
            lead_checks: None,
        }
    }

    /// A task by number.
    pub fn task(&self, number: TaskNo) -> Option<&Task> {
        self.tasks.get(usize::try_from(number.0).ok()?.checked_sub(1)?)
    }

    /// A task by number, to change it.
    pub fn task_mut(&mut self, number: TaskNo) -> Option<&mut Task> {
        self.tasks.get_mut(usize::try_from(number.0).ok()?.checked_sub(1)?)
    }

    /// The number that the next task gets.
    pub fn next_number(&self) -> TaskNo {
        TaskNo(u32::try_from(self.tasks.len()).unwrap_or(u32::MAX)).next()
    }

    /// Members whose chair is open, the lead among them.
    pub fn open_members(&self) -> impl Iterator<Item = &Member> {
        self.members.values().filter(|m| m.chair == Chair::Open)
    }

    /// Is there a lead agent?
    pub fn has_lead(&self) -> bool {
        self.lead.is_some()
    }

    /// Every required task is completed and vouched for.
    pub fn is_complete(&self) -> bool {
        self.tasks.iter().all(|t| !t.is_required() || t.is_vouched())
    }
}

impl Member {
    /// A chair that nobody has worked in.
    pub fn new(name: Name, agent: AgentSpec) -> Self {
        Self {
            name,
            title: None,
            agent_name: None,
            agent,
            brief: None,
            chair: Chair::Open,
            paused: false,
            busy: None,
            pending: BTreeSet::new(),
            reviews: BTreeSet::new(),
            outstanding: 0,
            unfinished: 0,
            given: BTreeMap::new(),
            turns: 0,
            last_turn: None,
            hop: 0,
        }
    }

    /// It could begin something now.
    pub fn is_free(&self) -> bool {
        self.busy.is_none() && !self.paused && self.chair == Chair::Open
    }

    /// Nothing wakes it any more: its chair is closed, or its brief and all its other tasks are final (R22, C011).
    pub fn is_over(&self) -> bool {
        let done = self.brief.is_some() && self.unfinished == 0 && self.reviews.is_empty();
        self.chair == Chair::Closed || (done && self.busy.is_none())
    }
}
