//! `datagen` as users run it: interruptions, damaged files, shards, new scores and statistics; and suites of openings,
//! which follow the options, are reproducible, and pass their own check.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use chuhe::lab::datagen::GameReader;
use chuhe::position::Position;

use crate::common::data::{GAMES, played};
#[cfg(target_os = "linux")]
use crate::harness::run_with_file_limit;
use crate::harness::{Ended, Program, TemporaryFile, refused, run, run_badly, run_noted, run_well, wait_for_size};

const QUICK: [&str; 6] = ["--nodes", "150", "--hash", "1", "--most-plies", "60"];
const SCORING: [&str; 6] = ["--nodes", "120", "--hash", "1", "--threads", "2"];

fn with<'a>(file: &'a TemporaryFile, more: &[&'a str]) -> Vec<&'a str> {
    [&["datagen", "--out", file.path()], &QUICK[..], more].concat()
}

fn relabelling<'a>(source: &'a TemporaryFile, file: &'a TemporaryFile, more: &[&'a str]) -> Vec<&'a str> {
    [&["datagen", "--relabel", source.path(), "--out", file.path()], &SCORING[..], more].concat()
}

fn generate(file: &TemporaryFile, more: &[&str]) -> Ended {
    run_noted(&with(file, more))
}

fn start(arguments: &[&str]) -> Program {
    let mut program = Program::with(arguments);
    program.close_input();
    program
}

fn merge(files: &[&TemporaryFile], out: &TemporaryFile, more: &[&str]) -> Ended {
    let files: Vec<&str> = files.iter().map(|file| file.path()).collect();
    run(&[&["datagen", "merge"], &files[..], &["--out", out.path()], more].concat())
}

/// Returns the lines of the intact self-play games of a file by their numbers, without checksums.
fn games(file: &TemporaryFile) -> Vec<String> {
    let games = GameReader::open(Path::new(file.path())).unwrap().silent();
    let games: BTreeMap<u64, String> = games.map(Result::unwrap).map(|game| (game.number, game.to_line())).collect();
    games.into_values().collect()
}

#[test]
fn a_killed_run_resumes_to_the_same_games_and_damaged_ones_are_played_again() {
    let [expected, file] = ["whole.txt", "killed.txt"].map(TemporaryFile::named);
    let all = ["--games", "24", "--threads", "2"];
    generate(&expected, &all);
    let size = fs::metadata(expected.path()).unwrap().len();
    let expected = games(&expected);
    assert_eq!(expected.len(), 24);
    // In the header, and then each time a little later, at sizes that no line ends at but by chance.
    for part in [0, 1, 4, 7] {
        let program = start(&with(&file, &all));
        wait_for_size(&file, part * size / 8);
        drop(program);
    }
    // A part of a line, as a power failure may leave it, and a line whose checksum is wrong.
    let text = fs::read_to_string(file.path()).unwrap();
    let (header, lines) = text.split_at(text.find('\n').map_or(text.len(), |end| end + 1));
    assert!(lines.contains('\n'), "a game was written before the program was killed");
    fs::write(file.path(), [header, &lines.replacen('/', "!", 1), "5\t1-0"].concat()).unwrap();
    let ended = generate(&file, &all);
    ended.tells("it is cut off");
    ended.tells("line 2 is left out: its checksum");
    assert_eq!(games(&file), expected);
    assert!(generate(&file, &all).errors.contains("nothing to do"));
}

