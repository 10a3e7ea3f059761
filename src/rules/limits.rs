//! When a game is drawn although nothing recurs.

use crate::position::Position;
use crate::types::{Piece, PieceKind, Side};

/// After this many plies without a capture the game is a draw.
pub const NATURAL_MOVE_LIMIT: usize = 120;

/// Whether the natural move limit is reached. A mate on the board comes first; the caller looks for it.
#[inline]
pub fn is_move_limit_reached(position: &Position) -> bool {
    position.plies_since_capture() >= NATURAL_MOVE_LIMIT
}

/// Whether neither side has a man that could ever give mate: no rook, horse, cannon or pawn is left.
#[inline]
pub fn is_dead_draw(position: &Position) -> bool {
    Side::BOTH
        .into_iter()
        .all(|side| !position.has_major(side) && position.count(Piece::new(side, PieceKind::Pawn)) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_defenders_left_is_dead() {
        assert!(is_dead_draw(&Position::from_fen("2ba1k3/9/4b4/9/9/9/9/9/9/3AK4 w").unwrap()));
        assert!(!is_dead_draw(&Position::from_fen("2ba1k3/9/4b4/9/9/9/9/9/p8/3AK4 w").unwrap()));
        assert!(!is_dead_draw(&Position::start()));
    }

    #[test]
    fn the_limit_counts_plies_since_the_last_capture() {
        let mut position = Position::from_fen("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 80").unwrap();
        assert!(!is_move_limit_reached(&position));
        position.make("a0a1".parse().unwrap());
        assert!(is_move_limit_reached(&position));
    }
}
