//! Lost updates: eight scripted members edit five files in one owner, each write guarded by the hash that was read. Every
//! edit that was acknowledged is in the file; whoever came too late was told of a conflict.
use std::collections::BTreeMap;

use super::world::World;
use super::{Counts, Dice, rounds};
use teamtui::domain::{Event, Fact};

const MEMBERS: u64 = 8;
const FILES: u64 = 5;
/// Edits that each member tries in a round.
const EDITS: u64 = 20;

/// What every file says first.
const BEGIN: &str = "begin";

/// `count` is of edits that each member tries.
pub fn run(seed: u64, count: u64) -> Counts {
    rounds("update", seed, count.div_ceil(EDITS), 2, round)
}

/// A member reads a file and writes it, in attempts that each try one edit: a conflict ends an attempt, and its retry tries
/// the next. Virtual time makes the schedule: everyone waits for so long as its seed says.
fn team(dice: &mut Dice) -> String {
    let mut text = "name = \"u\"\nlimits = { parallel = 8 }\n[members]\n".to_owned();
    for member in 0..MEMBERS {
        let attempts: Vec<String> = (0..EDITS).map(|edit| attempt(dice, member, edit)).collect();
        text += &format!(
            "m{member} = {{ script = [{}], retries = {}, optional = true }}\n",
            attempts.join(", "),
            EDITS - 1
        );
    }
    text
}

/// One edit, and then, so that the next one is tried, a failure.
fn attempt(dice: &mut Dice, member: u64, edit: u64) -> String {
    let file = dice.roll(FILES);
    let mut wait = || format!("'sleep {}ms'", 1 + dice.roll(5));
    let (one, two) = (wait(), wait());
    format!("[{one}, 'read f{file}', {two}, 'write f{file} \"m{member} edit {edit}\"', 'fail next']")
}

fn round(seed: u64) -> Counts {
    let mut dice = Dice(seed);
    let files: Vec<String> = (0..FILES).map(|file| format!("f{file}")).collect();
    let team = team(&mut dice);
    let mut all: Vec<(&str, &str)> = vec![("u.toml", &team)];
    all.extend(files.iter().map(|file| (file.as_str(), BEGIN)));
    let world = World::with(&all);
    // Real time on odd seeds: whatever the machine does is a schedule too.
    let virtual_time: &[&str] = if seed.is_multiple_of(2) { &["--virtual-time"] } else { &[] };
    let ended = world.run(&[&["--script", "u.toml"][..], virtual_time].concat());
    assert!([0, 1].contains(&ended.rc()), "{}", ended.err);
    let facts = world.facts(1);
    let mut counts = chains(&facts, &world);
    counts.add("edits tried", MEMBERS * EDITS);
    counts
}

/// The writes of a file that were acknowledged make one chain from its first text to its last: none is missing.
fn chains(facts: &[Fact], world: &World) -> Counts {
    let mut counts = Counts::default();
    let mut asked = BTreeMap::new();
    let mut after: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for fact in facts {
        match &fact.event {
            Event::EffectAsked(e) => drop(asked.insert(fact.seq, e)),
            Event::EffectSettled(e) => {
                let write = asked.remove(&e.asked).unwrap();
                if e.refused.is_some() {
                    counts.add("told of a conflict", 1);
                    continue;
                }
                counts.add("edits acknowledged", 1);
                let before = write.before.as_deref().unwrap();
                let other = after.entry(&write.path).or_default().insert(before, &write.after);
                assert_eq!(other, None, "two acknowledged edits of the same text of {}", write.path);
            }
            _ => {}
        }
    }
    assert!(asked.is_empty(), "never settled: {asked:?}");
    for (path, mut after) in after {
        let hash = |bytes: &[u8]| teamtui::store::Digest::of(bytes).to_string();
        let mut now = hash(BEGIN.as_bytes());
        while let Some(next) = after.remove(now.as_str()) {
            now = next.to_owned();
        }
        assert!(after.is_empty(), "acknowledged edits of {path} are lost: {after:?}");
        assert_eq!(hash(&std::fs::read(world.root().join(path)).unwrap()), now, "{path}");
    }
    counts
}
