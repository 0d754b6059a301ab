//! Out and in again, and everything that may not come in.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;
use crate::store::output::{OutputLog, OutputReader, Stream};
use crate::store::{Birth, Dropped, Owner, OwnerNote, ProjectDir, Reader, Record, RunDir, StateDir, Store};

const BLOCKS: usize = 1_024;

fn note() -> OwnerNote {
    OwnerNote { pid: 7, since_ms: 5, socket: None, version: "0".into(), command: "import".into() }
}

fn record(kind: u16, body: &str) -> Record {
    Record { kind, version: 1, flags: 0, body: body.as_bytes().to_vec() }
}

struct House {
    dir: tempfile::TempDir,
    project: ProjectDir,
    run: RunDir,
}

/// A project with one run: two commits, one of them with bytes that are no text, and one log.
fn house() -> House {
    let dir = tempfile::tempdir().unwrap();
    let project = StateDir::new(dir.path().join("state")).project(dir.path()).unwrap();
    let run = project.new_run().unwrap();
    let birth = Birth { run_id: uuid::Uuid::from_u128(9), created_at_ms: 3, created_by: "0.1.0".into() };
    let mut store = Store::create(Owner::take(&run, &note()).unwrap(), &birth).unwrap();
    store.commit(&[record(1, "{\"t\":1}\n{\"a\":\"hunter22x\"}"), record(2, "two")], &[], None).unwrap();
    let raw = Record { body: vec![0xff, 0, 10], ..record(900, "") };
    store.commit(&[raw], &[], None).unwrap();
    store.close().unwrap();
    let mut log = OutputLog::create(&run.attempt_path(1), 64).unwrap();
    log.append(4, Stream::Stdout, b"0123456789 the secret is hunter22x and goes on and on\n").unwrap();
    log.sync().unwrap();
    House { dir, project, run }
}

impl House {
    fn out(&self) -> PathBuf {
        self.dir.path().join("run.tar.zst")
    }

    fn export(&self, secrets: Secrets) -> Result<Exported, ArchiveError> {
        let texts = [Text::Team(1, "{\"x\":\"hunter22x\"}\n".into()), Text::Report("r\n".into())];
        let reader = Reader::open(&self.run).unwrap();
        export(&reader, &self.run, &texts, secrets, &self.out(), true)
    }

    fn import(&self, bytes: &[u8]) -> Result<Imported, ArchiveError> {
        import(bytes, &self.project, &note(), |_, _| Ok(()))
    }

