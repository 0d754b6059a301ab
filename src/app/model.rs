//! Everything the screen knows. Facts are folded into `state`; all else is what the person looks at and how.
use crate::domain::state::Team;
use crate::domain::{Name, State, TeamId};

use super::panes::attention::{Item, everywhere};
use super::panes::{LogPane, RailPane, handle};
use super::{Commands, Dialog, Loss, Names, Palette, Pane, Start, Tally};

/// Lines kept for `recent`; the oldest go. Reason: nobody looks further back.
pub const MAX_RECENT: usize = 100;
/// Waiting for the first news is not worth a word before.
pub const LOADING_MS: u64 = 200;
/// How long a notice stands in the hint bar.
pub const NOTICE_MS: u64 = 3_000;

/// The state of the screen.
pub struct Model {
    /// The table of commands.
    pub commands: &'static dyn Commands,
    /// What the first screen shows.
    pub start: Start,
    /// The fold of the facts that have come.
    pub state: State,
    /// How it stands with the owner.
    pub link: Link,
    /// Who that is.
    pub owner: Owner,
    /// What time it is.
    pub clock: Clock,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The team that is looked at.
    pub team: Option<TeamId>,
    /// The pane that has the keys.
    pub focus: Pane,
    /// The focused pane has the whole room.
    pub zoomed: bool,
    /// The plan.
    pub rail: RailPane,
    /// The log of the selected task.
    pub log: LogPane,
    /// What waits on a person: in the team in view the most pressing first, then in the other live teams.
    pub attention: Vec<Item>,
    /// Counts of the focused team.
    pub tally: Tally,
    /// What lies over the panes.
    pub over: Over,
    /// What was done last, for a while.
    pub notice: Option<Notice>,
    /// Lines that were run, newest first.
    pub recent: Vec<String>,
    /// Lines that were sent and are not answered yet, oldest first.
    pub waiting: Vec<String>,
    /// Something was folded since [`Model::refresh`].
    pub(super) stale: bool,
}

/// How it stands with the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Nothing has come yet.
    Waiting,
    /// Facts come as they happen.
    Up,
    /// It does not answer since then.
    Lost {
        /// How.
        loss: Loss,
        /// Since when, in the screen's time.
        since_ms: u64,
    },
}

/// Who owns the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Owner {
    /// Its process.
    pub pid: u32,
    /// This very process: leaving it interrupts what runs.
    pub here: bool,
}

/// What lies over the panes.
#[derive(Debug, Clone, Default)]
pub enum Over {
    /// Nothing.
    #[default]
    Nothing,
    /// The palette.
    Palette(Box<Palette>),
    /// A box that asks or tells.
    Dialog(Dialog),
}

/// A sentence in the hint bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it says.
    pub text: String,
    /// It is a refusal.
    pub refused: bool,
    /// When it goes, in the screen's time.
    pub until_ms: u64,
}

/// What time it is, in the screen's time and the run's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    /// Milliseconds since the screen began.
    pub now_ms: u64,
    /// When the owner was last heard.
    pub heard_ms: u64,
    /// The run's time then.
    pub run_ms: u64,
    /// The wall clock then, ms since 1970.
    pub at_ms: u64,
    /// Seconds that local time is ahead of UTC.
    pub utc_offset_s: i32,
}

impl Clock {
    /// The wall clock when the owner was last heard, as `14:31:40`.
    pub fn heard_at(&self) -> String {
        self.wall(self.at_ms)
    }

    /// A wall clock, ms since 1970, as `14:31:40`.
    pub fn wall(&self, at_ms: u64) -> String {
        let seconds = i64::try_from(at_ms / 1000).unwrap_or(0) + i64::from(self.utc_offset_s);
        let of_day = seconds.rem_euclid(86_400);
        format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
    }
}

impl Model {
    /// A screen before anything has come.
    pub fn new(commands: &'static dyn Commands, start: Start, utc_offset_s: i32) -> Self {
        Self {
            commands,
            start,
            state: State::default(),
            link: Link::Waiting,
            owner: Owner::default(),
            clock: Clock { utc_offset_s, ..Clock::default() },
            size: (0, 0),
            team: None,
            focus: Pane::default(),
            zoomed: false,
            rail: RailPane::default(),
            log: LogPane::default(),
            attention: Vec::new(),
            tally: Tally::default(),
            over: Over::default(),
            notice: None,
            recent: Vec::new(),
            waiting: Vec::new(),
            stale: true,
        }
    }

