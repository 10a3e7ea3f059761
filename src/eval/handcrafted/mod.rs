//! Hand-made evaluation: a linear, tapered sum of the terms of Xu & Wang (2006) and Huang, Lin & Ren (2007).
//!
//! Every term is a weight times a count; all weights are in `weights.rs`, fitted to games by `chuhe tune`. The sum is
//! multiplied by [`scale_factor`] where the few remaining pieces decide.

mod activity;
pub mod classic;
mod terms;
mod weights;

pub use terms::{PSQT_SIZE, TERMS, Tapered, Terms};
pub use weights::WEIGHTS;

use std::ops::Add as _;
use std::sync::LazyLock;

use crate::position::Position;
use crate::tables::geometry::relative_rank;
use crate::types::score::clamp_evaluation;
use crate::types::{Piece, PieceKind, Side, Square, Value};
use terms::{Accumulate, WeightedSum, add_term};

/// Returns the value of `position` for its side to move, counted from scratch, in centipawns.
pub fn evaluate(position: &Position) -> Value {
    evaluate_with(position, Tapered::ZERO)
}

pub(super) fn evaluate_with(position: &Position, bonus: Tapered) -> Value {
    let mut sum = WeightedSum::new([&WEIGHTS; 2]);
    count_pieces(position, true, &mut sum);
    count_terms(position, &mut sum);
    let score = sum.difference() + bonus;
    let for_red = apply_scale(position, score.blend(phase_of(position), MAX_PHASE), Side::Red);
    if position.side() == Side::Red { for_red } else { -for_red }
}

/// Returns the value of the pieces for Red, alone and in pairs, and with `by_square` that of their squares.
pub(super) fn value_of_pieces(position: &Position, by_square: bool) -> Value {
    let mut sum = WeightedSum::new([&WEIGHTS; 2]);
    count_pieces(position, by_square, &mut sum);
    Side::BOTH.into_iter().for_each(|side| activity::count_pairs(position, side, &mut sum));
    sum.difference().blend(phase_of(position), MAX_PHASE)
}

/// Phase of a position with all rooks, horses and cannons.
pub const MAX_PHASE: Value = 16;

/// Returns the game phase, 0 to [`MAX_PHASE`]: surplus pieces of composed problems do not lead beyond the opening.
pub(super) fn phase_of(position: &Position) -> Value {
    let of_kind = |side, (kind, weight)| weight * position.count(Piece::new(side, kind)) as Value;
    let of_side =
        |side| [(PieceKind::Rook, 2), (PieceKind::Horse, 1), (PieceKind::Cannon, 1)].map(|kind| of_kind(side, kind));
    let phase: Value = Side::BOTH.into_iter().flat_map(of_side).sum();
    phase.min(MAX_PHASE)
}

#[inline(always)]
fn count_pieces<A: Accumulate>(position: &Position, by_square: bool, sum: &mut A) {
    for (piece, square) in position.pieces() {
        let (side, kind) = (piece.side(), piece.kind().index());
        add_term!(sum, side, material[kind]);
        if by_square {
            add_term!(sum, side, psqt[kind * PSQT_SIZE + psqt_index(side, square)]);
        }
    }
}

const fn psqt_index(side: Side, square: Square) -> usize {
    let file = square.file();
    let mirrored = if file > 4 { 8 - file } else { file };
    (relative_rank(side, square) * 5 + mirrored) as usize
}

#[inline(always)]
fn count_terms<A: Accumulate>(position: &Position, sum: &mut A) {
    // Written out for each side: with the side known, sums stay in registers.
    activity::count_side(position, Side::Red, sum);
    activity::count_side(position, Side::Black, sum);
    add_term!(sum, position.side(), tempo[0]);
}

/// Multiplies a value for `side` by the scale factor of the side that is ahead.
#[inline]
pub(super) fn apply_scale(position: &Position, value: Value, side: Side) -> Value {
    let ahead = if value > 0 { side } else { !side };
    clamp_evaluation(value * scale_factor(position, ahead) / NORMAL_SCALE)
}

