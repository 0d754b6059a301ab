//! Many starts at once on one state: one owns it, all others are refused with its name or served by it. What an owner
//! left behind names nobody.
use std::time::{Duration, Instant};

use super::world::{Ended, World};
use super::{Counts, rounds};

/// Starts at once.
const AT_ONCE: usize = 50;
/// A refusal is measured with so many at once.
const ASKERS: usize = 4;

/// Goes on while `go` is not there.
const TEAM: &str = r#"
name = "g"
[members]
a = { run = "echo begun >> begun; until test -e go; do sleep 0.02; done", rerun = "safe" }
"#;

pub fn run(seed: u64, count: u64) -> Counts {
    rounds("starts", seed, count, 1, |seed| match seed % 3 {
        0 => resumes(),
        1 => owners(),
        _ => clients(),
    })
}

/// A run whose owner was killed, with its member's process.
fn crashed() -> World {
    let world = World::with(&[("g.toml", TEAM)]);
    let running = world.start(&["--script", "g.toml"]);
    world.sandbox.until_file("begun");
    super::world::kill_9(running.pid());
    running.ended();
    world.sandbox.until_nobody();
    world
}

fn at_once(world: &World, args: &[&str]) -> Vec<super::world::Running> {
    (0..AT_ONCE).map(|_| world.start(args)).collect()
}

/// The one that was not refused, after all others were, and how many those are.
fn only_one(world: &World, running: Vec<super::world::Running>, go: impl FnOnce()) -> (Ended, Vec<Ended>) {
    let mut running = running;
    world
        .sandbox
        .until("one owner", || running.iter_mut().map(|one| usize::from(!one.is_over())).sum::<usize>() == 1);
    let winner = running.iter_mut().position(|one| !one.is_over()).unwrap();
    let winner = running.swap_remove(winner);
    go();
    (winner.ended(), running.into_iter().map(super::world::Running::ended).collect())
}

/// Everyone goes on with one run at once.
fn resumes() -> Counts {
    let world = crashed();
    let (winner, refused) =
        only_one(&world, at_once(&world, &["resume", "1"]), || world.sandbox.file("go", ""));
    assert_eq!(winner.rc(), 0, "{}", winner.err);
    assert_eq!(world.sandbox.read("begun"), "begun\nbegun\n", "one attempt before, one after");
    counted(&refused)
}

/// Everyone serves the standing run.
fn owners() -> Counts {
    let world = World::with(&[("g.toml", TEAM)]);
    let running = at_once(&world, &["serve"]);
    let (winner, refused) = only_one(&world, running, || {});
    assert_eq!(winner.rc(), 0, "{}", winner.err);
    counted(&refused)
}

/// Everyone gives a command to the standing run, which nobody owns yet: all are served by one owner.
fn clients() -> Counts {
    let world = World::with(&[("g.toml", TEAM)]);
    world.sandbox.file("go", "");
    let ended: Vec<Ended> =
        at_once(&world, &["do", "create", "g.toml"]).into_iter().map(super::world::Running::ended).collect();
    let created = ended.iter().filter(|one| one.rc() == 0).count();
    let names = |one: &&Ended| one.rc() == 1 && one.err.contains("a team `g` is live already");
    let refused = ended.iter().filter(names).count();
    let said: Vec<&str> = ended.iter().map(|one| one.err.as_str()).collect();
    assert!((created, refused) == (1, AT_ONCE - 1), "{created}, {refused}: {:?}", said.first());
    world.sandbox.until_nobody();
    let mut counts = Counts::default();
    counts.add("starts", AT_ONCE as u64);
    counts.add("served", AT_ONCE as u64);
    counts
}

/// Is it refused by the name of the owner? Who comes while others read may be told to come again.
fn is_named(one: &Ended) -> bool {
    assert_eq!(one.rc(), 2, "{}", one.err);
    let named = one.err.starts_with("error: owned: ") && one.err.contains(" is owned by process ");
    assert!(named || one.err.contains("does not say who it is; try again in a moment"), "{}", one.err);
    named
}

fn counted(refused: &[Ended]) -> Counts {
    let mut counts = Counts::default();
    counts.add("starts", AT_ONCE as u64);
    counts.add("owners", 1);
    counts.add("refused", refused.len() as u64);
    counts.add("refused by name", refused.iter().filter(|one| is_named(one)).count() as u64);
    counts
}

/// What a killed owner left, with the pid of a stranger who lives, changes nothing and harms nobody.
pub fn stranger() {
    let world = crashed();
    let mut stranger = std::process::Command::new("sleep").arg("97").spawn().unwrap();
    let run = world.run_dir(1).unwrap();
    let note = format!(
        "{{\"pid\":{},\"since_ms\":1,\"socket\":\"/nowhere.sock\",\"version\":\"0.1.0\",\"command\":\"teamtui resume 1\"}}\n",
        stranger.id()
    );
    std::fs::write(run.lock_path(), note).unwrap();
    std::fs::write(run.path().join("starting.lock"), stranger.id().to_string()).unwrap();
    world.sandbox.file("go", "");
    let status = world.run(&["status", "--run", "1"]);
    assert_eq!(status.rc(), 0, "{}", status.err);
    let ended = world.run(&["resume", "1"]);
    assert_eq!(ended.rc(), 0, "{}", ended.err);
    assert!(stranger.try_wait().unwrap().is_none(), "a stranger was ended");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

/// How long a refusal takes with four asking at once: the 99th of a hundred, in microseconds.
pub fn refusal(_seed: u64, count: u64) -> Counts {
    let world = crashed();
    let owner = world.start(&["resume", "1"]);
    // Looked at, not asked: a `resume` that came first would be the owner.
    world.sandbox.until("an owner", || {
        let seen = world.sandbox.run(&["status", "--run", "1"]);
        seen.rc == 0 && !seen.err.contains("without closing it")
    });
    let each = usize::try_from(count).unwrap().div_ceil(ASKERS);
    let mut took: Vec<Duration> = std::thread::scope(|scope| {
        let ask = || {
            let begun = Instant::now();
            let ended = world.sandbox.run(&["resume", "1"]);
            let took = begun.elapsed();
            assert!(ended.rc == 2 && ended.err.starts_with("error: owned: "), "{ended:?}");
            took
        };
        let askers: Vec<_> =
            (0..ASKERS).map(|_| scope.spawn(move || (0..each).map(|_| ask()).collect::<Vec<_>>())).collect();
        askers.into_iter().flat_map(|asker| asker.join().unwrap()).collect()
    });
    world.sandbox.file("go", "");
    assert_eq!(owner.ended().rc(), 0);
    took.sort_unstable();
    let at = |permille: usize| u64::try_from(took[took.len() * permille / 1000].as_micros()).unwrap();
    assert!(at(990) < 200_000, "a refusal takes {} us", at(990));
    let mut counts = Counts::default();
    counts.add("refusals", took.len() as u64);
    counts.highest("us to a refusal, half of them", at(500));
    counts.highest("us to a refusal, 99 of 100", at(990));
    counts
}
