//! Looking over a whole run that nobody owns: its chain, its state, its receipts, its output. Changes nothing.
use super::engine::{FOLD, OpenError, decoded, fold};
use crate::domain::receipt::{Audit, Receipts};
use crate::domain::{AttemptId, DecodeError, Event, Fact, Seq, State};
use crate::store::output::OutputReader;
use crate::store::{Digest, Inspection, Reader, RunDir, StoreError, inspect};
use std::collections::BTreeMap;

/// Marks that do not hold and are told one by one; the rest is counted.
const MAX_TOLD: usize = 20;

/// What a run was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Commits, each proved and linked to the one before.
    pub commits: u64,
    /// The last seq.
    pub last_seq: u64,
    /// Hash of the last commit.
    pub tip: Digest,
    /// SHA-256 of the canonical state after the last fact.
    pub state: Digest,
    /// Kept snapshots that were compared with the fold at their seq.
    pub snapshots: u64,
    /// Where the fold of all facts is not what the store says it is.
    pub strays: Vec<u64>,
    /// What was asked of the world, and what came of it.
    pub receipts: Audit,
    /// Its output.
    pub output: OutputAudit,
}

/// The output of all attempts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutputAudit {
    /// Attempts with output.
    pub logs: u64,
    /// Bytes that are kept.
    pub bytes: u64,
    /// Logs with a seam that a recovery left.
    pub seams: u64,
    /// Bytes before a mark that are gone, as a recovery said.
    pub stated_loss: u64,
    /// Marks that do not hold.
    pub short: u64,
    /// The first 20 of them: the attempt, its bytes, its mark.
    pub told: Vec<(AttemptId, u64, u64)>,
}

/// Why a run could not be looked over to its end.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The store cannot be read, or what it says does not prove itself.
    #[error("{error}")]
    Store {
        /// What was wrong.
        error: StoreError,
        /// The table it is in, where that is known.
        table: Option<&'static str>,
        /// Facts up to this one were proved.
        good: u64,
    },
    /// An event that this teamtui does not know.
    #[error("event kind {kind} version {version} at seq {seq} is newer than this teamtui")]
    Newer {
        /// Its kind.
        kind: u16,
        /// Its version.
        version: u16,
        /// Where.
        seq: u64,
        /// Which teamtui made the store.
        by: String,
    },
    /// A proved event that cannot be read.
    #[error("{why}")]
    Body {
        /// Where.
        seq: u64,
        /// What the parser said.
        why: String,
    },
}

impl Looked {
    /// Is everything as it should be?
    pub fn holds(&self) -> bool {
        self.strays.is_empty() && self.receipts.faults == 0 && self.output.short == 0
    }
}

/// Looks over the run. Holds it against an owner meanwhile.
pub fn look_over(run: &RunDir) -> Result<Looked, AuditError> {
    match read(run) {
        // What is read proves what it reads; every page by its checksum, too.
        Ok(looked) => pages(run).map(|()| looked),
        // redb gave up, and says neither where nor from which seq on.
        Err(AuditError::Store { error: error @ StoreError::Damaged { .. }, table, good }) => {
            pages(run).and(Err(AuditError::Store { error, table, good }))
        }
        Err(error) => Err(error),
    }
}

fn pages(run: &RunDir) -> Result<(), AuditError> {
    let at = |error| AuditError::Store { error, table: None, good: 0 };
    match inspect(run).map_err(at)? {
        Inspection::Damaged { error, table, from_seq } => {
            Err(AuditError::Store { error, table, good: from_seq.saturating_sub(1) })
        }
        Inspection::Whole(_) => Ok(()),
    }
}

fn read(run: &RunDir) -> Result<Looked, AuditError> {
    let at = |good| move |error| AuditError::Store { error, table: Some("log"), good };
    let reader = Reader::open(run).map_err(at(0))?;
    let mut pass =
        Pass { reader: &reader, snapshots: snapshots(&reader).map_err(at(0))?, ..Pass::new(&reader) };
    for commit in reader.commits(0).map_err(at(0))? {
        let commit = commit.map_err(at(pass.last_seq))?;
        pass.commit(commit.first_seq, commit.last_seq(), &commit.records)?;
        pass.tip = commit.hash;
    }
    let compared = pass.compared;
    let (state, strays) = pass.end()?;
    Ok(Looked {
        commits: pass.commits,
        last_seq: pass.last_seq,
        tip: pass.tip,
        state,
        snapshots: compared,
        strays,
        receipts: std::mem::take(&mut pass.receipts).audit(),
        output: output(run, &pass.marks).map_err(at(pass.last_seq))?,
    })
}