/// Scale factor that leaves a value as it is.
pub const NORMAL_SCALE: Value = 64;
/// Scale factor of an advantage that almost always wins.
pub const MAX_SCALE: Value = 192;
/// Scale factor of an advantage that rarely wins.
const DOUBTFUL: Value = 24;
/// Scale factor of an advantage that wins only after a mistake.
const DRAWN: Value = 8;

/// Returns the scale factor for `side` if it is ahead: [`NORMAL_SCALE`] where nothing is known, more in endings that
/// it almost always wins, up to [`MAX_SCALE`], less in those that it can hardly win (Huang, Lin & Ren, 2007: "fixed
/// forces").
#[inline]
pub fn scale_factor(position: &Position, side: Side) -> Value {
    let attackers = position.major_count(side) + position.count(Piece::new(side, PieceKind::Pawn));
    // Two of four may be pawns on the last rank.
    if attackers > 4 { NORMAL_SCALE } else { few_attackers(position, side) }
}

/// Scale factor with at most two attackers (rooks, horses, cannons, and pawns short of the last rank), by the share of
/// positions that tables of these endings give as won: `+` over 90 %, `?` less than 35 %, `-` less than 8 %, and `=`
/// the rest or unknown. Where tables would be too large, shares follow from those with fewer guards.
#[cold]
fn few_attackers(position: &Position, side: Side) -> Value {
    use PieceKind::*;
    let count = |side, kind| position.count(Piece::new(side, kind));
    let attackers = |side, low_rank| {
        let pawns = position.squares(Piece::new(side, Pawn)).iter();
        let low = pawns.filter(|&&square| relative_rank(side, square) >= low_rank).count();
        ([Rook, Horse, Cannon, Pawn].iter().fold(0, |digits, &kind| digits << 3 | count(side, kind)) - low, low)
    };
    // A pawn on the last rank hardly attacks, and one on the ranks of the palace hardly defends.
    let (own, last) = attackers(side, 9);
    if position.major_count(side) + count(side, Pawn) - last > 2 {
        return NORMAL_SCALE;
    }
    let (enemy, low) = attackers(!side, 7);
    let guards = 3 * count(!side, Advisor) + count(!side, Elephant);
    // A cannon needs screens of its own.
    let advisors = count(side, Advisor);
    // Octal digits: rooks, horses, cannons, pawns. Then by the enemy's advisors, and for each number by elephants.
    let results: &[u8; 9] = match (own, enemy) {
        (0, _) => b"---------",
        // Full guard that is set up well holds, though tables have few such positions.
        (0o1000, 0..=2 | 0o100) => b"++++++++?",
        (0o1000, 0o010) => b"++=++?=?-",
        // Most wins take an unprotected piece.
        (0o1000, 0o200 | 0o020) => b"?????????",
        (0o1000, 0o1000..) if last == 0 => b"---------",
        (0o0100, 0) if last + low == 0 => b"+?-+-----",
        (0o0100, 0) if low == 0 => b"++?++-+?-",
        (0o0100, 0 | 1) if last == 0 && enemy + low < 2 => b"?--------",
        (0o0010, 0) if advisors == 1 && low == 1 => b"==-=?-=--",
        (0o0010, 0) if advisors > 0 && low < 2 => b"++-+?-+--",
        (0o0010, 1) if advisors > 1 && low == 0 => b"++-?-----",
        (0o0010, 1) if advisors > 0 && low == 0 => b"=--------",
        (0o0010, 0..0o010 | 0o100..0o110) if advisors > 0 => b"?--------",
        (0o0001, 0) if last + low == 0 => b"+--------",
        (0o0001, 0) if low == 0 => b"+?-=--=--",
        (0o0100, _) if last == 0 => b"---------",
        (0o0100, _) => b"?========",
        (0o0010 | 0o0001, _) | (0o0002, 0o1000..) => b"---------",
        (0o0200 | 0o0110 | 0o0020, 0o1000) => b"?????????",
        (0o0200 | 0o0110, 0) => b"+++++++++",
        (0o0200, 0o100 | 0o010 | 1) => b"+========",
        (0o0101, 0) => b"+++++=+==",
        (0o0020, 0) if advisors > 0 => b"++++++++=",
        (0o0020, 0) => b"++?++?++?",
        (0o0011, 0) if advisors > 0 => b"+++++=+==",
        (0o0011, 0) if count(side, Elephant) == 0 => b"+=-+=-=?-",
        (0o0011, 1) if advisors + count(side, Elephant) == 0 => b"?--------",
        (0o0011, 0o010) => b"??-??-?--",
        (0o0002, 0) if low == 0 => b"++=+?-+--",
        (0o0002, 0o010) => b"=??---?--",
        (0o0002, 0o100) => b"??-?-----",
        _ => return NORMAL_SCALE,
    };
    match results.get(guards) {
        Some(b'+') => MAX_SCALE,
        Some(b'?') => DOUBTFUL,
        Some(b'-') => DRAWN,
        _ => NORMAL_SCALE,
    }
}

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

