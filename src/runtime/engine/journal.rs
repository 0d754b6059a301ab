//! The log as the engine uses it: facts in, records out; the state back from a snapshot and what came after.
use super::backup::Backups;
use crate::domain::{DecodeError, Fact, Seq, State};
use crate::store::{NewSnapshot, Owner, Reader, Record, Store, StoreError};

/// Version of the fold: a snapshot of another version is not read.
pub(crate) const FOLD: u32 = 3;
/// Fewest events between two snapshots. Folding is fast: a million events in about a tenth of a second.
const SNAPSHOT_EVENTS: u64 = 10_000;
/// Events between two snapshots for each task and message, so that writing them stays a small share of all work.
const SNAPSHOT_SHARE: u64 = 8;
/// Set in a record's flags: a teamtui that does not know the kind may skip it.
const IGNORABLE: u8 = 1;

/// The store of a run, with the facts in it.
pub(crate) struct Journal {
    store: Store,
    snapshot_at: u64,
    backups: Backups,
}

/// Why the log of a run cannot be folded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("seq {seq}: {why}")]
    Decode { seq: u64, why: DecodeError },
}

impl Journal {
    /// Over a store that is open.
    pub fn new(store: Store) -> Self {
        Self { store, snapshot_at: 0, backups: Backups::default() }
    }

    /// From now on the store is written.
    pub fn begin(&mut self) -> Result<(), StoreError> {
        self.store.begin()
    }

    /// What was read of the store does not hold: it is closed as it is.
    pub fn into_owner(self) -> Option<Owner> {
        self.store.into_owner()
    }

    /// The state as the disk has it.
    pub fn load(&mut self) -> Result<State, OpenError> {
        let (state, snapshot_at) = fold(&self.store.reader())?;
        self.snapshot_at = snapshot_at;
        Ok(state)
    }

    /// A reader beside the writer.
    pub fn reader(&self) -> Reader {
        self.store.reader()
    }

    /// Puts facts on the disk, all or nothing; with the state they lead to, now and then.
    pub fn commit(&mut self, facts: &[Fact], state: &State) -> Result<(), String> {
        if facts.is_empty() {
            return Ok(());
        }
        let records = facts.iter().map(record).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
        let body = self
            .snapshot_due(state)
            .then(|| serde_json::to_vec(state))
            .transpose()
            .map_err(|e| e.to_string())?;
        let snapshot = body.as_deref().map(|body| NewSnapshot { fold_version: FOLD, body });
        self.store.commit(&records, &[], snapshot).map_err(|e| e.to_string())?;
        if body.is_some() {
            self.snapshot_at = state.seq.0;
        }
        self.backups.committed(&self.store);
        Ok(())
    }

    fn snapshot_due(&self, state: &State) -> bool {
        let sizes = state.teams.values().map(|t| t.tasks.len().saturating_add(t.mail.messages.len()));
        let size = u64::try_from(sizes.sum::<usize>()).unwrap_or(u64::MAX);
        let pause = SNAPSHOT_EVENTS.max(size.saturating_mul(SNAPSHOT_SHARE));
        state.seq.0 >= self.snapshot_at.saturating_add(pause)
    }

    /// The state as the disk has it, to be shown while it cannot be written.
    pub fn look(&self) -> Result<State, OpenError> {
        Ok(fold(&self.store.look()?)?.0)
    }

    /// After a commit that failed: what the disk has, if it can be written again.
    pub fn reload(&mut self) -> Result<State, OpenError> {
        self.backups.stop();
        self.store.reload()?;
        self.load()
    }

    /// The facts after a seq, as far as the disk gives them.
    pub fn facts_after(&self, seq: Seq) -> Vec<Fact> {
        let mut facts = Vec::new();
        let Ok(commits) = self.store.reader().commits(seq.0.saturating_add(1)) else { return facts };
        for commit in commits {
            let Ok(found) = commit.map_err(OpenError::from).and_then(|c| decoded(c.first_seq, &c.records))
            else {
                break;
            };
            facts.extend(found.into_iter().filter(|fact| fact.seq > seq));
        }
        facts
    }

    /// Leaves a snapshot where folding anew would take long.
    pub fn close(mut self, state: &State) {
        if self.snapshot_due(state)
            && let Ok(body) = serde_json::to_vec(state)
        {
            // A snapshot is a cache: without it the next owner folds.
            let _ = self.store.keep_snapshot(NewSnapshot { fold_version: FOLD, body: &body });
        }
        self.backups.stop();
        let _ = self.store.close();
    }
}

/// Folds a whole log, from its newest snapshot on; gives the snapshot's seq too.
pub(crate) fn fold(reader: &Reader) -> Result<(State, u64), OpenError> {
    let last = reader.last_seq()?;
    let found = reader.snapshot_at(last, FOLD)?;
    let kept = found
        .and_then(|s| serde_json::from_slice::<State>(&s.body).ok().filter(|state| state.seq.0 == s.seq));
    let mut state = kept.unwrap_or_default();
    let snapshot_at = state.seq.0;
    if state.seq.0 < last {
        for commit in reader.commits(state.seq.0 + 1)? {
            let commit = commit?;
            for fact in decoded(commit.first_seq, &commit.records)? {
                if fact.seq > state.seq {
                    state.evolve(&fact);
                }
            }
        }
    }
    // Facts that may be skipped count as folded: the next seq is the log's.
    state.seq = state.seq.max(Seq(last));
    Ok((state, snapshot_at))
}

/// The facts of one commit. Kinds that may be skipped are.
pub(crate) fn decoded(first_seq: u64, records: &[Record]) -> Result<Vec<Fact>, OpenError> {
    let mut facts = Vec::with_capacity(records.len());
    for (at, record) in records.iter().enumerate() {
        let seq = first_seq.saturating_add(u64::try_from(at).unwrap_or(u64::MAX));
        match Fact::decode(Seq(seq), record.kind, record.version, &record.body) {
            Ok(fact) => facts.push(fact),
            Err(DecodeError::Newer { .. }) if record.is_ignorable() => {}
            Err(why) => return Err(OpenError::Decode { seq, why }),
        }
    }
    Ok(facts)
}

fn record(fact: &Fact) -> serde_json::Result<Record> {
    let (kind, version) = fact.event.kind();
    let flags = if fact.event.ignorable() { IGNORABLE } else { 0 };
    Ok(Record { kind, version, flags, body: fact.encode()? })
}
