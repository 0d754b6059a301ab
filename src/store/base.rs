//! The redb file under a store or a reader: opening it, and every call into redb.
//!
//! redb trusts its pages and may panic on a damaged file. Every call goes through [`caught`], which makes an
//! error of that. Nothing of redb is used after a panic: the handle is dropped and opened again.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use redb::backends::FileBackend;
use redb::{Database, ReadTransaction, ReadableDatabase, StorageBackend, WriteTransaction};

use super::error::{Refusal, StoreError};
use super::folder;
use super::gate::Gate;
use super::limit;
use super::schema::{self, Birth, Meta};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread, now, would be caught by the store: a panic hook stays silent then.
pub fn is_catching() -> bool {
    CATCHING.get()
}

/// Runs a use of redb; a panic in it says that the file at `path` is damaged.
pub(crate) fn caught<T>(path: &Path, call: impl FnOnce() -> Result<T, Fault>) -> Result<T, StoreError> {
    let outer = CATCHING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    CATCHING.set(outer);
    match outcome {
        Ok(outcome) => outcome.map_err(|fault| fault.at(path)),
        Err(panic) => Err(StoreError::Damaged { path: path.to_owned(), what: said(&*panic) }),
    }
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    format!("redb gave up on it ({text})")
}

/// What can go wrong inside a use of redb.
pub(crate) enum Fault {
    Redb(redb::Error),
    Store(StoreError),
}

impl Fault {
    fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Redb(error) => StoreError::redb(path, error),
            Self::Store(error) => error,
        }
    }
}

macro_rules! fault_from_redb {
    ($($error:ty),*) => {$(
        impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::Redb(error.into())
            }
        }
    )*};
}
fault_from_redb!(
    redb::Error,
    redb::StorageError,
    redb::TableError,
    redb::TransactionError,
    redb::CommitError,
    redb::DatabaseError
);

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Store(StoreError::Refused(refusal))
    }
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// To be written by its owner.
    Write,
    /// To be read; not a byte of it changes.
    Read,
}

/// How much of a file is proved while it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// What redb needs; after an end that was not clean, redb proves its pages all the same.
    Quick,
    /// Every page that can be reached, by its checksum.
    Full,
}

/// What redb did to a file while it opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mending {
    /// It was closed cleanly, and nobody asked.
    None,
    /// Every page of the last commit was proved.
    Proved,
    /// The last commit did not prove itself: the one before it is what is read.
    FellBack,
}

/// What must hold of a file before a byte of it changes.
pub(crate) type Proof<'a> = &'a dyn Fn(&Database, Mending) -> Result<(), Fault>;

/// Where the bytes are: the file, or a backend of a test. Called again for every opening.
pub(crate) type Medium = Box<dyn Fn() -> Result<Box<dyn StorageBackend>, StoreError> + Send + Sync>;

/// An open redb file that can be closed and opened again under its users.
pub(crate) struct Base {
    path: PathBuf,
    medium: Medium,
    db: RwLock<Option<Database>>,
    /// What keeps writes from the file until [`Base::begin`]; a reader's stays shut.
    gate: Option<Gate>,
}

impl std::fmt::Debug for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Base").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Base {
    /// Opens the store in the file at `path`; what is not ours, or newer, is refused untouched.
    pub(crate) fn open_file(path: PathBuf, access: Access) -> Result<(Self, Meta), StoreError> {
        let file = path.clone();
        let medium: Medium = Box::new(move || Ok(Box::new(existing_file(&file, access)?)));
        Self::open(path, medium, access)
    }

    /// The same with as much care as asked for; `proof` must hold. Nothing is written before [`Base::begin`].
    pub(crate) fn open_proved(
        path: PathBuf,
        access: Access,
        care: Care,
        proof: Proof<'_>,
    ) -> Result<(Self, Meta), StoreError> {
        let file = path.clone();
        let medium: Medium = Box::new(move || Ok(Box::new(existing_file(&file, access)?)));
        let (db, meta, gate) = open_database(&path, &medium, access, care, proof)?;
        Ok((Self { path, medium, db: RwLock::new(Some(db)), gate }, meta))
    }

    /// Opens the store in what `medium` gives; `path` is its name in errors.
    pub(crate) fn open(path: PathBuf, medium: Medium, access: Access) -> Result<(Self, Meta), StoreError> {
        let (db, meta, gate) = open_database(&path, &medium, access, Care::Quick, &|_, _| Ok(()))?;
        let base = Self { path, medium, db: RwLock::new(Some(db)), gate };
        base.begin()?;
        Ok((base, meta))
    }

    /// From now on what is written goes to the file; first what redb wrote while it was opened.
    pub(crate) fn begin(&self) -> Result<(), StoreError> {
        let Some(gate) = &self.gate else { return Ok(()) };
        gate.open().map_err(|error| StoreError::file("write", &self.path, error))
    }

    /// Makes a store at `path`, where nothing may be: written beside it, synced, then renamed.
    pub(crate) fn create_file(path: PathBuf, unborn: &Path, birth: &Birth) -> Result<Self, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists { path });
        }
        let db = create_database_at(unborn, birth)?;
        failpoint!("birth.before");
        std::fs::rename(unborn, &path).map_err(|error| StoreError::file("create", &path, error))?;
        failpoint!("birth.after");
        path.parent().map_or(Ok(()), folder::sync)?;
        let file = path.clone();
        let medium: Medium = Box::new(move || Ok(Box::new(existing_file(&file, Access::Write)?)));
        Ok(Self { path, medium, db: RwLock::new(Some(db)), gate: None })
    }

    /// Makes a store at `path`, over what is there; it is nobody's until it is renamed.
    pub(crate) fn create_at(path: &Path, birth: &Birth) -> Result<Self, StoreError> {
        let db = create_database_at(path, birth)?;
        let file = path.to_owned();
        let medium: Medium = Box::new(move || Ok(Box::new(existing_file(&file, Access::Write)?)));
        Ok(Self { path: path.to_owned(), medium, db: RwLock::new(Some(db)), gate: None })
    }

    /// The file, for errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `call` on what is committed now.
    pub(crate) fn read<T>(
        &self,
        call: impl FnOnce(&ReadTransaction) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.with(|db| call(&db.begin_read()?))
    }

    /// Runs `call` in one durable transaction; an error or panic in it commits nothing.
    pub(crate) fn write<T>(
        &self,
        call: impl FnOnce(&WriteTransaction) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.with(|db| {
            let tx = db.begin_write()?;
            let done = call(&tx)?;
            failpoint!("commit.before");
            tx.commit()?;
            failpoint!("commit.after");
            Ok(done)
        })
    }

    fn with<T>(&self, call: impl FnOnce(&Database) -> Result<T, Fault>) -> Result<T, StoreError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let db = db.as_ref().ok_or_else(|| StoreError::Closed { path: self.path.clone() })?;
        caught(&self.path, || call(db))
    }

    /// Closes the file and opens it again, as after a crash.
    pub(crate) fn reopen(&self) -> Result<(), StoreError> {
        let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
        // Dropped first, since it holds the file.
        if let Some(old) = db.take() {
            discard(&self.path, old);
        }
        let opened = open_database(&self.path, &self.medium, Access::Write, Care::Quick, &|_, _| Ok(()));
        let (opened, _, gate) = opened?;
        if let Some(Err(error)) = gate.map(|gate| gate.open()) {
            discard(&self.path, opened);
            return Err(StoreError::file("write", &self.path, error));
        }
        *db = Some(opened);
        Ok(())
    }

    /// Closes the file, leaving it clean; whoever still reads is told [`StoreError::Closed`].
    pub(crate) fn close(&self) -> Result<(), StoreError> {
        let Some(db) = self.db.write().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
        caught(&self.path, || Ok(db.close()?))
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        // A store was closed before this; a reader's gate lets nothing through.
        let _ = self.close();
    }
}

