//! Process trees of every shape, ended in every way: two seconds later nothing of them lives.
use std::time::{Duration, Instant};

use super::world::{World, guards, kill_9};
use super::{Counts, rounds};

/// Nothing may live longer than this.
const SWEPT: Duration = Duration::from_secs(2);
/// Rounds at once.
const WORKERS: usize = 4;

/// How processes hang together; `SLEEP` is a sleeper that only one tree has. Each makes `up` once all are started.
const SHAPES: [(&str, &str); 6] = [
    ("fork", "SLEEP & SLEEP & touch up; wait"),
    ("setsid", "setsid SLEEP & touch up; SLEEP"),
    ("double fork", "(setsid sh -c 'SLEEP & touch up; exec SLEEP' &); SLEEP"),
    (
        "TERM ignored",
        "trap '' TERM HUP INT; (trap '' TERM HUP INT; SLEEP) & touch up; while :; do SLEEP; done",
    ),
    ("pipe held", "SLEEP & touch up; exit 0"),
    ("fast exit", "for i in 1 2 3 4; do (setsid sh -c 'SLEEP & exit 0' &); done; touch up; exit 0"),
];

/// What ends a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Owner,
    Guard,
    /// What is left then is ended by the next owner, before it schedules anything.
    Both,
    Dissolve,
}

const ENDS: [End; 4] = [End::Owner, End::Guard, End::Both, End::Dissolve];

/// How many pairs there are: so many rounds try each once.
pub const PAIRS: u64 = (SHAPES.len() * ENDS.len()) as u64;

pub fn run(seed: u64, count: u64) -> Counts {
    rounds("trees", seed, count, WORKERS, round)
}

fn round(seed: u64) -> Counts {
    let (shape, end) = pair(seed);
    let (name, line) = SHAPES[shape];
    let line = line.replace("SLEEP", &sleeper(seed));
    let team = format!(
        "name = \"t\"\nlimits = {{ grace = \"200ms\" }}\n[members]\na = {{ run = \"{}\" }}\nb = {{ run = \"sleep 41\" }}\n",
        line.replace('"', "\\\"")
    );
    let world = World::with(&[("t.toml", &team)]);
    let running = world.start(&["--script", "t.toml"]);
    world.sandbox.until_file("up");
    let begun = Instant::now();
    match end {
        End::Owner => kill_9(running.pid()),
        End::Guard => guards(running.pid()).into_iter().for_each(kill_9),
        End::Both => {
            let guards = guards(running.pid());
            assert_eq!(guards.len(), 1);
            kill_9(running.pid());
            guards.into_iter().for_each(kill_9);
        }
        End::Dissolve => assert_eq!(world.run(&["do", "--run", "1", "dissolve"]).rc(), 0),
    }
    let ended = running.ended();
    if end == End::Both {
        let resumed = world.run(&["resume", "1"]);
        assert!(resumed.rc() == 1, "{name}: {}\n{}", ended.err, resumed.err);
    }
    loop {
        let left = living(&sleeper(seed));
        if left.is_empty() {
            break;
        }
        assert!(begun.elapsed() < SWEPT, "{name}, {end:?}: alive 2 s later: {left:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut counts = Counts::default();
    counts.highest("ms to the end of a tree", u64::try_from(begun.elapsed().as_millis()).unwrap());
    counts.add("survivors", 0);
    counts
}

fn pair(seed: u64) -> (usize, End) {
    let at = usize::try_from(seed % PAIRS).unwrap();
    (at % SHAPES.len(), ENDS[at / SHAPES.len()])
}

/// A command line that only this round has.
fn sleeper(seed: u64) -> String {
    format!("sleep 313.{:07}{seed:08}", std::process::id())
}

/// Processes with that in their command line.
fn living(word: &str) -> Vec<(String, String)> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let pid = entry.file_name().to_string_lossy().into_owned();
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if pid != own && line.contains(word) {
            found.push((pid, line));
        }
    }
    found
}
