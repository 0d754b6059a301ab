//! The whole core on one thread, from a seed: plans, members, mail, a clock, persons, crashes and failing disks. Nothing
//! here runs a process or opens a file, so a seed replays exactly.
//!
//! What must hold: every run ends with a named reason (R30); no task has two live attempts; a message is lost, doubled or
//! reordered for nobody; a stale token is refused and changes nothing; the fold of all facts is the state.
pub mod deed;
pub mod engine;
pub mod mailbox;
pub mod person;
pub mod post;
pub mod team;

use super::{Counts, Dice, rounds};
use engine::{Core, Fate};
use teamtui::domain::pulse::{can_all, can_still, end_reason};
use teamtui::domain::state::Task;
use teamtui::domain::{CloseReason, Command, Goal, Hope, Pulse, Status, Waits};

/// Turns in which persons, crashes and disks may do anything.
const WILD: u64 = 120;
/// Turns after which a run that is left alone must have come to its end.
const PATIENCE: usize = 4_000;
/// Somebody who could still decide: there is none.
const NOBODY: Waits = Waits { person: false, script: false };

pub fn run(seed: u64, count: u64) -> Counts {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    rounds("core", seed, count, workers, round)
}

fn round(seed: u64) -> Counts {
    let mut dice = Dice(seed);
    let mut core = Core::new(dice.percent(70));
    let spec = team::random(&mut dice, "t");
    core.must(deed::person(Command::Create(Box::new(spec))));
    for _ in 0..dice.roll(WILD) {
        wild(&mut core, &mut dice);
    }
    left_alone(&mut core, &mut dice);
    core.check_whole();
    core.counts
}

/// Some commands that come together, and what becomes of their commit.
fn wild(core: &mut Core, dice: &mut Dice) {
    let fate = match dice.roll(100) {
        0 => Fate::CrashesBefore,
        1 => Fate::CrashesAfter,
        2 => Fate::Fails,
        3 => Fate::FailsAndIsThere,
        _ => Fate::Commits,
    };
    if dice.percent(8) {
        core.pass(dice.roll(3_000));
    }
    let count = 1 + dice.roll(3);
    let mut asked = Vec::new();
    for _ in 0..count {
        asked.extend(match dice.roll(10) {
            0..=2 => Some(person::asks(core, dice)),
            3 => deed::stale(core, dice),
            _ => deed::of_somebody(core, dice),
        });
    }
    core.turn(asked, fate);
}

/// Nobody decides anything any more: it comes to its end.
fn left_alone(core: &mut Core, dice: &mut Dice) {
    person::let_go(core);
    for _ in 0..PATIENCE {
        let pulse = Pulse::of(core.state(), &NOBODY);
        if pulse.quiet && core.is_idle() {
            return ended(core);
        }
        let asked = deed::of_somebody(core, dice);
        if asked.is_none() {
            core.jump();
        }
        core.turn(asked.into_iter().collect(), Fate::Commits);
    }
    panic!("it does not come to an end: {:?}", Pulse::of(core.state(), &NOBODY));
}

/// R30: with a reason that has a name, and nobody would wait for ever.
fn ended(core: &mut Core) {
    let state = core.state();
    let end = end_reason(state);
    assert!(!end.why.is_empty(), "it ended, and nothing says why");
    let is_open = |task: &Task| task.is_required() && task.status() != Status::Completed;
    let complete = !state.live_teams().any(|(_, team)| team.tasks.iter().any(is_open));
    assert!(end.reason != CloseReason::Completed || complete, "{end:?}");
    for (id, team) in state.live_teams() {
        for task in &team.tasks {
            let hope = can_still(state, &NOBODY, id, task.number, &[Goal::Status(Status::Completed)]);
            assert!(hope != Hope::Open, "a wait for {} would never end", task.label());
        }
        assert!(can_all(state, &NOBODY, id) != Hope::Open, "a wait for all would never end");
    }
    core.counts.add(&format!("ended: {}", end.reason.word()), 1);
}