/// Returns the values of both sides' attacks in centipawns: the terms of [`ATTACK_GROUPS`], as far as styles scale
/// them.
pub fn attack_values(position: &Position) -> [Value; 2] {
    static TWICE: LazyLock<AttackWeights> = LazyLock::new(|| AttackWeights::new([200; 2]));
    TWICE.bonuses(position).map(|sum| sum.blend(phase_of(position), MAX_PHASE))
}

/// Counts of all terms in one position. The share of a term in the evaluation for Red is `weight × (counts[Red] −
/// counts[Black])`, blended by `phase`; the sum is multiplied by the scale factor of the side that is ahead.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Count of each term, for Red and for Black.
    pub counts: [Box<Terms<Value>>; 2],
    /// Game phase: 0 (ending) to [`MAX_PHASE`] (opening).
    pub phase: Value,
    /// Scale factor of an advantage of Red and of Black: up to [`MAX_SCALE`].
    pub scale_factors: [Value; 2],
}

impl Accumulate for Trace {
    fn add(
        &mut self,
        side: Side,
        times: Value,
        _: impl FnOnce(&Terms<Tapered>) -> Tapered,
        count: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    ) {
        *count(&mut self.counts[side.index()]) += times;
    }
}

impl Trace {
    /// Counts the terms of `position`.
    pub fn new(position: &Position) -> Trace {
        let mut trace = Trace {
            counts: [(); 2].map(|()| Box::new(Terms::filled(0))),
            phase: phase_of(position),
            scale_factors: Side::BOTH.map(|side| scale_factor(position, side)),
        };
        count_pieces(position, true, &mut trace);
        count_terms(position, &mut trace);
        trace
    }

    /// Returns each group of terms with its value for Red and for Black in centipawns, not yet blended.
    pub fn groups(&self) -> Vec<(&'static str, [Tapered; 2])> {
        let value = |weights: &[Tapered], counts: &[Value]| {
            let products = weights.iter().zip(counts).map(|(&weight, &count)| weight * count);
            products.fold(Tapered::ZERO, Tapered::add)
        };
        let [red, black] = self.counts.each_ref().map(|counts| counts.groups());
        let rows = WEIGHTS.groups().into_iter().zip(red.into_iter().zip(black));
        rows.map(|((name, weights), (red, black))| (name, [value(weights, red.1), value(weights, black.1)])).collect()
    }
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
        for terms in [&changed.king_danger[..3], &changed.crossed_pawns[..3]] {
            assert_eq!(terms, [Tapered::ZERO; 3], "no attacker is no attack");
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
