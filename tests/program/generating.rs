//! `datagen` as users run it: interruptions, damaged files, text and statistics.

use std::fs;

#[cfg(target_os = "linux")]
use crate::harness::run_with_file_limit;
use crate::harness::{
    Ended, Program, Start, TemporaryFile, run, run_badly, run_well, self_play_games as games, wait_for_size,
};

/// Options for games that take no time.
const QUICK: [&str; 6] = ["--nodes", "150", "--hash", "1", "--most-plies", "100"];

fn with<'a>(file: &'a TemporaryFile, more: &[&'a str]) -> Vec<&'a str> {
    ["datagen", "--out", file.path()].iter().chain(&QUICK).chain(more).copied().collect()
}

fn generate(file: &TemporaryFile, more: &[&str]) -> Ended {
    run(&with(file, more))
}

fn start(file: &TemporaryFile, more: &[&str]) -> Program {
    let mut program = Start { arguments: &with(file, more), ..Start::default() }.now();
    program.close_input();
    program
}

#[test]
fn a_killed_run_resumes_to_the_same_games() {
    let expected = TemporaryFile::named("whole.bin");
    let file = TemporaryFile::named("killed.bin");
    let all = ["--games", "40", "--threads", "2"];
    assert_eq!(generate(&expected, &all).status, Some(0));
    let size = fs::metadata(expected.path()).unwrap().len();
    let expected = games(&expected);
    assert_eq!(expected.len(), 40);
    // Somewhere in the header, and then each time a little later, at sizes that no record ends at but by chance.
    for part in [0, 1, 2, 4, 5, 7] {
        let program = start(&file, &all);
        wait_for_size(&file, part * size / 8);
        drop(program);
    }
    // Half a record, as a power cut may leave it.
    let mut bytes = fs::read(file.path()).unwrap();
    let whole = bytes.len();
    bytes.extend_from_slice(&[0xC3, 0x58, 0xFF, 0x01, 0x07]);
    fs::write(file.path(), &bytes).unwrap();
    let ended = generate(&file, &all);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(ended.errors.contains("of an incomplete game cut off") || whole == 0, "{}", ended.errors);
    assert_eq!(games(&file), expected);
}

#[test]
fn damaged_games_are_reported_and_played_again() {
    let file = TemporaryFile::named("damaged.bin");
    let all = ["--games", "9"];
    generate(&file, &all);
    let expected = games(&file);
    let mut bytes = fs::read(file.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file.path(), bytes).unwrap();
    let ended = run(&["datagen", "--to-text", file.path(), "-"]);
    assert_eq!((ended.status, ended.lines.len()), (Some(0), 1 + 8));
    assert!(ended.errors.contains(&format!("{}: record ", file.path())) && ended.errors.contains(" at byte "));
    let ended = generate(&file, &all);
    assert!(ended.errors.contains("is damaged: ") && ended.errors.contains("made again"), "{}", ended.errors);
    assert!(ended.errors.contains(": 1 game with "), "{}", ended.errors);
    let mut found = run(&["datagen", "--to-text", file.path(), "-"]).lines;
    found.remove(0);
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn other_options_are_refused_by_name() {
    let file = TemporaryFile::named("options.bin");
    assert_eq!(generate(&file, &["--games", "1"]).status, Some(0));
    let before = fs::read(file.path()).unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["--seed", "2"], "--seed is 1 there and 2 now"),
        (&["--shard", "2/2"], "--shard is 1/1 there and 2/2 now"),
        (&["--rules", "simple"], "--rules is computer there and simple now"),
        (&["--random-plies", "6"], "--random-plies is 8 there and 6 now"),
    ];
    for (options, expected) in cases {
        let ended = run_badly(&with(&file, options), 1);
        assert!(ended.errors.contains(expected) && ended.errors.contains(file.path()), "{}", ended.errors);
    }
    assert_eq!(fs::read(file.path()).unwrap(), before);
    assert!(generate(&file, &["--games", "1", "--threads", "3"]).errors.contains("nothing to do"));
}

