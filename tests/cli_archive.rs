//! Looking at whole runs and moving them: verify, replay, export, import, runs prune.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod support;

use std::fs;
use std::path::PathBuf;
use support::{Ran, Sandbox, ended, signal};
use teamtui::domain::{Fact, Seq};
use teamtui::store::{Owner, OwnerNote, Reader, Record, StateDir, Store};

const CI: &str = "\
name = \"ci\"
goal = \"xyzzy-goal\"
env = [\"MY_TOKEN\"]
[members.lint]
run = \"echo linted $MY_TOKEN; echo fine > $TEAMTUI_RESULT\"
[members.report]
run = \"echo report\"
depends_on = [\"lint\"]
";

/// One that failed, and was not closed well.
const BAD: &str = "name = \"bad\"\n[members.a]\nrun = \"false\"\n";

/// Numbers made equal: `1,209`, `4.1`, `42`.
fn shape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let Some(next) = rest.peek() else {
            out.push(if c.is_ascii_digit() { 'N' } else { c });
            break;
        };
        let is_inside = (c == '.' || c == ',') && next.is_ascii_digit() && out.ends_with('N');
        if !c.is_ascii_digit() && !is_inside {
            out.push(c);
        } else if !out.ends_with('N') {
            out.push('N');
        }
    }
    out
}

fn ran(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let mut command = sandbox.command(args);
    command.env("MY_TOKEN", "hunter22-value");
    ended(command.spawn().unwrap())
}

fn run_dir(sandbox: &Sandbox, number: u64) -> PathBuf {
    let state = sandbox.root().join("../state/teamtui");
    let project = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    project.join("runs").join(number.to_string())
}

/// The names in the folder of runs.
fn runs(sandbox: &Sandbox) -> Vec<String> {
    let folder = run_dir(sandbox, 0);
    let names = fs::read_dir(folder.parent().unwrap()).unwrap();
    let mut names: Vec<String> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn section_8_verify_proves_a_run_and_changes_nothing() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    let before = fs::read(run_dir(&sandbox, 1).join("store.redb")).unwrap();
    let verified = ran(&sandbox, &["verify", "1"]);
    assert_eq!((verified.rc, verified.err.as_str()), (0, ""), "{verified:?}");
    assert_eq!(
        shape(&verified.out),
        "\
run N: verified, seq N to N in N commits
  chain     unbroken from commit N to N
  state     fold of N events equals the state at seq N
  receipts  N effects asked, N settled; nothing ran twice
  output    N logs, N B, every mark holds
"
    );
    assert!(verified.out.contains("  receipts  2 effects asked, 2 settled;"), "{verified:?}");
    assert!(verified.out.contains("  output    2 logs, 29 B,"), "{verified:?}");
    assert_eq!(fs::read(run_dir(&sandbox, 1).join("store.redb")).unwrap(), before);
    let lines = ran(&sandbox, &["verify", "1", "--format", "ndjson"]);
    assert!(
        lines.out.starts_with("{\"type\":\"verified\",\"format\":1,\"run\":1,\"holds\":true,"),
        "{lines:?}"
    );
    let none = ran(&sandbox, &["verify", "9"]);
    assert_eq!(none.rc, 1);
    assert!(none.err.starts_with("error: not found: there is no run 9\n"), "{none:?}");
}

#[test]
fn section_8_verify_says_what_is_unknown_after_a_kill() {
    let team = "\
name = \"ci\"
[members.build]
run = \"test -e go && exit 0; touch build; sleep 60\"
rerun = \"safe\"
[members.docs]
run = \"test -e go && exit 0; touch docs; sleep 60\"
optional = true
";
    let sandbox = Sandbox::with(&[("ci.toml", team)]);
    let mut owner = sandbox.start(&["--script", "ci.toml"]);
    sandbox.until_file("build");
    sandbox.until_file("docs");
    let refused = sandbox.run(&["verify", "1"]);
    assert!(
        refused.rc == 2 && refused.err.starts_with("error: owned: run 1 is owned by process "),
        "{refused:?}"
    );
    assert!(
        refused.err.ends_with("help: verify it when nobody owns it: `teamtui verify 1`\n"),
        "{refused:?}"
    );
    signal(owner.id(), "KILL");
    owner.wait().unwrap();
    let live = sandbox.run(&["verify", "1"]);
    assert!(
        live.out.contains("  receipts  2 effects asked, 0 settled, 2 live; nothing ran twice\n"),
        "{live:?}"
    );
    sandbox.file("go", "");
    let resumed = sandbox.run(&["resume", "1"]);
    assert_eq!(resumed.rc, 0, "{resumed:?}");
    let verified = sandbox.run(&["verify", "1"]);
    let says = "  receipts  3 effects asked, 2 settled, 1 unknown (docs, attempt 1); nothing ran twice\n";
    assert!(verified.rc == 0 && verified.out.contains(says), "{verified:?}");
}

