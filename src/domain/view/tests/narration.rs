use crate::domain::event::{EdgeFact, MemberAdded, MessageSent, MessagesRead, PlanChanged, TaskCancelled};
use crate::domain::view::fixture::*;
use crate::domain::view::{Columns, Note};
use crate::domain::*;

/// Notes as lines of progress.
pub fn lines_of(state: &State, notes: &[Note]) -> Vec<String> {
    let labels: Vec<String> = state.teams.values().flat_map(|t| t.tasks.iter().map(|t| t.label())).collect();
    let columns = Columns::progress(labels.iter().map(String::as_str));
    notes.iter().filter(|n| !n.verbose).map(|n| columns.note(n).plain()).collect()
}

/// The lines of progress of a story, with the slow marks of a caller that ticks each second.
pub fn progress(story: &Story) -> Vec<String> {
    let labels: Vec<String> =
        story.state.teams.values().flat_map(|t| t.tasks.iter().map(|t| t.label())).collect();
    let columns = Columns::progress(labels.iter().map(String::as_str));
    let mut lines = Vec::new();
    let mut before: Option<(&State, u64)> = None;
    for ((fact, after), told) in story.facts.iter().zip(&story.told) {
        if let Some((state, mut from)) = before {
            while from < fact.elapsed_ms {
                let to = (from / 1000 * 1000 + 1000).min(fact.elapsed_ms);
                lines.extend(Note::slow(state, from, to).iter().map(|n| columns.note(n).plain()));
                from = to;
            }
        }
        lines.extend(told.notes.iter().filter(|n| !n.verbose).map(|n| columns.note(n).plain()));
        before = Some((after, fact.elapsed_ms));
    }
    lines
}

#[test]
fn run_41_is_the_progress_of_the_page() {
    let expected = "  0.0s  started    lint    1/1
  0.0s  started    build   1/1
 38.2s  completed  lint    1/1   38.2s
 38.2s  started    docs    1/1
 1m00s  slow       build   1/1   1m00s
 1m21s  completed  docs    1/1   42.9s
 1m42s  completed  build   1/1   1m42s
 1m42s  started    test-1  1/2
 1m42s  started    test-2  1/2
 1m42s  started    test-3  1/2
 2m28s  failed     test-2  1/2   46.0s  exit 100; next attempt starts
 2m28s  started    test-2  2/2
 2m31s  completed  test-1  1/2   49.1s
 2m39s  completed  test-3  1/2   57.0s
 3m15s  completed  test-2  2/2   47.2s
 3m15s  started    report  1/1
 3m16s  completed  report  1/1    0.8s";
    assert_eq!(progress(&run_41()).join("\n"), expected);
}

#[test]
fn run_42_is_the_progress_of_the_page() {
    let lines = progress(&run_42());
    let ends: Vec<&str> =
        lines.iter().map(String::as_str).filter(|l| !l.contains("started") && !l.contains("slow")).collect();
    let expected = " 37.9s  completed  lint    1/1   37.9s
 1m19s  failed     docs    1/1   41.5s  exit 1; optional
 1m41s  completed  build   1/1   1m41s
 2m27s  failed     test-2  1/2   46.3s  exit 100; next attempt starts
 2m30s  completed  test-1  1/2   48.6s
 2m38s  completed  test-3  1/2   57.3s
 3m14s  failed     test-2  2/2   46.1s  exit 100
 3m14s  held       report               by test-2 (failed)";
    assert_eq!(ends.join("\n"), expected);
}

#[test]
fn a_cap_is_told_once_with_the_grace() {
    let mut s = Story::new(Some(44), "ci.toml");
    let mut team = ci();
    team.limits.time_ms = Some(120_000);
    s.team(team).start("build").at(100_000).done("build", 100_000);
    s.at(101_600).start("test-1").start("test-2").start("test-3");
    s.at(120_000).cap(Cap::Time);
    for task in ["test-1", "test-2", "test-3"] {
        s.stop(task, StopCause::Cap);
    }
    s.at(130_000).interrupted("test-1", 28_400);
    let lines = progress(&s);
    let tail = &lines[lines.len() - 3..];
    assert_eq!(
        tail[0],
        " 2m00s  cap        ci            time, 2m of 2m: nothing new starts; 3 live attempts get 10s"
    );
    assert_eq!(tail[1], " 2m10s  stale      test-1  1/2   28.4s  interrupted");
    assert_eq!(tail[2], " 2m10s  held       report               by test-1 (stale)");
}

