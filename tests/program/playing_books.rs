//! Tests book moves: when a book is used, which moves it may give, and learning.

use std::collections::BTreeSet;

use chuhe::book::{Book, BookKey, LearningBook, Record};
use chuhe::engine::{Engine, Options, Variety};
use chuhe::position::Position;
use chuhe::search::Limits;

use crate::common::books::{encoded, record};
use crate::harness::{Program, TemporaryFile};

fn book_of(records: impl IntoIterator<Item = Record>) -> TemporaryFile {
    TemporaryFile::with("played.book", &encoded(records))
}

/// Results of each move.
const RESULTS: [u32; 3] = [3, 1, 0];

/// Writes a book of these moves, each a line from the start position with the weight of its last move.
fn book(lines: &[(&str, u16)]) -> TemporaryFile {
    book_of(lines.iter().map(|&(line, weight)| record(line, weight, RESULTS)))
}

fn start(book: &TemporaryFile, more: &[&str]) -> Program {
    let mut program = Program::start();
    program.say(&format!("setoption bookfiles {}", book.path()));
    program.say("setoption usebook true");
    more.iter().for_each(|line| program.say(line));
    program
}

/// Returns the answer to a `go` in a position, and whether it came from the book.
fn answer(program: &mut Program, position: &str, go: &str) -> (String, bool) {
    program.say(position);
    let lines = program.go(go);
    let from_book = lines.iter().any(|line| line.starts_with("info message book "));
    assert_eq!(from_book, !lines.iter().any(|line| line.starts_with("info depth")), "{lines:#?}");
    (lines.last().unwrap().clone(), from_book)
}

#[test]
fn a_book_move_is_played_with_its_reply_and_statistics() {
    let file = book(&[("a0a1", 9), ("a0a1 a9a8", 5)]);
    let mut program = start(&file, &[]);
    let lines = program.go("position startpos\ngo time 60000 increment 0");
    assert_eq!(lines.len(), 2, "{lines:#?}");
    let played = |text: &str| text.replace("i0i1", "a0a1").replace("i9i8", "a9a8");
    let statistics = "4 games, won 3, drawn 1, lost 0, 87.5 %; played in 100 % of the games here";
    assert_eq!(played(&lines[0]), format!("info message book a0a1: {statistics}"));
    assert!(played(&lines[1]).starts_with("bestmove a0a1 ponder a9a8"), "{lines:#?}");
    // A book treats a position and its mirror image alike.
    let (reply, from_book) = answer(&mut program, "position startpos moves i0i1", "go depth 2");
    assert!(from_book && reply.starts_with("bestmove i9i8"), "{reply}");
    let (_, from_book) = answer(&mut program, "position startpos moves h2e2", "go depth 2");
    assert!(!from_book, "not in the book");
    program.say("setoption usebook false");
    assert!(!answer(&mut program, "position startpos", "go depth 2").1);
    // A reply of weight zero is not the expected reply.
    let file = book(&[("a0a1", 9), ("a0a1 a9a8", 0)]);
    let (best, from_book) = answer(&mut start(&file, &[]), "position startpos", "go depth 2");
    assert!(from_book && !best.contains("ponder"), "{best}");
}

#[test]
fn the_book_is_not_used_in_analysis_and_while_pondering() {
    let file = book(&[("a0a1", 9)]);
    let mut program = start(&file, &[]);
    for go in ["go infinite", "go ponder time 60000 increment 0"] {
        program.say("position startpos");
        program.say(go);
        program.wait_until("a search", |line| line.starts_with("info depth 3"));
        let lines = program.go("stop");
        assert!(!lines.iter().any(|line| line.contains("message book")), "{go}: {lines:#?}");
    }
    assert!(!answer(&mut program, "position startpos", "go mate 1 depth 3").1);
    program.say("setoption multipv 2");
    assert!(!answer(&mut program, "position startpos", "go depth 2").1, "several lines are analysis too");
}

