//! Limits of the store: each with its reason and what happens at it.

/// Bytes of redb's page cache; more only costs memory (measured: the default takes 218 MB for a fold).
pub const CACHE_BYTES: usize = 8 << 20;

/// Most records in one commit; a larger one is refused. A group commit stays far below.
pub const COMMIT_RECORDS: usize = 65_536;

/// Most bytes of one record's body; a larger one is refused. Long results and transcripts are blobs.
pub const RECORD_BYTES: usize = 8 << 20;

/// Most bytes of one row of the log, so that reading one row never takes more memory; refused above.
pub const ROW_BYTES: usize = 64 << 20;

/// Most bytes of one blob or snapshot; a larger one is refused.
pub const BLOB_BYTES: usize = 256 << 20;

/// Snapshots kept; older ones are dropped by the commit that adds one.
pub const SNAPSHOTS_KEPT: usize = 2;

/// Most bytes redb may want to write before a file is known to be ours; above, the open is refused.
pub const HELD_BYTES: usize = 64 << 20;

/// Up to this size a store is proved page by page at every opening; above, only after an end that was not clean (each
/// row that is read proves itself all the same).
pub const SMALL_STORE_BYTES: u64 = 2 << 20;

/// Backups kept; the oldest goes when a new one is whole.
pub const BACKUPS_KEPT: usize = 3;

/// Bytes of rows in one transaction of a backup or a restored store, so that it takes little memory.
pub const COPY_BYTES: usize = 4 << 20;

/// Bytes of a damaged file that are searched at a time; a row that is longer is read by itself.
pub const SEARCH_BYTES: usize = 1 << 20;

/// Most records behind a gap whose words are kept, to say what was lost; the rest is counted.
pub const LOST_RECORDS: usize = 200;

/// Most bytes of them.
pub const LOST_BYTES: usize = 256 << 10;

/// Damaged files are set aside under numbers up to this; then restoring is refused until some are moved away.
pub const DAMAGED_FILES: u64 = 10_000;

/// Most bytes read of a lock's content; the rest is not looked at.
pub const OWNER_NOTE_BYTES: u64 = 4_096;

/// How often a refused lock without a name in it is tried again, 5 ms apart: a reader is gone by then.
pub const LOCK_TRIES: u32 = 20;

/// Tries to make the next numbered run while others make theirs; then it is an error.
pub const RUN_TRIES: u32 = 1_000;

/// Characters of a project's readable tail in the name of its folder; the hash before it tells them apart.
pub const PROJECT_TAIL_CHARS: usize = 32;

/// Bytes of one attempt's output kept, half from its start and half from its end; the rest is counted only.
pub const OUTPUT_BYTES: u64 = 64 << 20;

/// The tail is kept in this many parts; the oldest goes when a new one is begun.
pub const TAIL_PARTS: u64 = 8;

/// Bytes of output gathered before one write to the file.
pub const OUTPUT_BUFFER_BYTES: usize = 64 << 10;

/// Output of one stream within this time is one entry of the index.
pub const INDEX_GRAIN_MS: u64 = 50;

/// Entries of one part's index beyond one per 64 bytes of output; then entries grow longer instead.
pub const INDEX_SPARE_ENTRIES: u64 = 256;

/// Most bytes or index entries one read of an output log gives back; ask again for more.
pub const OUTPUT_READ_BYTES: usize = 1 << 20;
