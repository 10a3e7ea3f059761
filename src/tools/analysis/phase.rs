//! Which part of a game a position belongs to.

use crate::position::Position;
use crate::types::PieceKind;

/// A part of a game. It is told by the rooks, horses and cannons on the board alone, where a rook counts 2 and the
/// others 1, so that a game never goes back to an earlier part.
///
/// ```
/// use chuhe::position::Position;
/// use chuhe::tools::analysis::Phase;
/// assert_eq!(Phase::of(&Position::start()), Phase::Opening);
/// assert_eq!(Phase::of(&Position::from_fen("3ak4/9/9/9/9/9/9/9/4A4/4K3R w").unwrap()), Phase::Ending);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// 15 or more of 16: no two of them have been exchanged.
    Opening,
    /// In between.
    MiddleGame,
    /// 6 or less, such as a rook and a horse on both sides.
    Ending,
}

impl Phase {
    /// All of them, in the order of a game.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::MiddleGame, Phase::Ending];

    /// The phase of a position.
    pub fn of(position: &Position) -> Phase {
        let men = position.pieces().map(|(piece, _)| match piece.kind() {
            PieceKind::Rook => 2,
            PieceKind::Horse | PieceKind::Cannon => 1,
            _ => 0,
        });
        match men.sum::<u32>() {
            15.. => Phase::Opening,
            7..=14 => Phase::MiddleGame,
            0..=6 => Phase::Ending,
        }
    }

    /// Its name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::MiddleGame => "middle_game",
            Phase::Ending => "ending",
        }
    }
}
