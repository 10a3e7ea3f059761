//! Moves in Latin letters, in three dialects.

use super::Dialect;
use super::move_parts::{Disambiguation, MoveParts, Way};
use crate::types::PieceKind;

/// The men in the order of the kinds, with the letters of FEN.
const LETTERS: [char; 7] = ['K', 'A', 'B', 'N', 'R', 'C', 'P'];
/// The same with those of English words.
const ENGLISH_LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];
/// What places among four and more men are counted in.
const PLACES: [char; 9] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

/// The move in a Latin dialect; `None` where more men crowd together than the dialect has words for.
pub(super) fn write(signs: &MoveParts, dialect: Dialect) -> Option<String> {
    let letters = if dialect == Dialect::Wxf { LETTERS } else { ENGLISH_LETTERS };
    let letter = letters[signs.kind.index()];
    let file = digit(signs.file);
    let man = match signs.crowd {
        None => [letter, file],
        Some(crowd) if crowd.men == 2 => [letter, ['+', '-'][crowd.place]],
        Some(crowd) => match dialect {
            Dialect::Wxf => [letter, place(crowd)?],
            // These two drop the letter at times, which nobody does but for pawns.
            _ if signs.kind != PieceKind::Pawn => return None,
            Dialect::WxfOfficial => official_pawn(crowd, file)?,
            _ => [digit(crowd.place_on_file as u8 + 1), file],
        },
    };
    let way = match signs.course.way {
        Way::Forward => '+',
        Way::Backward => '-',
        Way::Sideways if dialect == Dialect::WxfFairy => '=',
        Way::Sideways => '.',
    };
    Some(man.into_iter().chain([way, digit(signs.course.number)]).collect())
}

/// The digit of 1 to 9; no file holds ten men of a kind that crowd.
fn digit(number: u8) -> char {
    char::from(b'0' + number.min(9))
}

/// The place among all men of crowded files, of which there are more than two.
fn place(crowd: Disambiguation) -> Option<char> {
    match crowd.men {
        3 => Some(['+', '.', '-'][crowd.place]),
        men if men <= PLACES.len() => Some(PLACES[crowd.place]),
        _ => None,
    }
}

/// The first two signs of a pawn among three and more.
fn official_pawn(crowd: Disambiguation, file: char) -> Option<[char; 2]> {
    let names: &[[char; 2]] = match (crowd.files, crowd.men_on_file) {
        (1, 3) => &[['P', '+'], ['P', file], ['P', '-']],
        (1, 4) => &[['+', '+'], ['P', '+'], ['P', '-'], ['-', '-']],
        (1, 5) => &[['+', '+'], ['P', '+'], ['P', file], ['P', '-'], ['-', '-']],
        (1, _) => &[],
        (_, 2) => &[[file, '+'], [file, '-']],
        (_, 3) => &[[file, '+'], [file, file], [file, '-']],
        _ => &[],
    };
    names.get(crowd.place_on_file).copied()
}
