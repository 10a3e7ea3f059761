//! Parts of the search that toggles of the laboratory turn on and off.

use chuhe::engine::{Engine, bench};
use chuhe::eval::{EvalConfig, Evaluator};
use chuhe::position::Position;
use chuhe::search::{Limits, Outcome, Params};

use crate::common::data::{after, mates, position};
use crate::common::network::{test_engine_with as engine, test_network};
use crate::common::searches;

/// Evaluations as they are.
const UNSCALED: &str = "material_scale_base=100 material_scale_range=0";

fn search(engine: &mut Engine, position: &Position, depth: usize) -> Outcome {
    engine.new_game();
    searches::search(engine, position, &Limits::depth(depth))
}

/// Every fourth position of the bench.
fn positions() -> impl Iterator<Item = Position> {
    bench::POSITIONS.iter().step_by(4).map(|fen| position(fen))
}

fn toggles() -> impl Iterator<Item = &'static str> {
    Params::LIST.iter().filter(|parameter| parameter.is_toggle()).map(|parameter| parameter.name)
}

#[test]
fn every_toggle_changes_the_search() {
    let nodes = |params: &str| -> u64 {
        let mut engine = engine(&[("searchparams", params)]);
        positions().map(|position| search(&mut engine, &position, 7).nodes).sum()
    };
    let usual = nodes("");
    for name in toggles() {
        let other = 1 - Params::default().get(name).unwrap();
        assert_ne!(nodes(&format!("{name}={other}")), usual, "{name}");
    }
}

#[test]
fn the_value_of_a_full_search_does_not_depend_on_its_order_and_windows() {
    // With the table a value may come from a search with another line before it.
    let value = |position: &Position, params: &str| {
        let params = format!("use_correction=0 {UNSCALED} use_transposition_table=0 {params}");
        let mut engine = engine(&[("pruning", "none"), ("searchparams", &params)]);
        search(&mut engine, position, 3).score
    };
    // The windows that iterations beyond these depths use, and narrower ones, which fail high and low more often.
    let windows = "aspiration_depth=1 aspiration_window=4";
    let orders = ["use_history=0", "use_exchange_order=0", windows, "use_null_windows=0"];
    for position in positions() {
        let usual = value(&position, "");
        for order in orders.into_iter().chain([orders.join(" ").as_str()]) {
            assert_eq!(value(&position, order), usual, "{order}: {position}");
        }
    }
}

#[test]
fn without_quiescence_the_horizon_is_the_evaluation() {
    let params = format!("use_correction=0 {UNSCALED} use_quiescence=0 use_transposition_table=0");
    let mut engine = engine(&[("pruning", "none"), ("searchparams", &params)]);
    for position in positions() {
        let best = position
            .legal_moves()
            .into_iter()
            .map(|mv| -Evaluator::value_of(&after(position.clone(), [mv]), &test_network(), EvalConfig::default()));
        let best = best.max().unwrap();
        assert_eq!(search(&mut engine, &position, 1).score, best, "{position}");
    }
}

#[test]
fn extended_checks_find_mates_at_a_lower_depth() {
    let mut depths = [0, 0];
    for (sum, params) in depths.iter_mut().zip(["use_reductions=0", "use_reductions=0 check_extension=1"]) {
        let mut engine = engine(&[("searchparams", params)]);
        for (fen, _) in mates().into_iter().filter(|(_, moves)| *moves == 3).take(12) {
            let position = position(fen);
            let found = (1..=8).find(|depth| {
                let score = search(&mut engine, &position, *depth).score;
                chuhe::types::score::is_mate(score) && score > 0
            });
            *sum += found.unwrap_or(9);
        }
    }
    assert!(depths[1] < depths[0], "{depths:?}");
}
