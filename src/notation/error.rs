//! Why a text is no move, told so that whoever wrote it can mend it.

use thiserror::Error;

use crate::types::{Move, Side};

/// How many characters of a bad text are repeated.
const SHOWN_TEXT: usize = 40;
/// How many candidates a message names.
const SHOWN_CANDIDATES: usize = 8;

/// Why a text names no single legal move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' {}", explanation(self))]
pub struct NotationError {
    /// The text, cut after 40 characters.
    pub text: String,
    /// Whose move was wanted.
    pub side: Side,
    /// What is wrong with it.
    pub fault: NotationFault,
    /// The legal moves it could mean; for [`NotationFault::NoSuchMove`] those that come near it, often none.
    pub candidates: Vec<Candidate>,
}

/// What is wrong with a written move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotationFault {
    /// No move of the position is written so.
    NoSuchMove,
    /// A man can move so, but then its king could be taken.
    ExposesKing(Move),
    /// More than one legal move is meant.
    Ambiguous,
}

/// A legal move that could be meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its words in the script of the text that was read.
    pub words: String,
}

impl NotationError {
    pub(super) fn new(text: &str, side: Side, fault: NotationFault, candidates: Vec<Candidate>) -> NotationError {
        NotationError { text: text.chars().take(SHOWN_TEXT).collect(), side, fault, candidates }
    }
}

fn explanation(error: &NotationError) -> String {
    let side = error.side;
    match error.fault {
        NotationFault::Ambiguous => format!("is ambiguous: it could mean {}", list(&error.candidates, "or")),
        NotationFault::ExposesKing(mv) => format!("({mv}) is not legal: {side}'s king could be taken"),
        NotationFault::NoSuchMove if error.candidates.is_empty() => {
            format!("is no legal move of {side} (moves look like h2e2, 炮二平五 or C2.5)")
        }
        NotationFault::NoSuchMove => {
            format!("is no legal move of {side}; near it are {}", list(&error.candidates, "and"))
        }
    }
}

fn list(candidates: &[Candidate], conjunction: &str) -> String {
    let name = |candidate: &Candidate| {
        let coordinates = candidate.mv.to_string();
        if candidate.words == coordinates { coordinates } else { format!("{} ({coordinates})", candidate.words) }
    };
    let mut names: Vec<String> = candidates.iter().take(SHOWN_CANDIDATES).map(name).collect();
    if candidates.len() > names.len() {
        names.push(format!("{} more", candidates.len() - names.len()));
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {conjunction} {last}", rest.join(", ")),
        None => String::new(),
    }
}
