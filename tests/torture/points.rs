//! kill -9 at every named place of the code, one after the other, at the first and at later visits; then as for any kill.
use super::kill::{Rerun, Round, SHORT, Second, Victim, team, whole};
use super::world::{World, kill_9};
use super::{Counts, Dice, rounds};

/// Names the place of this process's end, in a binary that has the feature.
pub const VARIABLE: &str = "TEAMTUI_FAILPOINT";

/// A named place, and how often a run comes there at most.
struct Point {
    name: &'static str,
    visits: u64,
}

const fn point(name: &'static str, visits: u64) -> Point {
    Point { name, visits }
}

/// Every place there is; the tests find none that is missing here.
const POINTS: &[Point] = &[
    point("commit.before", 20),
    point("commit.after", 20),
    point("publish.before", 20),
    point("publish.after", 20),
    point("launch.before", 4),
    point("launch.after", 4),
    point("guard.started", 4),
    point("guard.exited", 4),
    point("exit.before", 4),
    point("exit.after", 4),
    point("output.before", 5),
    point("output.after", 5),
    point("mark.before", 1),
    point("mark.after", 1),
    point("write.asked", 2),
    point("write.filled", 2),
    point("write.synced", 2),
    point("write.renamed", 2),
    point("write.done", 2),
    point("recover.before", 1),
    point("recover.after", 1),
    point("birth.before", 1),
    point("birth.after", 1),
];

/// So many rounds visit each place once.
pub const PLACES: u64 = POINTS.len() as u64;

/// Rounds at once.
const WORKERS: usize = 4;

/// The binary has the places in it.
pub fn is_built() -> bool {
    cfg!(feature = "failpoints")
}

/// Names of all places, and of the variable.
pub fn names() -> impl Iterator<Item = &'static str> {
    POINTS.iter().map(|point| point.name).chain([VARIABLE])
}

pub fn run(seed: u64, count: u64) -> Counts {
    if !is_built() {
        let mut counts = Counts::default();
        counts.add("places: the binary has none, build it with `--features failpoints`", 0);
        return counts;
    }
    rounds("points", seed, count, WORKERS, round)
}

fn round(seed: u64) -> Counts {
    let mut dice = Dice(seed);
    let point = &POINTS[usize::try_from(seed % PLACES).unwrap()];
    let rerun = *dice.pick(&[Rerun::Safe, Rerun::Ask]);
    let place = format!("{}:{}", point.name, dice.roll(point.visits));
    let (board, took) = whole(rerun);
    // What is marked in between is of attempts that last; no other place needs one.
    let seconds = if point.name.starts_with("mark") { "1.2" } else { SHORT };
    let world = World::with(&[("ci.toml", &team(rerun, seconds))]);
    let args = ["--script", "ci.toml", "--format", "ndjson"];
    // A recovery must come before, and what is first made is made by the first owner.
    let first = match point.name.split('.').next() {
        Some("recover") => false,
        Some("birth") => true,
        _ => dice.percent(70),
    };
    let mut counts = Counts::default();
    let (ended, killed, again) = if first {
        let ended = world.start_with(&args, &[(VARIABLE, &place)]).ended();
        let dead = ended.status.code().is_none();
        (ended, if dead { Victim::Owner } else { Victim::Guard }, Second::Nothing)
    } else {
        let running = world.start(&args);
        std::thread::sleep(*took * u32::try_from(dice.roll(900_000)).unwrap() / 1_000_000);
        kill_9(running.pid());
        let ended = running.ended();
        let dead = ended.status.code().is_none();
        (ended, if dead { Victim::Owner } else { Victim::Guard }, Second::Point(place))
    };
    if killed == Victim::Owner {
        counts.add("kills", 1);
    }
    let mut round = Round { world, rerun, again, counts, told: Vec::new() };
    round.after(ended, killed, *took);
    round.check(board);
    round
        .counts
        .add(&format!("{} of {}", if killed == Victim::Owner { "deaths" } else { "lives" }, point.name), 1);
    round.counts
}