/// Drops what redb may write to, or panic over, on its way out; what it says then is nothing new.
pub(crate) fn discard<T>(path: &Path, old: T) {
    let _ = caught(path, || {
        drop(old);
        Ok(())
    });
}

fn create_database_at(path: &Path, birth: &Birth) -> Result<Database, StoreError> {
    let file = folder::file_options()
        .create(true)
        .truncate(true)
        .open(path)
        .map_err(|error| StoreError::file("create", path, error))?;
    let backend = FileBackend::new(file).map_err(|error| StoreError::redb(path, error))?;
    create_database(path, backend, birth)
}

/// A new database with our tables in it.
pub(crate) fn create_database(
    path: &Path,
    backend: impl StorageBackend,
    birth: &Birth,
) -> Result<Database, StoreError> {
    caught(path, || {
        let db = redb::Builder::new().set_cache_size(limit::CACHE_BYTES).create_with_backend(backend)?;
        schema::create(&db, birth)?;
        Ok(db)
    })
}

/// Opens behind a shut gate and looks whose it is. A writer is given the gate, to open it.
fn open_database(
    path: &Path,
    medium: &Medium,
    access: Access,
    care: Care,
    proof: Proof<'_>,
) -> Result<(Database, Meta, Option<Gate>), StoreError> {
    let backend = medium()?;
    let failed = |error: io::Error| StoreError::file("read", path, error);
    if !is_redb(&*backend).map_err(failed)? {
        return Err(StoreError::Foreign { path: path.to_owned(), why: "not a redb file" });
    }
    let gate = Gate::shut(backend, access == Access::Write).map_err(failed)?;
    let (db, meta) = caught(path, || {
        let (db, mending) = open_backend(gate.clone(), care)?;
        let meta = schema::check(&db, path)?;
        proof(&db, mending)?;
        Ok((db, meta))
    })?;
    Ok((db, meta, (access == Access::Write).then_some(gate)))
}

/// Opens with redb, and says what it did. It tells by how far its repair has come: a part of it is only there when the
/// last commit did not prove itself.
fn open_backend(backend: Gate, care: Care) -> Result<(Database, Mending), Fault> {
    const FELL_BACK: f64 = 0.3;
    let seen = Arc::new(AtomicU8::new(0));
    let saw = Arc::clone(&seen);
    let db = redb::Builder::new()
        .set_cache_size(limit::CACHE_BYTES)
        .set_check_integrity_on_open(care == Care::Full)
        .set_repair_callback(move |session| {
            let fell_back = (session.progress() - FELL_BACK).abs() < f64::EPSILON;
            saw.fetch_max(if fell_back { 2 } else { 1 }, Ordering::Relaxed);
        })
        .create_with_backend(backend)?;
    let mending = match seen.load(Ordering::Relaxed) {
        0 => Mending::None,
        1 => Mending::Proved,
        _ => Mending::FellBack,
    };
    Ok((db, mending))
}

fn is_redb(backend: &dyn StorageBackend) -> io::Result<bool> {
    let mut first = [0; schema::MAGIC_BYTES];
    if backend.len()? < first.len() as u64 {
        return Ok(false);
    }
    backend.read(0, &mut first)?;
    Ok(schema::begins_as_redb(&first))
}

fn existing_file(path: &Path, access: Access) -> Result<FileBackend, StoreError> {
    let file = match access {
        Access::Write => folder::file_options().open(path),
        Access::Read => File::open(path),
    };
    let file = file.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::Missing { path: path.to_owned() },
        _ => StoreError::file("open", path, error),
    })?;
    FileBackend::new(file).map_err(|error| StoreError::redb(path, error))
}
