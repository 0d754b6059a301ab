//! Power loss under the journal, at any write or sync, with any part of what was not synced on the disk: the fold of what
//! is found is the fold of everything acknowledged, or of that and the one commit that was under way.
use super::*;
use crate::domain::trial::{member, team};
use crate::domain::{Actor, AttemptEnd, EndCause, TaskSpec};
use crate::power::{Dice, images};
use crate::store::fault::Disk;

/// Images of one power loss.
const EACH: u64 = 5;

/// A run that commits until its power goes.
struct Run {
    journal: Journal,
    state: State,
    dice: Dice,
    /// Every fact that was tried to be stored.
    facts: Vec<Fact>,
    /// The last seq that was acknowledged.
    acked: Seq,
}

impl Run {
    fn commit(&mut self, asked: &Asked) -> bool {
        let now = Now { elapsed_ms: self.state.elapsed_ms + 1, at_ms: 1, random: self.dice.below(u64::MAX) };
        let facts = decide(&mut self.state, now, asked).facts;
        let stored = self.journal.commit(&facts, &self.state).is_ok();
        self.facts.extend(facts);
        if stored {
            self.acked = self.state.seq;
        }
        stored
    }

    /// Anything that makes facts: small ones, large ones, many at once.
    fn next(&mut self) -> Asked {
        let live: Vec<AttemptId> = self.state.live.keys().copied().collect();
        let text = |length: u64| "x".repeat(usize::try_from(length).unwrap_or_default() + 1).into();
        let command = match self.dice.below(6) {
            0 => Command::AddTask(Box::new(TaskSpec {
                assignee: crate::domain::Name::reference("a").ok(),
                ..TaskSpec::default()
            })),
            1 => Command::Send { to: "a".into(), text: text(self.dice.below(60_000)) },
            2 => Command::Broadcast { text: text(20) },
            3 if !live.is_empty() => {
                let end =
                    AttemptEnd { cause: EndCause::Exit(0), result: text(9_000), ..AttemptEnd::default() };
                return system(Command::EndAttempt { attempt: live[0], end });
            }
            _ => Command::Send { to: "b".into(), text: text(self.dice.below(300)) },
        };
        Asked { actor: Actor::Person, team: None, line: None, command }
    }
}

fn fold(facts: &[Fact], upto: Seq) -> State {
    let mut state = State::default();
    facts.iter().filter(|fact| fact.seq <= upto).for_each(|fact| state.evolve(fact));
    state
}

/// The bytes of a store with an open run and a team.
fn begun() -> (Vec<u8>, Vec<Fact>) {
    let disk = Disk::default();
    let journal = Journal::new(disk.store());
    let mut run = Run { journal, state: State::default(), dice: Dice(0), facts: Vec::new(), acked: Seq(0) };
    assert!(run.commit(&system(Command::OpenRun(crate::domain::RunHeader::default()))));
    let spec = team((0..4).map(|at| member(["a", "b", "c", "d"][at], &[])).collect());
    let create = Command::Create(Box::new(spec));
    assert!(run.commit(&Asked { actor: Actor::Person, team: None, line: None, command: create }));
    run.journal.close(&run.state);
    (disk.bytes(), run.facts)
}

#[test]
fn power_loss_leaves_every_acknowledged_commit_and_at_most_the_one_under_way_whole() {
    let (images, seed) = images();
    let (bytes, facts) = begun();
    let (mut under_way, mut looked_at) = (0, 0);
    for seed in seed..seed + images.div_ceil(EACH) {
        let mut dice = Dice(seed);
        let disk = Disk::holding(bytes.clone());
        let mut journal = Journal::new(disk.open().unwrap());
        let state = journal.load().unwrap();
        disk.power_ends_at(dice.below(160));
        let acked = state.seq;
        let mut run = Run { journal, state, dice, facts: facts.clone(), acked };
        loop {
            let asked = run.next();
            if !run.commit(&asked) {
                break;
            }
        }
        for _ in 0..EACH {
            let left = Disk::holding(disk.torn(|sides| run.dice.below(sides)));
            let mut journal =
                Journal::new(left.open().unwrap_or_else(|error| panic!("seed {seed}: {error}")));
            let found = journal.load().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let tried = run.facts.last().unwrap().seq;
            assert!(
                found.seq == run.acked || found.seq == tried,
                "seed {seed}: {} of {}",
                found.seq,
                run.acked
            );
            assert_eq!(found, fold(&run.facts, found.seq), "seed {seed}");
            under_way += u64::from(found.seq > run.acked);
            let mut again = Run { journal, state: found, dice: Dice(seed), facts: Vec::new(), acked: Seq(0) };
            let asked = again.next();
            assert!(again.commit(&asked), "seed {seed}: it goes on");
            looked_at += 1;
        }
    }
    println!("{looked_at} images, {under_way} with the commit under way");
    assert!(looked_at >= images && under_way > 0);
}
