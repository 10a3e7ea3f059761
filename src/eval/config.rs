//! Opinions that differ from the evaluation: those of an engine that knows less, and those of one to whom an attack is
//! worth more or less than it is.

use std::sync::Arc;

use super::terms::{Tally, Terms};
use super::weights::WEIGHTS;
use super::{Imbalance, MAX_PHASE, PsqtScore, Tapered, apply_scale, bounded, count_terms, evaluate_with};
use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};

/// How much of the evaluation is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Knowledge {
    /// What men are worth, by themselves and beside others, nothing else.
    None,
    /// Where they stand, too.
    Small,
    /// Everything that the hand-made evaluation counts.
    Medium,
    /// What the network has learned.
    #[default]
    Large,
}

impl Knowledge {
    /// Names and levels, in rising order.
    pub const NAMED: [(&'static str, Knowledge); 4] = [
        ("none", Knowledge::None),
        ("small", Knowledge::Small),
        ("medium", Knowledge::Medium),
        ("large", Knowledge::Large),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Knowledge::NAMED[self as usize].0
    }

    /// The level of that name.
    ///
    /// ```
    /// use chuhe::eval::Knowledge;
    /// assert!(Knowledge::NAMED.iter().all(|&(name, level)| Knowledge::from_name(name) == Some(level) && level.name() == name));
    /// ```
    pub fn from_name(name: &str) -> Option<Knowledge> {
        Knowledge::NAMED.iter().find(|(other, _)| *other == name).map(|&(_, level)| level)
    }
}

/// The groups of terms that say what a side has against the enemy king.
pub const ATTACK: [&str; 14] = [
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

/// The groups among them that are counted for a side without any attacker too; what one is worth is what it adds to
/// that.
const COUNTED_FROM_NONE: [&str; 2] = ["crossed_pawns", "king_danger"];
/// The numbers in a row of those groups: one for each number of enemy advisors.
const ROW: usize = 3;

/// What an attack counts for those to whom it counts what it is worth, in percent.
const USUAL: [Value; 2] = [100; 2];

/// An opinion of positions.
#[derive(Clone, Debug)]
pub struct EvalConfig {
    knowledge: Knowledge,
    attack: [Value; 2],
    /// The weights of what does not follow the moves man by man, where that is known and weighed in another way than
    /// usually.
    weights: Option<Arc<Weights>>,
}

/// Weights for Red and for Black.
#[derive(Debug)]
struct Weights {
    whole: [Terms<Tapered>; 2],
    /// What they are more than the usual ones.
    more: [Terms<Tapered>; 2],
}

impl Default for EvalConfig {
    fn default() -> EvalConfig {
        EvalConfig::new(Knowledge::default(), USUAL)
    }
}

impl PartialEq for EvalConfig {
    fn eq(&self, other: &EvalConfig) -> bool {
        (self.knowledge, self.attack) == (other.knowledge, other.attack)
    }
}

impl EvalConfig {
    /// The opinion of someone who knows so much, and to whom Red's and Black's attacks count so many percent of what
    /// they are worth by the groups of [`ATTACK`]. Without the knowledge of attacks their percentages do not matter.
    ///
    /// ```
    /// use chuhe::eval::{self, Knowledge, EvalConfig};
    /// use chuhe::position::Position;
    /// // A cannon on the file of the enemy king with nothing between.
    /// let position = Position::from_fen("3akab2/9/9/9/9/9/9/4C4/4A4/RN1K5 w")?;
    /// let value = |red| EvalConfig::new(Knowledge::Medium, [red, 100]).evaluate(&position);
    /// assert!(value(60) < value(100) && value(100) < value(140));
    /// assert_eq!(value(100), eval::evaluate(&position));
    /// # Ok::<(), chuhe::position::FenError>(())
    /// ```
    pub fn new(knowledge: Knowledge, attack: [Value; 2]) -> EvalConfig {
        let attack = match knowledge {
            Knowledge::None | Knowledge::Small => USUAL,
            Knowledge::Medium | Knowledge::Large => attack,
        };
        let weights = (attack != USUAL).then(|| Arc::new(Weights::with(attack)));
        EvalConfig { knowledge, attack, weights }
    }

    /// How much is known.
    #[inline(always)]
    pub fn knowledge(&self) -> Knowledge {
        self.knowledge
    }

    /// Whether it is everybody's opinion: with all knowledge, and no liking for one's own attack or the enemy's.
    #[inline(always)]
    pub fn is_default(&self) -> bool {
        self.knowledge == Knowledge::Large && self.weights.is_none()
    }

    /// Keeps what is found under different opinions apart: 0 for the usual one, another number for each other.
    pub fn key(&self) -> u64 {
        let mix =
            |key: u64, part: u64| (key ^ part).wrapping_add(1).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29);
        let parts = [self.knowledge as u64, self.attack[0] as u64, self.attack[1] as u64];
        if self.is_default() { 0 } else { parts.into_iter().fold(0, mix) }
    }

    /// The value of `position` for the side to move by the hand-made terms that are known; `placement` says where its men
    /// stand.
    pub fn evaluate_with(&self, position: &Position, placement: PsqtScore) -> Value {
        let blended = |score: Tapered| score.blend(bounded(placement.phase), MAX_PHASE);
        let for_red = match (self.knowledge, &self.weights) {
            (Knowledge::None, _) => clamp_evaluation(blended(material(position))),
            (Knowledge::Small, _) => clamp_evaluation(blended(placement.score)),
            (Knowledge::Medium | Knowledge::Large, Some(weights)) => {
                apply_scale(position, blended(placement.score + counted(position, &weights.whole)), Side::Red)
            }
            (Knowledge::Medium | Knowledge::Large, None) => return evaluate_with(position, placement),
        };
        if position.side() == Side::Red { for_red } else { -for_red }
    }

    /// By how much attacks that are liked or disliked change the value of `position` for the side to move.
    pub fn style_bonus(&self, position: &Position) -> Value {
        let Some(weights) = &self.weights else { return 0 };
        let for_red = counted(position, &weights.more).blend(bounded(PsqtScore::phase_of(position)), MAX_PHASE);
        if position.side() == Side::Red { for_red } else { -for_red }
    }

    /// The same as [`EvalConfig::evaluate_with`] with everything counted anew.
    pub fn evaluate(&self, position: &Position) -> Value {
        self.evaluate_with(position, PsqtScore::new(position))
    }
}

impl Weights {
    /// Those of Red's and Black's attacks at so many percent.
    fn with(attack: [Value; 2]) -> Weights {
        let whole = attack.map(weights_with);
        let more = whole.clone().map(|mut weights| {
            for ((_, group), (_, usual)) in weights.groups_mut().into_iter().zip(WEIGHTS.groups()) {
                group.iter_mut().zip(usual).for_each(|(weight, &usual)| *weight -= usual);
            }
            weights
        });
        Weights { whole, more }
    }
}

/// What does not follow the moves man by man, seen from Red, by the weights for Red and for Black.
fn counted(position: &Position, weights: &[Terms<Tapered>; 2]) -> Tapered {
    let mut sum = Weighed { weights, sum: [Tapered::ZERO; 2] };
    count_terms(position, &mut sum);
    sum.sum[0] - sum.sum[1]
}

/// The men of both sides, each by itself and beside the others, seen from Red.
fn material(position: &Position) -> Tapered {
    let mut men = Imbalance::default();
    position.pieces().fold(Tapered::ZERO, |sum, (piece, _)| {
        let alone = WEIGHTS.material[piece.kind().index()];
        sum + men.add(piece) + if piece.side() == Side::Red { alone } else { -alone }
    })
}

/// The weights with those of an attack at so many percent.
fn weights_with(percent: Value) -> Terms<Tapered> {
    let mut weights = WEIGHTS.clone();
    for (name, group) in weights.groups_mut() {
        if !ATTACK.contains(&name) {
            continue;
        }
        let mut nothing = [Tapered::ZERO; ROW];
        if COUNTED_FROM_NONE.contains(&name) {
            nothing.copy_from_slice(&group[..ROW]);
        }
        for (weight, nothing) in group.iter_mut().zip(nothing.iter().cycle()) {
            let scaled = |value: Value, nothing: Value| nothing + (value - nothing) * percent / 100;
            *weight = Tapered::new(scaled(weight.opening, nothing.opening), scaled(weight.ending, nothing.ending));
        }
    }
    weights
}

/// Adds up weights that differ by side.
struct Weighed<'a> {
    weights: &'a [Terms<Tapered>; 2],
    sum: [Tapered; 2],
}

