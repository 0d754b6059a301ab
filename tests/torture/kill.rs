//! kill -9 of the owner, of its guard, or of both, at any instant and once more while it recovers: nothing that was told
//! is lost, nothing runs twice unasked, and the board comes to what it is without a kill.
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use teamtui::domain::{Event, Fact, Status};

use super::ledger::{Ledger, say};
use super::oracle::{Live, check_choices, check_ledger, label_of};
use super::world::{Board, Ended, Running, World, board, check_told, guards, kill_9};
use super::{Counts, Dice, rounds};

/// Nothing of a team lives longer than this after the kill of its owner or guard.
const SWEPT: Duration = Duration::from_secs(2);
/// Of a hundred rounds, those in which the recovery is killed too.
const AGAIN: u64 = 30;
/// Rounds at once.
const WORKERS: usize = 4;

/// What a member says of its reruns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rerun {
    Safe,
    Ask,
}

/// Who is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victim {
    Owner,
    Guard,
    Both,
}

/// What a round does, all of it from its seed.
#[derive(Debug, Clone)]
struct Blow {
    rerun: Rerun,
    victim: Victim,
    /// When, in millionths of what a whole run takes.
    at: u64,
    again: Second,
}

/// What happens to the recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Second {
    Nothing,
    /// It is killed so many millionths of a whole run after its start.
    At(u64),
    /// It dies at a failpoint.
    Point(String),
}

impl Blow {
    fn of(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let rerun = *dice.pick(&[Rerun::Safe, Rerun::Ask]);
        let victim = *dice.pick(&[Victim::Owner, Victim::Owner, Victim::Guard, Victim::Both]);
        let at = dice.roll(1_000_000);
        // Half of the second kills fall into the recovery itself, which is soon over.
        let within = if dice.percent(50) { 250_000 } else { 1_000_000 };
        let again = if dice.percent(AGAIN) { Second::At(dice.roll(within)) } else { Second::Nothing };
        Self { rerun, victim, at, again }
    }
}

/// A text of some pages, so that a torn one shows.
fn page(word: &str) -> String {
    format!("{word} ").repeat(2_000)
}

/// Processes that detach others and print much, checks, a scripted member that writes a file twice and sends a message.
/// The second of its processes takes so many seconds.
pub fn team(rerun: Rerun, seconds: &str) -> String {
    let rerun = if rerun == Rerun::Safe { "safe" } else { "ask" };
    let (begin, end) = (say("begin").replace('"', "\\\""), say("end").replace('"', "\\\""));
    let process = |name: &str, work: &str, rest: &str| {
        format!(
            "[members.{name}]\nrun = \"{begin}; {work}; {end}; echo {name}\"\nrerun = \"{rerun}\"\n{rest}\n"
        )
    };
    let mut text = "name = \"ci\"\n".to_owned();
    text += &process("a", "sleep 0.01", "");
    let work = format!("(setsid sleep 97 &); seq 1 300; sleep {seconds}");
    text += &process("b", &work, "depends_on = [\"a\"]");
    text +=
        &process("c", "echo c > made", "depends_on = [\"a\"]\nchecks = [\"test -s made\", \"sleep 0.02\"]");
    text += &format!(
        "[members.w]\nscript = ['write notes/w.md \"{}\"', 'send d \"look\"', 'sleep 10ms', 'write notes/w.md \"{}\"', 'complete \"wrote\"']\n",
        page("one"),
        page("two")
    );
    text += &process("d", "cat notes/w.md | cksum", "depends_on = [\"b\", \"c\", \"w\"]");
    text
}

/// What the second process takes, if nothing else is asked for.
pub const SHORT: &str = "0.03";

/// The board without a kill, and how long it takes.
pub fn whole(rerun: Rerun) -> &'static (Board, Duration) {
    static WHOLE: [OnceLock<(Board, Duration)>; 2] = [OnceLock::new(), OnceLock::new()];
    WHOLE[rerun as usize].get_or_init(|| {
        let world = World::with(&[("ci.toml", &team(rerun, SHORT))]);
        let begun = Instant::now();
        let ran = world.run(&["--script", "ci.toml"]);
        let took = begun.elapsed();
        assert_eq!(ran.rc(), 0, "{ran:?}");
        let board = world.board(1);
        assert_eq!(board.len(), 5);
        assert!(board.iter().all(|(_, status, _)| *status == Status::Completed), "{board:?}");
        (board, took)
    })
}

