//! Sharded games are merged again without loss, and rescoring survives interruptions.

use std::fs;

#[cfg(target_os = "linux")]
use crate::harness::run_with_file_limit;
use crate::harness::{Ended, Start, TemporaryFile, run, run_badly, self_play_games as games, wait_for_size};

/// Options for games that take no time.
const QUICK: [&str; 6] = ["--nodes", "150", "--hash", "1", "--most-plies", "60"];
/// Options for scores that take no time.
const SCORING: [&str; 6] = ["--nodes", "120", "--hash", "1", "--threads", "2"];

fn play(file: &TemporaryFile, more: &[&str]) {
    let arguments: Vec<&str> = ["datagen", "--out", file.path()].iter().chain(&QUICK).chain(more).copied().collect();
    let ended = run(&arguments);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
}

fn relabelling<'a>(source: &'a TemporaryFile, file: &'a TemporaryFile, more: &[&'a str]) -> Vec<&'a str> {
    ["datagen", "--relabel", source.path(), "--out", file.path()].iter().chain(&SCORING).chain(more).copied().collect()
}

fn merge(files: &[&TemporaryFile], out: &TemporaryFile, more: &[&str]) -> Ended {
    let mut arguments = vec!["datagen", "merge"];
    arguments.extend(files.iter().map(|file| file.path()));
    arguments.extend(["--out", out.path()]);
    arguments.extend(more);
    run(&arguments)
}

/// A game as text without its scores.
fn without_scores(line: &str) -> String {
    let columns: Vec<&str> = line.split('\t').collect();
    let moves: Vec<&str> = columns[3].split(' ').map(|word| word.split_once('/').map_or(word, |(mv, _)| mv)).collect();
    [columns[0], columns[1], columns[2], &moves.join(" "), columns[4]].join("\t")
}

#[test]
fn shards_are_merged_and_missing_games_are_reported_and_played() {
    let shards = ["1/3", "2/3", "3/3"];
    let files = shards.map(|shard| TemporaryFile::named(&format!("part-{}.bin", &shard[..1])));
    let (whole, joined) = (TemporaryFile::named("parts-whole.bin"), TemporaryFile::named("parts-joined.bin"));
    play(&whole, &["--games", "7"]);
    files.iter().zip(shards).for_each(|(file, shard)| play(file, &["--games", "7", "--shard", shard]));
    let ended = merge(&[&files[2], &files[0], &files[1]], &joined, &["--games", "7"]);
    assert_eq!((ended.status, ended.lines.len()), (Some(0), 0), "{}", ended.errors);
    assert_eq!(ended.errors, format!("chuhe: {}: 7 games of 3 files\n", joined.path()));
    assert_eq!(games(&joined), games(&whole));
    // A lost shard, and a repeated one.
    let ended = merge(&[&files[0], &files[2], &files[0]], &joined, &["--games", "7"]);
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    let (first, out) = (files[0].path(), joined.path());
    let expected = format!(
        "chuhe: {first}: repeats shard 1/3 of {first}\n\
         chuhe: shard 2/3 is missing: no file of it\n\
         chuhe: missing games: 1, 4\n\
         chuhe: {out}: 5 games of 3 files, 3 games duplicated and written once\n\
         chuhe: {out}: it is not complete: 2 of 7 games missing\n"
    );
    assert_eq!(ended.errors, expected);
    // The games that are missing are played as those of one file.
    let arguments: Vec<&str> = ["datagen", "--out", out, "--games", "7"].iter().chain(&QUICK).copied().collect();
    let ended = run(&arguments);
    assert!(ended.errors.contains("resuming after 5 games") && ended.errors.contains(": 2 games with "));
    assert_eq!(games(&joined), games(&whole));
    // An incomplete one, and damage.
    let mut bytes = fs::read(files[0].path()).unwrap();
    let end = bytes.len();
    bytes[end - 9] ^= 1;
    fs::write(files[0].path(), bytes).unwrap();
    let ended = merge(&[&files[0], &files[1], &files[2]], &joined, &["--games", "7"]);
    assert_eq!(ended.status, Some(1));
    assert!(ended.errors.contains("part-1.bin: record 3 at byte "), "{}", ended.errors);
    assert!(ended.errors.contains("shard 1/3 is incomplete: 1 of 3 games missing"), "{}", ended.errors);
}

#[test]
fn files_with_other_settings_are_refused_by_name() {
    let (first, other) = (TemporaryFile::named("refused-1.bin"), TemporaryFile::named("refused-2.bin"));
    let out = TemporaryFile::with("refused-out.bin", "what was there");
    play(&first, &["--games", "2", "--shard", "1/2"]);
    play(&other, &["--games", "2", "--shard", "2/2", "--seed", "7"]);
    let ended = merge(&[&first, &other], &out, &[]);
    assert_eq!(ended.status, Some(1));
    let expected = format!(
        "chuhe: {}: its games were made with other settings than those of {}: --seed is 1 there and 7 here; leave \
         out one of them\n",
        other.path(),
        first.path()
    );
    assert_eq!(ended.errors, expected);
    let ended = merge(&[&first, &out], &out, &[]);
    assert!(ended.status == Some(2) && ended.errors.contains("input and output must be two files"));
    let nonsense = TemporaryFile::with("refused-3.bin", "Dear Sir,");
    let ended = merge(&[&first, &nonsense], &out, &[]);
    assert!(ended.status == Some(1) && ended.errors.contains("refused-3.bin: not a file of self-play games"));
    assert_eq!(fs::read(out.path()).unwrap(), b"what was there");
    let cases: [(&[&str], &str); 5] = [
        (&["datagen", "merge", "--out", out.path()], "<FILE>"),
        (&["datagen", "merge", first.path()], "--out"),
        (&["datagen", "--seed", "3", "merge", first.path(), "--out", out.path()], "cannot be used with"),
        (&["datagen", "--relabel", first.path()], "--out"),
        (&["datagen", "--relabel", first.path(), "--out", out.path(), "--seed", "3"], "cannot be used with"),
    ];
    for (arguments, expected) in cases {
        let ended = run_badly(arguments, 2);
        assert!(ended.errors.contains(expected), "{arguments:?}: {}", ended.errors);
    }
}

