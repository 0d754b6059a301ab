//! Numbers that name things. UUIDs stay inside the run's header; people and models see names and `#12` (R3).
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// The number after this one.
            pub fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    /// Place of an event in its run, from 1 without gaps. 0 is before the first.
    Seq(u64)
);
number!(
    /// A team of a run, from 1 in order of creation.
    TeamId(u32)
);
number!(
    /// A task of a team, from 1 in order of creation, never reused. Shown as `#12`.
    TaskNo(u32)
);
number!(
    /// An attempt or a turn, counted over the whole run from 1: its output lies in `attempts/N`.
    AttemptId(u64)
);
number!(
    /// A message of a team, from 1 in order of sending.
    MessageId(u64)
);
number!(
    /// A revision of a team's plan. Adding, removing and rewiring move it; status never does.
    Revision(u32)
);
number!(
    /// The secret of one attempt: who holds it may write in the attempt's name (R12).
    Token(u64)
);
