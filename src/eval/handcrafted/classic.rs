//! Evaluation with the numbers of the papers, to compare with fitted ones: material, mobility and crossed pawns side by
//! side of Xu & Wang (2006, e1, e3 and e4), the squares of the pawn of Huang, Lin & Ren (2007, formula 4). For other
//! terms the papers print no numbers.

use crate::position::Position;
use crate::tables::geometry;
use crate::types::{MoveList, Piece, PieceKind, Side, Square, Value};

/// Values of king, advisor, elephant, horse, rook, cannon and pawn, in the order of [`PieceKind`].
const MATERIAL: [Value; PieceKind::COUNT] = [0, 170, 160, 450, 1000, 450, 60];
/// Values of a point that a piece reaches, in the order of [`PieceKind`].
const MOBILITY: [Value; PieceKind::COUNT] = [0, 1, 1, 12, 6, 6, 15];
const LINKED_PAWNS: Value = 200;
/// Values of a pawn on each square, the enemy's home rank first.
#[rustfmt::skip]
const PAWN_SQUARES: [[Value; Square::FILES as usize]; Square::RANKS as usize] = [
    [0, 3, 6, 9, 12, 9, 6, 3, 0],
    [18, 36, 56, 80, 120, 80, 56, 36, 18],
    [14, 26, 42, 60, 80, 60, 42, 26, 14],
    [10, 20, 30, 34, 40, 34, 30, 20, 10],
    [6, 12, 18, 18, 20, 18, 18, 12, 6],
    [2, 0, 8, 0, 8, 0, 8, 0, 2],
    [0, 0, -2, 0, 4, 0, -2, 0, 0],
    [0; 9],
    [0; 9],
    [0; 9],
];

/// Returns the value of `position` for Red in centipawns, not clamped.
pub fn evaluate(position: &Position) -> Value {
    let mut passed = position.with_recent_history(0);
    passed.make_null(&mut ());
    let [own, other] = [position, &passed].map(value_of_mover);
    if position.side() == Side::Red { own - other } else { other - own }
}

/// Returns the value of the side to move. A point is reached whether or not the king is safe then.
fn value_of_mover(position: &Position) -> Value {
    let side = position.side();
    let value = |(piece, square): (Piece, Square)| {
        let place = if piece.kind() == PieceKind::Pawn { pawn_square(side, square) } else { 0 };
        MATERIAL[piece.kind().index()] + place
    };
    let pieces: Value = position.pieces().filter(|(piece, _)| piece.side() == side).map(value).sum();
    let mut moves = MoveList::new();
    position.pseudo_legal_moves(&mut moves);
    let kinds = moves.iter().filter_map(|mv| position.piece_on(mv.from())).map(Piece::kind);
    pieces + kinds.map(|kind| MOBILITY[kind.index()]).sum::<Value>() + LINKED_PAWNS * linked_pawns(position, side)
}

fn pawn_square(side: Side, square: Square) -> Value {
    let from_enemy = if side == Side::Red { Square::RANKS - 1 - square.rank() } else { square.rank() };
    PAWN_SQUARES[usize::from(from_enemy)][usize::from(square.file())]
}

fn linked_pawns(position: &Position, side: Side) -> Value {
    let pawns = position.squares(Piece::new(side, PieceKind::Pawn));
    let is_linked = |pawn: &&Square| {
        geometry::has_crossed(side, **pawn)
            && pawns.iter().any(|other| other.rank() == pawn.rank() && other.file() == pawn.file() + 1)
    };
    pawns.iter().filter(is_linked).count() as Value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(fen: &str) -> Value {
        evaluate(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn the_published_numbers_are_added_up() {
        assert_eq!(evaluate(&Position::start()), 0);
        // A rook in its corner reaches eight points of its rank up to the king's, and nine of its file.
        assert_eq!(value("4k4/9/9/9/9/9/9/9/9/R4K3 w"), 1000 + 6 * (4 + 9));
        // A horse with one leg blocked by its own pawn, which stands before the river and reaches one point.
        assert_eq!(value("4k4/9/9/9/9/P8/N8/9/9/5K3 w"), 450 + 12 * 3 + 60 + 2 + 15);
        // Two pawns side by side on the last rank but one, beside the palace and in it.
        assert_eq!(value("4k4/2PP5/9/9/9/9/9/9/9/5K3 w"), 2 * 60 + (56 + 80) + 15 * (2 + 2) + 200);
        // An advisor in its corner, an elephant at home.
        assert_eq!(value("4k4/9/9/9/9/9/9/9/9/2BA1K3 w"), 170 + 160 + (1 + 2));
        // A cannon reaches a piece behind a screen.
        assert_eq!(value("4k4/9/9/9/4p4/9/4P4/9/4C4/5K3 w"), 450 + 6 * (8 + 1 + 1 + 1) + 4 - 8);
    }

    #[test]
    fn both_sides_and_wings_are_alike() {
        for fen in ["r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/2P6/P3P1P1P/1C4NC1/9/RNBAKAB1R w", "4k4/2PP5/9/9/9/9/9/9/9/5K3 w"]
        {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(evaluate(&position.mirrored()), evaluate(&position));
            assert_eq!(evaluate(&position.colour_flipped()), -evaluate(&position));
        }
    }
}
