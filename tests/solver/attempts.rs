//! Attempts beside another search, against plain minimax.

use chuhe::position::Position;
use chuhe::rules::Rules;
use chuhe::solver::{MateAttempt, MateSolver};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::{after, long_mates, mates, position};
use crate::witness::Witness;

const ENOUGH: u64 = 1_000_000;

fn prover(root: &Position) -> MateSolver {
    let mut prover = MateSolver::new(1 << 20).unwrap();
    prover.set_root(Rules::default(), root, MateSolver::MAX_PLIES);
    prover
}

/// Walks through random moves from positions with mates, so that both sides attack with the same table.
fn walk(plies: usize, mut visit: impl FnMut(&mut MateSolver, &mut Position)) {
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    for (fen, _) in mates() {
        let mut position = position(fen);
        let mut prover = prover(&position);
        for _ in 0..plies {
            visit(&mut prover, &mut position);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[rng.random_range(0..moves.len())]);
        }
    }
}

#[test]
fn checks_mate_where_plain_minimax_mates_by_checks() {
    let mut found = [0; 2];
    let mut refuted = 0;
    walk(8, |prover, position| {
        let mut witness = Witness::of_checks();
        for moves in [1, 2, 3] {
            let before = position.clone();
            let attempt = prover.prove_by_checks(position, 2 * moves - 1, ENOUGH);
            assert_eq!(*position, before);
            let expected = witness.mates_within(position, moves);
            assert_eq!(attempt.mate.is_some(), expected, "{moves}: {position}");
            match attempt.mate {
                Some(mate) => {
                    assert!(mate.plies < 2 * moves, "{moves}: {position}");
                    assert!(witness.mates_by(position, mate.line[0], moves), "{}: {position}", mate.line[0]);
                    found[position.side().index()] += 1;
                }
                None => {
                    assert_eq!(attempt.refuted_attacks, 1);
                    refuted += 1;
                }
            }
        }
    });
    let [red, black] = found;
    assert!(red > 100 && black > 20 && refuted > 500, "{red} {black} {refuted}");
}

#[test]
fn all_moves_mate_where_plain_minimax_mates() {
    let (mut found, mut refuted, mut whole) = (0, 0, 0);
    walk(4, |prover, position| {
        let expected = Witness::default().mates_within(position, 2);
        // An even number of plies leaves no time for another move of the attacker.
        let attempt = prover.prove_by_each_attack(position, 4, ENOUGH, true, &|| false);
        assert_eq!(attempt.mate.is_some(), expected, "{position}");
        assert_eq!(attempt.refuted_attacks == MateAttempt::ALL_ATTACKS, !expected, "{position}");
        let Some(mate) = attempt.mate else {
            refuted += 1;
            return;
        };
        found += 1;
        whole += usize::from(!after(position.clone(), mate.line).has_legal_move());
    });
    assert!(found > 60 && refuted > 200 && whole == found, "{found} {refuted} {whole}");
}

#[test]
fn an_attempt_goes_on_where_an_earlier_one_ended() {
    let (mut at_once, mut later) = (0, 0);
    for (fen, moves) in long_mates() {
        let mut position = position(fen);
        let before = position.clone();
        let mut prover = prover(&position);
        for number in 1..=200 {
            let attempt = prover.prove_by_each_attack(&mut position, 2 * moves - 1, 900, true, &|| false);
            assert!(attempt.nodes <= 900, "{} nodes", attempt.nodes);
            assert_eq!(position, before);
            if let Some(mate) = attempt.mate {
                assert!(mate.plies < 2 * moves, "{fen}");
                *(if number == 1 { &mut at_once } else { &mut later }) += 1;
                break;
            }
        }
    }
    assert!(at_once >= 12 && later >= 12 && at_once + later >= 28, "{at_once} {later}");
}

#[test]
fn a_prover_without_a_root_or_without_plies_proves_nothing() {
    let (fen, _) = mates()[0];
    let mut position = position(fen);
    let mut without_root = MateSolver::new(1 << 20).unwrap();
    assert_eq!(without_root.prove_by_checks(&mut position, 9, ENOUGH), MateAttempt::default());
    let mut prover = prover(&position);
    assert_eq!(prover.prove_by_checks(&mut position, 0, ENOUGH).mate, None);
    assert_eq!(prover.prove_by_checks(&mut position, 9, 0).mate, None);
    let stopped = prover.prove_by_each_attack(&mut position, 9, ENOUGH, true, &|| true);
    assert_eq!((stopped.mate, stopped.nodes), (None, 0));
}
