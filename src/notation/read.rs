//! Move parsing.
//!
//! The text is normalised and compared with the normalised notations of all legal moves, dialect by dialect. A text can
//! thus never be read as an illegal move.

use super::described::{Direction, Displacement, MoveParts, file_index_sign, write_chinese, write_wxf};
use super::error::{Candidate, NotationError, NotationFault, closest};
use super::normal_form::{has_han, is_described, normalize, sign, simplified, without_marks};
use super::vietnamese::{is_vietnamese, normal_forms, write_vietnamese};
use super::{Dialect, coordinate, write};
use crate::position::Position;
use crate::types::{Move, MoveList, Piece, Side};

/// Interpretations of a text; in case of contradiction, the first one takes precedence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Interpretation {
    /// Exactly as in this dialect.
    Exact(Dialect),
    /// As if there were no other tandem pieces: with the file alone, or with the index on the file where there are
    /// tandem pieces on several files. Acceptable if only one piece can make the move.
    Abbreviated,
}

const CHINESE_INTERPRETATIONS: [Interpretation; 3] =
    [Interpretation::Exact(Dialect::Chinese), Interpretation::Exact(Dialect::ChineseCxa), Interpretation::Abbreviated];
const LATIN_INTERPRETATIONS: [Interpretation; 4] = [
    Interpretation::Exact(Dialect::Wxf),
    Interpretation::Exact(Dialect::WxfOfficial),
    Interpretation::Exact(Dialect::WxfFairy),
    Interpretation::Abbreviated,
];

/// Vietnamese has letters of its own.
const VIETNAMESE_INTERPRETATIONS: [Interpretation; 2] =
    [Interpretation::Exact(Dialect::Vietnamese), Interpretation::Abbreviated];

/// Parses a move of `position` in any dialect.
///
/// Accepts simplified, traditional and variant characters; half-width, full-width and Chinese digits for either side; 上
/// and 下 for 进 and 退; `=` for `.`; `H` and `E` for `N` and `B`; lower case; the tandem sign before or after the letter
/// (`+C-2`, `C+-2`); spaces; `!`, `?`, `+` and `#` after the move; and coordinates with or without a dash. The file of
/// a tandem piece (`R7-2`) is accepted if only one of them can make the move. Vietnamese is read in symbols (`P2-5`)
/// and in words (Pháo 2 bình 5) unless the text means a legal move in another dialect.
///
/// # Errors
/// [`NotationError`] if no legal move or more than one matches; includes candidates.
///
/// ```
/// use chuhe::notation::read;
/// use chuhe::position::Position;
///
/// let position = Position::start();
/// for text in ["h2e2", "H2-E2", "炮二平五", "砲2平5", "C2.5", "c2=5"] {
///     assert_eq!(read(&position, text).unwrap().to_string(), "h2e2");
/// }
/// let error = read(&position, "车一平五").unwrap_err();
/// assert_eq!(error.to_string(), "'车一平五' is not a legal move here; closest legal move: 车一进一 (i0i1)");
/// ```
pub fn read(position: &Position, text: &str) -> Result<Move, NotationError> {
    read_but_vietnamese(position, text).or_else(|error| {
        let may_be_vietnamese = error.fault == NotationFault::NoSuchMove && is_vietnamese(text);
        if may_be_vietnamese { read_vietnamese(position, text) } else { Err(error) }
    })
}

/// Parses a move of `position` in any dialect but Vietnamese, with the tolerance of [`read`].
pub(super) fn read_but_vietnamese(position: &Position, text: &str) -> Result<Move, NotationError> {
    let interpretations: &[Interpretation] =
        if has_han(text) { &CHINESE_INTERPRETATIONS } else { &LATIN_INTERPRETATIONS };
    read_by(position, text, &[signs(text)], interpretations)
}

/// Returns the signs of a text in Chinese or Latin notation.
fn signs(text: &str) -> String {
    normalize(&simplified(without_marks(text.trim())))
}

fn read_vietnamese(position: &Position, text: &str) -> Result<Move, NotationError> {
    read_by(position, text, &normal_forms(text), &VIETNAMESE_INTERPRETATIONS)
}

/// Parses a move of `position` in one dialect or in coordinates, with the tolerance of [`read`]. Forms of other
/// dialects are not accepted.
///
/// # Errors
/// [`NotationError`] if no legal move matches; includes candidates.
///
/// ```
/// use chuhe::notation::{Dialect, read_in};
/// use chuhe::position::Position;
///
/// let position = Position::from_fen("3k5/9/6P2/2P3P2/2P3P2/9/9/9/9/4K4 w").unwrap();
/// let mv = |dialect| read_in(&position, "33.2", dialect).unwrap().to_string();
/// assert_eq!(mv(Dialect::WxfOfficial), "g6h6");
/// assert_eq!(mv(Dialect::WxfFairy), "g5h5");
/// ```
pub fn read_in(position: &Position, text: &str, dialect: Dialect) -> Result<Move, NotationError> {
    match dialect {
        Dialect::Coordinate | Dialect::Iccs => read_by(position, text, &[], &[]),
        Dialect::Vietnamese => read_vietnamese(position, text),
        // Chinese and Latin notations share one normal form, but a text has one script only.
        Dialect::Chinese | Dialect::ChineseCxa if !has_han(text) => read_by(position, text, &[], &[]),
        _ if has_han(text) && !matches!(dialect, Dialect::Chinese | Dialect::ChineseCxa) => {
            read_by(position, text, &[], &[])
        }
        _ => read_by(position, text, &[signs(text)], &[Interpretation::Exact(dialect)]),
    }
}

