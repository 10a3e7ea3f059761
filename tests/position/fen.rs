//! FEN round trips, exact error messages, and no panic on any text; the witnesses are literal messages and the naive
//! board.

use chuhe::position::{FenError, FenWarning, Position, START_FEN, Strictness, ValidityError};
use chuhe::types::{Piece, PieceKind, Side, Square};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::perft_lines;
use crate::naive::{Board, Point, texts};
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
    assert_eq!(parsed.warnings, [], "{fen}");
    parsed.position
}

fn square(text: &str) -> Square {
    text.parse().expect("a square")
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
    let plies = |text: &str| FenWarning::InvalidPliesSinceCapture(text.to_owned());
    let number = |text: &str| FenWarning::InvalidMoveNumber(text.to_owned());
    let cases: [(&str, Vec<FenWarning>, &str); 10] = [
        ("", vec![FenWarning::MissingSide], "w - - 0 1"),
        ("b - - 200 150", vec![plies("200")], "b - - 119 150"),
        ("w - - 120 3", vec![plies("120")], "w - - 119 3"),
        ("b 99999999999999999999 3", vec![plies("99999999999999999999")], "b - - 119 3"),
        ("w - - -1 3", vec![plies("-1")], "w - - 0 3"),
        ("w - - 4.5 3", vec![plies("4.5")], "w - - 0 3"),
        ("w KQkq - 4 3", vec![plies("KQkq")], "w - - 0 4"),
        ("w - - 4 three", vec![number("three")], "w - - 4 1"),
        ("b - - 4 -3", vec![number("-3")], "b - - 4 1"),
        ("黑 - - 一 二", vec![plies("一"), number("二")], "b - - 0 1"),
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
    assert_eq!(
        Position::from_fen(&format!("{START_BOARD}_b_-_-_3_7")).unwrap().to_string(),
        format!("{START_BOARD} b - - 3 7")
    );
}

#[test]
fn an_unknown_side_is_refused() {
    for side in ["x", "-", "moves", "0", "wb", "白"] {
        let error = Position::from_fen(&format!("{START_BOARD} {side} - - 0 1")).unwrap_err();
        assert_eq!(error, FenError::UnknownSide(side.to_owned()));
        assert_eq!(error.to_string(), format!("'{side}' is not a side to move (w, r or b)"));
    }
}

#[test]
fn warnings_say_what_was_assumed() {
    let cases = [
        (FenWarning::MissingSide, "the FEN has no side to move, Red is assumed"),
        (
            FenWarning::InvalidPliesSinceCapture("200".to_owned()),
            "'200' is not a number of plies since a capture (0 to 119), 119 is assumed",
        ),
        (
            FenWarning::InvalidPliesSinceCapture("-7".to_owned()),
            "'-7' is not a number of plies since a capture (0 to 119), 0 is assumed",
        ),
        (FenWarning::InvalidMoveNumber("ten".to_owned()), "'ten' is not a move number, 1 is assumed"),
    ];
    for (warning, message) in cases {
        assert_eq!(warning.to_string(), message);
    }
    let long = "9".repeat(100_000);
    let fen = format!("{START_BOARD} w {long} {long}");
    let parsed = Position::parse_fen(&fen, Strictness::Strict).expect("the board is fine");
    assert_eq!(parsed.warnings.len(), 1, "the move number saturates");
    assert!(Position::from_fen(&format!("{START_BOARD} {long}")).unwrap_err().to_string().len() < 120);
    for warning in parsed.warnings {
        assert!(warning.to_string().contains(&format!("'{}'", "9".repeat(20))), "{warning}");
        assert!(warning.to_string().len() < 120, "long texts are cut");
    }
}

#[test]
fn faults_of_the_text_are_named() {
    let with = |ranks: &[(usize, &str)]| format!("{} w", board_with(ranks));
    let files = |rank, count| FenError::FileCount { rank, count };
    let letter = |letter, rank, file| FenError::UnknownLetter { letter, rank, file };
    let seventeen_rooks = "k8/RRRRRRRRR/RRRRRRR2/9/9/9/9/9/R8/4K4 w";
    let cases = [
        (String::new(), FenError::Empty, "the FEN is empty"),
        (" \t\r\n ".to_owned(), FenError::Empty, "the FEN is empty"),
        ("9".to_owned(), FenError::RankCount { count: 1 }, "the board has 1 ranks instead of 10"),
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9 w - - 0 1".to_owned(),
            FenError::RankCount { count: 5 },
            "the board has 5 ranks instead of 10",
        ),
        (format!("{}/9 w", board_with(&[])), FenError::RankCount { count: 11 }, "the board has 11 ranks instead of 10"),
        (
            format!("{} w", ["9"; 10_000].join("/")),
            FenError::RankCount { count: 11 },
            "the board has 11 ranks instead of 10",
        ),
        (with(&[(9, "rnbakabn")]), files(9, 8), "rank 9 has 8 files instead of 9"),
        (with(&[(0, "RNBAKABNRR")]), files(0, 10), "rank 0 has 10 files instead of 9"),
        (with(&[(4, "8")]), files(4, 8), "rank 4 has 8 files instead of 9"),
        (with(&[(4, "91")]), files(4, 10), "rank 4 has 10 files instead of 9"),
        (with(&[(4, "89")]), files(4, 17), "rank 4 has 17 files instead of 9"),
        (with(&[(3, "")]), files(3, 0), "rank 3 has 0 files instead of 9"),
        (with(&[(3, "9x")]), files(3, 10), "rank 3 has 10 files instead of 9"),
        (
            "hello world".to_owned(),
            letter('l', 9, 2),
            "rank 9, file c: 'l' is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)",
        ),
        (
            with(&[(5, "8x")]),
            letter('x', 5, 8),
            "rank 5, file i: 'x' is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)",
        ),
        (
            with(&[(7, "09")]),
            letter('0', 7, 0),
            "rank 7, file a: '0' is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)",
        ),
        (
            with(&[(0, "4帅4")]),
            letter('帅', 0, 4),
            "rank 0, file e: '帅' is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)",
        ),
        (
            with(&[(6, "2٣")]),
            letter('٣', 6, 2),
            "rank 6, file c: '٣' is not a piece letter (KABNRCP, E, H) or a number of empty squares (1-9)",
        ),
        (
            seventeen_rooks.to_owned(),
            FenError::Overfull { letter: 'R', rank: 1, file: 0 },
            "more than 16 pieces 'R' (rank 1, file a)",
        ),
        (
            "4k4/ppppppppp/ppppppppp/9/9/9/9/PPPPPPPPP/PPPPPPPPP/4K4 w - - 0 1".to_owned(),
            FenError::Overfull { letter: 'p', rank: 7, file: 7 },
            "more than 16 pieces 'p' (rank 7, file h)",
        ),
    ];
    for (fen, error, message) in cases {
        let start: String = fen.chars().take(80).collect();
        for strictness in [Strictness::Strict, Strictness::Lax] {
            let found = Position::parse_fen(&fen, strictness).expect_err(&start);
            assert_eq!(found, error, "{start}");
            assert_eq!(found.to_string(), message, "{start}");
        }
    }
}

