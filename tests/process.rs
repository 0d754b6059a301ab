//! The process driver and checks with real processes: what they are handed, what they leave, how they are ended.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use teamtui::agent::guard::{Guard, MARKER, Spawn, Stdin};
use teamtui::agent::process::copy_output;
use teamtui::agent::{Baseline, Checks, Inherited, Looked, Order, Place, Render, Seat, check, sit};
use teamtui::domain::limits::CHECK_TIME_MS;
use teamtui::domain::port::{Channel, Later, Output, Port};
use teamtui::domain::{
    AgentSpec, Asked, AttemptEnd, AttemptId, CheckJob, Code, Driver, EndCause, Input, Job, Line, Name,
    Purpose, Rejection, Reply, Seq, State, StopCause, StopSignal, TaskNo, TeamId, Token, spec,
};
use teamtui::text::Untrusted;
use tokio::sync::watch;
use tokio::time::timeout;

/// No test waits longer than this for something that must happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Processes ask nothing of the owner here.
struct Silent;

impl Port for Silent {
    fn submit(&self, _: Asked) -> Later<Result<Reply, Rejection>> {
        Box::pin(async { Err(Rejection::new(Code::NotYours, "nobody asks here")) })
    }

    fn hang(&self, _: AttemptId) -> Later<()> {
        Box::pin(std::future::pending())
    }

    fn snapshot(&self) -> Later<Arc<State>> {
        Box::pin(async { Arc::new(State::default()) })
    }
}

impl Render for Silent {
    fn read(&self, _: &State, _: TeamId, _: &teamtui::verbs::Read) -> Vec<String> {
        Vec::new()
    }

    fn report(&self, _: &State, _: TeamId) -> Vec<String> {
        Vec::new()
    }
}

/// What was printed, by channel.
#[derive(Default)]
struct Printed {
    bytes: Mutex<[Vec<u8>; 3]>,
    more: tokio::sync::Notify,
}

impl Printed {
    fn of(&self, channel: Channel) -> Vec<u8> {
        self.bytes.lock().unwrap()[channel as usize].clone()
    }

    fn text(&self, channel: Channel) -> String {
        String::from_utf8(self.of(channel)).unwrap()
    }

    async fn line(&self) -> String {
        let printed = async {
            loop {
                let more = self.more.notified();
                let text = self.text(Channel::Out);
                if let Some((line, _)) = text.split_once('\n') {
                    return line.to_owned();
                }
                more.await;
            }
        };
        timeout(PATIENCE, printed).await.unwrap()
    }
}

impl Output for Printed {
    fn write(&self, channel: Channel, bytes: &[u8]) {
        self.bytes.lock().unwrap()[channel as usize].extend_from_slice(bytes);
        self.more.notify_waiters();
    }
}

/// A folder with a workspace, a guard, and an attempt to be run in them.
struct Bench {
    folder: tempfile::TempDir,
    guard: Guard,
    job: Job,
    printed: Arc<Printed>,
    inherited: Vec<(String, String)>,
}

impl Bench {
    fn new(line: &str) -> Self {
        Self::of(Line::Run(line.to_owned()), spec::Stdin::Null)
    }

