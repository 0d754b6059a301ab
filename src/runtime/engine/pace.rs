//! When virtual time may jump: nobody has anything to do but to wait.
use super::wait::Waits;
use crate::domain::{Seq, State};
use std::collections::BTreeMap;

/// Who has commands still to give, and where each of them waits.
#[derive(Debug, Default)]
pub(super) struct Pace {
    attending: BTreeMap<u64, Option<Seq>>,
}

impl Pace {
    pub fn attend(&mut self, who: u64) {
        self.attending.insert(who, None);
    }

    pub fn park(&mut self, who: u64, at: Seq) {
        self.attending.insert(who, Some(at));
    }

    pub fn leave(&mut self, who: u64) {
        self.attending.remove(&who);
    }

    /// Every script stands at a wait and has seen all there is; every live attempt waits; no check is running.
    pub fn may_jump(&self, state: &State, waits: &Waits) -> bool {
        let scripts = self.attending.values().all(|at| *at == Some(state.seq));
        let attempts = state.live.values().all(|a| a.human || (a.stop.is_none() && waits.is_parked(a.id)));
        let checks = state.teams.values().any(|t| t.checking);
        scripts && attempts && !checks
    }
}
