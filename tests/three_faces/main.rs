//! The same team by a script, by `teamtui do` line by line, and by keys in the screen: the same facts.
//!
//! Compared per task and per sender; ids, times, whose hands gave the command and marks of output are left out.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice, missing_docs)]
mod face;
mod log;
mod screen;

use face::Face;
use log::Story;

#[test]
fn a_script_single_commands_and_keys_lead_to_the_same_facts() {
    let by_script = std::thread::spawn(|| Face::new().by_script());
    let by_do = std::thread::spawn(|| Face::new().by_do());
    let by_keys = Face::new().by_keys();
    let (by_script, by_do) = (by_script.join().unwrap(), by_do.join().unwrap());
    let tasks = ["churn", "style", "security", "perf", "summary", "perf2"];
    for task in tasks {
        let facts = by_script.tasks.get(task).unwrap_or_else(|| panic!("{task} is not in {by_script:?}"));
        assert!(!facts.is_empty(), "nothing happened to {task}");
    }
    assert!(by_script.senders.len() >= 2, "{by_script:?}");
    same("teamtui do", &by_script, &by_do);
    same("the screen", &by_script, &by_keys);
}

fn same(face: &str, one: &Story, other: &Story) {
    assert_eq!(one.tasks, other.tasks, "facts of a task differ by {face}");
    assert_eq!(one.senders, other.senders, "facts of a sender differ by {face}");
}
