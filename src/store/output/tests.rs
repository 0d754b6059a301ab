//! What a reader sees of what a log was given, within its limits and after a crash.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::store::{StoreError, limit};

const KB: usize = 1_024;

fn attempt() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let attempt = dir.path().join("attempts").join("1");
    (dir, attempt)
}

/// Everything a reader shows, with the bytes left out as zeros.
fn shown(dir: &Path) -> Vec<u8> {
    let mut reader = OutputReader::open(dir).unwrap();
    let mut shown = Vec::new();
    loop {
        let chunk = reader.read(shown.len() as u64, 7 * KB).unwrap();
        shown.resize(shown.len() + chunk.left_out as usize, 0);
        if chunk.bytes.is_empty() {
            return shown;
        }
        shown.extend_from_slice(&chunk.bytes);
    }
}

fn on_disk(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap());
    let data = files.filter(|file| file.file_name().to_str().unwrap().starts_with("out"));
    data.map(|file| file.metadata().unwrap().len()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn the_head_and_the_tail_are_exact_and_the_middle_is_counted(
        limit in 16..400u64,
        pieces in prop::collection::vec((1..90usize, any::<bool>(), any::<bool>(), 0..40u64), 1..40),
    ) {
        let (_root, dir) = attempt();
        let mut log = OutputLog::create(&dir, limit).unwrap();
        let mut printed = Vec::new();
        let mut came = Vec::new();
        let mut now = 0;
        for (len, error, flush, later) in pieces {
            now += later;
            let piece: Vec<u8> = (0..len).map(|at| 1 + ((printed.len() + at) % 251) as u8).collect();
            let stream = if error { Stream::Stderr } else { Stream::Stdout };
            log.append(now, stream, &piece).unwrap();
            printed.extend_from_slice(&piece);
            came.resize(printed.len(), (now, stream));
            if flush { log.flush().unwrap(); }
        }
        prop_assert_eq!(log.sync().unwrap(), printed.len() as u64);
        let mut reader = OutputReader::open(&dir).unwrap();
        prop_assert_eq!(reader.total(), printed.len() as u64);
        let half = limit / 2;
        let gaps = reader.gaps();
        if printed.len() as u64 <= half * 2 {
            prop_assert!(gaps.is_empty());
        }
        for gap in &gaps {
            prop_assert_eq!(gap.from, half);
            prop_assert!(printed.len() as u64 - (gap.from + gap.bytes) >= half);
        }
        prop_assert!(gaps.len() <= 1);
        let mut want = printed.clone();
        for gap in &gaps {
            want[gap.from as usize..(gap.from + gap.bytes) as usize].fill(0);
        }
        prop_assert_eq!(shown(&dir), want.clone());
        prop_assert!(on_disk(&dir) <= 2 * half + half.div_ceil(8) + 8);
        for (offset, (elapsed_ms, stream)) in came.iter().enumerate().filter(|(at, _)| want[*at] != 0) {
            let stamp = reader.stamp(offset as u64).unwrap().unwrap();
            prop_assert_eq!(stamp.stream, *stream);
            prop_assert!(stamp.offset <= offset as u64);
            prop_assert!(elapsed_ms - stamp.elapsed_ms < limit::INDEX_GRAIN_MS);
        }
    }

    #[test]
    fn the_last_lines_are_those_of_the_whole_text(
        lines in prop::collection::vec("[a-z]{0,9}", 0..30), ended in any::<bool>(), wanted in 0..12usize,
    ) {
        let (_root, dir) = attempt();
        let mut text = lines.join("\n");
        if ended { text.push('\n'); }
        let mut log = OutputLog::create(&dir, 1 << 20).unwrap();
        log.append(0, Stream::Stdout, text.as_bytes()).unwrap();
        log.flush().unwrap();
        let chunk = OutputReader::open(&dir).unwrap().last_lines(wanted, KB).unwrap();
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        let want: String = all[all.len().saturating_sub(wanted)..].concat();
        prop_assert_eq!(String::from_utf8(chunk.bytes).unwrap(), want);
    }
}

#[test]
fn a_silent_attempt_leaves_no_file_and_costs_no_sync() {
    let (root, dir) = attempt();
    let mut log = OutputLog::create(&dir, limit::OUTPUT_BYTES).unwrap();
    log.append(1, Stream::Stdout, b"").unwrap();
    assert_eq!(log.sync().unwrap(), 0);
    drop(log);
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    let mut reader = OutputReader::open(&dir).unwrap();
    assert_eq!(reader.read(0, 10).unwrap(), Chunk::default());
    assert_eq!(reader.last_lines(3, 10).unwrap(), Chunk::default());
    assert_eq!(recover(&dir, 0).unwrap(), Seam { mark: 0, total: 0 });
    assert_eq!(recover(&dir, 9).unwrap().lost(), 9);
}

