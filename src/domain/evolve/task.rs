//! Tasks: what is decided about them, and what follows for those that wait for them.
use crate::domain::event::{
    EndAsserted, OrphanKept, ResultAdopted, RetryAsked, ReviewSettled, ReviewersSet, TaskAssigned,
    TaskCancelled, TaskCommented, TaskUpdated,
};
use crate::domain::state::{Comment, Member, Phase, ResultText, Review, Standing, Task, Team};
use crate::domain::{Driver, Fact, Name, Reviewer, Status, TaskNo, Verdict};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Team {
    /// Changes one task, and with it all that follows: its place in its member's queue, and the edges of those that
    /// wait for it, down the whole chain.
    pub(super) fn with_task(&mut self, number: TaskNo, change: impl FnOnce(&mut Task)) {
        let Some(before) = self.task(number).map(Footing::of) else { return };
        if let Some(task) = self.task_mut(number) {
            change(task);
        }
        let Some(after) = self.task(number).map(Footing::of) else { return };
        self.requeue(number, &before, &after);
        self.spread(number, before.standing, after.standing);
    }

    /// Changes one member, and with it the head of its queue.
    pub(super) fn with_member(&mut self, name: &Name, change: impl FnOnce(&mut Member)) {
        let Some(member) = self.members.get_mut(name) else { return };
        let before = (head(member), first_review(member));
        change(member);
        let after = (head(member), first_review(member));
        let is_person = member.agent.driver == Driver::Human;
        let heads = if is_person { &mut self.queue.persons } else { &mut self.queue.heads };
        swap(heads, before.0, after.0);
        swap(&mut self.queue.reviews, before.1, after.1);
    }

    fn requeue(&mut self, number: TaskNo, before: &Footing, after: &Footing) {
        if before == after {
            return;
        }
        if let Some(name) = &before.assignee {
            self.with_member(name, |m| {
                m.pending.remove(&(Reverse(before.priority), number));
                m.outstanding -= u32::from(before.outstanding).min(m.outstanding);
                m.unfinished -= u32::from(before.unfinished).min(m.unfinished);
                ungive(m, before.giver.as_ref());
            });
        }
        if let Some(name) = &after.assignee {
            self.with_member(name, |m| {
                m.outstanding += u32::from(after.outstanding);
                m.unfinished += u32::from(after.unfinished);
                if let Some(giver) = &after.giver {
                    *m.given.entry(giver.clone()).or_default() += 1;
                }
                if after.pending {
                    m.pending.insert((Reverse(after.priority), number));
                }
            });
        }
    }

    /// A task stands differently now: the edges on it are counted anew, and so on down the chain.
    fn spread(&mut self, number: TaskNo, before: Standing, after: Standing) {
        let mut moved = vec![(number, before, after)];
        while let Some((upstream, before, after)) = moved.pop() {
            if before == after {
                continue;
            }
            let dependents = self.task(upstream).map(|t| t.dependents.clone()).unwrap_or_default();
            for dependent in dependents {
                let Some(from) = self.task(dependent).map(Footing::of) else { continue };
                if let Some(task) = self.task_mut(dependent) {
                    recount(task, upstream, before, after);
                }
                let Some(to) = self.task(dependent).map(Footing::of) else { continue };
                self.requeue(dependent, &from, &to);
                moved.push((dependent, from.standing, to.standing));
            }
        }
    }

    /// Puts the task into the queue of the member whose review it waits for, and takes it out of all others.
    pub(super) fn queue_review(&mut self, number: TaskNo) {
        let Some(task) = self.task(number) else { return };
        let waits = task.phase == Phase::InReview && task.review.live.is_none() && !task.review.stuck;
        let next = task.next_reviewer().filter(|_| waits).and_then(|reviewer| match reviewer {
            Reviewer::Person => None,
            Reviewer::Lead => Some(Name::lead()),
            Reviewer::Member(name) => Some(name.clone()),
        });
        let next = next.filter(|name| self.members.contains_key(name));
        let before = match &next {
            Some(name) => self.reviewing.insert(number, name.clone()),
            None => self.reviewing.remove(&number),
        };
        if before == next {
            return;
        }
        if let Some(name) = before {
            self.with_member(&name, |m| {
                m.reviews.remove(&number);
            });
        }
        if let Some(name) = next {
            self.with_member(&name, |m| {
                m.reviews.insert(number);
            });
        }
    }
}

/// What of a task others depend on.
#[derive(PartialEq, Eq)]
struct Footing {
    assignee: Option<Name>,
    priority: i32,
    pending: bool,
    outstanding: bool,
    unfinished: bool,
    giver: Option<Name>,
    standing: Standing,
}

impl Footing {
    fn of(task: &Task) -> Self {
        Self {
            assignee: task.assignee.clone(),
            priority: task.spec.priority,
            pending: task.status() == Status::Pending,
            outstanding: task.is_outstanding(),
            unfinished: !task.status().is_final(),
            giver: task.giver.clone().filter(|_| task.is_outstanding()),
            standing: task.standing(),
        }
    }
}

/// The first pending task of a member that could start one.
fn head(member: &Member) -> Option<(Reverse<i32>, TaskNo)> {
    member.pending.first().copied().filter(|_| member.is_free())
}

fn first_review(member: &Member) -> Option<TaskNo> {
    member.reviews.first().copied().filter(|_| member.is_free())
}

fn swap<T: Ord>(set: &mut BTreeSet<T>, before: Option<T>, after: Option<T>) {
    if before == after {
        return;
    }
    if let Some(before) = before {
        set.remove(&before);
    }
    if let Some(after) = after {
        set.insert(after);
    }
}