#[test]
fn section_8_verify_finds_damage_and_says_from_where_on() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    let path = run_dir(&sandbox, 1).join("store.redb");
    let good = fs::read(&path).unwrap();
    let mut bytes = good.clone();
    let word = b"xyzzy-goal";
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(word)).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| bytes[*at] = b'X');
    fs::write(&path, &bytes).unwrap();
    let damaged = ran(&sandbox, &["verify", "1"]);
    assert_eq!((damaged.rc, damaged.out.as_str()), (1, ""), "{damaged:?}");
    assert_eq!(
        shape(&damaged.err),
        "\
error: damaged: run N, table `log`, its pages do not hold (Primary is corrupted despite N-phase commit); commits from seq N on cannot be trusted
help: nothing was changed; the next command that opens it restores the newest good backup: `teamtui status --run N`
"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // An output that is shorter than its mark is damage of its own.
    fs::write(&path, &good).unwrap();
    fs::write(run_dir(&sandbox, 1).join("attempts/1/out"), "li").unwrap();
    let short = ran(&sandbox, &["verify", "1"]);
    assert_eq!(short.rc, 1);
    assert!(short.out.starts_with("run 1: damaged, seq 1 to "), "{short:?}");
    assert!(
        short.out.ends_with("logs, 9 B, 1 mark does not hold: attempt 1 has 2 B, and 22 B were marked\n"),
        "{short:?}"
    );
    assert!(
        short
            .err
            .starts_with("error: damaged: run 1, output: attempt 1 has 2 B, and 22 B were marked\nhelp: "),
        "{short:?}"
    );
}

#[test]
fn replay_shows_a_run_as_it_stood_after_a_fact() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    let first = ran(&sandbox, &["replay", "1", "--at", "1"]);
    assert_eq!(first.rc, 0, "{first:?}");
    assert!(shape(&first.out).starts_with("seq N of N, Ns (N:N:N): run opened, "), "{first:?}");
    let third = ran(&sandbox, &["replay", "1", "--at", "3"]);
    assert_eq!(third.rc, 0, "{third:?}");
    let lines: Vec<&str> = third.out.lines().collect();
    assert!(lines[0].starts_with("run 1: ci, plan 1, "), "{third:?}");
    assert!(lines[1].starts_with("  #1  in_progress  lint"), "{third:?}");
    let says = "): attempt started, team ci, task lint, number 1, attempt 1, status in_progress";
    assert!(lines.last().unwrap().ends_with(says), "{third:?}");
    // At the last fact it is the status.
    let status = ran(&sandbox, &["status", "--run", "1"]);
    let last = ran(&sandbox, &["verify", "1", "--format", "ndjson"]);
    let last: u64 =
        last.out.split("\"last_seq\":").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let end = ran(&sandbox, &["replay", "1", "--at", &last.to_string()]);
    assert!(end.out.starts_with(&status.out), "{end:?} {status:?}");
    assert!(end.out.lines().last().unwrap().contains("): run closed, "), "{end:?}");
    let lines = ran(&sandbox, &["replay", "1", "--at", "3", "--format", "ndjson"]);
    assert!(lines.out.starts_with("{\"type\":\"attempt_started\",\"seq\":3,"), "{lines:?}");
    let cases: &[(&str, i32, String)] = &[
        ("0", 1, format!("error: not found: run 1 has no seq 0\nhelp: it has seq 1 to {last}\n")),
        ("1,209", 1, format!("error: not found: run 1 has no seq 1,209\nhelp: it has seq 1 to {last}\n")),
        ("1,2", 2, "error: `1,2` is no seq\nhelp: it is a number: `--at 71`, `--at 1,209`\n".into()),
        ("x", 2, "error: `x` is no seq\nhelp: it is a number: `--at 71`, `--at 1,209`\n".into()),
    ];
    for (at, rc, says) in cases {
        let wrong = ran(&sandbox, &["replay", "1", "--at", at]);
        assert_eq!((wrong.rc, &wrong.err), (*rc, says), "{at}");
    }
}