#[test]
fn a_follower_reads_on_where_it_was_and_hears_what_it_missed() {
    let (_root, dir) = attempt();
    let mut log = OutputLog::create(&dir, 160).unwrap();
    let mut reader = OutputReader::open(&dir).unwrap();
    log.append(0, Stream::Stdout, b"one ").unwrap();
    log.flush().unwrap();
    reader.refresh().unwrap();
    let first = reader.read(0, KB).unwrap();
    assert_eq!(first.bytes, b"one ");
    assert!(reader.read(first.end(), KB).unwrap().bytes.is_empty());
    log.append(1, Stream::Stdout, b"two").unwrap();
    log.flush().unwrap();
    reader.refresh().unwrap();
    let second = reader.read(first.end(), KB).unwrap();
    assert_eq!((second.offset, second.bytes.as_slice()), (4, b"two".as_slice()));
    log.append(2, Stream::Stdout, &[b'x'; 1_000]).unwrap();
    log.flush().unwrap();
    // Not refreshed: the parts it knows are gone, and it looks again by itself.
    reader.refresh().unwrap();
    let gap = reader.gaps()[0];
    let third = reader.read(90, KB).unwrap();
    assert_eq!(third.offset, gap.from + gap.bytes);
    assert_eq!(third.left_out, third.offset - 90);
    assert_eq!(third.end(), 1_007);
}

#[test]
fn a_part_that_goes_away_under_a_reader_is_read_as_left_out() {
    let (_root, dir) = attempt();
    let mut log = OutputLog::create(&dir, 160).unwrap();
    log.append(0, Stream::Stdout, &[b'a'; 160]).unwrap();
    log.flush().unwrap();
    let mut reader = OutputReader::open(&dir).unwrap();
    log.append(0, Stream::Stdout, &[b'b'; 400]).unwrap();
    log.flush().unwrap();
    let chunk = reader.read(80, KB).unwrap();
    assert!(chunk.left_out > 0);
    assert!(chunk.bytes.iter().all(|byte| *byte == b'b'));
}

#[test]
fn a_huge_line_is_read_in_bounded_pieces() {
    let (_root, dir) = attempt();
    let mut log = OutputLog::create(&dir, 8 << 20).unwrap();
    for _ in 0..50 {
        log.append(0, Stream::Stdout, &[b'x'; 64 * KB]).unwrap();
    }
    log.flush().unwrap();
    let mut reader = OutputReader::open(&dir).unwrap();
    assert_eq!(reader.last_lines(1, 4 * KB).unwrap().bytes.len(), 4 * KB);
    assert_eq!(reader.last_lines(1, usize::MAX).unwrap().bytes.len(), limit::OUTPUT_READ_BYTES);
    assert_eq!(reader.read(0, usize::MAX).unwrap().bytes.len(), limit::OUTPUT_READ_BYTES);
}

#[test]
fn one_byte_from_each_stream_in_turn_does_not_blow_up_the_index() {
    let (_root, dir) = attempt();
    let mut log = OutputLog::create(&dir, 1 << 20).unwrap();
    for at in 0..100_000u64 {
        let stream = if at % 2 == 0 { Stream::Stdout } else { Stream::Stderr };
        log.append(at, stream, b"x").unwrap();
    }
    log.flush().unwrap();
    let entries = std::fs::metadata(dir.join("index")).unwrap().len() / 24;
    assert!(entries <= 100_000 / 64 + limit::INDEX_SPARE_ENTRIES, "{entries}");
    assert!(OutputReader::open(&dir).unwrap().stamp(99_999).unwrap().is_some());
}

#[test]
fn recovery_records_what_lies_past_the_mark_and_twice_is_as_once() {
    let (_root, dir) = attempt();
    let mut log = OutputLog::create(&dir, 1 << 20).unwrap();
    log.append(0, Stream::Stdout, b"marked").unwrap();
    let mark = log.sync().unwrap();
    log.append(0, Stream::Stdout, b", and not").unwrap();
    log.flush().unwrap();
    std::mem::forget(log);
    let seam = recover(&dir, mark).unwrap();
    assert_eq!((seam.past_mark(), seam.lost()), (9, 0));
    assert_eq!(OutputReader::open(&dir).unwrap().seam(), Some(seam));
    let before = std::fs::metadata(dir.join("seam")).unwrap().modified().unwrap();
    assert_eq!(recover(&dir, mark).unwrap(), seam);
    assert_eq!(std::fs::metadata(dir.join("seam")).unwrap().modified().unwrap(), before);
}

