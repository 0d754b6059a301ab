//! The tables of a store and what it says about itself.
//!
//! | word in `meta` | value |
//! |---|---|
//! | `app` | `teamtui store` |
//! | `format` | `u32` little endian, now `1` |
//! | `run` | 16 bytes, the run's UUID |
//! | `created_at_ms` | `u64` little endian, wall time |
//! | `created_by` | the version that made it |
//!
//! `app`, `format` and `created_by` keep their place and shape in every format to come: by them an older build
//! knows a newer file.

use std::path::Path;

use redb::{Database, ReadTransaction, ReadableDatabase, TableDefinition, TableError};
use uuid::Uuid;

use super::error::StoreError;

/// The format this build writes, and the newest it reads.
pub const FORMAT: u32 = 1;

pub(crate) const LOG: TableDefinition<u64, &[u8]> = TableDefinition::new("log");
pub(crate) const SNAPSHOTS: TableDefinition<u64, &[u8]> = TableDefinition::new("snapshots");
pub(crate) const BLOBS: TableDefinition<&[u8; 32], &[u8]> = TableDefinition::new("blobs");
pub(crate) const META: TableDefinition<&str, &[u8]> = TableDefinition::new("meta");

const APP: &[u8] = b"teamtui store";
/// The first bytes of every redb file.
const REDB_MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// What a new store is told about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Birth {
    /// The run's identity.
    pub run_id: Uuid,
    /// Wall time in milliseconds since 1970.
    pub created_at_ms: u64,
    /// The version of the program, such as `0.1.0`.
    pub created_by: String,
}

/// What a store says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The format of the file.
    pub format: u32,
    /// When, by whom and as which run it was made.
    pub birth: Birth,
}

/// Makes the tables of a new store, in one transaction.
pub(crate) fn create(db: &Database, birth: &Birth) -> Result<(), redb::Error> {
    create_with_format(db, birth, FORMAT)
}

fn create_with_format(db: &Database, birth: &Birth, format: u32) -> Result<(), redb::Error> {
    let tx = db.begin_write()?;
    tx.open_table(LOG)?;
    tx.open_table(SNAPSHOTS)?;
    tx.open_table(BLOBS)?;
    {
        let mut meta = tx.open_table(META)?;
        meta.insert("app", APP)?;
        meta.insert("format", format.to_le_bytes().as_slice())?;
        meta.insert("run", birth.run_id.as_bytes().as_slice())?;
        meta.insert("created_at_ms", birth.created_at_ms.to_le_bytes().as_slice())?;
        meta.insert("created_by", birth.created_by.as_bytes())?;
    }
    tx.commit()?;
    Ok(())
}

/// Reads what the file says about itself; refuses what is not ours and what is newer.
pub(crate) fn check(db: &Database, path: &Path) -> Result<Meta, StoreError> {
    let tx = db.begin_read().map_err(|error| StoreError::redb(path, error))?;
    let words = Words { tx: &tx, path };
    if words.get("app")?.as_deref() != Some(APP) {
        return Err(foreign(path));
    }
    let format = u32::from_le_bytes(words.fixed("format")?);
    let created_by = String::from_utf8_lossy(&words.some("created_by")?).into_owned();
    if format > FORMAT {
        return Err(StoreError::Newer { path: path.to_owned(), format, known: FORMAT, created_by });
    }
    if format == 0 {
        return Err(foreign(path));
    }
    let run_id = Uuid::from_bytes(words.fixed("run")?);
    let created_at_ms = u64::from_le_bytes(words.fixed("created_at_ms")?);
    Ok(Meta { format, birth: Birth { run_id, created_at_ms, created_by } })
}

/// Whether a file begins as redb files do.
pub(crate) fn begins_as_redb(first: &[u8]) -> bool {
    first.starts_with(REDB_MAGIC)
}

/// Bytes of a file needed to tell that it is a redb file.
pub(crate) const MAGIC_BYTES: usize = REDB_MAGIC.len();

/// What a redb file is that is not ours.
pub(crate) const OTHERS: &str = "a redb file of another program";

fn foreign(path: &Path) -> StoreError {
    StoreError::Foreign { path: path.to_owned(), why: OTHERS }
}

/// The words of `meta` in one transaction.
struct Words<'a> {
    tx: &'a ReadTransaction,
    path: &'a Path,
}

impl Words<'_> {
    /// The value of a word; `None` without it, or without such a table.
    fn get(&self, word: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let table = match self.tx.open_table(META) {
            Ok(table) => table,
            Err(TableError::Storage(error)) => return Err(StoreError::redb(self.path, error)),
            Err(_) => return Ok(None),
        };
        let value = table.get(word).map_err(|error| StoreError::redb(self.path, error))?;
        Ok(value.map(|value| value.value().to_vec()))
    }

    fn some(&self, word: &str) -> Result<Vec<u8>, StoreError> {
        let what = || format!("it does not say its {word}");
        self.get(word)?.ok_or_else(|| StoreError::Damaged { path: self.path.to_owned(), what: what() })
    }

    fn fixed<const N: usize>(&self, word: &str) -> Result<[u8; N], StoreError> {
        let what = |_| StoreError::Damaged { path: self.path.to_owned(), what: format!("its {word} is cut") };
        self.some(word)?.try_into().map_err(what)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A store of a format that is yet to come.
    pub(crate) fn create_newer(path: &Path) {
        let db = Database::create(path).unwrap();
        let birth = Birth { run_id: Uuid::nil(), created_at_ms: 1, created_by: "9.0.0".into() };
        create_with_format(&db, &birth, FORMAT + 1).unwrap();
    }

    #[test]
    fn a_store_says_what_it_was_told_at_its_birth() {
        let db = redb::Builder::new().create_with_backend(redb::backends::InMemoryBackend::new()).unwrap();
        let birth = Birth { run_id: Uuid::from_u128(7), created_at_ms: 5, created_by: "0.1.0".into() };
        create(&db, &birth).unwrap();
        assert_eq!(check(&db, Path::new("x")).unwrap(), Meta { format: FORMAT, birth });
    }
}
