//! The plan: members, tasks and edges come and go.
use crate::domain::event::{EdgeWaived, MemberAdded, MemberRemoved, PlanChanged, TaskAdded, TeamCreated};
use crate::domain::state::{Chair, Edge, Member, Phase, Review, Standing, Task, Team};
use crate::domain::{EdgeSpec, Fact, MemberSpec, Name, Needs, State, TaskNo, TaskRef, TaskSpec, TeamSpec};
use crate::text::Untrusted;
use std::sync::Arc;

pub(super) fn team_created(state: &mut State, fact: &Fact, e: &TeamCreated) {
    let Some(id) = fact.team else { return };
    let mut team = match state.teams.remove(&id) {
        Some(team) => filled(team, &e.spec),
        None => led(Team::new(&e.spec, fact.elapsed_ms)),
    };
    team.tasks.reserve_exact(e.spec.members.len() + e.spec.tasks.len());
    let mut wiring = Vec::new();
    for member in &e.spec.members {
        seat(&mut team, member);
        if let Some(brief) = &member.brief {
            let number =
                place(&mut team, brief, fact, Placed { brief_of: Some(&member.name), ..Placed::default() });
            wiring.push((number, &brief.depends_on));
        }
    }
    for spec in &e.spec.tasks {
        let number = place(&mut team, spec, fact, Placed::default());
        wiring.push((number, &spec.depends_on));
    }
    for (number, depends_on) in wiring {
        let edges = team.resolve_edges(depends_on);
        team.set_edges(number, edges);
    }
    state.teams.insert(id, team);
}

fn led(mut team: Team) -> Team {
    if let Some(lead) = &team.lead {
        team.members.insert(Name::lead(), Member::new(Name::lead(), lead.agent.clone()));
    }
    team
}

/// A team without tasks takes what its lead declares; its name, lead, limits and workspace stay.
fn filled(team: Team, spec: &TeamSpec) -> Team {
    let mut team = Team { file: spec.file.clone(), revision: team.revision.next(), ..team };
    team.title = spec.title.clone().or(team.title);
    team.goal = spec.goal.clone().or(team.goal);
    team.env.extend(spec.env.iter().filter(|entry| !team.env.contains(entry)).cloned().collect::<Vec<_>>());
    team.agents.extend(spec.agents.clone());
    team
}

pub(super) fn task_added(team: &mut Team, fact: &Fact, e: &TaskAdded) {
    let number =
        place(team, &e.spec, fact, Placed { added: true, giver: e.giver.as_ref(), ..Placed::default() });
    let edges = team.resolve_edges(&e.spec.depends_on);
    team.set_edges(number, edges);
    team.revision = team.revision.next();
}

pub(super) fn member_added(team: &mut Team, fact: &Fact, e: &MemberAdded) {
    seat(team, &e.member);
    if let Some(brief) = &e.member.brief {
        let number = place(team, brief, fact, Placed { brief_of: Some(&e.member.name), ..Placed::default() });
        let edges = team.resolve_edges(&brief.depends_on);
        team.set_edges(number, edges);
    }
    team.revision = team.revision.next();
}

pub(super) fn member_removed(team: &mut Team, e: &MemberRemoved) {
    team.with_member(&e.member, |m| m.chair = Chair::Closed);
    team.revision = team.revision.next();
}

pub(super) fn changed(team: &mut Team, e: &PlanChanged) {
    for (number, text) in &e.prompts {
        if let Some(task) = team.task_mut(*number) {
            Arc::make_mut(&mut task.spec).prompt = Some(text.clone());
        }
    }
    for (old, new) in &e.replaced {
        if let Some(task) = team.task_mut(*old) {
            task.replaced_by = Some(*new);
        }
    }
    for (number, edges) in &e.rewired {
        team.set_edges(
            *number,
            edges.iter().map(|e| Edge { on: e.on, needs: e.needs, waived: e.waived }).collect(),
        );
    }
    team.revision = e.revision;
}

pub(super) fn edge_waived(team: &mut Team, e: &EdgeWaived) {
    let Some(standing) = team.task(e.on).map(Task::standing) else { return };
    team.with_task(e.number, |t| {
        let Some(edge) = t.edges.iter_mut().find(|edge| edge.on == e.on) else { return };
        let (was_satisfied, did_hold) = edge.effect(standing);
        edge.waived = true;
        let (satisfied, holds) = edge.effect(standing);
        t.open -= u32::from(satisfied && !was_satisfied).min(t.open);
        t.holding -= u32::from(did_hold && !holds).min(t.holding);
    });
}

