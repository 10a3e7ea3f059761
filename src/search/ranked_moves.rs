//! Moves of one node with their ranks, picked best first. Knows nothing of where the ranks come from.

use arrayvec::ArrayVec;

use crate::types::{MAX_MOVES, Move, MoveList};

/// Low bits of a key, which hold the complement of an index.
const INDEX_BITS: u32 = MAX_MOVES.ilog2();
const INDEX_MASK: i32 = MAX_MOVES as i32 - 1;
const _: () = assert!(MAX_MOVES == 1 << INDEX_BITS);

/// Ranks beyond ± this number count as this number.
pub(super) const MAX_RANK: i32 = i32::MAX >> INDEX_BITS;

/// Keys that are compared at once. Compilers make vectors of such arrays, while a search for the best rank and its
/// index compares one after the other.
const LANES: usize = 8;

/// Rank or key of each move of a list, in its order, with room for [`LANES`] further keys.
pub(super) type Ranks = ArrayVec<i32, { MAX_MOVES + LANES }>;

/// List of up to [`MAX_MOVES`] moves, from which the best ones are picked by selection: most nodes search only a few.
pub(super) struct RankedMoves {
    /// In place of each picked move any, then the remaining ones.
    moves: MoveList,
    /// The rank of each move above the complement of its index, so that the greatest key is that of the first of the
    /// best moves, then [`LANES`] keys that are less than any other.
    keys: Ranks,
    /// Number of picked moves.
    picked: usize,
}

/// Returns the key of a move.
#[inline(always)]
fn key(rank: i32, index: usize) -> i32 {
    with_index(rank.clamp(-MAX_RANK, MAX_RANK) << INDEX_BITS, index)
}

/// Returns the key of the same rank with another index.
#[inline(always)]
fn with_index(key: i32, index: usize) -> i32 {
    key & !INDEX_MASK | !(index as i32) & INDEX_MASK
}

/// Returns the rank of a key.
#[inline(always)]
fn rank(key: i32) -> i32 {
    key >> INDEX_BITS
}

impl RankedMoves {
    /// An empty list.
    #[inline(always)]
    pub fn new() -> RankedMoves {
        RankedMoves { moves: ArrayVec::new(), keys: ArrayVec::new(), picked: 0 }
    }

    /// Replaces all moves by those that `append` appends, except `left_out`; [`Move::NONE`] leaves out none.
    /// `append_ranks` appends the ranks of the moves that it gets, in their order.
    #[inline(always)]
    pub fn set(
        &mut self,
        append: impl FnOnce(&mut MoveList),
        left_out: Move,
        append_ranks: impl FnOnce(&[Move], &mut Ranks),
    ) {
        self.moves.clear();
        self.keys.clear();
        self.picked = 0;
        append(&mut self.moves);
        if !left_out.is_none()
            && let Some(index) = self.moves.iter().position(|&mv| mv == left_out)
        {
            self.moves.remove(index);
        }
        append_ranks(&self.moves, &mut self.keys);
        debug_assert_eq!(self.keys.len(), self.moves.len());
        for (index, entry) in self.keys.iter_mut().enumerate() {
            *entry = key(*entry, index);
        }
        self.keys.extend([i32::MIN; LANES]);
    }

    /// Adds points to the rank of a move, if it is among the remaining ones.
    #[inline(always)]
    pub fn add(&mut self, mv: Move, points: i32) {
        if let Some(index) = self.moves[self.picked..].iter().position(|&other| other == mv) {
            let index = self.picked + index;
            self.keys[index] = key(rank(self.keys[index]).saturating_add(points), index);
        }
    }

    /// Picks the best of the remaining moves if its rank is at least `least`, and returns it with its rank. Of equal
    /// ones it is the first; the first of the remaining moves takes its place.
    #[inline(always)]
    pub fn pick_best(&mut self, least: i32) -> Option<(Move, i32)> {
        let rest = self.keys.get(self.picked..)?.as_chunks::<LANES>().0;
        // Before the first list there is no chunk, and after the last move one of additional keys only.
        let mut best = *rest.first()?;
        for chunk in &rest[1..] {
            for (best, &key) in best.iter_mut().zip(chunk) {
                *best = (*best).max(key);
            }
        }
        let best = best.into_iter().fold(i32::MIN, i32::max);
        if best == i32::MIN || rank(best) < least {
            return None;
        }
        let index = (!best & INDEX_MASK) as usize;
        let mv = self.moves[index];
        self.moves[index] = self.moves[self.picked];
        self.keys[index] = with_index(self.keys[self.picked], index);
        self.picked += 1;
        Some((mv, rank(best)))
    }

