//! Writing an archive: every file of it first into one unnamed file as tar, then that compressed beside the target, then
//! renamed. A crash leaves no file of the target's name, and nothing else.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress};
use sha2::{Digest as _, Sha256};

use super::entry::{Entry, Part};
use super::event::EventLine;
use super::mask::Secrets;
use super::{ArchiveError, FORMAT, Head, Listed, Manifest, README, Redacted};
use crate::store::digest::Digest;
use crate::store::reader::Reader;
use crate::store::run::{RunDir, RunName};
use crate::store::{folder, limit};

const BLOCK: u64 = 512;
const FILE_MODE: u32 = 0o600;

/// A text beside the events and the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// What team N declared, as JSON.
    Team(u32, String),
    /// The report for people.
    Report(String),
    /// The report for programs, JSON on one line.
    ReportLine(String),
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// Events in it.
    pub events: u64,
    /// Output logs in it.
    pub logs: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Different secrets that were taken out.
    pub secrets: u64,
}

/// Writes the run that `reader` reads to the file `to`; over one that is there only if it may be replaced.
pub fn export(
    reader: &Reader,
    run: &RunDir,
    texts: &[Text],
    secrets: Secrets,
    to: &Path,
    replace: bool,
) -> Result<Exported, ArchiveError> {
    let exists = || ArchiveError::Exists { path: to.to_owned() };
    if !replace && to.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let parent = to.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |error| ArchiveError::file("write", to, error);
    let mut pack = Pack::new(tempfile::tempfile_in(parent).map_err(failed)?, to, secrets);
    let (events, logs) = pack.run(reader, run, texts)?;
    let mut made = tempfile::Builder::new()
        .prefix(".teamtui-export-")
        .permissions(std::fs::Permissions::from_mode(FILE_MODE))
        .tempfile_in(parent)
        .map_err(failed)?;
    squeeze(pack.tar, made.as_file_mut()).map_err(failed)?;
    made.as_file().sync_all().map_err(failed)?;
    let bytes = made.as_file().metadata().map_err(failed)?.len();
    let persisted = if replace { made.persist(to) } else { made.persist_noclobber(to) };
    persisted.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => exists(),
        _ => failed(error.error),
    })?;
    folder::sync(parent)?;
    Ok(Exported { events, logs, bytes, secrets: pack.secrets.found() })
}

/// Compresses a whole file. The encoder takes no error: the first one is kept, and what comes after goes nowhere.
fn squeeze(mut tar: File, to: &mut File) -> io::Result<()> {
    tar.seek(SeekFrom::Start(0))?;
    let (mut source, mut drain) = (Watched::new(tar), Watched::new(io::BufWriter::new(to)));
    compress(&mut source, &mut drain, CompressionLevel::Fastest);
    source.failed.map_or(Ok(()), Err)?;
    drain.failed.map_or(Ok(()), Err)?;
    drain.inner.flush()
}

/// A stream that remembers its first error and says nothing of it.
struct Watched<T> {
    inner: T,
    failed: Option<io::Error>,
}

impl<T> Watched<T> {
    fn new(inner: T) -> Self {
        Self { inner, failed: None }
    }
}

impl<T: Read> Read for Watched<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.failed.is_some() {
            return Ok(0);
        }
        loop {
            match self.inner.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    return Ok(0);
                }
                read => return read,
            }
        }
    }
}

impl<T: Write> Write for Watched<T> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        if self.failed.is_none()
            && let Err(error) = self.inner.write_all(from)
        {
            self.failed = Some(error);
        }
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A tar archive that is being written.
struct Pack<'a> {
    tar: File,
    /// Its name in errors.
    to: &'a Path,
    secrets: Secrets,
    files: Vec<Listed>,
    redacted: Redacted,
}

impl<'a> Pack<'a> {
    fn new(tar: File, to: &'a Path, secrets: Secrets) -> Self {
        Self { tar, to, secrets, files: Vec::new(), redacted: Redacted::default() }
    }

