//! Proves that every command that takes games takes lists of moves as people write them, from a file and from standard
//! input, in UTF-8 and in GBK.

use std::fs;

use encoding_rs::GB18030;

use crate::harness::{Ended, TemporaryFile, refused, run, run_noted, run_with};

const MOVES: &str = "h2e2 h9g7 h0g2 i9h9";

/// Runs a command on these bytes: once from a file, whose name takes the place of the first `-`, and once from standard
/// input.
fn run_on(label: &str, arguments: &[&str], bytes: &[u8]) -> [Ended; 2] {
    let file = TemporaryFile::named(&format!("{label}.txt"));
    fs::write(file.path(), bytes).unwrap();
    let mut named = arguments.to_vec();
    named[arguments.iter().position(|&word| word == "-").expect("an input is named")] = file.path();
    [run(&named), run_with(arguments, bytes)]
}

#[test]
fn lists_are_analyzed_judged_and_converted() {
    let direct: Vec<&str> = ["judge", "--json", "startpos"].into_iter().chain(MOVES.split(' ')).collect();
    let direct = run(&direct).lines;
    // The formats' own tests have all forms.
    let bytes = GB18030.encode("炮二平五 马8进7\n马二进三 车9平8\n").0;
    let [analyzed, _] = run_on("analyze", &["analyze", "-", "--nodes", "200", "--json"], &bytes);
    let objects = analyzed.objects();
    let (summary, played) = objects.split_last().unwrap();
    assert_eq!((analyzed.errors.as_str(), &summary["type"]), ("", &"summary".into()));
    assert!(played.iter().map(|object| object["move"].as_str().unwrap()).eq(MOVES.split(' ')));
    for ended in run_on("judge", &["judge", "--json", "--moves", "-"], &bytes) {
        assert_eq!((ended.status, ended.errors.as_str(), &ended.lines), (Some(0), "", &direct));
    }
    for ended in run_on("convert", &["convert", "--to", "moves", "-", "-"], &bytes) {
        assert_eq!((ended.status, ended.text().trim_end()), (Some(0), format!("*\t\t{MOVES}").as_str()));
    }
    // The format may be named, and is not written.
    let list = TemporaryFile::with("moves-named.txt", "1. h2e2 h9g7 1-0\n");
    let ended = run(&["convert", "--from", "movelist", "--notation", "wxf", list.path(), "-"]);
    assert!(ended.text().contains("1. C2.5 N8+7 1-0"), "{}", ended.text());
}

#[test]
fn the_judge_sees_the_whole_game_and_takes_the_wanted_one() {
    let checks = "3k5/R8/9/9/9/9/9/4K4/9/9 w - - 0 1";
    let laps = "a8a9 d9d8 a9a8 d8d9 ".repeat(2);
    let direct = run(&[&["judge", checks][..], &laps.split_whitespace().collect::<Vec<_>>()].concat());
    let list = TemporaryFile::with("checks.txt", &format!("{checks}\n{laps}\n\nstartpos moves h2e2 h9g7\n"));
    let ended = run(&["judge", "--moves", list.path(), "--game", "1"]);
    assert_eq!((ended.lines.as_slice(), ended.errors.as_str()), (direct.lines.as_slice(), ""));
    assert_eq!(ended.lines[0], "black_wins");
    assert_eq!(run(&["judge", "--moves", list.path(), "--game", "2"]).lines, ["none"]);
    assert!(run(&["judge", "--moves", list.path()]).errors.contains("--game"));
    refused(&["judge", "--moves", list.path(), "--game", "3"], 1, "no game 3");
    // Files of games in other formats are judged too.
    let pgn = TemporaryFile::with("judged.pgn", "[Event \"cup\"]\n\n1. 炮二平五 马8进7 *\n");
    assert_eq!(run(&["judge", "--moves", pgn.path()]).lines, ["none"]);
}

#[test]
fn books_are_built_and_learn_from_lists() {
    let chinese = GB18030.encode("1、炮二平五 马8进7 红胜\n\n1、兵七进一 卒7进1 黑胜\n").0;
    let lines = "1-0\t\th2e2 h9g7\n0-1\t\tc3c4 g6g5\n";
    let book = TemporaryFile::named("list.book");
    let shown = || run(&["book", "probe", "startpos", "--book", book.path()]).lines;
    let build = ["book", "build", "-", "--out", book.path(), "--min-games", "1", "--min-score", "0"];
    let built = [lines.as_bytes(), &chinese].map(|bytes| {
        run_on("book", &build, bytes).map(|ended| {
            assert_eq!(ended.status, Some(0), "{}", ended.errors);
            shown()
        })
    });
    assert!(built[0] == built[1] && built[0][0] == built[0][1] && built[0][0].len() == 3, "{built:#?}");
    let learned = [lines.as_bytes(), &chinese].map(|bytes| {
        assert_eq!(run_with(&build, lines.as_bytes()).status, Some(0));
        let ended = run_with(&["book", "learn", book.path(), "-"], bytes);
        assert!(ended.status == Some(0) && ended.errors.contains("2 games"), "{}", ended.errors);
        fs::remove_file(format!("{}.journal", book.path())).unwrap();
        shown()
    });
    assert!(learned[0] == learned[1] && learned[0] != built[0][0], "{learned:#?}");
}

#[test]
fn a_fault_is_named_by_every_command() {
    let text = "h2e2\nh9g7\nh0g9\n";
    let expected = "line 3: 'h0g9' is not a legal move here; closest legal move: h0g2";
    let book = TemporaryFile::named("fault.book");
    for arguments in
        [&["judge", "--moves", "-"][..], &["convert", "-", "-"], &["book", "build", "-", "--out", book.path()]]
    {
        let ended = run_on("fault", arguments, text.as_bytes());
        for (ended, name) in ended.iter().zip(["fault.txt", "standard input"]) {
            let game = if arguments[0] == "book" { "" } else { "game 1, " };
            let place = format!("{name}: {game}{expected}");
            assert!(ended.status == Some(1) && ended.errors.contains(&place), "{arguments:?}: {}", ended.errors);
        }
    }
    let list = TemporaryFile::with("over.txt", "4k4/R8/1R7/9/9/9/9/9/9/3K5 w\nb7b9\ne9e8\n");
    let fault = "over.txt: game 1, line 3: 'e9e8' is not a legal move here: the game is over";
    refused(&["judge", "--moves", list.path()], 1, fault);
    let learned = TemporaryFile::with("fault-learn.tsv", "1-0\t\th2e2 h9g7\n1-0\t\th2e2 h9g7\n");
    run_noted(&["book", "build", learned.path(), "--out", book.path()]);
    let ended = run_with(&["book", "learn", book.path(), "-"], text.as_bytes());
    ended.tells(&format!("standard input: {expected}"));
}
