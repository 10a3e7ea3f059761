//! Positions as lists of 32 pieces, as in binary formats.

use super::game::GameFault;
use crate::position::{FenError, Position, Strictness};
use crate::types::{Piece, Side, Square};

/// Pieces in the order of XQF and DhtmlXQ: Red's half; Black's half is the same in lower case.
const ORDER: [char; 16] = ['R', 'N', 'B', 'A', 'K', 'A', 'B', 'N', 'R', 'C', 'C', 'P', 'P', 'P', 'P', 'P'];

/// Squares of the 32 pieces; `None` for captured ones.
pub type PieceList = [Option<Square>; 32];

/// Pieces on the squares, by [`Square::index`].
pub type Board = [Option<Piece>; Square::COUNT];

/// Returns the pieces of a position; `None` if it has more of a kind than a game starts with.
pub fn from_position(position: &Position) -> Option<PieceList> {
    let mut pieces = [None; 32];
    for (piece, square) in position.pieces() {
        let half = 16 * piece.side().index();
        let letter = Piece::new(Side::Red, piece.kind()).letter();
        let slot = (0..16).find(|&slot| ORDER[slot] == letter && pieces[half + slot].is_none())?;
        pieces[half + slot] = Some(square);
    }
    Some(pieces)
}

/// Returns the board with these pieces.
///
/// # Errors
/// [`GameFault`] if two pieces share a square.
pub fn board(pieces: &PieceList) -> Result<Board, GameFault> {
    let mut board = [None; Square::COUNT];
    for (index, square) in pieces.iter().enumerate() {
        let Some(square) = square else { continue };
        let letter = if index < 16 { ORDER[index] } else { ORDER[index - 16].to_ascii_lowercase() };
        if std::mem::replace(&mut board[square.index()], Piece::from_letter(letter)).is_some() {
            return Err(GameFault::Malformed(format!("two pieces on {square}")));
        }
    }
    Ok(board)
}

/// Builds the position before the first move. The side to move is that of the piece on `first`, or else `stated`; where
/// the position is invalid with it, the other one, of which a warning is returned.
///
/// # Errors
/// [`GameFault`] if the position is invalid with either side to move.
pub fn start(
    board: &Board,
    first: Option<Square>,
    stated: Side,
    strictness: Strictness,
) -> Result<(Position, Option<String>), GameFault> {
    let piece_on = |square: Square| board[square.index()];
    let position = |side| Position::from_board(piece_on, side, strictness).map_err(FenError::from);
    let side = first.and_then(piece_on).map_or(stated, Piece::side);
    position(side).map(|position| (position, None)).or_else(|fault| {
        let other = position(!side).map_err(|_| fault)?;
        Ok((other, Some(format!("{side} cannot be to move in this position; it is read with {} to move", !side))))
    })
}
