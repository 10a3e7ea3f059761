//! Chinese move notation.

use super::Dialect;
use super::move_parts::{Direction, Disambiguation, MoveParts};

/// Digits of Red (Chinese numerals) and of Black (full-width digits).
const DIGITS: [[char; 9]; 2] =
    [['一', '二', '三', '四', '五', '六', '七', '八', '九'], ['１', '２', '３', '４', '５', '６', '７', '８', '９']];
/// Numerals of indices within a file, for both sides.
const NUMERALS: [char; 9] = DIGITS[0];
/// Piece characters of both sides, in the order of the kinds.
const PIECES: [[char; 7]; 2] = [['帅', '仕', '相', '马', '车', '炮', '兵'], ['将', '士', '象', '马', '车', '炮', '卒']];

/// Formats a move in [`Dialect::ChineseCxa`] or [`Dialect::Chinese`]; `None` if the dialect cannot distinguish that
/// many tandem pieces.
pub(super) fn write(parts: &MoveParts, dialect: Dialect) -> Option<String> {
    let digit = |number: u8| DIGITS[parts.side.index()][usize::from(number - 1)];
    let piece = PIECES[parts.side.index()][parts.kind.index()];
    let mut text = String::with_capacity(15);
    match parts.disambiguation {
        None => text.extend([piece, digit(parts.file)]),
        Some(disambiguation) if dialect == Dialect::ChineseCxa => {
            text.extend([file_index_sign(disambiguation)?, piece]);
            if disambiguation.files > 1 {
                text.push(digit(parts.file));
            }
        }
        Some(disambiguation) => text.extend([index_sign(disambiguation)?, piece]),
    }
    text.push(match parts.displacement.direction {
        Direction::Forward => '进',
        Direction::Backward => '退',
        Direction::Sideways => '平',
    });
    text.push(digit(parts.displacement.number));
    Some(text)
}

/// Index among all tandem pieces.
fn index_sign(disambiguation: Disambiguation) -> Option<char> {
    match disambiguation.pieces {
        2 => Some(['前', '后'][disambiguation.index]),
        3 => Some(['前', '中', '后'][disambiguation.index]),
        count if count <= NUMERALS.len() => Some(NUMERALS[disambiguation.index]),
        _ => None,
    }
}

/// Index on the file; the first and the last have their own characters.
pub(super) fn file_index_sign(disambiguation: Disambiguation) -> Option<char> {
    match (disambiguation.index_on_file, disambiguation.pieces_on_file) {
        (0, _) => Some('前'),
        (index, count) if index + 1 == count => Some('后'),
        (1, 3) => Some('中'),
        (index, _) => NUMERALS.get(index).copied(),
    }
}
