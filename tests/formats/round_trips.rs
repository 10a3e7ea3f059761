//! On many boards, notations are distinct and round-trip.

use std::collections::HashMap;

use chuhe::notation::{Dialect, NotationError, NotationFault, read, read_in, write, write_line};
use chuhe::position::Position;
use chuhe::types::{Move, Piece, PieceKind, Square};

use crate::boards::{Material, crowded};
use crate::common::walks::random_games;

/// Coverage counts, which show that the boards were hard enough.
#[derive(Default, Debug)]
struct Seen {
    moves: usize,
    tandem: usize,
    /// Notations that another dialect reads as another move.
    taken_for_another: usize,
    without_words: usize,
}

fn check(position: &Position, seen: &mut Seen) {
    let moves = position.legal_moves();
    for dialect in Dialect::ALL {
        let mut known: HashMap<String, Move> = HashMap::new();
        for &mv in &moves {
            let words = write(position, mv, dialect);
            assert_eq!(read_in(position, &words, dialect), Ok(mv), "{words}, {dialect}, {position}");
            match read(position, &words) {
                Ok(found) if found == mv => {}
                other => {
                    assert!(
                        is_the_exception(position, mv, dialect, &words),
                        "{words}, {dialect}, {position}: {other:?}"
                    );
                    match dialect {
                        Dialect::Vietnamese => assert!(is_of_a_pawn(position, other), "{words}, {position}"),
                        _ => assert_eq!(other, read_in(position, &words, Dialect::WxfOfficial)),
                    }
                    seen.taken_for_another += 1;
                }
            }
            seen.moves += 1;
            seen.tandem += usize::from(words.starts_with(['前', '中', '后']));
            seen.without_words += usize::from(dialect != Dialect::Coordinate && words == mv.to_string());
            if let Some(other) = known.insert(words, mv) {
                panic!("{mv} and {other} are written alike in {dialect}, {position}");
            }
        }
    }
}

fn is_of_a_pawn(position: &Position, read: Result<Move, NotationError>) -> bool {
    let is_pawn = |mv: Move| position.piece_on(mv.from()).is_some_and(|piece| piece.kind() == PieceKind::Pawn);
    match read {
        Ok(mv) => is_pawn(mv),
        Err(error) => match error.fault {
            NotationFault::ExposesKing(mv) => is_pawn(mv),
            _ => error.fault == NotationFault::Ambiguous && error.candidates.iter().all(|(mv, _)| is_pawn(*mv)),
        },
    }
}

/// Returns whether the move is by the front or last of three pawns on file 1 or 3 with other tandem pawns, or in
/// Vietnamese by a cannon, whose letter is that of pawns in WXF.
fn is_the_exception(position: &Position, mv: Move, dialect: Dialect, words: &str) -> bool {
    let pawns = position.squares(Piece::new(position.side(), PieceKind::Pawn));
    let pawns_on = |file| pawns.iter().filter(|pawn| pawn.file() == file).count();
    let is_crowded_elsewhere = (0..Square::FILES).any(|file| file != mv.from().file() && pawns_on(file) >= 2);
    let is_pawn_in_wxf = dialect == Dialect::Vietnamese && words.starts_with('P') && words.contains('.');
    is_pawn_in_wxf
        || dialect == Dialect::WxfFairy
            && (words.starts_with("11") || words.starts_with("33"))
            && pawns_on(mv.from().file()) == 3
            && is_crowded_elsewhere
}

#[test]
fn every_move_of_a_game_round_trips() {
    let mut seen = Seen::default();
    random_games(1, 10, 120, |position, _| check(position, &mut seen));
    assert!(seen.moves > 125_000 && seen.tandem > 700, "{seen:?}");
    assert_eq!(seen.without_words, 0, "every dialect can express every move of a game");
}

#[test]
fn every_move_with_tandem_pieces_round_trips() {
    for (seed, count, material, tandem) in
        [(2, 1_500, Material::OfAGame, 7_000), (3, 1_000, Material::OfAProblem, 10_000)]
    {
        let mut seen = Seen::default();
        crowded(seed, count, material).iter().for_each(|position| check(position, &mut seen));
        let all_have_words = seed == 2 && seen.taken_for_another > 0 && seen.without_words == 0;
        assert!(seen.tandem > tandem && (all_have_words || (seed == 3 && seen.without_words > 500)), "{seen:?}");
    }
}

#[test]
fn both_sides_have_the_same_notation() {
    let mut positions = crowded(5, 300, Material::OfAGame);
    random_games(4, 3, 100, |position, _| positions.push(position.clone()));
    for position in positions {
        let turned = position.colour_flipped().mirrored();
        for mv in position.legal_moves() {
            for dialect in [Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy, Dialect::Vietnamese] {
                let words = write(&position, mv, dialect);
                assert_eq!(write(&turned, mv.flipped().mirrored(), dialect), words, "{mv} in {position}");
            }
        }
    }
}

#[test]
fn a_line_is_formatted_up_to_its_first_illegal_move() {
    let moves = ["h2e2", "h9g7", "h2e2", "i9h9"].map(|text| text.parse().unwrap());
    assert_eq!(write_line(&Position::start(), &moves, Dialect::WxfOfficial), ["C2.5", "H8+7"]);
    assert!(write_line(&Position::start(), &[], Dialect::Wxf).is_empty());
}
