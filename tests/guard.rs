//! The process guard with real processes: how children end, what is swept, and that nothing outlives its owner.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use teamtui::agent::guard::{Child, Exit, Guard, MARKER, Sig, Spawn, SpawnError, Stdin, sweep_marked};
use teamtui::agent::process::{Finished, Stopped, Stream, copy_output, stop};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

/// No test waits longer than this for something that must happen at once.
const PATIENCE: Duration = Duration::from_secs(20);

fn guard() -> Guard {
    Guard::start(Path::new(env!("CARGO_BIN_EXE_teamtui"))).unwrap()
}

/// A marker prefix that only this test and process use.
fn run(test: &str) -> String {
    format!("{test}-{}.", std::process::id())
}

fn spawn(attempt: u64, argv: &[&str]) -> Spawn {
    Spawn {
        attempt,
        argv: argv.iter().map(OsString::from).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), (MARKER.into(), format!("test.{attempt}").into())],
        cwd: PathBuf::from("/"),
        stdin: Stdin::Null,
    }
}

fn sh(attempt: u64, script: &str) -> Spawn {
    spawn(attempt, &["sh", "-c", script])
}

async fn finish(guard: &Guard, child: Child) -> (Finished, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut sink = |stream, bytes: &[u8]| match stream {
        Stream::Out => out.extend_from_slice(bytes),
        Stream::Err => err.extend_from_slice(bytes),
    };
    let finished = timeout(PATIENCE, copy_output(guard, child, &mut sink)).await.unwrap();
    (finished, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

async fn finish_sh(guard: &Guard, script: &str) -> (Finished, String, String) {
    let child = guard.spawn(sh(1, script)).await.unwrap();
    finish(guard, child).await
}

/// Reads one line of a child's output, as a sign that it got so far.
async fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    while !line.ends_with('\n') {
        let byte = timeout(PATIENCE, child.stdout.read_u8()).await.unwrap().unwrap();
        line.push(char::from(byte));
    }
    line.trim().to_owned()
}

fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

async fn gone(pid: &str) {
    let end = Instant::now() + PATIENCE;
    while lives(pid) {
        assert!(Instant::now() < end, "process {pid} outlived its owner");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_child_ends_with_its_code_or_its_signal() {
    let guard = guard();
    assert_eq!(finish_sh(&guard, "exit 0").await.0, Finished { exit: Exit::Code(0), swept: 0 });
    assert_eq!(finish_sh(&guard, "exit 41").await.0.exit, Exit::Code(41));
    assert_eq!(finish_sh(&guard, "kill -TERM $$").await.0.exit, Exit::Signal(15));
    assert_eq!(finish_sh(&guard, "kill -KILL $$").await.0.exit, Exit::Signal(9));
}

#[tokio::test]
async fn a_child_is_named_by_its_pid() {
    let guard = guard();
    let mut child = guard.spawn(sh(1, "echo $$; exec sleep 60")).await.unwrap();
    assert_eq!(first_line(&mut child).await, child.pid.to_string());
    assert_eq!(guard.count().await, 1);
    guard.close().await;
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let guard = guard();
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "text").unwrap();
    let refused = async |argv: &[&str], cwd: &Path| {
        guard.spawn(Spawn { cwd: cwd.into(), ..spawn(1, argv) }).await.unwrap_err()
    };
    let root = Path::new("/");
    assert!(matches!(refused(&["no-such-program"], root).await, SpawnError::NotFound { .. }));
    assert!(matches!(refused(&["/no/such/program"], root).await, SpawnError::NotFound { .. }));
    assert!(matches!(refused(&[], root).await, SpawnError::NotFound { .. }));
    assert!(matches!(refused(&[""], root).await, SpawnError::NotFound { .. }));
    assert!(matches!(refused(&[plain.to_str().unwrap()], root).await, SpawnError::Denied { .. }));
    assert!(matches!(refused(&["true"], &folder.path().join("gone")).await, SpawnError::Folder { .. }));
    assert!(matches!(refused(&["true"], &plain).await, SpawnError::Folder { .. }));
    let said = refused(&["true"], Path::new("/gone")).await.to_string();
    assert_eq!(said, "cannot start `true` in `/gone`: No such file or directory (os error 2); check `cwd`");
    assert_eq!(finish_sh(&guard, "exit 3").await.0.exit, Exit::Code(3), "the number is free again");
}

#[tokio::test]
async fn a_program_is_found_on_the_path_of_its_own_environment() {
    let guard = guard();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("here");
    std::fs::write(&program, "#!/bin/sh\necho \"$0 in $(pwd)\"\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("/nowhere:{}", folder.path().display());
    let env = vec![("PATH".into(), format!("{path}:/bin:/usr/bin").into())];
    let cwd = folder.path().canonicalize().unwrap();
    let child = guard.spawn(Spawn { env, cwd: cwd.clone(), ..spawn(1, &["here"]) }).await.unwrap();
    let (_, out, _) = finish(&guard, child).await;
    assert_eq!(out, format!("{} in {}\n", program.display(), cwd.display()));
    let child = guard.spawn(Spawn { cwd, ..spawn(1, &["./here"]) }).await.unwrap();
    assert!(finish(&guard, child).await.1.starts_with("./here in "));
}

#[tokio::test]
async fn the_environment_is_only_what_was_given() {
    let guard = guard();
    let env = vec![("ONLY".into(), "this".into())];
    let child = guard.spawn(Spawn { env, ..spawn(1, &["/usr/bin/env"]) }).await.unwrap();
    assert_eq!(finish(&guard, child).await.1, "ONLY=this\n");
}

#[tokio::test]
async fn a_megabyte_of_environment_arrives_and_more_than_the_kernel_takes_is_refused() {
    let guard = guard();
    let env = |entries: usize| -> Vec<(OsString, OsString)> {
        let mut env = spawn(1, &[]).env;
        env.extend((0..entries).map(|at| (format!("V{at}").into(), "x".repeat(100_000).into())));
        env
    };
    let script = "env | grep -c ^V; env | wc -c";
    let child = guard.spawn(Spawn { env: env(11), ..sh(1, script) }).await.unwrap();
    let (_, out, err) = finish(&guard, child).await;
    let numbers: Vec<u64> = out.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert_eq!(numbers[0], 11, "{err}");
    assert!(numbers[1] > 1_100_000);
    for entries in [70, 100] {
        let refused = guard.spawn(Spawn { env: env(entries), ..spawn(1, &["true"]) }).await.unwrap_err();
        assert!(matches!(refused, SpawnError::TooLong { .. }), "{refused}");
    }
    let word = "y".repeat(120_000);
    let argv = ["printf", "%s", &word, &word, &word, &word, &word];
    let child = guard.spawn(spawn(1, &argv)).await.unwrap();
    assert_eq!(finish(&guard, child).await.1.len(), 600_000);
}

#[tokio::test]
async fn stdin_is_empty_or_the_bytes_given_and_unread_bytes_are_no_error() {
    let guard = guard();
    assert_eq!(finish_sh(&guard, "cat; echo end").await.1, "end\n");
    let bytes = vec![b'z'; 300_000];
    let child = guard.spawn(Spawn { stdin: Stdin::Bytes(bytes.clone()), ..sh(1, "wc -c") }).await.unwrap();
    assert_eq!(finish(&guard, child).await.1.trim(), "300000");
    let child = guard.spawn(Spawn { stdin: Stdin::Bytes(bytes), ..sh(1, "exit 5") }).await.unwrap();
    assert_eq!(finish(&guard, child).await.0.exit, Exit::Code(5));
}

#[tokio::test]
async fn a_child_has_no_terminal_leads_its_group_and_has_every_signal_at_its_default() {
    let guard = guard();
    let (finished, _, err) = finish_sh(&guard, "echo x >/dev/tty").await;
    assert_ne!(finished.exit, Exit::Code(0), "{err}");
    let script = "grep -E '^(SigIgn|SigBlk)' /proc/self/status; echo $$; cut -d' ' -f5,7 /proc/$$/stat";
    let (_, out, _) = finish_sh(&guard, script).await;
    let words: Vec<&str> = out.split_whitespace().collect();
    assert_eq!((words[0], words[2]), ("SigBlk:", "SigIgn:"));
    // Bit n is signal n + 1; the real-time signals from 32 on are the starter's own affair.
    let standard = |word: &str| u64::from_str_radix(word, 16).unwrap() & 0x7fff_ffff;
    assert_eq!((standard(words[1]), standard(words[3])), (0, 0));
    assert_eq!(words[4], words[5], "process group");
    assert_eq!(words[6], "0", "terminal");
}

#[tokio::test]
async fn a_child_holds_no_descriptor_but_its_three_streams() {
    let guard = guard();
    let (_, out, _) = finish_sh(&guard, "ls /proc/$$/fd").await;
    assert_eq!(out.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2"]);
}

#[tokio::test]
async fn a_number_is_taken_until_its_child_has_ended() {
    let guard = guard();
    let _child = guard.spawn(sh(1, "sleep 60")).await.unwrap();
    let refused = guard.spawn(sh(1, "true")).await.unwrap_err();
    assert!(matches!(refused, SpawnError::Busy { attempt: 1, .. }));
    assert_eq!(stop(&guard, 1, Sig::Term, PATIENCE).await, Stopped::Obeyed);
    guard.sweep(1).await;
    assert_eq!(finish_sh(&guard, "exit 0").await.0.exit, Exit::Code(0));
}

/// The sleepers below print their pid first, so the test knows whom to look for; the others end only after that.
const DETACHED: [(&str, &str); 4] = [
    ("background", "sleep 60 & echo $!; echo done; exit 0"),
    ("setsid", "setsid sleep 60 & until pgrep -n -P $$ sleep; do :; done; echo done; exit 0"),
    (
        "double fork",
        "f=$(mktemp -u); mkfifo $f; (setsid sh -c 'echo $$; : >'$f'; exec sleep 60' &); : <$f; rm $f; echo done; exit 0",
    ),
    (
        "hidden",
        "f=$(mktemp -u); mkfifo $f; (env -i setsid sh -c 'echo $$; : >'$f'; exec sleep 60' &); : <$f; rm $f; echo done; exit 0",
    ),
];

#[tokio::test]
async fn c023_a_background_process_neither_delays_the_end_nor_survives_it() {
    let guard = guard();
    for (kind, script) in DETACHED {
        // The sleeper sleeps longer than anyone here waits.
        let (finished, out, err) = finish_sh(&guard, script).await;
        assert_eq!(finished.exit, Exit::Code(0), "{kind}: {err}");
        assert!(finished.swept >= 1, "{kind}");
        let (pid, done) = out.trim().split_once('\n').unwrap();
        assert_eq!(done, "done", "{kind}");
        assert!(!lives(pid), "{kind}");
    }
    assert_eq!(guard.count().await, 0);
}

#[tokio::test]
async fn c023_what_a_background_process_writes_before_it_is_swept_is_kept() {
    let guard = guard();
    let (finished, out, _) =
        finish_sh(&guard, "(while kill -0 $$ 2>/dev/null; do :; done; echo late; sleep 60) & exit 4").await;
    assert_eq!((finished.exit, out.as_str()), (Exit::Code(4), "late\n"));
}

#[tokio::test]
async fn sweeping_one_attempt_leaves_the_detached_processes_of_another() {
    let guard = guard();
    let detach = "(setsid sh -c 'echo $$; exec sleep 60' &) ; sleep 60";
    let mut one = guard.spawn(sh(1, detach)).await.unwrap();
    let mut two = guard.spawn(sh(2, detach)).await.unwrap();
    let (first, second) = (first_line(&mut one).await, first_line(&mut two).await);
    assert!(guard.sweep(1).await >= 2);
    assert_eq!(timeout(PATIENCE, one.exit).await.unwrap().exit, Exit::Signal(9));
    assert!(!lives(&first));
    assert!(lives(&second));
    assert!(lives(&two.pid.to_string()));
    assert!(guard.sweep(2).await >= 2);
    assert!(!lives(&second));
    assert_eq!(guard.count().await, 0);
    assert_eq!(guard.sweep(2).await, 0);
}

#[tokio::test]
async fn r21_a_tree_that_obeys_is_stopped_by_the_signal() {
    let guard = guard();
    let mut child = guard
        .spawn(sh(1, "trap 'echo bye; exit 7' INT; echo up; while :; do sleep 0.05; done"))
        .await
        .unwrap();
    first_line(&mut child).await;
    let copy = async { finish(&guard, child).await };
    let (stopped, (finished, out, _)) = tokio::join!(stop(&guard, 1, Sig::Int, PATIENCE), copy);
    assert_eq!(stopped, Stopped::Obeyed);
    assert_eq!((finished.exit, out.as_str()), (Exit::Code(7), "bye\n"));
}

#[tokio::test]
async fn r21_a_tree_that_ignores_the_signal_is_killed_after_the_grace() {
    let guard = guard();
    let script = "trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo $!; wait; while :; do sleep 1; done";
    let mut child = guard.spawn(sh(1, script)).await.unwrap();
    let pid = first_line(&mut child).await;
    let copy = async { finish(&guard, child).await };
    let grace = Duration::from_millis(200);
    let (stopped, (finished, ..)) = tokio::join!(stop(&guard, 1, Sig::Term, grace), copy);
    assert_eq!(stopped, Stopped::Killed);
    assert_eq!(finished.exit, Exit::Signal(9));
    assert!(!lives(&pid));
    assert_eq!(guard.count().await, 0);
}

#[tokio::test]
async fn fifty_megabytes_of_output_arrive_and_timers_fire_meanwhile() {
    let guard = guard();
    let child = guard.spawn(sh(1, "head -c 50000000 /dev/zero; head -c 1000 /dev/zero >&2")).await.unwrap();
    let (mut out, mut err, mut ticks) = (0, 0, 0);
    let mut sink = |stream, bytes: &[u8]| match stream {
        Stream::Out => out += bytes.len(),
        Stream::Err => err += bytes.len(),
    };
    let ticking = async {
        let mut tick = tokio::time::interval(Duration::from_millis(1));
        loop {
            tick.tick().await;
            ticks += 1;
        }
    };
    let finished = tokio::select! {
        finished = copy_output(&guard, child, &mut sink) => finished,
        () = ticking => panic!("a clock does not end"),
    };
    assert_eq!(finished.exit, Exit::Code(0));
    assert_eq!((out, err), (50_000_000, 1000));
    assert!(ticks > 1);
}

#[tokio::test]
async fn c026_nothing_outlives_an_owner_whose_socket_closes() {
    for close in [true, false] {
        let guard = guard();
        let detach = "trap '' TERM HUP; (env -i setsid sh -c 'echo $$; exec sleep 60' &) ; sleep 60";
        let mut children = Vec::new();
        let mut pids = vec![guard.pid().to_string()];
        for attempt in 0..4 {
            let mut child = guard.spawn(sh(attempt, detach)).await.unwrap();
            pids.extend([first_line(&mut child).await, child.pid.to_string()]);
            children.push(child);
        }
        if close {
            guard.close().await;
            assert!(pids.iter().all(|pid| !lives(pid)));
            assert!(!guard.alive());
        } else {
            drop(guard);
        }
        for pid in pids {
            gone(&pid).await;
        }
        for child in children {
            assert_eq!(timeout(PATIENCE, child.exit).await.unwrap().exit, Exit::Signal(9));
        }
    }
}

#[tokio::test]
async fn the_guard_ignores_the_signals_of_a_terminal() {
    let guard = guard();
    let mut child = guard.spawn(sh(1, "echo up; read line; exit 6")).await.unwrap();
    assert_eq!(timeout(PATIENCE, &mut child.exit).await.unwrap().exit, Exit::Code(6));
    for signal in ["TERM", "INT", "HUP", "QUIT"] {
        let kill = format!("kill -{signal} {}", guard.pid());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }
    assert_eq!(finish_sh(&guard, "exit 8").await.0.exit, Exit::Code(8));
    assert!(guard.alive());
}

#[tokio::test]
async fn a_killed_guard_is_noticed_and_what_it_left_is_ended() {
    let guard = guard();
    let marker = |spawn: Spawn| Spawn {
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            (MARKER.into(), format!("{}{}", run("lost"), spawn.attempt).into()),
        ],
        ..spawn
    };
    let detach = "(setsid sh -c 'echo $$; exec sleep 60' &) ; sleep 60";
    let mut live = guard.spawn(marker(sh(1, detach))).await.unwrap();
    let detached = first_line(&mut live).await;
    let mut ended = guard.spawn(marker(sh(2, "setsid sleep 60 & echo $!"))).await.unwrap();
    let left = first_line(&mut ended).await;
    assert!(timeout(PATIENCE, &mut ended.exit).await.unwrap().left);

    let kill = format!("kill -KILL {}", guard.pid());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let pid = live.pid.to_string();
    let (finished, ..) = finish(&guard, live).await;
    assert_eq!(finished.exit, Exit::GuardLost);
    for pid in [pid, detached, left] {
        assert!(!lives(&pid));
    }
    assert!(!guard.alive());
    assert!(matches!(guard.spawn(sh(3, "true")).await, Err(SpawnError::GuardLost { .. })));
    assert_eq!((guard.sweep(2).await, guard.count().await), (0, 0));
    assert_eq!(finish_sh(&self::guard(), "exit 9").await.0.exit, Exit::Code(9), "a new guard serves");
    assert!(sweep_marked(&run("lost")).is_empty());
}

#[tokio::test]
async fn a_program_nobody_waits_for_any_longer_is_ended() {
    let guard = guard();
    {
        let spawn = guard.spawn(sh(1, "sleep 60"));
        tokio::pin!(spawn);
        // Polled once: the request is sent, the answer is not there yet.
        assert!(futures::poll!(spawn.as_mut()).is_pending());
    }
    timeout(PATIENCE, guard.ended(1)).await.unwrap();
    guard.sweep(1).await;
    assert_eq!(guard.count().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_at_once_each_get_their_own_end_and_output() {
    let guard = guard();
    let children = (0..200).map(|attempt| {
        let guard = guard.clone();
        tokio::spawn(async move {
            let script = format!("echo {attempt}; exit {}", attempt % 100);
            let child = guard.spawn(sh(attempt, &script)).await.unwrap();
            let (finished, out, _) = finish(&guard, child).await;
            assert_eq!(finished, Finished { exit: Exit::Code((attempt % 100) as i32), swept: 0 });
            assert_eq!(out, format!("{attempt}\n"));
        })
    });
    for child in children.collect::<Vec<_>>() {
        child.await.unwrap();
    }
    assert_eq!(guard.count().await, 0);
}

/// Microseconds of one `true` through the guard against one started directly, alternating.
///
/// `cargo test --release --test guard -- --ignored --nocapture what_a_process_costs`
#[test]
#[ignore = "a measurement, to be run alone and in release"]
fn what_a_process_costs() {
    // In blocks, as a chain of tasks runs: each kind with its own caches warm, all under the same load.
    const BLOCKS: u64 = 30;
    const BLOCK: u64 = 100;
    let current = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let guarded = |runtime: &tokio::runtime::Runtime, number: u64, guard: &Guard| {
        let guard = guard.clone();
        let whole = async move {
            let child = guard.spawn(spawn(number, &["/usr/bin/true"])).await.unwrap();
            let finished = copy_output(&guard, child, &mut |_, _: &[u8]| ()).await;
            assert_eq!(finished, Finished { exit: Exit::Code(0), swept: 0 });
        };
        runtime.block_on(async { tokio::spawn(whole).await.unwrap() });
    };
    let guards = [&current, &threads].map(|runtime| runtime.block_on(async { guard() }));
    let mut costs = [const { Vec::new() }; 4];
    for _ in 0..BLOCKS {
        costs[0].extend((0..BLOCK).map(|_| cost(|| assert!(bare().status().unwrap().success()))));
        costs[1].extend((0..BLOCK).map(|_| cost(|| assert!(direct().output().unwrap().status.success()))));
        costs[2].extend((0..BLOCK).map(|number| cost(|| guarded(&current, number, &guards[0]))));
        costs[3].extend((0..BLOCK).map(|number| cost(|| guarded(&threads, number, &guards[1]))));
    }
    let kinds = ["direct, no pipes", "direct, two pipes", "guard, one thread", "guard, two threads"];
    for (kind, mut costs) in kinds.into_iter().zip(costs) {
        costs.sort_unstable();
        let [low, middle, high] = [10, 50, 90].map(|percent| costs[costs.len() * percent / 100]);
        println!("{kind:20} p10 {low:5} us  median {middle:5} us  p90 {high:5} us");
    }
}

fn bare() -> std::process::Command {
    let mut command = direct();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn direct() -> std::process::Command {
    let mut command = std::process::Command::new("/usr/bin/true");
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/").stdin(Stdio::null());
    command
}

fn cost(work: impl FnOnce()) -> u128 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_micros()
}