#[test]
fn section_9_a_run_is_exported_imported_and_only_read() {
    let sandbox = Sandbox::with(&[("ci.toml", CI), ("bad.toml", BAD)]);
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    let exported = ran(&sandbox, &["export", "--run", "1", "run-1.tar.zst"]);
    assert_eq!((exported.rc, exported.err.as_str()), (0, ""), "{exported:?}");
    let says = "exported run N: N events, N logs, ci.toml, the report; N KiB; N secret redacted\n";
    assert_eq!(shape(&exported.out), says);
    assert!(exported.out.contains(", 2 logs, ") && exported.out.ends_with("; 1 secret redacted\n"));
    let mode = fs::metadata(sandbox.root().join("run-1.tar.zst")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode.permissions()) & 0o777, 0o600);
    let again = ran(&sandbox, &["export", "1"]);
    assert_eq!(
        (again.rc, again.err.as_str()),
        (2, "error: run-1.tar.zst exists\nhelp: write over it: `teamtui export 1 run-1.tar.zst --force`\n")
    );
    assert_eq!(ran(&sandbox, &["export", "1", "run-1.tar.zst", "--force"]).rc, 0);
    // Only the output had the secret: the chain is the first one's.
    let imported = ran(&sandbox, &["import", "run-1.tar.zst"]);
    assert_eq!(imported.rc, 0, "{imported:?}");
    assert_eq!(
        shape(&imported.out),
        "imported run N from run-N.tar.zst: run N, N events in N commits, N logs; read-only\n"
    );
    assert_eq!(imported.err, "help: look at it: `teamtui status --run 2`, `teamtui verify 2`\n");
    let row = ran(&sandbox, &["runs"]).out;
    assert!(row.lines().any(|line| line.starts_with("2    ci    completed (imported)   0")), "{row}");
    let of = |args: &[&str]| ran(&sandbox, args).out.replace("run 2", "run 1");
    for command in ["status", "report"] {
        assert_eq!(of(&[command, "--run", "2"]), of(&[command, "--run", "1"]));
    }
    assert_eq!(of(&["verify", "2"]), of(&["verify", "1"]));
    assert_eq!(of(&["replay", "2", "--at", "3"]), of(&["replay", "1", "--at", "3"]));
    let log = of(&["log", "--run", "2"]);
    assert!(log.contains("linted [redacted]****\n"), "{log}");
    assert!(of(&["log", "--run", "1"]).contains("linted hunter22-value\n"));
    for args in [&["resume", "2", "--failed"][..], &["do", "--run", "2", "retry", "lint"]] {
        let refused = ran(&sandbox, args);
        assert!(refused.rc > 0 && refused.err.contains("run 2 "), "{refused:?}");
    }
    // A run that failed, and could be gone on with where it was run.
    assert_eq!(ran(&sandbox, &["--script", "bad.toml"]).rc, 1);
    assert_eq!(ran(&sandbox, &["export", "3", "bad.tar.zst"]).rc, 0);
    assert_eq!(ran(&sandbox, &["import", "bad.tar.zst"]).rc, 0);
    let says = "imported: run 4 came from an archive and is read-only: nothing of it goes on";
    for (args, rc) in [(&["resume", "4", "--failed"][..], 2), (&["do", "--run", "4", "retry", "a"], 1)] {
        let refused = ran(&sandbox, args);
        assert_eq!(refused.rc, rc, "{refused:?}");
        assert!(refused.err.starts_with(&format!("error: {says}\nhelp: ")), "{refused:?}");
    }
}

