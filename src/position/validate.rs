//! Whether a set of men on a board is a position of Xiangqi.

use thiserror::Error;

use super::{LIST_SIZE, Position};
use crate::tables::geometry;
use crate::tables::lines::Line;
use crate::types::{Piece, PieceKind, Side, Square};

/// How many men a side may have when surplus men are admitted: keeps move lists within [`crate::types::MAX_MOVES`].
const MOST_MEN_OF_A_SIDE: usize = 30;

/// Which positions are admitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strictness {
    /// What can occur in a game: no more men of a kind than a side starts with, uncrossed pawns one to a file.
    #[default]
    Strict,
    /// Composed problems too: surplus men (16 of a kind and 30 of a side at most) and doubled uncrossed pawns.
    Lax,
}

/// Why men on a board are no position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ValidityError {
    /// Not exactly one king.
    #[error("{side} has {count} kings instead of one")]
    KingCount {
        /// Whose kings.
        side: Side,
        /// How many.
        count: usize,
    },
    /// More men of a kind than allowed.
    #[error("{side} has {count} {}s, at most {most} are allowed", kind.name())]
    TooMany {
        /// Whose men.
        side: Side,
        /// Of which kind.
        kind: PieceKind,
        /// How many.
        count: usize,
        /// How many may be.
        most: usize,
    },
    /// More men of one side than allowed.
    #[error("{side} has {count} men, at most {MOST_MEN_OF_A_SIDE} are allowed")]
    TooManyPieces {
        /// Whose men.
        side: Side,
        /// How many.
        count: usize,
    },
    /// A man on a point that its kind can never reach.
    #[error("{}'s {} cannot stand on {square} (file {}, rank {})", piece.side(), piece.kind().name(),
        (b'a' + square.file()) as char, square.rank())]
    Misplaced {
        /// The man.
        piece: Piece,
        /// Where it stands.
        square: Square,
    },
    /// Two uncrossed pawns of a side on one file.
    #[error("{side} has two uncrossed pawns on file {}", (b'a' + file) as char)]
    DoubledPawns {
        /// Whose pawns.
        side: Side,
        /// On which file, 0 to 8.
        file: u8,
    },
    /// The kings look at each other along an open file.
    #[error("the kings face each other on file {}", (b'a' + file) as char)]
    KingsFacing {
        /// On which file, 0 to 8.
        file: u8,
    },
    /// The side that just moved left its king attacked.
    #[error("{side} is in check but it is not its turn")]
    CheckOnWaitingSide {
        /// Whose king can be captured.
        side: Side,
    },
}

impl Position {
    /// The position with these men on its points and this side to move, no move played yet.
    ///
    /// # Errors
    /// [`ValidityError`] names the first fault.
    ///
    /// ```
    /// use chuhe::position::{Position, Strictness};
    /// let start = Position::start();
    /// let copy = Position::from_board(|square| start.piece_on(square), start.side(), Strictness::Strict);
    /// assert_eq!(copy, Ok(start));
    /// ```
    pub fn from_board(
        man_on: impl Fn(Square) -> Option<Piece>,
        side: Side,
        strictness: Strictness,
    ) -> Result<Position, ValidityError> {
        let mut position = Position::empty();
        for square in Square::all() {
            let Some(piece) = man_on(square) else { continue };
            if position.count(piece) == LIST_SIZE {
                let (side, kind) = (piece.side(), piece.kind());
                return Err(ValidityError::TooMany { side, kind, count: LIST_SIZE + 1, most: LIST_SIZE });
            }
            position.put(piece, square);
        }
        position.set_counters(side, 0, 1);
        position.validate(strictness)?;
        Ok(position)
    }

    /// Whether the men make a position; the first fault found otherwise.
    pub(super) fn validate(&self, strictness: Strictness) -> Result<(), ValidityError> {
        for side in Side::BOTH {
            let count = self.count(Piece::new(side, PieceKind::King));
            if count != 1 {
                return Err(ValidityError::KingCount { side, count });
            }
        }
        for (piece, square) in self.pieces() {
            if piece.kind() == PieceKind::King && !can_stand(piece, square) {
                return Err(ValidityError::Misplaced { piece, square });
            }
        }
        for side in Side::BOTH {
            let mut men = 0;
            for kind in PieceKind::ALL {
                let count = self.count(Piece::new(side, kind));
                let most = if strictness == Strictness::Strict { kind.initial_count() } else { LIST_SIZE };
                if count > most {
                    return Err(ValidityError::TooMany { side, kind, count, most });
                }
                men += count;
            }
            if men > MOST_MEN_OF_A_SIDE {
                return Err(ValidityError::TooManyPieces { side, count: men });
            }
        }
        for (piece, square) in self.pieces() {
            if !can_stand(piece, square) {
                return Err(ValidityError::Misplaced { piece, square });
            }
        }
        if strictness == Strictness::Strict {
            self.validate_pawn_files()?;
        }
        let (red_king, black_king) = (self.king(Side::Red), self.king(Side::Black));
        let sight = Line::new(red_king, black_king, self.rank_occupancy(red_king), self.file_occupancy(red_king));
        if sight.is_some_and(|sight| sight.screens() == 0) {
            return Err(ValidityError::KingsFacing { file: red_king.file() });
        }
        if self.is_checked(!self.side) {
            return Err(ValidityError::CheckOnWaitingSide { side: !self.side });
        }
        Ok(())
    }

    fn validate_pawn_files(&self) -> Result<(), ValidityError> {
        for side in Side::BOTH {
            let mut seen = [false; Square::FILES as usize];
            for &square in self.squares(Piece::new(side, PieceKind::Pawn)) {
                let file = square.file();
                if !geometry::has_crossed(side, square) && std::mem::replace(&mut seen[file as usize], true) {
                    return Err(ValidityError::DoubledPawns { side, file });
                }
            }
        }
        Ok(())
    }
}

/// Whether the man may ever stand on the point.
fn can_stand(piece: Piece, square: Square) -> bool {
    let side = piece.side();
    match piece.kind() {
        PieceKind::King => geometry::is_in_palace(square) && !geometry::has_crossed(side, square),
        PieceKind::Advisor => geometry::is_advisor_point(side, square),
        PieceKind::Elephant => geometry::is_elephant_point(side, square),
        PieceKind::Pawn => geometry::is_pawn_point(side, square),
        PieceKind::Horse | PieceKind::Rook | PieceKind::Cannon => true,
    }
}
