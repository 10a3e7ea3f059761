//! Chases (捉): threats to win a man that a move makes anew, as [`super::RuleSet::Computer`] sees them.
//!
//! A threat is looked at on a still board as if the attacking side were to move. Whether it is one depends on what the
//! capture would come to: it must be legal, and the victim must be unprotected (protection is tried out after the
//! capture, so that pinned and unmasked protectors are judged by what they can really do), or worth more than the
//! attacker whatever the protection.

use crate::position::Position;
use crate::tables::geometry;
use crate::types::{Move, MoveList, PieceKind, Square, SquareSet};

/// One man threatens to win another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Threat {
    /// Where the attacker stands.
    pub attacker: Square,
    /// Where the victim stands.
    pub victim: Square,
}

/// The threats of the side that has just moved, on victims `of_interest`, that were none before its last move.
///
/// What counts is the victim: a second attacker of a man that was already threatened is nothing new. The position is
/// used as scratch and left as it was.
///
/// # Panics
/// When the position has no history.
pub(super) fn fresh_threats(position: &mut Position, of_interest: impl Fn(Square) -> bool) -> Vec<Threat> {
    let mv = position.history().last().expect("a move was made").mv;
    position.make_null(&mut ());
    let mut threats = threats(position, of_interest);
    position.unmake();
    if !threats.is_empty() {
        let victims: SquareSet = threats.iter().map(|threat| threat.victim).collect();
        position.unmake();
        let earlier: SquareSet =
            self::threats(position, |square| victims.contains(square)).iter().map(|threat| threat.victim).collect();
        position.make(mv);
        threats.retain(|threat| !earlier.contains(threat.victim));
    }
    threats
}

/// What the side to move threatens among the men `of_interest`.
fn threats(position: &mut Position, of_interest: impl Fn(Square) -> bool) -> Vec<Threat> {
    let mut captures = MoveList::new();
    position.captures(&mut captures);
    captures.retain(|mv| of_interest(mv.to()));
    if captures.is_empty() {
        return Vec::new();
    }
    captures.retain(|mv| is_threat(position, *mv));
    captures.into_iter().map(|mv| Threat { attacker: mv.from(), victim: mv.to() }).collect()
}

/// Whether the side to move threatens to win a man by this pseudo-legal capture.
fn is_threat(position: &mut Position, capture: Move) -> bool {
    let (Some(attacker), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) else {
        return false;
    };
    let may_be = match (attacker.kind(), victim.kind()) {
        (PieceKind::King | PieceKind::Pawn, _) | (_, PieceKind::King) => false,
        // A pawn at home is fair game.
        (_, PieceKind::Pawn) => geometry::has_crossed(victim.side(), capture.to()),
        _ => true,
    };
    // Legality also sees to it that a man which shields its king threatens at most those it shields from.
    may_be
        && position.is_legal(capture)
        && (is_worth_its_attacker(attacker.kind(), victim.kind())
            || (!is_protected(position, capture)
                && (attacker.kind() != victim.kind() || !can_take_back(position, capture))))
}

/// Whether winning the victim pays even when the attacker is taken in return.
fn is_worth_its_attacker(attacker: PieceKind, victim: PieceKind) -> bool {
    use PieceKind::*;
    match attacker {
        Horse | Cannon => victim == Rook,
        Advisor | Elephant => matches!(victim, Rook | Horse | Cannon),
        _ => false,
    }
}

/// Whether the capturing man could legally be taken in return.
fn is_protected(position: &mut Position, capture: Move) -> bool {
    position.make(capture);
    let target = capture.to();
    let is_protected =
        position.attackers(target, position.side()).any(|protector| position.is_legal(Move::new(protector, target)));
    position.unmake();
    is_protected
}

/// Whether the victim, were it to move, could legally take its attacker: then two men of a kind offer an exchange.
fn can_take_back(position: &mut Position, capture: Move) -> bool {
    position.make_null(&mut ());
    let can = position.can_play(Move::new(capture.to(), capture.from()));
    position.unmake();
    can
}
