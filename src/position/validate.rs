//! Validity of positions.

use thiserror::Error;

use super::{LIST_SIZE, Position};
use crate::tables::geometry;
use crate::tables::lines::Line;
use crate::types::{Piece, PieceKind, Side, Square};

/// Maximum pieces of a side when surplus pieces are allowed; keeps move lists within [`crate::types::MAX_MOVES`].
const MAX_PIECES_OF_A_SIDE: usize = 30;

/// Positions that are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strictness {
    /// Positions of a game: no more pieces of a kind than at the start, at most one uncrossed pawn of a side per file.
    #[default]
    Strict,
    /// Composed problems too: surplus pieces (at most 16 of a kind and 30 of a side) and doubled uncrossed pawns.
    Lax,
}

/// Error of pieces that are not a valid position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ValidityError {
    /// Not exactly one king.
    #[error("{side} has {count} kings instead of one")]
    KingCount {
        /// Owner of the kings.
        side: Side,
        /// Number found.
        count: usize,
    },
    /// More pieces of a kind than allowed.
    #[error("{side} has {count} {}s, at most {max} are allowed", kind.name())]
    TooMany {
        /// Owner of the pieces.
        side: Side,
        /// Kind of the pieces.
        kind: PieceKind,
        /// Number found.
        count: usize,
        /// Maximum.
        max: usize,
    },
    /// More pieces of one side than allowed.
    #[error("{side} has {count} pieces, at most {MAX_PIECES_OF_A_SIDE} are allowed")]
    TooManyPieces {
        /// Owner of the pieces.
        side: Side,
        /// Number found.
        count: usize,
    },
    /// A piece on a square that its kind can never reach.
    #[error("{}'s {} cannot be on {square} (file {}, rank {})", piece.side(), piece.kind().name(),
        (b'a' + square.file()) as char, square.rank())]
    Misplaced {
        /// The piece.
        piece: Piece,
        /// Its square.
        square: Square,
    },
    /// Two uncrossed pawns of a side on one file.
    #[error("{side} has two uncrossed pawns on file {}", (b'a' + file) as char)]
    DoubledPawns {
        /// Owner of the pawns.
        side: Side,
        /// File, 0 to 8.
        file: u8,
    },
    /// The kings face each other on an open file.
    #[error("the kings face each other on file {}", (b'a' + file) as char)]
    KingsFacing {
        /// File, 0 to 8.
        file: u8,
    },
    /// The side that is not to move is in check.
    #[error("{side} is in check but it is not its turn")]
    CheckOnWaitingSide {
        /// Side in check.
        side: Side,
    },
}

impl Position {
    /// Returns the position with these pieces and this side to move, without history.
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
        piece_on: impl Fn(Square) -> Option<Piece>,
        side: Side,
        strictness: Strictness,
    ) -> Result<Position, ValidityError> {
        let mut position = Position::empty();
        for square in Square::all() {
            let Some(piece) = piece_on(square) else { continue };
            if position.count(piece) == LIST_SIZE {
                let (side, kind) = (piece.side(), piece.kind());
                return Err(ValidityError::TooMany { side, kind, count: LIST_SIZE + 1, max: LIST_SIZE });
            }
            position.put(piece, square);
        }
        position.set_counters(side, 0, 1);
        position.validate(strictness)?;
        Ok(position)
    }

    /// Returns the first fault of the position.
    pub(super) fn validate(&self, strictness: Strictness) -> Result<(), ValidityError> {
        for side in Side::BOTH {
            let count = self.count(Piece::new(side, PieceKind::King));
            if count != 1 {
                return Err(ValidityError::KingCount { side, count });
            }
        }
        for (piece, square) in self.pieces() {
            if piece.kind() == PieceKind::King && !geometry::may_stand(piece, square) {
                return Err(ValidityError::Misplaced { piece, square });
            }
        }
        for side in Side::BOTH {
            let mut total = 0;
            for kind in PieceKind::ALL {
                let count = self.count(Piece::new(side, kind));
                let max = if strictness == Strictness::Strict { kind.initial_count() } else { LIST_SIZE };
                if count > max {
                    return Err(ValidityError::TooMany { side, kind, count, max });
                }
                total += count;
            }
            if total > MAX_PIECES_OF_A_SIDE {
                return Err(ValidityError::TooManyPieces { side, count: total });
            }
        }
        for (piece, square) in self.pieces() {
            if !geometry::may_stand(piece, square) {
                return Err(ValidityError::Misplaced { piece, square });
            }
        }
        if strictness == Strictness::Strict {
            self.validate_pawn_files()?;
        }
        let (red_king, black_king) = (self.king(Side::Red), self.king(Side::Black));
        let line = Line::new(red_king, black_king, self.rank_occupancy(red_king), self.file_occupancy(red_king));
        if line.is_some_and(|line| line.screens() == 0) {
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
