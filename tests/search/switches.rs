//! Parts of the search that parameters switch on and off.

use chuhe::engine::{Engine, EngineError, bench};
use chuhe::eval::{EvalConfig, Evaluator};
use chuhe::position::Position;
use chuhe::search::{Limits, Outcome, ParameterError, Params, PvReport, Reporter};

use crate::common::data::{mates, position};
use crate::common::network::{test_engine, test_network};

/// No correction history, which depends on the order of the search.
const UNCORRECTED: &str = "correction_pawn_weight=0 correction_minor_weight=0 correction_pieces_weight=0 \
                           correction_last_moves_weight=0 correction_earlier_move_weight=0";
/// Evaluations as they are.
const UNSCALED: &str = "material_scale_base=100 material_scale_range=0";

fn engine(options: &[(&str, &str)]) -> Engine {
    let mut engine = test_engine();
    for (name, value) in options {
        engine.set_option(name, value).unwrap();
    }
    engine
}

fn search(engine: &mut Engine, position: &Position, depth: usize) -> Outcome {
    engine.new_game();
    engine.set_position(position.clone());
    engine.search(&Limits::depth(depth), &mut ()).unwrap()
}

/// Every fourth position of the bench.
fn positions() -> impl Iterator<Item = Position> {
    bench::POSITIONS.iter().step_by(4).map(|fen| position(fen))
}

fn switches() -> impl Iterator<Item = &'static str> {
    Params::LIST.iter().filter(|parameter| parameter.is_switch()).map(|parameter| parameter.name)
}

#[test]
fn every_switch_changes_the_search() {
    let nodes = |params: &str| -> u64 {
        let mut engine = engine(&[("searchparams", params)]);
        positions().map(|position| search(&mut engine, &position, 7).nodes).sum()
    };
    let usual = nodes("");
    for name in switches() {
        let other = 1 - Params::default().get(name).unwrap();
        assert_ne!(nodes(&format!("{name}={other}")), usual, "{name}");
    }
}

#[test]
fn the_value_of_a_full_search_does_not_depend_on_its_order_and_windows() {
    // With the table a value may come from a search with another line before it.
    let value = |position: &Position, params: &str| {
        let params = format!("{UNCORRECTED} {UNSCALED} use_transposition_table=0 {params}");
        let mut engine = engine(&[("pruning", "none"), ("searchparams", &params)]);
        search(&mut engine, position, 3).score
    };
    // The windows that iterations beyond these depths use, and narrower ones, which fail high and low more often.
    let windows = "aspiration_depth=1 aspiration_window=4";
    let orders = ["use_killers=0", "use_history=0", "use_exchange_order=0", windows, "use_null_windows=0"];
    for position in positions() {
        let usual = value(&position, "");
        for order in orders.into_iter().chain([orders.join(" ").as_str()]) {
            assert_eq!(value(&position, order), usual, "{order}: {position}");
        }
    }
}

#[test]
fn without_quiescence_the_horizon_is_the_evaluation() {
    let params = format!("{UNCORRECTED} {UNSCALED} use_quiescence=0 use_transposition_table=0");
    let mut engine = engine(&[("pruning", "none"), ("searchparams", &params)]);
    for position in positions() {
        let best = position.legal_moves().into_iter().map(|mv| {
            let mut after = position.clone();
            after.make(mv);
            -Evaluator::value_of(&after, &test_network(), EvalConfig::default())
        });
        let best = best.max().unwrap();
        assert_eq!(search(&mut engine, &position, 1).score, best, "{position}");
    }
}

#[test]
fn scores_leave_the_search_in_the_unit_of_the_evaluation() {
    struct LastScore(Option<i32>);
    impl Reporter for LastScore {
        fn report(&mut self, report: &PvReport) {
            self.0 = Some(report.score);
        }
    }
    // No capture is possible, so that all positions have the scale of the root.
    let position = position("3akab2/9/4b4/p7p/9/9/P7P/4B4/9/R2AKAB2 w - - 0 1");
    let best = position.legal_moves().into_iter().map(|mv| {
        assert!(position.piece_on(mv.to()).is_none());
        let mut after = position.clone();
        after.make(mv);
        -Evaluator::value_of(&after, &test_network(), EvalConfig::default())
    });
    let best = best.max().unwrap();
    let (mut scores, mut reported) = (Vec::new(), Vec::new());
    for scale in ["material_scale_base=40 material_scale_range=0", "material_scale_base=160 material_scale_range=160"] {
        let params = format!("{UNCORRECTED} use_quiescence=0 use_transposition_table=0 {scale}");
        let mut engine = engine(&[("pruning", "none"), ("searchparams", &params)]);
        engine.set_position(position.clone());
        let mut last = LastScore(None);
        scores.push(engine.search(&Limits::depth(1), &mut last).unwrap().score);
        reported.push(last.0.unwrap());
    }
    assert_eq!(scores, reported);
    // Rounding takes up to a centipawn on the way in and, divided by the scale, up to three on the way out.
    assert!(best.abs() > 100 && scores.iter().all(|score| (score - best).abs() <= 3), "{scores:?} {best}");
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

#[test]
fn refused_parameters_change_nothing() {
    let mut engine = engine(&[("searchparams", "use_killers=0;futility_base=90")]);
    let set = *engine.params();
    assert_eq!((set.use_killers, set.futility_base), (0, 90));
    for (text, fault) in [
        ("use_killers=2", "use_killers must lie between 0 and 1, not be 2"),
        ("nonsense=1", "there is no search parameter 'nonsense'"),
        ("futility_base", "'futility_base' is not of the form name=number"),
        ("futility_base=90 history_margin=x", "'history_margin=x' is not of the form name=number"),
    ] {
        let refused = engine.set_option("searchparams", text);
        assert!(matches!(refused, Err(EngineError::Parameter(_))), "{text}");
        assert_eq!(refused.unwrap_err().to_string(), format!("searchparams: {fault}"));
        assert_eq!(*engine.params(), set, "{text}");
    }
    assert_eq!("x=1".parse::<Params>(), Err(ParameterError::Unknown("x".to_owned())));
    engine.set_option("searchparams", "").unwrap();
    assert_eq!(*engine.params(), Params::default());
}
