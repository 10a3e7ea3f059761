//! Search parameters tuned by the moves of players, against games whose player is known: the engine itself.

use chuhe::engine::Engine;
use chuhe::lab::tuning::{Budget, Coding, Method, MoveAgreement, Objective, PlayedMove, Run, SearchSpace};
use chuhe::position::Position;
use chuhe::search::{Limits, Params};

const NODES: u64 = 400;

/// Plays a game of the engine with itself and returns its positions with its moves.
fn played_by(params: Params, first: &str, plies: usize) -> Vec<PlayedMove> {
    let mut engine = Engine::with_hash(1).unwrap();
    engine.set_params(params).unwrap();
    let mut position = Position::start();
    position.play([first]).unwrap();
    (0..plies)
        .map(|_| {
            engine.new_game();
            engine.set_position(position.clone());
            let mv = engine.search(&Limits::nodes(NODES), &mut ()).unwrap().best().unwrap();
            let played = PlayedMove { position: position.clone(), mv };
            position.make(mv);
            played
        })
        .collect()
}

fn planted() -> Params {
    Params { quiescence_margin: 20, reduction_base: 3_000, aspiration_window: 150, ..Params::default() }
}

fn agreement(threads: usize) -> MoveAgreement {
    let names = ["quiescence_margin", "reduction_base", "aspiration_window"];
    let tuned = names.map(|name| Params::parameter(name).unwrap()).to_vec();
    let moves = |firsts: [&str; 2]| firsts.iter().flat_map(|first| played_by(planted(), first, 20)).collect();
    MoveAgreement {
        space: SearchSpace::new(Params::default(), tuned),
        training: moves(["h2e2", "g3g4"]),
        validation: moves(["b0c2", "c0e2"]),
        nodes: NODES,
        threads,
        cancel: Default::default(),
        known: Default::default(),
        failure: None,
    }
}

#[test]
fn an_engine_agrees_with_its_own_moves_alone() {
    let mut choices = agreement(1);
    assert_eq!(choices.share(planted(), &choices.training), Ok(Some(1.0)));
    let other = choices.share(Params::default(), &choices.training).unwrap().unwrap();
    assert!(0.0 < other && other < 1.0, "{other}");
    choices.threads = 3;
    assert_eq!(choices.share(Params::default(), &choices.training), Ok(Some(other)));
    assert_eq!(choices.share(planted(), &[]), Ok(None));
    choices.cancel.cancel();
    assert_eq!(choices.share(planted(), &choices.training), Ok(None));
}

#[test]
fn tuning_raises_the_share_of_moves_found() {
    let mut agreement = agreement(2);
    let vector = [20.0, 3_000.0, 150.0];
    assert_eq!((agreement.loss(&vector), agreement.validation(&vector)), (Some(0.0), Some(0.0)));
    let start: Vec<f64> = agreement.parameters().iter().map(|parameter| parameter.start).collect();
    let before = agreement.loss(&start).unwrap();
    let budget = Budget { losses: Some(80), ..Budget::default() };
    let found = Method::Genetic(Coding::Real).search(&mut agreement, &mut Run::new(budget, 1, &mut |_| {}));
    assert!(found.loss < before, "{} is not below {before}", found.loss);
    assert_eq!(agreement.loss(&found.vector), Some(found.loss), "the loss is exact");
}
