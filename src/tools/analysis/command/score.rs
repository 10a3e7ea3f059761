//! How scores are shown.

use serde::Serialize;

use crate::types::Value;
use crate::types::score::{MATE, RULE_WIN, is_decisive, is_mate, is_rule_decision};

/// A score in the columns of a table: pawns with a sign, `mate 3`, `mate -3`, or that the rules of repetition decide.
pub fn text(score: Value) -> String {
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

/// In how many moves the mate is given; negative when the side is mated, 0 when that has happened.
fn moves_to_mate(score: Value) -> Value {
    (MATE - score.abs() + 1) / 2 * score.signum()
}

/// A score in JSON: at most one of the three is not null.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ScoreObject {
    /// Hundredths of a pawn's worth.
    centipawns: Option<Value>,
    /// In how many moves; negative when the side is mated, 0 at the end.
    mate: Option<Value>,
    /// In how many plies a verdict on repetition wins, or loses if negative.
    repetition: Option<Value>,
}

impl ScoreObject {
    /// The score of the side it is seen from.
    pub fn of(score: Value) -> ScoreObject {
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

/// A loss in whole percent, rounded down so that it never seems to deserve a graver mark than it has.
pub fn lost_percent(loss: f64) -> String {
    format!("{:.0} %", (loss * 100.0 + 1e-9).floor())
}

/// A share in whole percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::{mate_in, mated_in, rule_loss_in};

    #[test]
    fn scores_read_as_people_say_them() {
        for (score, expected) in [
            (0, "+0.00"),
            (-5, "-0.05"),
            (123, "+1.23"),
            (mate_in(1), "mate 1"),
            (mate_in(5), "mate 3"),
            (mated_in(2), "mate -1"),
            (mated_in(0), "mate"),
            (rule_loss_in(8), "rule loss"),
        ] {
            assert_eq!(text(score), expected);
        }
    }
}
