//! Proves that books are made, mixed, shown and refused from the command line as the help says.

use std::fs;

use chuhe::book::JournalEntry;
use chuhe::position::Position;

use crate::common::NOT_FOUND;
#[cfg(target_os = "linux")]
use crate::harness::run_with_file_limit;
use crate::harness::{Program, TemporaryFile, refused, run, run_badly, run_noted, run_well, run_with};

/// Every game twice, so that the usual criteria keep something.
const GAMES: &str = "1-0\t\th2e2 h9g7 h0g2 i9h9\n1-0\t\tb2e2 b9c7 b0c2 a9b9\n0-1\t\th2e2 b9c7\n1/2-1/2\t\th2e2 b9c7\n\
                     0-1\t\tc3c4 g6g5\n1-0\t\tc3c4 g6g5\n*\t\ta0a1 a9a8\n";

fn built(label: &str, games: &str, more: &[&str]) -> TemporaryFile {
    let list = TemporaryFile::with(&format!("{label}.tsv"), games);
    let book = TemporaryFile::named(&format!("{label}.book"));
    run_noted(&[&["book", "build", list.path(), "--out", book.path()], more].concat());
    book
}

fn probe(book: &TemporaryFile, moves: &[&str]) -> Vec<String> {
    run_well(&[&["book", "probe", "startpos"], moves, &["--book", book.path()]].concat()).lines
}