#[test]
fn fewer_bytes_than_the_mark_are_a_stated_loss() {
    let (_root, dir) = attempt();
    let mut log = OutputLog::create(&dir, 1 << 20).unwrap();
    log.append(0, Stream::Stdout, b"0123456789").unwrap();
    let mark = log.sync().unwrap();
    drop(log);
    assert_eq!(recover(&dir, mark).unwrap().lost(), 0);
    assert_eq!(OutputReader::open(&dir).unwrap().seam(), None);
    std::fs::write(dir.join("out"), b"0123").unwrap();
    assert_eq!(recover(&dir, mark).unwrap().lost(), 6);
    assert_eq!(OutputReader::open(&dir).unwrap().seam(), Some(Seam { mark: 10, total: 4 }));
}

#[test]
fn a_disk_that_refuses_takes_nothing_and_later_everything() {
    let (root, dir) = attempt();
    let attempts = root.path().join("attempts");
    std::fs::write(&attempts, b"in the way").unwrap();
    let mut log = OutputLog::create(&dir, 1 << 20).unwrap();
    log.append(0, Stream::Stdout, &[b'a'; 60 * KB]).unwrap();
    let error = log.append(0, Stream::Stdout, &[b'b'; 10 * KB]).unwrap_err();
    assert!(matches!(&error, StoreError::File { path, .. } if *path == attempts), "{error}");
    assert_eq!(log.total(), 60 * KB as u64);
    assert!(log.sync().is_err());
    std::fs::remove_file(&attempts).unwrap();
    log.append(0, Stream::Stdout, &[b'b'; 10 * KB]).unwrap();
    assert_eq!(log.sync().unwrap(), 70 * KB as u64);
    assert_eq!(shown(&dir), [vec![b'a'; 60 * KB], vec![b'b'; 10 * KB]].concat());
}

#[test]
fn an_attempt_has_one_log_in_its_life() {
    let (_root, dir) = attempt();
    let mut log = OutputLog::create(&dir, 100).unwrap();
    log.append(0, Stream::Stdout, b"x").unwrap();
    drop(log);
    assert!(matches!(OutputLog::create(&dir, 100), Err(StoreError::Exists { .. })));
    assert_eq!(shown(&dir), b"x");
}

#[test]
fn power_loss_at_any_step_keeps_every_byte_before_the_last_mark() {
    use crate::power::{Dice, after, begin, count, end, images};
    let (root, dir) = attempt();
    begin();
    let mut dice = Dice(3);
    // As long as nothing is dropped: the head and some parts of the tail.
    let mut log = OutputLog::create(&dir, 40_000).unwrap();
    let (mut printed, mut marks) = (Vec::new(), vec![(0, 0)]);
    while printed.len() < 30_000 {
        let piece: Vec<u8> = (0..1 + dice.below(2_000)).map(|_| dice.below(255) as u8 + 1).collect();
        log.append(printed.len() as u64, Stream::Stdout, &piece).unwrap();
        printed.extend_from_slice(&piece);
        match dice.below(4) {
            0 => marks.push((log.sync().unwrap(), count())),
            1 => log.flush().unwrap(),
            _ => {}
        }
    }
    let steps = end();
    drop(log);
    let (images, seed) = images();
    let mut past = 0;
    for seed in seed..seed + images {
        let mut dice = Dice(seed);
        let cut = dice.below(steps.len() as u64 + 1) as usize;
        let mark = marks.iter().rev().find(|(_, count)| *count <= cut).unwrap().0;
        let left = tempfile::tempdir().unwrap();
        let other = left.path().join("attempts").join("1");
        std::fs::create_dir_all(&other).unwrap();
        for (path, bytes) in after(&steps, cut, &mut dice) {
            let name = path.strip_prefix(root.path()).unwrap();
            std::fs::write(left.path().join(name), bytes).unwrap();
        }
        let seam = super::seam::recover(&other, mark).unwrap();
        assert_eq!(seam.lost(), 0, "seed {seed}: {seam:?} after {cut} of {} steps", steps.len());
        let found = shown(&other);
        let upto = mark as usize;
        assert!(found.get(..upto) == printed.get(..upto), "seed {seed}: other bytes before the mark {mark}");
        past += u64::from(seam.past_mark() > 0);
    }
    assert!(past > 0, "never anything after a mark");
}