#[test]
fn ctrl_c_is_told_once_for_all_attempts() {
    let mut s = Story::new(Some(47), "ci.toml");
    s.team(ci()).start("build").start("lint").at(38_200).done("lint", 38_200).start("docs");
    s.at(52_300).stop("build", StopCause::Signal).stop("docs", StopCause::Signal);
    let twice = Note::ended_now(&s.state, 53_000);
    s.at(52_400).interrupted("build", 52_400).interrupted("docs", 14_200);
    let lines = progress(&s);
    let tail: Vec<&str> =
        lines.iter().map(String::as_str).skip_while(|l| !l.contains("interrupt ")).collect();
    assert_eq!(
        tail[0],
        " 52.3s  interrupt  ci            2 live attempts get 10s; Ctrl-C again ends them at once"
    );
    assert_eq!(tail[1], " 52.4s  stale      build   1/1   52.4s  interrupted");
    assert_eq!(tail.last(), Some(&" 52.4s  stale      docs    1/1   14.2s  interrupted; optional"));
    let columns = Columns::progress(["test-1"].into_iter());
    assert_eq!(
        columns.note(&twice[0]).plain(),
        " 53.0s  interrupt  ci            2 live attempts are ended now"
    );
}

#[test]
fn a_question_is_told_with_whom_and_its_default() {
    let mut s = Story::new(Some(46), "sign-off.toml");
    s.team(spec("sign-off", vec![member("build", ""), member("sign-off", "build")]));
    s.start("build").at(400).done("build", 400).start("sign-off").ask("sign-off", "Ship 0.2.0?");
    let line = progress(&s).pop().unwrap();
    assert_eq!(line, "  0.4s  asks       sign-off  1/1          person: \"Ship 0.2.0?\", no default");
}

/// The replan of `auth-review.team`.
fn replanned() -> Story {
    let mut s = auth_review(None);
    let from = Party::Person;
    let text = "look at refresh tokens first".into();
    s.facts.clear();
    s.told.clear();
    s.at(5_000).tell(MessageSent {
        id: MessageId(1),
        from,
        to: Party::Member(name("security")),
        text,
        hop: 0,
    });
    s.at(6_000).by(By::Person).tell(TaskCancelled { number: TaskNo(4), reason: "replaced by perf2".into() });
    s.tell(MemberAdded { member: Box::new(member("perf2", "")), number: Some(TaskNo(6)) });
    let edge = |on| EdgeFact { on: TaskNo(on), needs: Needs::Completed, waived: false };
    s.tell(PlanChanged {
        revision: Revision(2),
        rewired: vec![(TaskNo(5), vec![edge(3), edge(6)])],
        prompts: Vec::new(),
        replaced: vec![(TaskNo(4), TaskNo(6))],
    });
    s.start("perf2").said("perf2", 0, "1 finding").start("summary");
    let attempt = Some(s.attempt("summary"));
    s.tell(MessagesRead { reader: Party::Member(name("security")), ids: vec![MessageId(1)], attempt });
    s.said("summary", 0, "1 finding");
    s
}

#[test]
fn a_replan_is_told_as_the_page_watches_it() {
    let story = replanned();
    let columns = Columns::table(story.view().teams[0].tasks.iter());
    let notes = story.told.iter().flat_map(|t| &t.notes).filter(|n| !n.verbose);
    let lines: Vec<String> = notes.map(|n| columns.note(n).plain()).collect();
    let expected = "  6.0s  cancelled  perf
  6.0s  started    perf2     1/1
  6.0s  completed  perf2     1/1   0.0s  \"1 finding\"
  6.0s  started    summary   1/1
  6.0s  completed  summary   1/1   0.0s  \"1 finding\"";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn the_log_of_a_member_says_what_its_attempts_got_and_did() {
    let story = replanned();
    let entries = story.told.iter().flat_map(|t| &t.entries).filter(|e| e.member == name("security"));
    let lines: Vec<String> = entries.map(|e| e.line().plain()).collect();
    let expected = "  6.0s  #5 1/1  start  inputs: security (completed), perf2 (completed)
  6.0s  #5 1/1  mail   from person at 5.0s: \"look at refresh tokens first\"
  6.0s  #5 1/1  end    completed, 0.0s, \"1 finding\"";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn a_chain_of_held_tasks_names_its_cause() {
    let mut s = Story::new(Some(1), "x.toml");
    s.team(spec("x", vec![member("a", ""), member("b", "a"), member("c", "b")])).start("a");
    s.at(500).failed("a", 500, 2, false);
    let lines = progress(&s);
    assert_eq!(lines[2], "  0.5s  held       b               by a (failed)");
    assert_eq!(lines[3], "  0.5s  held       c               by a (failed)");
    assert_eq!(lines.len(), 4);
}
