//! Taking an archive in. Nothing of it is trusted: every name is one we write, every size is bounded, every byte is hashed,
//! and the run comes to be by one rename at the end. Whatever is wrong, nothing is left behind.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

use super::entry::{Entry, Part};
use super::event::{EventLine, LINE_BYTES};
use super::log::Log;
use super::stream::{Bounded, Hashed};
use super::{ArchiveError, FILES, FORMAT, Head, Manifest, UNPACKED_BYTES, WINDOW_BYTES};
use crate::store::base::Base;
use crate::store::codec::Record;
use crate::store::digest::Digest;
use crate::store::imported::ImportNote;
use crate::store::owner::{Owner, OwnerNote};
use crate::store::project::ProjectDir;
use crate::store::run::{RunDir, RunName};
use crate::store::schema::Birth;
use crate::store::{StoreError, folder};

/// How the folders of runs begin that are being made.
const ASIDE: &str = ".import-";
/// A folder that was touched since may be one whose maker has not locked it yet.
const FRESH: std::time::Duration = std::time::Duration::from_mins(1);
/// Bytes read at once.
const PIECE: usize = 64 << 10;

/// What was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The run it is now.
    pub run: RunDir,
    /// Where it came from.
    pub note: ImportNote,
    /// Events in it.
    pub events: u64,
    /// Commits in it.
    pub commits: u64,
    /// Output logs in it.
    pub logs: u64,
}

/// Makes a run of the project from the archive. `check` is asked of each record, with its seq.
pub fn import(
    archive: impl Read,
    project: &ProjectDir,
    owner: &OwnerNote,
    check: impl Fn(u64, &Record) -> Result<(), String>,
) -> Result<Imported, ArchiveError> {
    let runs = project.path().join("runs");
    let failed = |error| ArchiveError::file("write", &runs, error);
    sweep(project)?;
    let aside = tempfile::Builder::new()
        .prefix(ASIDE)
        .permissions(fs::Permissions::from_mode(0o700))
        .tempdir_in(&runs)
        .map_err(failed)?;
    let unnamed = RunDir::new(aside.path().to_owned(), RunName::Standing);
    // Held to the end: what has no holder is left over from a crash.
    let lock = Owner::take(&unnamed, owner)?;
    let taken = Taking::new(&unnamed, &check).all(archive, owner.since_ms)?;
    sync_all(aside.path())?;
    let run = project.new_run()?;
    // Over an empty folder a rename is one step.
    if let Err(error) = fs::rename(aside.path(), run.path()) {
        // It was empty, and is not needed.
        let _ = fs::remove_dir(run.path());
        return Err(failed(error));
    }
    let _ = aside.keep();
    folder::sync(&runs)?;
    drop(lock);
    Ok(Imported { run, ..taken })
}

/// Deletes what imports left that did not come to their end.
pub(crate) fn sweep(project: &ProjectDir) -> Result<(), StoreError> {
    let runs = project.path().join("runs");
    let failed = |error| StoreError::file("list", &runs, error);
    for entry in fs::read_dir(&runs).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_aside = entry.file_name().to_str().is_some_and(|name| name.starts_with(ASIDE));
        if !is_aside || !entry.file_type().map_err(failed)?.is_dir() {
            continue;
        }
        let touched = entry.metadata().and_then(|meta| meta.modified()).ok();
        let run = RunDir::new(entry.path(), RunName::Standing);
        if touched.and_then(|at| at.elapsed().ok()).is_none_or(|age| age < FRESH) {
            continue;
        }
        if crate::store::owner_of(&run).is_ok_and(|owner| owner.is_none()) {
            fs::remove_dir_all(entry.path())
                .map_err(|error| StoreError::file("delete", &entry.path(), error))?;
        }
    }
    Ok(())
}

/// Every folder and file under it is on the disk.
fn sync_all(path: &Path) -> Result<(), ArchiveError> {
    let failed = |error| ArchiveError::file("sync", path, error);
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            sync_all(&entry.path())?;
        }
    }
    Ok(folder::sync(path)?)
}

/// An archive that is being taken in.
struct Taking<'a, C> {
    run: &'a RunDir,
    check: &'a C,
    head: Option<Head>,
    manifest: Option<Manifest>,
    /// Size and hash of what was read, by name.
    seen: BTreeMap<String, (u64, Digest)>,
    log: Option<Log>,
    logs: u64,
    /// The end of each part of an output log, by attempt and start.
    parts: BTreeMap<(u64, u64), u64>,
}

impl<'a, C: Fn(u64, &Record) -> Result<(), String>> Taking<'a, C> {
    fn new(run: &'a RunDir, check: &'a C) -> Self {
        let (seen, parts) = (BTreeMap::new(), BTreeMap::new());
        Self { run, check, head: None, manifest: None, seen, log: None, logs: 0, parts }
    }