/// Faults that composed problems must not have either.
#[test]
fn boards_that_are_no_position_are_refused() {
    let with = |ranks: &[(usize, &str)], side: char| format!("{} {side}", board_with(ranks));
    let kings = |side, count| ValidityError::KingCount { side, count };
    let misplaced = |letter, place| {
        let piece = Piece::from_letter(letter).expect("a piece letter");
        ValidityError::Misplaced { piece, square: square(place) }
    };
    let check = |side| ValidityError::CheckOnWaitingSide { side };
    let cases = [
        ("9/9/9/9/9/9/9/9/9/9 w - - 0 1".to_owned(), kings(Side::Red, 0), "Red has 0 kings instead of one"),
        (with(&[(9, "9")], 'w'), kings(Side::Black, 0), "Black has 0 kings instead of one"),
        (with(&[(1, "4K4")], 'w'), kings(Side::Red, 2), "Red has 2 kings instead of one"),
        (with(&[(7, "kkkkkkkkk")], 'w'), kings(Side::Black, 10), "Black has 10 kings instead of one"),
        (with(&[(0, "2K6")], 'w'), misplaced('K', "c0"), "Red's king cannot be on c0 (file c, rank 0)"),
        (with(&[(0, "9"), (3, "4K4")], 'w'), misplaced('K', "e3"), "Red's king cannot be on e3 (file e, rank 3)"),
        (with(&[(0, "9"), (8, "4K4")], 'w'), misplaced('K', "e8"), "Red's king cannot be on e8 (file e, rank 8)"),
        (with(&[(9, "9"), (6, "3k5")], 'w'), misplaced('k', "d6"), "Black's king cannot be on d6 (file d, rank 6)"),
        (with(&[(1, "3A5")], 'w'), misplaced('A', "d1"), "Red's advisor cannot be on d1 (file d, rank 1)"),
        (with(&[(7, "4a4")], 'w'), misplaced('a', "e7"), "Black's advisor cannot be on e7 (file e, rank 7)"),
        (with(&[(8, "4A4")], 'w'), misplaced('A', "e8"), "Red's advisor cannot be on e8 (file e, rank 8)"),
        (with(&[(0, "B3K4")], 'w'), misplaced('B', "a0"), "Red's elephant cannot be on a0 (file a, rank 0)"),
        (with(&[(5, "2B6")], 'w'), misplaced('B', "c5"), "Red's elephant cannot be on c5 (file c, rank 5)"),
        (with(&[(2, "b8")], 'w'), misplaced('b', "a2"), "Black's elephant cannot be on a2 (file a, rank 2)"),
        (with(&[(2, "P8")], 'w'), misplaced('P', "a2"), "Red's pawn cannot be on a2 (file a, rank 2)"),
        (with(&[(3, "1P7")], 'w'), misplaced('P', "b3"), "Red's pawn cannot be on b3 (file b, rank 3)"),
        (with(&[(5, "7p1")], 'w'), misplaced('p', "h5"), "Black's pawn cannot be on h5 (file h, rank 5)"),
        (with(&[(8, "8p")], 'w'), misplaced('p', "i8"), "Black's pawn cannot be on i8 (file i, rank 8)"),
        (
            "4k4/9/9/9/9/9/9/9/9/R3K4 w - - 0 1".to_owned(),
            ValidityError::KingsFacing { file: 4 },
            "the kings face each other on file e",
        ),
        (
            "9/9/5k3/9/9/9/9/5K3/9/9 b".to_owned(),
            ValidityError::KingsFacing { file: 5 },
            "the kings face each other on file f",
        ),
        (with(&[(9, "R2k5")], 'w'), check(Side::Black), "Black is in check but it is not its turn"),
        (with(&[(1, "6n2")], 'b'), check(Side::Red), "Red is in check but it is not its turn"),
        (with(&[(2, "4n4"), (0, "3K5"), (9, "4k4")], 'b'), check(Side::Red), "Red is in check but it is not its turn"),
        (with(&[(0, "3pK4")], 'b'), check(Side::Red), "Red is in check but it is not its turn"),
        (with(&[(0, "c2AK4")], 'b'), check(Side::Red), "Red is in check but it is not its turn"),
    ];
    for (fen, error, message) in cases {
        for strictness in [Strictness::Strict, Strictness::Lax] {
            let found =
                Position::parse_fen(&fen, strictness).map(|parsed| parsed.position.to_string()).expect_err(&fen);
            if found != FenError::Invalid(error.clone()) {
                panic!("{fen}: {found}");
            }
            assert_eq!(found.to_string(), message, "{fen}");
        }
    }
}

