//! Chase test of the UCCI league manager, reproduced exactly for [`super::RuleSet::League`].
//!
//! Only the piece that has just moved counts as an attacker, and a victim is protected when any piece of its side could
//! capture on its square as the board is. Discovered attacks, pins and false protection are ignored. The source is the
//! manager's own implementation in ElephantEye.

use crate::position::Position;
use crate::tables::{geometry, lines};
use crate::types::{Piece, PieceKind, Square};

/// Returns the square of the piece that the last move chases, if any. Of several, the first in the manager's order.
///
/// # Panics
/// When the position has no history.
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
        // Only across the direction of the move: targets along it were attacked before.
        kind @ (PieceKind::Rook | PieceKind::Cannon) if along_file => {
            let targets = lines::along_rank(from.file(), position.rank_occupancy(from));
            let mask = if kind == PieceKind::Rook { targets.rook } else { targets.cannon };
            let mut targets: Vec<Square> = lines::bits(mask).map(|file| from.with_file(file)).collect();
            // The right one first.
            targets.reverse();
            targets
        }
        kind @ (PieceKind::Rook | PieceKind::Cannon) => {
            let targets = lines::along_file(from.rank(), position.file_occupancy(from));
            let mask = if kind == PieceKind::Rook { targets.rook } else { targets.cannon };
            lines::bits(mask).map(|rank| from.with_rank(rank)).collect()
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
