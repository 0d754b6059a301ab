//! Sixteen members write to each other without a pause, through crashes and failing disks: 0 lost, 0 doubled, in order.
use super::deed::{mail, person};
use super::engine::{Core, Fate};
use super::team::{empty, member, member_name, name, scripted};
use crate::torture::{Counts, Dice, rounds};
use teamtui::domain::{Actor, Asked, Command, Rerun, Status, TaskRef, TaskSpec};

/// Members that write.
const MEMBERS: u64 = 16;
/// Messages of a round: many enough for an order, few enough to be folded often.
const MESSAGES: u64 = 1_000;

/// `count` is of messages.
pub fn run(seed: u64, count: u64) -> Counts {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    rounds("mailbox", seed, count.div_ceil(MESSAGES), workers, round)
}

fn round(seed: u64) -> Counts {
    let mut dice = Dice(seed);
    let mut core = Core::new(false);
    let mut spec = empty("post");
    for number in 0..MEMBERS {
        spec.members.push(member(&member_name(number), scripted(), TaskSpec::default()));
        spec.members.iter_mut().for_each(|member| member.agent.rerun = Rerun::Safe);
    }
    spec.limits.parallel = u32::try_from(MEMBERS).unwrap();
    (spec.limits.hops, spec.limits.pair) = (u32::MAX, u32::MAX);
    core.must(person(Command::Create(Box::new(spec))));
    while core.messages() < MESSAGES {
        let fate = match dice.roll(100) {
            0 => Fate::CrashesBefore,
            1 => Fate::CrashesAfter,
            2 => Fate::Fails,
            3 => Fate::FailsAndIsThere,
            _ => Fate::Commits,
        };
        let asked = (0..1 + dice.roll(4)).filter_map(|_| writes_or_reads(&core, &mut dice)).collect();
        core.turn(asked, fate);
        again(&mut core);
    }
    core.check_whole();
    core.counts
}

fn writes_or_reads(core: &Core, dice: &mut Dice) -> Option<Asked> {
    let live: Vec<_> = core.state().live.values().map(|a| (a.id, a.token)).collect();
    let (attempt, token) = (!live.is_empty()).then(|| *dice.pick(&live))?;
    let command = match dice.roll(10) {
        0 | 1 => Command::ReadInbox { wait_ms: None },
        _ => Command::Send { to: member_name(dice.roll(MEMBERS)), text: mail(dice) },
    };
    Some(Asked { actor: Actor::Member { attempt, token }, team: None, line: None, command })
}

/// Who was quarantined after three crashes begins again, so that everybody goes on writing.
fn again(core: &mut Core) {
    let Some(team) = core.state().teams.values().next() else { return };
    let stale = team.tasks.iter().filter(|task| task.status() == Status::Stale);
    let tasks: Vec<TaskRef> = stale.map(|task| TaskRef::Name(name(&task.label()))).collect();
    if !tasks.is_empty() {
        core.must(person(Command::Retry { tasks, text: "".into() }));
    }
}