/// Surplus pieces and doubled pawns: games never have them, composed problems do.
#[test]
fn surplus_pieces_and_doubled_pawns_are_allowed_only_in_lax_reading() {
    let with = |ranks: &[(usize, &str)]| format!("{} w", board_with(ranks));
    let many = |side, kind, count, max| ValidityError::TooMany { side, kind, count, max };
    let doubled = |side, file| ValidityError::DoubledPawns { side, file };
    let cases = [
        (with(&[(4, "RRR6")]), many(Side::Red, PieceKind::Rook, 3, 2), "Red has 3 rooks, at most 2 are allowed"),
        (with(&[(4, "5nnnn")]), many(Side::Black, PieceKind::Horse, 4, 2), "Black has 4 horses, at most 2 are allowed"),
        (with(&[(5, "CCC6")]), many(Side::Red, PieceKind::Cannon, 3, 2), "Red has 3 cannons, at most 2 are allowed"),
        (
            with(&[(0, "3AKA3"), (1, "4A4")]),
            many(Side::Red, PieceKind::Advisor, 3, 2),
            "Red has 3 advisors, at most 2 are allowed",
        ),
        (
            with(&[(7, "b3b3b")]),
            many(Side::Black, PieceKind::Elephant, 3, 2),
            "Black has 3 elephants, at most 2 are allowed",
        ),
        (with(&[(4, "pppppp3")]), many(Side::Black, PieceKind::Pawn, 6, 5), "Black has 6 pawns, at most 5 are allowed"),
        (with(&[(3, "P8"), (4, "P8")]), doubled(Side::Red, 0), "Red has two uncrossed pawns on file a"),
        (with(&[(6, "8p"), (5, "8p")]), doubled(Side::Black, 8), "Black has two uncrossed pawns on file i"),
    ];
    for (fen, error, message) in cases {
        let found = Position::parse_fen(&fen, Strictness::Strict).expect_err(&fen);
        assert_eq!(found, FenError::Invalid(error), "{fen}");
        assert_eq!(found.to_string(), message, "{fen}");
        let parsed = Position::parse_fen(&fen, Strictness::Lax).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(Board::of(&parsed.position), Board::read(&fen), "{fen}");
    }
    // What is doubled only by a pawn across the river is no fault, nor is a pawn behind one of the other side.
    for ranks in [[(4, "P8"), (5, "P8")], [(5, "P8"), (6, "P8")], [(3, "P8"), (4, "p8")], [(5, "p8"), (6, "P8")]] {
        assert!(Position::from_fen(&with(&ranks)).is_ok(), "{ranks:?}");
    }
    assert_eq!(Strictness::default(), Strictness::Strict);
}