    fn left(&self) -> Vec<String> {
        let runs = std::fs::read_dir(self.project.path().join("runs")).unwrap();
        let mut names: Vec<String> = runs.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn none() -> Secrets {
    Secrets::of([])
}

/// A file of a tar archive, as it may be told wrongly.
#[derive(Debug, Clone)]
struct Piece {
    name: String,
    kind: tar::EntryType,
    bytes: Vec<u8>,
    /// What its header says, where that is not so.
    size: Option<u64>,
}

fn plain(name: &str, bytes: &[u8]) -> Piece {
    Piece { name: name.into(), kind: tar::EntryType::Regular, bytes: bytes.to_vec(), size: None }
}

fn unpacked(path: &Path) -> Vec<Piece> {
    let file = std::fs::File::open(path).unwrap();
    let mut tar = tar::Archive::new(ruzstd::decoding::StreamingDecoder::new(file).unwrap());
    let entries = tar.entries().unwrap();
    let piece = |mut entry: tar::Entry<'_, _>| {
        let mut bytes = Vec::new();
        let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        Read::read_to_end(&mut entry, &mut bytes).unwrap();
        plain(&name, &bytes)
    };
    entries.map(|entry| piece(entry.unwrap())).collect()
}

fn packed(pieces: &[Piece]) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces {
        let mut header = tar::Header::new_gnu();
        let room = &mut header.as_old_mut().name;
        let name = piece.name.as_bytes();
        room[..name.len()].copy_from_slice(name);
        header.set_size(piece.size.unwrap_or(piece.bytes.len() as u64));
        header.set_entry_type(piece.kind);
        header.set_mode(0o777);
        if piece.kind != tar::EntryType::Regular {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        out.write_all(header.as_bytes()).unwrap();
        out.write_all(&piece.bytes).unwrap();
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + BLOCKS, 0);
    compress_to_vec(out.as_slice(), CompressionLevel::Fastest)
}

/// The files, with the manifest made to fit them.
fn fitting(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let manifest = pieces.pop().unwrap();
    let mut said: Manifest = serde_json::from_slice(&manifest.bytes).unwrap();
    let listed = |piece: &Piece| Listed {
        name: piece.name.clone(),
        bytes: piece.bytes.len() as u64,
        sha256: crate::store::Digest::of(&piece.bytes).to_string(),
    };
    said.files = pieces.iter().map(listed).collect();
    pieces.push(plain("manifest.json", &serde_json::to_vec(&said).unwrap()));
    pieces
}

#[test]
fn a_run_that_goes_out_and_comes_in_is_the_same_run() {
    let house = house();
    let exported = house.export(none()).unwrap();
    assert_eq!((exported.events, exported.logs, exported.secrets), (3, 1, 0));
    let bytes = std::fs::read(house.out()).unwrap();
    assert_eq!(exported.bytes, bytes.len() as u64);
    let imported = house.import(&bytes).unwrap();
    assert_eq!((imported.events, imported.commits, imported.logs), (3, 2, 1));
    assert!(imported.note.is_proved() && imported.note.from_run == Some(1));
    let (one, two) = (Reader::open(&house.run).unwrap(), Reader::open(&imported.run).unwrap());
    let all = |reader: &Reader| reader.commits(0).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(all(&one), all(&two));
    assert_eq!(one.meta(), two.meta());
    let shown = |run: &RunDir| OutputReader::open(&run.attempt_path(1)).unwrap().read(0, 99).unwrap();
    assert_eq!(shown(&house.run), shown(&imported.run));
    // Nobody will own it, and its number is its own.
    assert!(matches!(Owner::take(&imported.run, &note()), Err(StoreError::Imported { .. })));
    assert!(matches!(house.project.drop_run(&imported.run, &note()), Err(StoreError::Imported { .. })));
    assert_eq!(house.left(), ["1", "2"]);
}

#[test]
fn secrets_go_out_nowhere_and_the_chain_is_said_to_be_new() {
    let house = house();
    let secrets = Secrets::of([("THE_TOKEN".to_owned(), "hunter22x".to_owned())]);
    let exported = house.export(secrets).unwrap();
    assert_eq!(exported.secrets, 1);
    for piece in unpacked(&house.out()) {
        let text = String::from_utf8_lossy(&piece.bytes);
        assert!(!text.contains("hunter"), "{}: {text}", piece.name);
    }
    let imported = house.import(&std::fs::read(house.out()).unwrap()).unwrap();
    assert_eq!((imported.note.secrets, imported.note.redacted_events), (1, 1));
    Reader::open(&imported.run).unwrap().verify_chain().unwrap();
    let chunk = OutputReader::open(&imported.run.attempt_path(1)).unwrap();
    assert_eq!(chunk.total(), OutputReader::open(&house.run.attempt_path(1)).unwrap().total());
}

#[test]
fn a_file_that_is_there_is_not_written_over_and_a_link_is_not_followed() {
    let house = house();
    let reader = Reader::open(&house.run).unwrap();
    let to = |path: &Path, replace| export(&reader, &house.run, &[], none(), path, replace);
    let canary = house.dir.path().join("canary");
    std::fs::write(&canary, "kept").unwrap();
    assert!(matches!(to(&canary, false), Err(ArchiveError::Exists { .. })));
    std::os::unix::fs::symlink(&canary, house.out()).unwrap();
    assert!(matches!(to(&house.out(), false), Err(ArchiveError::Exists { .. })));
    to(&house.out(), true).unwrap();
    assert_eq!(std::fs::read(&canary).unwrap(), b"kept");
    let meta = std::fs::symlink_metadata(house.out()).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777, 0o600);
    let names = std::fs::read_dir(house.dir.path()).unwrap().count();
    assert_eq!(names, 3, "nothing but the state, the canary and the archive");
}

