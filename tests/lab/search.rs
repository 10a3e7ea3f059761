//! Search parameters: matches rank them, and the moves of a player tell those of a player that is known, the engine
//! itself.

use chuhe::engine::Engine;
use chuhe::lab::match_play::drawn_openings;
use chuhe::lab::tuning::{Coding, Method, MoveAgreement, Objective, PlayedMove, Run, SearchSpace, Tournament};
use chuhe::position::Position;
use chuhe::search::{Limits, Params};
use chuhe::util::cancel::CancelFlag;

use crate::common::data::played;
use crate::common::searches::search;

const NODES: u64 = 400;

/// Plays a game of the engine with itself and returns its positions with its moves.
fn played_by(params: Params, first: &str) -> Vec<PlayedMove> {
    let mut engine = Engine::with_hash(1).unwrap();
    engine.set_params(params).unwrap();
    let mut position = played(Position::start(), first);
    let play = |_| {
        engine.new_game();
        let mv = search(&mut engine, &position, &Limits::nodes(NODES)).best().unwrap();
        let played = PlayedMove { position: position.clone(), mv };
        position.make(mv);
        played
    };
    (0..20).map(play).collect()
}

#[test]
fn tuning_raises_the_share_of_moves_found() {
    let planted = Params { quiescence_margin: 20, reduction_base: 3_000, aspiration_window: 150, ..Params::default() };
    let names = ["quiescence_margin", "reduction_base", "aspiration_window"];
    let tuned = names.map(|name| Params::parameter(name).unwrap()).to_vec();
    let moves = |firsts: [&str; 2]| firsts.iter().flat_map(|first| played_by(planted, first)).collect();
    let mut agreement = MoveAgreement {
        space: SearchSpace::new(Params::default(), tuned),
        training: moves(["h2e2", "g3g4"]),
        validation: moves(["b0c2", "c0e2"]),
        nodes: NODES,
        threads: 1,
        cancel: CancelFlag::default(),
        known: Default::default(),
        failure: None,
    };
    // An engine agrees with its own moves alone, whatever the number of threads.
    assert_eq!(agreement.share(planted, &agreement.training), Ok(Some(1.0)));
    let other = agreement.share(Params::default(), &agreement.training).unwrap().unwrap();
    assert!(0.0 < other && other < 1.0, "{other}");
    agreement.threads = 3;
    assert_eq!(agreement.share(Params::default(), &agreement.training), Ok(Some(other)));
    assert_eq!(agreement.share(planted, &[]), Ok(None));

    let vector = [20.0, 3_000.0, 150.0];
    assert_eq!((agreement.loss(&vector), agreement.validation(&vector)), (Some(0.0), Some(0.0)));
    let cancel = CancelFlag::default();
    let found = Method::Genetic(Coding::Real).search(&mut agreement, &mut Run::new(Some(80), cancel, 1, &mut |_| {}));
    assert!(found.loss < 1.0 - other, "{} is not below {}", found.loss, 1.0 - other);
    assert_eq!(agreement.loss(&found.vector), Some(found.loss), "the loss is exact");
    agreement.cancel.cancel();
    assert_eq!(agreement.share(planted, &agreement.training), Ok(None));
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
    let mut tournament = Tournament {
        space: SearchSpace::new(thorough(), parameters),
        openings: drawn_openings(1),
        nodes: 2_000,
        games: 12,
        threads: 2,
        cancel: CancelFlag::default(),
        next_opening: 0,
        failure: None,
    };
    let start: Vec<f64> = tournament.parameters().iter().map(|parameter| parameter.start).collect();
    assert_eq!(tournament.loss(&start), Some(0.0));
    assert_eq!(tournament.space.params(&usual), Params::default());
    let (loss, difference) = (tournament.loss(&usual).unwrap(), tournament.difference(&start, &usual).unwrap());
    assert!(loss < 0.0 && difference > 0.0, "{loss}, {difference}");
    // Both play from both sides, whatever the number of threads.
    (tournament.nodes, tournament.games) = (300, 4);
    let first = tournament.play(thorough(), Params::default(), 0).unwrap().unwrap();
    tournament.threads = 1;
    assert_eq!(tournament.play(Params::default(), thorough(), 0), Ok(Some(-first)));
    tournament.cancel.cancel();
    assert_eq!(tournament.play(thorough(), thorough(), 0), Ok(None));
}