#[test]
fn an_event_with_a_secret_is_redacted_and_the_import_says_what_cannot_be_proved() {
    let team = "name = \"t\"\nenv = [\"DEPLOY_TOKEN=sesame-open-9\"]\n[members.a]\nrun = \"echo $DEPLOY_TOKEN > $TEAMTUI_RESULT\"\n";
    let sandbox = Sandbox::with(&[("t.toml", team)]);
    assert_eq!(sandbox.run(&["--script", "t.toml"]).rc, 0);
    let exported = sandbox.run(&["export", "1", "t.tar.zst"]);
    assert!(exported.out.ends_with("; 1 secret redacted\n"), "{exported:?}");
    let imported = sandbox.run(&["import", "t.tar.zst"]);
    assert!(
        imported
            .err
            .starts_with("warning: secrets were redacted in 2 events: the chain of hashes is made anew, "),
        "{imported:?}"
    );
    let verified = sandbox.run(&["verify", "2"]);
    assert!(
        verified.rc == 0 && verified.out.contains("; made at import, since 2 events were redacted\n"),
        "{verified:?}"
    );
    let report = sandbox.run(&["report", "--run", "2"]);
    assert!(!report.out.contains("sesame"), "{report:?}");
}

#[test]
fn what_is_no_archive_is_refused_and_leaves_nothing() {
    let sandbox = Sandbox::with(&[("ci.toml", CI), ("text.tar.zst", "not an archive")]);
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    fs::create_dir(sandbox.root().join("folder")).unwrap();
    assert_eq!(ran(&sandbox, &["export", "1", "good.tar.zst"]).rc, 0);
    let good = fs::read(sandbox.root().join("good.tar.zst")).unwrap();
    fs::write(sandbox.root().join("cut.tar.zst"), &good[..good.len() / 2]).unwrap();
    let before = runs(&sandbox);
    for (file, says) in [
        ("text.tar.zst", "error: not imported: text.tar.zst: it is no archive under zstd: "),
        ("cut.tar.zst", "error: not imported: cut.tar.zst: "),
        ("folder", "error: cannot read folder: it is no regular file\n"),
        ("nothing.tar.zst", "error: cannot read nothing.tar.zst: "),
    ] {
        let refused = ran(&sandbox, &["import", file]);
        assert!(refused.rc == 2 && refused.err.starts_with(says) && refused.out.is_empty(), "{refused:?}");
        assert_eq!(runs(&sandbox), before, "{file}");
    }
    for (args, says) in [
        (&["export", "--run", "1", "a", "b"][..], "error: `b` is one argument too many"),
        (&["export", "x", "y"], "error: `x` is no run\n"),
        (&["export", "1", "folder"], "error: folder is a folder\n"),
        (&["export", "1", "no/where.tar.zst"], "error: cannot write no/where.tar.zst"),
    ] {
        let refused = ran(&sandbox, args);
        assert!(refused.rc == 2 && refused.err.starts_with(says), "{refused:?}");
    }
}

/// Another run like that one, which ended so many days ago.
fn aged(sandbox: &Sandbox, like: u64, days: u64) -> u64 {
    let root = sandbox.root().canonicalize().unwrap();
    let project = StateDir::new(root.join("../state/teamtui")).project(&root).unwrap();
    let reader = Reader::open(&project.run(like).unwrap()).unwrap();
    let run = project.new_run().unwrap();
    let note = OwnerNote { pid: 1, since_ms: 0, socket: None, version: "0".into(), command: "test".into() };
    let mut store = Store::create(Owner::take(&run, &note).unwrap(), &reader.meta().birth).unwrap();
    for commit in reader.commits(0).unwrap() {
        let commit = commit.unwrap();
        let older = |(at, record): (u64, Record)| {
            let fact = Fact::decode(Seq(at), record.kind, record.version, &record.body).unwrap();
            let fact = Fact { at_ms: fact.at_ms - days * 86_400_000, ..fact };
            Record { body: fact.encode().unwrap(), ..record }
        };
        let records: Vec<Record> = (commit.first_seq..).zip(commit.records).map(older).collect();
        store.commit(&records, &[], None).unwrap();
    }
    store.close().unwrap();
    run.path().file_name().unwrap().to_str().unwrap().parse().unwrap()
}