#[test]
fn an_archive_that_is_not_as_it_was_written_leaves_nothing_behind() {
    let house = house();
    house.export(none()).unwrap();
    let good = unpacked(&house.out());
    assert_eq!(house.import(&packed(&good)).unwrap().events, 3, "packed by another tar it is the same");
    let with = |change: &dyn Fn(&mut Vec<Piece>)| {
        let mut pieces = good.clone();
        change(&mut pieces);
        pieces
    };
    let at = |name: &str| good.iter().position(|piece| piece.name == name).unwrap();
    let named = |name: &'static str| move |pieces: &mut Vec<Piece>| pieces.insert(1, plain(name, b"x"));
    let of_kind = |kind: tar::EntryType| {
        move |pieces: &mut Vec<Piece>| {
            let piece = Piece { kind, ..plain("attempts/9/out", b"") };
            pieces.insert(3, piece);
        }
    };
    let text = |piece: &Piece| String::from_utf8(piece.bytes.clone()).unwrap();
    let edit = |name: &'static str, from: &'static str, to: &'static str| {
        move |pieces: &mut Vec<Piece>| {
            let piece = &mut pieces[at(name)];
            let before = text(piece);
            assert!(before.contains(from), "{before}");
            piece.bytes = before.replace(from, to).into_bytes();
        }
    };
    let cases: Vec<(&str, Vec<Piece>)> = vec![
        ("is no name in such an archive", with(&named("../../evil"))),
        ("is no name in such an archive", with(&named("/tmp/evil"))),
        ("is no name in such an archive", with(&named("attempts/../../2/store.redb"))),
        ("is no name in such an archive", with(&named("store.redb"))),
        ("is no name in such an archive", with(&named("owner.lock"))),
        ("is no name in such an archive", with(&named("attempts/1/\u{1b}[2J"))),
        ("is no plain file", with(&of_kind(tar::EntryType::Symlink))),
        ("is no plain file", with(&of_kind(tar::EntryType::Link))),
        ("is no plain file", with(&of_kind(tar::EntryType::Char))),
        ("is no plain file", with(&of_kind(tar::EntryType::Block))),
        ("is no plain file", with(&of_kind(tar::EntryType::Fifo))),
        ("is no plain file", with(&of_kind(tar::EntryType::Directory))),
        ("is no plain file", with(&of_kind(tar::EntryType::GNULongName))),
        ("is no plain file", with(&of_kind(tar::EntryType::XHeader))),
        ("is no plain file", with(&of_kind(tar::EntryType::GNUSparse))),
        ("is there twice", with(&|p| p.insert(4, p[at("attempts/1/out")].clone()))),
        ("is there twice", with(&|p| p.insert(3, p[at("events.ndjson")].clone()))),
        ("comes after the manifest", with(&|p| p.push(plain("team-2.json", b"{}")))),
        ("is not in the manifest", with(&|p| p.insert(3, plain("attempts/2/out", b"x")))),
        ("`attempts/1/out` is missing", with(&|p| drop(p.remove(at("attempts/1/out"))))),
        ("`manifest.json` is missing", with(&|p| drop(p.pop()))),
        ("`events.ndjson` is missing", with(&|p| drop(p.remove(at("events.ndjson"))))),
        ("come before `run.json`", with(&|p| drop(p.remove(at("run.json"))))),
        ("does not match its hash", with(&edit("attempts/1/out", "0123", "0124"))),
        ("does not match its hash", with(&edit("report.txt", "r", "x"))),
        ("the commit at seq 1 does not match", fitting(with(&edit("events.ndjson", "two", "too")))),
        ("the commit at seq 3 does not match", fitting(with(&edit("events.ndjson", "ff000a", "ff000b")))),
        ("stands where seq 2 belongs", fitting(with(&edit("events.ndjson", "\"seq\":2", "\"seq\":4")))),
        (
            "the event at seq 1 cannot be read",
            fitting(with(&edit("events.ndjson", "\"seq\":1", "\"sex\":1"))),
        ),
        ("format 9", fitting(with(&edit("run.json", "\"format\": 1", "\"format\": 9")))),
        ("not as many as", with(&edit("manifest.json", "\"events\": 3", "\"events\": 4"))),
        (
            "is not the one that the manifest names",
            with(&|p| {
                let last = p.len() - 1;
                let mut said: Manifest = serde_json::from_slice(&p[last].bytes).unwrap();
                said.commit = "0".repeat(64);
                p[last].bytes = serde_json::to_vec(&said).unwrap();
            }),
        ),
        ("do not fit each other", fitting(with(&named("attempts/1/out.5")))),
        ("do not fit each other", fitting(with(&named("attempts/2/out.18446744073709551615")))),
        ("bytes, at most", with(&|p| p[at("run.json")].size = Some(TEXT_BYTES + 1))),
        ("bytes, at most", with(&|p| p[at("attempts/1/out")].size = Some(u64::MAX / 4))),
        (
            "cannot be unpacked",
            with(&|p| {
                p.truncate(1);
                p[0].size = Some(1 << 20);
            }),
        ),
    ];
    let before = house.left();
    for (says, pieces) in cases {
        let error = house.import(&packed(&pieces)).unwrap_err().to_string();
        assert!(error.contains(says), "{says}: {error}");
        assert!(!error.contains('\u{1b}'));
        assert_eq!(house.left(), before, "{says}");
    }
    for bytes in [&b""[..], b"not zstd", &std::fs::read(house.out()).unwrap()[..200]] {
        house.import(bytes).unwrap_err();
        assert_eq!(house.left(), before);
    }
    assert!(!house.dir.path().join("evil").exists());
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked_whole() {
    let house = house();
    let zeros = Piece { size: Some(MANIFEST_BYTES + 1), ..plain("manifest.json", &[0; 4_096]) };
    assert!(house.import(&packed(&[zeros])).unwrap_err().to_string().contains("at most"));
    assert_eq!(house.left(), ["1"]);
}

#[test]
fn what_a_killed_import_left_is_swept_and_one_that_goes_on_is_not() {
    let house = house();
    let runs = house.project.path().join("runs");
    for name in [".import-dead", ".import-live", ".import-new"] {
        std::fs::create_dir_all(runs.join(name).join("attempts/1")).unwrap();
    }
    let live = RunDir::new(runs.join(".import-live"), crate::store::RunName::Standing);
    let owner = Owner::take(&live, &note()).unwrap();
    for name in [".import-dead", ".import-live"] {
        let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
        std::fs::File::open(runs.join(name)).unwrap().set_modified(an_hour_ago).unwrap();
    }
    house.project.finish_drops().unwrap();
    assert_eq!(house.left(), [".import-live", ".import-new", "1"]);
    drop(owner);
    assert_eq!(house.project.drop_run(&house.run, &note()).unwrap(), Dropped::Gone);
}
