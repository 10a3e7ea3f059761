//! Errors of move parsing, and the legal moves whose notation is closest to the text, as candidates to correct it.
//!
//! The measure is the edit distance in signs; variants of a character, its case and its width are one sign. Ties are
//! broken by the longer common prefix, then by the lower origin, then by the lower target. If a move has several
//! notations, the one with the smallest distance in characters is shown.

use std::cmp::Reverse;

use thiserror::Error;

use super::normal_form::{has_han, is_described, normalize, simplified};
use super::vietnamese::{is_vietnamese, normal_forms};
use super::{Dialect, coordinate, write};
use crate::position::Position;
use crate::types::{Move, Side};

/// Maximum length of a quoted text in characters.
const SHOWN_TEXT: usize = 40;
/// Maximum number of candidates in a message.
const SHOWN_CANDIDATES: usize = 8;

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

/// Error in a written move.
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
        let side = position.side();
        let is_over = candidates.is_empty() && !position.has_legal_move();
        let fault = if is_over { NotationFault::GameOver } else { fault };
        NotationError { text: text.chars().take(SHOWN_TEXT).collect(), side, fault, candidates }
    }
}

fn explanation(error: &NotationError) -> String {
    let side = error.side;
    let closest = error.candidates.first().map(name);
    let closest = closest.map_or_else(String::new, |name| format!("; closest legal move: {name}"));
    match error.fault {
        NotationFault::Ambiguous => format!("is ambiguous: it could mean {}", list(&error.candidates)),
        NotationFault::ExposesKing(mv) => {
            format!("is not a legal move here: {side}'s king could be captured after {mv}{closest}")
        }
        NotationFault::NoSuchMove => format!("is not a legal move here{closest}"),
        NotationFault::GameOver => format!("is not a legal move here: the game is over, {side} has no legal move"),
    }
}

/// Formats a move with its coordinates.
fn name(candidate: &Candidate) -> String {
    let coordinates = candidate.mv.to_string();
    if candidate.notation == coordinates { coordinates } else { format!("{} ({coordinates})", candidate.notation) }
}

