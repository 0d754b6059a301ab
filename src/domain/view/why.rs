//! Why a task is not done: one sentence, each thing it waits for down to the cause, and what can be done about it.
use super::pasted::Pasted;
use super::{Line, Tint, phrase, plan, stand, task};
use crate::domain::state::{Edge, Phase, State, Task, Team};
use crate::domain::{Needs, TaskNo, TeamId};
use crate::text::{self, pad_right, quantity};
use std::collections::BTreeSet;

/// Links that are shown of one chain; further ones are counted.
pub const MAX_LINKS: usize = 40;

/// The answer of `teamtui why`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// What the task is, in one sentence.
    pub sentence: String,
    /// What it waits for, and what that waits for.
    pub links: Vec<Link>,
    /// Open links that are not shown.
    pub left_out: usize,
    /// At most three next steps, with commands that can be pasted.
    pub help: Vec<String>,
}

/// One upstream in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How far from the task: 0 is what it waits for itself.
    pub depth: usize,
    /// Its number.
    pub number: TaskNo,
    /// Its label.
    pub label: String,
    /// What it is, and since when.
    pub state: String,
    /// What comes of it: satisfied, ends by itself, or which decision it needs.
    pub text: String,
    /// Only a decision moves it.
    pub needs_decision: bool,
    /// What its state means.
    pub tint: Tint,
}

impl Why {
    /// Of one task; none if there is no such task. `flags` are pasted into the commands: ` --state DIR`.
    pub fn of(state: &State, id: TeamId, number: TaskNo, flags: &str) -> Option<Self> {
        let team = state.team(id)?;
        let task = team.task(number)?;
        let mut chain = Chain { state, team, seen: BTreeSet::from([number]), links: Vec::new(), left_out: 0 };
        chain.walk(task);
        let pasted = Pasted::new(state, id, flags);
        let help = super::advice::of(state, team, task, &pasted);
        Some(Self {
            sentence: stand::sentence(state, team, task),
            links: chain.links,
            left_out: chain.left_out,
            help,
        })
    }

    /// The same of a run whose owner ended at `at_ms` without closing it: nothing ends or starts by itself before
    /// `next` is done.
    #[must_use]
    pub fn crashed(mut self, at_ms: u64, next: &str) -> Self {
        let by_itself = ["; it ends by itself", " and starts by itself after that", "; it starts by itself"];
        for words in by_itself {
            self.sentence = self.sentence.replace(words, "");
        }
        let at = quantity::duration(at_ms);
        self.sentence.push_str(&format!("; the owner of its run ended at {at}, and nothing of it runs"));
        for link in &mut self.links {
            if matches!(link.text.as_str(), "ends by itself" | "starts by itself") {
                link.text = "once the run goes on".to_owned();
            }
        }
        self.help = vec![format!("go on with it: {next}")];
        self
    }

    /// The lines as they are printed, `help:` lines too.
    pub fn lines(&self) -> Vec<Line> {
        let name = |l: &Link| l.depth * 2 + text::width(&l.label);
        let names = self.links.iter().map(name).max().unwrap_or(0);
        let numbers = self.links.iter().map(|l| l.number.to_string().len() + 3).max().unwrap_or(0);
        let states = self.links.iter().map(|l| text::width(&l.state)).max().unwrap_or(0);
        let mut lines = vec![Line::from(self.sentence.as_str())];
        lines.extend(self.links.iter().map(|l| {
            Line::new()
                .and(Tint::Plain, format!("  {:1$}", "", l.depth * 2))
                .and(Tint::Name, pad_right(&l.label, names.saturating_sub(l.depth * 2)))
                .and(Tint::Plain, format!(" {}  ", pad_right(&format!("(#{})", l.number), numbers)))
                .and(l.tint, pad_right(&l.state, states))
                .and(Tint::Plain, format!("  {}", l.text))
        }));
        if self.left_out > 0 {
            lines.push(Line::from(format!("  and {} more", self.left_out)));
        }
        lines.extend(self.help.iter().map(|h| Line::from(format!("help: {h}"))));
        lines
    }
}

struct Chain<'a> {
    state: &'a State,
    team: &'a Team,
    seen: BTreeSet<TaskNo>,
    links: Vec<Link>,
    left_out: usize,
}

impl Chain<'_> {
    /// All edges of the task itself, of what is above it only the open ones, each task once.
    fn walk(&mut self, task: &Task) {
        let mut open: Vec<(usize, Edge)> = task.edges.iter().rev().map(|e| (0, *e)).collect();
        while let Some((depth, edge)) = open.pop() {
            let Some(upstream) = self.team.task(edge.on).filter(|t| self.seen.insert(t.number)) else {
                continue;
            };
            if self.links.len() >= MAX_LINKS {
                self.left_out += 1;
                continue;
            }
            self.links.push(self.link(depth, &edge, upstream));
            if upstream.phase == Phase::Waiting && !edge.effect(upstream.standing()).0 {
                let above = self.team.open_edges(upstream);
                open.extend(above.into_iter().rev().map(|(e, _)| (depth + 1, e)));
            }
        }
    }

    fn link(&self, depth: usize, edge: &Edge, upstream: &Task) -> Link {
        let (satisfied, holds) = edge.effect(upstream.standing());
        Link {
            depth,
            number: upstream.number,
            label: upstream.label(),
            state: stand::state(upstream),
            text: self.text(edge, upstream, satisfied),
            needs_decision: holds,
            tint: task::tint(upstream.status(), upstream.is_held()),
        }
    }

    fn text(&self, edge: &Edge, upstream: &Task, satisfied: bool) -> String {
        if upstream.phase == Phase::Completed {
            return "satisfied".to_owned();
        }
        if satisfied && edge.waived {
            return "waived; its result is missing".to_owned();
        }
        if satisfied {
            return "satisfied, only needs its end; its result is missing".to_owned();
        }
        match upstream.phase {
            Phase::Failed | Phase::Stale => format!("{}no retry due", prefix(stand::cause(upstream))),
            Phase::Cancelled => format!("{}nothing comes of it", prefix(stand::cause(upstream))),
            Phase::Waiting if upstream.is_held() => {
                let causes = plan::causes_of(self.team, upstream);
                let labels: Vec<String> =
                    causes.iter().filter_map(|n| self.team.task(*n)).map(Task::label).collect();
                format!("needs a decision on {}", phrase::list(&labels))
            }
            Phase::InReview => format!("waits for {}", stand::review_by(self.team, upstream)),
            Phase::Running(_) => stand::live(self.state, upstream),
            _ if edge.needs == Needs::Finished => "starts by itself; only its end is needed".to_owned(),
            _ => "starts by itself".to_owned(),
        }
    }
}

fn prefix(cause: Option<String>) -> String {
    cause.map_or_else(String::new, |cause| format!("{cause}; "))
}