    fn of(line: Line, stdin: spec::Stdin) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("ws");
        std::fs::create_dir(&workspace).unwrap();
        let name = |text| Name::reference(text).unwrap();
        let job = Job {
            attempt: AttemptId(7),
            token: Token(0xabc),
            team: TeamId(1),
            team_name: name("auth-review"),
            member: name("style"),
            purpose: Purpose::Task(TaskNo(2)),
            nth: 1,
            label: "style".into(),
            agent: AgentSpec::new(Driver::Process { line, stdin }),
            workspace: workspace.to_str().unwrap().to_owned(),
            env: Vec::new(),
            prompt: "You are style.\n".into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            due_ms: None,
        };
        let guard = Guard::start(Path::new(env!("CARGO_BIN_EXE_teamtui"))).unwrap();
        let inherited = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        Self { folder, guard, job, printed: Arc::default(), inherited }
    }

    fn place(&self) -> Place {
        let at = |name: &str| self.folder.path().canonicalize().unwrap().join(name);
        Place {
            folder: at("attempts/7"),
            memory: PathBuf::new(),
            scratch: at("scratch/style"),
            socket: at("owner.sock"),
            exe_folder: PathBuf::from("/opt/teamtui/bin"),
            // Of this bench alone: the loss of a guard ends all that carry its marker.
            marker: format!("bench-{}.", self.folder.path().file_name().unwrap().to_str().unwrap()),
            run: "48".into(),
        }
    }

    fn inherited(&self) -> Arc<Inherited> {
        Arc::new(self.inherited.iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    fn seat(&self, orders: watch::Receiver<Order>) -> Seat {
        Seat {
            job: self.job.clone(),
            port: Arc::new(Silent),
            output: self.printed.clone(),
            render: Arc::new(Silent),
            orders,
            seq: watch::channel(Seq(0)).1,
            place: self.place(),
            inherited: self.inherited(),
            guard: Some(self.guard.clone()),
            gate: teamtui::agent::Gate::opened(),
        }
    }

    async fn sit(&self) -> AttemptEnd {
        let orders = watch::channel(Order::Run).1;
        timeout(PATIENCE, sit(self.seat(orders))).await.unwrap()
    }

    /// Runs it, gives an order as soon as it has printed a line, and says how long it then took.
    async fn ordered(&self, order: Order) -> (AttemptEnd, Duration) {
        let (orders, heard) = watch::channel(Order::Run);
        let sitting = tokio::spawn(sit(self.seat(heard)));
        self.printed.line().await;
        let begin = Instant::now();
        orders.send_replace(order);
        let end = timeout(PATIENCE, sitting).await.unwrap().unwrap();
        (end, begin.elapsed())
    }

    fn checks(&self, outputs: &[&str], checks: &[&str]) -> Checks {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let job = CheckJob {
            attempt: Some(self.job.attempt),
            team: self.job.team,
            team_name: self.job.team_name.clone(),
            workspace: self.job.workspace.clone(),
            env: self.job.env.clone(),
            outputs: owned(outputs),
            checks: owned(checks),
        };
        Checks {
            baseline: Baseline::of(Path::new(&job.workspace), &job.outputs),
            job,
            guard: Some(self.guard.clone()),
            number: 1 << 63,
            place: self.place(),
            inherited: self.inherited(),
            time_ms: CHECK_TIME_MS,
            output: self.printed.clone(),
            orders: watch::channel(Order::Run).1,
        }
    }

    async fn check(&self, checks: Checks) -> Looked {
        timeout(PATIENCE, check(checks)).await.unwrap()
    }
}

fn stop(grace_ms: u64) -> Order {
    Order::Stop { cause: StopCause::Interrupt, grace_ms }
}

fn raw(refused: &[Untrusted]) -> Vec<&str> {
    refused.iter().map(Untrusted::raw).collect()
}

async fn none_left(guard: &Guard) {
    let end = Instant::now() + PATIENCE;
    while guard.count().await > 0 {
        assert!(Instant::now() < end, "a process is left");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_exit_ends_the_attempt_with_its_code_and_the_end_of_its_output() {
    let bench = Bench::new("echo one; echo two >&2; echo three; exit 3");
    let end = bench.sit().await;
    assert_eq!(end.cause, EndCause::Exit(3));
    assert_eq!(end.result.raw(), "one\nthree");
    assert_eq!(end.output_bytes, 14);
    assert_eq!(end.cost_micros, None);
    assert_eq!(bench.printed.text(Channel::Out), "one\nthree\n");
    assert_eq!(bench.printed.text(Channel::Err), "two\n");
    assert_eq!(bench.printed.text(Channel::Note), "");
}

#[tokio::test]
async fn a_signal_of_its_own_is_told_from_one_that_was_ordered() {
    assert_eq!(Bench::new("kill -SEGV $$").sit().await.cause, EndCause::Signal(11));
    let bench = Bench::new("echo up; exec sleep 60");
    assert_eq!(bench.ordered(stop(20_000)).await.0.cause, EndCause::Stopped);
}

#[tokio::test]
async fn an_argv_needs_no_shell_and_what_cannot_be_started_is_named() {
    let argv = |words: &[&str]| {
        Bench::of(Line::Argv(words.iter().map(|word| (*word).to_owned()).collect()), spec::Stdin::Null)
    };
    let end = argv(&["printf", "%s", "$HOME *"]).sit().await;
    assert_eq!((end.cause, end.result.raw()), (EndCause::Exit(0), "$HOME *"));
    let end = argv(&["no-such-agent", "-p"]).sit().await;
    let EndCause::NotStarted(why) = end.cause else { panic!("{:?}", end.cause) };
    assert_eq!(why.raw(), "cannot start `no-such-agent`: no such program; install it, or give its path");
}

#[tokio::test]
async fn stdin_is_empty_or_the_bytes_of_the_prompt_file() {
    let line = "cat; echo; cmp - \"$TEAMTUI_PROMPT_FILE\" </dev/null || cat \"$TEAMTUI_PROMPT_FILE\"";
    let end = Bench::new(line).sit().await;
    assert!(end.result.raw().ends_with("\nYou are style."), "{:?}", end.result);
    assert!(!end.result.raw().starts_with('Y'));
    let end = Bench::of(Line::Run("cmp - \"$TEAMTUI_PROMPT_FILE\"".into()), spec::Stdin::Prompt).sit().await;
    assert_eq!(end.cause, EndCause::Exit(0));
    let mut bench = Bench::of(Line::Run("wc -c".into()), spec::Stdin::Prompt);
    bench.job.prompt = "x".repeat(3_000_000);
    assert_eq!(bench.sit().await.result.raw().trim(), "3000000");
}

#[tokio::test]
async fn the_environment_is_what_is_allowed_what_is_named_and_what_teamtui_says() {
    let mut bench = Bench::of(Line::Argv(vec!["/usr/bin/env".into()]), spec::Stdin::Null);
    for (name, value) in [
        ("HOME", "/home/u"),
        ("LC_ALL", "C.UTF-8"),
        ("XDG_RUNTIME_DIR", "/run/u"),
        ("TERM", "xterm"),
        ("AWS_SECRET", "s"),
        ("NPM_TOKEN", "n"),
        ("CARGO_HOME", "c"),
        ("CARGO_TERM_COLOR", "always"),
        ("TEAMTUI_TOKEN", "of an outer attempt"),
        ("TEAMTUI_OTHER", "x"),
        ("LD_PRELOAD", "evil.so"),
    ] {
        bench.inherited.push((name.to_owned(), value.to_owned()));
    }
    bench.job.env =
        ["NPM_TOKEN", "CARGO_*", "CI=1", "EMPTY=", "EQ=a=b", "HOME=/else", "GONE", "TEAMTUI_MEMBER=lead"]
            .map(str::to_owned)
            .to_vec();
    let place = bench.place();
    let end = bench.sit().await;
    let mut lines: Vec<&str> = end.result.raw().lines().collect();
    lines.sort_unstable();
    let folder = place.folder.display();
    let mut expected = vec![
        "PATH=/usr/bin:/bin:/opt/teamtui/bin".to_owned(),
        "HOME=/else".into(),
        "LC_ALL=C.UTF-8".into(),
        "XDG_RUNTIME_DIR=/run/u".into(),
        "TERM=dumb".into(),
        "NPM_TOKEN=n".into(),
        "CARGO_HOME=c".into(),
        "CARGO_TERM_COLOR=always".into(),
        "CI=1".into(),
        "EMPTY=".into(),
        "EQ=a=b".into(),
        "TEAMTUI_RUN=48".into(),
        "TEAMTUI_TEAM=auth-review".into(),
        "TEAMTUI_MEMBER=style".into(),
        "TEAMTUI_TASK=style".into(),
        "TEAMTUI_TOKEN=7.0000000000000abc".into(),
        format!("{MARKER}={}7", place.marker),
        format!("TEAMTUI_PROMPT_FILE={folder}.prompt.md"),
        format!("TEAMTUI_INPUTS={folder}"),
        format!("TEAMTUI_RESULT={folder}.result"),
        format!("TEAMTUI_USAGE={folder}.usage.json"),
        format!("TEAMTUI_SCRATCH={}", place.scratch.display()),
        format!("TEAMTUI_SOCKET={}", place.socket.display()),
    ];
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn files_are_handed_out_and_taken_back() {
    let mut bench = Bench::new(
        "cat \"$TEAMTUI_INPUTS\"/*.md; cat \"$TEAMTUI_INPUTS/index.json\"; pwd; touch \"$TEAMTUI_SCRATCH/kept\"; \
         echo 'the result' >\"$TEAMTUI_RESULT\"; echo '{\"cost_usd\": 0.42}' >\"$TEAMTUI_USAGE\"",
    );
    let input = |number, label: &str, text: &str| Input {
        number: TaskNo(number),
        label: label.to_owned(),
        status: "completed".into(),
        attempt: 1,
        text: Some(text.into()),
        confirmed: true,
    };
    bench.job.inputs = vec![input(1, "churn", "a"), input(3, "two words", "b")];
    let end = bench.sit().await;
    assert_eq!((end.result.raw(), end.cost_micros), ("the result", Some(420_000)));
    let out = bench.printed.text(Channel::Out);
    assert!(out.starts_with("b\na\n[{\"task\":\"churn\""), "{out}");
    assert!(out.ends_with(&format!("]{}\n", bench.job.workspace)), "{out}");
    assert!(bench.place().scratch.join("kept").exists());
    let modes = "stat -c %a \"$TEAMTUI_PROMPT_FILE\" \"$TEAMTUI_INPUTS\" \"$TEAMTUI_INPUTS\"/*";
    assert_eq!(Bench::new(modes).sit().await.result.raw(), "600\n700\n600");
}

#[tokio::test]
async fn a_bad_usage_file_is_noted_and_costs_nothing_known() {
    let bench = Bench::new("echo nonsense >\"$TEAMTUI_USAGE\"");
    let end = bench.sit().await;
    assert_eq!((end.cause, end.cost_micros), (EndCause::Exit(0), None));
    assert!(bench.printed.text(Channel::Note).starts_with("$TEAMTUI_USAGE is not read: "));
}

#[tokio::test]
async fn an_attempt_whose_folder_cannot_be_made_does_not_start() {
    let bench = Bench::new("touch started");
    std::fs::write(bench.place().folder.parent().unwrap(), "a file").unwrap();
    let end = bench.sit().await;
    assert!(matches!(end.cause, EndCause::NotStarted(_)), "{:?}", end.cause);
    assert!(!Path::new(&bench.job.workspace).join("started").exists());
}

#[tokio::test]
async fn r21_a_stop_is_the_agents_signal_then_the_grace_then_kill() {
    let mut bench = Bench::new("trap 'echo bye; exit 5' INT; echo up; while :; do sleep 0.02; done");
    bench.job.agent.stop = StopSignal::Int;
    let (end, _) = bench.ordered(stop(20_000)).await;
    assert_eq!((end.cause, end.result.raw()), (EndCause::Exit(5), "up\nbye"));

    let deaf = "trap '' TERM; (setsid sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' &); echo up; while :; do sleep 0.1; done";
    let bench = Bench::new(deaf);
    let (end, took) = bench.ordered(stop(300)).await;
    assert_eq!(end.cause, EndCause::Stopped);
    assert!(took >= Duration::from_millis(300), "{took:?}");
    none_left(&bench.guard).await;
}

#[tokio::test]
async fn r21_a_stricter_stop_overrules_the_one_before() {
    let bench = Bench::new("trap '' TERM; echo up; while :; do sleep 0.1; done");
    let (orders, heard) = watch::channel(Order::Run);
    let sitting = tokio::spawn(sit(bench.seat(heard)));
    bench.printed.line().await;
    orders.send_replace(stop(u64::MAX));
    tokio::task::yield_now().await;
    orders.send_replace(stop(0));
    let end = timeout(PATIENCE, sitting).await.unwrap().unwrap();
    assert_eq!(end.cause, EndCause::Stopped);
}

#[tokio::test]
async fn r21_who_is_let_go_may_exit_by_itself() {
    let bench = Bench::new("echo up; sleep 0.1; exit 4");
    let (end, _) = bench.ordered(Order::LetGo { grace_ms: 20_000 }).await;
    assert_eq!(end.cause, EndCause::Exit(4));
    let bench = Bench::new("echo up; exec sleep 60");
    let (end, took) = bench.ordered(Order::LetGo { grace_ms: 200 }).await;
    assert_eq!(end.cause, EndCause::Stopped);
    assert!(took >= Duration::from_millis(200), "{took:?}");
}

#[tokio::test]
async fn what_is_stopped_before_it_starts_never_starts() {
    let bench = Bench::new("touch started");
    let (_orders, heard) = watch::channel(stop(0));
    assert_eq!(sit(bench.seat(heard)).await.cause, EndCause::Stopped);
    assert!(!Path::new(&bench.job.workspace).join("started").exists());
}

#[tokio::test]
async fn a_lost_guard_is_a_lost_attempt() {
    let bench = Bench::new("echo up; exec sleep 60");
    let (_orders, heard) = watch::channel(Order::Run);
    let sitting = tokio::spawn(sit(bench.seat(heard)));
    bench.printed.line().await;
    let pid = bench.guard.pid().to_string();
    assert!(std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    let end = timeout(PATIENCE, sitting).await.unwrap().unwrap();
    assert_eq!(end.cause, EndCause::Lost);
}

#[tokio::test]
async fn c023_who_leaves_a_process_in_the_background_ends_with_what_was_printed() {
    for line in ["sleep 60 & echo done; exit 0", "setsid sleep 60 & echo done; exit 0"] {
        let bench = Bench::new(line);
        // The sleeper sleeps longer than anyone here waits.
        let end = bench.sit().await;
        assert_eq!((end.cause, end.result.raw()), (EndCause::Exit(0), "done"));
        none_left(&bench.guard).await;
    }
}

#[tokio::test]
async fn c024_a_line_of_12_mib_is_handed_on_whole_and_the_line_after_it_is_the_result() {
    let bench = Bench::new("head -c 12582912 /dev/zero | tr '\\0' x; echo; echo the result");
    let end = bench.sit().await;
    assert_eq!(end.cause, EndCause::Exit(0));
    assert!(end.result.raw().ends_with("x\nthe result"));
    assert_eq!(end.result.len_bytes(), (64 << 10) - 1);
    let out = bench.printed.of(Channel::Out);
    assert_eq!((out.len(), end.output_bytes), (12_582_912 + 12, 12_582_912 + 12));
    assert!(out.starts_with(&[b'x'; 12_582_912]));
}

#[tokio::test]
async fn c025_split_characters_and_binary_arrive_byte_for_byte() {
    let line = "printf '\\342'; sleep 0.1; printf '\\211\\244'; \
                i=0; while [ $i -lt 50 ]; do head -c 1024 /dev/zero | sed 's/\\x0/你/g'; i=$((i+1)); done; \
                printf '\\037\\213\\000\\377\\376'";
    let bench = Bench::new(line);
    let end = bench.sit().await;
    assert_eq!(end.cause, EndCause::Exit(0));
    let expected = ["≤".as_bytes(), "你".repeat(50 * 1024).as_bytes(), b"\x1f\x8b\x00\xff\xfe"].concat();
    assert!(bench.printed.of(Channel::Out) == expected);
    assert!(end.result.raw().ends_with("你\u{1f}\u{fffd}\0\u{fffd}\u{fffd}"));
}

#[tokio::test]
async fn r16_outputs_and_checks_are_all_looked_at() {
    let bench = Bench::new("true");
    let workspace = PathBuf::from(&bench.job.workspace);
    std::fs::write(workspace.join("old.md"), "old").unwrap();
    let checks = bench.checks(
        &["README.md", "old.md", "new.md"],
        &["test -s new.md", "echo broken >&2; exit 101", "kill -KILL $$", "test -z \"$TEAMTUI_TOKEN\""],
    );
    std::fs::write(workspace.join("new.md"), "seven..").unwrap();
    let looked = bench.check(checks).await;
    assert_eq!(
        raw(&looked.refused),
        [
            "output README.md not written",
            "output old.md was there before and has not changed",
            "check refused: echo broken >&2; exit 101  exit 101: broken",
            "check refused: kill -KILL $$  signal 9",
        ]
    );
    assert_eq!(looked.outputs, [("new.md".to_owned(), 7)]);
    assert_eq!(bench.printed.text(Channel::Err), "broken\n");
    assert!(bench.printed.text(Channel::Note).starts_with("check: test -s new.md\n"));
}

#[tokio::test]
async fn r16_checks_that_hold_refuse_nothing() {
    let bench = Bench::new("true");
    assert_eq!(bench.check(bench.checks(&[], &["true", "test -d ."])).await, Looked::default());
    assert_eq!(bench.check(bench.checks(&[], &[])).await, Looked::default());
}

#[tokio::test]
async fn r16_checks_that_are_ordered_to_stop_are_refused_and_leave_nothing() {
    let bench = Bench::new("true");
    let (orders, heard) = watch::channel(Order::Run);
    let checks = Checks {
        orders: heard,
        ..bench.checks(&[], &["echo up; (setsid sleep 60 &); exec sleep 60", "touch begun"])
    };
    let checking = tokio::spawn(check(checks));
    bench.printed.line().await;
    orders.send_replace(stop(0));
    let looked = timeout(PATIENCE, checking).await.unwrap().unwrap();
    assert_eq!(
        raw(&looked.refused),
        ["check cut off: echo up; (setsid sleep 60 &); exec sleep 60", "check cut off: touch begun"]
    );
    assert!(!Path::new(&bench.job.workspace).join("begun").exists());
    none_left(&bench.guard).await;
}

#[tokio::test]
async fn r16_a_check_over_its_time_is_refused_and_the_next_one_runs() {
    let bench = Bench::new("true");
    let checks = Checks { time_ms: 200, ..bench.checks(&[], &["exec sleep 60", "exit 3"]) };
    let looked = bench.check(checks).await;
    assert_eq!(
        raw(&looked.refused),
        ["check over its time, 0.2s: exec sleep 60", "check refused: exit 3  exit 3"]
    );
    none_left(&bench.guard).await;
}

/// Not a test: prints what an attempt costs. `cargo test --release --test process -- --ignored --nocapture cost`
#[tokio::test]
#[ignore = "a measurement"]
async fn cost_of_an_attempt_over_the_bare_spawn() {
    const ROUNDS: u64 = 1000;
    let mut bench = Bench::of(Line::Argv(vec!["/bin/true".into()]), spec::Stdin::Null);
    bench.inherited = std::env::vars().collect();
    bench.job.inputs = vec![Input {
        number: TaskNo(1),
        label: "before".into(),
        status: "completed".into(),
        attempt: 1,
        text: Some("done".into()),
        confirmed: true,
    }];
    let memory = teamtui::agent::memory(&format!("cost-{}", std::process::id()));
    let report = |what: &str, mut times: Vec<Duration>| {
        times.sort_unstable();
        let [p10, p50] = [10, 50].map(|percent| times[times.len() * percent / 100].as_micros());
        println!("{what}: p10 {p10} us, p50 {p50} us");
    };
    // One after the other: what one leaves to be removed must not slow down the next.
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let spawn = Spawn {
            attempt: 1,
            argv: vec!["/bin/true".into()],
            env: vec![("PATH".into(), "/usr/bin:/bin".into()), (MARKER.into(), "cost.1".into())],
            cwd: PathBuf::from(&bench.job.workspace),
            stdin: Stdin::Null,
        };
        let child = bench.guard.spawn(spawn).await.unwrap();
        copy_output(&bench.guard, child, &mut |_, _: &[u8]| {}).await;
        times.push(begin.elapsed());
    }
    report("bare spawn", times);
    for (what, memory) in [("sat, files in memory", memory.as_ref()), ("sat, files on disk", None)] {
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            bench.job.attempt = AttemptId(round + 2);
            let mut seat = bench.seat(watch::channel(Order::Run).1);
            seat.place.folder = bench.folder.path().join(format!("attempts/{round}"));
            seat.place.memory = memory.map(|memory| memory.join(round.to_string())).unwrap_or_default();
            let begin = Instant::now();
            sit(seat).await;
            times.push(begin.elapsed());
        }
        report(what, times);
    }
    if let Some(memory) = memory {
        std::fs::remove_dir_all(memory).unwrap();
    }
}