fn list(candidates: &[Candidate]) -> String {
    let mut names: Vec<String> = candidates.iter().take(SHOWN_CANDIDATES).map(name).collect();
    if candidates.len() > names.len() {
        names.push(format!("{} more", candidates.len() - names.len()));
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// A notation, and the text to compare in its normal form.
struct Spelling<'a> {
    target: String,
    form: fn(&str) -> String,
    write: &'a dyn Fn(Move) -> String,
}

/// Returns the legal moves with the smallest edit distance to the text, the closest first; none if that is more than
/// half of the text. Chinese text is compared with Chinese notation, Latin text with all others.
pub(super) fn closest(position: &Position, text: &str) -> Vec<Candidate> {
    const CHINESE: [Dialect; 2] = [Dialect::Chinese, Dialect::ChineseCxa];
    const LATIN: [Dialect; 5] =
        [Dialect::Coordinate, Dialect::Iccs, Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy];
    let plain_text = simplified(text);
    let dialects: &[Dialect] = match coordinate::read(&plain_text) {
        _ if has_han(text) => &CHINESE,
        _ if is_vietnamese(text) && !is_described(text) => &[Dialect::Vietnamese],
        Some(_) if plain_text.contains('-') => &[Dialect::Iccs],
        Some(_) => &[Dialect::Coordinate],
        None => &LATIN,
    };
    let writers: Vec<_> = dialects.iter().map(|&dialect| move |mv| write(position, mv, dialect)).collect();
    let form = |dialect| match dialect {
        Dialect::Coordinate | Dialect::Iccs => lower,
        Dialect::Vietnamese => vietnamese_signs,
        _ => signs,
    };
    let spellings: Vec<Spelling> = dialects
        .iter()
        .zip(&writers)
        .map(|(&dialect, write)| Spelling { target: form(dialect)(text), form: form(dialect), write })
        .collect();
    closest_of(position, &lower(text), &spellings)
}

/// Like [`closest`] with the notation of `write`, without regard to case.
pub(super) fn closest_by(position: &Position, text: &str, write: &dyn Fn(Move) -> String) -> Vec<Candidate> {
    let letters = lower(text);
    closest_of(position, &letters, &[Spelling { target: letters.clone(), form: lower, write }])
}

fn lower(text: &str) -> String {
    simplified(text).to_lowercase()
}

fn signs(text: &str) -> String {
    normalize(&simplified(text))
}

fn vietnamese_signs(text: &str) -> String {
    normal_forms(text).into_iter().next().unwrap_or_else(|| lower(text))
}

fn closest_of(position: &Position, letters: &str, spellings: &[Spelling]) -> Vec<Candidate> {
    let best_spelling = |mv: Move| {
        let measured = spellings.iter().map(|spelling| {
            let words = (spelling.write)(mv);
            let form = (spelling.form)(&words);
            let common = form.chars().zip(spelling.target.chars()).take_while(|(one, other)| one == other).count();
            let in_letters = strsim::levenshtein(&lower(&words), letters);
            (strsim::levenshtein(&form, &spelling.target), Reverse(common), in_letters, words)
        });
        // On a tie, the first notation.
        measured.min_by_key(|(distance, common, in_letters, _)| (*distance, *common, *in_letters))
    };
    let mut near: Vec<_> = position
        .legal_moves()
        .into_iter()
        .filter_map(|mv| best_spelling(mv).map(|(distance, common, _, words)| (distance, common, mv, words)))
        .collect();
    near.sort_by_key(|(distance, common, mv, _)| (*distance, *common, mv.from(), mv.to()));
    let smallest = near.first().map_or(0, |(distance, ..)| *distance);
    if smallest > (letters.chars().count() / 2).max(1) {
        return Vec::new();
    }
    near.retain(|(distance, ..)| *distance == smallest);
    near.into_iter().map(|(_, _, mv, words)| Candidate { mv, notation: words }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(fen: &str, text: &str) -> String {
        let position = if fen.is_empty() { Position::start() } else { Position::from_fen(fen).unwrap() };
        closest(&position, text).first().map_or_else(String::new, |candidate| candidate.notation.clone())
    }

    #[test]
    fn the_answer_is_spelled_as_the_text_is() {
        for (text, expected) in [
            ("h2e9", "h2e2"),
            ("h2e", "h2e2"),
            ("H2-E9", "H2-E2"),
            ("h2-e", "H2-E2"),
            ("h22e2", "h2e2"),
            ("炮二平十", "炮二平七"),
            ("砲２平0", "炮二平七"),
            ("炮三平五", "炮八平五"),
            ("C3.5", "C8.5"),
            ("C3=5", "C8=5"),
            ("H2+4", "H2+3"),
            ("N2+4", "N2+3"),
            ("X1.3", "X1.1"),
            ("Pháo 3 bình 5", "P8-5"),
        ] {
            assert_eq!(first("", text), expected, "{text}");
        }
    }

    #[test]
    fn no_other_legal_move_needs_fewer_changes() {
        // The recursive definition of the distance.
        fn distance(one: &[char], other: &[char]) -> usize {
            match (one, other) {
                ([], rest) | (rest, []) => rest.len(),
                ([a, one_rest @ ..], [b, other_rest @ ..]) if a == b => distance(one_rest, other_rest),
                ([_, one_rest @ ..], [_, other_rest @ ..]) => {
                    let changed = distance(one_rest, other_rest);
                    1 + changed.min(distance(one_rest, other)).min(distance(one, other_rest))
                }
            }
        }
        let position = Position::start();
        for text in ["h2e9", "a9a0", "e3e5", "i9i9", "b0d1"] {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let of = |mv: &Move| distance(&letters(text), &letters(&mv.to_string()));
            let smallest = position.legal_moves().iter().map(of).min().unwrap();
            let found = closest(&position, text);
            assert!(found.iter().all(|candidate| of(&candidate.mv) == smallest), "{text}");
            assert_eq!(found.len(), position.legal_moves().iter().filter(|mv| of(mv) == smallest).count(), "{text}");
        }
    }

    #[test]
    fn what_is_no_move_at_all_has_no_closest_move() {
        for text in ["", "zz", "[Game", "1.", "xxxxxxxxxxxxxxxxxxxx", "红先", "结果"] {
            assert_eq!(first("", text), "", "{text}");
        }
        let error = crate::notation::read(&Position::start(), "zz").unwrap_err();
        assert_eq!(error.to_string(), "'zz' is not a legal move here");
    }

    #[test]
    fn a_finished_game_has_no_closest_move() {
        assert_eq!(first("R3k4/1R7/9/9/9/9/9/9/9/3K5 b", "e9e8"), "");
        let over = Position::from_fen("R3k4/1R7/9/9/9/9/9/9/9/3K5 b").unwrap();
        let error = crate::notation::read(&over, "e9e8").unwrap_err();
        assert_eq!((error.fault, error.candidates.len()), (NotationFault::GameOver, 0));
    }
}