    /// Everything of the run, in the order of the README; how many events and logs there are.
    fn run(&mut self, reader: &Reader, run: &RunDir, texts: &[Text]) -> Result<(u64, u64), ArchiveError> {
        self.whole(Entry::Readme, README.as_bytes())?;
        self.json(Entry::Head, &head(reader, run))?;
        let (commits, events, tip) = self.events(reader)?;
        let logs = self.logs(run)?;
        for text in texts {
            self.text(text)?;
        }
        let manifest = Manifest {
            format: FORMAT,
            commits,
            events,
            commit: tip.to_string(),
            redacted: Redacted { secrets: self.secrets.found(), ..self.redacted },
            files: std::mem::take(&mut self.files),
        };
        self.json(Entry::Manifest, &manifest)?;
        // Two blocks of zeros end a tar archive.
        self.put(&[0; 2 * BLOCK as usize])?;
        Ok((events, logs))
    }

    fn text(&mut self, text: &Text) -> Result<(), ArchiveError> {
        let (entry, text, is_json) = match text {
            Text::Team(number, text) => (Entry::Team(*number), text, true),
            Text::Report(text) => (Entry::ReportText, text, false),
            Text::ReportLine(text) => (Entry::ReportLines, text, true),
        };
        let bytes = match is_json {
            true => self.secrets.json(text.as_bytes()).unwrap_or_else(|| text.as_bytes().to_vec()),
            false => self.secrets.text(text).into_owned().into_bytes(),
        };
        self.whole(entry, &bytes)
    }

    /// One event a line, each commit proved as it is read.
    fn events(&mut self, reader: &Reader) -> Result<(u64, u64, Digest), ArchiveError> {
        let (mut commits, mut events, mut tip) = (0, 0, Digest::ZERO);
        let mut file = self.begin()?;
        for commit in reader.commits(0)? {
            let commit = commit?;
            let mut lines = Vec::new();
            for (seq, mut record) in (commit.first_seq..).zip(commit.records) {
                if let Some(redacted) = self.secrets.json(&record.body) {
                    record.body = redacted;
                    self.redacted.events += 1;
                }
                let line = EventLine::of(seq, &record, commit.hash);
                serde_json::to_writer(&mut lines, &line).map_err(|error| self.failed(error.into()))?;
                lines.push(b'\n');
                events += 1;
            }
            commits += 1;
            tip = commit.hash;
            self.add(&mut file, &lines)?;
        }
        self.end(Entry::Events, file)?;
        Ok((commits, events, tip))
    }

    /// The output of every attempt, its files as they are named.
    fn logs(&mut self, run: &RunDir) -> Result<u64, ArchiveError> {
        let attempts = run.path().join("attempts");
        let mut numbers: Vec<u64> = names(&attempts)?.iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        let mut logs = 0;
        for attempt in numbers {
            let folder = run.attempt_path(attempt);
            let mut parts: Vec<Part> = names(&folder)?.iter().filter_map(|name| Part::named(name)).collect();
            parts.sort_unstable();
            logs += u64::from(parts.contains(&Part::Data(0)));
            self.log(attempt, &folder, &parts)?;
        }
        Ok(logs)
    }

    /// The files of one log. A secret that runs from one part into the next is found, too.
    fn log(&mut self, attempt: u64, dir: &Path, parts: &[Part]) -> Result<(), ArchiveError> {
        let mut stretch: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut found = false;
        for part in parts {
            let bytes = read(&part.path(dir))?;
            let Part::Data(start) = part else {
                self.whole(Entry::Output { attempt, part: *part }, &bytes)?;
                continue;
            };
            let goes_on = stretch.last().is_some_and(|(from, bytes)| from + bytes.len() as u64 == *start);
            if !goes_on {
                found |= self.stretch(attempt, &mut stretch)?;
            }
            stretch.push((*start, bytes));
        }
        found |= self.stretch(attempt, &mut stretch)?;
        self.redacted.logs += u64::from(found);
        Ok(())
    }

