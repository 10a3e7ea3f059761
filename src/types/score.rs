//! Values of positions and the bands they fall into.
//!
//! A [`Value`] is seen from the side to move. From the middle outwards: evaluations, exact endings, decisive
//! repetition verdicts, mates. The bands do not overlap, so a value tells by itself what kind of knowledge it is.

/// Hundredths of a pawn's worth, seen from the side to move.
pub type Value = i32;

/// The longest line in plies that a search follows.
pub const MAX_PLY: usize = 240;

/// A draw.
pub const DRAW: Value = 0;
/// Being mated at once is −`MATE`; mating in n plies is `MATE − n`.
pub const MATE: Value = 10_000;
/// No value is beyond ±`INFINITE`.
pub const INFINITE: Value = MATE + 1;
/// The opponent loses by the rules of repetition: `RULE_WIN` − plies.
pub const RULE_WIN: Value = 9_700;
/// The least winning value that is exact knowledge of an ending: `TABLE_WIN` − plies.
pub const TABLE_WIN: Value = 9_400;
/// EvalCache stay within ±`EVALUATION_LIMIT`.
pub const EVALUATION_LIMIT: Value = 9_000;

const BAND: Value = MAX_PLY as Value;

// The bands are disjoint for every ply that a search can reach.
const _: () = assert!(MATE - BAND > RULE_WIN && RULE_WIN - BAND > TABLE_WIN && TABLE_WIN - BAND > EVALUATION_LIMIT);

/// The value of being mated `ply` plies from the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// The value of giving mate `ply` plies from the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The value of winning by a repetition verdict `ply` plies from the root.
#[inline(always)]
pub const fn rule_win_in(ply: usize) -> Value {
    RULE_WIN - ply as Value
}

/// The value of losing by a repetition verdict `ply` plies from the root.
#[inline(always)]
pub const fn rule_loss_in(ply: usize) -> Value {
    -RULE_WIN + ply as Value
}

/// Whether the value announces a mate for either side.
#[inline(always)]
pub const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE - BAND
}

/// Whether the value rests on a repetition verdict for either side.
#[inline(always)]
pub const fn is_rule_decision(value: Value) -> bool {
    value.abs() <= RULE_WIN && value.abs() >= RULE_WIN - BAND
}

/// Whether the value is more than an evaluation: a mate, a repetition verdict or an exact ending.
#[inline(always)]
pub const fn is_decisive(value: Value) -> bool {
    value.abs() > EVALUATION_LIMIT
}

/// The smallest magnitude of the band of decisive values that a value lies in; for evaluations it is 0.
#[inline(always)]
pub const fn band_minimum(value: Value) -> Value {
    let magnitude = value.abs();
    if magnitude >= MATE - BAND {
        MATE - BAND
    } else if magnitude >= RULE_WIN - BAND {
        RULE_WIN - BAND
    } else if magnitude >= TABLE_WIN - BAND {
        TABLE_WIN - BAND
    } else {
        0
    }
}

/// The value pressed into the band of evaluations.
#[inline(always)]
pub const fn clamp_evaluation(value: Value) -> Value {
    if value > EVALUATION_LIMIT {
        EVALUATION_LIMIT
    } else if value < -EVALUATION_LIMIT {
        -EVALUATION_LIMIT
    } else {
        value
    }
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