    fn all(mut self, archive: impl Read, at_ms: u64) -> Result<Imported, ArchiveError> {
        let unread = |error: io::Error| ArchiveError::refused(format!("it cannot be unpacked: {error}"));
        let decoder = StreamingDecoder::new_with_max_window_size(BufReader::new(archive), WINDOW_BYTES)
            .map_err(|error| ArchiveError::refused(format!("it is no archive under zstd: {error}")))?;
        let mut tar = tar::Archive::new(Bounded::new(decoder, UNPACKED_BYTES));
        for file in tar.entries().map_err(unread)?.raw(true) {
            let mut file = file.map_err(unread)?;
            let entry = self.admitted(&file)?;
            self.take(entry, &mut file)?;
        }
        self.end(at_ms)
    }

    /// The file by its name, if it may be there.
    fn admitted<R: Read>(&self, file: &tar::Entry<'_, R>) -> Result<Entry, ArchiveError> {
        let name = String::from_utf8_lossy(&file.path_bytes()).into_owned();
        let shown = crate::text::sanitise::line(&name).into_owned();
        if !file.header().entry_type().is_file() {
            return Err(ArchiveError::refused(format!("`{shown}` is no plain file")));
        }
        let entry = Entry::named(&name)
            .ok_or_else(|| ArchiveError::refused(format!("`{shown}` is no name in such an archive")))?;
        if self.seen.contains_key(&name) {
            return Err(ArchiveError::refused(format!("`{shown}` is there twice")));
        }
        if self.manifest.is_some() {
            return Err(ArchiveError::refused(format!("`{shown}` comes after the manifest")));
        }
        if self.seen.len() >= FILES {
            return Err(ArchiveError::refused(format!("it has more than {FILES} files")));
        }
        if file.size() > entry.limit() {
            let (bytes, most) = (file.size(), entry.limit());
            return Err(ArchiveError::refused(format!(
                "`{shown}` has {bytes} bytes, at most {most} are taken"
            )));
        }
        Ok(entry)
    }

    fn take(&mut self, entry: Entry, file: &mut impl Read) -> Result<(), ArchiveError> {
        let mut file = Hashed::new(file);
        match entry {
            Entry::Head => self.head = Some(parsed(entry, &mut file)?),
            Entry::Manifest => self.manifest = Some(parsed(entry, &mut file)?),
            Entry::Events => self.events(&mut file)?,
            Entry::Output { attempt, part } => {
                let folder = self.run.attempt_path(attempt);
                fs::create_dir_all(&folder)
                    .map_err(|error| ArchiveError::file("make the folder", &folder, error))?;
                self.logs += u64::from(part == Part::Data(0));
                written(&part.path(&folder), &mut file)?;
            }
            // Made anew from the events: it is only proved to be what was packed.
            Entry::Readme | Entry::Team(_) | Entry::ReportText | Entry::ReportLines => {}
        }
        io::copy(&mut file, &mut io::sink()).map_err(|error| {
            ArchiveError::refused(format!("`{}` cannot be unpacked: {error}", entry.name()))
        })?;
        let (bytes, hash) = file.end();
        if let Entry::Output { attempt, part: Part::Data(start) } = entry {
            self.parts.insert((attempt, start), start.saturating_add(bytes));
        }
        self.seen.insert(entry.name(), (bytes, hash));
        Ok(())
    }

    fn events(&mut self, file: &mut impl Read) -> Result<(), ArchiveError> {
        let head =
            self.head.as_ref().ok_or_else(|| ArchiveError::refused("its events come before `run.json`"))?;
        if head.format == 0 || head.format > FORMAT {
            let (format, by) = (head.format, crate::text::sanitise::line(&head.teamtui).into_owned());
            return Err(ArchiveError::refused(format!(
                "it has the format {format}, written by teamtui {by}; known is {FORMAT}"
            )));
        }
        let birth = Birth {
            run_id: head.run_id,
            created_at_ms: head.created_at_ms,
            created_by: head.created_by.chars().take(64).collect(),
        };
        let base = Base::create_file(self.run.store_path(), &self.run.unborn_path(), &birth)?;
        let mut log = Log::new(base);
        let mut lines = BufReader::with_capacity(PIECE, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let unread =
                |error: io::Error| ArchiveError::refused(format!("its events cannot be unpacked: {error}"));
            let most = u64::try_from(LINE_BYTES).unwrap_or(u64::MAX);
            if (&mut lines).take(most).read_until(b'\n', &mut line).map_err(unread)? == 0 {
                break;
            }
            let seq = log.seq.saturating_add(1);
            let event: EventLine = serde_json::from_slice(&line).map_err(|error| {
                ArchiveError::refused(format!("the event at seq {seq} cannot be read: {error}"))
            })?;
            if event.seq != seq {
                return Err(ArchiveError::refused(format!(
                    "seq {} stands where seq {seq} belongs",
                    event.seq
                )));
            }
            let (record, commit) = event.record()?;
            (self.check)(seq, &record).map_err(|why| {
                let why = crate::text::sanitise::line(&why).into_owned();
                ArchiveError::refused(format!("the event at seq {seq} cannot be read: {why}"))
            })?;
            log.push(record, commit)?;
        }
        log.end()?;
        self.log = Some(log);
        Ok(())
    }

