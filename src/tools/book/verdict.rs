//! Verdict of a verification on the moves of one position.

use super::Candidate;
use crate::types::{Move, Value};

/// Compared moves of a position with their scores for the side to move. The first is the best move according to a
/// search of the position itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict(pub Vec<(Move, Value)>);

impl Verdict {
    pub(super) fn score(&self, mv: Move) -> Option<Value> {
        self.0.iter().find(|(other, _)| *other == mv).map(|(_, score)| *score)
    }

    /// Returns the loss of each move of the candidate in centipawns relative to the best of them and of the searched
    /// best move; `None` if one of them was not compared. Other moves in the verdict have no influence, so the result
    /// does not depend on the criteria of earlier runs.
    pub fn losses(&self, candidate: &Candidate) -> Option<Vec<Value>> {
        let scores: Option<Vec<Value>> = candidate.records.iter().map(|record| self.score(record.mv)).collect();
        let (scores, (best_move, first_score)) = (scores?, *self.0.first()?);
        let best_score = scores.iter().copied().max().unwrap_or(first_score).max(first_score);
        let is_only_move = candidate.records.len() == 1 && candidate.records[0].mv == best_move;
        Some(scores.into_iter().map(|score| if is_only_move { 0 } else { best_score - score }).collect())
    }
}