#[test]
fn other_options_are_refused_by_name_unless_there_is_no_game() {
    let file = TemporaryFile::named("options.txt");
    run_badly(&with(&file, &["--random-plies", "0", "--games", "2"]), 2);
    assert!(fs::read_to_string(file.path()).unwrap().contains("\"random-plies\":0"));
    generate(&file, &["--games", "1"]);
    let before = fs::read(file.path()).unwrap();
    for (option, value, expected) in
        [("--seed", "2", "--seed is 1 there and 2 now"), ("--shard", "2/2", "--shard is 1/1 there and 2/2 now")]
    {
        let ended = run_badly(&with(&file, &[option, value]), 1);
        assert!(ended.errors.contains(expected) && ended.errors.contains(file.path()), "{}", ended.errors);
    }
    assert_eq!(fs::read(file.path()).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn only_one_program_writes_a_file_and_an_interrupt_finishes_its_games() {
    let file = TemporaryFile::named("shared.txt");
    // There is no end to games, and no list of them.
    let program = start(&with(&file, &["--games", "18446744073709551615", "--shard", "2/3", "--threads", "2"]));
    wait_for_size(&file, 1_000);
    let other = TemporaryFile::with("other.txt", "#settings {}\n0\t1-0\t\th2e2/3\tcheckmate\n");
    // Nor is it replaced meanwhile; a file that no program writes is.
    for ended in [run(&with(&file, &["--shard", "2/3"])), merge(&[&other], &file, &[])] {
        assert_eq!(ended.status, Some(1));
        ended.tells("another program is writing to it");
    }
    let merged = TemporaryFile::with("replaced.txt", "what was there");
    assert_eq!(merge(&[&other], &merged, &[]).status, Some(0));
    assert_eq!(games(&merged), games(&other));
    let ended = program.interrupt("INT");
    assert!(ended.errors.contains("games with ") && ended.errors.contains("interrupted"), "{}", ended.errors);
    assert!(!generate(&file, &["--games", "2", "--shard", "2/3"]).errors.contains("left out"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_nothing_that_was_written() {
    let [file, source] = ["full.txt", "full-source.txt"].map(TemporaryFile::named);
    generate(&source, &["--games", "24"]);
    for arguments in [with(&file, &["--games", "24", "--threads", "1"]), relabelling(&source, &file, &[])] {
        let ended = run_with_file_limit(4, &arguments);
        assert_eq!(ended.status, Some(1), "{}", ended.errors);
        let is_named = ended.errors.contains(file.path()) && ended.errors.contains("games in it are safe");
        assert!(is_named, "{}", ended.errors);
        let before = games(&file);
        assert!((1..24).contains(&before.len()), "{} games", before.len());
        let ended = run(&arguments);
        assert!(ended.status == Some(0) && !ended.errors.contains("left out"), "{}", ended.errors);
        let after = games(&file);
        assert!(after.len() == 24 && before.iter().all(|game| after.contains(game)));
        fs::remove_file(file.path()).unwrap();
    }
    // What cannot be put together leaves what was there.
    let joined = TemporaryFile::with("full-joined.txt", "what was there");
    let ended = run_with_file_limit(4, &["datagen", "merge", source.path(), "--out", joined.path()]);
    assert!(ended.status == Some(1) && ended.errors.contains(joined.path()), "{}", ended.errors);
    assert_eq!(fs::read(joined.path()).unwrap(), b"what was there");
}

#[test]
fn statistics_count_all_games() {
    let file = TemporaryFile::named("counted.txt");
    generate(&file, &["--games", "20"]);
    let games = games(&file);
    let positions: usize = games.iter().map(|game| game.split('\t').nth(3).unwrap().matches('/').count()).sum();
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
    let [missing, new] = ["missing", "new.txt"].map(TemporaryFile::named);
    let inside = format!("{}/games.txt", missing.path());
    let starts = TemporaryFile::with("bad-starts.txt", "h2e9\n");
    for (arguments, status, expected) in [
        (&["--stats", other.path()][..], 1, "other.txt: not a file of self-play games"),
        (&["--out", other.path()], 1, "other.txt: not a file of self-play games"),
        (&["--relabel", other.path(), "--out", new.path()], 1, "other.txt: not a file of self-play games"),
        (&["merge", other.path(), "--out", new.path()], 1, "other.txt: not a file of self-play games"),
        (&["merge", other.path(), "--out", other.path()], 2, "--out would replace this input"),
        (&["--relabel", other.path(), "--out", other.path()], 2, "--out would replace this input"),
        (&[], 2, "--out"),
        (&["--relabel", other.path()], 2, "--out"),
        (&["--stats", missing.path()], 1, missing.path()),
        (&["--out", &inside], 1, &inside),
        (&["--out", new.path(), "--openings", starts.path()], 1, "bad-starts.txt: line 1: ply 1"),
    ] {
        refused(&[&["datagen"], arguments].concat(), status, expected);
    }
    assert_eq!(fs::read(other.path()).unwrap(), b"Dear Sir,\n");
}

#[test]
fn shards_are_merged_and_missing_games_are_reported_and_played() {
    let shards = ["1/3", "2/3", "3/3"];
    let files = shards.map(|shard| TemporaryFile::named(&format!("part-{}.txt", &shard[..1])));
    let [whole, joined] = ["parts-whole.txt", "parts-joined.txt"].map(TemporaryFile::named);
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
    ended.tells("resuming after 5 games");
    ended.tells(": 2 games with ");
    assert_eq!(games(&joined), games(&whole));
    // Other settings.
    let kept = TemporaryFile::with("kept.txt", "what was there");
    let text = fs::read_to_string(files[1].path()).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let header = header.rsplit_once('\t').unwrap().0.replace("\"seed\":1", "\"seed\":7");
    let other = TemporaryFile::with("seed-7.txt", &format!("{header}\n{rest}"));
    let ended = merge(&[&files[0], &other], &kept, &[]);
    [other.path(), first, "--seed is 1 there and 7 now"].iter().for_each(|words| ended.tells(words));
    assert_eq!(ended.status, Some(1));
    assert_eq!(fs::read(kept.path()).unwrap(), b"what was there");
}

#[test]
fn other_settings_of_rescoring_are_refused() {
    let [source, file] = ["relabel-source.txt", "relabel.txt"].map(TemporaryFile::named);
    generate(&source, &["--games", "4"]);
    run_noted(&relabelling(&source, &file, &[]));
    assert!(games(&file) != games(&source), "other searches, other scores");
    refused(&relabelling(&source, &file, &["--shard", "2/2"]), 1, "--shard is 1/1 there and 2/2 now");
    refused(&with(&file, &[]), 1, "its games were made with other settings: ");
    generate(&source, &["--games", "5"]);
    refused(&relabelling(&source, &file, &[]), 1, "--relabel (checksum) is ");
}

// Openings

const QUICK_SUITE: [&str; 4] = ["--nodes", "1000", "--balance", "100"];

fn make(file: &TemporaryFile, more: &[&str]) -> String {
    run_noted(&[&["openings", "--out", file.path()], &QUICK_SUITE[..], more].concat());
    fs::read_to_string(file.path()).unwrap()
}

#[test]
fn openings_are_different_quiet_and_reproducible() {
    let (file, again) = (TemporaryFile::named("suite.txt"), TemporaryFile::named("again.txt"));
    let list = TemporaryFile::with("suite-games.tsv", &GAMES.repeat(2));
    let options = [list.path(), "--from-games", "6", "--random", "20", "--threads"];
    let text = make(&file, &[&options[..], &["1"]].concat());
    assert_eq!(make(&again, &[&options[..], &["2"]].concat()), text, "threads do not matter");
    assert_ne!(make(&again, &["--random", "26", "--seed", "2"]), text);
    assert!(text.contains("# 6 are positions of at least 2 games of 42, 20 are random moves.\n"), "{text}");
    let mut boards = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        assert!((6..=10).contains(&line.split(' ').count()));
        let position = played(Position::start(), line);
        assert!(!position.in_check());
        assert!(boards.insert(position.board_text()), "{line}");
    }
    assert_eq!(boards.len(), 26);
    let checked = run_well(&[&["openings", "--check", file.path()], &QUICK_SUITE[..]].concat());
    assert_eq!(checked.last_line(), "26 openings, 0 not valid");
}

#[test]
fn faults_of_a_suite_are_reported_by_line() {
    let suite = "\
# a remark
h2e2 h9g7 h0g2 i9h9 i0h0 b9c7
b2e2 b9c7 b0c2 a9b9 a0b0 h9g7
h2e2 h9g7 h0g2
3ak4/9/9/9/9/9/9/9/4A4/4K3R b
h2e2 h9g7 h0g2 i9h9 i0h0 b9c9
h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4
h2e2 c6c5 e2e6 d9e8 h0g2 a6a5 e6e5
i0i1 a6a5 i1d1 a5a4 d1d9 e9d9
";
    let file = TemporaryFile::with("unsound.txt", suite);
    let ended = run_badly(&["openings", "--check", file.path(), "--nodes", "1000", "--balance", "400"], 1);
    let expected = [
        "line 3: it ends in the position of line 2",
        "line 4: it has 3 plies, not 6 to 10",
        "line 5: it does not begin with the start",
        "line 6: ply 6:",
        "line 7: it continues line 2",
        "line 9: the side to move is at ",
        "8 openings, ",
    ];
    for words in expected {
        assert!(ended.lines.iter().any(|line| line.starts_with(words)), "{words}: {}", ended.text());
    }
    assert!(!ended.lines.iter().any(|line| line.starts_with("line 2:")), "{}", ended.text());
    ended.tells("unsound.txt: ");
}

#[test]
fn wrong_arguments_are_reported_in_one_line() {
    let missing = TemporaryFile::named("no-games.tsv");
    let new = TemporaryFile::named("no-suite.txt");
    let empty = TemporaryFile::with("no-starts.txt", "# nothing\n");
    let inside = format!("{}/suite.txt", missing.path());
    let cases: [(&[&str], i32, &str); 6] = [
        (&["openings"], 2, "--out"),
        (&["openings", "--out", new.path()], 2, "no openings requested"),
        (&["openings", missing.path(), "--from-games", "1", "--out", new.path()], 1, missing.path()),
        (&["openings", "--random", "1", "--out", &inside], 1, &inside),
        (&["openings", "--check", empty.path()], 1, "it contains no opening"),
        (&["openings", "--check", missing.path()], 1, missing.path()),
    ];
    for (arguments, status, expected) in cases {
        refused(arguments, status, expected);
    }
    assert!(!std::path::Path::new(new.path()).exists());
}