#[test]
fn the_predicted_move_is_answered_from_the_book_at_once() {
    let file = book(&[("a0a1", 9)]);
    let mut program = start(&file, &[]);
    let ponder = |program: &mut Program, position: &str, go: &str| {
        program.say(position);
        program.say(go);
        let before = program.wait_until("a search", |line| line.starts_with("info depth 3"));
        assert!(!before.iter().any(|line| line.contains("message book")), "{go}: {before:#?}");
        program.say("ponderhit");
        program.wait_for_answer()
    };
    let is_from_book = |lines: &[String]| lines.iter().any(|line| line.starts_with("info message book "));
    // A search would take much longer.
    let lines = ponder(&mut program, "position startpos", "go ponder time 36000000 increment 0");
    assert!(is_from_book(&lines), "{lines:#?}");
    let best = lines.last().unwrap();
    assert!(best.starts_with("bestmove a0a1") || best.starts_with("bestmove i0i1"), "{best}");
    assert!(program.ask("").is_empty(), "it is answered once");
    // Positions outside the book, and moves that are not allowed.
    let lines = ponder(&mut program, "position startpos moves h2e2", "go ponder depth 4");
    assert!(!is_from_book(&lines), "{lines:#?}");
    let lines = ponder(&mut program, "position startpos", "go ponder depth 4 searchmoves h2e2");
    assert!(!is_from_book(&lines) && lines.last().unwrap().starts_with("bestmove h2e2"), "{lines:#?}");
    // The book is not used for a search that is not pondering.
    program.say("position startpos\ngo infinite");
    program.wait_until("a search", |line| line.starts_with("info depth 3"));
    let lines = program.go("ponderhit\nstop");
    assert!(!is_from_book(&lines), "{lines:#?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_book_is_found_by_its_name_in_gbk_or_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let good = book(&[("a0a1", 9)]);
    let folder = tempfile::tempdir().unwrap();
    let names = [b"\xb3\xfe\xba\xd3.book".as_slice(), "楚河.book".as_bytes()];
    let named = |name: &[u8]| {
        let mut program = Program::start();
        program.say("setoption usebook true");
        let folder = folder.path().as_os_str().as_bytes();
        program.send(&[b"setoption bookfiles ", folder, b"/", name, b"\n"].concat());
        program
    };
    for name in names {
        let path = folder.path().join(OsStr::from_bytes(name));
        std::fs::copy(good.path(), &path).unwrap();
        for sent in names {
            let mut program = named(sent);
            let (best, from_book) = answer(&mut program, "position startpos", "go depth 2");
            assert!(from_book && (best.contains("a0a1") || best.contains("i0i1")), "{best}");
        }
        std::fs::remove_file(path).unwrap();
    }
    for sent in names {
        let lines = named(sent).wait_until("a message", |line| line.starts_with("info message"));
        // As it came; what is not UTF-8 is read here as other characters.
        let name = String::from_utf8_lossy(sent);
        let expected = format!("info message {}/{name}: No such file", folder.path().display());
        assert!(lines.last().unwrap().starts_with(&expected), "{lines:?}");
    }
}

#[test]
fn banned_and_unwanted_moves_are_not_played() {
    let file = book(&[("a0a1", 9), ("h2e2", 1)]);
    let mut program = start(&file, &["setoption bookvariety best"]);
    let lines = program.go("position startpos\nbanmoves a0a1 i0i1\ngo depth 2");
    let best = lines.last().unwrap();
    assert!(lines[0].contains("message book") && (best.contains("h2e2") || best.contains("b2e2")), "{lines:#?}");
    let (best, from_book) = answer(&mut program, "position startpos", "go depth 2 searchmoves b0c2");
    assert!(!from_book && best.starts_with("bestmove b0c2"), "{best}");
}

/// Returns the move that an engine chooses from a book at the start of the game, as stored in the book.
fn chosen(file: &TemporaryFile, variety: Variety, seed: u64) -> Option<String> {
    let mut engine = Engine::with_hash(1).unwrap();
    let set = |options: &mut Options| {
        options.uses_book = true;
        options.book_files = file.path().to_owned();
        options.book_variety = variety;
        options.seed = seed;
    };
    engine.configure(set).unwrap();
    let mv = engine.book_move(&Limits::depth(2))?.mv;
    Some(BookKey::new(&Position::start()).to_book(mv).to_string())
}

#[test]
fn preferences_decide_what_is_played() {
    let file = book(&[("c3c4", 50_000), ("h2e2", 10)]);
    for (preferences, expected) in [
        ([("h2e2", "never"), ("a0a2", "none")], Some("c3c4")),
        ([("h2e2", "none"), ("c3c4", "never")], Some("b2e2")),
        // Not in the book before.
        ([("c3c4", "none"), ("a0a2", "always")], Some("a0a2")),
        ([("a0a2", "never"), ("h2e2", "always")], Some("b2e2")),
        ([("c3c4", "never"), ("h2e2", "never")], None),
    ] {
        let mut learner = LearningBook::open(file.path().as_ref()).unwrap();
        for (mv, preference) in preferences {
            learner.prefer(&Position::start(), mv.parse().unwrap(), preference.parse().unwrap()).unwrap();
        }
        assert_eq!(chosen(&file, Variety::Large, 1).as_deref(), expected, "{preferences:?}");
    }
}

#[test]
fn bookdepth_and_bookvariety_limit_the_moves() {
    let file = book(&[("a0a1", 1000), ("h2e2", 501), ("c3c4", 101), ("b0c2", 1), ("h2e2 h9g7", 1)]);
    let moves_of = |variety| (1..=60).map(|seed| chosen(&file, variety, seed)).collect::<BTreeSet<_>>().len();
    assert_eq!([Variety::Best, Variety::Small, Variety::Medium].map(moves_of), [1, 2, 3]);
    let mut program = start(&file, &["setoption bookdepth 1"]);
    assert!(answer(&mut program, "position startpos", "go depth 2").1);
    assert!(!answer(&mut program, "position startpos moves h2e2", "go depth 2").1);
    program.say("setoption bookdepth 2");
    assert!(answer(&mut program, "position startpos moves h2e2", "go depth 2").1);
}

#[test]
fn a_file_that_is_no_book_is_reported_and_the_others_are_used() {
    let good = book(&[("a0a1", 9)]);
    let bad = TemporaryFile::with("no.book", "no book at all");
    let mut program = Program::start();
    program.say(&format!("setoption bookfiles {}", bad.path()));
    assert!(program.ask("").is_empty(), "books that are not used are not opened");
    program.say("setoption usebook true");
    let lines = program.wait_until("a message", |line| line.starts_with("info message"));
    assert!(lines.last().unwrap().contains("not a Chuhe book"), "{lines:?}");
    program.say(&format!("setoption bookfiles {};/no/such/file;{}", bad.path(), good.path()));
    let lines = program.wait_until("a message", |line| line.starts_with("info message"));
    let message = lines.last().unwrap();
    assert!(message.contains("not a Chuhe book") && message.contains("/no/such/file"), "{message}");
    assert!(answer(&mut program, "position startpos", "go depth 2").1, "the good one is used");
    program.say(&format!("setoption bookfiles {}", bad.path()));
    assert!(!answer(&mut program, "position startpos", "go depth 2").1);
    program.say("setoption bookfiles");
    assert!(answer(&mut program, "position startpos", "go depth 2").1, "the built-in book");
}

#[test]
fn a_move_that_loses_by_the_repetition_rules_is_not_played() {
    // Red's rook has given perpetual check for two cycles; the third would lose.
    let fen = "4k4/9/9/9/9/9/9/9/4R4/5K3 b";
    let cycle = ["e9d9", "e1d1", "d9e9", "d1e1"];
    let mut position = Position::from_fen(fen).unwrap();
    let mut played = Vec::new();
    for mv in cycle.iter().cycle().take(11) {
        position.play([*mv]).unwrap();
        played.push(*mv);
    }
    let losing = "d1e1";
    let record_of = |position: &Position, mv: &str| {
        let entry = BookKey::new(position);
        Record { key: entry.key, mv: entry.to_book(mv.parse().unwrap()), ..record("a0a1", 9, RESULTS) }
    };
    let reply = record_of(&position, losing);
    let file = book_of([reply]);
    let mut program = start(&file, &[]);
    let whole = format!("position fen {fen} moves {}", played.join(" "));
    let (best, from_book) = answer(&mut program, &whole, "go depth 3");
    assert!(!from_book && !best.contains(losing), "{best}");
    // Without the history the same move is allowed.
    let (best, from_book) = answer(&mut program, &format!("position fen {position}"), "go depth 3");
    assert!(from_book && best.contains(losing), "{best}");
    // Black's book move does not expect the losing reply.
    let last = played.pop().unwrap();
    position.unmake();
    let file = book_of([reply, record_of(&position, last)]);
    let mut program = start(&file, &[]);
    let whole = format!("position fen {fen} moves {}", played.join(" "));
    let (best, from_book) = answer(&mut program, &whole, "go depth 3");
    assert!(from_book && best.contains(last) && !best.contains("ponder"), "{best}");
    let (best, from_book) = answer(&mut program, &format!("position fen {position}"), "go depth 3");
    assert!(from_book && best.ends_with(&format!("{last} ponder {losing}")), "{best}");
}

#[test]
fn a_book_learns_from_the_games_that_it_was_used_in() {
    let file = book(&[("h2e2", 1_000), ("h2e2 a9a8", 1_000)]);
    let deltas =
        || -> Vec<i16> { Book::open(file.path().as_ref()).unwrap().records().map(|one| one.learned_delta).collect() };
    let play = |program: &mut Program, is_lost: bool| {
        assert!(answer(program, "position startpos", "go depth 2").1);
        // Red gives a rook away, or Black does; then nothing happens for some moves.
        let rook = if is_lost { "a9a8 a0a1 a8d8 a1d1 d8d1" } else { "a9a8 a0a1 a8d8 b0c2 d8d1 a1d1 i9i8" };
        let rest = ["", "c3c4 c6c5", "g3g4 g6g5", "a3a4 a6a5", "i3i4 i6i5"];
        for turn in 0..rest.len() {
            let line = format!("position startpos moves h2e2 {rook} {}", rest[..=turn].join(" "));
            assert!(!answer(program, &line, "go depth 3").1);
        }
    };
    let mut program = start(&file, &["setoption booklearn true"]);
    program.use_test_network();
    play(&mut program, true);
    assert_eq!(deltas(), [0, 0], "the game is not over");
    program.say("setoption newgame");
    let lines = program.wait_until("a message", |line| line.starts_with("info message"));
    assert!(lines.last().unwrap().contains("learned"), "{lines:?}");
    let lost = deltas();
    assert!(lost.iter().any(|delta| *delta < 0), "Red lost: {lost:?}");
    play(&mut program, false);
    program.say("quit");
    program.wait_for("bye");
    assert!(program.expect_exit().status == Some(0));
    assert_ne!(deltas(), lost);
    let mut learner = LearningBook::open(file.path().as_ref()).unwrap();
    assert_eq!(learner.games().len(), 2);
    while learner.undo().unwrap().is_some() {}
    assert_eq!(deltas(), [0, 0]);
    // Without leave nothing is learned.
    let mut program = start(&file, &[]);
    program.use_test_network();
    play(&mut program, true);
    program.say("setoption newgame");
    assert!(program.ask("").is_empty());
    assert_eq!(deltas(), [0, 0]);
}
