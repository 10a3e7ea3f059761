//! Missed tactics: blunders whose better line mates by force or wins material.
//!
//! The better line is the principal variation of the search before the move. It mates if its score is a mate. It wins
//! material if the exchange values of the captures along it, those of the player less those of the opponent, come to an
//! advisor or more at its last quiet position, within [`MAX_PLIES`] plies. A position is quiet if the side to move is
//! not in check and has no capture that wins material by static exchange, so an exchange that the line leaves
//! unfinished does not count. A blunder that loses a piece while nothing was to be won is no missed tactic.

use crate::commands::analysis::game::{GameReview, MoveReview};
use crate::commands::analysis::wdl::Mark;
use crate::position::{CheckInfo, Position, exchange_value};
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, PieceKind, Side, Value};

/// Plies of the better line in which captures count.
pub const MAX_PLIES: usize = 12;
/// Least gain of material: an advisor. A pawn alone hardly makes the difference of a blunder.
const MIN_GAIN: Value = exchange_value(PieceKind::Advisor);

/// Gain of the better line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MissedGain {
    /// A mate in this many moves of the player.
    Mate(usize),
    /// Material.
    Material(MaterialGain),
}

/// Captures along a line up to its last quiet position. Pieces of the same kind on both sides cancel out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MaterialGain {
    /// Exchange value of `won` less that of `lost`, in centipawns.
    pub value: Value,
    /// Pieces that the side to move captures, the most valuable first.
    pub won: Vec<PieceKind>,
    /// Pieces that it loses, the most valuable first.
    pub lost: Vec<PieceKind>,
}

/// Missed tactic.
#[derive(Clone, Debug)]
pub struct TacticalMiss {
    /// Ply of the game, from 1.
    pub ply: usize,
    /// Position before the move.
    pub position: Position,
    /// Move played.
    pub mv: Move,
    /// Better line.
    pub better_line: Vec<Move>,
    /// Score of the better line for the player.
    pub better_score: Value,
    /// Score after the move played, for the player.
    pub score: Value,
    /// Loss of winning chance, from 0 to 1.
    pub loss: f64,
    /// Gain of the better line.
    pub gain: MissedGain,
}

/// Returns the missed tactics of a side in the order of the moves.
pub fn missed_tactics(review: &GameReview, side: Side) -> Vec<TacticalMiss> {
    let blunders = review.moves.iter().filter(|mv| mv.side == side && mv.mark == Some(Mark::Blunder));
    blunders.filter_map(|mv| missed(review, mv)).collect()
}

fn missed(review: &GameReview, mv: &MoveReview) -> Option<TacticalMiss> {
    let before = review.positions.get(mv.ply.checked_sub(1)?)?;
    let better_score = before.analysis.outcome.score;
    let gain = if is_mate(better_score) && better_score > 0 {
        MissedGain::Mate(usize::try_from((MATE - better_score + 1) / 2).ok()?)
    } else {
        let gain = material_gain(&before.position, &mv.best_line);
        if gain.value < MIN_GAIN {
            return None;
        }
        MissedGain::Material(gain)
    };
    Some(TacticalMiss {
        ply: mv.ply,
        position: before.position.clone(),
        mv: mv.mv,
        better_line: mv.best_line.clone(),
        better_score,
        score: mv.score,
        loss: mv.loss,
        gain,
    })
}

