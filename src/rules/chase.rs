//! Chases (捉): threats to win a piece, made again and again.
//!
//! Under [`super::RuleSet::Computer`] a threat is a legal capture that the attacking side could make if it were to
//! move, of a victim that is unprotected or worth more. Protection is tested by making the capture, so pinned and
//! discovered protectors count as what they can really do.
//!
//! Under [`super::RuleSet::League`] the test of the UCCI league manager, whose source is that of ElephantEye, is
//! reproduced exactly: only the piece that has just moved is an attacker, and a victim is protected when any piece of
//! its side could capture on its square as the board is.
//!
//! Under [`super::RuleSet::Axf`] the verdicts are those of Fairy-Stockfish. A threat is new when the attacker did not
//! attack that victim before the move, when it has itself moved, unless as a rook or cannon straight towards the victim,
//! or when the move pins a protector of the victim. The attacker may be pinned. A victim is protected when a piece of
//! its side that is not pinned aims at it, also through the attacker. The only piece of a side on the file of both kings
//! counts as pinned, and a pinned victim offers no exchange. A piece that the move makes a shield of the other king, so
//! that moving it would discover a check, threatens all that it attacks unless the king protects it.

use std::cmp::Reverse;

use crate::position::Position;
use crate::tables::geometry;
use crate::tables::lines::Line;
use crate::types::{Move, MoveList, Piece, PieceKind, Side, Square, SquareSet};

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
    let recaptures = |position: &Position, protector| position.is_legal(Move::new(protector, capture.to()));
    // The test of legality also excludes threats of pinned pieces, except against the pinning piece.
    may_be_forbidden(attacker, victim, capture.to())
        && position.is_legal(capture)
        && (is_worth_more(attacker.kind(), victim.kind())
            || (!is_protected(position, capture, recaptures)
                && (attacker.kind() != victim.kind() || !can_recapture(position, capture))))
}

