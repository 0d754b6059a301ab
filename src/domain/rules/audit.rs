//! What must hold after every command, recomputed from nothing but the declared facts of the state.
use crate::domain::state::{Chair, MessageState, Phase, State, Task, Team};
use crate::domain::{
    AttemptId, Driver, Event, Fact, MessageId, Name, Needs, Party, Purpose, Reviewer, Status, TaskNo, TeamId,
    status,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Folds the facts of one command over the state before it: the table allows every move, each fact survives the log, and
/// the fold is the state that was decided.
pub(crate) fn fold(state: &mut State, facts: &[Fact], decided: &State) {
    for fact in facts {
        assert_eq!(fact.seq, state.seq.next(), "no gap in seq");
        let before = fact.team.map(|team| statuses(state, team)).unwrap_or_default();
        let (kind, version) = fact.event.kind();
        let body = fact.encode().unwrap();
        let decoded = Fact::decode(fact.seq, kind, version, &body).unwrap();
        assert_eq!(decoded, *fact, "decode(encode(fact)) is the fact");
        state.evolve(&decoded);
        let after = fact.team.map(|team| statuses(state, team)).unwrap_or_default();
        for (at, (from, to)) in before.into_iter().zip(after).enumerate().filter(|(_, (from, to))| from != to)
        {
            let again = matches!(&fact.event, Event::AttemptEnded(e) if e.again);
            let settles = |by: Status| status::allowed(from, by) && status::allowed(by, to);
            let retried = again && (settles(Status::Failed) || settles(Status::Stale));
            assert!(
                status::allowed(from, to) || retried,
                "#{} moved from {from} to {to} by {:?}",
                at + 1,
                fact.event
            );
        }
    }
    assert_eq!(*state, *decided, "the fold of the facts is the state");
}

fn statuses(state: &State, team: TeamId) -> Vec<Status> {
    state.team(team).map(|team| team.tasks.iter().map(Task::status).collect()).unwrap_or_default()
}

/// Every counter and index equals its recomputation; nobody is busy twice; nothing waits for itself.
pub(crate) fn counters(state: &State) {
    let mut busy: BTreeMap<(TeamId, Name), AttemptId> = BTreeMap::new();
    for (id, attempt) in &state.live {
        assert_eq!(*id, attempt.id);
        assert!(*id <= state.last_attempt);
        let twice = busy.insert((attempt.team, attempt.member.clone()), *id);
        assert_eq!(twice, None, "{} has one live attempt", attempt.member);
    }
    for (_, whose) in state.timers.values() {
        assert!(whose.is_none_or(|id| state.live.contains_key(&id)), "timers of the ended are gone");
    }
    assert!(state.writes.values().all(|id| state.live.contains_key(id)), "writes of the ended are gone");
    for (id, team) in &state.teams {
        plan(team);
        members(state, *id, team, &busy);
        attempts(state, *id, team);
        mail(team);
    }
}

fn plan(team: &Team) {
    let nodes: Vec<TaskNo> = team.tasks.iter().map(|t| t.number).collect();
    let pairs: Vec<(TaskNo, TaskNo)> =
        team.tasks.iter().flat_map(|t| t.edges.iter().map(|e| (e.on, t.number))).collect();
    assert_eq!(crate::graph::find_cycle(&nodes, &pairs), None, "the plan is acyclic");
    let mut below: BTreeMap<TaskNo, Vec<TaskNo>> = BTreeMap::new();
    for (on, own) in pairs {
        below.entry(on).or_default().push(own);
    }
    let stands = Standings::of(team);
    for task in &team.tasks {
        let mut dependents = task.dependents.clone();
        dependents.sort_unstable();
        assert_eq!(
            dependents,
            below.remove(&task.number).unwrap_or_default(),
            "dependents of {}",
            task.label()
        );
        let open = task.edges.iter().filter(|e| !stands.satisfied(e)).count();
        let holding = task.edges.iter().filter(|e| stands.holds(e)).count();
        assert_eq!((task.open as usize, task.holding as usize), (open, holding), "edges of {}", task.label());
        assert!(task.edges.windows(2).all(|w| w[0].on < w[1].on), "edges are sorted, once each");
        if let Some(name) = &task.spec.name {
            assert_eq!(team.names.get(name), Some(&task.number), "its name finds {name}");
        }
    }
    assert_eq!(team.names.len(), team.tasks.iter().filter(|t| t.spec.name.is_some()).count());
}

/// Which tasks are over (settled, cancelled, or held by such), by definition of R6 and R7.
struct Standings {
    completed: BTreeSet<TaskNo>,
    over: BTreeSet<TaskNo>,
}

impl Standings {
    fn of(team: &Team) -> Self {
        let completed = team.tasks.iter().filter(|t| t.phase == Phase::Completed).map(|t| t.number).collect();
        let mut found = Self { completed, over: BTreeSet::new() };
        loop {
            let is_over = |t: &&Task| match t.phase {
                Phase::Failed | Phase::Stale | Phase::Cancelled => true,
                Phase::Waiting => t.edges.iter().any(|e| found.holds(e)),
                _ => false,
            };
            let over: BTreeSet<TaskNo> = team.tasks.iter().filter(is_over).map(|t| t.number).collect();
            if over == found.over {
                return found;
            }
            found.over = over;
        }
    }

    fn satisfied(&self, edge: &crate::domain::state::Edge) -> bool {
        let finished = edge.needs == Needs::Finished && self.over.contains(&edge.on);
        edge.waived || finished || self.completed.contains(&edge.on)
    }

    fn holds(&self, edge: &crate::domain::state::Edge) -> bool {
        edge.needs == Needs::Completed && self.over.contains(&edge.on) && !edge.waived
    }
}

fn members(state: &State, id: TeamId, team: &Team, busy: &BTreeMap<(TeamId, Name), AttemptId>) {
    let (mut heads, mut persons) = (BTreeSet::new(), BTreeSet::new());
    let mut first_reviews = BTreeSet::new();
    for member in team.members.values() {
        assert_eq!(member.busy, busy.get(&(id, member.name.clone())).copied(), "{} is busy", member.name);
        let own = || team.tasks.iter().filter(|t| t.assignee.as_ref() == Some(&member.name));
        let pending: BTreeSet<_> = own()
            .filter(|t| t.status() == Status::Pending)
            .map(|t| (Reverse(t.spec.priority), t.number))
            .collect();
        assert_eq!(member.pending, pending, "the queue of {}", member.name);
        let outstanding = own().filter(|t| t.is_outstanding()).count();
        assert_eq!(member.outstanding as usize, outstanding, "outstanding of {}", member.name);
        let unfinished = own().filter(|t| !t.status().is_final()).count();
        assert_eq!(member.unfinished as usize, unfinished, "unfinished of {}", member.name);
        let mut given: BTreeMap<Name, u32> = BTreeMap::new();
        for giver in own().filter(|t| t.is_outstanding()).filter_map(|t| t.giver.clone()) {
            *given.entry(giver).or_default() += 1;
        }
        assert_eq!(member.given, given, "what {} was given", member.name);
        let free = member.busy.is_none() && !member.paused && member.chair == Chair::Open;
        let reviews: BTreeSet<TaskNo> = team
            .tasks
            .iter()
            .filter(|t| reviewer(team, t).as_ref() == Some(&member.name))
            .map(|t| t.number)
            .collect();
        assert_eq!(member.reviews, reviews, "reviews that wait for {}", member.name);
        first_reviews.extend(reviews.first().copied().filter(|_| free));
        let heads = if member.agent.driver == Driver::Human { &mut persons } else { &mut heads };
        heads.extend(pending.first().copied().filter(|_| free));
    }
    assert_eq!(team.queue.heads, heads, "the heads of the queues");
    assert_eq!(team.queue.persons, persons, "the heads of the queues of persons");
    assert_eq!(team.queue.reviews, first_reviews, "the first reviews");
    let reviewing: BTreeMap<TaskNo, Name> =
        team.tasks.iter().filter_map(|t| Some((t.number, reviewer(team, t)?))).collect();
    assert_eq!(team.reviewing, reviewing, "reviews that wait for a member");
    let live = state.live_of(id).filter(|(_, a)| !a.human).count();
    assert_eq!(team.live as usize, live, "live attempts");
    let reserved: u64 = state.live_of(id).map(|(_, a)| a.reserved_micros).sum();
    assert_eq!(team.reserved_micros, reserved, "money reserved");
}

fn reviewer(team: &Team, task: &Task) -> Option<Name> {
    if task.phase != Phase::InReview || task.review.live.is_some() || task.review.stuck {
        return None;
    }
    let name = match task.spec.review.get(task.review.approved as usize)? {
        Reviewer::Person => return None,
        Reviewer::Lead => Name::lead(),
        Reviewer::Member(name) => name.clone(),
    };
    team.members.contains_key(&name).then_some(name)
}

fn attempts(state: &State, id: TeamId, team: &Team) {
    for task in &team.tasks {
        if let Phase::Running(attempt) = task.phase {
            let purpose = state.live.get(&attempt).map(|a| a.purpose);
            assert_eq!(purpose, Some(Purpose::Task(task.number)), "{} is worked on", task.label());
        }
        if let Some(review) = task.review.live {
            let purpose = state.live.get(&review).map(|a| a.purpose);
            assert_eq!(purpose, Some(Purpose::Review(task.number)), "{} is reviewed", task.label());
        }
        let nths: BTreeSet<u32> = task.attempts.iter().map(|a| a.nth).collect();
        assert_eq!(nths.len(), task.attempts.len(), "attempts of {} are counted once", task.label());
        assert!(nths.last().is_none_or(|last| *last <= task.begun));
    }
    for (_, attempt) in state.live_of(id) {
        let Purpose::Task(number) = attempt.purpose else { continue };
        let phase = team.task(number).map(|t| t.phase);
        let cut_off = phase == Some(Phase::Cancelled) && attempt.is_fenced();
        assert!(phase == Some(Phase::Running(attempt.id)) || cut_off, "{phase:?} of a live attempt");
    }
}

fn mail(team: &Team) {
    let mut unread: BTreeMap<Option<Name>, BTreeSet<MessageId>> = BTreeMap::new();
    for (at, message) in team.mail.messages.iter().enumerate() {
        assert_eq!(message.id, MessageId(at as u64 + 1), "messages are numbered in order");
        if message.state != MessageState::Sent {
            continue;
        }
        let reader = match &message.to {
            Party::Person => None,
            Party::Member(name) => Some(name.clone()),
            Party::System => continue,
        };
        unread.entry(reader).or_default().insert(message.id);
    }
    assert_eq!(team.mail.unread, unread, "unread mail");
}