/// The kept snapshots that the fold would begin from, by seq.
fn snapshots(reader: &Reader) -> Result<BTreeMap<u64, State>, StoreError> {
    let mut found = BTreeMap::new();
    let mut upto = Some(reader.last_seq()?);
    while let Some(seq) = upto {
        let Some(snapshot) = reader.snapshot_at(seq, FOLD)? else { break };
        upto = snapshot.seq.checked_sub(1);
        if let Ok(state) = serde_json::from_slice::<State>(&snapshot.body) {
            found.insert(snapshot.seq, state);
        }
    }
    Ok(found)
}

/// One reading of the log.
struct Pass<'a> {
    reader: &'a Reader,
    snapshots: BTreeMap<u64, State>,
    compared: u64,
    strays: Vec<u64>,
    commits: u64,
    last_seq: u64,
    tip: Digest,
    state: State,
    receipts: Receipts,
    /// The last mark of each attempt that was begun.
    marks: BTreeMap<AttemptId, u64>,
}

impl<'a> Pass<'a> {
    fn new(reader: &'a Reader) -> Self {
        Self {
            reader,
            snapshots: BTreeMap::new(),
            compared: 0,
            strays: Vec::new(),
            commits: 0,
            last_seq: 0,
            tip: Digest::ZERO,
            state: State::default(),
            receipts: Receipts::default(),
            marks: BTreeMap::new(),
        }
    }

    fn commit(&mut self, first: u64, last: u64, records: &[crate::store::Record]) -> Result<(), AuditError> {
        let facts = decoded(first, records).map_err(|error| self.unread(error))?;
        facts.iter().for_each(|fact| self.fact(fact));
        self.commits += 1;
        self.last_seq = last;
        if let Some(kept) = self.snapshots.get(&last) {
            self.compared += 1;
            if hash(kept)? != hash(&self.state)? {
                self.strays.push(last);
            }
        }
        Ok(())
    }

    fn fact(&mut self, fact: &Fact) {
        match &fact.event {
            Event::AttemptStarted(e) => drop(self.marks.entry(e.attempt).or_default()),
            Event::OutputMarked(e) => self.mark(e.attempt, e.bytes),
            // All was synced before it was said, but where it is said that it could not be.
            Event::AttemptEnded(e) => {
                let attempt = self.state.live.get(&e.attempt);
                if attempt.is_some_and(|attempt| attempt.output_lost.is_none()) {
                    self.mark(e.attempt, e.output_bytes);
                }
            }
            _ => {}
        }
        self.receipts.fold(&self.state, fact);
        self.state.evolve(fact);
    }

    fn mark(&mut self, attempt: AttemptId, bytes: u64) {
        let mark = self.marks.entry(attempt).or_default();
        *mark = bytes.max(*mark);
    }

    /// The hash of the fold, and every seq at which the store says something else.
    fn end(&mut self) -> Result<(Digest, Vec<u64>), AuditError> {
        self.state.seq = self.state.seq.max(Seq(self.last_seq));
        let folded = hash(&self.state)?;
        let (opened, _) = fold(self.reader).map_err(|error| self.unread(error))?;
        let mut strays = std::mem::take(&mut self.strays);
        if hash(&opened)? != folded && !strays.contains(&self.last_seq) {
            strays.push(self.last_seq);
        }
        Ok((folded, strays))
    }

    fn unread(&self, error: OpenError) -> AuditError {
        match error {
            OpenError::Store(error) => AuditError::Store { error, table: Some("log"), good: self.last_seq },
            OpenError::Decode { seq, why: DecodeError::Newer { kind, version } } => {
                let by = self.reader.meta().birth.created_by.clone();
                AuditError::Newer { kind, version, seq, by }
            }
            OpenError::Decode { seq, why } => AuditError::Body { seq, why: why.to_string() },
        }
    }
}

/// SHA-256 of the canonical bytes of a state.
fn hash(state: &State) -> Result<Digest, AuditError> {
    let bytes = serde_json::to_vec(state)
        .map_err(|error| AuditError::Body { seq: state.seq.0, why: error.to_string() })?;
    Ok(Digest::of(&bytes))
}

fn output(run: &RunDir, marks: &BTreeMap<AttemptId, u64>) -> Result<OutputAudit, StoreError> {
    let mut audit = OutputAudit::default();
    for (attempt, mark) in marks {
        let log = OutputReader::open(&run.attempt_path(attempt.0))?;
        let (total, seam) = (log.total(), log.seam());
        audit.seams += u64::from(seam.is_some());
        audit.logs += u64::from(total > 0);
        let left_out: u64 = log.gaps().iter().map(|gap| gap.bytes).sum();
        audit.bytes = audit.bytes.saturating_add(total.saturating_sub(left_out));
        if total >= *mark {
            continue;
        }
        if seam.is_some_and(|seam| seam.total <= total && seam.mark >= *mark) {
            audit.stated_loss = audit.stated_loss.saturating_add(*mark - total);
            continue;
        }
        audit.short += 1;
        if audit.told.len() < MAX_TOLD {
            audit.told.push((*attempt, total, *mark));
        }
    }
    Ok(audit)
}
