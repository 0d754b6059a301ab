//! The store: one redb file per run, and the raw output of its attempts beside it.
//!
//! This room keeps opaque records. It knows order, hashes, files and locks; what a record means is the
//! domain's business, and the words of a record's `kind` are never read here.
//!
//! ```text
//! STATE/<project key>/standing/          the project's standing run
//! STATE/<project key>/runs/N/            one headless run each
//!     store.redb                         tables log, snapshots, blobs, meta
//!     store.redb.witness                 what was acknowledged last, and whether it was closed then
//!     store.redb.backup-SEQ              backups that end at that seq, three of them
//!     store.redb.damaged-N               what was found damaged, as it was
//!     owner.lock                         flock of the one owner; its content says who
//!     attempts/N/out, out.OFFSET         raw output: the head, then the parts of the tail
//!     attempts/N/index, index.OFFSET     where each piece of output came from, and when
//!     attempts/N/seam                    what a recovery found past the last mark
//!     imported                           where it came from, where it was not run here
//! ```
//!
//! # Tables
//!
//! | table | key | value |
//! |---|---|---|
//! | `log` | `u64`, first seq of a commit | one row, framed as below |
//! | `snapshots` | `u64`, seq | one snapshot, framed in [`snapshot`] |
//! | `blobs` | 32 bytes, SHA-256 of the value | the bytes as they are |
//! | `meta` | a word | see [`schema`] |
//!
//! # A row of `log`, format 1 (all numbers little endian)
//!
//! | at | size | field |
//! |---|---|---|
//! | 0 | 1 | format, `1` |
//! | 1 | 8 | first seq, equal to the key |
//! | 9 | 32 | hash of the row before; zeros before the first |
//! | 41 | 4 | number of records, at least 1 |
//! | 45 | | the records, each: kind `u16`, version `u16`, flags `u8`, body length `u32`, body |
//! | end - 32 | 32 | SHA-256 of every byte before: this row's hash |
//!
//! A row proves itself, and names the row before it: a flipped byte, a cut row, a row under another key and
//! a row that is gone are each found by reading, never by luck.
//!
//! # Invariants
//!
//! - One owner: a [`Store`] holds the [`Owner`] lock of its folder for as long as it lives.
//! - A commit is one redb transaction, on disk when [`Store::commit`] returns. A commit that failed leaves
//!   nothing half-written, and the handle refuses to go on until [`Store::reload`].
//! - Not a byte of a file changes before it is known to be a store of this format, and none by reading.
//! - A panic of redb on a damaged file becomes an error here.
//!
//! # Damage
//!
//! What an opening proves is in the docs of `check`, how a store is restored in those of `restore`. After a clean close an opening
//! believes the witness (and proves every page of a small file); after any other end it proves everything. Whoever owns
//! a damaged run restores it with [`open_or_restore`]; [`inspect`] looks and changes nothing. A commit that failed and
//! left its row in the file may come back, whole, as after a crash: nothing that was acknowledged is lost or changed.

pub mod archive;
mod backup;
mod base;
mod blob;
mod check;
mod codec;
mod digest;
mod dropped;
mod error;
#[cfg(test)]
pub(crate) mod fault;
mod folder;
mod gate;
mod imported;
pub mod limit;
pub mod output;
mod owner;
mod project;
mod reader;
mod restore;
mod restored;
mod run;
mod salvage;
pub mod schema;
pub mod snapshot;
mod starting;
#[cfg(test)]
mod tests;
mod witness;
mod writer;

pub use backup::Backup;
pub use base::is_catching;
pub use blob::Blob;
pub use check::{Inspection, inspect};
pub use codec::{Record, RowFault};
pub use digest::Digest;
pub use dropped::Dropped;
pub use error::{Refusal, StoreError};
pub use imported::ImportNote;
pub use owner::{Owner, OwnerNote, owner_of};
pub use project::{ProjectDir, ProjectKey, StateDir};
pub use reader::{ChainReport, Commit, Commits, Reader};
pub use restore::{mend, open_or_restore, restore};
pub use restored::{Lost, Restored};
pub use run::{RunDir, RunName, RunSize};
pub use schema::{Birth, Meta};
pub use snapshot::{NewSnapshot, Snapshot};
pub use starting::Starting;
pub use witness::Witness;
pub use writer::{Committed, Store};
