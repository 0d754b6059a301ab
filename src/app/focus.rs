//! Which pane has the keys.

/// A pane that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Pane {
    /// The rail.
    #[default]
    Plan,
    /// The log of the selected task.
    Logs,
}

impl Pane {
    /// Every pane, in the order of the tabs.
    pub const ALL: [Self; 2] = [Self::Plan, Self::Logs];

    /// The digit that goes to it.
    pub fn digit(self) -> char {
        match self {
            Self::Plan => '1',
            Self::Logs => '2',
        }
    }

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Logs => "logs",
        }
    }

    /// The pane `steps` tabs on, around the end.
    #[must_use]
    pub fn turned(self, steps: usize) -> Self {
        let at = Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        Self::ALL.get((at + steps) % Self::ALL.len()).copied().unwrap_or_default()
    }
}