#[test]
fn only_one_program_writes_a_file() {
    let file = TemporaryFile::named("shared.bin");
    // There is no end to games, and no list of them.
    let program = start(&file, &["--games", "18446744073709551615", "--shard", "2/3"]);
    wait_for_size(&file, 1_000);
    let ended = run_badly(&with(&file, &["--shard", "2/3"]), 1);
    assert!(ended.errors.contains("another program is writing to it"), "{}", ended.errors);
    // Nor is it replaced meanwhile; a file that no program writes is.
    let (text, other) =
        (TemporaryFile::with("shared.txt", "0\t1-0\t\th2e2/3\tcheckmate\n"), TemporaryFile::named("o.bin"));
    assert_eq!(run(&["datagen", "--from-text", text.path(), other.path()]).status, Some(0));
    for arguments in [
        ["datagen", "--from-text", text.path(), file.path()].to_vec(),
        ["datagen", "merge", other.path(), "--out", file.path()].to_vec(),
    ] {
        let ended = run_badly(&arguments, 1);
        assert!(ended.errors.contains("another program is writing to it"), "{}", ended.errors);
    }
    assert_eq!(run(&["datagen", "--from-text", text.path(), other.path()]).status, Some(0));
    let merged = TemporaryFile::with("replaced.bin", "what was there");
    assert_eq!(run(&["datagen", "merge", other.path(), "--out", merged.path()]).status, Some(0));
    assert_eq!(fs::read(merged.path()).unwrap(), fs::read(other.path()).unwrap());
    drop(program);
    // Who was killed holds nothing any more.
    assert_eq!(generate(&file, &["--games", "2", "--shard", "2/3"]).status, Some(0));
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_games_in_progress() {
    let file = TemporaryFile::named("interrupted.bin");
    let program = start(&file, &["--games", "1000000", "--threads", "2"]);
    wait_for_size(&file, 1_000);
    program.interrupt();
    let ended = program.expect_exit();
    assert_eq!(ended.status, Some(130), "{}", ended.errors);
    assert!(ended.errors.contains("games with ") && ended.errors.contains("interrupted"), "{}", ended.errors);
    assert!(!games(&file).is_empty(), "all that was played can be read");
    assert!(!generate(&file, &["--games", "1"]).errors.contains("cut off"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_nothing_that_was_written() {
    let file = TemporaryFile::named("full.bin");
    let all = ["--games", "12", "--threads", "1"];
    let ended = run_with_file_limit(4, &with(&file, &all));
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains(file.path()) && ended.errors.contains("games in it are safe"), "{}", ended.errors);
    let before = games(&file);
    assert!((1..12).contains(&before.len()), "{} games", before.len());
    let ended = generate(&file, &all);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(!ended.errors.contains("cut off"), "{}", ended.errors);
    let after = games(&file);
    assert_eq!(after.len(), 12);
    assert!(before.iter().all(|game| after.contains(game)));
}

#[test]
fn text_round_trips_byte_by_byte() {
    let (file, text) = (TemporaryFile::named("there.bin"), TemporaryFile::named("there.txt"));
    let back = TemporaryFile::named("back.bin");
    let starts = TemporaryFile::with("starts.txt", "h2e2 h9g7\n3ak4/9/9/9/4N4/9/9/9/4A4/4K3R b - - 7 30\n");
    generate(&file, &["--games", "4", "--openings", starts.path(), "--random-plies", "1", "--balance", "9999"]);
    let ended = run(&["datagen", "--to-text", file.path(), text.path()]);
    assert_eq!((ended.status, ended.lines.len()), (Some(0), 0), "{}", ended.errors);
    let ended = run(&["datagen", "--from-text", text.path(), back.path()]);
    assert_eq!(ended.errors, format!("chuhe: 4 games written to {}\n", back.path()));
    assert_eq!(fs::read(back.path()).unwrap(), fs::read(file.path()).unwrap());
    let faulty = TemporaryFile::with("faulty.txt", "1\t*\t\th2e2/3\n2\t*\t\th2e9/3\n");
    let ended = run(&["datagen", "--from-text", faulty.path(), back.path()]);
    assert_eq!(ended.status, Some(0));
    assert!(ended.errors.contains("faulty.txt: line 2: ply 1: 'h2e9/3' is not a legal move"), "{}", ended.errors);
    assert!(ended.errors.contains("1 game written to") && ended.errors.contains("1 line left out"), "{}", ended.errors);
    let nothing = TemporaryFile::with("nothing.txt", "# nothing\n");
    let before = fs::read(back.path()).unwrap();
    run_badly(&["datagen", "--from-text", nothing.path(), back.path()], 1);
    assert_eq!(fs::read(back.path()).unwrap(), before, "what was there is there still");
}

#[test]
fn statistics_count_all_games() {
    let file = TemporaryFile::named("counted.bin");
    generate(&file, &["--games", "20"]);
    let games = games(&file);
    let positions: usize =
        games.iter().map(|game| game.matches('/').count() - game.matches("1/2-1/2").count() * 2).sum();
    let ended = run_well(&["datagen", "--stats", file.path()]);
    let value = |name: &str| {
        let line = ended.lines.iter().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("no {name}"));
        line.split_whitespace().next().unwrap().trim_end_matches(',').to_owned()
    };
    assert_eq!((value("games"), value("positions")), ("20".to_owned(), positions.to_string()), "{}", ended.text());
    let bytes: f64 = value("bytes a position").parse().unwrap();
    assert!(bytes > 2.0 && bytes <= 6.0, "{bytes} bytes a position");
    for result in ["1-0", "0-1", "1/2-1/2"] {
        let count = games.iter().filter(|game| game.split('\t').nth(1) == Some(result)).count();
        assert_eq!(value(&format!("  {result}")), count.to_string());
    }
    // The same file twice has every game twice.
    let twice = run_well(&["datagen", "--stats", file.path(), file.path()]);
    assert!(
        twice.lines.iter().any(|line| line.starts_with("same moves twice") && line.ends_with(" 20")),
        "{}",
        twice.text()
    );
}

#[test]
fn other_files_are_left_unchanged() {
    let other = TemporaryFile::with("other.txt", "Dear Sir,\n");
    for arguments in
        [vec!["datagen", "--stats", other.path()], vec!["datagen", "--to-text", other.path(), "-"], with(&other, &[])]
    {
        let ended = run_badly(&arguments, 1);
        assert!(ended.errors.contains("other.txt: not a file of self-play games"), "{}", ended.errors);
    }
    assert_eq!(fs::read(other.path()).unwrap(), b"Dear Sir,\n");
    let missing = TemporaryFile::named("missing");
    let inside = format!("{}/games.bin", missing.path());
    let starts = TemporaryFile::with("bad-starts.txt", "h2e2\nh2e9\n");
    let new = TemporaryFile::named("new.bin");
    let cases: [(&[&str], i32, &str); 7] = [
        (&["datagen"], 2, "--out"),
        (&["datagen", "--stats", missing.path()], 1, missing.path()),
        (&["datagen", "--out", &inside], 1, &inside),
        (&["datagen", "--stats", other.path(), "--seed", "3"], 2, "cannot be used with"),
        (&["datagen", "--out", new.path(), "--shard", "3/2"], 2, "'3/2' is not a shard"),
        (&["datagen", "--out", new.path(), "--openings", starts.path()], 1, "bad-starts.txt: line 2: ply 1"),
        (
            &["datagen", "--out", new.path(), "--random-plies", "0", "--games", "2"],
            2,
            "1 openings without random moves",
        ),
    ];
    for (arguments, status, expected) in cases {
        let ended = run_badly(arguments, status);
        assert!(ended.errors.contains(expected), "{arguments:?}: {}", ended.errors);
    }
}

#[test]
fn a_file_without_games_takes_other_options() {
    let new = TemporaryFile::named("new.bin");
    run_badly(&["datagen", "--out", new.path(), "--random-plies", "0", "--games", "2"], 2);
    assert!(run(&["datagen", "--stats", new.path()]).text().contains("\"random-plies\":0"));
    let quick = ["--nodes", "150", "--hash", "1", "--most-plies", "20"];
    let arguments = [&["datagen", "--out", new.path(), "--random-plies", "2", "--games", "1"], &quick[..]].concat();
    let ended = run(&arguments);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(run(&["datagen", "--stats", new.path()]).text().contains("\"random-plies\":2"));
}