#[test]
fn a_book_in_place_of_a_position_gets_a_hint() {
    let book = built("misplaced", GAMES, &[]);
    for command in ["probe", "tree"] {
        refused(&["book", command, book.path()], 2, &format!("--book {}", book.path()));
        refused(&["book", command, "missing.book"], 2, "--book missing.book");
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn what_was_played_is_shown_for_the_side_to_move() {
    let book = built("played", GAMES, &["--min-score", "0"]);
    let lines = probe(&book, &[]);
    assert_eq!(cells(&lines[0]).join(" "), "move games won drawn lost score % share % weight delta");
    // (2 · 4.5 / 8)² · 4 / 6 and (2 · 3 / 6)² · 2 / 6.
    assert_eq!(cells(&lines[1]), ["b2e2", "炮八平五", "4", "2", "1", "1", "62.5", "66.7", "8438", "0"]);
    assert_eq!(cells(&lines[2]), ["c3c4", "兵七进一", "2", "1", "0", "1", "50.0", "33.3", "3333", "0"]);
    assert_eq!(lines.len(), 3);
    // The same position, reached from both sides.
    let lines = probe(&book, &["h2e2"]);
    assert_eq!(cells(&lines[1])[..6], ["b9c7", "马２进３", "2", "1", "1", "0"]);
    assert_eq!(cells(&lines[2])[..6], ["h9g7", "马８进７", "2", "0", "0", "2"]);
    let lines = probe(&book, &["b2e2"]);
    assert_eq!(cells(&lines[1])[..6], ["h9g7", "马８进７", "2", "1", "1", "0"]);
    assert_eq!(probe(&book, &["a0a1"]), ["this position is not in the book"]);
    let text = run_well(&["book", "probe", "--json", "--notation", "wxf", "--book", book.path()]).text();
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(answer["fen"].as_str().unwrap().starts_with("rnbakabnr/"));
    let expected = serde_json::json!({
        "move": "b2e2", "notation": "C8.5", "games": 4, "wins": 2, "draws": 1, "losses": 1, "score": 0.625,
        "share": 4.0 / 6.0, "weight": 8438, "delta": 0, "verified": false, "preference": null,
    });
    assert_eq!(answer["moves"][0], expected);
}

#[test]
fn criteria_and_results_decide_what_is_kept() {
    let list = TemporaryFile::with("kept.tsv", GAMES);
    let book = TemporaryFile::named("kept.book");
    let ended = run(&["book", "build", list.path(), "--out", book.path(), "--max-ply", "1", "--min-score", "55"]);
    ended.tells("1 game without a result skipped");
    ended.tells("6 games with 1 position; kept: 1 move in 1 position");
    assert_eq!(probe(&book, &[]).len(), 2);
    let before = fs::read(book.path()).unwrap();
    refused(&["book", "build", list.path(), "--out", book.path(), "--min-games", "7"], 1, "no move meets the criteria");
    assert_eq!(fs::read(book.path()).unwrap(), before, "the old book stays");
    let verified = built("verified", GAMES, &["--min-score", "0", "--verify", "300"]);
    let lines = run_well(&["book", "export", verified.path()]).lines;
    assert!(lines.len() > 3 && lines[2..].iter().all(|line| line.ends_with(" verified")), "{lines:#?}");
}

#[test]
fn a_book_goes_to_text_and_back_and_two_become_one() {
    let book = built("text", GAMES, &["--min-score", "0", "--provenance", "two\tcolumns 楚河"]);
    let text = TemporaryFile::named("book.txt");
    fs::write(text.path(), run_well(&["book", "export", book.path()]).text() + "\n").unwrap();
    let back = TemporaryFile::named("back.book");
    run_noted(&["book", "import", text.path(), "--out", back.path()]);
    assert_eq!(fs::read(back.path()).unwrap(), fs::read(book.path()).unwrap());
    let ended = run_with(&["book", "import", "-", "--out", back.path()], b"chuhe book 1\norigin \"\"\nnonsense\n");
    assert_eq!(ended.status, Some(1));
    ended.tells("-: line 3: 'nonsense' is not a valid key");
    let both = TemporaryFile::named("both.book");
    run_noted(&["book", "merge", book.path(), back.path(), "--out", both.path()]);
    let lines = probe(&both, &[]);
    assert_eq!(cells(&lines[1])[..6], ["b2e2", "炮八平五", "8", "4", "2", "2"]);
    let info = run_well(&["book", "info", both.path()]).text();
    assert!(info.contains("moves      7\n") && info.contains("most games 8\n"), "{info}");
    assert!(info.contains("origin     two\u{fffd}columns 楚河\n"), "{info}");
    assert!(info.contains(" text.tsv --max-ply 40 --min-games 2"), "{info}");
}

#[test]
fn a_book_of_another_program_is_known_by_its_content() {
    // The start of the game and two moves there, the cannon to the middle from either side.
    let bytes: &[u8] = b"\xd5\x56\x26\x05\xa4\xa7\xc1\x05\xd5\x56\x26\x05\xaa\xa7\xc1\x05";
    let (eye, book) = (TemporaryFile::with("eye.bin", bytes), TemporaryFile::named("eye.book"));
    let ended = run_noted(&["book", "import", "--out", book.path(), eye.path()]);
    ended.tells("2 of 2 moves of");
    let lines = probe(&book, &[]);
    assert_eq!(cells(&lines[1]), ["b2e2", "炮八平五", "0", "0", "0", "0", "–", "0.0", "1473", "0"]);
    assert_eq!(lines.len(), 2);
    let text = TemporaryFile::with("text.dat", "chuhe book 1\norigin \"\"\n");
    let (letter, cut) = (TemporaryFile::with("letter.txt", "Dear Sir,\n"), TemporaryFile::with("cut.dat", &bytes[1..]));
    for (file, status, part) in
        [(letter.path(), 1, "line 1: a book as text must begin"), (cut.path(), 1, "not a book of ElephantEye")]
    {
        refused(&["book", "import", file, "--out", book.path()], status, part);
    }
    run_noted(&["book", "import", text.path(), "--out", book.path()]);
    // A key that leads nowhere.
    fs::write(eye.path(), b"\0\0\0\0\xa4\xa7\xc1\x05").unwrap();
    let before = fs::read(book.path()).unwrap();
    refused(&["book", "import", eye.path(), "--out", book.path()], 1, "nothing was written");
    assert_eq!(fs::read(book.path()).unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_number_of_games_that_can_be_undone() {
    let master_games = TemporaryFile::with("full-games.tsv", crate::common::data::GAMES);
    // The book outgrows the limit after a few games, and the journal of one that is within it.
    let wide = ["--min-games", "1", "--min-share", "0", "--min-score", "0"];
    for (label, games, options) in [("wide", crate::common::data::GAMES, &wide[..]), ("narrow", GAMES, &[])] {
        let book = built(&format!("full-{label}"), games, options);
        let original = fs::read(book.path()).unwrap();
        let holds = || JournalEntry::read_all(book.path().as_ref()).unwrap().len();
        let plies = if label == "wide" { "40" } else { "0" };
        let mut advised = 0;
        for blocks in (1..=14).step_by(2) {
            let arguments = ["book", "learn", book.path(), master_games.path(), "--max-ply", plies];
            let ended = run_with_file_limit(blocks, &arguments);
            let advice = format!("with --games {} undoes them", holds());
            let is_advised = ended.status == Some(1) && holds() > 0;
            assert_eq!(ended.errors.contains(&advice), is_advised, "{label} {blocks}: {}", ended.errors);
            assert!(!ended.errors.contains("tmp\""), "it names no temporary file: {}", ended.errors);
            advised += usize::from(is_advised);
            if holds() > 0 {
                let ended = run_noted(&["book", "unlearn", book.path(), "--games", &holds().to_string()]);
                ended.tells("0 games remaining");
            }
            assert!(fs::read(book.path()).unwrap() == original, "{label} {blocks}");
        }
        assert!(advised > 1, "{label}: {advised}");
    }
}

#[test]
fn programs_that_learn_at_the_same_time_lose_nothing() {
    let book = built("company", GAMES, &["--min-score", "0"]);
    let before = fs::read(book.path()).unwrap();
    let games = ["a", "b", "c"].map(|name| {
        let results = ["1-0", "0-1"].into_iter().cycle().take(40);
        let lines: String = results.map(|result| format!("{result}\t\th2e2 h9g7 h0g2 i9h9\n")).collect();
        TemporaryFile::with(&format!("company-{name}.tsv"), &lines)
    });
    let start = |games: &TemporaryFile| Program::with(&["book", "learn", book.path(), games.path()]);
    let programs = games.each_ref().map(start);
    for program in programs {
        let ended = program.expect_exit();
        assert_eq!(ended.status, Some(0), "{}", ended.errors);
        ended.tells("learned from 40 games");
    }
    let journal = run_well(&["book", "journal", book.path()]).lines;
    assert_eq!(journal.len(), 120);
    for games in &games {
        assert_eq!(journal.iter().filter(|line| line.contains(games.name())).count(), 40, "{}", games.name());
    }
    assert_ne!(fs::read(book.path()).unwrap(), before);
    let ended = run(&["book", "unlearn", book.path(), "--all"]);
    ended.tells("120 games undone, 0 games remaining");
    assert_eq!(fs::read(book.path()).unwrap(), before);
}

#[test]
fn preferences_are_set_shown_and_removed() {
    let book = built("preferred", GAMES, &["--min-score", "0"]);
    let before = fs::read(book.path()).unwrap();
    let prefer = |words: &[&str]| run(&[&["book", "prefer", book.path()], words].concat());
    for words in [
        &["always", "startpos", "炮二平五", "H8+7"][..],
        &["50%", "startpos", "兵七进一"],
        &["never", "3k5/9/9/9/9/9/9/9/4R4/4K4 w", "e1e5"],
    ] {
        let ended = prefer(words);
        assert_eq!(ended.status, Some(0), "{}", ended.errors);
        ended.tells(&format!("{}, before: none", words[0]));
    }
    let listed = run_well(&["book", "prefer", book.path()]).lines;
    let key = listed[2].split(' ').next_back().unwrap();
    assert!(u64::from_str_radix(key, 16).is_ok(), "{listed:#?}");
    let expected = [
        "50%     兵七进一  startpos c3c4".to_owned(),
        "always  马２进３  startpos b2e2 b9c7".to_owned(),
        format!("never   e1e5  key {key}"),
    ];
    let mirrored = expected[1].replace("马２进３", "马８进７").replace("b2e2 b9c7", "b2e2 h9g7");
    assert!(listed == expected || listed[1] == mirrored, "{listed:#?}");
    // The probe lists the preferred move first, and half of the weight.
    let lines = probe(&book, &["h2e2"]);
    assert_eq!((cells(&lines[0]).last(), cells(&lines[1]).last()), (Some(&"prefer"), Some(&"always")));
    assert_eq!((cells(&lines[1])[0], cells(&lines[2]).len()), ("h9g7", cells(&lines[1]).len() - 1));
    let json = run_well(&["book", "probe", "--json", "--book", book.path()]).text();
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&answer["moves"][0]["preference"], &answer["moves"][1]["preference"]), (&().into(), &"50%".into()));
    assert!(run_well(&["book", "info", book.path()]).text().contains("format     2\n"));
    for (words, part) in
        [(&["always", "startpos", "h2e9"][..], "h2e9"), (&["50%", "startpos", "a3a4"], "no weight for a3a4")]
    {
        refused(&[&["book", "prefer", book.path()], words].concat(), 2, part);
    }
    prefer(&["none", "startpos", "h2e2", "h9g7"]);
    prefer(&["100", "startpos", "g3g4"]);
    prefer(&["none", "3k5/9/9/9/9/9/9/9/4R4/4K4 w", "e1e5"]);
    assert_eq!(fs::read(book.path()).unwrap(), before);
    assert_eq!(run_well(&["book", "prefer", book.path()]).lines, ["this book has no preferences"]);
}

#[test]
fn the_book_of_the_program_has_lines_of_play() {
    let lines = run_well(&["book", "tree", "--depth", "3", "--lines", "5", "--notation", "coordinate"]).lines;
    assert_eq!(lines.len(), 6, "{lines:#?}");
    let share = |line: &String| cells(line)[0].parse::<f64>().unwrap();
    assert!(lines[1..].windows(2).all(|pair| share(&pair[0]) >= share(&pair[1])), "{lines:#?}");
    for line in &lines[1..] {
        let moves = &cells(line)[2..];
        assert!(moves.len() == 3 && Position::start().play(moves.iter().copied()).is_ok(), "{line}");
    }
    let none = run_well(&["book", "tree", "3k5/9/9/9/9/9/9/9/9/4K4 w"]).lines;
    assert_eq!(none, ["this position is not in the book"]);
}

#[test]
fn what_is_no_book_is_refused_with_its_name() {
    let book = built("refused", GAMES, &[]);
    let foreign = TemporaryFile::with("foreign.book", GAMES);
    for (file, part) in [(foreign.path(), "not a Chuhe book"), ("/nonexistent/some.book", NOT_FOUND)] {
        for arguments in [&["book", "info", file][..], &["book", "merge", book.path(), file, "--out", book.path()]] {
            let ended = refused(arguments, 1, part);
            assert!(ended.errors.contains(file) && ended.lines.is_empty(), "{}", ended.errors);
        }
    }
}

#[test]
fn a_book_that_learns_is_not_replaced_and_a_missing_file_is_found_first() {
    let (book, games) = (built("kept-learner", GAMES, &[]), TemporaryFile::with("kept-learner-games.tsv", GAMES));
    let before = fs::read(book.path()).unwrap();
    let ended = run_badly(&["book", "learn", book.path(), games.path(), "/nowhere/games.pgn"], 1);
    assert!(ended.errors.starts_with("chuhe: /nowhere/games.pgn: "), "{}", ended.errors);
    assert_eq!(fs::read(book.path()).unwrap(), before);
    // A folder is found when it is read: what was learned before is told and can be undone.
    let ended = run_badly(&["book", "learn", book.path(), games.path(), "/"], 1);
    let message = "learned from 6 games before it ended; 'book unlearn' with --games 6";
    ended.tells(message);
    let (learner, other) = (fs::read(book.path()).unwrap(), built("kept-other", GAMES, &[]));
    let text = run_well(&["book", "export", other.path()]).text();
    let text = TemporaryFile::with("kept-other.txt", &format!("{text}\n"));
    for arguments in [
        &["book", "build", games.path(), "--min-games", "1", "--out", book.path()][..],
        &["book", "merge", book.path(), other.path(), "--out", book.path()],
        &["book", "import", text.path(), "--out", book.path()],
    ] {
        refused(arguments, 2, "this book learns");
        assert_eq!(fs::read(book.path()).unwrap(), learner);
    }
    let faulty = TemporaryFile::with("kept-faulty.pgn", "[Result \"1-0\"]\n\n1. h2h8 1-0\n");
    let ended = run_badly(&["book", "learn", book.path(), faulty.path()], 1);
    assert!(ended.errors.ends_with("no game could be read\n"), "{}", ended.errors);
    run_noted(&["book", "unlearn", book.path(), "--all"]);
    run_noted(&["book", "merge", book.path(), other.path(), "--out", book.path()]);
}
