//! Matches rank search parameters.

use chuhe::lab::tuning::{Objective, SearchSpace, Tournament};
use chuhe::notation::openings::Opening;
use chuhe::position::Strictness;
use chuhe::search::Params;

fn tournament(space: SearchSpace) -> Tournament {
    let lines = [
        "h2e2 h9g7",
        "h2e2 h7e7",
        "g3g4 g6g5",
        "g0e2 h7f7",
        "b0c2 c6c5",
        "h2f2 b9c7",
        "h2d2 h9g7",
        "c3c4 h7g7",
        "h0g2 c6c5",
        "b2e2 b9c7",
        "c3c4 g6g5",
        "g3g4 c6c5",
        "h2e2 b9c7",
        "g0e2 h9g7",
        "c0e2 c6c5",
        "b2d2 h7e7",
    ];
    let openings = lines.map(|line| Opening::read(line, Strictness::Strict).unwrap()).to_vec();
    let (cancel, failure) = (Default::default(), None);
    Tournament { space, openings, nodes: 5_000, games: 32, threads: 2, cancel, next_opening: 0, failure }
}

/// Numbers with which hardly anything is left out or reduced, so that few nodes do not reach far.
fn thorough() -> Params {
    Params {
        reverse_futility_depth: 0,
        null_move_depth: 12,
        probcut_depth: 64,
        futility_depth: 0,
        late_move_pruning_depth: 0,
        history_margin: 16_000,
        exchange_depth: 0,
        reduction_base: -1024,
        reduction_factor: 0,
        ..Params::default()
    }
}

#[test]
fn losses_and_differences_have_their_sign() {
    let names = Params::LIST.iter().zip(thorough().values().into_iter().zip(Params::default().values()));
    let parameters: Vec<_> = names.filter(|(_, (one, other))| one != other).map(|(parameter, _)| parameter).collect();
    assert_eq!(parameters.len(), 9);
    let usual: Vec<f64> = parameters.iter().map(|parameter| parameter.default.into()).collect();
    let mut tournament = tournament(SearchSpace::new(thorough(), parameters));
    let start: Vec<f64> = tournament.parameters().iter().map(|parameter| parameter.start).collect();
    assert_eq!(tournament.loss(&start), Some(0.0));
    assert_eq!(tournament.space.params(&usual), Params::default());
    let (loss, difference) = (tournament.loss(&usual).unwrap(), tournament.difference(&start, &usual).unwrap());
    assert!(loss < 0.0 && difference > 0.0, "{loss}, {difference}");
}