    /// Parts without a gap between them.
    fn stretch(&mut self, attempt: u64, parts: &mut Vec<(u64, Vec<u8>)>) -> Result<bool, ArchiveError> {
        let mut bytes: Vec<u8> = parts.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        let found = self.secrets.cover(&mut bytes);
        let mut rest = bytes.as_slice();
        for (start, part) in parts.drain(..) {
            let (own, after) = rest.split_at_checked(part.len()).unwrap_or((rest, &[]));
            self.whole(Entry::Output { attempt, part: Part::Data(start) }, own)?;
            rest = after;
        }
        Ok(found)
    }

    fn json(&mut self, entry: Entry, value: &impl serde::Serialize) -> Result<(), ArchiveError> {
        let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| self.failed(error.into()))?;
        bytes.push(b'\n');
        self.whole(entry, &bytes)
    }

    fn whole(&mut self, entry: Entry, bytes: &[u8]) -> Result<(), ArchiveError> {
        let mut file = self.begin()?;
        self.add(&mut file, bytes)?;
        self.end(entry, file)
    }

    /// Leaves room for the header: it says how many bytes follow, and that is known at the end.
    fn begin(&mut self) -> Result<Begun, ArchiveError> {
        let at = self.tar.stream_position().map_err(|error| self.failed(error))?;
        self.put(&[0; BLOCK as usize])?;
        Ok(Begun { at, bytes: 0, hash: Sha256::new() })
    }

    fn add(&mut self, file: &mut Begun, bytes: &[u8]) -> Result<(), ArchiveError> {
        file.hash.update(bytes);
        file.bytes = file.bytes.saturating_add(bytes.len() as u64);
        self.put(bytes)
    }

    fn end(&mut self, entry: Entry, file: Begun) -> Result<(), ArchiveError> {
        let name = entry.name();
        if file.bytes > entry.limit() {
            let (bytes, most) = (file.bytes, entry.limit());
            return Err(ArchiveError::refused(format!("{name} has {bytes} bytes, at most {most} go out")));
        }
        let padding = (BLOCK - file.bytes % BLOCK) % BLOCK;
        self.put(&vec![0; usize::try_from(padding).unwrap_or(0)])?;
        let mut header = tar::Header::new_ustar();
        header.set_path(&name).map_err(|error| self.failed(error))?;
        header.set_size(file.bytes);
        header.set_mode(FILE_MODE);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_cksum();
        let written = self.tar.seek(SeekFrom::Start(file.at));
        let written = written.and_then(|_| self.tar.write_all(header.as_bytes()));
        let written = written.and_then(|()| self.tar.seek(SeekFrom::End(0)));
        written.map_err(|error| self.failed(error))?;
        let sha256 = Digest::from_bytes(file.hash.finalize().into()).to_string();
        self.files.push(Listed { name, bytes: file.bytes, sha256 });
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.tar.write_all(bytes).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> ArchiveError {
        ArchiveError::file("write", self.to, error)
    }
}

/// A file of the archive that is being written.
struct Begun {
    at: u64,
    bytes: u64,
    hash: Sha256,
}

fn head(reader: &Reader, run: &RunDir) -> Head {
    let birth = &reader.meta().birth;
    Head {
        format: FORMAT,
        teamtui: env!("CARGO_PKG_VERSION").to_owned(),
        run: match run.name() {
            RunName::Numbered(number) => Some(number),
            RunName::Standing => None,
        },
        run_id: birth.run_id,
        created_at_ms: birth.created_at_ms,
        created_by: birth.created_by.clone(),
    }
}

/// The names in a folder; none where it is not there.
fn names(folder: &Path) -> Result<Vec<String>, ArchiveError> {
    let failed = |error| ArchiveError::file("list", folder, error);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(failed)?.file_name().into_string().ok());
    }
    Ok(names)
}

/// A file of an output log, whole: it is no link, and no larger than any that is written.
fn read(path: &Path) -> Result<Vec<u8>, ArchiveError> {
    let failed = |error| ArchiveError::file("read", path, error);
    let meta = path.symlink_metadata().map_err(failed)?;
    if !meta.is_file() || meta.len() > super::LOG_BYTES {
        let why = format!("{} is no output log: it is a link, or too large", path.display());
        return Err(ArchiveError::refused(why));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(limit::OUTPUT_READ_BYTES));
    let file = File::open(path).map_err(failed)?;
    file.take(super::LOG_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}
