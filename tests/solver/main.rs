//! The mate solver against independent witnesses: plain minimax, tablebases and the rules.

mod attempts;
#[path = "../common/mod.rs"]
mod common;
mod limits;
mod proofs;
mod rules;
mod witness;

use chuhe::position::Position;
use chuhe::rules::Rules;
use chuhe::solver::{MateLimits, MateResult, MateSolver, MateVerdict, ProvedMate};

fn solver() -> MateSolver {
    MateSolver::new(8 << 20).unwrap()
}

/// The result of a new solver with the default rules.
fn solve(position: &Position, limits: &MateLimits) -> MateResult {
    solver().solve(position, Rules::default(), limits, &|| false)
}

fn verdict(position: &Position, moves: usize) -> MateVerdict {
    solve(position, &MateLimits::moves(moves)).verdict
}

fn mate(position: &Position, moves: usize) -> ProvedMate {
    match verdict(position, moves) {
        MateVerdict::Proved(mate) => mate,
        other => panic!("no mate in {moves} but {other:?}: {position}"),
    }
}

/// Plays the line, which must be legal, end in mate and take no longer than the proved distance.
fn check_line(position: &Position, mate: &ProvedMate) {
    let mut end = position.clone();
    for (index, &mv) in mate.line.iter().enumerate() {
        assert!(end.can_play(mv), "{mv} in {end}");
        assert!(index % 2 == 1 || !mate.by_checks || end.gives_check(mv), "{mv} in {end}");
        end.make(mv);
    }
    assert!(!end.has_legal_move(), "{position}: {mate:?}");
    assert!(mate.line.len() % 2 == 1 && mate.line.len() < 2 * mate.moves, "{position}: {mate:?}");
}
