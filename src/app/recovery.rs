//! The report of the last recovery as keys use it: it shows itself once, and what it leaves to decide is decided in it.
use super::keymap::Act;
use super::panes::recovery::{Choice, Row, choices, rows};
use super::{AppEffect, Dialog, Model, Over, Pane, act};
use crate::domain::view::RecoveryView;

/// Opens it, if there was a recovery.
pub(super) fn show(model: &mut Model) {
    match &model.state.run.recovery {
        Some(_) => model.over = Over::Dialog(Dialog::Recovery(0)),
        None => model.tell("nothing was ever recovered here: every owner closed its work", false),
    }
}

/// Opens one that nobody has seen yet, unless something else is open.
pub(super) fn show_new(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Some(recovery) = &model.state.run.recovery else { return };
    if recovery.seq <= model.start.recovery_seen || !matches!(model.over, Over::Nothing) {
        return;
    }
    model.start.recovery_seen = recovery.seq;
    effects.push(AppEffect::Seen(recovery.seq));
    model.over = Over::Dialog(Dialog::Recovery(0));
}

/// It has the keys.
pub(super) fn is_open(model: &Model) -> bool {
    matches!(model.over, Over::Dialog(Dialog::Recovery(_)))
}

/// Tries the task again that is looked at, or goes to its log.
pub(super) fn choose(model: &mut Model, chosen: Act, effects: &mut Vec<AppEffect>) {
    let Over::Dialog(Dialog::Recovery(at)) = model.over else { return };
    let Some(choice) = choices(model).into_iter().nth(at) else {
        return model.tell("nothing here needs you; esc goes to the plan", false);
    };
    let Choice { team, number, reference, .. } = choice;
    model.team = Some(team);
    model.stale = true;
    if chosen == Act::Retry {
        model.over = Over::Dialog(Dialog::Recovery(at.saturating_sub(1)));
        return act::submit(model, format!("retry {reference}"), effects);
    }
    model.over = Over::Nothing;
    model.focus = Pane::Logs;
    model.refresh();
    model.rail.selected = Some(number);
}

/// The report as text, to be copied.
pub(super) fn text(model: &Model) -> String {
    let Some(view) = RecoveryView::of(&model.state) else { return String::new() };
    let line = |row: Row| match row {
        Row::Gap => String::new(),
        Row::Text(line) | Row::Lost(line) | Row::Choice(_, line) | Row::Keys(line) => line,
        Row::Pair(found, done) => format!("{found}: {done}"),
    };
    rows(model, &view, usize::MAX).into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::story::recovered;
    use super::super::{Msg, update};
    use super::*;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    fn press(model: &mut Model, code: KeyCode) -> Vec<AppEffect> {
        update(model, Msg::Key(KeyEvent::from(code)))
    }

    #[test]
    fn it_shows_itself_once_and_again_when_asked() {
        let mut model = recovered(80, 24);
        assert!(is_open(&model));
        let seen = model.start.recovery_seen;
        assert_eq!(seen, model.state.run.recovery.as_ref().unwrap().seq);
        press(&mut model, KeyCode::Esc);
        assert!(!is_open(&model));
        assert_eq!(update(&mut model, Msg::Tick(5_000)), []);
        assert!(!is_open(&model));
        update(&mut model, Msg::Key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL)));
        assert!(is_open(&model));
    }

    #[test]
    fn what_is_left_to_decide_is_decided_in_it() {
        let mut model = recovered(80, 24);
        let team = model.team_name();
        let effects = press(&mut model, KeyCode::Char('t'));
        assert_eq!(effects, [AppEffect::Submit { line: "retry engine".to_owned(), team }]);
        assert!(is_open(&model), "there may be more to decide");
        press(&mut model, KeyCode::Enter);
        assert!(!is_open(&model));
        assert_eq!((model.focus, model.rail.selected), (Pane::Logs, Some(crate::domain::TaskNo(4))));
    }

    #[test]
    fn the_report_is_copied_as_text() {
        let mut model = recovered(80, 24);
        let effects = press(&mut model, KeyCode::Char('y'));
        let [AppEffect::Copy(text)] = effects.as_slice() else { panic!("{effects:?}") };
        assert!(text.contains("\n2 left-over processes ended: 71502 71507 (engine)\n"), "{text}");
    }
}
