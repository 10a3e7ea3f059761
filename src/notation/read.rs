//! Move parsing.
//!
//! The text is normalised and compared with the normalised notations of all legal moves, dialect by dialect. A text can
//! thus never be read as an illegal move. An error names the legal moves whose notation is closest to the text: the
//! measure is the edit distance in signs; variants of a character, its case and its width are one sign. Ties are broken
//! by the longer common prefix, then by the lower origin, then by the lower target. If a move has several notations, the
//! one with the smallest distance in characters is shown.

use std::cmp::Reverse;

use thiserror::Error;

use super::described::{
    Displacement, MoveParts, file_index_sign, has_han, is_described, normalize, sign, simplified, without_marks,
    write_chinese, write_wxf,
};
use super::vietnamese::{is_vietnamese, normal_forms, write_vietnamese};
use super::{Dialect, write};
use crate::position::Position;
use crate::types::{Move, MoveList, Piece, Side};

/// Maximum length of a quoted text in characters.
const SHOWN_TEXT: usize = 40;
/// Maximum number of candidates in a message.
const SHOWN_CANDIDATES: usize = 8;

/// Interpretations of a text: exactly as in a dialect, or as if there were no other tandem pieces ([`ABBREVIATED`]). In
/// case of contradiction, the first one takes precedence.
type Interpretation = Option<Dialect>;
/// With the file alone, or with the index on the file where there are tandem pieces on several files. Acceptable if
/// only one piece can make the move.
const ABBREVIATED: Interpretation = None;
const CHINESE: [Interpretation; 3] = [Some(Dialect::Chinese), Some(Dialect::ChineseCxa), ABBREVIATED];
const LATIN: [Interpretation; 4] =
    [Some(Dialect::Wxf), Some(Dialect::WxfOfficial), Some(Dialect::WxfFairy), ABBREVIATED];
/// Vietnamese has letters of its own.
const VIETNAMESE: [Interpretation; 2] = [Some(Dialect::Vietnamese), ABBREVIATED];

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
    /// Legal moves that an ambiguous text could mean, otherwise the closest legal moves, the closest first. Empty if
    /// there is no legal move, or none that differs from the text in at most half of its characters.
    pub candidates: Vec<Candidate>,
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

/// Legal move that the text could mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its notation in the script of the text.
    pub notation: String,
}

impl NotationError {
    /// The error of a text in this position; [`NotationFault::GameOver`] instead of `fault` where no move is legal.
    pub(super) fn new(
        position: &Position,
        text: &str,
        fault: NotationFault,
        candidates: Vec<Candidate>,
    ) -> NotationError {
        let is_over = candidates.is_empty() && !position.has_legal_move();
        let fault = if is_over { NotationFault::GameOver } else { fault };
        NotationError { text: text.chars().take(SHOWN_TEXT).collect(), side: position.side(), fault, candidates }
    }
}

fn explanation(error: &NotationError) -> String {
    let side = error.side;
    let name = |candidate: &Candidate| match (candidate.mv.to_string(), &candidate.notation) {
        (coordinates, notation) if coordinates == *notation => coordinates,
        (coordinates, notation) => format!("{notation} ({coordinates})"),
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
        if may_be_vietnamese { read_by(position, text, &normal_forms(text), &VIETNAMESE) } else { Err(error) }
    })
}

/// [`read`] without Vietnamese.
pub(super) fn read_but_vietnamese(position: &Position, text: &str) -> Result<Move, NotationError> {
    let interpretations: &[Interpretation] = if has_han(text) { &CHINESE } else { &LATIN };
    read_by(position, text, &[signs(text)], interpretations)
}

/// Returns the signs of a text in Chinese or Latin notation.
fn signs(text: &str) -> String {
    normalize(&simplified(without_marks(text.trim())))
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
    let is_chinese = matches!(dialect, Dialect::Chinese | Dialect::ChineseCxa);
    match dialect {
        Dialect::Vietnamese => read_by(position, text, &normal_forms(text), &VIETNAMESE),
        Dialect::Coordinate | Dialect::Iccs => read_by(position, text, &[], &[]),
        // Chinese and Latin notations share one normal form, but a text has one script only.
        _ if has_han(text) != is_chinese => read_by(position, text, &[], &[]),
        _ => read_by(position, text, &[signs(text)], &[Some(dialect)]),
    }
}

/// Parses a text with these normal forms.
fn read_by(
    position: &Position,
    text: &str,
    forms: &[String],
    interpretations: &[Interpretation],
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
                let dialect = match has_han(text) {
                    true => Dialect::Chinese,
                    false if is_vietnamese(text) && !is_described(text) => Dialect::Vietnamese,
                    false => Dialect::Wxf,
                };
                let candidate = |mv| Candidate { mv, notation: write(position, mv, dialect) };
                let candidates = matching.into_iter().map(candidate).collect();
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
    [[b'+', b'-', b'.'][displacement.direction as usize], b'0' + displacement.number]
}

