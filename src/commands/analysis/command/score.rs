//! Scores and lines of play as text and JSON.

use serde::Serialize;

use super::Analyze;
use crate::commands::analysis::game::SideSummary;
use crate::commands::analysis::wdl::winning_chance;
use crate::eval::{ReportedScore, WinModel};
use crate::notation::write_line;
use crate::position::Position;
use crate::types::score::{MATE, RULE_WIN, is_decisive, is_mate, is_rule_decision};
use crate::types::{Move, Value};

/// Formats the accuracy in whole percent, or a dash.
pub fn accuracy(side_summary: &SideSummary) -> String {
    side_summary.accuracy.map_or("–".to_owned(), |accuracy| format!("{accuracy:.0} %"))
}

/// Formats the share of moves that are the first choice of the search in whole percent, or a dash.
pub fn agreed(side_summary: &SideSummary) -> String {
    match side_summary.moves {
        0 => "–".to_owned(),
        moves => format!("{:.0} %", 100.0 * side_summary.agreed as f64 / moves as f64),
    }
}

/// Formats a score for a table: in units of the lead that wins half of the games with a sign, `mate 3`, `mate -3`, or a
/// decision by the rules of repetition.
pub fn text(score: ReportedScore) -> String {
    let score = score.get();
    if is_mate(score) {
        return match moves_to_mate(score) {
            0 => "mate".to_owned(),
            moves => format!("mate {moves}"),
        };
    }
    if is_rule_decision(score) {
        return (if score > 0 { "rule win" } else { "rule loss" }).to_owned();
    }
    if is_decisive(score) {
        return (if score > 0 { "won" } else { "lost" }).to_owned();
    }
    format!("{:+.2}", f64::from(score) / 100.0)
}

/// Returns the moves to mate; negative when the side is mated, 0 when it is checkmate already.
fn moves_to_mate(score: Value) -> Value {
    (MATE - score.abs() + 1) / 2 * score.signum()
}

/// Score in JSON; exactly one field is not null.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ScoreObject {
    /// Hundredths of the lead that wins half of the games, see [`ReportedScore`].
    centipawns: Option<Value>,
    /// Moves to mate; negative when the side is mated, 0 at checkmate.
    mate: Option<Value>,
    /// Plies to a win by the rules of repetition; negative for a loss.
    repetition: Option<Value>,
}

impl ScoreObject {
    /// Creates the object.
    pub fn new(score: ReportedScore) -> ScoreObject {
        let score = score.get();
        let none = ScoreObject { centipawns: None, mate: None, repetition: None };
        if is_mate(score) {
            ScoreObject { mate: Some(moves_to_mate(score)), ..none }
        } else if is_rule_decision(score) {
            ScoreObject { repetition: Some((RULE_WIN - score.abs()) * score.signum()), ..none }
        } else {
            ScoreObject { centipawns: Some(score), ..none }
        }
    }
}

/// Formats a loss in whole percent, rounded down so that it never appears to reach the next mark.
pub fn lost_percent(loss: f64) -> String {
    format!("{:.0} %", (loss * 100.0 + 1e-9).floor())
}

/// Formats a share in whole percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Line of play and its score for the side to move, in JSON.
#[derive(Serialize)]
pub struct LineObject {
    #[serde(flatten)]
    score: ScoreObject,
    winning_chance: Option<f64>,
    moves: Vec<String>,
    notation: Vec<String>,
}

impl LineObject {
    /// Creates the object of a line from this position.
    pub fn new(args: &Analyze, position: &Position, score: Value, line: &[Move]) -> LineObject {
        LineObject {
            score: ScoreObject::new(WinModel::of(position).reported(score)),
            winning_chance: Some(thousandths(winning_chance(score))),
            moves: line.iter().map(Move::to_string).collect(),
            notation: write_line(position, line, args.dialect()),
        }
    }

    /// Creates the object of a position without a score.
    pub fn without_score() -> LineObject {
        let score = ScoreObject { centipawns: None, mate: None, repetition: None };
        LineObject { score, winning_chance: None, moves: Vec::new(), notation: Vec::new() }
    }
}

/// Rounds to three decimals.
pub fn thousandths(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::{mate_in, mated_in, rule_loss_in};

    #[test]
    fn scores_are_formatted() {
        for (score, expected) in [
            (0, "+0.00"),
            (mate_in(1), "mate 1"),
            (mate_in(5), "mate 3"),
            (mated_in(2), "mate -1"),
            (mated_in(0), "mate"),
            (rule_loss_in(8), "rule loss"),
        ] {
            assert_eq!(text(WinModel::new(20).reported(score)), expected);
        }
        for (reported, expected) in [(-5, "-0.05"), (123, "+1.23")] {
            let mut scores = (-2_000..2_000).map(|score| WinModel::new(6).reported(score));
            assert_eq!(scores.find(|score| score.get() == reported).map(text).as_deref(), Some(expected));
        }
    }
}
