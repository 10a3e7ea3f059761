//! Latin (WXF) move notation in three dialects.

use super::Dialect;
use super::move_parts::{Direction, Disambiguation, MoveParts};
use crate::types::PieceKind;

/// Piece letters of FEN, in the order of the kinds.
const LETTERS: [char; 7] = ['K', 'A', 'B', 'N', 'R', 'C', 'P'];
/// Piece letters of the English names.
const ENGLISH_LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];
/// Indices among four and more tandem pieces.
const INDEX_LETTERS: [char; 9] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

/// Formats a move in a Latin dialect; `None` if the dialect cannot distinguish that many tandem pieces.
pub(super) fn write(parts: &MoveParts, dialect: Dialect) -> Option<String> {
    let letters = if dialect == Dialect::Wxf { LETTERS } else { ENGLISH_LETTERS };
    let letter = letters[parts.kind.index()];
    let file = digit(parts.file);
    let piece = match parts.disambiguation {
        None => [letter, file],
        Some(disambiguation) if disambiguation.pieces == 2 => [letter, ['+', '-'][disambiguation.index]],
        Some(disambiguation) => match dialect {
            Dialect::Wxf => [letter, index_sign(disambiguation)?],
            // These two may drop the letter, which is unambiguous for pawns only.
            _ if parts.kind != PieceKind::Pawn => return None,
            Dialect::WxfOfficial => official_pawn(disambiguation, file)?,
            _ => [digit(disambiguation.index_on_file as u8 + 1), file],
        },
    };
    let direction = match parts.displacement.direction {
        Direction::Forward => '+',
        Direction::Backward => '-',
        Direction::Sideways if dialect == Dialect::WxfFairy => '=',
        Direction::Sideways => '.',
    };
    Some(piece.into_iter().chain([direction, digit(parts.displacement.number)]).collect())
}

/// Returns the digit of 1 to 9; no file has ten tandem pieces.
fn digit(number: u8) -> char {
    char::from(b'0' + number.min(9))
}

/// Index among all tandem pieces, of which there are more than two.
fn index_sign(disambiguation: Disambiguation) -> Option<char> {
    match disambiguation.pieces {
        3 => Some(['+', '.', '-'][disambiguation.index]),
        count if count <= INDEX_LETTERS.len() => Some(INDEX_LETTERS[disambiguation.index]),
        _ => None,
    }
}

/// First two signs of a pawn among three and more tandem pawns.
fn official_pawn(disambiguation: Disambiguation, file: char) -> Option<[char; 2]> {
    let names: &[[char; 2]] = match (disambiguation.files, disambiguation.pieces_on_file) {
        (1, 3) => &[['P', '+'], ['P', file], ['P', '-']],
        (1, 4) => &[['+', '+'], ['P', '+'], ['P', '-'], ['-', '-']],
        (1, 5) => &[['+', '+'], ['P', '+'], ['P', file], ['P', '-'], ['-', '-']],
        (1, _) => &[],
        (_, 2) => &[[file, '+'], [file, '-']],
        (_, 3) => &[[file, '+'], [file, file], [file, '-']],
        _ => &[],
    };
    names.get(disambiguation.index_on_file).copied()
}
