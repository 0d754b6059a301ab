//! Stores that are damaged at random, and what comes of them when they are opened next.
//!
//! What a store held before is the oracle. A bench may include this file and run more cases.
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use teamtui::store::{
    Backup, Birth, Owner, OwnerNote, Reader, Record, Restored, RunDir, StateDir, Store, StoreError,
    is_catching, open_or_restore,
};

/// Commits of one owner, of 1 to 4 records each.
const COMMITS: usize = 14;

/// What came of all cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Stores that were damaged.
    pub cases: u32,
    /// Opened with every fact that was acknowledged, as if nothing were.
    pub harmless: u32,
    /// Restored with every fact that was acknowledged.
    pub whole: u32,
    /// Restored, and the loss was named exactly.
    pub named: u32,
    /// Restored with every fact that was acknowledged, and nothing was left that knew it: more may be lost, it was said.
    pub unsure: u32,
    /// Restored with a loss that was said to have no known end: nothing was left that knew it.
    pub open: u32,
    /// Refused by name: nothing of it could be read.
    pub refused: u32,
    /// Facts that were not acknowledged so, or a loss that was not said. Must be 0.
    pub wrong: u32,
    /// Panics that reached whoever opened it. Must be 0.
    pub panics: u32,
    /// Damaged files that were not kept byte for byte. Must be 0.
    pub not_kept: u32,
}

impl Counts {
    /// Opened again, with every acknowledged fact or with the loss named exactly.
    pub fn restored(&self) -> u32 {
        self.harmless + self.whole + self.unsure + self.named
    }
}

/// Damages `cases` stores, the same for the same seed.
pub fn run(seed: u64, cases: u32) -> Counts {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        if !is_catching() {
            eprintln!("{info}");
        }
    }));
    let molds = Mold::all(folder.path());
    let mut random = Random(seed);
    let mut counts = Counts::default();
    for number in 0..cases {
        counts.cases += 1;
        let mold = &molds[random.below(molds.len() as u64) as usize];
        let run = mold.pour(folder.path());
        let what = damage(&run, mold, &mut random);
        let before = fs::read(run.store_path()).ok();
        let shown = (counts.wrong, counts.panics, counts.not_kept, counts.open, counts.refused);
        let tried = catch_unwind(AssertUnwindSafe(|| try_one(&run, mold, &mut counts)));
        match tried {
            Err(_) => counts.panics += 1,
            Ok(Some(restored)) => counts.not_kept += u32::from(!is_kept(&run, &restored, before.as_deref())),
            Ok(None) => {}
        }
        let now = (counts.wrong, counts.panics, counts.not_kept, counts.open, counts.refused);
        if shown != now {
            eprintln!("seed {seed} case {number}: {} {what}: {counts:?}", mold.name);
        }
        fs::remove_dir_all(run.path()).unwrap();
    }
    std::panic::set_hook(hook);
    counts
}

fn try_one(run: &RunDir, mold: &Mold, counts: &mut Counts) -> Option<Restored> {
    // Whoever only reads believes nothing that is wrong either.
    if let Ok(records) = Reader::open(run).and_then(|reader| all(&reader))
        && records != mold.records
    {
        counts.wrong += 1;
        return None;
    }
    let (store, restored) = match open_or_restore(owner(run)) {
        Ok(opened) => opened,
        Err(StoreError::Lost { .. }) => {
            counts.refused += 1;
            return None;
        }
        Err(error) => {
            eprintln!("not opened: {error}");
            counts.wrong += 1;
            return None;
        }
    };
    let Ok(records) = all(&store.reader()) else {
        // A row that only the fold reads: the fold restores.
        let owner = store.into_owner().unwrap();
        let error = StoreError::ChainBroken { at_seq: 1 };
        let restored = teamtui::store::restore(&owner, &error).ok()?;
        let (store, _) = open_or_restore(owner).unwrap();
        judge(&all(&store.reader()).unwrap_or_default(), Some(&restored), mold, counts);
        return Some(restored);
    };
    judge(&records, restored.as_ref(), mold, counts);
    drop(store);
    restored
}

fn judge(records: &[Record], restored: Option<&Restored>, mold: &Mold, counts: &mut Counts) {
    let acknowledged = mold.records.len() as u64;
    let count = records.len() as u64;
    if !mold.records.starts_with(records) {
        counts.wrong += 1;
        return;
    }
    let lost = restored.and_then(|restored| restored.lost.as_ref());
    match (restored, lost) {
        (None, _) if count == acknowledged => counts.harmless += 1,
        (Some(_), None) if count == acknowledged => counts.whole += 1,
        (Some(_), Some(lost)) if lost.first_seq == count + 1 => {
            let is_exact = lost.last_seq == Some(acknowledged) && !lost.is_open;
            let is_readable = lost.readable.iter().all(|(seq, record)| {
                usize::try_from(seq - 1).ok().and_then(|at| mold.records.get(at)) == Some(record)
            });
            match (is_readable, is_exact, lost.is_open) {
                (true, false, true) if count == acknowledged => counts.unsure += 1,
                (true, true, _) => counts.named += 1,
                (true, false, true) => counts.open += 1,
                _ => counts.wrong += 1,
            }
        }
        _ => counts.wrong += 1,
    }
}

fn is_kept(run: &RunDir, restored: &Restored, before: Option<&[u8]>) -> bool {
    let kept = restored.damaged.as_ref().map(|name| fs::read(run.path().join(name)).unwrap_or_default());
    kept.as_deref() == before
}

