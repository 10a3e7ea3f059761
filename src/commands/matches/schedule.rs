//! Schedule of a match: engines, colours and opening of every game.

use clap::ValueEnum;

use crate::util::random::StableRandom;
use crate::util::shard::Shard;

/// Pairings of more than two engines.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Every engine plays every other.
    #[default]
    RoundRobin,
    /// The first engine plays every other.
    Gauntlet,
}

/// Games of a match, numbered from 0. A game is a function of its number, so a match can be resumed.
///
/// Games 2n and 2n + 1 are a *pair*: the same two engines play the same opening with colours reversed. All pairings
/// play an opening before the next one is used.
///
/// ```
/// use chuhe::commands::matches::{Format, Schedule};
/// let schedule = Schedule::new(2, Format::RoundRobin, 2, &[7, 5]);
/// let colours: Vec<_> = (0..4).map(|number| schedule.game(number).engines).collect();
/// assert_eq!(colours, [[0, 1], [1, 0], [0, 1], [1, 0]]);
/// assert_eq!(schedule.game(3).opening, 5);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    pairs_each: u64,
    openings: Vec<usize>,
    shard: Shard,
}

/// One game of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// Number of the game, from 0.
    pub number: u64,
    /// Indices of the engines that play Red and Black.
    pub engines: [usize; 2],
    /// Index of the opening.
    pub opening: usize,
}

impl ScheduledGame {
    /// Returns the number of the pair that the game belongs to.
    pub fn pair(&self) -> u64 {
        self.number / 2
    }
}

impl Schedule {
    /// Creates a schedule for at least 2 engines, with `pairs_each` pairs of games for each pairing. The openings, at
    /// least 1, are used in this order, cyclically.
    pub fn new(engines: usize, format: Format, pairs_each: u64, openings: &[usize]) -> Schedule {
        let firsts = if format == Format::Gauntlet { 0..engines.min(1) } else { 0..engines };
        let pairings = firsts.flat_map(|first| (first + 1..engines).map(move |second| [first, second])).collect();
        Schedule { pairings, pairs_each, openings: openings.to_vec(), shard: Shard::default() }
    }

    /// Restricts the schedule to the pairs of one shard.
    ///
    /// ```
    /// use chuhe::commands::matches::{Format, Schedule};
    /// let schedule = Schedule::new(2, Format::RoundRobin, 5, &[0]).shared("2/3".parse()?);
    /// let numbers: Vec<u64> = schedule.games().map(|scheduled| scheduled.number).collect();
    /// assert_eq!((numbers.as_slice(), schedule.len(), schedule.own_games()), (&[2, 3, 8, 9][..], 10, 4));
    /// # Ok::<(), chuhe::util::shard::ShardError>(())
    /// ```
    pub fn shared(self, shard: Shard) -> Schedule {
        Schedule { shard, ..self }
    }

    /// Returns the number of games of this shard.
    pub fn own_games(&self) -> u64 {
        self.shard.count(self.len() / 2).saturating_mul(2)
    }

    /// Returns whether a game belongs to this shard.
    pub fn has(&self, number: u64) -> bool {
        number < self.len() && self.shard.has(number / 2)
    }

    /// Returns the number of games of all shards.
    pub fn len(&self) -> u64 {
        self.pairs_each.saturating_mul(self.pairings.len() as u64).saturating_mul(2)
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether any pairing consists of two engines that `can_play`.
    pub fn has_pairing_of(&self, can_play: impl Fn(usize) -> bool) -> bool {
        self.pairings.iter().any(|pairing| pairing.iter().all(|&engine| can_play(engine)))
    }

    /// Returns the game of this number.
    pub fn game(&self, number: u64) -> ScheduledGame {
        let pairings = self.pairings.len() as u64;
        let pair = number / 2;
        let (round, [first, second]) = (pair / pairings, self.pairings[(pair % pairings) as usize]);
        ScheduledGame {
            number,
            engines: if number.is_multiple_of(2) { [first, second] } else { [second, first] },
            opening: self.openings[(round % self.openings.len() as u64) as usize],
        }
    }

    /// Returns the games of this shard in order.
    pub fn games(&self) -> impl Iterator<Item = ScheduledGame> + '_ {
        let pairs = self.shard.numbers(self.len() / 2);
        pairs.flat_map(|pair| [2 * pair, 2 * pair + 1]).map(|number| self.game(number))
    }
}

/// Returns the indices of `openings` openings in random order, determined by the seed.
pub fn shuffled(openings: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..openings).collect();
    StableRandom::new(seed, 0).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn all_pairings_play_both_colours_from_the_same_openings() {
        for (engines, format, pairings) in [
            (2, Format::RoundRobin, 1),
            (5, Format::RoundRobin, 10),
            (5, Format::Gauntlet, 4),
            (2, Format::Gauntlet, 1),
        ] {
            let schedule = Schedule::new(engines, format, 3, &[10, 11]);
            assert_eq!(schedule.len(), pairings * 6);
            let games: Vec<ScheduledGame> = schedule.games().collect();
            let mut met: HashMap<[usize; 2], u64> = HashMap::new();
            for pair in games.chunks(2) {
                assert_eq!((pair[0].opening, pair[0].pair()), (pair[1].opening, pair[1].pair()));
                assert_eq!(pair[0].engines, [pair[1].engines[1], pair[1].engines[0]]);
                pair.iter().for_each(|scheduled| *met.entry(scheduled.engines).or_default() += 1);
            }
            assert_eq!(met.len() as u64, 2 * pairings);
            assert!(met.values().all(|&games| games == 3));
            if format == Format::Gauntlet {
                assert!(met.keys().all(|engines| engines.contains(&0)));
            }
        }
    }

    #[test]
    fn shuffling_is_a_permutation_determined_by_the_seed() {
        let mut order = shuffled(100, 7);
        assert_eq!(order, shuffled(100, 7));
        assert_ne!(order, shuffled(100, 8));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100));
    }
}
