//! The store of a run, opened by its owner or read while nobody owns it. A damaged one is restored first, by whoever may
//! write it.
use super::clock::wall_ms;
use super::engine::{Journal, OpenError, decoded, fold};
use super::owner::OwnerError;
use crate::domain::{DecodeError, Fact, RunHeader, Seq, State};
use crate::store::{
    Birth, Owner, OwnerNote, Reader, Restored, RunDir, Store, Witness, mend, open_or_restore, restore,
};

/// Takes a run: its log, folded, and what was restored of it. What is newer is left as it is.
pub(super) fn open(
    run: &RunDir,
    note: &OwnerNote,
    header: Option<&RunHeader>,
) -> Result<(Journal, State, Option<Restored>), OwnerError> {
    let owner = Owner::take(run, note)?;
    let (store, restored) = match header.filter(|_| !run.has_store()) {
        Some(header) => (Store::create(owner, &birth(header)?)?, None),
        None => open_or_restore(owner)?,
    };
    let last = store.last_seq();
    let mut journal = Journal::new(store);
    let opened = loaded(run, last, journal.load(), journal, restored);
    if let Ok((_, state, Some(_))) = &opened {
        run.set_aside_attempts(state.last_attempt.0)?;
    }
    opened
}

fn loaded(
    run: &RunDir,
    last: u64,
    state: Result<State, OpenError>,
    mut journal: Journal,
    restored: Option<Restored>,
) -> Result<(Journal, State, Option<Restored>), OwnerError> {
    match state {
        Ok(state) if state.seq.0 > last => {
            Err(OwnerError::Log(format!("the log ends at seq {last}, its fold at {}", state.seq)))
        }
        Ok(state) => {
            journal.begin()?;
            Ok((journal, state, restored))
        }
        // A row that only the fold reads.
        Err(OpenError::Store(error)) if error.is_damage() && restored.is_none() => {
            let Some(owner) = journal.into_owner() else { return Err(error.into()) };
            let restored = restore(&owner, &error)?;
            let mut journal = Journal::new(open_or_restore(owner)?.0);
            let state = journal.load().map_err(|error| refused(run, error))?;
            journal.begin()?;
            Ok((journal, state, Some(restored)))
        }
        Err(error) => Err(refused(run, error)),
    }
}

fn birth(header: &RunHeader) -> Result<Birth, OwnerError> {
    let run_id =
        header.run.parse().map_err(|e| OwnerError::Log(format!("the run's identity is no UUID: {e}")))?;
    Ok(Birth { run_id, created_at_ms: wall_ms(), created_by: env!("CARGO_PKG_VERSION").to_owned() })
}

/// Why a log cannot be folded; of a newer one, who wrote it.
fn refused(run: &RunDir, error: OpenError) -> OwnerError {
    match error {
        OpenError::Store(store) => store.into(),
        OpenError::Decode { why: DecodeError::Newer { kind, version }, .. } => {
            let written_by = Witness::read(run).map(|witness| witness.written_by);
            let written_by = written_by.unwrap_or_else(|| "of a later version".to_owned());
            OwnerError::Newer { kind, version, written_by }
        }
        decode @ OpenError::Decode { .. } => OwnerError::Log(decode.to_string()),
    }
}

/// The state of a run that nobody owns, for reading commands. A damaged one is an error, and left as it is.
pub fn read_run(run: &RunDir) -> Result<State, OwnerError> {
    let reader = Reader::open(run)?;
    Ok(fold(&reader).map_err(|error| refused(run, error))?.0)
}

/// The same; a damaged run is owned, restored and given back first.
pub fn read_or_restore(run: &RunDir, command: &str) -> Result<(State, Option<Restored>), OwnerError> {
    match read_run(run) {
        Err(OwnerError::Store(error)) if error.is_damage() => {
            let restored = restore_unowned(run, command)?;
            Ok((read_run(run)?, restored))
        }
        read => Ok((read?, None)),
    }
}

/// Restores what is damaged of a run that nobody owns; none where nothing is.
pub fn restore_unowned(run: &RunDir, command: &str) -> Result<Option<Restored>, OwnerError> {
    // Given back as it was opened: nothing but what was restored is written.
    let (_, _, restored) = open(run, &note(command), None)?;
    Ok(restored)
}

/// The same after a reader found damage that an opening does not look at: everything is proved.
pub fn mend_unowned(run: &RunDir, command: &str) -> Result<Option<Restored>, OwnerError> {
    Ok(mend(&Owner::take(run, &note(command))?)?)
}

fn note(command: &str) -> OwnerNote {
    OwnerNote {
        pid: std::process::id(),
        since_ms: wall_ms(),
        socket: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
    }
}

/// The facts of a run that nobody owns, in order, from the commit on that holds `from`: each commit is handed to `each`,
/// until it says that it has enough.
pub fn read_facts(
    run: &RunDir,
    from: Seq,
    mut each: impl FnMut(Vec<Fact>) -> bool,
) -> Result<(), OwnerError> {
    for commit in Reader::open(run)?.commits(from.0)? {
        let commit = commit?;
        let facts = decoded(commit.first_seq, &commit.records).map_err(|error| refused(run, error))?;
        if !each(facts) {
            break;
        }
    }
    Ok(())
}
