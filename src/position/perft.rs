//! Perft: counting the leaves of the move tree, the standard test of a move generator.

use super::Position;
use crate::types::{Move, MoveList};

/// Returns the number of lines of `depth` legal moves. The moves of the last ply are counted, not made.
///
/// ```
/// use chuhe::position::{Position, perft};
/// assert_eq!(perft(&mut Position::start(), 2), 1920);
/// ```
pub fn perft(position: &mut Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    position.append_legal_moves(&mut list);
    if depth == 1 {
        return list.len() as u64;
    }
    sum_over(position, &list, |position| perft(position, depth - 1))
}

/// Returns the same number, with the moves of the last ply made and unmade too.
pub fn perft_by_making(position: &mut Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    position.append_legal_moves(&mut list);
    sum_over(position, &list, |position| perft_by_making(position, depth - 1))
}

/// Returns the count below each legal move, in alphabetical order, for a `depth` of at least 1.
pub fn perft_divided(
    position: &mut Position,
    depth: usize,
    count: impl Fn(&mut Position, usize) -> u64,
) -> Vec<(Move, u64)> {
    let mut moves = position.legal_moves();
    moves.sort_by_key(Move::to_string);
    moves
        .into_iter()
        .map(|mv| (mv, sum_over(position, &[mv], |position| count(position, depth.saturating_sub(1)))))
        .collect()
}

#[inline(always)]
fn sum_over(position: &mut Position, moves: &[Move], count: impl Fn(&mut Position) -> u64) -> u64 {
    let mut total = 0;
    for &mv in moves {
        position.make(mv);
        total += count(position);
        position.unmake();
    }
    total
}
