//! Random plans and random commands: after each, the state is what the naive model says, and the audit holds.
mod plan;

use super::model::{self, Model, Phase};
use crate::domain::trial::{Trial, agent, member, name, team, with};
use crate::domain::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// One random command, read from four bytes.
type Dice = [u8; 4];

fn own(m: usize) -> String {
    format!("m{m:02}")
}

fn number(t: usize) -> TaskRef {
    TaskRef::Number(TaskNo(t as u32 + 1))
}

fn needs(byte: u8) -> Needs {
    if byte.is_multiple_of(4) { Needs::Finished } else { Needs::Completed }
}

/// A plan whose edges go from later members to earlier ones.
fn plan(sizes: &[Dice]) -> (Model, TeamSpec) {
    let parallel = 1 + usize::from(sizes[0][3]) % 4;
    let mut model = Model { tasks: Vec::new(), members: Vec::new(), parallel, paused: false };
    let mut members = Vec::new();
    for (m, [a, b, c, d]) in sizes.iter().enumerate() {
        let mut edges = BTreeMap::new();
        for byte in [a, b] {
            if m > 0 && byte % 3 > 0 {
                edges.insert(usize::from(*byte) / 3 % m, needs(*c));
            }
        }
        let mut task = model::task(Some(m), edges);
        (task.reviewed, task.priority) = (d.is_multiple_of(5), i32::from(c % 3));
        let retries = u32::from(d.is_multiple_of(7));
        let brief = |brief: &mut TaskSpec| {
            brief.depends_on = task
                .edges
                .iter()
                .map(|(on, (needs, _))| EdgeSpec { on: number(*on), needs: *needs })
                .collect();
            brief.priority = task.priority;
            brief.review = if task.reviewed { vec![Reviewer::Person] } else { Vec::new() };
        };
        members.push(agent(with(member(&own(m), &[]), brief), |a| a.retries = retries));
        model.tasks.push(task);
        model.members.push(model::Member { retries, brief: Some(m), ..model::Member::default() });
    }
    let mut spec = team(members);
    spec.limits = Limits { parallel: parallel as u32, hops: u32::MAX, pair: u32::MAX, ..Limits::default() };
    model.go_on();
    (model, spec)
}

struct Run {
    model: Model,
    trial: Trial,
    /// Tokens of every attempt there ever was.
    tokens: BTreeMap<AttemptId, Token>,
}

impl Run {
    fn new(sizes: &[Dice]) -> Self {
        let (model, spec) = plan(sizes);
        Self { model, trial: Trial::with(spec), tokens: BTreeMap::new() }
    }

    /// Gives the command; the model says whether it is accepted, and what comes of it.
    fn roll(&mut self, [what, a, b, c]: Dice) {
        let (members, tasks) = (self.model.members.len(), self.model.tasks.len());
        let (m, t) = (usize::from(a) % members, usize::from(b) % tasks);
        let n = usize::from(c) % members;
        let expected = match what % 28 {
            0..=5 => self.complete(m),
            6 | 7 => self.fail(m),
            8 => self.end(m, EndCause::Silent),
            9 => self.end(m, EndCause::Broken("broke".into())),
            10 => self.interrupt(m),
            11 | 12 => self.end(m, EndCause::Stopped),
            13 => self.cancel(t, c),
            14 | 15 => self.retry(t),
            16 => self.review(t, c),
            17 => self.adopt(t),
            18 => self.add(m, t, c),
            19 => self.give(m, n),
            20 => self.assign(t, n),
            21 => self.claim_or_complete(m, t, c),
            22 => self.steer(m, t, c),
            23 | 24 => self.talk(m, n, b),
            25 => self.rewire(t, usize::from(a) % tasks, c),
            26 => self.replace_or_remove(m, t, c),
            _ => self.recover_or_stale(m, c),
        };
        let Some((answer, expected)) = expected else { return };
        assert_eq!(answer.is_ok(), expected, "{what} {a} {b} {c}: {answer:?}\n{:#?}", self.model);
        self.model.go_on();
        self.compare();
    }

    fn compare(&mut self) {
        let team = self.trial.the_team();
        assert_eq!(team.tasks.len(), self.model.tasks.len());
        for (t, task) in team.tasks.iter().enumerate() {
            let model = (self.model.status(t), self.model.held(t), self.model.tasks[t].owner.map(own));
            let owner = task.assignee.as_ref().map(ToString::to_string);
            assert_eq!((task.status(), task.is_held(), owner), model, "#{}", task.number);
        }
        for (m, model) in self.model.members.iter().enumerate() {
            let member = &team.members[&name(&own(m))];
            assert_eq!(
                (member.busy.is_some(), member.is_over()),
                (model.busy, self.model.is_over(m)),
                "{}",
                own(m)
            );
            let unread = team.mail.unread(Some(&member.name));
            let texts: Vec<&str> = unread.iter().map(|id| team.mail.get(*id).unwrap().text.raw()).collect();
            assert_eq!(texts, model.unread.iter().map(|(_, text, _)| text.as_str()).collect::<Vec<_>>());
        }
        for (id, attempt) in &self.trial.state.live {
            let known = self.tokens.insert(*id, attempt.token);
            assert!(known.is_none_or(|token| token == attempt.token));
        }
    }

