//! Tests base weights against the formula, and books merged from two.

use chuhe::book::{MAX_DELTA, Record, Statistics, merge, weigh};

fn record(key: u64, mv: &str, wins: u32, weight: u16, delta: i16) -> Record {
    let statistics = Statistics { wins, draws: 2 * wins, losses: 0 };
    let record = Record::new(key, mv.parse().unwrap(), statistics);
    Record { base_weight: weight, learned_delta: delta, is_verified: wins == 1, ..record }
}

#[test]
fn positions_of_one_book_stay_and_games_of_both_are_added() {
    let first = [record(1, "a0a1", 1, 7, 5), record(2, "a0a1", 1, 100, -30_000), record(2, "b0c2", 3, 9, 1)];
    let second = [record(2, "a0a1", 4, 1, -30_000), record(2, "a0a2", 1, 3, 2), record(3, "i0i1", 1, 8, 0)];
    let merged = merge(&first, &second);
    assert_eq!(merged, merge(&second, &first));
    assert_eq!((merged[0], merged[4]), (first[0], second[2]));
    let mut expected = vec![
        Record { is_verified: true, ..record(2, "a0a1", 5, 0, -MAX_DELTA) },
        record(2, "a0a2", 1, 0, 2),
        record(2, "b0c2", 3, 0, 1),
    ];
    weigh(&mut expected);
    assert_eq!(merged[1..4], expected);
    assert_eq!(merge(&first, &[]), first);
    assert_eq!(merge(&[], &second), second);
}

#[test]
fn the_first_preference_stays_and_does_not_count_as_a_move_without_games() {
    let preferred = |record: Record, text: &str| Record { preference: text.parse().unwrap(), ..record };
    let (played, unplayed) = (record(2, "a0a1", 3, 1, 0), record(2, "b0c2", 0, 0, 0));
    let first = [preferred(played, "50%"), preferred(unplayed, "never")];
    let second = [preferred(played, "always"), preferred(unplayed, "always")];
    let mut expected = [preferred(record(2, "a0a1", 6, 0, 0), "50%"), first[1]];
    weigh(&mut expected[..1]);
    assert_eq!(merge(&first, &second), expected);
    assert_eq!(merge(&[played], &second[..1])[0].preference, second[0].preference);
}

#[test]
fn without_games_the_larger_weight_is_kept() {
    let first = [record(2, "a0a1", 0, 100, 0), record(2, "b0c2", 3, 9, 0)];
    let second = [record(2, "a0a1", 0, 40, 0), record(2, "b0c2", 3, 90, 0)];
    let weights: Vec<u16> = merge(&first, &second).iter().map(|record| record.base_weight).collect();
    assert_eq!(weights, [100, 90]);
}

fn weights(games: &[(u32, u32, u32)]) -> Vec<u16> {
    let moves = ["a0a1", "a0a2", "a0a3"];
    let record = |(&(wins, draws, losses), mv): (&(u32, u32, u32), &str)| {
        Record::new(1, mv.parse().unwrap(), Statistics { wins, draws, losses })
    };
    let mut records: Vec<Record> = games.iter().zip(moves).map(record).collect();
    weigh(&mut records);
    records.iter().map(|record| record.base_weight).collect()
}

#[test]
fn weights_follow_the_formula() {
    assert_eq!(weights(&[(0, 10, 0)]), [10_000]);
    // 60 of 100 and 20 of 50 points, 2 more of 4 for each: (62 / 104)² · 4 / 150 · 100, (22 / 54)² · 4 / 3.
    assert_eq!(weights(&[(50, 20, 30), (10, 20, 20)]), [9_477, 2_213]);
    assert_eq!(weights(&[(1, 0, 0)]), [14_400]);
    assert_eq!(weights(&[(16_000_000, 0, 0)]), [40_000]);
    assert_eq!(weights(&[(0, 0, 90_000), (900_000, 0, 0), (0, 0, 0)]), [1, 36_363, 1]);
}
