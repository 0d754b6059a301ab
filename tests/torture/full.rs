//! A full disk: small file systems in memory under the state and under the files that members write, filled to the last
//! byte at any instant and emptied again. Nothing that was told is lost, no file is torn, and the run goes on.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::kill::{Rerun, Round, SHORT, Second, Victim, team, whole};
use super::world::World;
use super::{Counts, Dice, rounds};

/// Rounds at once.
const WORKERS: usize = 2;

/// A file system in memory; dropped, it is gone.
struct Small(PathBuf);

impl Small {
    /// None where mounting is not allowed.
    fn mount(at: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size},mode=700"), "tmpfs"]).arg(at);
        let status = mount.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }

    fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }

    /// Takes all the room there is.
    fn fill(&self) {
        let mut file = std::fs::File::create(self.ballast()).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    fn empty(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // Lazily: whoever still has a file there keeps it to its end.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Whether this machine lets a file system be mounted.
pub fn is_possible() -> bool {
    let folder = tempfile::tempdir().unwrap();
    Small::mount(folder.path(), "64k").is_some()
}

pub fn run(seed: u64, count: u64) -> Counts {
    if !is_possible() {
        let mut counts = Counts::default();
        counts.add("disks: nothing may be mounted here", 0);
        return counts;
    }
    rounds("full", seed, count, WORKERS, round)
}

fn round(seed: u64) -> Counts {
    let mut dice = Dice(seed);
    let rerun = *dice.pick(&[Rerun::Safe, Rerun::Ask]);
    let (board, took) = whole(rerun);
    let world = World::with(&[("ci.toml", &team(rerun, SHORT))]);
    let state = world.sandbox.env().into_iter().find(|(name, _)| name == "XDG_STATE_HOME").unwrap().1;
    let disks = [
        Small::mount(Path::new(&state), "4m").unwrap(),
        Small::mount(&world.root().join("notes"), "256k").unwrap(),
    ];
    let choices = [vec![0], vec![1], vec![0, 1]];
    let which: &Vec<usize> = dice.pick(&choices);
    let running = world.start(&["--script", "ci.toml", "--format", "ndjson"]);
    std::thread::sleep(*took * u32::try_from(dice.roll(1_000_000)).unwrap() / 1_000_000);
    which.iter().for_each(|at| disks[*at].fill());
    std::thread::sleep(Duration::from_millis(dice.roll(700)));
    which.iter().for_each(|at| disks[*at].empty());
    let ended = running.ended();
    let mut counts = Counts::default();
    counts.add("disks filled", which.len() as u64);
    counts.add(
        "runs that said so",
        u64::from(ended.err.contains("disk full") || ended.err.contains("disk is full")),
    );
    let mut round = Round { world, rerun, again: Second::Nothing, counts, told: Vec::new() };
    round.after(ended, Victim::Guard, *took);
    round.check(board);
    let counts = round.counts.clone();
    // Before the folder that they are in.
    drop(disks);
    counts
}
