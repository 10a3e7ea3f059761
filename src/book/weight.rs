//! How much a move is to be preferred, told from its games.

use super::Record;

/// The weight of a move that all games played and that scored one half.
const UNIT: f64 = 10_000.0;
/// Every move is taken to have so many more games, half of them won.
const PRIOR_GAMES: f64 = 4.0;

/// Sets the weights of records of one position by their games.
///
/// The weight of a move is 10,000 · *share* · (2 · *score*)², at least 1 and at most 65,535. The share is that of the
/// games of these records; the score that of the side to move with four games added that were worth one half each, so
/// that few games do not tell much. A move that scores 60 % gets 44 % more than one played as often that scores half.
pub fn weigh(records: &mut [Record]) {
    let all: u64 = records.iter().map(|record| record.statistics.games()).sum();
    for record in records {
        let games = record.statistics.games() as f64;
        let score = (record.statistics.points() + PRIOR_GAMES / 2.0) / (games + PRIOR_GAMES);
        let weight = UNIT * games / (all.max(1) as f64) * (2.0 * score).powi(2);
        record.weight = (weight.round() as u16).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Statistics;

    fn weights(games: &[(u32, u32, u32)]) -> Vec<u16> {
        let moves = ["a0a1", "a0a2", "a0a3"];
        let record = |(&(wins, draws, losses), mv): (&(u32, u32, u32), &str)| Record {
            key: 1,
            mv: mv.parse().unwrap(),
            statistics: Statistics { wins, draws, losses },
            weight: 0,
            delta: 0,
            is_verified: false,
        };
        let mut records: Vec<Record> = games.iter().zip(moves).map(record).collect();
        weigh(&mut records);
        records.iter().map(|record| record.weight).collect()
    }

    #[test]
    fn weights_are_those_of_the_formula() {
        assert_eq!(weights(&[(0, 10, 0)]), [10_000]);
        // 60 of 100 and 20 of 50 points, 2 more of 4 for each: (62 / 104)² · 4 / 150 · 100, (22 / 54)² · 4 / 3.
        assert_eq!(weights(&[(50, 20, 30), (10, 20, 20)]), [9_477, 2_213]);
        assert_eq!(weights(&[(1, 0, 0)]), [14_400]);
        assert_eq!(weights(&[(16_000_000, 0, 0)]), [40_000]);
        assert_eq!(weights(&[(0, 0, 90_000), (900_000, 0, 0), (0, 0, 0)]), [1, 36_363, 1]);
    }
}
