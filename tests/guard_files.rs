//! No descriptor stays open, in the owner or in its guard. Alone in its process, so that the count is exact.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs)]
use std::path::Path;

use teamtui::agent::guard::{Exit, Guard, Spawn, Stdin};
use teamtui::agent::process::copy_output;

fn open_files(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

async fn run(guard: &Guard, attempt: u64, program: &str) -> Option<Exit> {
    let spawn = Spawn {
        attempt,
        argv: vec![program.into(), "-c".into(), "cat >/dev/null; exit 1".into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: "/".into(),
        stdin: Stdin::Bytes(vec![b'x'; 40_000]),
    };
    let child = guard.spawn(spawn).await.ok()?;
    Some(copy_output(guard, child, &mut |_, _: &[u8]| ()).await.exit)
}

#[tokio::test]
async fn no_descriptor_is_left_open_after_two_hundred_spawns() {
    let guard = Guard::start(Path::new(env!("CARGO_BIN_EXE_teamtui"))).unwrap();
    let count = async || {
        // Its answer comes after all that was asked before.
        guard.count().await;
        (open_files(std::process::id()), open_files(guard.pid()))
    };
    assert_eq!(run(&guard, 0, "/bin/sh").await, Some(Exit::Code(1)));
    let before = count().await;
    for attempt in 1..=200 {
        assert_eq!(run(&guard, attempt, "/bin/sh").await, Some(Exit::Code(1)));
        assert_eq!(run(&guard, attempt, "/no/such/program").await, None);
    }
    assert_eq!(count().await, before);
}