#[test]
fn lax_reading_has_limits_too() {
    let red_men =
        |ranks: [&str; 4]| format!("{} w", board_with(&[(3, ranks[3]), (4, ranks[2]), (5, ranks[1]), (6, ranks[0])]));
    // Sixteen rooks and thirteen cannons make thirty pieces with the king; one more is too many.
    let thirty = red_men(["RRRRRRR2", "RRRRRRRRR", "CCCCCCCCC", "CCCC5"]);
    let thirty_one = red_men(["RRRRRRR2", "RRRRRRRRR", "CCCCCCCCC", "CCCCC4"]);
    let seventeen = red_men(["RRRRRRRR1", "RRRRRRRRR", "9", "9"]);
    let position = Position::parse_fen(&thirty.replace(" w", " b"), Strictness::Lax);
    assert_eq!(position.expect("thirty pieces are allowed").position.pieces().count(), 31);
    let error = Position::parse_fen(&thirty_one.replace(" w", " b"), Strictness::Lax).expect_err("thirty-one pieces");
    assert_eq!(error, FenError::Invalid(ValidityError::TooManyPieces { side: Side::Red, count: 31 }));
    assert_eq!(error.to_string(), "Red has 31 pieces, at most 30 are allowed");
    let error = Position::parse_fen(&seventeen, Strictness::Lax).expect_err("seventeen rooks");
    assert_eq!(error, FenError::Overfull { letter: 'R', rank: 5, file: 8 });
    assert_eq!(error.to_string(), "more than 16 pieces 'R' (rank 5, file i)");
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
                assert_eq!(again.warnings, [], "{text:?}");
                assert_eq!(again.position, *position, "{text:?}");
                assert_eq!(again.position.key(), position.key(), "{text:?}");
                assert_eq!(texts(position.legal_moves()), texts(board.legal_moves(position.side())), "{position}");
                parsed.warnings.iter().for_each(|warning| assert!(warning.to_string().len() < 200));
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

/// A small random change of the bytes.
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
        assert_eq!((parsed.warnings, parsed.position.plies_since_capture()), (vec![], 119));
        assert_eq!(parsed.position.board_text(), position.board_text());
    }
}