    /// The team that is looked at.
    pub fn team(&self) -> Option<&Team> {
        self.state.team(self.team?)
    }

    /// Its name.
    pub fn team_name(&self) -> Option<Name> {
        self.team().map(|team| team.name.clone())
    }

    /// No team is live: the first screen is shown.
    pub fn is_start(&self) -> bool {
        self.team.is_none() && self.link != Link::Waiting
    }

    /// Another live team, the next in the order in which they were made, around the end.
    pub fn next_team(&self) -> Option<TeamId> {
        let here = self.team?;
        let others = || self.state.live_teams().map(|(id, _)| id);
        others().find(|id| *id > here).or_else(|| others().next().filter(|id| *id != here))
    }

    /// The owner answers, or has not been asked yet.
    pub fn is_up(&self) -> bool {
        !matches!(self.link, Link::Lost { .. })
    }

    /// Something runs that is not a person.
    pub fn is_live(&self) -> bool {
        self.state.live.values().any(|attempt| !attempt.human)
    }

    /// The run's time now. It stands still while nothing is live or the owner is lost.
    pub fn run_ms(&self) -> u64 {
        if !self.is_live() || !self.is_up() {
            return self.clock.run_ms;
        }
        self.clock.run_ms.saturating_add(self.clock.now_ms.saturating_sub(self.clock.heard_ms))
    }

    /// When the screen changes by time alone, in the screen's time. None: never, so nothing needs to be drawn.
    pub fn next_change_ms(&self) -> Option<u64> {
        let now = self.clock.now_ms;
        let notice = self.notice.as_ref().map(|notice| notice.until_ms.max(now));
        let second = match &self.link {
            Link::Lost { since_ms, .. } => Some(now + 1000 - now.saturating_sub(*since_ms) % 1000),
            Link::Waiting => (now < LOADING_MS).then_some(LOADING_MS),
            Link::Up if !self.is_live() => None,
            Link::Up => Some(now + 1000 - self.run_ms() % 1000),
        };
        [notice, second].into_iter().flatten().min()
    }

    /// Says something in the hint bar.
    pub fn tell(&mut self, text: impl Into<String>, refused: bool) {
        let until_ms = self.clock.now_ms + NOTICE_MS;
        self.notice = Some(Notice { text: text.into(), refused, until_ms });
    }

    /// The names that arguments of commands may have now.
    pub fn names(&self) -> Names {
        let teams = self.state.live_teams().map(|(_, team)| team.name.to_string()).collect();
        let Some(team) = self.team() else { return Names { teams, ..Names::default() } };
        let tasks = team.tasks.iter().map(|task| (handle(task), task.status().word().to_owned())).collect();
        let doing = |busy: bool| if busy { "busy" } else { "idle" }.to_owned();
        let members = team.open_members().map(|m| (m.name.to_string(), doing(m.busy.is_some()))).collect();
        Names { tasks, members, teams }
    }

    /// Everything that follows from the state, once after a batch of facts.
    pub(super) fn refresh(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        self.team = self.chosen_team();
        let Some(id) = self.team else {
            self.rail.clear();
            self.attention.clear();
            self.tally = Tally::default();
            return;
        };
        let run_ms = self.run_ms();
        if let Some(team) = self.state.team(id) {
            self.rail.refresh(&self.state, id, team, run_ms);
        }
        self.tally = Tally::of(&self.state, id);
        self.attention = everywhere(&self.state, id, self.rail.graph(), self.run_ms());
    }

    /// The team that stays in view: the one that was, while it lives or is being seen to its end, else the newest live.
    fn chosen_team(&self) -> Option<TeamId> {
        let is_kept = matches!(self.over, Over::Dialog(Dialog::Dissolve(_)));
        let still =
            self.team.filter(|id| self.state.team(*id).is_some_and(|t| is_kept || !t.stage.is_ended()));
        still.or_else(|| self.state.live_teams().next_back().map(|(id, _)| id))
    }
}
