//! Playing moves given as text.

use std::fmt;

use thiserror::Error;

use super::Position;
use crate::types::{Move, Side};

/// Error of a list of moves.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("ply {ply}, '{text}', {fault}")]
pub struct PlayError {
    /// Number of the move in the list, 1 for the first.
    pub ply: usize,
    /// Text of the move, truncated after 40 characters.
    pub text: String,
    /// Fault of the move.
    pub fault: MoveFault,
}

/// Fault of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveFault {
    /// Not the text of a move.
    Unreadable,
    /// The side to move has no piece on the origin square.
    NoPiece(Side),
    /// The piece cannot move there.
    OutOfReach,
    /// The king of the side to move would be attacked or face the other.
    ExposesKing,
}

impl fmt::Display for MoveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveFault::Unreadable => f.write_str("is not a move"),
            MoveFault::NoPiece(side) => write!(f, "is not legal: {side} has no piece there"),
            MoveFault::OutOfReach => f.write_str("is not legal: the piece cannot move there"),
            MoveFault::ExposesKing => f.write_str("is not legal: it leaves the king attacked or facing the other"),
        }
    }
}

impl Position {
    /// Plays moves given as text, each of which must be legal.
    ///
    /// # Errors
    /// [`PlayError`] for the first move that cannot be played; the moves before it stay played.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// let mut position = Position::start();
    /// assert!(position.play(["h2e2", "h9g7"]).is_ok());
    /// let error = position.play(["h0g2", "a9a5"]).unwrap_err();
    /// assert_eq!(error.to_string(), "ply 2, 'a9a5', is not legal: the piece cannot move there");
    /// ```
    pub fn play<'a>(&mut self, moves: impl IntoIterator<Item = &'a str>) -> Result<(), PlayError> {
        for (index, text) in moves.into_iter().enumerate() {
            match self.read_move(text) {
                Ok(mv) => self.make(mv),
                Err(fault) => {
                    let text = text.chars().take(40).collect();
                    return Err(PlayError { ply: index + 1, text, fault });
                }
            }
        }
        Ok(())
    }

    fn read_move(&self, text: &str) -> Result<Move, MoveFault> {
        let mv: Move = text.parse().map_err(|_| MoveFault::Unreadable)?;
        if self.piece_on(mv.from()).is_none_or(|piece| piece.side() != self.side) {
            Err(MoveFault::NoPiece(self.side))
        } else if !self.is_pseudo_legal(mv) {
            Err(MoveFault::OutOfReach)
        } else if !self.is_legal(mv) {
            Err(MoveFault::ExposesKing)
        } else {
            Ok(mv)
        }
    }
}
