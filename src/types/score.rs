//! Scores and their bands.
//!
//! A [`Value`] is relative to the side to move. From zero outwards the bands are: evaluations, tablebase results,
//! decisive repetition verdicts, mates. They do not overlap, so the magnitude of a value tells its kind.

/// Score in centipawns for the side to move.
pub type Value = i32;

/// Maximum length of a line of the search in plies.
pub const MAX_PLY: usize = 240;

/// Score of a draw, without contempt.
pub const DRAW: Value = 0;
/// Mate: being mated now is −`MATE`, mate in n plies is `MATE − n`.
pub const MATE: Value = 10_000;
/// Bound of all values: ±`INFINITE`.
pub const INFINITE: Value = MATE + 1;
/// Win by the rules of repetition: `RULE_WIN` − plies.
pub const RULE_WIN: Value = 9_700;
/// Win known from a tablebase: `TABLEBASE_WIN` − plies.
pub const TABLEBASE_WIN: Value = 9_400;
/// Bound of evaluations: ±`EVALUATION_LIMIT`.
pub const EVALUATION_LIMIT: Value = 9_000;

const BAND: Value = MAX_PLY as Value;

// The bands are disjoint for every ply that a search can reach.
const _: () =
    assert!(MATE - BAND > RULE_WIN && RULE_WIN - BAND > TABLEBASE_WIN && TABLEBASE_WIN - BAND > EVALUATION_LIMIT);

/// Returns the score of being mated `ply` plies from the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// Returns the score of giving mate `ply` plies from the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Returns the score of winning by a repetition verdict `ply` plies from the root.
#[inline(always)]
pub const fn rule_win_in(ply: usize) -> Value {
    RULE_WIN - ply as Value
}

/// Returns the score of losing by a repetition verdict `ply` plies from the root.
#[inline(always)]
pub const fn rule_loss_in(ply: usize) -> Value {
    -RULE_WIN + ply as Value
}

/// Tells whether the value is a mate for either side.
#[inline(always)]
pub const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE - BAND
}

/// Tells whether the value is a repetition verdict for either side.
#[inline(always)]
pub const fn is_rule_decision(value: Value) -> bool {
    value.abs() <= RULE_WIN && value.abs() >= RULE_WIN - BAND
}

/// Tells whether the value is not an evaluation: a mate, a repetition verdict or a tablebase result.
#[inline(always)]
pub const fn is_decisive(value: Value) -> bool {
    value.abs() > EVALUATION_LIMIT
}

/// Tells whether the value is a loss that is known: being mated, losing by a repetition verdict or in a tablebase.
#[inline(always)]
pub const fn is_lost(value: Value) -> bool {
    value <= -TABLEBASE_WIN + BAND
}

/// Returns the smallest magnitude in the band of a decisive value; 0 for evaluations.
#[inline(always)]
pub const fn band_minimum(value: Value) -> Value {
    let magnitude = value.abs();
    if magnitude >= MATE - BAND {
        MATE - BAND
    } else if magnitude >= RULE_WIN - BAND {
        RULE_WIN - BAND
    } else if magnitude >= TABLEBASE_WIN - BAND {
        TABLEBASE_WIN - BAND
    } else {
        0
    }
}

/// Clamps the value to the band of evaluations.
#[inline(always)]
pub fn clamp_evaluation(value: Value) -> Value {
    value.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_overlap() {
        for ply in 0..=MAX_PLY {
            for value in [mate_in(ply), mated_in(ply)] {
                assert!(is_mate(value) && is_decisive(value) && !is_rule_decision(value));
                assert_eq!(band_minimum(value), MATE - BAND);
            }
            for value in [rule_win_in(ply), rule_loss_in(ply)] {
                assert!(!is_mate(value) && is_decisive(value) && is_rule_decision(value));
                assert_eq!(band_minimum(value), RULE_WIN - BAND);
            }
        }
        for value in [EVALUATION_LIMIT, -EVALUATION_LIMIT, DRAW] {
            assert!(!is_mate(value) && !is_decisive(value) && !is_rule_decision(value));
        }
    }
}