fn ungive(member: &mut Member, giver: Option<&Name>) {
    let Some(giver) = giver else { return };
    let Some(count) = member.given.get_mut(giver) else { return };
    *count -= 1;
    if *count == 0 {
        member.given.remove(giver);
    }
}

fn recount(task: &mut Task, upstream: TaskNo, before: Standing, after: Standing) {
    let Ok(at) = task.edges.binary_search_by_key(&upstream, |e| e.on) else { return };
    let Some(edge) = task.edges.get(at).copied() else { return };
    let (was_satisfied, did_hold) = edge.effect(before);
    let (satisfied, holds) = edge.effect(after);
    task.open = (task.open + u32::from(!satisfied)).saturating_sub(u32::from(!was_satisfied));
    task.holding = (task.holding + u32::from(holds)).saturating_sub(u32::from(did_hold));
}

pub(super) fn cancelled(team: &mut Team, fact: &Fact, e: &TaskCancelled) {
    team.with_task(e.number, |t| {
        t.phase = Phase::Cancelled;
        t.since_ms = fact.elapsed_ms;
        t.reason = e.reason.clone();
        t.review = Review { said: std::mem::take(&mut t.review.said), ..Review::default() };
    });
    team.queue_review(e.number);
    team.news += 1;
}

pub(super) fn updated(team: &mut Team, e: &TaskUpdated) {
    team.with_task(e.number, |t| {
        let spec = Arc::make_mut(&mut t.spec);
        if let Some(title) = &e.change.title {
            spec.title = Some(title.clone());
        }
        spec.priority = e.change.priority.unwrap_or(spec.priority);
        spec.optional = e.change.optional.unwrap_or(spec.optional);
    });
}

pub(super) fn assigned(team: &mut Team, e: &TaskAssigned) {
    team.with_task(e.number, |t| {
        t.assignee = Some(e.to.clone());
        t.giver = e.giver.clone();
    });
}

pub(super) fn commented(team: &mut Team, fact: &Fact, e: &TaskCommented) {
    if let Some(task) = team.task_mut(e.number) {
        task.comments.push(Comment {
            by: fact.by.clone(),
            elapsed_ms: fact.elapsed_ms,
            text: e.text.clone(),
        });
    }
}

pub(super) fn reviewers_set(team: &mut Team, e: &ReviewersSet) {
    if let Some(task) = team.task_mut(e.number) {
        Arc::make_mut(&mut task.spec).review = e.by.clone();
        task.review = Review { said: std::mem::take(&mut task.review.said), ..Review::default() };
    }
    team.queue_review(e.number);
}

pub(super) fn retry_asked(team: &mut Team, fact: &Fact, e: &RetryAsked) {
    team.with_task(e.number, |t| {
        t.phase = Phase::Waiting;
        t.since_ms = fact.elapsed_ms;
        t.feedback = (!e.text.is_empty()).then(|| e.text.clone()).or_else(|| t.feedback.take());
        t.retried = 0;
        t.sent_back = 0;
    });
}

pub(super) fn result_adopted(team: &mut Team, fact: &Fact, e: &ResultAdopted) {
    team.with_task(e.number, |t| {
        let record = t.attempts.iter().find(|a| a.nth == e.attempt);
        let text = record
            .and_then(|a| a.result.clone())
            .or_else(|| t.result.take().map(|r| r.text))
            .unwrap_or_default();
        let outputs = record.map(|a| a.outputs.clone()).unwrap_or_default();
        t.result = Some(ResultText { text, nth: e.attempt, confirmed: true, outputs });
        t.phase = Phase::Completed;
        t.since_ms = fact.elapsed_ms;
        t.review = Review { said: std::mem::take(&mut t.review.said), ..Review::default() };
    });
    team.queue_review(e.number);
    team.news += 1;
}

pub(super) fn orphan_kept(team: &mut Team, e: &OrphanKept) {
    let Some(task) = team.task_mut(e.number) else { return };
    if let Some(record) = task.attempts.iter_mut().find(|a| a.nth == e.attempt) {
        record.result = Some(e.result.clone());
    }
    team.news += 1;
}

pub(super) fn end_asserted(team: &mut Team, e: &EndAsserted) {
    if let Some(task) = team.task_mut(e.number) {
        task.asserted = true;
    }
}

pub(super) fn review_settled(team: &mut Team, fact: &Fact, e: &ReviewSettled) {
    team.with_task(e.number, |t| {
        t.review.said.push((e.reviewer.clone(), e.verdict, e.text.clone()));
        t.review.stuck = e.verdict == Verdict::None;
        t.review.live = None;
        if e.verdict == Verdict::Approved {
            t.review.approved += 1;
        }
        if e.status != Status::InReview {
            t.since_ms = fact.elapsed_ms;
            t.review = Review { said: std::mem::take(&mut t.review.said), ..Review::default() };
        }
        match e.status {
            Status::Completed => {
                t.phase = Phase::Completed;
                if let Some(result) = &mut t.result {
                    result.confirmed = true;
                }
            }
            Status::Pending => {
                t.phase = Phase::Waiting;
                t.sent_back += 1;
                t.feedback = Some(e.text.clone());
            }
            Status::Failed => {
                t.phase = Phase::Failed;
                t.reason = e.text.clone();
            }
            Status::Cancelled => {
                t.phase = Phase::Cancelled;
                t.reason = e.text.clone();
            }
            _ => {}
        }
    });
    team.queue_review(e.number);
    team.news += 1;
    team.urgent |= matches!(e.verdict, Verdict::None | Verdict::Rejected) || e.status == Status::Failed;
}