impl Tally for Weighed<'_> {
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
    fn the_groups_of_an_attack_are_groups_of_terms() {
        let groups = WEIGHTS.groups();
        for name in ATTACK {
            let (_, group) = groups.iter().find(|(other, _)| *other == name).expect(name);
            assert!(!COUNTED_FROM_NONE.contains(&name) || group.len() % ROW == 0, "{name}");
        }
        assert!(COUNTED_FROM_NONE.iter().all(|name| ATTACK.contains(name)));
        assert_eq!((WEIGHTS.crossed_pawns[0].len(), WEIGHTS.king_danger[0].len()), (ROW, ROW));
    }

    #[test]
    fn usual_percentages_leave_every_weight_as_it_is_and_others_only_those_of_an_attack() {
        assert!(weights_with(100) == WEIGHTS);
        let changed = weights_with(150);
        for ((name, usual), (_, changed)) in WEIGHTS.groups().iter().zip(changed.groups()) {
            assert_eq!(*usual != changed, ATTACK.contains(name), "{name}");
        }
        assert_eq!(changed.king_danger[0], WEIGHTS.king_danger[0], "no attacker is no attack");
    }

    #[test]
    fn every_opinion_has_a_key_of_its_own() {
        let mut keys = vec![EvalConfig::default().key()];
        assert_eq!(keys, [0]);
        keys.extend(
            [Knowledge::None, Knowledge::Small, Knowledge::Medium].map(|level| EvalConfig::new(level, USUAL).key()),
        );
        for red in (40..=160).step_by(10) {
            for black in (40..=160).step_by(10).filter(|&black| (red, black) != (100, 100)) {
                keys.extend(
                    [Knowledge::Medium, Knowledge::Large].map(|level| EvalConfig::new(level, [red, black]).key()),
                );
            }
        }
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn each_level_knows_what_it_says() {
        let value = |level, fen: &str| EvalConfig::new(level, USUAL).evaluate(&Position::from_fen(fen).unwrap());
        // A rook in a corner or in the middle.
        let (home, middle) = ("4k4/9/9/9/9/9/9/9/9/R2K5 w", "4k4/9/9/9/9/2R6/9/9/9/3K5 w");
        assert_eq!(value(Knowledge::None, home), value(Knowledge::None, middle));
        assert!(value(Knowledge::Small, home) < value(Knowledge::Small, middle));
        let (free, shut) = ("3ak4/9/9/9/9/9/9/9/4A4/R2K5 w", "3ak4/9/9/9/9/9/P8/9/4A4/R2K5 w");
        let without_pawn = |level| value(level, shut) - value(level, free);
        assert!(without_pawn(Knowledge::Small) > without_pawn(Knowledge::Medium), "a rook without moves");
        // A cannon on the file of the enemy king with nothing between counts more to those who like to attack.
        let aimed = Position::from_fen("3akab2/9/9/9/9/9/9/4C4/4A4/RN1K5 w").unwrap();
        let (liked, usual) = (EvalConfig::new(Knowledge::Large, [150, 100]), EvalConfig::new(Knowledge::Large, USUAL));
        assert!(liked.style_bonus(&aimed) > 10);
        assert_eq!(usual.style_bonus(&aimed), 0);
        let by_hand = |attack| EvalConfig::new(Knowledge::Medium, attack).evaluate(&aimed);
        assert!((by_hand([150, 100]) - by_hand(USUAL) - liked.style_bonus(&aimed)).abs() <= 1, "rounded once or twice");
    }
}
