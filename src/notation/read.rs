//! Move parsing.
//!
//! The normal form of the text is compared with those of all legal moves, dialect by dialect: it can never be read as
//! an illegal move. An error names the legal moves with the smallest edit distance to the text in signs; variants of a
//! character, its case and its width are one sign. Ties are broken by the longer common prefix, then by the lower
//! origin and target. Of several notations of a move the one with the smallest distance in characters is shown.

use std::cmp::Reverse;

use thiserror::Error;

use super::described::{MoveParts, displacement, has_han, is_described, normalize, simplified, without_marks};
use super::vietnamese::{is_vietnamese, normal_forms};
use super::{Dialect, write};
use crate::position::Position;
use crate::types::{Move, MoveList, Side};

const SHOWN_TEXT: usize = 40;
const SHOWN_CANDIDATES: usize = 8;

/// Interpretations of a text, of which the first one takes precedence: exactly as in a dialect; or, with `None`, as if
/// there were no other tandem pieces, acceptable if only one piece can make the move.
type Interpretations = [Option<Dialect>];
const CHINESE: &Interpretations = &[Some(Dialect::Chinese), Some(Dialect::ChineseCxa), None];
const LATIN: &Interpretations = &[Some(Dialect::Wxf), Some(Dialect::WxfOfficial), Some(Dialect::WxfFairy), None];
const VIETNAMESE: &Interpretations = &[Some(Dialect::Vietnamese), None];

/// Error for a text that does not name exactly one legal move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' {}", explanation(self))]
pub struct NotationError {
    /// The text, truncated to 40 characters.
    pub text: String,
    /// Side to move.
    pub side: Side,
    /// Cause.
    pub fault: NotationFault,
    /// Legal moves that an ambiguous text could mean, otherwise the closest ones, the closest first, each with its
    /// notation in the script of the text. Empty if none differs from the text in at most half of its characters.
    pub candidates: Vec<(Move, String)>,
}

/// Cause of an error in a written move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotationFault {
    /// No move of the position has this notation.
    NoSuchMove,
    /// A pseudo-legal move that exposes the king.
    ExposesKing(Move),
    /// The text matches several legal moves.
    Ambiguous,
    /// There is no legal move: the game is over.
    GameOver,
}

impl NotationError {
    /// The error of a text in this position; [`NotationFault::GameOver`] instead of `fault` where no move is legal.
    pub(super) fn new(
        position: &Position,
        text: &str,
        fault: NotationFault,
        candidates: Vec<(Move, String)>,
    ) -> NotationError {
        let is_over = candidates.is_empty() && !position.has_legal_move();
        let fault = if is_over { NotationFault::GameOver } else { fault };
        NotationError { text: text.chars().take(SHOWN_TEXT).collect(), side: position.side(), fault, candidates }
    }
}

fn explanation(error: &NotationError) -> String {
    let side = error.side;
    let name = |(mv, notation): &(Move, String)| {
        if mv.to_string() == *notation { notation.clone() } else { format!("{notation} ({mv})") }
    };
    let mut names: Vec<String> = error.candidates.iter().take(SHOWN_CANDIDATES).map(name).collect();
    let closest = names.first().map_or_else(String::new, |name| format!("; closest legal move: {name}"));
    match error.fault {
        NotationFault::Ambiguous => {
            if error.candidates.len() > names.len() {
                names.push(format!("{} more", error.candidates.len() - names.len()));
            }
            let last = names.pop().unwrap_or_default();
            format!("is ambiguous: it could mean {} or {last}", names.join(", "))
        }
        NotationFault::ExposesKing(mv) => {
            format!("is not a legal move here: {side}'s king could be captured after {mv}{closest}")
        }
        NotationFault::NoSuchMove => format!("is not a legal move here{closest}"),
        NotationFault::GameOver => format!("is not a legal move here: the game is over, {side} has no legal move"),
    }
}

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
        if may_be_vietnamese { read_in(position, text, Dialect::Vietnamese) } else { Err(error) }
    })
}

pub(super) fn read_but_vietnamese(position: &Position, text: &str) -> Result<Move, NotationError> {
    read_by(position, text, &[signs(text)], if has_han(text) { CHINESE } else { LATIN })
}

fn signs(text: &str) -> String {
    normalize(&simplified(without_marks(text.trim())))
}

/// Parses a move of `position` in one dialect or in coordinates, with the tolerance of [`read`]. Forms of other
/// dialects are not accepted.
///
/// # Errors
/// [`NotationError`] if no legal move matches; includes candidates.
pub fn read_in(position: &Position, text: &str, dialect: Dialect) -> Result<Move, NotationError> {
    let is_chinese = matches!(dialect, Dialect::Chinese | Dialect::ChineseCxa);
    match dialect {
        Dialect::Vietnamese => read_by(position, text, &normal_forms(text), VIETNAMESE),
        Dialect::Coordinate | Dialect::Iccs => read_by(position, text, &[], &[]),
        // Chinese and Latin notations share one normal form, but a text has one script only.
        _ if has_han(text) != is_chinese => read_by(position, text, &[], &[]),
        _ => read_by(position, text, &[signs(text)], &[Some(dialect)]),
    }
}

