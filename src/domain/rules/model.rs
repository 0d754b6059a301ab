//! A team as the rules tell it, naively: everything is recomputed from edges and outcomes at every step. Nothing of the
//! domain's code is used here but its words.
use crate::domain::{Dependents, Needs, Status};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Running,
    InReview,
    Completed,
    Failed,
    Cancelled,
    Stale,
}

#[derive(Debug, Clone)]
pub(super) struct Task {
    pub edges: BTreeMap<usize, (Needs, bool)>,
    pub owner: Option<usize>,
    pub giver: Option<usize>,
    pub priority: i32,
    pub reviewed: bool,
    pub added: bool,
    pub phase: Phase,
    pub has_result: bool,
    pub retried: u32,
    pub sent_back: u32,
    pub crashes: u32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Member {
    /// It has a live attempt.
    pub busy: bool,
    /// At this task, unless it was taken away from it.
    pub at: Option<usize>,
    pub stopping: bool,
    pub orphan: bool,
    pub paused: bool,
    pub closed: bool,
    pub retries: u32,
    /// Its own task.
    pub brief: Option<usize>,
    /// Unread: from whom (none: the person or teamtui), and what.
    pub unread: Vec<(Option<usize>, String, bool)>,
}

#[derive(Debug, Clone)]
pub(super) struct Model {
    pub tasks: Vec<Task>,
    pub members: Vec<Member>,
    pub parallel: usize,
    pub paused: bool,
}

pub(super) fn task(owner: Option<usize>, edges: BTreeMap<usize, Needs>) -> Task {
    Task {
        edges: edges.into_iter().map(|(on, needs)| (on, (needs, false))).collect(),
        owner,
        giver: None,
        priority: 0,
        reviewed: false,
        added: false,
        phase: Phase::Waiting,
        has_result: false,
        retried: 0,
        sent_back: 0,
        crashes: 0,
    }
}

impl Model {
    pub fn held(&self, t: usize) -> bool {
        let holds = |(on, (needs, waived)): (&usize, &(Needs, bool))| {
            *needs == Needs::Completed && !waived && self.over(*on)
        };
        self.tasks[t].phase == Phase::Waiting && self.tasks[t].edges.iter().any(holds)
    }

    fn over(&self, t: usize) -> bool {
        matches!(self.tasks[t].phase, Phase::Failed | Phase::Stale | Phase::Cancelled) || self.held(t)
    }

    pub fn blocked(&self, t: usize) -> bool {
        let satisfied = |(on, (needs, waived)): (&usize, &(Needs, bool))| {
            let completed = self.tasks[*on].phase == Phase::Completed;
            *waived || completed || (*needs == Needs::Finished && self.over(*on))
        };
        !self.tasks[t].edges.iter().all(satisfied)
    }

    pub fn status(&self, t: usize) -> Status {
        match self.tasks[t].phase {
            Phase::Waiting if self.blocked(t) => Status::Blocked,
            Phase::Waiting => Status::Pending,
            Phase::Running => Status::InProgress,
            Phase::InReview => Status::InReview,
            Phase::Completed => Status::Completed,
            Phase::Failed => Status::Failed,
            Phase::Cancelled => Status::Cancelled,
            Phase::Stale => Status::Stale,
        }
    }

    /// Nothing wakes that member any more.
    pub fn is_over(&self, m: usize) -> bool {
        let own = |t: &Task| t.owner == Some(m) && !matches!(t.phase, Phase::Completed | Phase::Cancelled);
        self.members[m].closed || (!self.members[m].busy && !self.tasks.iter().any(own))
    }

    pub fn may_act(&self, m: usize) -> bool {
        self.members[m].busy && !self.members[m].stopping
    }

    /// Mail of those that are over is reported, then what can start starts, best first.
    pub fn go_on(&mut self) {
        for m in 0..self.members.len() {
            if self.is_over(m) && !self.members[m].unread.is_empty() {
                self.leave(m);
            }
        }
        while let Some(t) = self.next_start() {
            let m = self.tasks[t].owner.unwrap();
            self.tasks[t].phase = Phase::Running;
            let member = &mut self.members[m];
            (member.busy, member.at, member.stopping, member.orphan) = (true, Some(t), false, false);
            member.unread.clear();
        }
    }