pub fn run(seed: u64, count: u64) -> Counts {
    rounds("kill", seed, count, WORKERS, |seed| round(Blow::of(seed)))
}

fn round(blow: Blow) -> Counts {
    let (board, took) = whole(blow.rerun);
    let mut at = *took * u32::try_from(blow.at).unwrap() / 1_000_000;
    loop {
        let world = World::with(&[("ci.toml", &team(blow.rerun, SHORT))]);
        let mut counts = Counts::default();
        let mut running = world.start(&["--script", "ci.toml", "--format", "ndjson"]);
        std::thread::sleep(at);
        if running.is_over() {
            // It was over before its time: once more, sooner.
            at = at * 3 / 4;
            running.ended();
            continue;
        }
        let killed = strike(&running, blow.victim);
        let ended = running.ended();
        if killed != Victim::Guard && ended.status.code().is_some() {
            at = at * 3 / 4;
            continue;
        }
        counts.add("kills", 1);
        counts.add(killed.word(), 1);
        let mut round = Round { world, rerun: blow.rerun, again: blow.again, counts, told: Vec::new() };
        round.after(ended, killed, *took);
        round.check(board);
        return round.counts;
    }
}

impl Victim {
    fn word(self) -> &'static str {
        match self {
            Self::Owner => "owners",
            Self::Guard => "guards",
            Self::Both => "both",
        }
    }
}

/// Kills, and says whom: where there is no guard, the owner alone.
fn strike(running: &Running, victim: Victim) -> Victim {
    let guards = if victim == Victim::Owner { Vec::new() } else { guards(running.pid()) };
    if guards.is_empty() || victim != Victim::Guard {
        kill_9(running.pid());
    }
    guards.iter().for_each(|pid| kill_9(*pid));
    if guards.is_empty() { Victim::Owner } else { victim }
}

/// A run and all that was told of it.
pub struct Round {
    pub world: World,
    pub rerun: Rerun,
    pub again: Second,
    pub counts: Counts,
    pub told: Vec<String>,
}

impl Round {
    /// What comes after the kill: the recovery, itself killed or not, and what a person has to decide.
    pub fn after(&mut self, ended: Ended, killed: Victim, took: Duration) {
        self.told.extend(ended.lines);
        // What a killed guard left is found by the next owner, if its own is killed too.
        if killed != Victim::Both {
            self.check_swept();
        }
        self.check_files();
        if killed != Victim::Guard {
            self.recover(killed, took);
        }
        if self.is_unfinished() {
            self.counts.add("asked to go on", 1);
            let ended = self.resume(&["resume", "1", "--failed", "--format", "ndjson"]);
            assert_eq!(ended.rc(), 0, "{}", ended.err);
            self.told.extend(ended.lines);
        }
    }

    fn recover(&mut self, killed: Victim, took: Duration) {
        if self.has_team() && !self.is_completed() && self.kill_again(took) {
            self.counts.add("kills", 1);
            self.counts.add("kills of a recovery", 1);
            if killed != Victim::Both {
                self.check_swept();
            }
            self.check_files();
        }
        if !self.has_team() || self.is_completed() {
            return;
        }
        let before = self.world.facts(1);
        let ended = self.resume(&["resume", "1", "--format", "ndjson"]);
        // What a lost guard had is nobody's to begin again.
        let guard_dies = matches!(&self.again, Second::Point(point) if point.starts_with("guard."));
        if self.rerun == Rerun::Safe && !guard_dies {
            assert_eq!(ended.rc(), 0, "{}", ended.err);
        }
        self.check_listed(&before, &ended.err);
        self.told.extend(ended.lines);
    }

    /// The recovery dies as well, if it does not come to its end before.
    fn kill_again(&mut self, took: Duration) -> bool {
        let args = ["resume", "1", "--format", "ndjson"];
        let ended = match &self.again {
            Second::Nothing => return false,
            Second::At(at) => {
                let running = self.world.start(&args);
                std::thread::sleep(took * u32::try_from(*at).unwrap() / 1_000_000);
                kill_9(running.pid());
                running.ended()
            }
            Second::Point(point) => self.world.start_with(&args, &[(super::points::VARIABLE, point)]).ended(),
        };
        self.told.extend(ended.lines);
        ended.status.code().is_none()
    }

