//! Positions as lists of men, the way binary formats keep them.
//!
//! Answers which position thirty-two men on their points make. How a file encodes points is not known here.

use super::game::GameFault;
use crate::position::{Position, Strictness};
use crate::types::{Side, Square};

/// The men in the order of XQF and DhtmlXQ, Red's half; Black's half is the same in lower case.
const ORDER: [char; 16] = ['R', 'N', 'B', 'A', 'K', 'A', 'B', 'N', 'R', 'C', 'C', 'P', 'P', 'P', 'P', 'P'];

/// Where the thirty-two men stand; `None` for those that are off the board.
pub type Men = [Option<Square>; 32];

/// The side whose man stands on `square`.
pub fn side_on(men: &Men, square: Square) -> Option<Side> {
    let index = men.iter().position(|&man| man == Some(square))?;
    Some(if index < 16 { Side::Red } else { Side::Black })
}

/// The position that the men make.
///
/// # Errors
/// [`GameFault`] when two stand on one point or the position is not valid.
pub fn position(men: &Men, side: Side, strictness: Strictness) -> Result<Position, GameFault> {
    let mut board = [[None; Square::FILES as usize]; Square::RANKS as usize];
    for (index, square) in men.iter().enumerate() {
        let Some(square) = square else { continue };
        let letter = ORDER[index % 16];
        let letter = if index < 16 { letter } else { letter.to_ascii_lowercase() };
        let point = &mut board[usize::from(square.rank())][usize::from(square.file())];
        if point.replace(letter).is_some() {
            return Err(GameFault::Malformed(format!("two men stand on {square}")));
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
