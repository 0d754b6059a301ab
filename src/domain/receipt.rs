//! Receipts: what was asked of the world against what came of it (R32), read from nothing but the facts.
//!
//! Every attempt, review and turn that was started, every look at outputs and checks, and every write of a file that was
//! meant has one settlement, or is live, or is unknown. Nothing ran twice: an attempt starts once and ends once, a task
//! has one live attempt, and what ended is not begun again without a reason that stands in the log.
use super::state::Task;
use super::{
    AttemptId, Driver, Event, Fact, Name, Outcome, Purpose, Rerun, Seq, State, Status, TaskNo, TeamId,
};
use crate::text::sanitise;
use std::collections::{BTreeMap, BTreeSet};

/// Faults and unknown outcomes that are told one by one; the rest is counted.
pub const MAX_TOLD: usize = 100;

/// What the receipts of a history come to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audit {
    /// Effects that were asked.
    pub asked: u64,
    /// Those that have their one settlement.
    pub settled: u64,
    /// Those that are under way at the end of the history.
    pub live: u64,
    /// How many nobody knows the outcome of.
    pub unknown: u64,
    /// The first [`MAX_TOLD`] of them, as they are told: `docs, attempt 1`.
    pub unknowns: Vec<String>,
    /// How many faults there are.
    pub faults: u64,
    /// The first [`MAX_TOLD`] of them.
    pub told: Vec<Fault>,
}

/// What may not be in any history.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An attempt began whose number was given before.
    #[error("attempt {attempt} started twice, again at seq {seq}")]
    StartedTwice {
        /// Its number in the run.
        attempt: AttemptId,
        /// Where.
        seq: Seq,
    },
    /// An attempt ended that was not live: it had ended, or never began.
    #[error("attempt {attempt} ended at seq {seq} and was not live")]
    NotLive {
        /// Its number in the run.
        attempt: AttemptId,
        /// Where.
        seq: Seq,
    },
    /// A task had two live attempts.
    #[error("{label} had two live attempts from seq {seq} on")]
    TwoLive {
        /// The task.
        label: String,
        /// Where the second began.
        seq: Seq,
    },
    /// A task that had ended began again, and nobody had asked for that.
    #[error("{label} ran again at seq {seq} without a retry")]
    Again {
        /// The task.
        label: String,
        /// Where.
        seq: Seq,
    },
    /// A command with an unknown or cut-off end ran again by itself.
    #[error("{label} ran twice: its command may have had its effect, and began again at seq {seq} by itself")]
    Twice {
        /// The task.
        label: String,
        /// Where.
        seq: Seq,
    },
    /// An answer to nothing that was asked, or a second one.
    #[error("{what} was settled at seq {seq} and was not outstanding")]
    NotAsked {
        /// `a check` or `a write`.
        what: &'static str,
        /// Where.
        seq: Seq,
    },
}

/// Reads a history fact by fact.
#[derive(Debug, Clone, Default)]
pub struct Receipts {
    audit: Audit,
    last: AttemptId,
    live: BTreeMap<AttemptId, Begun>,
    tasks: BTreeMap<(TeamId, TaskNo), Past>,
    /// Looks at outputs and checks that are under way, by attempt.
    looks: BTreeMap<AttemptId, u64>,
    /// Teams whose lead's promise is looked at.
    promises: BTreeSet<TeamId>,
    writes: BTreeMap<Seq, (AttemptId, String)>,
}

/// A live attempt.
#[derive(Debug, Clone)]
struct Begun {
    team: TeamId,
    purpose: Purpose,
    label: String,
    /// A command that is not run again by itself.
    once: bool,
}

/// What a task has behind it.
#[derive(Debug, Clone, Copy, Default)]
struct Past {
    live: Option<AttemptId>,
    /// An attempt at it has ended.
    ended: bool,
    /// The last end says that the next attempt starts by itself.
    again: bool,
    /// The last one was a command to be run once, and its end is unknown or was forced.
    uncertain: bool,
    /// Someone asked for another attempt since.
    chosen: bool,
}