    fn resume(&self, args: &[&str]) -> Ended {
        let ended = self.world.run(args);
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        self.check_swept();
        ended
    }

    /// Without a team nothing was asked yet that could go on.
    fn has_team(&self) -> bool {
        !self.world.state(1).teams.is_empty()
    }

    fn is_completed(&self) -> bool {
        let board = self.world.board(1);
        !board.is_empty()
            && board.iter().all(|(_, status, _)| *status == Status::Completed)
            && self.world.state(1).run.closed.is_some()
    }

    fn is_unfinished(&self) -> bool {
        self.has_team() && self.world.board(1).iter().any(|(_, status, _)| *status != Status::Completed)
    }

    fn check_swept(&self) {
        let until = Instant::now() + SWEPT;
        loop {
            let left = self.world.sandbox.survivors();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "alive 2 s later: {left:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Old or new, and never torn.
    fn check_files(&self) {
        let text = self.world.sandbox.read("notes/w.md");
        let whole = text.is_empty() || text == page("one") || text == page("two");
        assert!(whole, "torn: {} bytes", text.len());
    }

    /// Each process that was live is listed by the recovery as what it is.
    fn check_listed(&mut self, before: &[Fact], err: &str) {
        let live = Live::at_the_end_of(before);
        for (label, is_asked) in live.processes(before) {
            let word = match (self.rerun, is_asked) {
                (Rerun::Ask, false) => "unknown",
                (Rerun::Safe, false) => "interrupted",
                // Its checks run again, and nothing of it was lost.
                (_, true) => continue,
            };
            let is_listed = |line: &str| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words.get(1..3) == Some(&[word, label.as_str()])
            };
            assert!(err.lines().any(is_listed), "{label} is not listed as {word}:\n{err}");
            self.counts.add(word, 1);
        }
    }

    /// Everything, once nothing is left to be done.
    pub fn check(&mut self, whole: &Board) {
        let facts = self.world.facts(1);
        self.counts.add("facts told", check_told(&facts, &self.told));
        let ledger = Ledger::read(&self.world.root());
        ledger.check_once();
        self.counts.add("attempts", ledger.attempts().len() as u64);
        check_ledger(&facts, &ledger);
        check_choices(&facts);
        if self.has_team() {
            assert_eq!(board(&self.world.state(1)), *whole);
            assert_eq!(self.world.sandbox.read("notes/w.md"), page("two"));
            self.check_outputs(&facts);
        } else {
            self.counts.add("before the team", 1);
            assert!(ledger.begun.is_empty());
            self.check_new_run();
        }
        self.check_swept();
    }

    /// What an owner left that came to nothing is in nobody's way.
    fn check_new_run(&self) {
        let ran = self.world.run(&["runs"]);
        assert_eq!(ran.rc(), 0, "{}", ran.err);
        let ran = self.world.run(&["--script", "ci.toml"]);
        assert_eq!(ran.rc(), 0, "{}", ran.err);
    }

    /// What was marked is there.
    fn check_outputs(&self, facts: &[Fact]) {
        let run = self.world.run_dir(1).unwrap();
        let numbers: String = (1..=300).map(|number| format!("{number}\n")).collect();
        let expected = numbers + "b\n";
        for fact in facts {
            let Event::OutputMarked(mark) = &fact.event else { continue };
            let out = std::fs::read(run.attempt_path(mark.attempt.0).join("out")).unwrap_or_default();
            assert!(out.len() as u64 >= mark.bytes, "{} of {} marked bytes", out.len(), mark.bytes);
            let is_lost =
                |fact: &Fact| matches!(&fact.event, Event::OutputLost(e) if e.attempt == mark.attempt);
            if label_of(facts, mark.attempt).as_deref() == Some("b") && !facts.iter().any(is_lost) {
                assert!(expected.as_bytes().starts_with(&out), "the output of b is not what it printed");
            }
        }
    }
}
