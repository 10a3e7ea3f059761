//! Numbers, dots, names of sides and spelling; a list without a half-move is never read as another game.

use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameError};
use chuhe::notation::{Dialect, write_line};
use chuhe::position::{Position, Strictness};
use chuhe::types::Side;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::walks::random_line;
use crate::samples::{read, read_list, read_well, words};

const BLACK_FIRST: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1";

/// The messages about a game, which has an error or warnings.
fn messages(game: &Result<Game, GameError>) -> String {
    match game {
        Ok(game) => game.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        Err(error) => error.to_string(),
    }
}

/// The message about the only game of a text, which ends at the fault as a list and as PGN.
fn fault(text: &str) -> String {
    assert_eq!(Format::detect(text.as_bytes()), Some(Format::MoveList), "{text}");
    for format in [Format::Pgn, Format::MoveList] {
        let games = read(format, text.as_bytes());
        let is_cut = |game: &Game| game.warnings.cut().is_some();
        assert!(games.iter().any(|game| game.as_ref().map_or(true, is_cut)), "{text} was read by {}", format.name());
    }
    let games = read(Format::MoveList, text.as_bytes());
    assert_eq!(games.len(), 1, "{text}");
    messages(&games[0])
}

#[test]
fn numbers_dots_and_colours_of_every_form_are_read() {
    for text in [
        "第一回合：炮二平五 马8进7\n第二回合：马二进三 车9平8\n",
        "第1回合 炮二平五 马8进7 第2回合 马二进三 车9平8",
        "第一回合\n炮二平五 马8进7\n第二回合\n马二进三 车9平8",
        "第十一回合：炮二平五马8进7第十二回合：马二进三车9平8",
        "①炮二平五 马8进7②马二进三 车9平8",
        "⑴炮二平五 马8进7\n⑵马二进三 车9平8",
        "⒈炮二平五，马8进7；⒉马二进三，车9平8。",
        "(1)炮二平五 马8进7 (2)马二进三 车9平8",
        "（1） 炮二平五（中炮） 马8进7 （2） 马二进三 车9平8",
        "1) 炮二平五 马8进7\n2) 马二进三 车9平8",
        "１： 炮二平五 马8进7\n２： 马二进三 车9平8",
        "一、炮二平五 马8进7\n二、马二进三 车9平8",
        "Round 1: C2.5 H8+7\nRound 2: H2+3 R9.8",
        "红：炮二平五，黑：马8进7，红：马二进三，黑：车9平8\n",
        "红：\n炮二平五\n黑：\n马8进7\n红：\n马二进三\n黑：\n车9平8",
        "红方：炮二平五黑方：马8进7红方：马二进三黑方：车9平8",
        "红 炮二平五 黑 马8进7 红 马二进三 黑 车9平8",
        "先：炮二平五 后：马8进7 先：马二进三 后：车9平8",
        "Red: C2.5 Black: H8+7 Red: H2+3 Black: R9.8",
        "1. 炮二平五 …… 马8进7 2. 马二进三 …… 车9平8",
        "1.炮二平五\n1...马8进7\n2.马二进三\n2……车9平8",
        "1. 炮二平五 马8进7 ①\n2. 马二进三 车9平8 ②",
        // Numbers of half-moves, where the sides are proved.
        "1. 炮二平五 2. 马8进7 3. 马二进三 4. 车9平8",
        "1. C2.5 2. h8+7 3. H2+3 4. r9.8",
        // Each half-move with the number of its round; dots as a mere stop; further forms that prove nothing.
        "5. C2.5 5. H8+7 6. H2+3 6. R9.8",
        "1...炮二平五 马8进7 2...马二进三 车9平8",
        "炮二平五 马8进7 2. 马二进三 车9平8 ……",
        "炮二平五 马八进七 马二进三 车九平八",
        "炮2平5 马8进7 马2进3 车9平8",
    ] {
        let game = read_list(text);
        assert_eq!(words(&game), "h2e2 h9g7 h0g2 i9h9", "{text}");
        let counts_from_one = !text.contains(['5', '６']) && !text.contains("十一");
        assert!(!counts_from_one || game.warnings.iter().next().is_none(), "{text}");
    }
    // Black moves first.
    for text in ["1. …… 马8进7 2. 马二进三", "1... H8+7 2. H2+3", "1. 马8进7 2. 马二进三", "黑：马8进7 红：马二进三"]
    {
        assert_eq!(words(&read_list(&format!("{BLACK_FIRST}\n{text}\n"))), "h9g7 h0g2", "{text}");
    }
    // A side with a name is a header, and several games may follow each other.
    let text = "红方：胡荣华 黑方：柳大华\n红：炮二平五 黑：马8进7\n\n第一回合：兵七进一 卒7进1\n第一回合：相三进五";
    let games = read_well(Format::MoveList, text.as_bytes());
    assert_eq!(games.iter().map(words).collect::<Vec<_>>(), ["h2e2 h9g7", "c3c4 g6g5", "g0e2"]);
    assert_eq!((games[0].tag("Red"), games[0].tag("Black")), (Some("胡荣华"), Some("柳大华")));
    let games = read_well(Format::MoveList, "(1)炮二平五 马8进7 (2)马二进三\n(1)兵七进一（仙人指路）".as_bytes());
    assert_eq!(games.iter().map(words).collect::<Vec<_>>(), ["h2e2 h9g7 h0g2", "c3c4"]);
}

