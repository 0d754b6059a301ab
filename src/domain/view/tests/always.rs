//! Whatever happens in a run, its views hold together.
use crate::domain::view::chance::any_story;
use crate::domain::view::status;
use crate::domain::view::*;
use crate::domain::*;
use proptest::prelude::*;

fn no_controls(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rc_is_0_if_and_only_if_every_required_task_is_completed(story in any_story()) {
        let team = story.state.team(story.id()).unwrap();
        let all = team.tasks.iter().filter(|t| t.is_required()).all(|t| t.status() == Status::Completed);
        prop_assert_eq!(story.view().rc() == 0, all);
        prop_assert_eq!(verdict(&story.state) == CloseReason::Completed, all);
        prop_assert_eq!(story.view().teams[0].headline() == "every required task completed", all);
    }

    #[test]
    fn each_task_is_counted_once(story in any_story()) {
        let view = story.view();
        let team = &view.teams[0];
        let counted: usize = team.counts.words().iter().map(|(_, n)| n).sum();
        prop_assert_eq!(counted, team.counted().count());
        prop_assert_eq!(counted, team.counts.total);
    }

    #[test]
    fn what_is_held_is_held_by_what_only_a_decision_moves(story in any_story()) {
        let view = story.view();
        for task in &view.teams[0].tasks {
            for cause in &task.held_by {
                prop_assert!(matches!(cause.status, Status::Failed | Status::Stale | Status::Cancelled));
            }
            let of = story.state.task(story.id(), task.number).unwrap();
            prop_assert_eq!(task.is_held(), of.is_held());
        }
    }

    #[test]
    fn nothing_shown_has_a_control_character(story in any_story()) {
        let view = story.view();
        let team = &view.teams[0];
        for line in status::status(&view, team) {
            prop_assert!(no_controls(&line.plain()));
        }
        let columns = Columns::progress(["a"].into_iter());
        for told in &story.told {
            prop_assert!(told.notes.iter().all(|n| no_controls(&columns.note(n).plain())));
            prop_assert!(told.entries.iter().all(|e| no_controls(&e.line().plain())));
        }
        for task in &team.tasks {
            let why = Why::of(&story.state, story.id(), task.number, "").unwrap();
            prop_assert!(why.help.len() <= 3);
            prop_assert!(why.lines().iter().all(|l| no_controls(&l.plain())));
            let of = story.state.team(story.id()).unwrap();
            let page = status::get(task, of, of.task(task.number).unwrap());
            prop_assert!(page.iter().all(|l| no_controls(&l.plain())));
        }
        for line in &story.lines {
            prop_assert!(no_controls(line));
        }
        prop_assert!(no_controls(&Ending::of(&view, "").summary));
        prop_assert!(LiveView::of(&story.state, story.id(), story.now, None).is_some());
    }
}

#[test]
fn a_plan_of_many_tasks_is_shown_without_recursion_and_in_linear_time() {
    use crate::domain::view::fixture::{Story, member, spec};
    let name = |n: usize| format!("t{n}");
    let of = |n: usize| member(&name(n), if n == 0 { String::new() } else { name(n - 1) }.as_str());
    let mut story = Story::new(Some(1), "t.toml");
    story.team(spec("t", (0..3_000).map(of).collect())).start("t0").at(10).failed("t0", 10, 1, false);
    let view = story.view();
    assert_eq!(view.teams[0].counts.held, 2_999);
    assert!(view.teams[0].tasks[1..].iter().all(|t| t.by() == "by t0 (failed)"));
    assert_eq!(story.told.last().unwrap().notes.len(), 3_000);
    let why = Why::of(&story.state, story.id(), TaskNo(3_000), "").unwrap();
    assert_eq!((why.links.len(), why.left_out), (40, 1));
    let ending = Ending::of(&view, "");
    assert_eq!(ending.summary, "1 failed, 2,999 held; 0.0s, 0.0s of work; critical path t0");
}
