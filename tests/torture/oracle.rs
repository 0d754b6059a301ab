//! What the facts of a run have to say, whatever was killed: about what was live, what ran, and what began again.
use std::collections::{BTreeMap, BTreeSet};

use super::ledger::Ledger;
use teamtui::domain::{AttemptId, Event, Fact, Outcome, Purpose, Status, TaskNo};

/// Attempts that had begun and not ended, and those of them whose completion was being looked at.
#[derive(Debug, Default)]
pub struct Live {
    attempts: BTreeMap<AttemptId, TaskNo>,
    asked: BTreeSet<AttemptId>,
}

impl Live {
    pub fn at_the_end_of(facts: &[Fact]) -> Self {
        let mut live = Self::default();
        facts.iter().for_each(|fact| live.take(fact));
        live
    }

    fn take(&mut self, fact: &Fact) {
        match &fact.event {
            Event::AttemptStarted(e) => {
                let Purpose::Task(number) = e.purpose else { return };
                self.attempts.insert(e.attempt, number);
            }
            Event::CompletionAsked(e) => {
                self.asked.insert(e.attempt);
            }
            Event::AttemptEnded(e) => {
                self.attempts.remove(&e.attempt);
            }
            _ => {}
        }
    }

    /// Label of each task at which a process is, and whether its checks were being run.
    pub fn processes(&self, facts: &[Fact]) -> Vec<(String, bool)> {
        let ids = self.attempts.keys();
        let named = ids.map(|id| (label_of(facts, *id).unwrap(), self.asked.contains(id)));
        named.filter(|(label, _)| label != "w").collect()
    }
}

/// The task of an attempt, by the plan of the team created first.
pub fn label_of(facts: &[Fact], attempt: AttemptId) -> Option<String> {
    let number = facts.iter().find_map(|fact| match &fact.event {
        Event::AttemptStarted(e) if e.attempt == attempt => match e.purpose {
            Purpose::Task(number) => Some(number),
            _ => None,
        },
        _ => None,
    })?;
    let labels = ["a", "b", "c", "w", "d"];
    labels.get(usize::try_from(number.0).unwrap() - 1).map(|label| (*label).to_owned())
}

/// Nothing began that no fact says has begun; and what is told to have completed came to its end.
pub fn check_ledger(facts: &[Fact], ledger: &Ledger) {
    for (label, number) in ledger.begun.keys() {
        let told = label_of(facts, AttemptId(*number));
        assert_eq!(told.as_ref(), Some(label), "attempt {number} ran and no fact says so");
    }
    for fact in facts {
        let Event::AttemptEnded(e) = &fact.event else { continue };
        let label = label_of(facts, e.attempt).unwrap();
        if label != "w" && e.outcome == Outcome::Completed {
            assert!(
                ledger.ended.contains_key(&(label.clone(), e.attempt.0)),
                "{label} never came to its end"
            );
        }
    }
}

/// What has an unknown outcome begins again only when somebody asked for it.
pub fn check_choices(facts: &[Fact]) {
    let mut waits: BTreeSet<TaskNo> = BTreeSet::new();
    let mut live: BTreeMap<AttemptId, TaskNo> = BTreeMap::new();
    for fact in facts {
        match &fact.event {
            Event::AttemptStarted(e) => {
                let Purpose::Task(number) = e.purpose else { continue };
                assert!(!waits.contains(&number), "#{} was run again and nobody asked", number.0);
                assert!(!live.values().any(|other| *other == number), "two live attempts at #{}", number.0);
                live.insert(e.attempt, number);
            }
            Event::AttemptEnded(e) => {
                let number = live.remove(&e.attempt).unwrap();
                if e.outcome == Outcome::Unknown {
                    assert_eq!((e.status, e.again), (Some(Status::Stale), false));
                    waits.insert(number);
                }
            }
            Event::RetryAsked(e) => {
                waits.remove(&e.number);
            }
            _ => {}
        }
    }
}
