//! Moves in Chinese.

use super::Dialect;
use super::move_parts::{Disambiguation, MoveParts, Way};

/// Red counts in Chinese numerals, Black in full-width digits.
const DIGITS: [[char; 9]; 2] =
    [['一', '二', '三', '四', '五', '六', '七', '八', '九'], ['１', '２', '３', '４', '５', '６', '７', '８', '９']];
/// What places in a long file are counted in, by either side.
const NUMERALS: [char; 9] = DIGITS[0];
/// Both sides' men, in the order of the kinds.
const MEN: [[char; 7]; 2] = [['帅', '仕', '相', '马', '车', '炮', '兵'], ['将', '士', '象', '马', '车', '炮', '卒']];

/// The move in [`Dialect::ChineseCxa`] or else [`Dialect::Chinese`]; `None` where more men crowd together than the
/// dialect can count.
pub(super) fn write(signs: &MoveParts, dialect: Dialect) -> Option<String> {
    let digit = |number: u8| DIGITS[signs.side.index()][usize::from(number - 1)];
    let man = MEN[signs.side.index()][signs.kind.index()];
    let mut text = String::with_capacity(15);
    match signs.crowd {
        None => text.extend([man, digit(signs.file)]),
        Some(crowd) if dialect == Dialect::ChineseCxa => {
            text.extend([place_on_file(crowd)?, man]);
            if crowd.files > 1 {
                text.push(digit(signs.file));
            }
        }
        Some(crowd) => text.extend([place(crowd)?, man]),
    }
    text.push(match signs.course.way {
        Way::Forward => '进',
        Way::Backward => '退',
        Way::Sideways => '平',
    });
    text.push(digit(signs.course.number));
    Some(text)
}

/// The place among all men of crowded files.
fn place(crowd: Disambiguation) -> Option<char> {
    match crowd.men {
        2 => Some(['前', '后'][crowd.place]),
        3 => Some(['前', '中', '后'][crowd.place]),
        men if men <= NUMERALS.len() => Some(NUMERALS[crowd.place]),
        _ => None,
    }
}

/// The place on the file: its two ends have names of their own.
pub(super) fn place_on_file(crowd: Disambiguation) -> Option<char> {
    match (crowd.place_on_file, crowd.men_on_file) {
        (0, _) => Some('前'),
        (place, men) if place + 1 == men => Some('后'),
        (1, 3) => Some('中'),
        (place, _) => NUMERALS.get(place).copied(),
    }
}