    fn in_attempt(&mut self, m: usize, command: Command) -> Option<Result<Reply, Rejection>> {
        self.trial.try_attempt(&own(m))?;
        Some(self.trial.member(&own(m), command))
    }

    fn complete(&mut self, m: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let answer = self.in_attempt(m, Command::Complete { task: None, text: "done".into() })?;
        let accepted = self.model.may_act(m);
        match self.model.members[m].at.filter(|_| accepted) {
            Some(t) => self.model.end(m, self.model.done(t), true),
            None => self.model.members[m].orphan = true,
        }
        Some((answer, accepted))
    }

    fn fail(&mut self, m: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let answer = self.in_attempt(m, Command::Fail { task: None, text: "no".into() })?;
        let accepted = self.model.may_act(m);
        if accepted {
            self.model.end(m, Phase::Failed, false);
        }
        Some((answer, accepted))
    }

    fn end(&mut self, m: usize, cause: EndCause) -> Option<(Result<Reply, Rejection>, bool)> {
        self.trial.try_attempt(&own(m))?;
        let model::Member { stopping, orphan, .. } = self.model.members[m];
        let (phase, has_result) = match cause {
            _ if stopping => (Phase::Stale, orphan),
            EndCause::Silent => (Phase::InReview, true),
            EndCause::Broken(_) => (Phase::Failed, true),
            _ => (Phase::Stale, false),
        };
        self.trial.end(&own(m), cause);
        self.model.end(m, phase, has_result);
        Some((Ok(Reply::default()), true))
    }

    fn interrupt(&mut self, m: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let answer = self.trial.person(Command::Interrupt { member: name(&own(m)) });
        let accepted = self.model.members[m].busy && !self.model.members[m].closed;
        self.model.members[m].stopping |= accepted;
        Some((answer, accepted))
    }

    fn cancel(&mut self, t: usize, c: u8) -> Option<(Result<Reply, Rejection>, bool)> {
        let dependents = [None, Some(Dependents::Hold), Some(Dependents::Release)][usize::from(c) % 3];
        let answer =
            self.trial.person(Command::Cancel { tasks: vec![number(t)], dependents, text: "".into() });
        let accepted = !self.model.status(t).is_final();
        if accepted {
            self.model.cancel(t, dependents);
        }
        Some((answer, accepted))
    }

    fn retry(&mut self, t: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let answer = self.trial.person(Command::Retry { tasks: vec![number(t)], text: "".into() });
        let task = &mut self.model.tasks[t];
        let accepted = matches!(task.phase, Phase::Failed | Phase::Stale);
        if accepted {
            (task.phase, task.retried, task.sent_back) = (Phase::Waiting, 0, 0);
        }
        Some((answer, accepted))
    }

    fn review(&mut self, t: usize, c: u8) -> Option<(Result<Reply, Rejection>, bool)> {
        let text = || crate::text::Untrusted::from("so");
        let release = c.is_multiple_of(2);
        let command = match c % 4 {
            0 => Command::Approve { task: Some(number(t)), text: text() },
            1 => Command::SendBack { task: Some(number(t)), text: text() },
            _ => Command::Reject { task: number(t), text: text(), release },
        };
        let answer = self.trial.person(command);
        let accepted = self.model.tasks[t].phase == Phase::InReview;
        let task = &mut self.model.tasks[t];
        match c % 4 {
            _ if !accepted => {}
            0 => task.phase = Phase::Completed,
            1 if task.sent_back >= 3 => task.phase = Phase::Failed,
            1 => (task.phase, task.sent_back) = (Phase::Waiting, task.sent_back + 1),
            _ => {
                task.phase = Phase::Cancelled;
                if release {
                    self.model.release(t);
                }
            }
        }
        Some((answer, accepted))
    }
}

fn dice() -> impl Strategy<Value = Dice> {
    any::<u32>().prop_map(u32::to_le_bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r1_to_r35_any_200_commands_on_any_plan_do_what_the_model_says(
        sizes in proptest::collection::vec(dice(), 1..7),
        commands in prop_oneof![
            4 => proptest::collection::vec(dice(), 0..40),
            1 => proptest::collection::vec(dice(), 200),
        ],
    ) {
        let mut run = Run::new(&sizes);
        run.compare();
        for command in commands {
            run.roll(command);
        }
        // Whatever happened, each effect has its one receipt and nothing ran twice.
        let audit = crate::domain::receipt::Receipts::of(&run.trial.facts);
        prop_assert_eq!(audit.told, vec![]);
        prop_assert_eq!(audit.asked, audit.settled + audit.unknown + audit.live);
    }
}