/// Returns the normalised notations of a move in this interpretation.
fn spellings(parts: &MoveParts, interpretation: Interpretation) -> Vec<String> {
    match interpretation {
        Some(dialect @ (Dialect::Chinese | Dialect::ChineseCxa)) => {
            let Some(words) = write_chinese(parts, dialect) else { return Vec::new() };
            let words = normalize(&simplified(&words));
            // Old books omit the piece if index and file are given: 前九平八.
            let nameless = words.strip_prefix('p').filter(|rest| rest.chars().count() > 3).map(str::to_owned);
            std::iter::once(words).chain(nameless.filter(|_| dialect == Dialect::ChineseCxa)).collect()
        }
        Some(Dialect::Vietnamese) => write_vietnamese(parts).map_or_else(Vec::new, |words| normal_forms(&words)),
        Some(dialect) => write_wxf(parts, dialect).map(|words| normalize(&words)).into_iter().collect(),
        ABBREVIATED => {
            let Some(disambiguation) = parts.disambiguation else { return Vec::new() };
            let [direction, number] = displacement_signs(parts.displacement).map(char::from);
            let piece = Piece::new(Side::Black, parts.kind).letter();
            let index = file_index_sign(disambiguation).map(sign);
            let by_index = index.filter(|index| disambiguation.files > 1 && !index.is_ascii_digit());
            let which = by_index.map(String::from).into_iter().chain([parts.file.to_string()]);
            which.map(|which| format!("{piece}{which}{direction}{number}")).collect()
        }
    }
}

/// Error for a text that matches no legal move: the king would be exposed, or there is no such move.
fn no_legal_move(position: &Position, text: &str, is_match: impl Fn(Move) -> bool) -> NotationError {
    let mut pseudo_legal = MoveList::new();
    position.pseudo_legal_moves(&mut pseudo_legal);
    let exposing = pseudo_legal.into_iter().find(|&mv| is_match(mv));
    let fault = exposing.map_or(NotationFault::NoSuchMove, NotationFault::ExposesKing);
    // Chinese text is compared with Chinese notation, Latin text with all others.
    let plain_text = simplified(text);
    let dialects: &[Dialect] = match plain_text.parse::<Move>() {
        _ if has_han(text) => &[Dialect::Chinese, Dialect::ChineseCxa],
        _ if is_vietnamese(text) && !is_described(text) => &[Dialect::Vietnamese],
        Ok(_) if plain_text.contains('-') => &[Dialect::Iccs],
        Ok(_) => &[Dialect::Coordinate],
        Err(_) => &[Dialect::Coordinate, Dialect::Iccs, Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy],
    };
    let form = |dialect: Dialect| -> Form {
        match dialect {
            Dialect::Coordinate | Dialect::Iccs => lower,
            Dialect::Vietnamese => |text| normal_forms(text).into_iter().next().unwrap_or_else(|| lower(text)),
            _ => |text| normalize(&simplified(text)),
        }
    };
    let written = |mv| dialects.iter().map(move |&dialect| (form(dialect), write(position, mv, dialect)));
    NotationError::new(position, text, fault, closest(position, text, written))
}

/// Normal form of a text.
pub(super) type Form = fn(&str) -> String;

/// Normal form of coordinates.
pub(super) fn lower(text: &str) -> String {
    simplified(text).to_lowercase()
}

/// Returns the legal moves one of whose notations has the smallest edit distance to the text in its normal form, the
/// closest first; none if that is more than half of the text.
pub(super) fn closest<T: IntoIterator<Item = (Form, String)>>(
    position: &Position,
    text: &str,
    written: impl Fn(Move) -> T,
) -> Vec<Candidate> {
    let letters = lower(text);
    let measure = |mv: Move| {
        let measured = written(mv).into_iter().map(|(form, notation)| {
            let (target, written) = (form(text), form(&notation));
            let common = written.chars().zip(target.chars()).take_while(|(one, other)| one == other).count();
            let in_letters = strsim::levenshtein(&lower(&notation), &letters);
            ((strsim::levenshtein(&written, &target), Reverse(common)), in_letters, notation)
        });
        // On a tie, the first notation.
        let (distance, _, notation) = measured.min_by_key(|(distance, in_letters, _)| (*distance, *in_letters))?;
        Some((distance, Candidate { mv, notation }))
    };
    let mut near: Vec<_> = position.legal_moves().into_iter().filter_map(measure).collect();
    near.sort_by_key(|(distance, candidate)| (*distance, candidate.mv.from(), candidate.mv.to()));
    let smallest = near.first().map_or(0, |((distance, _), _)| *distance);
    near.retain(|((distance, _), _)| *distance == smallest && smallest <= (letters.chars().count() / 2).max(1));
    near.into_iter().map(|(_, candidate)| candidate).collect()
}
