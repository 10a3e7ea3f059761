//! `datagen` as users run it: interruptions, damaged files, shards, new scores, text and statistics.

use std::fs;

#[cfg(target_os = "linux")]
use crate::harness::run_with_file_limit;
use crate::harness::{
    Ended, Program, Start, TemporaryFile, run, run_badly, run_well, self_play_games as games, wait_for_size,
};

/// Options for games that take no time.
const QUICK: [&str; 6] = ["--nodes", "150", "--hash", "1", "--most-plies", "60"];
/// Options for scores that take no time.
const SCORING: [&str; 6] = ["--nodes", "120", "--hash", "1", "--threads", "2"];

fn with<'a>(file: &'a TemporaryFile, more: &[&'a str]) -> Vec<&'a str> {
    [&["datagen", "--out", file.path()], &QUICK[..], more].concat()
}

fn relabelling<'a>(source: &'a TemporaryFile, file: &'a TemporaryFile, more: &[&'a str]) -> Vec<&'a str> {
    [&["datagen", "--relabel", source.path(), "--out", file.path()], &SCORING[..], more].concat()
}

fn generate(file: &TemporaryFile, more: &[&str]) -> Ended {
    let ended = run(&with(file, more));
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    ended
}

fn start(arguments: &[&str]) -> Program {
    let mut program = Start { arguments, ..Start::default() }.now();
    program.close_input();
    program
}

fn merge(files: &[&TemporaryFile], out: &TemporaryFile, more: &[&str]) -> Ended {
    let files: Vec<&str> = files.iter().map(|file| file.path()).collect();
    run(&[&["datagen", "merge"], &files[..], &["--out", out.path()], more].concat())
}

/// Kills a run at these eighths of the size of the complete file.
fn kill_at(parts: &[u64], size: u64, file: &TemporaryFile, arguments: &[&str]) {
    for part in parts {
        let program = start(arguments);
        wait_for_size(file, part * size / 8);
        drop(program);
    }
}

/// A game as text without its scores.
fn without_scores(line: &str) -> String {
    let columns: Vec<&str> = line.split('\t').collect();
    let moves: Vec<&str> = columns[3].split(' ').map(|word| word.split_once('/').map_or(word, |(mv, _)| mv)).collect();
    [columns[0], columns[1], columns[2], &moves.join(" "), columns[4]].join("\t")
}

