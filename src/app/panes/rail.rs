//! The rail: the plan as rows that never move when a status changes, the cursor, and what of it is in view.
use crate::domain::state::{Phase, Task, Team};
use crate::domain::view::plan;
use crate::domain::{Needs, Revision, State, TaskNo, TeamId};
use crate::graph::rail::{Rail, layout};
use crate::graph::{Dag, FoldRule, FoldedRow, fold};
use std::collections::BTreeSet;
use std::ops::Range;

/// The plan, laid out.
#[derive(Debug, Clone, Default)]
pub struct RailPane {
    /// The row of the cursor.
    pub selected: Option<TaskNo>,
    /// Runs of finished rows are one line each.
    pub folded: bool,
    /// The first line in view.
    pub top: usize,
    plan: Option<Plan>,
    path: Vec<TaskNo>,
    critical: BTreeSet<TaskNo>,
    /// What the path was made for.
    phases: Vec<Phase>,
    lines: Vec<FoldedRow>,
    /// What the lines were made for: the cursor, and whether rows are folded.
    lined_for: Option<(Option<TaskNo>, bool)>,
}

/// What is computed once per shape of the plan.
#[derive(Debug, Clone)]
struct Plan {
    key: Key,
    rail: Rail<TaskNo>,
    dag: Dag<TaskNo, Needs>,
}

/// While this is the same, the plan has the same shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    team: TeamId,
    revision: Revision,
    tasks: usize,
    cancelled: usize,
}

impl RailPane {
    /// Forgets the plan: there is none.
    pub(in crate::app) fn clear(&mut self) {
        *self = Self { folded: self.folded, ..Self::default() };
    }

    /// Lays the plan out again if its shape has changed, and keeps the cursor on its task.
    pub(in crate::app) fn refresh(&mut self, state: &State, id: TeamId, team: &Team, run_ms: u64) {
        let cancelled = team.tasks.iter().filter(|task| task.phase == Phase::Cancelled).count();
        let key = Key { team: id, revision: team.revision, tasks: team.tasks.len(), cancelled };
        if self.plan.as_ref().is_none_or(|plan| plan.key != key) {
            if self.plan.as_ref().is_some_and(|plan| plan.key.team != id) {
                self.selected = None;
                self.top = 0;
            }
            self.plan = Some(Plan::of(key, team));
            self.phases.clear();
        }
        self.find_path(state, team, run_ms);
        let is_known = |number: &TaskNo| team.task(*number).is_some();
        self.selected = self.selected.filter(is_known).or_else(|| self.first_choice(team));
        self.lined_for = None;
    }

    /// The critical path anew, if the plan or a status has changed.
    fn find_path(&mut self, state: &State, team: &Team, run_ms: u64) {
        let phases: Vec<Phase> = team.tasks.iter().map(|task| task.phase).collect();
        if self.phases == phases {
            return;
        }
        self.phases = phases;
        let path = plan::path(state, team, run_ms, |_| None);
        self.path = path.over.into_iter().chain(path.left).collect();
        let is_chain = self.path.len() > 1;
        self.critical = self.path.iter().copied().filter(|_| is_chain).collect();
    }

    /// Where the cursor begins: at what runs, else at what is not completed, else at the top.
    fn first_choice(&self, team: &Team) -> Option<TaskNo> {
        let rows = self.rows();
        let find = |wanted: fn(&Task) -> bool| {
            rows.iter().copied().find(|number| team.task(*number).is_some_and(wanted))
        };
        find(|task| matches!(task.phase, Phase::Running(_)))
            .or_else(|| find(|task| task.phase != Phase::Completed))
            .or_else(|| rows.first().copied())
    }

    /// The lines anew, if the plan, a status, the cursor or the folding changed.
    pub(in crate::app) fn refold(&mut self, team: &Team) {
        let wanted = Some((self.selected, self.folded));
        if self.lined_for == wanted {
            return;
        }
        self.lined_for = wanted;
        let rows = self.rows().to_vec();
        let finished = |number: &TaskNo| team.task(*number).is_some_and(|t| t.status().is_final());
        self.lines = if self.folded {
            fold(&rows, finished, self.selected_row(), FoldRule::default())
        } else {
            (0..rows.len()).map(FoldedRow::Row).collect()
        };
    }

    /// The tasks, by row.
    pub fn rows(&self) -> &[TaskNo] {
        self.plan.as_ref().map(|plan| plan.rail.nodes()).unwrap_or_default()
    }

    /// The lines: rows, and runs of rows that are folded into one.
    pub fn lines(&self) -> &[FoldedRow] {
        &self.lines
    }

    /// The lanes, once there is a plan.
    pub fn rail(&self) -> Option<&Rail<TaskNo>> {
        self.plan.as_ref().map(|plan| &plan.rail)
    }

    /// The graph of the plan.
    pub fn graph(&self) -> Option<&Dag<TaskNo, Needs>> {
        self.plan.as_ref().map(|plan| &plan.dag)
    }

    /// The chain that decides when the team is done, upstream first.
    pub fn path(&self) -> &[TaskNo] {
        &self.path
    }

    /// Is a task on it?
    pub fn is_critical(&self, number: TaskNo) -> bool {
        self.critical.contains(&number)
    }

    /// The row of the cursor.
    pub fn selected_row(&self) -> Option<usize> {
        self.plan.as_ref()?.rail.row_of(self.selected?)
    }

    /// The line of the cursor.
    pub fn selected_line(&self) -> Option<usize> {
        let row = self.selected_row()?;
        self.lines.iter().position(|line| span(line).contains(&row))
    }

    /// The first task of a line.
    pub fn task_at(&self, line: usize) -> Option<TaskNo> {
        self.rows().get(span(self.lines.get(line)?).start).copied()
    }

    /// The lines in view in that many rows of a pane.
    pub fn view(&self, height: usize) -> Range<usize> {
        let top = self.top.min(self.lines.len());
        top..(top + height).min(self.lines.len())
    }

    /// Moves the view as little as it takes to have the cursor in it, and no empty rows while there are lines.
    pub(in crate::app) fn scroll(&mut self, height: usize) {
        self.top = self.top.min(self.lines.len().saturating_sub(height));
        let Some(line) = self.selected_line() else { return };
        if line < self.top {
            self.top = line;
        } else if height > 0 && line >= self.top + height {
            self.top = line + 1 - height;
        }
    }
}

impl Plan {
    fn of(key: Key, team: &Team) -> Self {
        let numbers: Vec<TaskNo> = team.tasks.iter().map(|task| task.number).collect();
        let edges: Vec<(TaskNo, TaskNo, Needs)> = team
            .tasks
            .iter()
            .flat_map(|task| task.edges.iter().map(|edge| (edge.on, task.number, edge.needs)))
            .collect();
        let rail = layout(&numbers, &edges, |needs| needs == Needs::Finished);
        // What `decide` let through has no loop; a graph that has one is drawn, but has no path.
        let dag = Dag::build(&numbers, &edges).unwrap_or_default();
        Self { key, rail, dag }
    }
}

/// The rows that a line stands for.
pub fn span(line: &FoldedRow) -> Range<usize> {
    match line {
        FoldedRow::Row(row) => *row..row + 1,
        FoldedRow::Folded(rows) => rows.clone(),
    }
}