#[test]
fn killed_rescoring_resumes_to_the_same_scores() {
    let source = TemporaryFile::named("relabel-source.bin");
    let (expected, file) = (TemporaryFile::named("relabel-whole.bin"), TemporaryFile::named("relabel-killed.bin"));
    play(&source, &["--games", "24"]);
    assert_eq!(run(&relabelling(&source, &expected, &[])).status, Some(0));
    let size = fs::metadata(expected.path()).unwrap().len();
    let expected = games(&expected);
    for part in [0, 1, 3, 5] {
        let mut program = Start { arguments: &relabelling(&source, &file, &[]), ..Start::default() }.now();
        program.close_input();
        wait_for_size(&file, part * size / 8);
        drop(program);
    }
    let ended = run(&relabelling(&source, &file, &[]));
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert_eq!(games(&file), expected);
    let before: Vec<String> = games(&source).iter().map(|line| without_scores(line)).collect();
    assert_eq!(expected.iter().map(|line| without_scores(line)).collect::<Vec<_>>(), before);
    assert!(expected != games(&source), "other searches, other scores");
    assert!(run(&relabelling(&source, &file, &[])).errors.contains("nothing to do"));
    // The parts of two machines.
    let parts = ["1/2", "2/2"].map(|shard| {
        let part = TemporaryFile::named(&format!("relabel-part-{}.bin", &shard[..1]));
        assert_eq!(run(&relabelling(&source, &part, &["--shard", shard])).status, Some(0));
        part
    });
    let joined = TemporaryFile::named("relabel-joined.bin");
    let ended = merge(&[&parts[0], &parts[1]], &joined, &[]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert_eq!(games(&joined), expected);
    let ended = merge(&[&parts[1]], &joined, &[]);
    assert!(ended.status == Some(1) && ended.errors.contains("shard 1/2 is missing"), "{}", ended.errors);
    assert!(ended.errors.contains("12 of 24 games missing"), "{}", ended.errors);
}

#[test]
fn scores_of_other_games_or_searches_are_refused_by_name() {
    let (source, file) = (TemporaryFile::named("scored.bin"), TemporaryFile::named("scored-rescored.bin"));
    play(&source, &["--games", "3"]);
    assert_eq!(run(&relabelling(&source, &file, &[])).status, Some(0));
    let report = |arguments: &[&str]| run_badly(arguments, 1).errors;
    let errors = report(&relabelling(&source, &file, &["--shard", "2/2"]));
    assert!(errors.contains("--shard is 1/1 there and 2/2 now"), "{errors}");
    let played: Vec<&str> = ["datagen", "--out", file.path()].iter().chain(&QUICK).copied().collect();
    assert!(report(&played).contains("its games were made with other settings: "));
    play(&source, &["--games", "4"]);
    assert!(report(&relabelling(&source, &file, &[])).contains("--relabel (checksum) is "));
    // The law of the games, unless another one is wanted.
    let (league, rescored) = (TemporaryFile::named("league.bin"), TemporaryFile::named("league-rescored.bin"));
    play(&league, &["--games", "1", "--rules", "league"]);
    run(&relabelling(&league, &rescored, &[]));
    let errors = report(&relabelling(&league, &rescored, &["--rules", "computer"]));
    assert!(errors.contains("--rules is league there and computer now"), "{errors}");
    // What cannot be scored.
    let ended = run_badly(&["datagen", "--relabel", source.path(), "--out", source.path()], 2);
    assert!(ended.errors.contains("input and output must be two files"), "{}", ended.errors);
    let empty = TemporaryFile::with("nothing-to-score.txt", "#settings {}\n");
    assert!(report(&relabelling(&empty, &rescored, &[])).contains("not a file of self-play games"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_no_score_that_was_written() {
    let (source, file) = (TemporaryFile::named("full-source.bin"), TemporaryFile::named("full-rescored.bin"));
    play(&source, &["--games", "40"]);
    let ended = run_with_file_limit(4, &relabelling(&source, &file, &[]));
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains(file.path()) && ended.errors.contains("games in it are safe"), "{}", ended.errors);
    let before = games(&file);
    assert!((1..40).contains(&before.len()), "{} games", before.len());
    let ended = run(&relabelling(&source, &file, &[]));
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let after = games(&file);
    assert!(after.len() == 40 && before.iter().all(|game| after.contains(game)));
    // What cannot be put together leaves what was there.
    let joined = TemporaryFile::with("full-joined.bin", "what was there");
    let ended = run_with_file_limit(4, &["datagen", "merge", file.path(), "--out", joined.path()]);
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains(joined.path()), "{}", ended.errors);
    assert_eq!(fs::read(joined.path()).unwrap(), b"what was there");
}
