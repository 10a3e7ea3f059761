//! FEN round trips, exact error messages, and no panic on any text.

use chuhe::position::{Position, START_FEN, Strictness};
use chuhe::types::Side;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::perft_lines;
use crate::common::naive::{Board, Point, texts};
use crate::walks::{MAX_PLIES_SINCE_CAPTURE, at_every_node, crowded_positions};

const START_BOARD: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

/// A board with nothing but kings, except for some ranks: `(9, "R3k4")` replaces the uppermost.
fn board_with(ranks: &[(usize, &str)]) -> String {
    let mut board = ["3k5", "9", "9", "9", "9", "9", "9", "9", "9", "4K4"];
    for &(rank, text) in ranks {
        board[9 - rank] = text;
    }
    board.join("/")
}

fn read(fen: &str) -> Position {
    let parsed = Position::parse_fen(fen, Strictness::Strict).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert!(parsed.warnings.is_empty(), "{fen}");
    parsed.position
}

#[test]
fn positions_are_written_as_they_are_read() {
    assert_eq!(Position::start().to_string(), START_FEN);
    assert_eq!(Position::default(), Position::start());
    for line in perft_lines() {
        assert_eq!(line.position().to_string(), line.fen);
        assert_eq!(Board::of(&line.position()), Board::read(line.fen), "{}", line.fen);
    }
    at_every_node(31, 2, 60, |position, _| {
        assert_eq!(position.board_text(), Board::of(position).text());
        assert_eq!(read(&position.to_string()), *position, "{position}");
    });
    for position in crowded_positions(32, 100) {
        let parsed = Position::parse_fen(&position.to_string(), Strictness::Lax).expect("it was allowed before");
        assert_eq!(parsed.position, position);
    }
}

#[test]
fn other_letters_and_shorter_tails_are_understood() {
    let elephants = "rhbakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNEAKABHR";
    let same_as_start = [
        format!("{elephants} w - - 0 1"),
        format!("{START_BOARD} w"),
        format!("{START_BOARD} r"),
        format!("{START_BOARD} R - - 0 1"),
        format!("{START_BOARD} W - - 0 1"),
        format!("{START_BOARD} w - -"),
        format!("{START_BOARD} w - - 0"),
        format!("{START_BOARD} w 0 1"),
        format!("{START_BOARD} w -- 0 1"),
        format!("{START_BOARD} w -- 0 0"),
        format!("  {START_BOARD}\t w  -   - 0\n1\r\n"),
        format!("{START_BOARD} w - - 0 1 and what follows"),
    ];
    for fen in same_as_start {
        assert_eq!(read(&fen), Position::start(), "{fen}");
    }
    for letter in ['b', 'B'] {
        assert_eq!(read(&format!("{START_BOARD} {letter} - - 3 7")).to_string(), format!("{START_BOARD} b - - 3 7"));
    }
    // Every empty point written on its own.
    assert_eq!(read(&START_FEN.replace('9', "111111111").replace('5', "2111")), Position::start());
}

#[test]
fn counters_are_kept_within_their_limits() {
    let counters = |tail: &str| {
        let position = read(&format!("{START_BOARD} b - - {tail}"));
        (position.plies_since_capture(), position.move_number())
    };
    assert_eq!(counters("119 60"), (119, 60));
    assert_eq!(counters("0 0"), (0, 1));
    assert_eq!(counters("1 100000"), (1, 100_000));
    assert_eq!(counters("1 5000000"), (1, 100_000));
    assert_eq!(counters("007 0008"), (7, 8));
    assert_eq!(MAX_PLIES_SINCE_CAPTURE, 119);
}

