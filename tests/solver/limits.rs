//! Limits of an attempt: moves, nodes, memory, stop, and the choice of first moves.

use std::cell::Cell;

use chuhe::position::Position;
use chuhe::rules::Rules;
use chuhe::solver::{MAX_MATE_MOVES, MateLimits, MateSolver, MateVerdict};

use crate::common::data::{long_mates, mates, position};
use crate::{check_line, mate, solve, solver, verdict};

#[test]
fn no_moves_are_no_mate_and_too_many_are_bounded() {
    let (fen, moves) = mates()[0];
    assert_eq!(verdict(&position(fen), 0), MateVerdict::Refuted);
    assert_eq!(mate(&position(fen), usize::MAX).moves, moves);
    assert_eq!(mate(&position(fen), MAX_MATE_MOVES).moves, moves);
}

#[test]
fn a_side_that_has_lost_mates_no_more() {
    for fen in ["R3k4/1R7/9/9/9/9/9/9/9/3K5 b", "3k5/4R4/9/9/9/9/9/9/4A4/4K4 b"] {
        assert!(!position(fen).has_legal_move(), "{fen}");
        assert_eq!(verdict(&position(fen), 5), MateVerdict::Refuted, "{fen}");
    }
}

#[test]
fn nodes_bound_the_effort() {
    for nodes in [0, 1, 50, 3_000] {
        let limits = MateLimits { nodes, ..MateLimits::moves(20) };
        let result = solve(&Position::start(), &limits);
        assert_eq!((result.verdict, result.nodes), (MateVerdict::Unknown, nodes));
    }
}

#[test]
fn a_stop_ends_the_attempt_with_what_is_proved() {
    let solve_until = |position: &Position, moves, count: u64| {
        let asked = Cell::new(0);
        let is_stopped = || asked.replace(asked.get() + 1) >= count;
        solver().solve(position, Rules::default(), &MateLimits::moves(moves), &is_stopped)
    };
    for count in [0, 1, 7] {
        let result = solve_until(&Position::start(), 20, count);
        assert_eq!(result.verdict, MateVerdict::Unknown);
        assert!(result.nodes <= 1024 * count, "{} nodes after {count}", result.nodes);
    }
    // A mate that is proved already is kept when the search for a shorter one is stopped.
    let (fen, moves) = long_mates()[0];
    let start = position(fen);
    let first = solve(&start, &MateLimits { seek_shortest: false, ..MateLimits::moves(moves) });
    let result = solve_until(&start, moves, first.nodes / 1024 + 2);
    check_line(&start, result.verdict.mate().expect("the mate is kept"));
}

#[test]
fn small_tables_lose_time_but_tell_the_truth() {
    for (bytes, expected) in [(0, 20), (4 << 10, 30), (1 << 20, 40)] {
        let mut solver = MateSolver::new(bytes).unwrap();
        let mut solved = 0;
        for (fen, moves) in mates().into_iter().step_by(3) {
            let position = position(fen);
            let limits = MateLimits { nodes: 20_000, ..MateLimits::moves(moves) };
            let result = solver.solve(&position, Rules::default(), &limits, &|| false);
            assert_ne!(result.verdict, MateVerdict::Refuted, "{fen}");
            if let Some(mate) = result.verdict.mate() {
                check_line(&position, mate);
                solved += 1;
            }
        }
        assert!(solved >= expected, "{solved} of 40 with {bytes} bytes");
    }
    // One megabyte is enough for longer mates too.
    let mut solver = MateSolver::new(1 << 20).unwrap();
    let solved = long_mates().into_iter().filter(|&(fen, moves)| {
        let position = position(fen);
        let limits = MateLimits { nodes: 300_000, seek_shortest: false, ..MateLimits::moves(moves) };
        let result = solver.solve(&position, Rules::default(), &limits, &|| false);
        result.verdict.mate().inspect(|mate| check_line(&position, mate)).is_some()
    });
    assert!(solved.count() >= 30);
}

#[test]
fn a_table_too_large_is_an_error() {
    let error = MateSolver::new(usize::MAX).map(|_| ()).unwrap_err();
    assert!(error.to_string().starts_with("no memory for a table of"), "{error}");
}

#[test]
fn only_the_allowed_first_moves_are_tried() {
    let position = position("3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w");
    let free = mate(&position, 3);
    let only = |first_moves| {
        let limits = MateLimits { first_moves, ..MateLimits::moves(3) };
        solve(&position, &limits).verdict
    };
    let allowed = only(vec![free.line[0]]);
    assert_eq!(allowed.mate().map(|mate| mate.line[0]), Some(free.line[0]));
    assert_eq!(only(vec!["e2e1".parse().unwrap()]), MateVerdict::Refuted);
    let others = position.legal_moves().into_iter().filter(|&mv| mv != free.line[0]).collect();
    assert!(only(others).mate().is_none_or(|mate| mate.line[0] != free.line[0]));
}

#[test]
fn a_solver_forgets_what_it_found_before() {
    let mut one = solver();
    for (fen, moves) in mates().into_iter().skip(40).step_by(11) {
        let (limits, position) = (MateLimits::moves(moves), position(fen));
        let used = one.solve(&position, Rules::default(), &limits, &|| false);
        assert_eq!(used, solve(&position, &limits), "{fen}");
    }
}