/// Tells whether a perpetual attack may be forbidden: kings and pawns may attack, and a pawn at home may be attacked.
fn may_be_forbidden(attacker: Piece, victim: Piece, square: Square) -> bool {
    match (attacker.kind(), victim.kind()) {
        (PieceKind::King | PieceKind::Pawn, _) | (_, PieceKind::King) => false,
        (_, PieceKind::Pawn) => geometry::has_crossed(victim.side(), square),
        _ => true,
    }
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

/// Tells whether a piece of the side of the victim that aims at it after the capture, and so also through the attacker,
/// passes this test.
fn is_protected(position: &mut Position, capture: Move, protects: impl Fn(&Position, Square) -> bool) -> bool {
    position.make(capture);
    let is_protected = position.attackers(capture.to(), position.side()).any(|protector| protects(position, protector));
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

/// Returns the captures by which the last move chases under [`super::RuleSet::Axf`], of victims accepted by
/// `is_relevant`. The position is used as scratch and restored.
pub(super) fn asian_threats(position: &mut Position, is_relevant: impl Fn(Square) -> bool) -> MoveList {
    let mv = position.history().last().expect("a move was made").mv;
    let victims = position.side();
    let view = |position: &Position| {
        let mut captures = MoveList::new();
        position.captures(&mut captures);
        (captures, shields(position, victims))
    };
    position.unmake();
    let (earlier, earlier_shields) = view(position);
    position.make(mv);
    position.make_null(&mut ());
    let (mut captures, shields) = view(position);
    let new_shields = shields - earlier_shields;
    // On the file of both kings the only other piece of a side is taken for pinned.
    let king = SquareSet::from_square(position.king(victims));
    let on_file = SquareSet::from_file(position.king(!victims).file(), 0x3FF) & position.occupied_by(victims);
    let others = on_file - king;
    let pinned = if (on_file.len(), others.len()) == (2, 1) { shields | others } else { shields };
    let direction = |from: Square, to: Square| (to.file().cmp(&from.file()), to.rank().cmp(&from.rank()));
    let step = direction(mv.from(), mv.to());
    captures.retain(|capture| {
        let (from, to) = (capture.from(), capture.to());
        // What a rook or cannon sees in the direction of its move it attacked before.
        let is_ahead = || (step.0.is_eq() || step.1.is_eq()) && direction(from, to) == step;
        let is_new = if from == mv.to() { !is_ahead() } else { !earlier.contains(capture) };
        let is_exposed = || position.attackers(to, victims).any(|protector| new_shields.contains(protector));
        // Where the move has made it possible to discover a check, only the king protects.
        let escapes = |position: &Position, protector: Square| {
            king.contains(protector) && position.is_legal(Move::new(protector, to))
        };
        is_relevant(to)
            && ((is_new || is_exposed()) && is_asian_threat(position, *capture, pinned)
                || new_shields.contains(from) && !king.contains(to) && !is_protected(position, *capture, escapes))
    });
    position.unmake();
    captures
}

/// Returns the pieces of either side without which a rook, cannon or horse would attack the king of `side`.
fn shields(position: &Position, side: Side) -> SquareSet {
    let king = position.king(side);
    let squares = |kind| position.squares(Piece::new(!side, kind)).iter();
    let lines = [(PieceKind::Rook, 1), (PieceKind::Cannon, 2)].into_iter().flat_map(|(kind, screens)| {
        let line = |&from| Line::new(king, from, position.rank_occupancy(king), position.file_occupancy(king));
        squares(kind).filter_map(line).filter(move |line| line.screens() == screens)
    });
    let legs = squares(PieceKind::Horse).filter_map(|&from| geometry::horse_leg(from, king));
    let occupied = position.occupied_by(side) | position.occupied_by(!side);
    lines.flat_map(|line| line.occupied()).chain(legs).collect::<SquareSet>() & occupied
}

/// Protection is judged without regard to what the recapture would leave open, but for pins and a facing king.
fn is_asian_threat(position: &mut Position, capture: Move, pinned: SquareSet) -> bool {
    let (from, to) = (capture.from(), capture.to());
    let (Some(attacker), Some(victim)) = (position.piece_on(from), position.piece_on(to)) else { return false };
    // A pinned victim offers no exchange, nor does a horse that is blocked on the way to the other.
    let offers_exchange =
        attacker.kind() == victim.kind() && !pinned.contains(to) && position.reaches(victim, to, from, true);
    let protects = |position: &Position, protector: Square| {
        let facing =
            Line::new(to, position.king(attacker.side()), position.rank_occupancy(to), position.file_occupancy(to));
        let faces_king = || facing.is_some_and(|line| line.screens() == 0);
        !pinned.contains(protector) && (protector != position.king(victim.side()) || !faces_king())
    };
    may_be_forbidden(attacker, victim, to)
        && (is_worth_more(attacker.kind(), victim.kind())
            || (!offers_exchange && !is_protected(position, capture, protects)))
}

/// Returns the capture that the piece moved last threatens, if any. Of several, the first in the manager's order.
pub(super) fn threat_of_last_move(position: &Position) -> Option<Move> {
    let mv = position.history().last().expect("a move was made").mv;
    let from = mv.to();
    let attacker = position.piece_on(from)?;
    let may_attack = |to: Square| match attacker.kind() {
        PieceKind::Horse => true,
        // Only across the direction of the move: targets along it were attacked before.
        PieceKind::Rook | PieceKind::Cannon if mv.from().file() == from.file() => to.file() != from.file(),
        PieceKind::Rook | PieceKind::Cannon => to.rank() != from.rank(),
        _ => false,
    };
    let chased = position.occupied_by(position.side()).iter().filter(|&to| {
        let victim = position.piece_on(to);
        may_attack(to)
            && position.reaches(attacker, from, to, true)
            && victim.is_some_and(|victim| is_chased(position, attacker, victim, to))
    });
    // From the top rank down for a horse, and along a rank from file a; the other way for a rook or cannon.
    let order = |square: &Square| (square.rank(), Reverse(square.file()));
    let is_horse = attacker.kind() == PieceKind::Horse;
    let victim = if is_horse { chased.max_by_key(order) } else { chased.min_by_key(order) };
    victim.map(|to| Move::new(from, to))
}

fn is_chased(position: &Position, attacker: Piece, victim: Piece, square: Square) -> bool {
    use PieceKind::*;
    let is_unprotected = || !position.is_attacked(square, victim.side());
    match (attacker.kind(), victim.kind()) {
        (Horse | Cannon, Rook) => true,
        (Horse | Rook, Cannon) | (Rook | Cannon, Horse) => is_unprotected(),
        (_, Pawn) => geometry::has_crossed(victim.side(), square) && is_unprotected(),
        _ => false,
    }
}