#[test]
fn odd_tails_are_read_as_defaults_with_a_warning() {
    let plies = |text: &str, assumed: usize| {
        format!("'{text}' is not a number of plies since a capture (0 to 119), {assumed} is assumed")
    };
    let number = |text: &str| format!("'{text}' is not a move number, 1 is assumed");
    let nines = "9".repeat(100_000);
    let large = format!("b {nines} {nines}");
    let cases = [
        ("", vec!["the FEN has no side to move, Red is assumed".to_owned()], "w - - 0 1"),
        ("b - - 200 150", vec![plies("200", 119)], "b - - 119 150"),
        ("w - - 120 3", vec![plies("120", 119)], "w - - 119 3"),
        (large.as_str(), vec![plies(&nines[..20], 119)], "b - - 119 100000"),
        ("w - - -1 3", vec![plies("-1", 0)], "w - - 0 3"),
        ("w - - 4.5 3", vec![plies("4.5", 0)], "w - - 0 3"),
        ("w KQkq - 4 3", vec![plies("KQkq", 0)], "w - - 0 4"),
        ("w - - 4 three", vec![number("three")], "w - - 4 1"),
        ("b - - 4 -3", vec![number("-3")], "b - - 4 1"),
        ("黑 - - 一 二", vec![plies("一", 0), number("二")], "b - - 0 1"),
    ];
    for (tail, warnings, normal) in cases {
        let fen = format!("{START_BOARD} {tail}");
        let parsed = Position::parse_fen(&fen, Strictness::Strict).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(parsed.warnings, warnings, "{fen}");
        assert_eq!(parsed.position.to_string(), format!("{START_BOARD} {normal}"), "{fen}");
        assert_eq!(Position::from_fen(&fen).as_ref(), Ok(&parsed.position), "warnings are no errors");
    }
}

#[test]
fn fens_of_addresses_are_read() {
    for tail in ["_w_-_-_0_1", "%20b%20-%20-%203%207", "+w+-+-+0+1", "_Black", "_red"] {
        for board in [START_BOARD.to_owned(), START_BOARD.replace('/', "%2F"), START_BOARD.replace('/', "%2f")] {
            let plain = format!("{START_BOARD}{}", tail.replace(['_', '+'], " ").replace("%20", " "));
            let parsed = Position::from_fen(&format!("{board}{tail}")).unwrap();
            assert_eq!(Ok(parsed), Position::from_fen(&plain), "{board}{tail}");
        }
    }
}

