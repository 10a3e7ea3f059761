//! Weights of the attack terms, scaled by percentages: the playing style of [`EvalConfig`](crate::eval::EvalConfig).

use std::sync::LazyLock;

use super::terms::{Accumulate, Terms};
use super::weights::WEIGHTS;
use super::{MAX_PHASE, PsqtScore, Tapered, count_terms};
use crate::position::Position;
use crate::types::{Side, Value};

/// Groups of terms that count threats against the enemy king.
pub const ATTACK_GROUPS: [&str; 14] = [
    "crossed_pawns",
    "hollow_cannon",
    "central_cannon",
    "bottom_cannon",
    "screened_bottom_cannon",
    "rook_behind_blocker",
    "rook_pin",
    "rook_discovery",
    "cannon_pin",
    "cannon_discovery",
    "blocked_horse_check",
    "king_danger",
    "horse_palace_attacks",
    "rook_palace_attacks",
];

/// Attack groups with a non-zero weight for zero attackers. Only the difference to that weight is scaled.
const COUNTED_FROM_NONE: [&str; 2] = ["crossed_pawns", "king_danger"];
/// Weights in a row of those groups: one for each number of enemy advisors.
const ROW: usize = 3;

/// Weights of Red and of Black with scaled attack terms.
#[derive(Debug)]
pub(in crate::eval) struct AttackWeights {
    full: [Terms<Tapered>; 2],
    /// `full` minus the default weights.
    difference: [Terms<Tapered>; 2],
}

impl AttackWeights {
    /// Scales the attack terms of Red and of Black by `percent`.
    pub fn new(percent: [Value; 2]) -> AttackWeights {
        let full = percent.map(scaled_weights);
        let difference = full.clone().map(|mut weights| {
            for ((_, group), (_, default)) in weights.groups_mut().into_iter().zip(WEIGHTS.groups()) {
                group.iter_mut().zip(default).for_each(|(weight, &default)| *weight -= default);
            }
            weights
        });
        AttackWeights { full, difference }
    }

    /// Returns the sum of all terms that are not updated incrementally, for Red.
    pub fn sum(&self, position: &Position) -> Tapered {
        sum_with(position, &self.full)
    }

    /// Returns the difference of that sum to the one with default weights, for Red.
    pub fn bonus(&self, position: &Position) -> Tapered {
        sum_with(position, &self.difference)
    }
}

fn sum_with(position: &Position, weights: &[Terms<Tapered>; 2]) -> Tapered {
    let [red, black] = sums_with(position, weights);
    red - black
}

/// Returns the sums of Red's and of Black's terms.
fn sums_with(position: &Position, weights: &[Terms<Tapered>; 2]) -> [Tapered; 2] {
    let mut sum = SideWeightedSum { weights, sum: [Tapered::ZERO; 2] };
    count_terms(position, &mut sum);
    sum.sum
}

/// Returns the values of Red's and of Black's attack in centipawns: the terms of [`ATTACK_GROUPS`], blended by the game
/// phase, as far as a playing style scales them. A value can be negative.
///
/// ```
/// use chuhe::eval::handcrafted::attack_values;
/// use chuhe::position::Position;
/// // A cannon on the file of the enemy king with nothing between.
/// let [red, black] = attack_values(&Position::from_fen("3akab2/9/9/9/9/9/9/4C4/4A4/RN1K5 w")?);
/// assert!(red > black);
/// # Ok::<(), chuhe::position::FenError>(())
/// ```
pub fn attack_values(position: &Position) -> [Value; 2] {
    static TWICE: LazyLock<AttackWeights> = LazyLock::new(|| AttackWeights::new([200; 2]));
    let phase = PsqtScore::phase_of(position);
    sums_with(position, &TWICE.difference).map(|sum| sum.blend(phase, MAX_PHASE))
}

/// Returns the default weights with the attack terms at this percentage.
fn scaled_weights(percent: Value) -> Terms<Tapered> {
    let mut weights = WEIGHTS.clone();
    for (name, group) in weights.groups_mut() {
        if !ATTACK_GROUPS.contains(&name) {
            continue;
        }
        let mut base = [Tapered::ZERO; ROW];
        if COUNTED_FROM_NONE.contains(&name) {
            base.copy_from_slice(&group[..ROW]);
        }
        for (weight, base) in group.iter_mut().zip(base.iter().cycle()) {
            let scaled = |value: Value, base: Value| base + (value - base) * percent / 100;
            *weight = Tapered::new(scaled(weight.opening, base.opening), scaled(weight.ending, base.ending));
        }
    }
    weights
}

/// Adds up weights that differ by side.
struct SideWeightedSum<'a> {
    weights: &'a [Terms<Tapered>; 2],
    sum: [Tapered; 2],
}

impl Accumulate for SideWeightedSum<'_> {
    #[inline(always)]
    fn add(
        &mut self,
        side: Side,
        times: Value,
        weight: impl FnOnce(&Terms<Tapered>) -> Tapered,
        _: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    ) {
        self.sum[side.index()] += weight(&self.weights[side.index()]) * times;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attack_groups_are_groups_of_terms() {
        let groups = WEIGHTS.groups();
        for name in ATTACK_GROUPS {
            let (_, group) = groups.iter().find(|(other, _)| *other == name).expect(name);
            assert!(!COUNTED_FROM_NONE.contains(&name) || group.len() % ROW == 0, "{name}");
        }
        assert!(COUNTED_FROM_NONE.iter().all(|name| ATTACK_GROUPS.contains(name)));
        assert_eq!((WEIGHTS.crossed_pawns[0].len(), WEIGHTS.king_danger[0].len()), (ROW, ROW));
    }

    #[test]
    fn default_percentages_change_no_weight_and_others_only_attack_terms() {
        assert!(scaled_weights(100) == WEIGHTS);
        let changed = scaled_weights(150);
        for ((name, default), (_, changed)) in WEIGHTS.groups().iter().zip(changed.groups()) {
            assert_eq!(*default != changed, ATTACK_GROUPS.contains(name), "{name}");
        }
        assert_eq!(changed.king_danger[0], WEIGHTS.king_danger[0], "no attacker is no attack");
    }

    #[test]
    fn the_attack_of_each_side_is_what_a_style_adds_for_it() {
        use crate::eval::{EvalConfig, Knowledge};
        for fen in
            ["3akab2/9/9/9/9/9/9/4C4/4A4/RN1K5 w", "2bakab1r/6r2/2n1c3n/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R w"]
        {
            let position = Position::from_fen(fen).unwrap();
            let bonus = |percents| EvalConfig::new(Knowledge::Large, percents).style_bonus(&position);
            assert_eq!(attack_values(&position), [bonus([200, 100]), -bonus([100, 200])], "{fen}");
            let [red, black] = attack_values(&position.colour_flipped());
            assert_eq!([black, red], attack_values(&position), "{fen}");
        }
        assert_eq!(attack_values(&Position::start())[0], attack_values(&Position::start())[1]);
    }
}
