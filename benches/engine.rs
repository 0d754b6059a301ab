//! The parts of the engine's benchmarks that need the library; `engine.py` beside this file runs them and all others.
//!
//! - `engine commits DIR PROJECT`: of the newest run of a project in a state directory: commits and events.
//! - `engine events DIR WAITING SECONDS ROUNDS`: commands through the whole program against bare redb: one transaction
//!   a batch of the same bytes, as one row and as a row an event. Alternating, medians.
//! - `engine grow DIR TASKS MESSAGES EVENTS`: makes a run of so much at least in a state directory, and dies in it.
//! - `engine reopen DIR`: becomes its owner, prints how long that took until something ran again, and dies in it.
//! - `engine floor DIR`: the same store opened by redb alone after such an end, and every row of it read.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use redb::{Database, ReadableDatabase, TableDefinition};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use teamtui::domain::spec::{AgentSpec, Driver, MemberSpec, TaskSpec, TeamSpec};
use teamtui::domain::{Actor, Asked, Command, Limits, Name, RunHeader};
use teamtui::runtime::{Begin, Handle, Owned};
use teamtui::store::{Reader, RunDir, StateDir};
use teamtui::text::Untrusted;

const ROWS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("rows");
/// As the store has it.
const CACHE_BYTES: usize = 8 << 20;

fn main() {
    // `cargo bench` adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["commits", state, project] => commits(Path::new(state), Path::new(project)),
        ["events", dir, waiting, seconds, rounds] => events(
            Path::new(dir),
            waiting.parse().unwrap(),
            Duration::from_secs_f64(seconds.parse().unwrap()),
            rounds.parse().unwrap(),
        ),
        ["grow", dir, tasks, messages, events] => {
            block_on(grow(
                Path::new(dir),
                tasks.parse().unwrap(),
                messages.parse().unwrap(),
                events.parse().unwrap(),
            ));
        }
        ["reopen", dir] => block_on(reopen(Path::new(dir))),
        ["floor", dir] => floor(Path::new(dir)),
        _ => println!("usage: python3 benches/engine.py PEERS"),
    }
}

fn commits(state: &Path, project: &Path) {
    let project = StateDir::new(state).project(project).unwrap();
    let newest = project.runs().unwrap().into_iter().max().unwrap();
    let reader = Reader::open(&project.run(newest).unwrap()).unwrap();
    let (mut commits, mut events) = (0, 0);
    for commit in reader.commits(1).unwrap() {
        commits += 1;
        events += commit.unwrap().records.len();
    }
    println!("commits={commits} events={events}");
}

/// What one round of a contestant gives: events a second, and the bodies of its largest commit.
struct Round {
    per_second: f64,
    bodies: Vec<Vec<u8>>,
}

fn events(dir: &Path, waiting: usize, time: Duration, rounds: usize) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (mut ours, mut row, mut each) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    for round in 0..rounds {
        let state = dir.join(format!("events-{round}"));
        let round = tokio.block_on(whole_program(&state, waiting, time));
        bytes = round.bodies.iter().map(Vec::len).sum::<usize>() / round.bodies.len();
        row.push(bare(&dir.join("row.redb"), time, &[round.bodies.concat()], round.bodies.len()));
        each.push(bare(&dir.join("each.redb"), time, &round.bodies, round.bodies.len()));
        ours.push(round.per_second);
        std::fs::remove_dir_all(state).unwrap();
    }
    let (ours, row, each) = (median(ours), median(row), median(each));
    println!("ours={ours:.0} row={row:.0} each={each:.0} bytes={bytes}");
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap()
}

/// `waiting` callers, each with one command under way, for that long.
async fn whole_program(state: &Path, waiting: usize, time: Duration) -> Round {
    let run = StateDir::new(state).project(Path::new("/")).unwrap().new_run().unwrap();
    let owned = Owned::begin(begin(&run)).await.unwrap();
    let member = member_at_work(&owned.handle).await;
    let until = Instant::now() + time;
    let callers: Vec<_> =
        (0..waiting).map(|_| tokio::spawn(call(owned.handle.clone(), member.clone(), until))).collect();
    let began = Instant::now();
    let mut events = 0;
    for caller in callers {
        events += caller.await.unwrap();
    }
    let per_second = f64::from(events) / began.elapsed().as_secs_f64();
    owned.end().await;
    let reader = Reader::open(&run).unwrap();
    let largest = reader.commits(1).unwrap().map(Result::unwrap).max_by_key(|c| c.records.len()).unwrap();
    Round { per_second, bodies: largest.records.into_iter().map(|record| record.body).collect() }
}

async fn call(handle: Handle, member: Actor, until: Instant) -> u32 {
    let mut events = 0;
    while Instant::now() < until {
        let text = Untrusted::from("reading the modules that refresh tokens");
        let command = Command::Progress { percent: 40, text };
        handle.submit(Asked { actor: member.clone(), team: None, line: None, command }).await.unwrap();
        events += 1;
    }
    events
}

fn block_on(what: impl Future<Output = ()>) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    tokio.block_on(what);
}

fn only_run(dir: &Path) -> RunDir {
    let project = StateDir::new(dir).project(Path::new("/")).unwrap();
    project.run(1).or_else(|_| project.new_run()).unwrap()
}