#[test]
fn a_missing_half_move_is_named() {
    for (text, parts) in [
        ("1. 炮二平五 ………… 2. 马二进三\n", &["line 1", "'马二进三' is Red's move 2", "Black's move 1 is missing"][..]),
        ("1. 炮二平五\n2. 马二进三 马2进3", &["line 2", "Black's move 1 is missing"]),
        ("⒛炮二平五 ㉑马二进三", &["Red's move 21", "Black's move 20 is missing"]),
        ("1. C2.5 2. H2+3", &["'H2+3' is Red's move 2", "Black's move 1 is missing"]),
        ("1. C2.5 ---- 2. H2+3 H8+7", &["Black's move 1 is missing", "ply 2"]),
        ("1. C2.5 —— H2+3 H8+7", &["Black's move before 'H2+3' is missing"]),
        ("1. …… 马8进7\n", &["'马8进7' is Black's move 1, but Red's is missing", "ply 1"]),
        ("1... H8+7 2. H2+3 R9.8", &["Red's is missing", "ply 1"]),
        ("1. ---- 马8进7 2. 马二进三", &["Red's move before '马8进7' is missing"]),
        ("1. 炮二平五 马8进7 2. …… 车9平8", &["'车9平8' is Black's move 2, but Red's is missing"]),
        ("黑：马8进7 红：马二进三", &["'马8进7' is named as Black's, but Red's move before it is missing"]),
        ("红：炮二平五 黑：…… 红：马二进三", &["named as Red's, but Black's move"]),
        ("第一回合：炮二平五 第二回合：马二进三 马2进3", &["Red's move 2", "Black's move 1 is missing"]),
        ("C2.5 …… H2+3", &["open whether a move of Black's is left out"]),
        ("1. 炮2平5 马8进7 …… 马2进3", &["moves are left out before '马2进3'"]),
        // By the spelling.
        ("炮二平五 马二进三 马8进7 车9平8", &["'马二进三' is written like a move of Red", "Black's turn", "ply 2"]),
        ("炮二平五 马8进7 马二进三 车一进一", &["'车一进一'", "ply 4"]),
        ("1. 炮二平五 马8进7 2. 车9进1 马二进三", &["'车9进1' is written like a move of Black", "ply 3"]),
        ("C2.5 h8+7 r9+1 H2+3", &["'r9+1' is written like a move of Black", "ply 3"]),
        ("兵3进1 卒3进1 卒7进1 相3进5", &["'卒7进1' is written like a move of Black", "ply 3"]),
        ("2. C2.5 H8+7 3. H2+3 3. R9+1 H8+9", &["'H8+9' has no number", "ply 5"]),
    ] {
        let message = fault(text);
        assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
    }
}

#[test]
fn a_move_missing_after_a_position_is_no_sign_of_the_wrong_side() {
    let start = Position::start();
    for (moves, line) in [
        ("1. 炮二平五 …… 2. 马二进三", "h2e2"),
        ("1. C2.5 ... 2. H2+3 H8+7", "h2e2"),
        ("炮二平五 马二进三 马8进7 车9进1", "h2e2"),
    ] {
        for (format, text) in [
            (Format::MoveList, format!("{start}\n{moves}\n")),
            (Format::Pgn, format!("[FEN \"{start}\"]\n\n{moves} *\n")),
            (Format::Moves, format!("*\t{start}\t{moves}\n")),
        ] {
            let games: Vec<_> = format.games(text.as_bytes(), Strictness::Strict).map(Result::unwrap).collect();
            assert_eq!((games.len(), words(&games[0]).as_str(), games[0].start.side()), (1, line, Side::Red), "{text}");
            assert!(games[0].warnings.cut().is_some_and(|cut| cut.reason.contains("ply 2")), "{text}");
        }
    }
    // Without a position too, a line of a game is checked like a list.
    let line = Format::Moves.games("*\t\t炮二平五 马8进7 马二进三 车一进一\n".as_bytes(), Strictness::Strict).next();
    let game = line.unwrap().unwrap();
    assert_eq!((words(&game).as_str(), game.warnings.cut().is_some()), ("h2e2 h9g7 h0g2", true));
}

