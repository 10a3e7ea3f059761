//! Books built from games against a naive count, the criteria that select moves, and verification.

use chuhe::book::Book;
use chuhe::commands::book::{Candidate, Counter, Criteria, Progress, Verification, verify};
use chuhe::notation::game::{Game, GameResult};
use chuhe::position::Position;
use chuhe::util::cancel::CancelFlag;

use crate::common::books::encoded;
use crate::common::data::{moves, played};
use crate::naive::{name_of, positions, random_games, results_of};

const MAX_PLIES: usize = 14;

fn counter(games: &[Game]) -> Counter {
    let mut counter = Counter::new(MAX_PLIES);
    games.iter().for_each(|game| counter.add(game));
    counter
}

fn book_of(candidates: &[Candidate]) -> Book {
    Book::from_bytes(encoded(candidates.iter().flat_map(|candidate| candidate.records.clone()))).unwrap()
}

fn of_games(min_games: u64) -> Criteria {
    Criteria { min_games, min_share: 0.0, min_score: 0.0, ..Criteria::default() }
}

#[test]
fn statistics_agree_with_a_naive_count() {
    let games = random_games(1, 160);
    let witness = results_of(&games, |ply, _, _| ply < MAX_PLIES);
    let counter = counter(&games);
    let book = book_of(&counter.candidates(&of_games(1)));
    let (mut found, mut met) = (0, 0);
    for position in positions(&games) {
        let moves = book.moves(&position);
        let counted = |mv| witness.get(&name_of(&position, mv)).map(|statistics| (mv, statistics));
        let expected: Vec<_> = position.legal_moves().into_iter().filter_map(counted).collect();
        for (mv, statistics) in &expected {
            // On a symmetric board, a move and its mirror image share a record.
            let is_it = |known: &&chuhe::book::BookMove| {
                known.mv == *mv || (position.mirrored() == position && known.mv == mv.mirrored())
            };
            let known = moves.iter().find(is_it).unwrap_or_else(|| panic!("{mv} of {position} is there"));
            assert_eq!(known.record.statistics, **statistics, "{mv} of {position}");
            met += usize::from(statistics.games() > 1);
        }
        for known in &moves {
            assert!(expected.iter().any(|(mv, _)| *mv == known.mv), "{} of {position} was played", known.mv);
        }
        found += moves.len();
    }
    assert!(found > 1_000 && met > 100, "{found} moves were compared, {met} of several games");
}

#[test]
fn mirrored_games_in_another_order_give_the_same_book() {
    let games = random_games(2, 60);
    let mut reflected: Vec<Game> = games.iter().rev().cloned().collect();
    for game in &mut reflected {
        game.nodes.iter_mut().for_each(|played| played.mv = played.mv.mirrored());
    }
    let book = |games: &[Game]| book_of(&counter(games).candidates(&of_games(1)));
    assert!(book(&games).len() > 100);
    assert_eq!(book(&games).bytes(), book(&reflected).bytes());
}

#[test]
fn verification_does_not_depend_on_threads_and_can_be_interrupted() {
    let candidates = counter(&random_games(4, 120)).candidates(&of_games(2));
    let interrupt = CancelFlag::default();
    let verified = |threads, stop_after| {
        let verification = Verification { nodes: 300, max_loss: 60, threads };
        let mut on_progress = |progress: Progress| {
            if progress.positions >= stop_after {
                interrupt.cancel();
            }
        };
        verify(&candidates, &verification, &interrupt, &mut on_progress).unwrap().map(|kept| book_of(&kept))
    };
    let whole = verified(1, usize::MAX).unwrap();
    let unverified = book_of(&candidates);
    assert!(!whole.is_empty() && whole.len() < unverified.len(), "{} of {}", whole.len(), unverified.len());
    assert!(whole.records().all(|record| record.is_verified));
    assert_eq!(verified(3, usize::MAX).unwrap().bytes(), whole.bytes());
    assert!(verified(2, 10).is_none());
}

#[test]
fn a_move_that_loses_a_piece_is_dropped() {
    let games = ["h2h9 i9h9", "h2e2 h9g7", "h2h9 i9h9", "h2e2 h9g7"].map(|moves| game(GameResult::Draw, moves));
    let candidates = counter(&games).candidates(&Criteria::default());
    let verification = Verification { nodes: 5_000, max_loss: 60, threads: 1 };
    let kept = verify(&candidates, &verification, &CancelFlag::default(), &mut |_| {}).unwrap().unwrap();
    let book = book_of(&kept);
    let start = Position::start();
    let moves: Vec<_> =
        book.moves(&start).iter().map(|found| (found.mv.to_string(), found.record.base_weight)).collect();
    assert_eq!(moves, [("b2e2".to_owned(), 10_000)], "it is the only one left");
    assert_eq!(book.moves(&played(start, "h2h9"))[0].mv.to_string(), "i9h9", "the refutation is kept");
}

fn game(result: GameResult, line: &str) -> Game {
    Game { result, ..Game::from_line(Position::start(), moves(line)) }
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
    for (rare_plies, moves) in [(400, &[1, 1, 1, 1, 1, 2][..]), (5, &[1, 1, 1, 1, 2]), (0, &[1, 1, 1, 2])] {
        let candidates = counter.candidates(&Criteria { rare_plies, ..of_games(1) });
        let mut found: Vec<usize> = candidates.iter().map(|candidate| candidate.records.len()).collect();
        found.sort_unstable();
        assert_eq!(found, moves);
    }
}
