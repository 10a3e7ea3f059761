//! Chases (捉): threats to win a piece, made again and again.
//!
//! Under [`super::RuleSet::Computer`] a threat is a legal capture that the attacking side could make if it were to
//! move, of a victim that is unprotected or worth more. Protection is tested by making the capture, so pinned and
//! discovered protectors count as what they can really do.
//!
//! Under [`super::RuleSet::League`] the test of the UCCI league manager, whose source is that of ElephantEye, is
//! reproduced exactly: only the piece that has just moved is an attacker, and a victim is protected when any piece of
//! its side could capture on its square as the board is.

use crate::position::Position;
use crate::tables::{geometry, lines};
use crate::types::{Move, MoveList, Piece, PieceKind, Square, SquareSet};

/// Returns the threats of the side that has just moved, as captures of victims accepted by `is_relevant`, that did not
/// exist before its last move. Only the victim matters: a second attacker of a piece is nothing new. The position is
/// used as scratch and restored.
pub(super) fn new_threats(position: &mut Position, is_relevant: impl Fn(Square) -> bool) -> MoveList {
    let mv = position.history().last().expect("a move was made").mv;
    position.make_null(&mut ());
    let mut threats = threats(position, is_relevant);
    position.unmake();
    if !threats.is_empty() {
        let victims: SquareSet = threats.iter().map(|threat| threat.to()).collect();
        position.unmake();
        let earlier = self::threats(position, |square| victims.contains(square));
        position.make(mv);
        threats.retain(|threat| earlier.iter().all(|other| other.to() != threat.to()));
    }
    threats
}

fn threats(position: &mut Position, is_relevant: impl Fn(Square) -> bool) -> MoveList {
    let mut captures = MoveList::new();
    position.captures(&mut captures);
    captures.retain(|mv| is_relevant(mv.to()) && is_threat(position, *mv));
    captures
}

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

fn is_protected(position: &mut Position, capture: Move) -> bool {
    position.make(capture);
    let target = capture.to();
    let is_protected =
        position.attackers(target, position.side()).any(|protector| position.is_legal(Move::new(protector, target)));
    position.unmake();
    is_protected
}

/// Tells whether the victim could legally capture its attacker: two pieces of a kind offer an exchange.
fn can_recapture(position: &mut Position, capture: Move) -> bool {
    position.make_null(&mut ());
    let can = position.can_play(Move::new(capture.to(), capture.from()));
    position.unmake();
    can
}

/// Returns the square of the piece that the last move chases, if any. Of several, the first in the manager's order.
pub(super) fn chased_by_last_move(position: &Position) -> Option<Square> {
    let mv = position.history().last().expect("a move was made").mv;
    let from = mv.to();
    let attacker = position.piece_on(from)?;
    let along_file = mv.from().file() == mv.to().file();
    let attacked: Vec<Square> = match attacker.kind() {
        PieceKind::Horse => {
            let mut targets: Vec<Square> = geometry::horse(from)
                .iter()
                .filter(|step| position.piece_on(step.over).is_none())
                .map(|step| step.square)
                .collect();
            // From the top rank down, and along a rank from file a.
            targets.sort_by_key(|square| (std::cmp::Reverse(square.rank()), square.file()));
            targets
        }
        kind @ (PieceKind::Rook | PieceKind::Cannon) => {
            // Only across the direction of the move: targets along it were attacked before.
            let targets = if along_file {
                lines::along_rank(from.file(), position.rank_occupancy(from))
            } else {
                lines::along_file(from.rank(), position.file_occupancy(from))
            };
            let mask = if kind == PieceKind::Rook { targets.rook } else { targets.cannon };
            let square = |index| if along_file { from.with_file(index) } else { from.with_rank(index) };
            let mut targets: Vec<Square> = lines::bits(mask).map(square).collect();
            if along_file {
                // The right one first.
                targets.reverse();
            }
            targets
        }
        _ => return None,
    };
    attacked
        .into_iter()
        .find(|&square| position.piece_on(square).is_some_and(|victim| is_chased(position, attacker, victim, square)))
}

fn is_chased(position: &Position, attacker: Piece, victim: Piece, square: Square) -> bool {
    use PieceKind::*;
    let is_unprotected = || !position.is_attacked(square, victim.side());
    victim.side() != attacker.side()
        && match (attacker.kind(), victim.kind()) {
            (Horse | Cannon, Rook) => true,
            (Horse | Rook, Cannon) | (Rook | Cannon, Horse) => is_unprotected(),
            (_, Pawn) => geometry::has_crossed(victim.side(), square) && is_unprotected(),
            _ => false,
        }
}