#[test]
fn faults_are_named() {
    let with = board_with;
    let not_a_piece = "is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)";
    let misplaced = |name: &str, place: &str| {
        let [file, rank] = [&place[..1], &place[1..]];
        format!("{name} cannot be on {place} (file {file}, rank {rank})")
    };
    let check = |side: &str| format!("{side} is in check but it is not its turn");
    let nines = "9".repeat(100_000);
    // Faults that composed problems must not have either.
    let always: Vec<(String, &str, String)> = vec![
        (String::new(), "", "the FEN is empty".into()),
        (" \t\r\n ".into(), "", "the FEN is empty".into()),
        ("9".into(), "w", "the board has 1 ranks instead of 10".into()),
        ("rnbakabnr/9/1c5c1/p1p1p1p1p/9".into(), "w - - 0 1", "the board has 5 ranks instead of 10".into()),
        (with(&[]) + "/9", "w", "the board has 11 ranks instead of 10".into()),
        (["9"; 10_000].join("/"), "w", "the board has 11 ranks instead of 10".into()),
        (with(&[(9, "rnbakabn")]), "w", "rank 9 has 8 files instead of 9".into()),
        (with(&[(0, "RNBAKABNRR")]), "w", "rank 0 has 10 files instead of 9".into()),
        (with(&[(4, "91")]), "w", "rank 4 has 10 files instead of 9".into()),
        (with(&[(4, "89")]), "w", "rank 4 has 17 files instead of 9".into()),
        (with(&[(3, "")]), "w", "rank 3 has 0 files instead of 9".into()),
        (with(&[(3, "9x")]), "w", "rank 3 has 10 files instead of 9".into()),
        ("hello".into(), "world", format!("rank 9, file c: 'l' {not_a_piece}")),
        (with(&[(5, "8x")]), "w", format!("rank 5, file i: 'x' {not_a_piece}")),
        (with(&[(7, "09")]), "w", format!("rank 7, file a: '0' {not_a_piece}")),
        (with(&[(0, "4帅4")]), "w", format!("rank 0, file e: '帅' {not_a_piece}")),
        (with(&[(6, "2٣")]), "w", format!("rank 6, file c: '٣' {not_a_piece}")),
        (START_BOARD.into(), "x - - 0 1", "'x' is not a side to move (w, r or b)".into()),
        (START_BOARD.into(), "- - 0 1", "'-' is not a side to move (w, r or b)".into()),
        (START_BOARD.into(), "白", "'白' is not a side to move (w, r or b)".into()),
        (START_BOARD.into(), nines.as_str(), "'99999999999999999999' is not a side to move (w, r or b)".into()),
        (with(&[(8, "RRRRRRRRR"), (7, "RRRRRRRR1")]), "w", "more than 16 pieces 'R' (rank 7, file h)".into()),
        (["9"; 10].join("/"), "w - - 0 1", "Red has 0 kings instead of one".into()),
        (with(&[(9, "9")]), "w", "Black has 0 kings instead of one".into()),
        (with(&[(1, "4K4")]), "w", "Red has 2 kings instead of one".into()),
        (with(&[(7, "kkkkkkkkk")]), "w", "Black has 10 kings instead of one".into()),
        (with(&[(0, "2K6")]), "w", misplaced("Red's king", "c0")),
        (with(&[(0, "9"), (3, "4K4")]), "w", misplaced("Red's king", "e3")),
        (with(&[(9, "9"), (6, "3k5")]), "w", misplaced("Black's king", "d6")),
        (with(&[(1, "3A5")]), "w", misplaced("Red's advisor", "d1")),
        (with(&[(7, "4a4")]), "w", misplaced("Black's advisor", "e7")),
        (with(&[(5, "2B6")]), "w", misplaced("Red's elephant", "c5")),
        (with(&[(2, "b8")]), "w", misplaced("Black's elephant", "a2")),
        (with(&[(3, "1P7")]), "w", misplaced("Red's pawn", "b3")),
        (with(&[(8, "8p")]), "w", misplaced("Black's pawn", "i8")),
        (with(&[(9, "4k4"), (0, "R3K4")]), "w - - 0 1", "the kings face each other on file e".into()),
        ("9/9/5k3/9/9/9/9/5K3/9/9".into(), "b", "the kings face each other on file f".into()),
        (with(&[(9, "R2k5")]), "w", check("Black")),
        (with(&[(1, "6n2")]), "b", check("Red")),
        (with(&[(2, "4n4"), (0, "3K5"), (9, "4k4")]), "b", check("Red")),
        (with(&[(0, "3pK4")]), "b", check("Red")),
        (with(&[(0, "c2AK4")]), "b", check("Red")),
    ];
    for (board, tail, message) in always {
        for strictness in [Strictness::Strict, Strictness::Lax] {
            let found = Position::parse_fen(&format!("{board} {tail}"), strictness).map(|parsed| parsed.position);
            assert_eq!(found.map_err(|error| error.to_string()), Err(message.clone()), "{board:.80}");
        }
    }
    let crowd = |rank| with(&[(6, "RRRRRRR2"), (5, "RRRRRRRRR"), (4, "CCCCCCCCC"), (3, rank)]) + " b";
    let [thirty, thirty_one] = ["CCCC5", "CCCCC4"].map(|rank| Position::parse_fen(&crowd(rank), Strictness::Lax));
    assert_eq!(thirty.expect("thirty pieces are allowed").position.pieces().count(), 31);
    assert_eq!(thirty_one.unwrap_err().to_string(), "Red has 31 pieces, at most 30 are allowed");
    // Surplus pieces and doubled pawns: games never have them, composed problems do.
    let in_games = [
        (with(&[(4, "RRR6")]), "Red has 3 rooks, at most 2 are allowed"),
        (with(&[(4, "5nnnn")]), "Black has 4 horses, at most 2 are allowed"),
        (with(&[(5, "CCC6")]), "Red has 3 cannons, at most 2 are allowed"),
        (with(&[(0, "3AKA3"), (1, "4A4")]), "Red has 3 advisors, at most 2 are allowed"),
        (with(&[(7, "b3b3b")]), "Black has 3 elephants, at most 2 are allowed"),
        (with(&[(4, "pppppp3")]), "Black has 6 pawns, at most 5 are allowed"),
        (with(&[(3, "P8"), (4, "P8")]), "Red has two uncrossed pawns on file a"),
        (with(&[(6, "8p"), (5, "8p")]), "Black has two uncrossed pawns on file i"),
    ];
    for (board, message) in in_games {
        let fen = format!("{board} w");
        let found = Position::parse_fen(&fen, Strictness::Strict).expect_err(&fen);
        assert_eq!(found.to_string(), message, "{fen}");
        let parsed = Position::parse_fen(&fen, Strictness::Lax).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(Board::of(&parsed.position), Board::read(&fen), "{fen}");
    }
    // What is doubled only by a pawn across the river is no fault, nor is a pawn behind one of the other side.
    for ranks in [[(4, "P8"), (5, "P8")], [(5, "P8"), (6, "P8")], [(3, "P8"), (4, "p8")], [(5, "p8"), (6, "P8")]] {
        assert!(Position::from_fen(&(with(&ranks) + " w")).is_ok(), "{ranks:?}");
    }
}

