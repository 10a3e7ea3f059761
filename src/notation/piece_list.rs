//! Positions as lists of 32 pieces, as in binary formats.

use super::game::GameFault;
use crate::position::{Position, Strictness};
use crate::types::{Piece, Side, Square};

/// Pieces in the order of XQF and DhtmlXQ: Red's half; Black's half is the same in lower case.
const ORDER: [char; 16] = ['R', 'N', 'B', 'A', 'K', 'A', 'B', 'N', 'R', 'C', 'C', 'P', 'P', 'P', 'P', 'P'];

/// Squares of the 32 pieces; `None` for captured ones.
pub type PieceList = [Option<Square>; 32];

/// Returns the side of the piece on `square`.
pub fn side_on(pieces: &PieceList, square: Square) -> Option<Side> {
    let index = pieces.iter().position(|&piece| piece == Some(square))?;
    Some(if index < 16 { Side::Red } else { Side::Black })
}

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

/// Builds the position.
///
/// # Errors
/// [`GameFault`] if two pieces share a square or the position is invalid.
pub fn position(pieces: &PieceList, side: Side, strictness: Strictness) -> Result<Position, GameFault> {
    let mut board = [[None; Square::FILES as usize]; Square::RANKS as usize];
    for (index, square) in pieces.iter().enumerate() {
        let Some(square) = square else { continue };
        let letter = ORDER[index % 16];
        let letter = if index < 16 { letter } else { letter.to_ascii_lowercase() };
        let point = &mut board[usize::from(square.rank())][usize::from(square.file())];
        if point.replace(letter).is_some() {
            return Err(GameFault::Malformed(format!("two pieces on {square}")));
        }
    }
    let ranks = board.iter().rev().map(|rank| rank_text(rank)).collect::<Vec<String>>().join("/");
    let side = if side == Side::Red { 'w' } else { 'b' };
    Ok(Position::parse_fen(&format!("{ranks} {side} - - 0 1"), strictness)?.position)
}

fn rank_text(rank: &[Option<char>]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for point in rank.iter().chain([&Some('|')]) {
        match point {
            None => empty += 1,
            Some(letter) => {
                if empty > 0 {
                    text.push_str(&empty.to_string());
                    empty = 0;
                }
                text.push(*letter);
            }
        }
    }
    text.pop();
    text
}
