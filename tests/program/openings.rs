//! Tests of the `openings` command: suites follow the options, are reproducible, and pass their own check.

use std::collections::BTreeSet;
use std::fs;

use chuhe::position::Position;

use crate::common::data::GAMES;
use crate::harness::{TemporaryFile, refused, run_badly, run_noted, run_well};

const QUICK: [&str; 4] = ["--nodes", "1000", "--balance", "100"];

fn make(file: &TemporaryFile, more: &[&str]) -> String {
    let arguments: Vec<&str> = ["openings", "--out", file.path()].iter().chain(&QUICK).chain(more).copied().collect();
    run_noted(&arguments);
    fs::read_to_string(file.path()).unwrap()
}

#[test]
fn openings_are_different_quiet_and_reproducible() {
    let (file, again) = (TemporaryFile::named("suite.txt"), TemporaryFile::named("again.txt"));
    let list = TemporaryFile::with("suite-games.tsv", &GAMES.repeat(2));
    let options = [list.path(), "--from-games", "6", "--random", "20", "--threads"];
    let one: Vec<&str> = options.iter().chain(&["1"]).copied().collect();
    let two: Vec<&str> = options.iter().chain(&["2"]).copied().collect();
    let text = make(&file, &one);
    assert_eq!(make(&again, &two), text, "threads do not matter");
    assert_ne!(make(&again, &["--random", "26", "--seed", "2"]), text);
    assert!(text.contains("# 6 are positions of at least 2 games of 42, 20 are random moves.\n"), "{text}");
    let mut boards = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        assert!((6..=10).contains(&words.len()));
        let mut position = Position::start();
        position.play(words).unwrap();
        assert!(!position.in_check());
        assert!(boards.insert(position.board_text()), "{line}");
    }
    assert_eq!(boards.len(), 26);
    let arguments: Vec<&str> = ["openings", "--check", file.path()].iter().chain(&QUICK).copied().collect();
    assert_eq!(run_well(&arguments).last_line(), "26 openings, 0 not valid");
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