/// Everything that must hold of a text, whatever it is. Tells whether it was accepted in lax reading.
fn check_any_text(text: &str) -> bool {
    let strict = Position::parse_fen(text, Strictness::Strict);
    let lax = Position::parse_fen(text, Strictness::Lax);
    for (parsed, strictness) in [(&strict, Strictness::Strict), (&lax, Strictness::Lax)] {
        match parsed {
            Ok(parsed) => {
                let position = &parsed.position;
                let board = Board::of(position);
                assert!(board.is_position(position.side(), strictness), "{text:?} was read as {position}");
                let again = Position::parse_fen(&position.to_string(), strictness).expect("it was allowed before");
                assert!(again.warnings.is_empty(), "{text:?}");
                assert_eq!(again.position, *position, "{text:?}");
                assert_eq!(again.position.key(), position.key(), "{text:?}");
                assert_eq!(texts(position.legal_moves()), texts(board.legal_moves(position.side())), "{position}");
                parsed.warnings.iter().for_each(|warning| assert!(warning.len() < 200));
            }
            Err(error) => assert!(error.to_string().len() < 200, "{error}"),
        }
    }
    if let Ok(strict) = &strict {
        let lax = lax.as_ref().expect("lax reading admits what strict reading admits");
        assert_eq!((&strict.position, &strict.warnings), (&lax.position, &lax.warnings), "{text:?}");
    }
    lax.is_ok()
}

fn mutate(bytes: &mut Vec<u8>, others: &[&str], random: &mut ChaCha8Rng) {
    let at = random.random_range(0..=bytes.len());
    let until = (at + random.random_range(0..8)).min(bytes.len());
    match random.random_range(0..10) {
        0 if at < bytes.len() => bytes[at] = random.random(),
        1 if at < bytes.len() => bytes[at] = *b"KABNRCPEHkabnrcpeh123456789/ -wbr0".choose(random).expect("some"),
        2 => bytes.insert(at, *b"KABNRCPkabnrcp123456789/ -w".choose(random).expect("some")),
        3 => drop(bytes.drain(at..until)),
        4 => {
            let piece = bytes[at..until].to_vec();
            let place = random.random_range(0..=bytes.len());
            bytes.splice(place..place, piece);
        }
        5 => {
            let odd = ["帅", "é", "\u{0}", "🀄", "\u{feff}", "\u{a0}", "٣", "K\u{301}", "--", "99999999999999999999"];
            bytes.splice(at..at, odd.choose(random).expect("some").bytes());
        }
        6 => bytes.truncate(at),
        7 => {
            let other = others.choose(random).expect("some").as_bytes();
            let rest = &other[at.min(other.len())..];
            bytes.splice(at.., rest.iter().copied());
        }
        8 if bytes.len() >= 2 => {
            let other = random.random_range(0..bytes.len());
            let length = bytes.len();
            bytes.swap(at % length, other);
        }
        _ => bytes.extend(random.random_range(0..1_000_000).to_string().bytes()),
    }
}

