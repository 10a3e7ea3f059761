//! Weights of the attack terms, scaled by percentages: the playing style of [`EvalConfig`](crate::eval::EvalConfig).

use std::sync::LazyLock;

use super::terms::{Terms, WeightedSum};
use super::weights::WEIGHTS;
use super::{MAX_PHASE, Tapered, count_terms, phase_of};
use crate::position::Position;
use crate::types::Value;

/// Groups of terms that count threats against the enemy king, each with the number of its weights that stand for no
/// attacker, one for each number of enemy advisors. Only the difference to those is scaled.
pub const ATTACK_GROUPS: [(&str, usize); 14] = [
    ("crossed_pawns", 3),
    ("hollow_cannon", 0),
    ("central_cannon", 0),
    ("bottom_cannon", 0),
    ("screened_bottom_cannon", 0),
    ("rook_behind_blocker", 0),
    ("rook_pin", 0),
    ("rook_discovery", 0),
    ("cannon_pin", 0),
    ("cannon_discovery", 0),
    ("blocked_horse_check", 0),
    ("king_danger", 3),
    ("horse_palace_attacks", 0),
    ("rook_palace_attacks", 0),
];

/// What percentages of the attack terms add to the weights of Red and of Black.
#[derive(PartialEq, Debug)]
pub(in crate::eval) struct AttackWeights([Terms<Tapered>; 2]);

impl AttackWeights {
    /// Scales the attack terms of Red and of Black by `percents`.
    pub fn new(percents: [Value; 2]) -> AttackWeights {
        AttackWeights(percents.map(|percent| {
            let mut weights = Terms::filled(Tapered::ZERO);
            for ((name, group), (_, default)) in weights.groups_mut().into_iter().zip(WEIGHTS.groups()) {
                let Some(&(_, unattacked)) = ATTACK_GROUPS.iter().find(|attack| attack.0 == name) else { continue };
                for (index, (weight, &value)) in group.iter_mut().zip(default).enumerate() {
                    let base = if unattacked > 0 { default[index % unattacked] } else { Tapered::ZERO };
                    let added = |value: Value, base: Value| base + (value - base) * percent / 100 - value;
                    *weight = Tapered::new(added(value.opening, base.opening), added(value.ending, base.ending));
                }
            }
            weights
        }))
    }

    /// Returns what is added to the values of Red and of Black.
    pub fn bonuses(&self, position: &Position) -> [Tapered; 2] {
        let mut sum = WeightedSum::new(self.0.each_ref());
        count_terms(position, &mut sum);
        sum.sums
    }
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
    TWICE.bonuses(position).map(|sum| sum.blend(phase_of(position), MAX_PHASE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{EvalConfig, Knowledge};

    #[test]
    fn default_percentages_change_no_weight_and_others_only_attack_terms() {
        assert!(AttackWeights::new([100; 2]).0[0] == Terms::filled(Tapered::ZERO));
        let changed = &AttackWeights::new([150, 100]).0[0];
        let names =
            changed.groups().into_iter().filter(|(_, group)| group.iter().any(|&weight| weight != Tapered::ZERO));
        assert_eq!(names.map(|(name, _)| name).collect::<Vec<_>>(), ATTACK_GROUPS.map(|(name, _)| name));
        for row in [changed.king_danger[0], changed.crossed_pawns[0]] {
            assert_eq!(row, [Tapered::ZERO; 3], "no attacker is no attack");
        }
    }

    #[test]
    fn the_attack_of_each_side_is_what_a_style_adds_for_it() {
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