async fn grow(dir: &Path, tasks: usize, messages: usize, events: u64) {
    let owned = Owned::begin(begin(&only_run(dir))).await.unwrap();
    let ask = |command| Asked { actor: Actor::Person, team: None, line: None, command };
    let mut team = team();
    let first = team.members.pop().unwrap();
    for nth in 0..tasks {
        let name = Name::parse(&format!("m{nth}")).unwrap();
        let brief =
            TaskSpec { name: Some(name.clone()), assignee: Some(name.clone()), ..TaskSpec::default() };
        team.members.push(MemberSpec { name, brief: Some(brief.into()), ..first.clone() });
    }
    owned.handle.submit(ask(Command::Create(Box::new(team)))).await.unwrap();
    let sent = (0..messages).map(|nth| {
        let to = Name::parse(&format!("m{}", nth % tasks)).unwrap();
        let text = Untrusted::from("look at how tokens are refreshed before you go on");
        owned.handle.submit(ask(Command::Send { to: to.to_string(), text }))
    });
    futures::future::try_join_all(sent).await.unwrap();
    let state = owned.handle.snapshot().await.unwrap();
    let attempt = state.live.values().next().unwrap();
    let member = Actor::Member { attempt: attempt.id, token: attempt.token };
    let each = events.saturating_sub(state.seq.0).div_ceil(128);
    let callers = (0..128).map(|_| report(owned.handle.clone(), member.clone(), each));
    futures::future::join_all(callers).await;
    std::process::abort();
}

async fn report(handle: Handle, member: Actor, times: u64) {
    for _ in 0..times {
        let text = Untrusted::from("reading the modules that refresh tokens");
        let command = Command::Progress { percent: 40, text };
        handle.submit(Asked { actor: member.clone(), team: None, line: None, command }).await.unwrap();
    }
}

async fn reopen(dir: &Path) {
    let run = only_run(dir);
    let began = Instant::now();
    let owned = Owned::begin(Begin { header: None, ..begin(&run) }).await.unwrap();
    let state = owned.handle.snapshot().await.unwrap();
    let ms = began.elapsed().as_secs_f64() * 1e3;
    assert!(!state.live.is_empty(), "nothing runs again");
    println!("ms={ms:.1} events={} mb={:.1}", state.seq.0, peak_mb());
    std::process::abort();
}

fn floor(dir: &Path) {
    let copy = dir.join("floor.redb");
    std::fs::copy(only_run(dir).store_path(), &copy).unwrap();
    let began = Instant::now();
    let db = Database::builder().set_cache_size(CACHE_BYTES).create(&copy).unwrap();
    let read = db.begin_read().unwrap();
    let log = read.open_table(TableDefinition::<u64, &[u8]>::new("log")).unwrap();
    let bytes: usize = log.range::<u64>(..).unwrap().map(|row| row.unwrap().1.value().len()).sum();
    println!("ms={:.1} bytes={bytes} mb={:.1}", began.elapsed().as_secs_f64() * 1e3, peak_mb());
    drop(db);
    std::fs::remove_file(copy).unwrap();
}

/// Most memory that this process had, in MB.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

/// A team of one member whose attempt sleeps; what it is asked by.
async fn member_at_work(handle: &Handle) -> Actor {
    let asked =
        Asked { actor: Actor::Script, team: None, line: None, command: Command::Create(Box::new(team())) };
    handle.submit(asked).await.unwrap();
    let state = handle.snapshot().await.unwrap();
    let attempt = state.live.values().next().unwrap();
    Actor::Member { attempt: attempt.id, token: attempt.token }
}

fn team() -> TeamSpec {
    let name = Name::parse("worker").unwrap();
    let brief = TaskSpec { name: Some(name.clone()), assignee: Some(name.clone()), ..TaskSpec::default() };
    let agent = AgentSpec::new(Driver::Scripted(vec![vec!["sleep 1h".to_owned()]]));
    TeamSpec {
        name: Name::parse("bench").unwrap(),
        title: None,
        goal: None,
        file: None,
        workspace: "/".to_owned(),
        env: Vec::new(),
        limits: Limits::default(),
        lead: None,
        agents: std::collections::BTreeMap::new(),
        members: vec![MemberSpec { name, title: None, agent_name: None, agent, brief: Some(brief.into()) }],
        tasks: Vec::new(),
    }
}

fn begin(run: &RunDir) -> Begin {
    let header = RunHeader {
        run: uuid::Uuid::now_v7().to_string(),
        number: Some(1),
        file: None,
        headless: true,
        virtual_time: false,
        retries: None,
        fail_fast: false,
    };
    Begin {
        run: run.clone(),
        header: Some(header),
        command: "bench".to_owned(),
        socket: None,
        member_socket: None,
        exe: PathBuf::from("/proc/self/exe"),
    }
}

/// Events a second of a loop of durable transactions, each with these rows.
fn bare(path: &Path, time: Duration, rows: &[Vec<u8>], events: usize) -> f64 {
    let database = Database::builder().set_cache_size(CACHE_BYTES).create(path).unwrap();
    let (mut key, mut batches) = (0, 0_u32);
    let began = Instant::now();
    while began.elapsed() < time {
        let transaction = database.begin_write().unwrap();
        {
            let mut table = transaction.open_table(ROWS).unwrap();
            for row in rows {
                table.insert(key, row.as_slice()).unwrap();
                key += 1;
            }
        }
        transaction.commit().unwrap();
        batches += 1;
    }
    let per_second = f64::from(batches) * events as f64 / began.elapsed().as_secs_f64();
    drop(database);
    std::fs::remove_file(path).unwrap();
    per_second
}