    fn next_start(&self) -> Option<usize> {
        let live = self.members.iter().filter(|m| m.busy).count();
        if self.paused || live >= self.parallel {
            return None;
        }
        let free = |m: usize| !(self.members[m].busy || self.members[m].paused || self.members[m].closed);
        let ready = |t: &usize| self.status(*t) == Status::Pending && self.tasks[*t].owner.is_some_and(free);
        (0..self.tasks.len()).filter(ready).min_by_key(|t| (-self.tasks[*t].priority, *t))
    }

    fn leave(&mut self, m: usize) {
        let left = std::mem::take(&mut self.members[m].unread);
        let brief = self.members[m].brief.unwrap();
        let why = match self.tasks[brief].phase {
            _ if self.members[m].closed => "its chair is closed".to_owned(),
            Phase::Completed => format!("m{m:02} is completed"),
            Phase::Cancelled => format!("m{m:02} is cancelled"),
            _ => "it has no work left".to_owned(),
        };
        for sender in 0..self.members.len() {
            let count =
                left.iter().filter(|(from, _, by_system)| *from == Some(sender) && !by_system).count();
            if count > 0 && !self.is_over(sender) {
                let text = format!("{count} of your messages to m{m:02} were not read: {why}");
                self.members[sender].unread.push((None, text, true));
            }
        }
    }

    /// The attempt of a member ends, and its task is that then, if it still stands with it.
    pub fn end(&mut self, m: usize, phase: Phase, has_result: bool) {
        let member = std::mem::take(&mut self.members[m]);
        let Member { at, paused, closed, retries, brief, unread, .. } = member;
        self.members[m] = Member { paused, closed, retries, brief, unread, ..Member::default() };
        let Some(t) = at else { return };
        let task = &mut self.tasks[t];
        task.has_result |= has_result;
        task.crashes = 0;
        if phase == Phase::Failed && task.retried < retries {
            task.retried += 1;
            task.phase = Phase::Waiting;
        } else {
            task.phase = phase;
        }
    }

    pub fn done(&self, t: usize) -> Phase {
        if self.tasks[t].reviewed { Phase::InReview } else { Phase::Completed }
    }

    pub fn cancel(&mut self, t: usize, dependents: Option<Dependents>) {
        let release = dependents.map_or(self.tasks[t].added, |d| d == Dependents::Release);
        self.tasks[t].phase = Phase::Cancelled;
        for member in self.members.iter_mut().filter(|m| m.at == Some(t)) {
            (member.at, member.stopping) = (None, true);
        }
        if release {
            self.release(t);
        }
    }

    pub fn release(&mut self, t: usize) {
        for task in self.tasks.iter_mut().filter(|d| d.phase == Phase::Waiting) {
            if let Some((Needs::Completed, waived)) = task.edges.get_mut(&t) {
                *waived = true;
            }
        }
    }

    /// May a new edge be on that task?
    pub fn may_wait_for(&self, on: usize, needs: Needs) -> bool {
        let dead = matches!(self.tasks[on].phase, Phase::Failed | Phase::Stale | Phase::Cancelled);
        on < self.tasks.len() && (needs == Needs::Finished || !dead)
    }

    pub fn reaches(&self, from: usize, to: usize) -> bool {
        from == to || self.tasks[from].edges.keys().any(|on| self.reaches(*on, to))
    }

    pub fn given(&self, to: usize, from: Option<usize>) -> usize {
        let live = |t: &&Task| matches!(t.phase, Phase::Waiting | Phase::Running | Phase::InReview);
        let counts =
            |t: &&Task| t.owner == Some(to) && t.giver.is_some() && (from.is_none() || t.giver == from);
        self.tasks.iter().filter(live).filter(counts).count()
    }
}
