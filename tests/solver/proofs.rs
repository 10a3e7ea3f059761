//! Proofs and refutations agree with plain minimax and with tablebases.

use chuhe::counting::Ranking;
use chuhe::position::Position;
use chuhe::solver::{MateLimits, MateVerdict};
use chuhe::tablebase::{Endings, Metric, TablebaseValue, needed_for};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::common::data::{long_mates, mates, position};
use crate::common::placements::random_placement;
use crate::common::walks::random_games;
use crate::witness::Witness;
use crate::{check_line, mate, solve, verdict};

fn shortest(position: &Position, max_moves: usize) -> Option<usize> {
    let mut witness = Witness::default();
    (1..=max_moves).find(|&moves| witness.mates_within(&mut position.clone(), moves))
}

/// The solver must find the same shortest mate as the witness, or refute it like the witness.
fn compare(position: &Position, max_moves: usize) -> bool {
    let expected = shortest(position, max_moves);
    match (expected, verdict(position, max_moves)) {
        (Some(moves), MateVerdict::Proved(mate)) => {
            assert_eq!((mate.moves, mate.is_shortest), (moves, true), "{position}");
            assert_eq!(mate.line.len(), 2 * moves - 1, "{position}: the longest defence");
            check_line(position, &mate);
        }
        (None, MateVerdict::Refuted) => {}
        (expected, found) => panic!("{position}: {expected:?} but {found:?}"),
    }
    expected.is_some()
}

#[test]
fn short_mates_and_refutations_agree_with_minimax() {
    let mut counts = [[0; 2]; 2];
    let mut try_position = |kind: usize, position: &Position, max_moves| {
        counts[kind][usize::from(compare(position, max_moves))] += 1;
    };
    for (fen, moves) in mates() {
        try_position(0, &position(fen), moves.min(2));
    }
    random_games(31, 12, 120, |position, _| {
        if position.history().len() % 12 == 0 {
            try_position(0, position, 2);
        }
    });
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for ending in ["KRNvKAB", "KCNPvKAA", "KNPPvKAB", "KRPvKNA", "KCCAAvKAA"] {
        let ranking = Ranking::new(ending.parse().unwrap());
        let drawn = std::iter::repeat_with(|| random_placement(&ranking, &mut random));
        drawn
            .filter_map(|(placement, side)| placement.position(side).ok())
            .take(60)
            .for_each(|position| try_position(1, &position, 3));
    }
    let [[refuted, mated], [refuted_endings, mated_endings]] = counts;
    assert!(mated > 60 && refuted > 60, "{mated} mates, {refuted} refutations");
    assert!(mated_endings > 25 && refuted_endings > 100, "{mated_endings} mates, {refuted_endings} refutations");
}

#[test]
fn every_defence_is_mated_in_time() {
    let mut long_lines = 0;
    for (fen, moves) in mates() {
        let position = position(fen);
        let mate = mate(&position, moves);
        check_line(&position, &mate);
        // Each move of the attacker in the line mates whatever the defence, not only against the one in the line.
        let mut at = position.clone();
        for (index, pair) in mate.line.chunks(2).enumerate() {
            assert!(Witness::default().mates_by(&mut at, pair[0], mate.moves - index), "{fen}: {mate:?}");
            pair.iter().for_each(|&mv| at.make(mv));
        }
        long_lines += usize::from(mate.line.len() == 5);
    }
    assert!(long_lines > 20, "only {long_lines} lines of three moves");
}

#[test]
fn the_distance_of_a_first_mate_holds() {
    let first = |position: &Position, moves| {
        let limits = MateLimits { seek_shortest: false, ..MateLimits::moves(moves) };
        solve(position, &limits).verdict.mate().unwrap().clone()
    };
    // The rook stalemates at once or mates in three.
    let stalemate = first(&position("3k5/R8/9/9/9/9/9/4K4/9/9 w"), 5);
    assert_eq!((stalemate.moves, stalemate.line.len(), stalemate.is_shortest), (1, 1, true));
    // Checks mate too, but the fastest move is quiet.
    let fen = "3k5/9/R1P6/9/9/9/9/9/9/4K4 w";
    let quiet = first(&position(fen), 5);
    assert_eq!((quiet.moves, quiet.by_checks), (1, false));
    check_line(&position(fen), &quiet);
    let mut verified = 0;
    for (fen, moves) in mates() {
        let position = position(fen);
        let mate = first(&position, moves + 4);
        check_line(&position, &mate);
        if mate.moves <= 3 {
            assert!(Witness::default().mates_by(&mut position.clone(), mate.line[0], mate.moves), "{fen}: {mate:?}");
            verified += 1;
        }
    }
    assert!(verified > 20, "only {verified} mates of at most three moves");
}

#[test]
fn long_mates_by_checks_hold_against_every_defence() {
    let mut verified = 0;
    for (fen, moves) in long_mates() {
        let position = position(fen);
        let limits = MateLimits { nodes: 300_000, seek_shortest: false, ..MateLimits::moves(moves) };
        let result = solve(&position, &limits);
        let Some(mate) = result.verdict.mate() else { continue };
        check_line(&position, mate);
        if mate.by_checks {
            let mut witness = Witness::of_checks();
            assert!(witness.mates_by(&mut position.clone(), mate.line[0], mate.moves), "{fen}: {mate:?}");
            verified += 1;
        }
    }
    assert!(verified >= 25, "only {verified} of {} mates are by checks", long_mates().len());
}

#[test]
fn distances_agree_with_tablebases() {
    let mut tables = Endings::default();
    let endings = ["KNvKA", "KPvKB", "KRvK"].map(|ending| ending.parse().unwrap());
    for ending in needed_for(&endings).unwrap() {
        tables.solve(ending, Metric::Mate, 2, |_| ()).unwrap();
    }
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let (mut won, mut longest, mut others) = (0, 0, 0);
    for ending in endings {
        let ranking = Ranking::new(ending);
        let mut met = 0;
        while met < 150 {
            let (placement, side) = random_placement(&ranking, &mut random);
            let Ok(position) = placement.position(side) else { continue };
            met += 1;
            match tables.value(&placement, side) {
                Some(TablebaseValue::Win(plies)) if plies <= 11 => {
                    let moves = usize::from(plies).div_ceil(2);
                    let mate = mate(&position, 6);
                    assert_eq!((mate.moves, mate.is_shortest), (moves, true), "{position}");
                    assert_eq!(mate.line.len(), usize::from(plies), "{position}");
                    check_line(&position, &mate);
                    if moves > 1 {
                        assert_eq!(verdict(&position, moves - 1), MateVerdict::Refuted, "{position}");
                    }
                    won += 1;
                    longest = longest.max(plies);
                }
                Some(_) => {
                    assert_eq!(verdict(&position, 5), MateVerdict::Refuted, "{position}");
                    others += 1;
                }
                None => {}
            }
        }
    }
    assert!(won > 40 && others > 40 && longest >= 9, "{won} won, the longest in {longest} plies; {others} others");
}