#[test]
fn a_killed_run_resumes_to_the_same_games() {
    let [expected, file] = ["whole.bin", "killed.bin"].map(TemporaryFile::named);
    let all = ["--games", "40", "--threads", "2"];
    generate(&expected, &all);
    let size = fs::metadata(expected.path()).unwrap().len();
    let expected = games(&expected);
    assert_eq!(expected.len(), 40);
    // Somewhere in the header, and then each time a little later, at sizes that no record ends at but by chance.
    kill_at(&[0, 1, 2, 4, 5, 7], size, &file, &with(&file, &all));
    // Half a record, as a power cut may leave it.
    let mut bytes = fs::read(file.path()).unwrap();
    let whole = bytes.len();
    bytes.extend_from_slice(&[0xC3, 0x58, 0xFF, 0x01, 0x07]);
    fs::write(file.path(), &bytes).unwrap();
    let ended = generate(&file, &all);
    assert!(ended.errors.contains(" is damaged or cut off: ") || whole == 0, "{}", ended.errors);
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
fn other_options_are_refused_by_name_unless_there_is_no_game() {
    let file = TemporaryFile::named("options.bin");
    run_badly(&with(&file, &["--random-plies", "0", "--games", "2"]), 2);
    assert!(run(&["datagen", "--stats", file.path()]).text().contains("\"random-plies\":0"));
    generate(&file, &["--games", "1"]);
    let before = fs::read(file.path()).unwrap();
    for (option, value, expected) in [
        ("--seed", "2", "--seed is 1 there and 2 now"),
        ("--shard", "2/2", "--shard is 1/1 there and 2/2 now"),
        ("--random-plies", "6", "--random-plies is 8 there and 6 now"),
    ] {
        let ended = run_badly(&with(&file, &[option, value]), 1);
        assert!(ended.errors.contains(expected) && ended.errors.contains(file.path()), "{}", ended.errors);
    }
    assert_eq!(fs::read(file.path()).unwrap(), before);
    assert!(generate(&file, &["--games", "1", "--threads", "3"]).errors.contains("nothing to do"));
}

#[test]
fn only_one_program_writes_a_file() {
    let file = TemporaryFile::named("shared.bin");
    // There is no end to games, and no list of them.
    let program = start(&with(&file, &["--games", "18446744073709551615", "--shard", "2/3"]));
    wait_for_size(&file, 1_000);
    let ended = run_badly(&with(&file, &["--shard", "2/3"]), 1);
    assert!(ended.errors.contains("another program is writing to it"), "{}", ended.errors);
    // Nor is it replaced meanwhile; a file that no program writes is.
    let (text, other) =
        (TemporaryFile::with("shared.txt", "0\t1-0\t\th2e2/3\tcheckmate\n"), TemporaryFile::named("o.bin"));
    assert_eq!(run(&["datagen", "--from-text", text.path(), other.path()]).status, Some(0));
    for ended in [run(&["datagen", "--from-text", text.path(), file.path()]), merge(&[&other], &file, &[])] {
        assert!(ended.status == Some(1) && ended.errors.contains("another program is writing to it"));
    }
    let merged = TemporaryFile::with("replaced.bin", "what was there");
    assert_eq!(merge(&[&other], &merged, &[]).status, Some(0));
    assert_eq!(fs::read(merged.path()).unwrap(), fs::read(other.path()).unwrap());
    drop(program);
    // Who was killed holds nothing any more.
    generate(&file, &["--games", "2", "--shard", "2/3"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_games_in_progress() {
    let file = TemporaryFile::named("interrupted.bin");
    let program = start(&with(&file, &["--games", "1000000", "--threads", "2"]));
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
    let [file, source] = ["full.bin", "full-source.bin"].map(TemporaryFile::named);
    generate(&source, &["--games", "40"]);
    for (count, arguments) in
        [(24, with(&file, &["--games", "24", "--threads", "1"])), (40, relabelling(&source, &file, &[]))]
    {
        let ended = run_with_file_limit(4, &arguments);
        assert_eq!(ended.status, Some(1), "{}", ended.errors);
        assert!(
            ended.errors.contains(file.path()) && ended.errors.contains("games in it are safe"),
            "{}",
            ended.errors
        );
        let before = games(&file);
        assert!((1..count).contains(&before.len()), "{} games", before.len());
        let ended = run(&arguments);
        assert!(ended.status == Some(0) && !ended.errors.contains("cut off"), "{}", ended.errors);
        let after = games(&file);
        assert!(after.len() == count && before.iter().all(|game| after.contains(game)));
        fs::remove_file(file.path()).unwrap();
    }
    // What cannot be put together leaves what was there.
    let joined = TemporaryFile::with("full-joined.bin", "what was there");
    let ended = run_with_file_limit(4, &["datagen", "merge", source.path(), "--out", joined.path()]);
    assert!(ended.status == Some(1) && ended.errors.contains(joined.path()), "{}", ended.errors);
    assert_eq!(fs::read(joined.path()).unwrap(), b"what was there");
}

#[test]
fn text_round_trips_byte_by_byte() {
    let [file, text, back] = ["there.bin", "there.txt", "back.bin"].map(TemporaryFile::named);
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
    // The same file twice has every game twice.
    let ended = run_well(&["datagen", "--stats", file.path(), file.path()]);
    let value = |name: &str| {
        let line = ended.lines.iter().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("no {name}"));
        line.split_whitespace().next().unwrap().trim_end_matches(',').to_owned()
    };
    for (name, count) in
        [("games", 40), ("positions", 2 * positions), ("same moves twice", 20), ("same number twice", 20)]
    {
        assert_eq!(value(name), count.to_string(), "{}", ended.text());
    }
    let bytes: f64 = value("bytes a position").parse().unwrap();
    assert!(bytes > 2.0 && bytes <= 6.0, "{bytes} bytes a position");
    for result in ["1-0", "0-1", "1/2-1/2"] {
        let count = games.iter().filter(|game| game.split('\t').nth(1) == Some(result)).count();
        assert_eq!(value(&format!("  {result}")), (2 * count).to_string());
    }
    let sum = |heading: &str| -> u64 {
        let rows = ended.lines.iter().skip_while(|line| !line.starts_with(heading)).skip(1);
        let rows = rows.take_while(|line| !line.is_empty());
        rows.map(|line| line.split_whitespace().rev().nth(2).unwrap().parse::<u64>().unwrap()).sum()
    };
    assert_eq!(["results", "endings", "plies searched"].map(sum), [40; 3], "{}", ended.text());
    assert_eq!(sum("absolute scores"), 2 * positions as u64, "{}", ended.text());
}

#[test]
fn other_files_are_left_unchanged() {
    let other = TemporaryFile::with("other.txt", "Dear Sir,\n");
    let [missing, new] = ["missing", "new.bin"].map(TemporaryFile::named);
    let inside = format!("{}/games.bin", missing.path());
    let starts = TemporaryFile::with("bad-starts.txt", "h2e9\n");
    for (arguments, status, expected) in [
        (&["--stats", other.path()][..], 1, "other.txt: not a file of self-play games"),
        (&["--to-text", other.path(), "-"], 1, "other.txt: not a file of self-play games"),
        (&["--out", other.path()], 1, "other.txt: not a file of self-play games"),
        (&["--relabel", other.path(), "--out", new.path()], 1, "other.txt: not a file of self-play games"),
        (&["merge", other.path(), "--out", new.path()], 1, "other.txt: not a file of self-play games"),
        (&["merge", other.path(), "--out", other.path()], 2, "input and output must be two files"),
        (&["--relabel", other.path(), "--out", other.path()], 2, "input and output must be two files"),
        (&[], 2, "--out"),
        (&["--relabel", other.path()], 2, "--out"),
        (&["merge", "--out", new.path()], 2, "<FILE>"),
        (&["merge", other.path()], 2, "--out"),
        (&["--seed", "3", "merge", other.path(), "--out", new.path()], 2, "cannot be used with"),
        (&["--relabel", other.path(), "--out", new.path(), "--seed", "3"], 2, "cannot be used with"),
        (&["--stats", other.path(), "--seed", "3"], 2, "cannot be used with"),
        (&["--stats", missing.path()], 1, missing.path()),
        (&["--out", &inside], 1, &inside),
        (&["--out", new.path(), "--shard", "3/2"], 2, "'3/2' is not a shard"),
        (&["--out", new.path(), "--openings", starts.path()], 1, "bad-starts.txt: line 1: ply 1"),
        (&["--out", new.path(), "--random-plies", "0", "--games", "2"], 2, "1 openings without random moves"),
    ] {
        let ended = run_badly(&[&["datagen"], arguments].concat(), status);
        assert!(ended.errors.contains(expected), "{arguments:?}: {}", ended.errors);
    }
    assert_eq!(fs::read(other.path()).unwrap(), b"Dear Sir,\n");
}

#[test]
fn shards_are_merged_and_missing_games_are_reported_and_played() {
    let shards = ["1/3", "2/3", "3/3"];
    let files = shards.map(|shard| TemporaryFile::named(&format!("part-{}.bin", &shard[..1])));
    let [whole, joined] = ["parts-whole.bin", "parts-joined.bin"].map(TemporaryFile::named);
    generate(&whole, &["--games", "7"]);
    files.iter().zip(shards).for_each(|(file, shard)| drop(generate(file, &["--games", "7", "--shard", shard])));
    let ended = merge(&[&files[2], &files[0], &files[1]], &joined, &["--games", "7"]);
    assert_eq!((ended.status, ended.lines.len()), (Some(0), 0), "{}", ended.errors);
    assert_eq!(ended.errors, format!("chuhe: {}: 7 games of 3 files\n", joined.path()));
    assert_eq!(games(&joined), games(&whole));
    // A lost shard, and a repeated one.
    let ended = merge(&[&files[0], &files[2], &files[0]], &joined, &["--games", "7"]);
    let (first, out) = (files[0].path(), joined.path());
    let expected = format!(
        "chuhe: {first}: repeats shard 1/3 of {first}\n\
         chuhe: shard 2/3 is missing: no file of it\n\
         chuhe: missing games: 1, 4\n\
         chuhe: {out}: 5 games of 3 files, 3 games duplicated and written once\n\
         chuhe: {out}: it is not complete: 2 of 7 games missing\n"
    );
    assert_eq!((ended.status, ended.errors), (Some(1), expected));
    // The games that are missing are played as those of one file.
    let ended = generate(&joined, &["--games", "7"]);
    assert!(ended.errors.contains("resuming after 5 games") && ended.errors.contains(": 2 games with "));
    assert_eq!(games(&joined), games(&whole));
    // Other settings.
    let (other, kept) = (TemporaryFile::named("seed-7.bin"), TemporaryFile::with("kept.bin", "what was there"));
    generate(&other, &["--games", "2", "--shard", "2/2", "--seed", "7"]);
    let errors = merge(&[&files[0], &other], &kept, &[]).errors;
    assert!(errors.contains(other.path()) && errors.contains(first) && errors.contains("--seed is 1 there and 7 now"));
    assert_eq!(fs::read(kept.path()).unwrap(), b"what was there");
}

#[test]
fn killed_rescoring_resumes_to_the_same_scores() {
    let [source, whole, file] = ["relabel-source.bin", "relabel-whole.bin", "relabel.bin"].map(TemporaryFile::named);
    generate(&source, &["--games", "24"]);
    assert_eq!(run(&relabelling(&source, &whole, &[])).status, Some(0));
    let expected = games(&whole);
    kill_at(&[0, 1, 3, 5], fs::metadata(whole.path()).unwrap().len(), &file, &relabelling(&source, &file, &[]));
    let ended = run(&relabelling(&source, &file, &[]));
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert_eq!(games(&file), expected);
    let bare = |games: &[String]| games.iter().map(|line| without_scores(line)).collect::<Vec<_>>();
    assert_eq!(bare(&expected), bare(&games(&source)));
    assert!(expected != games(&source), "other searches, other scores");
    assert!(run(&relabelling(&source, &file, &[])).errors.contains("nothing to do"));
    let errors = run_badly(&relabelling(&source, &file, &["--shard", "2/2"]), 1).errors;
    assert!(errors.contains("--shard is 1/1 there and 2/2 now"), "{errors}");
    assert!(run_badly(&with(&file, &[]), 1).errors.contains("its games were made with other settings: "));
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
    generate(&source, &["--games", "25"]);
    assert!(run_badly(&relabelling(&source, &file, &[]), 1).errors.contains("--relabel (checksum) is "));
}
