//! Tests the statistics of the moves played in games and the criteria that select them.

use chuhe::book::{BookKey, Record, Statistics};
use chuhe::commands::book::{Counter, Criteria};
use chuhe::notation::game::{Game, GameResult};
use chuhe::position::Position;

fn game(result: GameResult, moves: &str) -> Game {
    Game { result, ..Game::from_line(Position::start(), moves.split(' ').map(|text| text.parse().unwrap())) }
}

#[test]
fn results_are_those_of_the_mover_and_reflections_are_one() {
    let mut counter = Counter::new(2);
    counter.add(&game(GameResult::RedWins, "h2e2 h9g7 h0g2"));
    counter.add(&game(GameResult::RedWins, "b2e2 b9c7"));
    counter.add(&game(GameResult::BlackWins, "b2e2 h9g7"));
    counter.add(&game(GameResult::Draw, "c3c4 g6g5"));
    counter.add(&game(GameResult::Unknown, "c3c4 g6g5"));
    assert_eq!((counter.games(), counter.games_without_result(), counter.positions()), (4, 1, 3));
    let all = Criteria { min_games: 1, min_share: 0.0, min_score: 0.0, ..Criteria::default() };
    let candidates = counter.candidates(&all);
    let of = |position: &Position| {
        let entry = BookKey::new(position);
        let candidate = candidates.iter().find(|candidate| candidate.key() == entry.key).unwrap();
        assert_eq!(BookKey::new(&counter.position(candidate)).key, entry.key);
        let counts = |statistics: Statistics| [statistics.wins, statistics.draws, statistics.losses];
        let describe = |record: &Record| (entry.from_book(record.mv).to_string(), counts(record.statistics));
        let mut found: Vec<_> = candidate.records.iter().map(describe).collect();
        found.sort();
        found
    };
    let mut position = Position::start();
    assert_eq!(of(&position), [("b2e2".to_owned(), [2, 0, 1]), ("c3c4".to_owned(), [0, 1, 0])]);
    position.play(["h2e2"]).unwrap();
    // h9g7 by the cannon of its wing lost, b9c7 on the other wing was played by the reflected game that won.
    assert_eq!(of(&position), [("b9c7".to_owned(), [1, 0, 0]), ("h9g7".to_owned(), [0, 0, 2])]);
}

#[test]
fn a_move_played_twice_in_a_game_counts_once() {
    let mut counter = Counter::new(10);
    counter.add(&game(GameResult::RedWins, "a0a1 a9a8 a1a0 a8a9 a0a1 a9a8"));
    let all = Criteria { min_games: 1, min_share: 0.0, min_score: 0.0, ..Criteria::default() };
    let records: Vec<Record> = counter.candidates(&all).into_iter().flat_map(|found| found.records).collect();
    assert_eq!(records.len(), 4);
    assert!(records.iter().all(|record| record.statistics.games() == 1));
}

#[test]
fn each_criterion_leaves_out_what_it_should() {
    let mut counter = Counter::new(1);
    for (mv, wins, losses) in [("h2e2", 5, 3), ("c3c4", 1, 0), ("a3a4", 1, 7), ("a0a1", 2, 1)] {
        (0..wins).for_each(|_| counter.add(&game(GameResult::RedWins, mv)));
        (0..losses).for_each(|_| counter.add(&game(GameResult::BlackWins, mv)));
    }
    let kept = |min_games, min_share, min_score| -> Vec<String> {
        let candidates = counter.candidates(&Criteria { min_games, min_share, min_score, ..Criteria::default() });
        candidates.iter().flat_map(|found| &found.records).map(|record| record.mv.to_string()).collect()
    };
    assert_eq!(kept(1, 0.0, 0.0), ["a0a1", "b2e2", "a3a4", "c3c4"]);
    assert_eq!(kept(3, 0.0, 0.0), ["a0a1", "b2e2", "a3a4"]);
    assert_eq!(kept(1, 0.4, 0.0), ["b2e2", "a3a4"]);
    assert_eq!(kept(1, 0.0, 0.125), ["a0a1", "b2e2", "a3a4", "c3c4"]);
    assert_eq!(kept(1, 0.0, 0.65), ["a0a1", "c3c4"]);
    assert!(kept(9, 0.0, 0.0).is_empty());
}

#[test]
fn late_positions_of_a_single_game_can_be_skipped() {
    let mut counter = Counter::new(40);
    // The second game leaves the first one at the fourth ply.
    counter.add(&game(GameResult::Draw, "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7"));
    counter.add(&game(GameResult::Draw, "b2e2 b9c7 b0c2 g6g5"));
    let kept = |rare_plies| {
        let criteria = Criteria { min_games: 1, min_share: 0.0, min_score: 0.0, rare_plies };
        counter.candidates(&criteria).iter().map(|candidate| candidate.records.len()).collect::<Vec<_>>()
    };
    let sorted = |mut counts: Vec<usize>| {
        counts.sort_unstable();
        counts
    };
    assert_eq!(sorted(kept(400)), [1, 1, 1, 1, 1, 2]);
    assert_eq!(sorted(kept(5)), [1, 1, 1, 1, 2]);
    assert_eq!(sorted(kept(0)), [1, 1, 1, 2]);
}
