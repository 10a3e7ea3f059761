//! Mates in one to three are found, no longer than the collection says, and lines of full length end in mate.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use chuhe::position::Position;
use chuhe::search::{Clock, Limits, Outcome, Reporter};
use chuhe::types::Value;
use chuhe::types::score::{MATE, is_mate};

use crate::common::data::{after, long_mates, mates, position, short_mates};
use crate::common::network::{test_engine, test_engine_with};
use crate::common::searches::{self, Reports};

/// Searches all mates of the collection with this level of pruning and returns the number solved. Every mate announced
/// must be legal and, where the line is complete, a mate.
fn solved(pruning: &str) -> usize {
    let mut engine = test_engine_with(&[("pruning", pruning)]);
    let (mut solved, mut complete) = (0, 0);
    for &(fen, moves) in &mates() {
        let position = position(fen);
        engine.new_game();
        let limits = Limits { mate: Some(moves), ..Limits::nodes(300_000) };
        let outcome = searches::search(&mut engine, &position, &limits);
        let end = after(position, outcome.line.iter().copied());
        if outcome.score >= MATE - (2 * moves - 1) as Value {
            solved += 1;
        } else {
            println!("pruning {pruning}: {fen} mate in {moves}: {}", outcome.score);
        }
        if is_mate(outcome.score) && outcome.line.len() as Value == MATE - outcome.score {
            assert!(!end.has_legal_move(), "{fen}");
            complete += 1;
        }
    }
    assert!(complete > 100, "only {complete} lines were of full length");
    solved
}

#[test]
fn mates_in_one_to_three_are_found() {
    assert_eq!(mates().len(), 120, "the collection is whole");
    // Pruning may miss a sacrifice for long where the material decides for one side anyway.
    let (pruned, unpruned) = (solved("large"), solved("small"));
    assert!(pruned >= 112 && unpruned >= 118, "{pruned} with all pruning, {unpruned} with little");
}

#[test]
fn being_mated_or_stalemated_next_move_is_seen() {
    let mut engine = test_engine();
    // Black can only wait; the rooks mate next move.
    let outcome = searches::search(&mut engine, &position("3k5/9/R8/7R1/9/9/9/9/4A4/4K4 b"), &Limits::depth(6));
    assert!(is_mate(outcome.score) && outcome.score < 0, "{outcome:?}");
    // Taking away the last move wins as well as mate.
    let outcome = searches::search(&mut engine, &position("3k5/9/4R4/9/9/9/9/9/4A4/4K4 w"), &Limits::depth(4));
    assert_eq!(outcome.score, MATE - 1, "{outcome:?}");
}

/// Searches a position with these parameters of the search.
fn search(position: &Position, params: &str, limits: &Limits) -> Outcome {
    searches::search(&mut test_engine_with(&[("searchparams", params)]), position, limits)
}

#[test]
fn long_mates_are_proved_beside_the_search() {
    let (mut proved, mut complete, mut searched) = (0, 0, 0);
    for (fen, _) in long_mates() {
        let start = position(fen);
        let limits = Limits::nodes(12_000);
        let outcome = search(&start, "", &limits);
        assert!(outcome.nodes <= 12_000, "{fen}: {} nodes", outcome.nodes);
        let end = after(start.clone(), outcome.line.iter().copied());
        if is_mate(outcome.score) && outcome.score > 0 {
            proved += 1;
            complete += usize::from(outcome.line.len() as Value == MATE - outcome.score && !end.has_legal_move());
        }
        searched += usize::from(is_mate(search(&start, "mate_proof_root_share=0", &limits).score));
    }
    assert!(proved >= 42 && complete >= 42 && searched + 20 <= proved, "{proved}, {complete} and {searched}");
}

#[test]
fn short_mates_are_found_at_their_length() {
    for &(fen, moves) in short_mates().iter() {
        let outcome = search(&position(fen), "", &Limits::nodes(30_000));
        assert_eq!((outcome.score, outcome.nodes < 30_000), (MATE - (2 * moves - 1) as Value, true), "{fen}");
    }
    assert_eq!(short_mates().len(), 3);
}

#[test]
fn a_proved_mate_is_played_at_once_and_a_banned_move_is_not() {
    let (fen, moves) = long_mates()[0];
    let start = position(fen);
    // Without a result it would search for an hour.
    let hour = Limits { move_time: Some(Duration::from_secs(3_600)), ..Limits::default() };
    let outcome = search(&start, "", &hour);
    assert!(is_mate(outcome.score) && outcome.line.len() < 2 * moves, "{outcome:?}");
    let first = outcome.best().unwrap();
    let restricted = Limits { banned_moves: vec![first], ..Limits::nodes(20_000) };
    let other = search(&start, "", &restricted);
    assert!(other.best().is_some_and(|mv| mv != first && start.can_play(mv)), "{other:?}");
    // The solver knows no bans, so a restricted search has no proofs: it makes the nodes of a search without a solver.
    assert_eq!(other.nodes, search(&start, "mate_proof_root_share=0", &restricted).nodes);
    assert_eq!(other.score, search(&start, "mate_proof_root_share=0", &restricted).score);
}

#[test]
fn a_mate_proved_while_pondering_waits_for_the_predicted_move() {
    struct Mates(Sender<Value>);
    impl Reporter for Mates {
        fn report(&mut self, report: &Outcome) {
            if is_mate(report.score) {
                // The test may have seen enough.
                let _ = self.0.send(report.score);
            }
        }
    }
    let (fen, moves) = long_mates()[0];
    let clock = Clock { remaining: Duration::from_secs(7_200), increment: Duration::ZERO, moves_to_go: Some(1) };
    let limits = Limits { ponder: true, clock: Some(clock), ..Limits::default() };
    let mut engine = test_engine();
    engine.set_position(position(fen));
    let ((reporter, mates), (sender, outcomes)) = (channel(), channel());
    engine.start(&limits, Mates(reporter), move |outcome| sender.send(outcome).unwrap()).unwrap();
    let minute = Duration::from_secs(60);
    assert!(mates.recv_timeout(minute).unwrap() > 0);
    assert!(outcomes.recv_timeout(Duration::from_millis(200)).is_err(), "the predicted move is not played yet");
    engine.ponder_hit(std::time::Instant::now());
    let outcome = outcomes.recv_timeout(minute).expect("two hours of the clock are not needed");
    assert!(outcome.score > MATE - 2 * moves as Value, "{outcome:?}");
    engine.wait();
}

#[test]
fn the_nodes_of_an_attempt_before_the_search_count() {
    let mut reports = Reports::default();
    let limits = Limits { mate: Some(30), prove_mate: true, ..Limits::nodes(4_000) };
    let outcome = test_engine().search(&limits, &mut reports).unwrap();
    let nodes: Vec<u64> = reports.0.iter().map(|report| report.nodes).collect();
    // Half of them are for the attempt.
    assert!((2_001..3_000).contains(&nodes[0]), "{nodes:?}");
    assert!((3_900..=4_000).contains(&outcome.nodes) && nodes.is_sorted(), "{}, {nodes:?}", outcome.nodes);
}