/// A store as it was before it is damaged.
struct Mold {
    name: &'static str,
    files: BTreeMap<String, Vec<u8>>,
    /// Every record that was acknowledged.
    records: Vec<Record>,
    /// The store as it was at an earlier close.
    old: Vec<u8>,
}

impl Mold {
    /// Closed or killed, each with and without backups; and one that is older than its witness.
    fn all(folder: &Path) -> Vec<Self> {
        let made = |name, killed: bool, keeps: &dyn Fn(&str) -> bool| {
            let run = RunFolder::new(&folder.join("molds").join(name)).run;
            let (files, records, old) = write(&run, killed);
            let files = files.into_iter().filter(|(name, _)| keeps(name)).collect();
            Self { name, files, records, old }
        };
        let is_backup = |name: &str| name.contains("backup");
        let oldest_backup = || {
            format!(
                "store.redb.backup-{}",
                (1..)
                    .scan(0, |last, _| {
                        *last += 1 + (*last + 1) % 4;
                        Some(*last)
                    })
                    .nth(COMMITS - 1)
                    .unwrap()
            )
        };
        vec![
            made("closed", false, &|_| true),
            made("killed", true, &|_| true),
            made("killed, one backup", true, &|name| !is_backup(name) || name == oldest_backup()),
            made("closed, no witness", false, &|name| !name.contains("witness")),
            made("killed, no backup", true, &|name| !is_backup(name)),
            made("closed, no backup", false, &|name| !is_backup(name)),
        ]
    }

    fn pour(&self, folder: &Path) -> RunDir {
        let run = RunFolder::new(folder).run;
        for (name, bytes) in &self.files {
            fs::write(run.path().join(name), bytes).unwrap();
        }
        run
    }
}

struct RunFolder {
    run: RunDir,
}

impl RunFolder {
    fn new(state: &Path) -> Self {
        Self { run: StateDir::new(state).project(Path::new("/srv/app")).unwrap().new_run().unwrap() }
    }
}

type Written = (BTreeMap<String, Vec<u8>>, Vec<Record>, Vec<u8>);

/// Three owners in a row; the files as the last one left them, or as it has them open.
fn write(run: &RunDir, killed: bool) -> Written {
    let mut records = Vec::new();
    let mut old = Vec::new();
    for turn in 0..3 {
        let owner = owner(run);
        let mut store = if run.has_store() {
            Store::open(owner).unwrap()
        } else {
            let birth =
                Birth { run_id: uuid::Uuid::from_u128(5), created_at_ms: 5, created_by: "0.1.0".to_owned() };
            Store::create(owner, &birth).unwrap()
        };
        for _ in 0..COMMITS {
            let first = records.len() as u64 + 1;
            let commit: Vec<Record> = (first..=first + first % 4).map(record).collect();
            store.commit(&commit, &[], None).unwrap();
            records.extend(commit);
        }
        if turn == 2 && killed {
            let files = files(run.path());
            drop(store);
            return (files, records, old);
        }
        store.close().unwrap();
        if turn == 1 {
            old = fs::read(run.store_path()).unwrap();
        }
    }
    assert_eq!(Backup::of(run).len(), 3);
    (files(run.path()), records, old)
}

fn record(number: u64) -> Record {
    // Mostly short, as facts are; some fill pages of their own.
    let size = if number.is_multiple_of(19) { 9_000 } else { number % 300 };
    let body = format!("{{\"fact\":{number},\"text\":\"{}\"}}", "x".repeat(size as usize));
    Record { kind: 7, version: 1, flags: 0, body: body.into_bytes() }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|e| e.path().is_file());
    let named = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    entries
        .map(|e| (named(e.path()), fs::read(e.path()).unwrap()))
        .filter(|(n, _)| n != "owner.lock")
        .collect()
}

/// Damages the store, and says how.
fn damage(run: &RunDir, mold: &Mold, random: &mut Random) -> String {
    const PAGE: usize = 4_096;
    let path = run.store_path();
    let mut bytes = fs::read(&path).unwrap();
    let used = bytes.len().min(bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0) + 1);
    let pages = used.div_ceil(PAGE) as u64;
    let page = |random: &mut Random| random.below(pages) as usize * PAGE;
    let what = match random.below(8) {
        0..=2 => {
            let (at, bit) = (random.below(used as u64) as usize, random.below(8));
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at}")
        }
        3 | 4 => {
            let at = page(random);
            let end = (at + PAGE).min(bytes.len());
            bytes[at..end].fill(0);
            format!("page {} zeroed", at / PAGE)
        }
        5 => {
            let at = random.below(bytes.len() as u64) as usize;
            bytes.truncate(at);
            format!("cut at {at}")
        }
        6 => {
            let (one, other) = (page(random), page(random));
            for at in 0..PAGE.min(bytes.len() - one.max(other)) {
                bytes.swap(one + at, other + at);
            }
            format!("pages {} and {} swapped", one / PAGE, other / PAGE)
        }
        _ => {
            bytes.clone_from(&mold.old);
            "old copy".to_owned()
        }
    };
    fs::write(path, bytes).unwrap();
    what
}

fn owner(run: &RunDir) -> Owner {
    let note = OwnerNote {
        pid: std::process::id(),
        since_ms: 0,
        socket: None,
        version: "0.1.0".to_owned(),
        command: "teamtui status".to_owned(),
    };
    Owner::take(run, &note).unwrap()
}

fn all(reader: &Reader) -> Result<Vec<Record>, StoreError> {
    let mut all = Vec::new();
    for commit in reader.commits(0)? {
        all.extend(commit?.records);
    }
    Ok(all)
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}