    /// Picks the first of the remaining moves, whatever its rank.
    #[inline(always)]
    pub fn pick_first(&mut self) -> Option<Move> {
        let mv = *self.moves.get(self.picked)?;
        self.picked += 1;
        Some(mv)
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::{IndexedRandom, SliceRandom};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Picks from a plain list: the first of the best is exchanged with the first of the rest.
    fn pick_from(list: &mut Vec<(Move, i32)>, least: i32) -> Option<(Move, i32)> {
        let best = list.iter().map(|&(_, rank)| rank).max().filter(|&rank| rank >= least)?;
        let index = list.iter().position(|&(_, rank)| rank == best)?;
        list.swap(0, index);
        Some(list.remove(0))
    }

    #[test]
    fn moves_are_picked_as_from_a_plain_list() {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut ranked = RankedMoves::new();
        assert_eq!((ranked.pick_best(i32::MIN), ranked.pick_first()), (None, None));
        for length in (0..60).chain([MAX_MOVES - 1, MAX_MOVES]).flat_map(|length| [length; 8]) {
            let spread = *[1, 5, 40_000, MAX_RANK].choose(&mut random).unwrap();
            let mut bits: Vec<u16> = (1..=length as u16).collect();
            bits.shuffle(&mut random);
            let with_rank = |bits| (Move::from_bits(bits), random.random_range(-spread..=spread));
            let mut list: Vec<(Move, i32)> = bits.into_iter().map(with_rank).collect();
            let (moves, ranks): (Vec<Move>, Vec<i32>) = list.iter().copied().unzip();
            let left_out = match list.choose(&mut random) {
                Some(&(mv, _)) if random.random() => mv,
                _ => Move::from_bits(u16::MAX),
            };
            list.retain(|&(mv, _)| mv != left_out);
            let rank_of = |mv: &Move| ranks[moves.iter().position(|other| other == mv).unwrap()];
            ranked.set(
                |list| list.extend(moves.iter().copied()),
                left_out,
                |moves, list| list.extend(moves.iter().map(rank_of)),
            );
            for entry in list.iter_mut().filter(|_| random.random_ratio(1, 4)) {
                entry.1 = (entry.1 + 1_000).min(MAX_RANK);
                ranked.add(entry.0, 1_000);
            }
            ranked.add(Move::from_bits(u16::MAX), 1_000);
            while !list.is_empty() {
                if random.random_ratio(1, 8) {
                    assert_eq!(ranked.pick_first(), Some(list.remove(0).0));
                } else {
                    let least = random.random_range(-spread..=spread);
                    assert_eq!(ranked.pick_best(least), pick_from(&mut list, least));
                    assert_eq!(ranked.pick_best(i32::MIN), pick_from(&mut list, i32::MIN));
                }
            }
            assert_eq!((ranked.pick_best(i32::MIN), ranked.pick_first()), (None, None));
        }
    }

    #[test]
    fn ranks_beyond_the_limit_count_as_the_limit() {
        let mut ranked = RankedMoves::new();
        let moves = [1, 2, 3, 4].map(Move::from_bits);
        let ranks = [i32::MIN, i32::MAX, 7, MAX_RANK];
        ranked.set(|list| list.extend(moves), Move::NONE, |_, list| list.extend(ranks));
        ranked.add(moves[2], i32::MAX);
        let picked: Vec<_> = std::iter::from_fn(|| ranked.pick_best(i32::MIN)).collect();
        let expected = [(moves[1], MAX_RANK), (moves[2], MAX_RANK), (moves[3], MAX_RANK), (moves[0], -MAX_RANK)];
        assert_eq!(picked, expected);
    }
}
