//! Scale factor of endings that the side ahead cannot win, or only with difficulty.
//!
//! The rules are known results of endings (Huang, Lin & Ren, 2007, call such knowledge "fixed forces"). They shrink the
//! evaluation towards a draw and never change its sign.

use crate::position::Position;
use crate::types::{Piece, PieceKind, Side, Value};

/// Scale factor that leaves a value as it is.
pub const MAX_SCALE: Value = 128;

/// Scale factor of an advantage that may win but is not known to.
const DOUBTFUL: Value = 48;
/// Scale factor of an advantage that wins only after a mistake.
const DRAWN: Value = 16;

/// Returns the scale factor for `side` if it is ahead, 0 to [`MAX_SCALE`].
#[inline]
pub fn scale_factor(position: &Position, side: Side) -> Value {
    let attackers = position.major_count(side) + position.count(Piece::new(side, PieceKind::Pawn));
    if attackers > 2 { MAX_SCALE } else { few_attackers(position, side) }
}

/// Known results with at most two attackers (rooks, horses, cannons and pawns).
#[cold]
fn few_attackers(position: &Position, side: Side) -> Value {
    let own = |kind| position.count(Piece::new(side, kind));
    let enemy = |kind| position.count(Piece::new(!side, kind));
    let (rooks, horses) = (own(PieceKind::Rook), own(PieceKind::Horse));
    let (cannons, pawns) = (own(PieceKind::Cannon), own(PieceKind::Pawn));
    let (advisors, elephants) = (enemy(PieceKind::Advisor), enemy(PieceKind::Elephant));
    let guards = advisors + elephants;
    match (rooks, horses, cannons, pawns) {
        // Guards alone never reach the enemy king.
        (0, 0, 0, 0) => DRAWN,
        // A rook wins against a king without full guard, and against no rook. Horse or cannon beside two guards hold.
        (1, 0, 0, 0) if guards >= 4 || enemy(PieceKind::Rook) > 0 => DRAWN,
        (1, 0, 0, 0) if position.major_count(!side) > 0 && guards >= 2 => DOUBTFUL,
        // A horse beats a single advisor.
        (0, 1, 0, 0) if guards >= 2 || position.major_count(!side) > 0 => DRAWN,
        (0, 1, 0, 0) if elephants == 1 => DOUBTFUL,
        // A cannon has no screen without an advisor of its own, and beats advisors but hardly elephants.
        (0, 0, 1, 0) if own(PieceKind::Advisor) == 0 || position.major_count(!side) > 0 => DRAWN,
        (0, 0, 1, 0) if elephants > 0 => DRAWN,
        // A pawn beats a bare king unless it has gone too far.
        (0, 0, 0, 1) if guards + position.major_count(!side) > 0 => DRAWN,
        // Two pawns beat two guards; two cannons or a cannon with a pawn have a hard time against all four.
        (0, 0, 0, 2) if guards >= 3 || position.major_count(!side) > 0 => DOUBTFUL,
        (0, 0, 2, 0) | (0, 0, 1, 1) if guards >= 4 => DOUBTFUL,
        _ => MAX_SCALE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results that every primer on endings (实用残局) teaches: a rook beats all but full guard, a horse one advisor, a
    /// cannon with an advisor two of them, a horse and a high pawn even full guard.
    #[test]
    fn known_endings_have_their_scale_factor() {
        let cases = [
            ("2bak1b2/4a4/9/9/9/9/9/9/9/R3K4 w", DRAWN, "a rook against full guard"),
            ("2bak4/4a4/9/9/9/9/9/9/9/R3K4 w", MAX_SCALE, "a rook against three guards"),
            ("3ak4/9/9/9/9/9/9/9/9/N2K5 w", MAX_SCALE, "a horse against an advisor"),
            ("3aka3/9/9/9/9/9/9/9/9/N2K5 w", DRAWN, "a horse against two advisors"),
            ("3aka3/9/9/9/9/9/9/9/9/C2K1A3 w", MAX_SCALE, "a cannon and an advisor against two advisors"),
            ("3aka3/9/9/9/9/9/9/9/9/C2K5 w", DRAWN, "a cannon without an advisor"),
            ("4k4/9/9/4P4/9/9/9/9/9/4K4 w", MAX_SCALE, "a pawn against a bare king"),
            ("3ak4/9/9/4P4/9/9/9/9/9/4K4 w", DRAWN, "a pawn against an advisor"),
            ("3k1a3/9/9/9/9/9/9/9/9/2BAKAB2 w", DRAWN, "guards against guards"),
            ("2bakab2/9/9/9/9/9/9/9/9/RN1K5 w", MAX_SCALE, "a rook and a horse against full guard"),
            ("2bakab2/9/9/9/9/9/9/9/9/CC1K5 w", DOUBTFUL, "two cannons against full guard"),
            ("2baka3/9/9/9/9/9/9/9/9/CC1K5 w", MAX_SCALE, "two cannons against three guards"),
            ("2bakab2/9/9/3P5/9/9/9/9/9/C2K5 w", DOUBTFUL, "a cannon and a pawn against full guard"),
            ("2bakab2/9/9/3P5/9/9/9/9/9/N2K5 w", MAX_SCALE, "a horse and a pawn against full guard"),
            ("2baka3/9/9/1P1P5/9/9/9/9/9/3K5 w", DOUBTFUL, "two pawns against three guards"),
            ("3aka3/9/9/1P1P5/9/9/9/9/9/3K5 w", MAX_SCALE, "two pawns against two guards"),
            ("2bak4/9/9/9/9/9/9/9/9/C2A1K3 w", DRAWN, "a cannon against an elephant"),
            ("2b1k4/9/9/9/9/9/9/9/9/N2K5 w", DOUBTFUL, "a horse against an elephant"),
            ("2bak1n2/9/9/9/9/9/9/9/9/R2K5 w", DOUBTFUL, "a rook against a horse and two guards"),
            ("3ak1r2/9/9/9/9/9/9/9/9/R2K5 w", DRAWN, "a rook against a rook"),
            ("2bakab2/9/9/1P1P5/9/9/9/9/9/N2K5 w", MAX_SCALE, "three attackers"),
        ];
        for (fen, expected, name) in cases {
            let position = Position::parse_fen(fen, crate::position::Strictness::Lax).unwrap().position;
            assert_eq!(scale_factor(&position, Side::Red), expected, "{name}");
            assert_eq!(scale_factor(&position.colour_flipped(), Side::Black), expected, "{name}, colours exchanged");
        }
    }

    #[test]
    fn a_rook_against_full_guard_is_worth_less_than_against_three_guards() {
        let value = |fen| crate::eval::handcrafted::evaluate(&Position::from_fen(fen).unwrap());
        let full = value("2bak1b2/4a4/9/9/9/9/9/9/9/R3K4 w");
        let three = value("2bak4/4a4/9/9/9/9/9/9/9/R3K4 w");
        assert!(0 < full && full < three / 2, "{full} {three}");
    }
}
