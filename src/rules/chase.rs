//! Chases (捉) under [`super::RuleSet::Computer`]: new threats to win a piece.
//!
//! A threat is a capture that the attacking side could make if it were to move. The capture must be legal, and the
//! victim must be unprotected or worth more than the attacker. Protection is tested by making the capture, so pinned
//! and discovered protectors count as what they can really do.

use crate::position::Position;
use crate::tables::geometry;
use crate::types::{Move, MoveList, PieceKind, Square, SquareSet};

/// Threat of one piece to win another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Threat {
    /// Square of the attacker.
    pub attacker: Square,
    /// Square of the victim.
    pub victim: Square,
}

/// Returns the threats of the side that has just moved, against victims accepted by `is_relevant`, that did not exist
/// before its last move.
///
/// Only the victim matters: a second attacker of a piece that was already threatened is nothing new. The position is
/// used as scratch and restored.
///
/// # Panics
/// When the position has no history.
pub(super) fn new_threats(position: &mut Position, is_relevant: impl Fn(Square) -> bool) -> Vec<Threat> {
    let mv = position.history().last().expect("a move was made").mv;
    position.make_null(&mut ());
    let mut threats = threats(position, is_relevant);
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

/// Returns the threats of the side to move against relevant victims.
fn threats(position: &mut Position, is_relevant: impl Fn(Square) -> bool) -> Vec<Threat> {
    let mut captures = MoveList::new();
    position.captures(&mut captures);
    captures.retain(|mv| is_relevant(mv.to()));
    if captures.is_empty() {
        return Vec::new();
    }
    captures.retain(|mv| is_threat(position, *mv));
    captures.into_iter().map(|mv| Threat { attacker: mv.from(), victim: mv.to() }).collect()
}

/// Tells whether this pseudo-legal capture of the side to move is a threat.
fn is_threat(position: &mut Position, capture: Move) -> bool {
    let (Some(attacker), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) else {
        return false;
    };
    let is_possible = match (attacker.kind(), victim.kind()) {
        (PieceKind::King | PieceKind::Pawn, _) | (_, PieceKind::King) => false,
        // A pawn on its own half may be attacked.
        (_, PieceKind::Pawn) => geometry::has_crossed(victim.side(), capture.to()),
        _ => true,
    };
    // The test of legality also excludes threats of pinned pieces, except against the pinning piece.
    is_possible
        && position.is_legal(capture)
        && (is_worth_more(attacker.kind(), victim.kind())
            || (!is_protected(position, capture)
                && (attacker.kind() != victim.kind() || !can_recapture(position, capture))))
}

/// Tells whether winning the victim pays even when the attacker is recaptured.
fn is_worth_more(attacker: PieceKind, victim: PieceKind) -> bool {
    use PieceKind::*;
    match attacker {
        Horse | Cannon => victim == Rook,
        Advisor | Elephant => matches!(victim, Rook | Horse | Cannon),
        _ => false,
    }
}

/// Tells whether the capturing piece could legally be recaptured.
fn is_protected(position: &mut Position, capture: Move) -> bool {
    position.make(capture);
    let target = capture.to();
    let is_protected =
        position.attackers(target, position.side()).any(|protector| position.is_legal(Move::new(protector, target)));
    position.unmake();
    is_protected
}

/// Tells whether the victim could legally capture its attacker if it were to move: two pieces of a kind offer an
/// exchange.
fn can_recapture(position: &mut Position, capture: Move) -> bool {
    position.make_null(&mut ());
    let can = position.can_play(Move::new(capture.to(), capture.from()));
    position.unmake();
    can
}