fn seat(team: &mut Team, spec: &MemberSpec) {
    let mut member = Member::new(spec.name.clone(), spec.agent.clone());
    member.title = spec.title.clone();
    member.agent_name = spec.agent_name.clone();
    team.members.insert(spec.name.clone(), member);
}

#[derive(Default)]
struct Placed<'a> {
    brief_of: Option<&'a Name>,
    added: bool,
    giver: Option<&'a Name>,
}

/// Puts a task without edges at the end of the plan.
fn place(team: &mut Team, spec: &Arc<TaskSpec>, fact: &Fact, placed: Placed<'_>) -> TaskNo {
    let number = team.next_number();
    let assignee = placed.brief_of.or(spec.assignee.as_ref()).cloned();
    let task = Task {
        number,
        spec: Arc::clone(spec),
        added: placed.added,
        brief: placed.brief_of.is_some(),
        assignee: None,
        giver: placed.giver.cloned(),
        edges: Vec::new(),
        dependents: Vec::new(),
        open: 0,
        holding: 0,
        phase: Phase::Waiting,
        since_ms: fact.elapsed_ms,
        added_ms: fact.elapsed_ms,
        attempts: Vec::new(),
        begun: 0,
        retried: 0,
        interrupted: 0,
        result: None,
        feedback: None,
        review: Review::default(),
        sent_back: 0,
        comments: Vec::new(),
        progress: None,
        reason: Untrusted::default(),
        replaced_by: None,
        asserted: false,
    };
    if let Some(name) = &spec.name {
        team.names.insert(name.clone(), number);
    }
    if let Some(member) = placed.brief_of.and_then(|name| team.members.get_mut(name)) {
        member.brief = Some(number);
    }
    team.tasks.push(task);
    team.with_task(number, |t| t.assignee = assignee.clone());
    number
}

impl Team {
    /// The number of a task that is referred to by name or number; its own name wins over a number.
    pub fn find_task(&self, reference: &TaskRef) -> Option<TaskNo> {
        match reference {
            TaskRef::Name(name) => self.names.get(name).copied(),
            TaskRef::Number(number) => {
                let as_name = Name::reference(&number.to_string()).ok();
                let named = as_name.and_then(|name| self.names.get(&name).copied());
                named.or_else(|| self.task(*number).map(|t| t.number))
            }
        }
    }

    /// Declared edges in numbers, sorted by upstream; unknown ones are left out.
    pub(super) fn resolve_edges(&self, declared: &[EdgeSpec]) -> Vec<Edge> {
        let known = |e: &EdgeSpec| self.find_task(&e.on).map(|on| Edge { on, needs: e.needs, waived: false });
        declared.iter().filter_map(known).collect()
    }

    /// Gives a task these edges and no others.
    pub(super) fn set_edges(&mut self, number: TaskNo, mut edges: Vec<Edge>) {
        edges.sort_by_key(|e| (e.on, e.needs));
        edges.dedup_by_key(|e| e.on);
        let old = self.task(number).map(|t| t.edges.clone()).unwrap_or_default();
        for edge in &old {
            if let Some(upstream) = self.task_mut(edge.on) {
                upstream.dependents.retain(|d| *d != number);
            }
        }
        let mut open = 0;
        let mut holding = 0;
        for edge in &edges {
            let Some(upstream) = self.task_mut(edge.on) else { continue };
            upstream.dependents.push(number);
            let (satisfied, holds) = edge.effect(upstream.standing());
            open += u32::from(!satisfied);
            holding += u32::from(holds);
        }
        self.with_task(number, |t| {
            t.edges = edges;
            t.open = open;
            t.holding = holding;
        });
    }

    /// Upstreams that are not satisfied, or missing, for whoever explains it.
    pub fn open_edges(&self, task: &Task) -> Vec<(Edge, Standing)> {
        let standing = |e: &Edge| self.task(e.on).map_or(Standing::Over, Task::standing);
        task.edges.iter().map(|e| (*e, standing(e))).filter(|(e, s)| !e.effect(*s).0).collect()
    }

    /// Does an edge give its dependent a result?
    pub fn is_missing(&self, edge: &Edge) -> bool {
        let completed = self.task(edge.on).is_some_and(|t| t.phase == Phase::Completed);
        !completed && (edge.needs == Needs::Finished || edge.waived)
    }
}