#[test]
fn no_text_makes_the_reader_panic_or_accept_a_senseless_board() {
    let mut random = ChaCha8Rng::seed_from_u64(33);
    let fens: Vec<&str> = perft_lines().iter().map(|line| line.fen).collect();
    let (mut accepted, tried) = (0, 40_000);
    for _ in 0..tried {
        let mut bytes = fens.choose(&mut random).expect("some").as_bytes().to_vec();
        for _ in 0..random.random_range(1..=4) {
            mutate(&mut bytes, &fens, &mut random);
        }
        accepted += usize::from(check_any_text(&String::from_utf8_lossy(&bytes)));
    }
    assert!(accepted > tried / 20 && accepted < tried / 2, "{accepted} of {tried} texts were accepted");
}

#[test]
fn endless_texts_are_read_at_once() {
    let pieces = ["9", "9/", "/", "R", "k", "0", "-", " ", "x", "帅", "w ", "1", START_FEN, "\u{0}", "- "];
    for piece in pieces {
        let long = piece.repeat(100_000 / piece.len());
        for text in
            [long.clone(), format!("{START_BOARD}{long}"), format!("{START_FEN}{long}"), format!("{long}{START_FEN}")]
        {
            check_any_text(&text);
        }
    }
    assert!(check_any_text(&format!("{START_BOARD} w {} 0 1", "- ".repeat(50_000))));
}

/// Well-formed boards with pieces put, taken and moved at random: accepted exactly where the naive board agrees.
#[test]
fn a_board_is_accepted_exactly_when_it_is_a_position() {
    let mut random = ChaCha8Rng::seed_from_u64(34);
    let fens: Vec<&str> = perft_lines().iter().map(|line| line.fen).collect();
    let letters: Vec<char> = "KABNRCPPPkabnrcppp".chars().collect();
    let points: Vec<Point> = Point::all().collect();
    let (mut strict, mut only_lax, mut refused) = (0, 0, 0);
    for _ in 0..20_000 {
        let mut board = Board::read(fens.choose(&mut random).expect("some"));
        for _ in 0..random.random_range(1..=3) {
            let (one, other) = (*points.choose(&mut random).expect("some"), *points.choose(&mut random).expect("some"));
            let man = match random.random_range(0..3) {
                0 => None,
                1 => letters.choose(&mut random).copied(),
                _ => board.man_on(other),
            };
            board.put(one, man);
        }
        let side = if random.random() { Side::Red } else { Side::Black };
        let fen = format!("{} {}", board.text(), if side == Side::Red { 'w' } else { 'b' });
        let is_accepted = [Strictness::Strict, Strictness::Lax].map(|strictness| {
            let parsed = Position::parse_fen(&fen, strictness);
            assert_eq!(parsed.is_ok(), board.is_position(side, strictness), "{fen} {strictness:?}");
            parsed.is_ok()
        });
        match is_accepted {
            [true, _] => strict += 1,
            [false, true] => only_lax += 1,
            [false, false] => refused += 1,
        }
    }
    assert!(strict > 2000 && only_lax > 300 && refused > 2000, "{strict}, {only_lax}, {refused}");
}

#[test]
fn a_fen_with_more_plies_than_programs_read_is_never_written() {
    let mut position = read("3ak4/9/9/9/9/9/9/9/4A4/R3K4 w - - 118 60");
    for (mv, plies) in [("a0a1", 119), ("e9f9", 120), ("a1a0", 121)] {
        position.make(mv.parse().unwrap());
        assert_eq!(position.plies_since_capture(), plies);
        let parsed = Position::parse_fen(&position.to_string(), Strictness::Strict).unwrap();
        assert_eq!((parsed.warnings.len(), parsed.position.plies_since_capture()), (0, 119));
        assert_eq!(parsed.position.board_text(), position.board_text());
    }
}