#[test]
fn section_9_prune_drops_only_what_completed_long_ago() {
    let sandbox = Sandbox::with(&[("ci.toml", CI), ("bad.toml", BAD)]);
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    assert_eq!(ran(&sandbox, &["--script", "bad.toml"]).rc, 1);
    let nothing = ran(&sandbox, &["runs", "prune"]);
    assert_eq!(
        (nothing.rc, nothing.out.as_str()),
        (0, "nothing to drop: no run ended over 30 days ago, rc 0, but for the newest\n")
    );
    let old = aged(&sandbox, 1, 31);
    let failed = aged(&sandbox, 2, 40);
    let kept = aged(&sandbox, 1, 29);
    assert_eq!((old, failed, kept), (3, 4, 5));
    // One that was imported is kept, and so is one with what somebody put there.
    let strange = aged(&sandbox, 1, 50);
    fs::write(run_dir(&sandbox, strange).join("notes.txt"), "x").unwrap();
    let asked = ran(&sandbox, &["runs", "prune"]);
    assert_eq!(asked.rc, 0, "{asked:?}");
    assert_eq!(
        sandbox.same(&shape(&asked.out)).replace("MiB", "KiB"),
        "\
run team state size ended
N ci completed N KiB N days ago
would drop N run, N KiB (ended over N days ago, rc N); live, crashed and resumable runs are kept
"
    );
    assert_eq!(asked.err, "help: drop it: `teamtui runs prune --yes`\n");
    assert!(asked.out.contains("\n  3  ci "), "{asked:?}");
    assert_eq!(runs(&sandbox), ["1", "2", "3", "4", "5", "6"], "nothing was dropped");
    // Number 6 is the newest; with one after it, it is old enough too, and strange.
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    let dropped = ran(&sandbox, &["runs", "prune", "--yes"]);
    assert_eq!(dropped.rc, 1, "{dropped:?}");
    assert!(dropped.out.contains("dropped 1 run, "), "{dropped:?}");
    assert!(
        dropped.err.starts_with("warning: run 6 is kept: ") && dropped.err.contains("notes.txt"),
        "{dropped:?}"
    );
    assert_eq!(runs(&sandbox), ["1", "2", "4", "5", "6", "7"]);
    let shorter = ran(&sandbox, &["runs", "prune", "--older", "29d"]);
    assert!(shorter.out.contains("would drop 2 runs, "), "{shorter:?}");
    assert_eq!(shorter.err, "help: drop them: `teamtui runs prune --older 29d --yes`\n");
    let wrong = ran(&sandbox, &["runs", "prune", "--older", "soon"]);
    assert_eq!(wrong.rc, 2, "{wrong:?}");
}

#[test]
fn prune_keeps_links_imports_and_what_is_live() {
    let sandbox = Sandbox::with(&[("ci.toml", CI)]);
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    let old = aged(&sandbox, 1, 31);
    assert_eq!(ran(&sandbox, &["export", &old.to_string(), "old.tar.zst"]).rc, 0);
    assert_eq!(ran(&sandbox, &["import", "old.tar.zst"]).rc, 0);
    // A folder elsewhere, linked to as if it were a run.
    let outside = sandbox.root().join("outside");
    fs::rename(run_dir(&sandbox, old), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, run_dir(&sandbox, old)).unwrap();
    let live = aged(&sandbox, 1, 31);
    let lock = fs::File::open(run_dir(&sandbox, live).join("owner.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(ran(&sandbox, &["--script", "ci.toml"]).rc, 0);
    let dropped = ran(&sandbox, &["runs", "prune", "--yes"]);
    assert!(dropped.out.starts_with("nothing to drop: "), "{dropped:?}");
    assert!(outside.join("store.redb").exists());
    assert_eq!(runs(&sandbox).len(), 5);
    lock.unlock().unwrap();
    let dropped = ran(&sandbox, &["runs", "prune", "--yes"]);
    assert!(dropped.out.contains("dropped 1 run, ") && !run_dir(&sandbox, live).exists(), "{dropped:?}");
}

#[test]
fn the_help_and_the_completions_know_them() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]);
    assert!(help.out.contains("\nStore     verify  replay  import  runs prune\n"), "{help:?}");
    for (word, says) in
        [("verify", "RUN"), ("replay", "--at"), ("import", "FILE"), ("export", "--force"), ("runs", "prune")]
    {
        let help = sandbox.run(&[word, "--help"]);
        assert!(help.rc == 0 && help.out.contains(says), "{help:?}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let completions = sandbox.run(&["completions", shell]);
        for word in ["verify", "replay", "import", "prune"] {
            assert!(completions.out.contains(word), "{shell} {word}");
        }
    }
    let man = sandbox.run(&["man"]);
    assert!(["verify", "replay", "import"].iter().all(|word| man.out.contains(word)));
    let wrong = sandbox.run(&["replay", "1"]);
    assert_eq!(wrong.rc, 2);
    assert!(wrong.err.starts_with("error: missing: "), "{wrong:?}");
}
