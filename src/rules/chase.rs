//! Chases (捉): threats to win a man that a move makes anew, as [`super::RuleSet::Computer`] sees them.
//!
//! A threat is looked at on a still board as if the attacking side were to move. Whether it is one depends on what the
//! capture would come to: it must be legal, and the victim must be unprotected (protection is tried out after the
//! capture, so that pinned and unmasked protectors are judged by what they can really do), or worth more than the
//! attacker whatever the protection.

use crate::position::Position;
use crate::tables::geometry;
use crate::tables::lines::Sight;
use crate::types::{Move, MoveList, Piece, PieceKind, Square, SquareSet};

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
    let pins = Pins::of(position);
    captures.retain(|mv| is_threat(position, &pins, *mv));
    captures.into_iter().map(|mv| Threat { attacker: mv.from(), victim: mv.to() }).collect()
}

/// Whether the side to move threatens to win a man by this pseudo-legal capture.
fn is_threat(position: &mut Position, pins: &Pins, capture: Move) -> bool {
    let (Some(attacker), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) else {
        return false;
    };
    let may_be = match (attacker.kind(), victim.kind()) {
        (PieceKind::King | PieceKind::Pawn, _) | (_, PieceKind::King) => false,
        // A pawn at home is fair game.
        (_, PieceKind::Pawn) => geometry::has_crossed(victim.side(), capture.to()),
        _ => true,
    };
    may_be
        && pins.permit(capture)
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

/// The men of the side to move that shield their king, and from whom. Such a man threatens only those it shields from.
struct Pins(Vec<Pin>);

struct Pin {
    shield: Square,
    pinner: Square,
}

impl Pins {
    /// Looks along lines and legs to the king of the side to move.
    ///
    /// Rooks, kings and horses pin through one man, where their like that also aim at the king do not count as men;
    /// cannons pin two men between, whatever these are.
    fn of(position: &Position) -> Pins {
        let us = position.side();
        let king = position.king(us);
        let (rank_word, file_word) = (position.rank_word(king), position.file_word(king));
        let sight = |square| Sight::new(king, square, rank_word, file_word);
        let men = |kind| position.squares(Piece::new(!us, kind)).iter().copied();
        let straight = || men(PieceKind::Rook).chain(men(PieceKind::King));

        let aiming: SquareSet = straight()
            .filter(|&square| sight(square).is_some())
            .chain(men(PieceKind::Horse).filter(|&square| geometry::horse_leg(square, king).is_some()))
            .collect();
        let mut pins = Pins(Vec::new());
        for pinner in straight() {
            let between = sight(pinner).into_iter().flat_map(|sight| sight.occupied());
            let mut between = between.filter(|&square| !aiming.contains(square));
            if let (Some(shield), None) = (between.next(), between.next()) {
                pins.add(position, shield, pinner);
            }
        }
        for pinner in men(PieceKind::Horse) {
            if let Some(leg) = geometry::horse_leg(pinner, king) {
                pins.add(position, leg, pinner);
            }
        }
        for pinner in men(PieceKind::Cannon) {
            if let Some(sight) = sight(pinner).filter(|sight| sight.screens() == 2) {
                sight.occupied().for_each(|shield| pins.add(position, shield, pinner));
            }
        }
        pins
    }

    /// Notes a pin of an own man; an enemy or an empty point is not pinned.
    fn add(&mut self, position: &Position, shield: Square, pinner: Square) {
        if position.piece_on(shield).is_some_and(|piece| piece.side() == position.side()) {
            self.0.push(Pin { shield, pinner });
        }
    }

    /// Whether the capturing man is free, or captures one that pins it.
    fn permit(&self, capture: Move) -> bool {
        let mut holding = self.0.iter().filter(|pin| pin.shield == capture.from()).peekable();
        holding.peek().is_none() || holding.any(|pin| pin.pinner == capture.to())
    }
}
