//! Errors of move parsing, with candidates to correct the text.

use thiserror::Error;

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
    /// Legal moves that an ambiguous text could mean, otherwise the closest legal moves, the closest first. Empty only
    /// if there is no legal move.
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
    pub(super) fn new(text: &str, side: Side, fault: NotationFault, candidates: Vec<Candidate>) -> NotationError {
        NotationError { text: text.chars().take(SHOWN_TEXT).collect(), side, fault, candidates }
    }
}

fn explanation(error: &NotationError) -> String {
    let side = error.side;
    let closest = error.candidates.first().map(name);
    let closest = closest.map_or_else(
        || format!(": the game is over, {side} has no legal move"),
        |name| format!("; closest legal move: {name}"),
    );
    match error.fault {
        NotationFault::Ambiguous => format!("is ambiguous: it could mean {}", list(&error.candidates)),
        NotationFault::ExposesKing(mv) if !error.candidates.is_empty() => {
            format!("is not a legal move here: {side}'s king could be captured after {mv}{closest}")
        }
        NotationFault::ExposesKing(_) | NotationFault::NoSuchMove => format!("is not a legal move here{closest}"),
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