/// Parses a text with these normal forms.
fn read_by(
    position: &Position,
    text: &str,
    forms: &[String],
    interpretations: &[Interpretation],
) -> Result<Move, NotationError> {
    let simple = simplified(without_marks(text.trim()));
    let legal = position.legal_moves();
    if let Some(mv) = coordinate::read(&simple) {
        if legal.contains(&mv) {
            return Ok(mv);
        }
        return Err(no_legal_move(position, text, |other| other == mv));
    }
    for &interpretation in interpretations {
        let mut matching: Vec<Move> =
            legal.iter().copied().filter(|&mv| matches(position, mv, forms, interpretation)).collect();
        match matching[..] {
            [] => {}
            [mv] => return Ok(mv),
            _ => {
                matching.sort_by_key(|mv| (mv.from(), mv.to()));
                let candidates = candidates(position, text, matching);
                return Err(NotationError::new(position, text, NotationFault::Ambiguous, candidates));
            }
        }
    }
    let is_match = |mv| interpretations.iter().any(|&interpretation| matches(position, mv, forms, interpretation));
    Err(no_legal_move(position, text, is_match))
}

/// Returns whether one of the normalised texts denotes the move in this interpretation.
fn matches(position: &Position, mv: Move, forms: &[String], interpretation: Interpretation) -> bool {
    // Every description ends with direction and number, which excludes most moves cheaply.
    let has_end = |displacement| forms.iter().any(|form| form.as_bytes().ends_with(&displacement_signs(displacement)));
    Displacement::new(position.side(), mv).is_some_and(has_end)
        && MoveParts::new(position, mv)
            .is_some_and(|parts| spellings(&parts, interpretation).iter().any(|text| forms.contains(text)))
}

/// Last two signs of a normalised notation, which are ASCII.
fn displacement_signs(displacement: Displacement) -> [u8; 2] {
    let direction = match displacement.direction {
        Direction::Forward => b'+',
        Direction::Backward => b'-',
        Direction::Sideways => b'.',
    };
    [direction, b'0' + displacement.number]
}

/// Returns the normalised notations of a move in this interpretation.
fn spellings(parts: &MoveParts, interpretation: Interpretation) -> Vec<String> {
    match interpretation {
        Interpretation::Exact(dialect @ (Dialect::Chinese | Dialect::ChineseCxa)) => {
            let Some(words) = write_chinese(parts, dialect) else { return Vec::new() };
            let words = normalize(&simplified(&words));
            // Old books omit the piece if index and file are given: 前九平八.
            let nameless = words.strip_prefix('p').filter(|rest| rest.chars().count() > 3).map(str::to_owned);
            std::iter::once(words).chain(nameless.filter(|_| dialect == Dialect::ChineseCxa)).collect()
        }
        Interpretation::Exact(Dialect::Vietnamese) => {
            write_vietnamese(parts).map_or_else(Vec::new, |words| normal_forms(&words))
        }
        Interpretation::Exact(dialect) => {
            write_wxf(parts, dialect).map(|words| normalize(&words)).into_iter().collect()
        }
        Interpretation::Abbreviated => {
            let Some(disambiguation) = parts.disambiguation else { return Vec::new() };
            let [direction, number] = displacement_signs(parts.displacement).map(char::from);
            let piece = Piece::new(Side::Black, parts.kind).letter();
            let index = file_index_sign(disambiguation).map(sign);
            let by_index = index.filter(|index| disambiguation.files > 1 && !index.is_ascii_digit());
            by_index
                .map(String::from)
                .into_iter()
                .chain([parts.file.to_string()])
                .map(|which| format!("{piece}{which}{direction}{number}"))
                .collect()
        }
    }
}

/// Error for a text that matches no legal move: the king would be exposed, or there is no such move.
fn no_legal_move(position: &Position, text: &str, is_match: impl Fn(Move) -> bool) -> NotationError {
    let mut pseudo_legal = MoveList::new();
    position.pseudo_legal_moves(&mut pseudo_legal);
    let exposing = pseudo_legal.into_iter().find(|&mv| is_match(mv));
    let fault = exposing.map_or(NotationFault::NoSuchMove, NotationFault::ExposesKing);
    NotationError::new(position, text, fault, closest(position, text))
}

/// Returns the moves with their notations in the script of the text.
fn candidates(position: &Position, text: &str, moves: Vec<Move>) -> Vec<Candidate> {
    let dialect = match () {
        _ if has_han(text) => Dialect::Chinese,
        _ if coordinate::read(&simplified(text)).is_some() => Dialect::Coordinate,
        _ if is_vietnamese(text) && !is_described(text) => Dialect::Vietnamese,
        _ => Dialect::Wxf,
    };
    moves.into_iter().map(|mv| Candidate { mv, notation: write(position, mv, dialect) }).collect()
}
