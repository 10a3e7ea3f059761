//! Tests books built from games against a naive count.

use std::collections::HashMap;

use chuhe::book::{Book, Record, Statistics, write};
use chuhe::commands::book::{Candidate, Counter, Criteria, Journal, Progress, Verdict, Verification, verify};
use chuhe::notation::game::Game;
use chuhe::position::Position;
use chuhe::util::cancel::CancelFlag;

use crate::naive::{count, played_in, positions, random_games};

const MAX_PLIES: usize = 14;

fn counter(games: &[Game]) -> Counter {
    let mut counter = Counter::new(MAX_PLIES);
    games.iter().for_each(|game| counter.add(game));
    counter
}

fn book_of(candidates: &[Candidate]) -> Book {
    let records: Vec<Record> = candidates.iter().flat_map(|candidate| candidate.records.clone()).collect();
    Book::from_bytes(write(&records, "random games").unwrap()).unwrap()
}

#[test]
fn statistics_agree_with_a_naive_count() {
    let games = random_games(1, 160);
    let all = played_in(&games, MAX_PLIES);
    let counter = counter(&games);
    let everything = Criteria { min_games: 1, min_share: 0.0, min_score: 0.0, ..Criteria::default() };
    let book = book_of(&counter.candidates(&everything));
    let (mut found, mut met) = (0, 0);
    for position in positions(&games) {
        let moves = book.moves(&position);
        let mut expected = Vec::new();
        for mv in position.legal_moves() {
            let statistics = count(&all, &position, mv);
            if statistics.games() > 0 {
                expected.push((mv, statistics));
            }
        }
        for (mv, statistics) in &expected {
            // On a symmetric board, a move and its mirror image share a record.
            let is_it = |known: &&chuhe::book::BookMove| {
                known.mv == *mv || (position.mirrored() == position && known.mv == mv.mirrored())
            };
            let known = moves.iter().find(is_it).unwrap_or_else(|| panic!("{mv} of {position} is there"));
            assert_eq!(known.statistics, *statistics, "{mv} of {position}");
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
fn a_mirrored_game_gives_the_same_book() {
    let games = random_games(2, 60);
    let reflected: Vec<Game> = games
        .iter()
        .map(|game| {
            let mut game = game.clone();
            game.nodes.iter_mut().for_each(|played| played.mv = played.mv.mirrored());
            game
        })
        .collect();
    let criteria = Criteria { min_games: 1, min_share: 0.0, min_score: 0.0, ..Criteria::default() };
    let book = |games: &[Game]| book_of(&counter(games).candidates(&criteria));
    assert!(book(&games).len() > 100);
    assert_eq!(book(&games).bytes(), book(&reflected).bytes());
    let mut other_order = games.clone();
    other_order.reverse();
    assert_eq!(book(&games).bytes(), book(&other_order).bytes());
}

#[test]
fn exactly_the_moves_that_meet_the_criteria_are_kept() {
    let games = random_games(3, 300);
    let counter = counter(&games);
    let everything = Criteria { min_games: 1, min_share: 0.0, min_score: 0.0, ..Criteria::default() };
    let criteria = Criteria { min_games: 2, min_share: 0.2, min_score: 0.4, ..Criteria::default() };
    let all: Vec<Vec<Record>> = counter.candidates(&everything).into_iter().map(|found| found.records).collect();
    let kept: HashMap<_, _> = counter
        .candidates(&criteria)
        .into_iter()
        .flat_map(|found| found.records)
        .map(|record| (record.order(), record.statistics))
        .collect();
    let mut dropped = 0;
    for records in all {
        let games: u64 = records.iter().map(|record| record.statistics.games()).sum();
        for record in records {
            let Statistics { wins, draws, .. } = record.statistics;
            let own = record.statistics.games();
            let is_wanted = own >= 2 && 5 * own >= games && 10 * wins + 5 * draws >= 4 * own as u32;
            assert_eq!(kept.get(&record.order()), is_wanted.then_some(&record.statistics));
            dropped += usize::from(!is_wanted);
        }
    }
    assert!(kept.len() > 50 && dropped > 50, "{} kept, {dropped} dropped", kept.len());
}

/// Verifies the candidates of some games and stops after this number of positions.
fn verified(
    games: &[Game],
    threads: usize,
    max_loss: i32,
    journal: Option<&std::path::Path>,
    stop_after: usize,
) -> Option<Book> {
    let counter = counter(games);
    let criteria = Criteria { min_games: 2, min_share: 0.0, min_score: 0.0, ..Criteria::default() };
    let candidates = counter.candidates(&criteria);
    let verification = Verification { nodes: 300, max_loss, threads };
    let opened = journal.map(|path| Journal::open(path, 300).unwrap());
    let (mut journal, known) = opened.map_or((None, HashMap::new()), |(journal, known)| (Some(journal), known));
    let interrupt = CancelFlag::default();
    let mut on_progress = |progress: Progress| {
        if progress.positions >= stop_after {
            interrupt.cancel();
        }
    };
    verify(&counter, candidates, &verification, &known, journal.as_mut(), &interrupt, &mut on_progress)
        .unwrap()
        .map(|candidates| book_of(&candidates))
}

#[test]
fn verification_depends_on_neither_threads_nor_interruptions() {
    let games = random_games(4, 120);
    let whole = verified(&games, 1, 60, None, usize::MAX).unwrap();
    let unverified = book_of(&counter(&games).candidates(&Criteria {
        min_games: 2,
        min_share: 0.0,
        min_score: 0.0,
        ..Criteria::default()
    }));
    assert!(!whole.is_empty() && whole.len() < unverified.len(), "{} of {}", whole.len(), unverified.len());
    assert!(whole.records().all(|record| record.is_verified));
    assert_eq!(verified(&games, 3, 60, None, usize::MAX).unwrap().bytes(), whole.bytes());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut interruptions = 0;
    for stop_after in [1, 2, 10, 30, usize::MAX] {
        match verified(&games, 2, 60, Some(&path), stop_after) {
            Some(book) => assert_eq!(book.bytes(), whole.bytes()),
            None => interruptions += 1,
        }
    }
    assert!(interruptions > 0);
    // Another threshold needs no new searches and gives the same book as without the journal.
    let strict = verified(&games, 2, 0, Some(&path), 0).expect("everything is known");
    assert_eq!(strict.bytes(), verified(&games, 2, 0, None, usize::MAX).unwrap().bytes());
    assert!(strict.len() < whole.len());
}

#[test]
fn a_move_that_loses_a_piece_is_dropped() {
    let words = ["h2h9 i9h9", "h2e2 h9g7", "h2h9 i9h9", "h2e2 h9g7"];
    let text: String = words.iter().map(|moves| format!("1/2-1/2\t\t{moves}\n")).collect();
    let reader = std::io::Cursor::new(text);
    let games = chuhe::notation::format::Format::Moves.games(reader, chuhe::position::Strictness::Strict);
    let games: Vec<Game> = games.map(Result::unwrap).collect();
    let counter = counter(&games);
    let candidates = counter.candidates(&Criteria::default());
    let verification = Verification { nodes: 5_000, max_loss: 60, threads: 1 };
    let (known, interrupt) = (HashMap::<u64, Verdict>::new(), CancelFlag::default());
    let kept = verify(&counter, candidates, &verification, &known, None, &interrupt, &mut |_| {}).unwrap().unwrap();
    let book = book_of(&kept);
    let mut position = Position::start();
    let moves: Vec<String> = book.moves(&position).iter().map(|found| found.mv.to_string()).collect();
    assert_eq!(moves, ["b2e2"]);
    assert_eq!(book.moves(&position)[0].base_weight, 10_000, "it is the only one left");
    position.play(["h2h9"]).unwrap();
    assert_eq!(book.moves(&position)[0].mv.to_string(), "i9h9", "the refutation is kept");
}
