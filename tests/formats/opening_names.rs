//! Names of openings: known games, textbook lines, mirror images, transpositions.

use chuhe::notation::opening_name::{MAX_PLIES, OpeningName};
use chuhe::position::Position;
use chuhe::types::Move;

use crate::common::data::{GAMES, lines, moves};

/// Chinese names of the games of the file, given by hand.
const NAMES: &str = "\
    半途列炮 过宫炮对起马 顺炮 五七炮巡河车对屏风马 半途列炮 半途列炮 过宫炮对中炮 \
    五七炮过河车对屏风马 五七炮对反宫马 仙人指路对中炮 仙人指路对卒底炮 中炮过河车对反宫马 顺炮 \
    半途列炮 五七炮过河车对反宫马 中炮巡河炮横车对屏风马 半途列炮 五六炮对拐角马 五六炮对反宫马 \
    五八炮对屏风马 过宫炮对挺卒";

fn games() -> Vec<Vec<Move>> {
    lines(GAMES).map(|line| moves(line.split('\t').nth(2).unwrap())).collect()
}

fn chinese(moves: &[Move]) -> Option<String> {
    OpeningName::new(&Position::start(), moves).map(|name| name.chinese)
}

#[test]
fn games_of_masters_have_the_names_that_people_give_them() {
    let (games, names): (_, Vec<&str>) = (games(), NAMES.split(' ').collect());
    assert_eq!((games.len(), names.len()), (21, 21));
    for (game, name) in games.iter().zip(names) {
        assert_eq!(chinese(game).as_deref(), Some(name), "{:?}", &game[..MAX_PLIES]);
    }
}

#[test]
fn textbook_lines_are_named() {
    for (line, chinese, english) in [
        ("h2e2 b7e7", "列炮", "Opposite Direction Cannons"),
        ("h2e2 h9g7 h0g2 b9c7", "中炮对屏风马", "Central Cannon v Screen Horses"),
        ("h2e2 b9c7 h0g2 h7f7 i0h0 h9g7", "中炮对反宫马", "Central Cannon v Sandwiched Horses"),
        ("h2e2 b9c7 h0g2 h9i7", "中炮对单提马", "Central Cannon v Single Horse Defence"),
        ("h2e2 h9g7 h0g2 i9h9 i0h0 h7i7", "中炮对三步虎", "Central Cannon v Three-Step Tiger"),
        ("h2e2 h9g7 h0g2 i9i8 i0h0 h7h8", "中炮对龟背炮", "Central Cannon v Turtle-Back Cannon"),
        ("h2e2 b9c7 h0g2 c6c5 i0h0 i9i7", "中炮对鸳鸯炮", "Central Cannon v Mandarin Duck Cannons"),
        ("g0e2 h7d7", "飞相对过宫炮", "Elephant Opening v Cross-Palace Cannon"),
        ("g0e2 h7f7", "飞相对士角炮", "Elephant Opening v Palace-Corner Cannon"),
        ("c3c4 b7c7", "仙人指路对卒底炮", "Pawn Opening v Cannon behind the Pawn"),
        ("h2d2", "过宫炮局", "Cross-Palace Cannon"),
        ("h2f2", "士角炮局", "Palace-Corner Cannon"),
        ("h2c2", "金钩炮局", "Golden Hook Cannon"),
        ("b2b1", "龟背炮局", "Turtle-Back Cannon Opening"),
        ("h0i2 c6c5", "边马对挺卒", "Edge Horse Opening v Pawn"),
        ("a3a4", "边兵局", "Edge Pawn Opening"),
        (
            "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 g3g4 c6c5 b0a2 g9e7 b2c2",
            "五七炮对屏风马",
            "Central Cannon (Five-Seven Cannons) v Screen Horses",
        ),
    ] {
        let name = OpeningName::new(&Position::start(), &moves(line)).unwrap();
        assert_eq!((name.chinese.as_str(), name.english.as_str()), (chinese, english), "{line}");
    }
}

#[test]
fn mirrored_games_have_the_same_name() {
    for game in games() {
        let mirrored: Vec<Move> = game.iter().map(|mv| mv.mirrored()).collect();
        for plies in [1, 2, 4, 8, MAX_PLIES] {
            assert_eq!(chinese(&mirrored[..plies]), chinese(&game[..plies]));
        }
    }
}

#[test]
fn the_order_of_moves_does_not_matter() {
    for lines in [
        ["h2e2 h9g7 b0c2 b9c7", "b0c2 b9c7 h2e2 h9g7"],
        ["c3c4 h9g7 h2e2 b9c7", "h2e2 b9c7 c3c4 h9g7"],
        ["g0e2 c6c5 c3c4 b9c7", "c3c4 b9c7 g0e2 c6c5"],
        ["h2e2 h7f7 b0c2 b9c7 a0b0 h9g7", "b0c2 b9c7 h2e2 h7f7 a0b0 h9g7"],
    ] {
        let [one, other] = lines.map(moves);
        assert!(chinese(&one).is_some());
        assert_eq!(chinese(&one), chinese(&other), "{lines:?}");
    }
}

#[test]
fn other_positions_and_moves_have_no_name() {
    assert_eq!(chinese(&[]), None);
    assert_eq!(chinese(&moves("a0a1 a9a8")), None);
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b";
    assert_eq!(OpeningName::new(&Position::from_fen(fen).unwrap(), &moves("h7e7")), None);
    let ending = Position::from_fen("3ak4/9/9/9/9/9/9/9/9/3K4R w").unwrap();
    assert_eq!(OpeningName::from_history(&ending), None);
    let mut position = Position::start();
    moves("h2e2 h7e7 h0g2").into_iter().for_each(|mv| position.make(mv));
    assert_eq!(OpeningName::from_history(&position).unwrap().chinese, "顺炮");
}
