//! Random choices that are the same on every machine and in every version.
//!
//! What is drawn must not depend on how a library of random numbers turns them into choices, since games that were
//! played in part are played to their end later. So only the raw words of ChaCha8 are used, and what is made of them
//! stands here.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::position::Position;
use crate::types::Move;

/// A sequence of random choices.
///
/// ```
/// use chuhe::util::random::StableRandom;
/// let rolls = |seed, stream| -> Vec<usize> {
///     let mut dice = StableRandom::new(seed, stream);
///     (0..8).map(|_| dice.below(6)).collect()
/// };
/// assert_eq!(rolls(1, 7), rolls(1, 7));
/// assert_ne!(rolls(1, 7), rolls(1, 8));
/// ```
#[derive(Clone, Debug)]
pub struct StableRandom(ChaCha8Rng);

impl StableRandom {
    /// The sequence of this seed and number. Sequences of different seeds or numbers have nothing to do with each
    /// other.
    pub fn new(seed: u64, number: u64) -> StableRandom {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&number.to_le_bytes());
        StableRandom(ChaCha8Rng::from_seed(key))
    }

    /// A number from 0 to `count` − 1, all of them equally likely (but for one part in 2⁶⁴ / `count`).
    ///
    /// # Panics
    /// When there is nothing to choose from.
    pub fn below(&mut self, count: usize) -> usize {
        assert!(count > 0, "there is something to choose from");
        // The high half of word × count, in which no choice is favoured by more than one word of all.
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    /// Puts the elements into any order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            let other = self.below(last + 1);
            elements.swap(last, other);
        }
    }
}

/// Plays so many random legal moves and gives them back. `None` when the game ends on the way.
pub fn random_moves(position: &mut Position, plies: usize, dice: &mut StableRandom) -> Option<Vec<Move>> {
    let mut played = Vec::with_capacity(plies);
    for _ in 0..plies {
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        // The order in which moves are generated may change; the choice must not.
        moves.sort_unstable_by_key(|mv| mv.bits());
        let mv = moves[dice.below(moves.len())];
        position.make(mv);
        played.push(mv);
    }
    Some(played)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever breaks this breaks the files of all users: games could not be gone on with.
    #[test]
    fn the_sequence_is_fixed() {
        let mut dice = StableRandom::new(1, 2);
        let rolls: Vec<usize> = (0..10).map(|_| dice.below(100)).collect();
        // From another implementation of ChaCha with eight rounds, written in Python.
        assert_eq!(rolls, [32, 27, 47, 23, 1, 3, 21, 0, 14, 17]);
    }

    #[test]
    fn every_choice_is_equally_likely() {
        let mut dice = StableRandom::new(3, 0);
        let mut counts = [0_usize; 7];
        (0..70_000).for_each(|_| counts[dice.below(7)] += 1);
        // Four standard deviations of a count are 370.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 400), "{counts:?}");
    }

    #[test]
    fn a_shuffle_keeps_all_and_moves_them_anywhere() {
        let mut sums = [0_usize; 5];
        for number in 0..10_000 {
            let mut cards = [0, 1, 2, 3, 4];
            StableRandom::new(4, number).shuffle(&mut cards);
            let mut sorted = cards;
            sorted.sort();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            cards.iter().zip(&mut sums).for_each(|(card, sum)| *sum += card);
        }
        // Each place holds 2 on average; four standard deviations of the sum are 566.
        assert!(sums.iter().all(|sum| sum.abs_diff(20_000) < 600), "{sums:?}");
    }
}