#[test]
fn wrong_numbers_and_single_moves_in_the_spelling_of_the_other_side_are_warned_of() {
    for (text, line, parts) in [
        ("1. 炮二平五 马8进7\n3. 马二进三 车9平8", "h2e2 h9g7 h0g2 i9h9", &["line 2", "is 3 instead of 2"][..]),
        ("1. h2e2 h9g7\n2. h0g2 i9h9\n4. i0h0", "h2e2 h9g7 h0g2 i9h9 i0h0", &["line 3", "is 4 instead of 3"]),
        ("2. C2.5 H8+7 2. H2+3 R9.8", "h2e2 h9g7 h0g2 i9h9", &["is 2 instead of 1", "is 2 instead of 3"]),
        ("第一回合：炮二平五 马8进7 第三回合：马二进三", "h2e2 h9g7 h0g2", &["is 3 instead of 2"]),
        ("12. 炮二平五 马8进7", "h2e2 h9g7", &["is 12 instead of 1"]),
        ("99999999999. 炮二平五", "h2e2", &["is 4294967295 instead of 1"]),
        ("一百零五、炮二平五 马8进7", "h2e2 h9g7", &["is 105 instead of 1"]),
        ("1. C2.5 2. H8+7 3. H2+3 4. R9.8", "h2e2 h9g7 h0g2 i9h9", &["number 2 is taken as that of Black's move"]),
        ("红：h2e2 红：h9g7", "h2e2 h9g7", &["named as Red's"]),
        (
            "炮二平五 马2进3 马二进三 车一平二 兵七进一 车9进1",
            "h2e2 b9c7 h0g2 a9b9 c3c4 i9i8",
            &["'车一平二' is written like a move of Red, but it is Black's turn"],
        ),
        ("1. 炮二平五 马8进7 2. 马2进3 车9平8", "h2e2 h9g7 h0g2 i9h9", &["'马2进3' is written like a move of Black"]),
        (
            "1. 炮二平五 马八进七 2. 马二进三 车9平8",
            "h2e2 h9g7 h0g2 i9h9",
            &["'马八进七' is written like a move of Red"],
        ),
        // One name of a piece for both sides.
        ("1. 兵七进一 兵7进1 2. 象三进五 象3进5", "c3c4 g6g5 g0e2 c9e7", &[]),
        ("1. 兵3进1 兵3进1 2. 象3进5 象3进5", "g3g4 c6c5 g0e2 c9e7", &[]),
        ("1. 兵七进一 卒7进1 2. 象三进五 象3进5 3. 卒三进一 兵3进1", "c3c4 g6g5 g0e2 c9e7 g3g4 c6c5", &[]),
    ] {
        for format in [Format::MoveList, Format::Pgn] {
            let games = read(format, text.as_bytes());
            let message = messages(&games[0]);
            assert_eq!((games.len(), words(games[0].as_ref().unwrap()).as_str()), (1, line), "{text}: {message}");
            assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
            assert_eq!(message.is_empty(), parts.is_empty(), "{text}: {message}");
        }
    }
    let games = read(Format::MoveList, "1. 炮二平五 马8进7 1. 马二进三 车9平8".as_bytes());
    assert_eq!((games.len(), messages(&games[0])), (2, "line 1: number 1 begins another game within the line".into()));
    assert_eq!(messages(&read(Format::MoveList, "1. 炮二平五 马8进7\n1. 马二进三".as_bytes())[0]), "");
    // A game from a position may begin with any number.
    for text in ["1... 马8进7 2. 马二进三", "30. …… 马8进7 31. 马二进三", "30. 马8进7 马二进三 31. 车9平8"]
    {
        assert_eq!(messages(&read(Format::MoveList, format!("{BLACK_FIRST}\n{text}").as_bytes())[0]), "", "{text}");
    }
}

