//! Search parameters tuned by the moves of players, against games whose player is known: the engine itself.

use std::path::Path;

use chuhe::engine::Engine;
use chuhe::lab::tuning::{
    Budget, Choices, LoadSettings, Method, MoveAgreement, Objective, PlayedMove, PlayedMoves, Run, Selection,
    load_played_moves,
};
use chuhe::position::Position;
use chuhe::search::{Limits, Params};

use super::loading::load_text_by;

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

fn choices(threads: usize) -> Choices {
    let moves = |firsts: [&str; 2]| firsts.iter().flat_map(|first| played_by(planted(), first, 20)).collect();
    Choices {
        training: moves(["h2e2", "g3g4"]),
        validation: moves(["b0c2", "c0e2"]),
        nodes: NODES,
        threads,
        cancel: Default::default(),
    }
}

#[test]
fn an_engine_agrees_with_its_own_moves_alone() {
    let choices = choices(1);
    assert_eq!(choices.share(planted(), &choices.training), Ok(Some(1.0)));
    let other = choices.share(Params::default(), &choices.training).unwrap().unwrap();
    assert!(0.0 < other && other < 1.0, "{other}");
    let on_three_threads = Choices { threads: 3, ..choices.clone() };
    assert_eq!(on_three_threads.share(Params::default(), &choices.training), Ok(Some(other)));
    assert_eq!(choices.share(planted(), &[]), Ok(None));
    choices.cancel.cancel();
    assert_eq!(choices.share(planted(), &choices.training), Ok(None));
}

#[test]
fn tuning_raises_the_share_of_moves_found() {
    let names = ["quiescence_margin", "reduction_base", "aspiration_window"];
    let tuned = names.map(|name| Params::parameter(name).unwrap()).to_vec();
    let mut agreement = MoveAgreement::new(choices(2), Params::default(), tuned);
    let vector = [20.0, 3_000.0, 150.0];
    assert_eq!((agreement.loss(&vector), agreement.validation(&vector)), (Some(0.0), Some(0.0)));
    let start: Vec<f64> = agreement.parameters().iter().map(|parameter| parameter.start).collect();
    let before = agreement.loss(&start).unwrap();
    let budget = Budget { losses: Some(80), ..Budget::default() };
    let found = Method::Genetic.search(&mut agreement, &mut Run::new(budget, 1, &mut |_| {}));
    assert!(found.loss < before, "{} is not below {before}", found.loss);
    assert_eq!(agreement.loss(&found.vector), Some(found.loss), "the loss is exact");
}

#[test]
fn moves_are_spread_over_the_game_and_whole_games_are_held_out() {
    let games = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.tsv"));
    let load = |per_game, from_ply, validation_share| -> PlayedMoves {
        let selection = Selection { per_game, from_ply, ..Selection::default() };
        let settings = LoadSettings { selection, validation_share, ..LoadSettings::default() };
        load_played_moves(games, &settings, &mut |fault| panic!("{fault}")).unwrap()
    };
    let lengths: Vec<usize> = std::fs::read_to_string(games)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').nth(2).unwrap().split_whitespace().count())
        .collect();
    let all = load(0, 0, 0.0);
    let forced = lengths.iter().sum::<usize>() - all.training.len();
    assert!(forced * 20 < all.training.len(), "{forced} moves without a choice");
    assert!(all.training.iter().all(|played| played.position.can_play(played.mv)));
    assert!(all.training.iter().all(|played| played.position.legal_moves().len() > 1));
    // The position after the opening moves has no history; later ones keep it to the last capture.
    assert!(all.training.iter().all(|played| played.position.history().len() == played.position.reversible_plies()));

    let few = load(4, 20, 0.0);
    assert_eq!(
        few.training.len(),
        4 * lengths.iter().filter(|&&length| length >= 40).count() + {
            lengths.iter().filter(|&&length| length < 40).map(|&length| length.saturating_sub(20).min(4)).sum::<usize>()
        }
    );
    assert!(few.training.iter().all(|played| played.position.move_number() > 10));

    let split = load(0, 0, 0.3);
    assert_eq!(split.training.len() + split.validation.len(), all.training.len());
    assert!(!split.training.is_empty() && !split.validation.is_empty());
    assert_eq!((split.games, all.games), (lengths.len(), lengths.len()));
}

#[test]
fn bad_games_are_reported_and_other_files_refused() {
    let settings = LoadSettings::default();
    let load = |text: &str| {
        load_text_by(text, |path, on_fault| {
            let settings = LoadSettings {
                selection: Selection { from_ply: 0, ..settings.selection },
                validation_share: 0.0,
                ..settings.clone()
            };
            load_played_moves(path, &settings, on_fault)
        })
    };
    let (moves, faults) = load("1-0\t\th2e2 h9g7\n1-0\t\th2e2 h2e2\n");
    assert_eq!((moves.unwrap().training.len(), faults.len()), (2, 1), "{faults:#?}");
    let (moves, _) = load("3ak4/9/9/9/9/9/9/9/4A4/3RK4 w\t1-0\n");
    assert!(moves.unwrap_err().to_string().ends_with(": it holds no games of players"));
}