    /// No byte of an output log is there twice, and none lies beyond what can be counted.
    fn check_parts(&self) -> Result<(), ArchiveError> {
        let most = u64::try_from(i64::MAX).unwrap_or(u64::MAX);
        let mut before: Option<(u64, u64)> = None;
        for ((attempt, start), end) in &self.parts {
            let overlaps = before.is_some_and(|(of, end)| of == *attempt && end > *start);
            if overlaps || *end > most {
                let why = format!("the parts of the output of attempt {attempt} do not fit each other");
                return Err(ArchiveError::refused(why));
            }
            before = Some((*attempt, *end));
        }
        Ok(())
    }

    /// Everything is there, and is what the manifest says; the chain is the one that was stored, where it can be.
    fn end(mut self, at_ms: u64) -> Result<Imported, ArchiveError> {
        self.check_parts()?;
        let missing = |what: &str| ArchiveError::refused(format!("`{what}` is missing"));
        let head = self.head.take().ok_or_else(|| missing("run.json"))?;
        let manifest = self.manifest.take().ok_or_else(|| missing("manifest.json"))?;
        let log = self.log.take().ok_or_else(|| missing("events.ndjson"))?;
        if manifest.format == 0 || manifest.format > FORMAT {
            return Err(ArchiveError::refused(format!(
                "its manifest has the unknown format {}",
                manifest.format
            )));
        }
        self.seen.remove(&Entry::Manifest.name());
        for listed in &manifest.files {
            let shown = crate::text::sanitise::line(&listed.name);
            match self.seen.remove(&listed.name) {
                None => return Err(missing(&shown)),
                Some((bytes, hash)) if bytes == listed.bytes && hash.to_string() == listed.sha256 => {}
                Some(_) => return Err(ArchiveError::refused(format!("`{shown}` does not match its hash"))),
            }
        }
        if let Some(name) = self.seen.keys().next() {
            return Err(ArchiveError::refused(format!("`{name}` is not in the manifest")));
        }
        if (log.commits, log.seq) != (manifest.commits, manifest.events) || log.seq == 0 {
            return Err(ArchiveError::refused("its events are not as many as the manifest says"));
        }
        if manifest.redacted.events == 0 {
            if let Some(seq) = log.stray {
                return Err(ArchiveError::refused(format!(
                    "the commit at seq {seq} does not match its hash"
                )));
            }
            if log.tip.to_string() != manifest.commit {
                return Err(ArchiveError::refused("its last commit is not the one that the manifest names"));
            }
        }
        let (commits, events) = (log.commits, log.seq);
        log.base.close()?;
        let note = ImportNote {
            at_ms,
            from_run: head.run,
            secrets: manifest.redacted.secrets,
            redacted_events: manifest.redacted.events,
        };
        self.run.mark_imported(&note)?;
        let run = self.run.clone();
        Ok(Imported { run, note, events, commits, logs: self.logs })
    }
}

fn parsed<T: serde::de::DeserializeOwned>(entry: Entry, file: &mut impl Read) -> Result<T, ArchiveError> {
    let wrong = |why: String| ArchiveError::refused(format!("`{}` cannot be read: {why}", entry.name()));
    let mut bytes = Vec::new();
    file.take(entry.limit()).read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))
}

/// Writes a file that was not there, and syncs it.
fn written(path: &Path, from: &mut impl Read) -> Result<(), ArchiveError> {
    let failed = |error| ArchiveError::file("write", path, error);
    let mut file: File = folder::file_options().create_new(true).open(path).map_err(failed)?;
    let mut piece = vec![0; PIECE];
    loop {
        let read = from
            .read(&mut piece)
            .map_err(|error| ArchiveError::refused(format!("it cannot be unpacked: {error}")))?;
        let Some(piece) = piece.get(..read).filter(|piece| !piece.is_empty()) else { break };
        file.write_all(piece).map_err(failed)?;
    }
    file.sync_all().map_err(failed)
}
