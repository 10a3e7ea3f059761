//! Moves as people write them: every command that takes games takes lists of moves from a file and from standard input,
//! in UTF-8 and in GBK, and `notation` writes moves in every notation, whatever notation they came in.

use std::fs;

use encoding_rs::GB18030;

use crate::harness::{Ended, TemporaryFile, refused, run, run_badly, run_noted, run_well, run_with};

const MOVES: &str = "h2e2 h9g7 h0g2 i9h9";

/// Runs a command on these bytes: once from a file, whose name takes the place of the first `-`, and once from standard
/// input.
fn run_on(label: &str, arguments: &[&str], bytes: &[u8]) -> [Ended; 2] {
    let file = TemporaryFile::with(&format!("{label}.txt"), bytes);
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

// Notations

#[test]
fn a_table_has_a_line_for_each_move_and_a_column_for_each_notation() {
    let lines = run_well(&["notation", "startpos", "h2e2", "马8进7", "R1+1", "士4進5"]).lines;
    let cells = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(
        cells.collect::<Vec<_>>(),
        [
            "ply coordinate iccs chinese chinese_cxa wxf wxf_official wxf_fairy vietnamese",
            "1 h2e2 H2-E2 炮二平五 炮二平五 C2.5 C2.5 C2=5 P2-5",
            "2 h9g7 H9-G7 马８进７ 马８进７ N8+7 H8+7 H8+7 M8.7",
            "3 i0i1 I0-I1 车一进一 车一进一 R1+1 R1+1 R1+1 X1.1",
            "4 d9e8 D9-E8 士４进５ 士４进５ A4+5 A4+5 A4+5 S4.5",
        ]
    );
    // Chinese characters are two columns wide.
    let width = |text: &str| text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    let last_columns: Vec<usize> = lines.iter().map(|line| width(&line[..=line.rfind(' ').unwrap()])).collect();
    assert!(last_columns.iter().all(|column| *column == last_columns[0]), "{lines:#?}");
}

#[test]
fn moves_are_read_as_those_of_a_list() {
    let expected = run_well(&["notation", "startpos", "h2e2", "h9g7", "h0g2", "i9h9"]).lines;
    for words in [
        &["C2.5", "h8+7", "H2+3", "r9.8"][..],
        &["1.", "Che2", "Hg7", "2.", "Hg2", "Rh9"],
        &["1. 炮二平五+ 马8进7!\n2. 马二进三 车9平8"],
    ] {
        assert_eq!(run_well(&[&["notation", "startpos"], words].concat()).lines, expected, "{words:?}");
        let shown = run_well(&[&["show", "startpos"], words].concat()).text();
        assert_eq!(shown, run_well(&["show", "startpos", "h2e2", "h9g7", "h0g2", "i9h9"]).text(), "{words:?}");
    }
    // Neither a missing move nor the wrong side is passed over.
    for (words, ply) in [("炮二平五 马8进7 马二进三 车一进一", "ply 4"), ("h9g7", "ply 1"), ("黑：马8进7", "ply 1")]
    {
        for command in ["show", "judge", "notation"] {
            refused(&[command, "startpos", words], 3, ply);
        }
    }
    refused(&["notation", "startpos", "h2e2", "1-0", "h9g7"], 1, "several games");
}

#[test]
fn a_move_that_cannot_be_read_ends_with_status_three_its_ply_and_the_candidates() {
    let cases = [
        (vec!["startpos", "h2e2", "车９平５"], "ply 2, '车９平５' is not a legal move here", "车９进２ (i9i7)"),
        (vec!["startpos", "h2e2 h9g8"], "ply 2, 'h9g8'", "closest legal move: h9g7"),
        (vec!["startpos", "h2e2 xyzzy"], "ply 2, 'xyzzy'", "is not a legal move here"),
        (vec!["3k5/9/9/9/2R6/9/9/9/2R6/4K4 w", "R7.6"], "ply 1, 'R7.6' is ambiguous", "R-.6 (c1d1) or R+.6 (c5d5)"),
        (vec!["3k5/9/9/9/9/4r4/9/9/4R4/4K4 w", "e1d1"], "ply 1, 'e1d1'", "king could be captured"),
    ];
    for (arguments, place, hint) in cases {
        for extra in [&[][..], &["--json"]] {
            let ended = run_badly(&[&["notation"], &arguments[..], extra].concat(), 3);
            assert!(ended.lines.is_empty(), "{:#?}", ended.lines);
            assert!(ended.errors.contains(place) && ended.errors.contains(hint), "{}", ended.errors);
            assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
        }
    }
    refused(&["notation", "9/9", "h2e2"], 3, "invalid position");
}

#[test]
fn a_move_may_begin_with_a_dash() {
    let five = "2P1k4/2P6/2P6/2P6/2P6/9/9/9/9/3K5 w";
    let lines = run_well(&["notation", five, "--", "--.6"]).lines;
    assert!(lines[1].contains("五兵平六") && lines[1].contains("c5d5"), "{lines:#?}");
}

#[test]
fn moves_after_a_position_may_have_any_notation() {
    // The rook gives mate.
    let fen = "3k5/9/9/9/9/9/9/9/9/4K3R w - - 0 1";
    let moved = run_well(&["show", fen, "i0i9"]).text();
    for words in [&[fen, "车一进九"][..], &[fen, "moves", "I0-I9"]] {
        assert_eq!(run_well(&[&["show"], words].concat()).text(), moved, "{words:?}");
    }
    for command in ["show", "judge", "mate"] {
        let words = "ply 3, '车九进一' is not a legal move here; closest";
        refused(&[command, fen, "车一进九", "将4进1", "车九进一"], 3, words);
    }
    refused(&["show", fen, "moves", "C2.5"], 3, "ply 1, 'C2.5' is not a legal move here");
}