impl Receipts {
    /// The next fact, with the state before it.
    pub fn fold(&mut self, before: &State, fact: &Fact) {
        let seq = fact.seq;
        match &fact.event {
            Event::AttemptStarted(e) => {
                let Some(team) = fact.team else { return };
                self.audit.asked += 1;
                if e.attempt <= self.last {
                    self.fault(Fault::StartedTwice { attempt: e.attempt, seq });
                }
                self.last = self.last.max(e.attempt);
                let begun = begun(before, team, &e.member, e.purpose, e.nth);
                if let Purpose::Task(number) = e.purpose {
                    self.begin(team, number, e.attempt, &begun, seq);
                }
                self.live.insert(e.attempt, begun);
            }
            Event::AttemptEnded(e) => self.end(e.attempt, e.outcome, e.again, seq),
            Event::CompletionAsked(e) if !e.settled => {
                self.audit.asked += 1;
                *self.looks.entry(e.attempt).or_default() += 1;
            }
            Event::ChecksSettled(e) => self.looked(fact.team, e.attempt, seq),
            Event::PromiseAsked(_) => {
                self.audit.asked += 1;
                // One that is asked anew stands for the one before.
                let is_new = fact.team.is_some_and(|team| self.promises.insert(team));
                self.audit.settled += u64::from(!is_new);
            }
            // Looks went with the former owner. They only read, and are asked anew.
            Event::Recovered(_) => {
                let looks = std::mem::take(&mut self.looks).into_values().sum::<u64>();
                let promises = std::mem::take(&mut self.promises).len();
                self.audit.settled += looks.saturating_add(u64::try_from(promises).unwrap_or(u64::MAX));
            }
            Event::EffectAsked(e) => {
                self.audit.asked += 1;
                self.writes.insert(seq, (e.attempt, e.path.clone()));
            }
            Event::EffectSettled(e) => match self.writes.remove(&e.asked) {
                Some(_) => self.audit.settled += 1,
                None => self.fault(Fault::NotAsked { what: "a write", seq }),
            },
            Event::RetryAsked(e) => self.choose(fact.team, e.number),
            Event::ReviewSettled(e) if e.status == Status::Pending => self.choose(fact.team, e.number),
            _ => {}
        }
    }

    /// What they come to.
    pub fn audit(mut self) -> Audit {
        let looks = self.looks.values().sum::<u64>();
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let others = count(self.live.len() + self.promises.len() + self.writes.len());
        self.audit.live = looks.saturating_add(others);
        self.audit
    }

    /// The audit of a whole history.
    pub fn of<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> Audit {
        let (mut receipts, mut state) = (Self::default(), State::default());
        for fact in facts {
            receipts.fold(&state, fact);
            state.evolve(fact);
        }
        receipts.audit()
    }

    fn begin(&mut self, team: TeamId, number: TaskNo, id: AttemptId, begun: &Begun, seq: Seq) {
        let past = self.tasks.entry((team, number)).or_default();
        let was = *past;
        *past = Past { live: Some(id), ..Past::default() };
        let label = || begun.label.split(',').next().unwrap_or_default().to_owned();
        if was.live.is_some() {
            self.fault(Fault::TwoLive { label: label(), seq });
        } else if was.uncertain && !was.chosen {
            self.fault(Fault::Twice { label: label(), seq });
        } else if was.ended && !was.again && !was.chosen {
            self.fault(Fault::Again { label: label(), seq });
        }
    }

    fn end(&mut self, id: AttemptId, outcome: Outcome, again: bool, seq: Seq) {
        let Some(begun) = self.live.remove(&id) else {
            return self.fault(Fault::NotLive { attempt: id, seq });
        };
        if let Purpose::Task(number) = begun.purpose {
            let past = self.tasks.entry((begun.team, number)).or_default();
            let cut_off = matches!(outcome, Outcome::Unknown | Outcome::Interrupted);
            *past = Past {
                live: past.live.filter(|live| *live != id),
                ended: true,
                again,
                uncertain: begun.once && cut_off,
                chosen: false,
            };
        }
        // What it had looked at ends with it.
        self.audit.settled += self.looks.remove(&id).unwrap_or_default();
        let writes: Vec<Seq> =
            self.writes.iter().filter(|(_, (whose, _))| *whose == id).map(|(asked, _)| *asked).collect();
        for asked in writes {
            let path = self.writes.remove(&asked).map(|(_, path)| path).unwrap_or_default();
            self.unknown(format!("the write of {} by {}", sanitise::line(&path), begun.label));
        }
        match outcome {
            Outcome::Unknown => self.unknown(begun.label),
            _ => self.audit.settled += 1,
        }
    }