fn read_by(
    position: &Position,
    text: &str,
    forms: &[String],
    interpretations: &Interpretations,
) -> Result<Move, NotationError> {
    let legal = position.legal_moves();
    if let Ok(mv) = simplified(without_marks(text.trim())).parse::<Move>() {
        return if legal.contains(&mv) { Ok(mv) } else { Err(no_legal_move(position, text, |other| other == mv)) };
    }
    for &interpretation in interpretations {
        let mut matching: Vec<Move> =
            legal.iter().copied().filter(|&mv| matches(position, mv, forms, interpretation)).collect();
        match matching[..] {
            [] => {}
            [mv] => return Ok(mv),
            _ => {
                matching.sort_by_key(|mv| (mv.from(), mv.to()));
                let dialect = match script(text) {
                    Dialect::Coordinate => Dialect::Wxf,
                    dialect => dialect,
                };
                let candidates = matching.into_iter().map(|mv| (mv, write(position, mv, dialect))).collect();
                return Err(NotationError::new(position, text, NotationFault::Ambiguous, candidates));
            }
        }
    }
    let is_match = |mv| interpretations.iter().any(|&interpretation| matches(position, mv, forms, interpretation));
    Err(no_legal_move(position, text, is_match))
}

fn script(text: &str) -> Dialect {
    match has_han(text) {
        true => Dialect::Chinese,
        false if is_vietnamese(text) && !is_described(text) => Dialect::Vietnamese,
        false => Dialect::Coordinate,
    }
}

/// Returns whether one of the normalised texts denotes the move in this interpretation.
fn matches(position: &Position, mv: Move, forms: &[String], interpretation: Option<Dialect>) -> bool {
    // Every description ends with direction and number, which excludes most moves cheaply.
    let has_end = |[direction, number]: [char; 2]| {
        forms.iter().any(|form| form.strip_suffix(number).is_some_and(|form| form.ends_with(direction)))
    };
    let is_form = |text: String| forms.contains(&text);
    let Some(parts) =
        displacement(position.side(), mv).filter(|&signs| has_end(signs)).and_then(|_| MoveParts::new(position, mv))
    else {
        return false;
    };
    let Some(dialect) = interpretation else { return parts.abbreviations().any(is_form) };
    let Some(form) = parts.signs(dialect).map(|signs| normalize(&signs)) else { return false };
    // Old books omit the piece if index and file are given: 前九平八.
    let is_nameless = |rest: &str| dialect == Dialect::ChineseCxa && rest.len() > 3 && is_form(rest.to_owned());
    form.strip_prefix('p').is_some_and(is_nameless) || is_form(form)
}

/// Error for a text that matches no legal move: the king would be exposed, or there is no such move.
fn no_legal_move(position: &Position, text: &str, is_match: impl Fn(Move) -> bool) -> NotationError {
    let mut pseudo_legal = MoveList::new();
    position.pseudo_legal_moves(&mut pseudo_legal);
    let exposing = pseudo_legal.into_iter().find(|&mv| is_match(mv));
    let fault = exposing.map_or(NotationFault::NoSuchMove, NotationFault::ExposesKing);
    // Chinese text is compared with Chinese notation, Latin text with all others.
    let plain_text = simplified(text);
    let dialects: &[Dialect] = match (script(text), plain_text.parse::<Move>()) {
        (Dialect::Chinese, _) => &[Dialect::Chinese, Dialect::ChineseCxa],
        (Dialect::Vietnamese, _) => &[Dialect::Vietnamese],
        (_, Ok(_)) if plain_text.contains('-') => &[Dialect::Iccs],
        (_, Ok(_)) => &[Dialect::Coordinate],
        _ => &[Dialect::Coordinate, Dialect::Iccs, Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy],
    };
    let written = |mv| dialects.iter().map(move |&dialect| (dialect, write(position, mv, dialect)));
    NotationError::new(position, text, fault, closest(position, text, written))
}

/// Returns the legal moves nearest to the text by edit distance, the closest first; none beyond half of the text.
pub(super) fn closest<T: IntoIterator<Item = (Dialect, String)>>(
    position: &Position,
    text: &str,
    written: impl Fn(Move) -> T,
) -> Vec<(Move, String)> {
    let lower = |text: &str| simplified(text).to_lowercase();
    let form = |text: &str, dialect: Dialect| match dialect {
        Dialect::Coordinate | Dialect::Iccs => lower(text),
        Dialect::Vietnamese => normal_forms(text).into_iter().next().unwrap_or_else(|| lower(text)),
        _ => normalize(&simplified(text)),
    };
    let letters = lower(text);
    let measure = |mv: Move| {
        let measured = written(mv).into_iter().map(|(dialect, notation)| {
            let (target, written) = (form(text, dialect), form(&notation, dialect));
            let common = written.chars().zip(target.chars()).take_while(|(one, other)| one == other).count();
            let in_letters = strsim::levenshtein(&lower(&notation), &letters);
            ((strsim::levenshtein(&written, &target), Reverse(common)), in_letters, notation)
        });
        // On a tie, the first notation.
        let (distance, _, notation) = measured.min_by_key(|(distance, in_letters, _)| (*distance, *in_letters))?;
        Some((distance, (mv, notation)))
    };
    let mut near: Vec<_> = position.legal_moves().into_iter().filter_map(measure).collect();
    near.sort_by_key(|(distance, (mv, _))| (*distance, mv.from(), mv.to()));
    let smallest = near.first().map_or(0, |((distance, _), _)| *distance);
    near.retain(|((distance, _), _)| *distance == smallest && smallest <= (letters.chars().count() / 2).max(1));
    near.into_iter().map(|(_, candidate)| candidate).collect()
}