#[test]
fn a_position_with_the_wrong_side_takes_that_of_the_first_move() {
    let red_first = BLACK_FIRST.replace(" b ", " w ");
    let expected = "the FEN has Red to move, but the first move is Black's: Black is taken to move";
    for moves in [
        "h9g7 h0g2",
        "1. …… 马8进7 2. 马二进三",
        "黑：马8进7 红：马二进三",
        "1... H8+7 2. H2+3",
        "马8进7 马二进三",
        "砲8平5 馬二進三",
    ] {
        for text in [format!("{red_first}\n{moves}\n"), format!("[FEN \"{red_first}\"]\n\n{moves} *\n")] {
            let format = Format::detect(text.as_bytes()).unwrap();
            let games = read(format, text.as_bytes());
            assert_eq!((games.len(), messages(&games[0])), (1, format!("line 1: {expected}")), "{text}");
            let game = games[0].as_ref().unwrap();
            assert_eq!((game.start.side(), game.nodes.len()), (Side::Black, 2), "{text}");
        }
    }
    let line = read(Format::Moves, format!("*\t{red_first}\th9g7 h0g2\n").as_bytes()).remove(0);
    assert_eq!((messages(&line), words(&line.unwrap())), (format!("line 1: {expected}"), "h9g7 h0g2".to_owned()));
    let text = format!("{BLACK_FIRST}\n马二进三 马8进7\n");
    let told = messages(&read(Format::MoveList, text.as_bytes())[0]);
    assert!(told.contains("the FEN has Black to move, but the first move is Red's"), "{told}");
    for text in ["startpos moves h9g7", "1. …… 马8进7", "黑：马8进7"] {
        assert!(
            read(Format::MoveList, text.as_bytes())[0].is_err()
                || messages(&read(Format::MoveList, text.as_bytes())[0]).contains("ply 1"),
            "{text}"
        );
    }
}

/// Texts of the moves in one of several layouts; without `left_out`, or with dots in its place.
fn written(moves: &[String], layout: usize, left_out: Option<usize>, has_dots: bool) -> String {
    const ROUNDS: [&str; 5] = ["一", "二", "三", "四", "五"];
    let mut text = String::new();
    for (ply, mv) in moves.iter().enumerate() {
        let (round, is_red) = (ply / 2 + 1, ply % 2 == 0);
        match (layout, is_red) {
            (0, true) => text += &format!("{round}. "),
            (1, true) => text += &format!("{round}："),
            (2, true) => {
                text +=
                    &format!("第{}回合：", ROUNDS.get(round - 1).map_or(round.to_string(), |name| (*name).to_owned()))
            }
            (3, true) => text += &format!("（{round}）"),
            (4, true) => text += "红：",
            (4, false) => text += "黑：",
            _ => {}
        }
        match left_out {
            Some(index) if index == ply && has_dots => text += "……",
            Some(index) if index == ply => {}
            _ => text += mv,
        }
        text += if is_red { " " } else { "\n" };
    }
    text
}

#[test]
fn a_list_without_a_half_move_is_never_read_as_another_game() {
    let mut random = ChaCha8Rng::seed_from_u64(66);
    let mut refused = 0;
    for _ in 0..150 {
        let plies = random.random_range(5..40);
        let line = random_line(&mut Position::start(), plies, &mut random);
        let original: Vec<String> = line.iter().map(ToString::to_string).collect();
        let original = original.join(" ");
        for dialect in [Dialect::Chinese, Dialect::Wxf] {
            let moves = write_line(&Position::start(), &line, dialect);
            // Chinese needs no numbers, since the digits differ.
            for layout in 0..if dialect == Dialect::Chinese { 6 } else { 5 } {
                let whole = written(&moves, layout, None, false);
                let games = read_well(Format::MoveList, whole.as_bytes());
                assert_eq!((games.len(), words(&games[0])), (1, original.clone()), "{whole}");
                let index = random.random_range(0..moves.len());
                // In Latin letters, nothing but dots says that a move of Red's is missing in the last round.
                let has_dots = dialect == Dialect::Wxf || random.random();
                let text = written(&moves, layout, Some(index), has_dots);
                let start = Position::start();
                for (format, text) in [
                    (Format::MoveList, text.clone()),
                    (Format::MoveList, format!("{start}\n{text}")),
                    (Format::Pgn, format!("[FEN \"{start}\"]\n\n{text}")),
                ] {
                    let games: Vec<_> = format.games(text.as_bytes(), Strictness::Strict).collect();
                    assert_eq!(games.len(), 1, "{text}");
                    let is_told = !messages(&games[0]).is_empty();
                    refused += usize::from(is_told);
                    let Ok(game) = &games[0] else { continue };
                    // Without the first move, Black is taken to move in a position, with a warning.
                    let moves = words(game);
                    let has_other_side = index == 0 && is_told;
                    assert!(original.starts_with(&moves) || has_other_side, "{index} of {original}\n{moves}\n{text}");
                }
            }
        }
    }
    assert!(refused > 3_900, "{refused}");
}