/// Returns the material that a line wins for the side to move, as the module defines it.
///
/// ```
/// use chuhe::position::Position;
/// use chuhe::commands::analysis::profile::miss::material_gain;
/// use chuhe::types::PieceKind;
///
/// // The rook takes an unprotected horse.
/// let position = Position::from_fen("3ak4/9/9/9/2n6/9/9/9/2R6/3K5 w")?;
/// let gain = material_gain(&position, &["c1c5".parse()?]);
/// assert_eq!((gain.won, gain.lost), (vec![PieceKind::Horse], vec![]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn material_gain(position: &Position, line: &[Move]) -> MaterialGain {
    let side = position.side();
    let mut position = position.clone();
    let (mut now, mut settled) = (MaterialGain::default(), MaterialGain::default());
    for &mv in line.iter().take(MAX_PLIES) {
        if let Some(victim) = position.piece_on(mv.to()) {
            let is_own_loss = victim.side() == side;
            let (pieces, sign) = if is_own_loss { (&mut now.lost, -1) } else { (&mut now.won, 1) };
            pieces.push(victim.kind());
            now.value += sign * exchange_value(victim.kind());
        }
        position.make(mv);
        if is_quiet(&position) {
            settled = now.clone();
        }
    }
    settled.lost.retain(|&kind| {
        let equal = settled.won.iter().position(|&won| won == kind);
        equal.map(|index| settled.won.remove(index)).is_none()
    });
    for pieces in [&mut settled.won, &mut settled.lost] {
        pieces.sort_by_key(|&kind| std::cmp::Reverse(exchange_value(kind)));
    }
    settled
}

fn is_quiet(position: &Position) -> bool {
    let wins = |mv: &Move| position.piece_on(mv.to()).is_some() && position.see_ge(*mv, 1);
    !CheckInfo::new(position).in_check() && !position.legal_moves().iter().any(wins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(fen: &str, line: &str) -> MaterialGain {
        let position = Position::from_fen(fen).unwrap();
        let line: Vec<Move> = line.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        material_gain(&position, &line)
    }

    #[test]
    fn an_unfinished_exchange_does_not_count() {
        // Rook takes a horse that a rook protects.
        let fen = "2rak4/9/9/9/2n6/9/9/9/2R6/3K5 w";
        assert_eq!(gain(fen, "c1c5").value, 0, "Black takes back next");
        let whole = gain(fen, "c1c5 c9c5");
        assert_eq!((whole.won, whole.lost), (vec![PieceKind::Horse], vec![PieceKind::Rook]));
        assert_eq!(whole.value, exchange_value(PieceKind::Horse) - exchange_value(PieceKind::Rook));
    }

    #[test]
    fn equal_pieces_cancel_out() {
        // Rooks are exchanged, and a pawn is taken before.
        let fen = "2rak4/9/9/9/2r6/2p6/9/9/2R6/3K5 w";
        let exchange = gain(fen, "c1c4 c5c4");
        assert_eq!((exchange.won, exchange.lost), (vec![PieceKind::Pawn], vec![PieceKind::Rook]));
        let fen = "2rak4/9/9/9/2r6/9/9/9/2R6/2RK5 w";
        let exchange = gain(fen, "c1c5 c9c5 c0c5");
        assert_eq!((exchange.won, exchange.lost), (vec![PieceKind::Rook], vec![]));
    }

    #[test]
    fn a_capture_that_comes_later_in_the_line_counts_for_its_side() {
        let fen = "3ak4/9/9/9/2n6/9/9/9/1R7/3K5 w";
        let won = gain(fen, "b1c1 e9e8 c1c5");
        assert_eq!((won.value, won.won.len(), won.lost.len()), (exchange_value(PieceKind::Horse), 1, 0));
        // A check is not the end of a tactic.
        assert_eq!(gain("4k4/9/9/9/4n4/9/9/9/4R4/3K5 w", "e1e5").value, 0);
    }

    #[test]
    fn only_the_first_plies_of_a_line_count() {
        let fen = "3ak4/9/9/9/2n6/9/9/9/1R7/3K5 w";
        let wait = "b1b2 e9e8 b2b1 e8e9 ";
        assert_eq!(gain(fen, &format!("{}b1c1 e9e8 c1c5", wait.repeat(2))).value, exchange_value(PieceKind::Horse));
        assert_eq!(gain(fen, &format!("{}b1c1 e9e8 c1c5", wait.repeat(3))).value, 0);
    }
}