    fn looked(&mut self, team: Option<TeamId>, attempt: Option<AttemptId>, seq: Seq) {
        let was_asked = match attempt {
            Some(id) => match self.looks.get_mut(&id) {
                Some(looks) => {
                    *looks -= 1;
                    if *looks == 0 {
                        self.looks.remove(&id);
                    }
                    true
                }
                None => false,
            },
            None => team.is_some_and(|team| self.promises.remove(&team)),
        };
        match was_asked {
            true => self.audit.settled += 1,
            false => self.fault(Fault::NotAsked { what: "a check", seq }),
        }
    }

    fn choose(&mut self, team: Option<TeamId>, number: TaskNo) {
        if let Some(past) = team.and_then(|team| self.tasks.get_mut(&(team, number))) {
            past.chosen = true;
        }
    }

    fn unknown(&mut self, label: String) {
        self.audit.unknown += 1;
        if self.audit.unknowns.len() < MAX_TOLD {
            self.audit.unknowns.push(label);
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.audit.faults += 1;
        if self.audit.told.len() < MAX_TOLD {
            self.audit.told.push(fault);
        }
    }
}

fn begun(before: &State, team: TeamId, member: &Name, purpose: Purpose, nth: u32) -> Begun {
    let agent = before.team(team).and_then(|t| t.members.get(member)).map(|m| &m.agent);
    let once = agent.is_some_and(|a| matches!(a.driver, Driver::Process { .. }) && a.rerun != Rerun::Safe);
    let named = |number: TaskNo| before.task(team, number).map_or_else(|| format!("#{number}"), Task::label);
    let label = match purpose {
        Purpose::Task(number) => format!("{}, attempt {nth}", named(number)),
        Purpose::Review(number) => format!("{}, review by {member}", named(number)),
        Purpose::Turn => format!("{member}, turn {nth}"),
    };
    Begun { team, purpose, label, once }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::{AttemptEnded, AttemptStarted, ChecksSettled, CompletionAsked, RetryAsked};
    use crate::domain::event::{EffectAsked, EffectSettled};
    use crate::domain::trial::{Trial, agent, member, name, process, team};
    use crate::domain::{By, Command, Token};

    const TEAM: TeamId = TeamId(1);

    /// A team of two: a command to be run once, and one that is safe.
    fn history() -> Vec<Fact> {
        let safe = agent(process("safe", &["once"]), |a| a.rerun = Rerun::Safe);
        let mut trial = Trial::with(team(vec![process("once", &[]), safe, member("pen", &["once"])]));
        trial.facts.retain(|fact| !matches!(fact.event, Event::AttemptStarted(_)));
        let seq = 1..;
        trial.facts.iter_mut().zip(seq).for_each(|(fact, seq)| fact.seq = Seq(seq));
        trial.facts
    }

    fn then(mut facts: Vec<Fact>, events: Vec<Event>) -> Vec<Fact> {
        for event in events {
            let seq = facts.last().map_or(Seq(1), |fact| fact.seq.next());
            facts.push(Fact {
                seq,
                elapsed_ms: 5,
                at_ms: 5,
                team: Some(TEAM),
                by: By::System,
                line: None,
                event,
            });
        }
        facts
    }

    fn start(id: u64, of: &str, task: u32, nth: u32) -> Event {
        let (attempt, purpose) = (AttemptId(id), Purpose::Task(TaskNo(task)));
        AttemptStarted { attempt, member: name(of), purpose, nth, token: Token(9), reserved_micros: 0 }.into()
    }

    fn end(id: u64, outcome: Outcome, status: Status, again: bool) -> Event {
        AttemptEnded {
            attempt: AttemptId(id),
            outcome,
            reason: "".into(),
            exit: None,
            took_ms: 1,
            output_bytes: 0,
            result: None,
            status: Some(status),
            again,
            spent_micros: 0,
        }
        .into()
    }

    fn retry(task: u32) -> Event {
        RetryAsked { number: TaskNo(task), text: "".into() }.into()
    }

    fn asks(id: u64) -> Event {
        let attempt = AttemptId(id);
        CompletionAsked { attempt, result: "".into(), exit: Some(0), settled: false }.into()
    }

    fn checked(id: u64) -> Event {
        ChecksSettled { attempt: Some(AttemptId(id)), refused: Vec::new(), outputs: Vec::new() }.into()
    }

    fn writes(id: u64) -> Event {
        EffectAsked { attempt: AttemptId(id), path: "a.md".into(), before: None, after: "x".into() }.into()
    }

    fn wrote(asked: u64) -> Event {
        EffectSettled { asked: Seq(asked), refused: None }.into()
    }

    #[test]
    fn r32_every_effect_is_settled_live_or_unknown() {
        let facts = history();
        let first = facts.last().unwrap().seq.0;
        let audit = Receipts::of(&then(
            facts,
            vec![
                start(1, "once", 1, 1),
                end(1, Outcome::Unknown, Status::Stale, false),
                retry(1),
                start(2, "once", 1, 2),
                asks(2),
                checked(2),
                end(2, Outcome::Completed, Status::Completed, false),
                start(3, "safe", 2, 1),
                end(3, Outcome::Interrupted, Status::Stale, true),
                start(4, "safe", 2, 2),
                start(5, "pen", 3, 1),
                writes(5),
                wrote(first + 12),
                writes(5),
                end(5, Outcome::Failed, Status::Failed, false),
            ],
        ));
        let unknowns = ["once, attempt 1", "the write of a.md by pen, attempt 1"];
        assert_eq!((audit.asked, audit.settled, audit.live, audit.unknown), (8, 5, 1, 2));
        assert_eq!(audit.unknowns, unknowns);
        assert_eq!(audit.told, []);
    }

    #[test]
    fn r32_a_history_in_which_something_ran_twice_is_found() {
        let done = |id| end(id, Outcome::Completed, Status::Completed, false);
        let lost = |id, again| end(id, Outcome::Unknown, Status::Stale, again);
        let once = |id, nth| start(id, "once", 1, nth);
        let cases: Vec<(Vec<Event>, &str)> = vec![
            (vec![once(1, 1), done(1), retry(1), once(1, 2)], "attempt 1 started twice, again at seq "),
            (vec![once(1, 1), done(1), done(1)], "attempt 1 ended at seq "),
            (vec![done(7)], "attempt 7 ended at seq "),
            (vec![once(1, 1), start(2, "pen", 1, 2)], "once had two live attempts from seq "),
            (vec![once(1, 1), done(1), once(2, 2)], "once ran again at seq "),
            (vec![once(1, 1), lost(1, false), once(2, 2)], "once ran twice: its command may have "),
            (vec![once(1, 1), lost(1, true), once(2, 2)], "once ran twice: its command may have "),
            (vec![once(1, 1), asks(1), checked(1), checked(1)], "a check was settled at seq "),
            (vec![once(1, 1), checked(1)], "a check was settled at seq "),
            (vec![once(1, 1), wrote(3)], "a write was settled at seq "),
        ];
        for (events, says) in cases {
            let audit = Receipts::of(&then(history(), events.clone()));
            assert_eq!(audit.faults, 1, "{events:?}: {:?}", audit.told);
            assert!(audit.told[0].to_string().starts_with(says), "{}", audit.told[0]);
        }
    }

    #[test]
    fn r33_what_is_safe_or_was_asked_for_runs_again() {
        let cut = |id, again| end(id, Outcome::Interrupted, Status::Stale, again);
        let safe = |id, nth| start(id, "safe", 2, nth);
        for events in [
            vec![safe(1, 1), cut(1, true), safe(2, 2)],
            vec![start(1, "once", 1, 1), cut(1, false), retry(1), start(2, "once", 1, 2)],
            vec![
                start(1, "once", 1, 1),
                end(1, Outcome::Failed, Status::Failed, true),
                start(2, "once", 1, 2),
            ],
        ] {
            let audit = Receipts::of(&then(history(), events));
            assert_eq!(audit.told, []);
        }
    }

    #[test]
    fn r35_a_recovered_run_has_its_receipts() {
        let mut trial = Trial::with(team(vec![process("a", &[]), process("b", &[])]));
        trial.system(Command::Recover(Box::default()));
        let audit = Receipts::of(&trial.facts);
        assert_eq!((audit.asked, audit.settled, audit.unknown, audit.live), (2, 0, 2, 0));
        assert_eq!(audit.faults, 0);
    }

    #[test]
    fn faults_and_unknowns_are_bounded_and_counted() {
        let events = (1..=150).map(|id| end(id, Outcome::Completed, Status::Completed, false)).collect();
        let audit = Receipts::of(&then(history(), events));
        assert_eq!((audit.faults, audit.told.len()), (150, MAX_TOLD));
    }
}
