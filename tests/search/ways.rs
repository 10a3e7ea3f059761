//! The ways of play that options choose: what is known, which attacks count, how much chance there is, how strong it
//! is.

use std::time::Duration;

use chuhe::engine::{Engine, FULL_SKILL, MIN_SKILL, bench};
use chuhe::eval::{EvalConfig, Evaluator, Knowledge};
use chuhe::position::Position;
use chuhe::search::{Clock, Limits};
use chuhe::types::score::{MATE, is_decisive};
use chuhe::types::{Move, Side, Value};

use crate::common::data::{after, mates, position};
use crate::common::network::{test_engine_with as engine, test_network};
use crate::common::searches::{Reports, search};

/// Red's rook, cannon, horse and pawns stand before the black king; Black has as many men, and none across the river.
const ATTACK: &str = "3akab2/4n4/4b1n2/1PP1R4/6N2/9/1c2r4/4C4/4A4/3AK4 w";

/// The positions of the bench.
fn positions() -> impl Iterator<Item = Position> {
    bench::POSITIONS.iter().map(|fen| position(fen))
}

#[test]
fn the_own_attack_counts_more_in_a_risky_style_and_the_opponents_in_a_solid_one() {
    let attack = position(ATTACK);
    let mut defence = attack.clone();
    defence.make_null(&mut ());
    for position in [attack, defence] {
        let value = |style: &str| {
            let mut engine = engine(&[("style", style)]);
            engine.set_position(position.clone());
            engine.evaluate()
        };
        assert!(value("solid") < value("normal") && value("normal") < value("risky"), "{position}");
        assert_eq!(value("normal"), Evaluator::value_of(&position, &test_network(), EvalConfig::default()));
    }
}

#[test]
fn what_was_found_in_one_way_is_not_used_in_another() {
    for option in [("knowledge", "small"), ("knowledge", "medium"), ("style", "risky"), ("pruning", "small")] {
        let search = |engine: &mut Engine| {
            let outcome = engine.search(&Limits::depth(6), &mut ()).unwrap();
            (outcome.nodes, outcome.score, outcome.line)
        };
        let mut used = engine(&[]);
        let usual = search(&mut used);
        used.set_option(option.0, option.1).unwrap();
        let found = search(&mut used);
        assert_eq!(found, search(&mut engine(&[option])), "{option:?}");
        assert_ne!(found.0, usual.0, "{option:?} makes a difference");
    }
}

#[test]
fn one_engine_plays_both_sides_of_a_game_each_in_its_style() {
    let mut engine = engine(&[("style", "risky")]);
    let mut position = position(ATTACK);
    let mut last: Option<Position> = None;
    for ply in 0..6 {
        let value_with =
            |attacks| Evaluator::value_of(&position, &test_network(), EvalConfig::new(Knowledge::Large, attacks));
        // The attack of the side to move counts 65 to 35.
        let (for_red, for_black) = (value_with([130, 70]), value_with([70, 130]));
        assert_ne!(for_red, for_black, "the style matters in {position}");
        engine.set_position(position.clone());
        assert_eq!(engine.evaluate(), if position.side() == Side::Red { for_red } else { for_black }, "{position}");
        engine.search(&Limits::depth(2), &mut ()).unwrap();
        assert!(engine.probe(&position).is_some(), "what is stored for one side is found again");
        // Later each side has met the positions of the other in its own searches.
        if ply == 1 {
            let last = last.as_ref().unwrap();
            assert!(engine.probe(last).is_none(), "the values of one side are not the other's");
        }
        let is_quiet = |mv: &Move| position.piece_on(mv.to()).is_none() && !position.gives_check(*mv);
        let quiet = position.legal_moves().into_iter().find(is_quiet).unwrap();
        last = Some(position.clone());
        position.make(quiet);
    }
}

/// The value of every move of `position` by a search of full width.
fn values(position: &Position, depth: usize) -> Vec<(Move, Value)> {
    let mut engine = engine(&[("pruning", "none")]);
    let value = |mv: Move| {
        engine.new_game();
        let limits = Limits { search_moves: vec![mv], ..Limits::depth(depth) };
        (mv, search(&mut engine, position, &limits).score)
    };
    position.legal_moves().into_iter().map(value).collect()
}

#[test]
fn chance_costs_no_more_than_twice_the_change_of_an_evaluation() {
    // Full width, so that chance does not change which lines are looked at.
    const DEPTH: usize = 2;
    let mut differ = 0;
    for position in positions() {
        let values = values(&position, DEPTH);
        let best = values.iter().map(|(_, value)| *value).max().unwrap();
        for (level, amplitude) in [("none", 0), ("small", 5), ("medium", 15), ("large", 40)] {
            for seed in ["1", "2", "3", "4", "5", "6"] {
                let mut engine = engine(&[("pruning", "none"), ("seed", seed), ("randomness", level)]);
                let chosen = search(&mut engine, &position, &Limits::depth(DEPTH)).best().unwrap();
                let value = values.iter().find(|(mv, _)| *mv == chosen).unwrap().1;
                assert!(best - value <= 2 * amplitude, "{level} loses {} with {chosen} in {position}", best - value);
                differ += usize::from(value < best);
            }
        }
    }
    assert!(differ > 10, "chance chose something else {differ} times");
}

/// The moves of a game of one engine with itself.
fn game(options: &[(&str, &str)], plies: usize) -> Vec<Move> {
    let mut engine = engine(options);
    engine.new_game();
    let mut position = Position::start();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let Some(best) = search(&mut engine, &position, &Limits::depth(3)).best() else { break };
        position.make(best);
        moves.push(best);
    }
    moves
}

#[test]
fn games_follow_from_the_seed() {
    for chance in [("randomness", "large"), ("skill", "4")] {
        let with_seed = |seed| game(&[chance, ("seed", seed)], 16);
        assert_eq!(with_seed("1"), with_seed("1"), "{chance:?}");
        let others = ["2", "3", "4", "5"];
        assert!(others.iter().all(|seed| with_seed(seed) != with_seed("1")), "{chance:?}");
        let drawn: Vec<_> = (0..6).map(|_| game(&[chance], 16)).collect();
        assert!(drawn.iter().any(|game| *game != drawn[0]), "{chance:?}: six games without a seed were the same");
    }
    assert_eq!(game(&[("seed", "1")], 16), game(&[("seed", "2")], 16), "without chance the seed does not matter");
}

#[test]
fn even_the_lowest_skill_rarely_loses_a_piece_for_nothing() {
    let mut judge = engine(&[]);
    let mut value = |position: &Position, wanted: Vec<Move>| {
        judge.new_game();
        search(&mut judge, position, &Limits { search_moves: wanted, ..Limits::depth(5) }).score
    };
    let (mut played, mut pieces_lost, mut worse) = (0, 0, 0);
    for position in positions() {
        let best = value(&position, Vec::new());
        if is_decisive(best) {
            continue;
        }
        for seed in 1..=20 {
            let mut engine = engine(&[("skill", "1"), ("seed", &seed.to_string())]);
            let chosen = search(&mut engine, &position, &Limits::default()).best().unwrap();
            let loss = best - value(&position, vec![chosen]);
            played += 1;
            worse += usize::from(loss > 30);
            pieces_lost += usize::from(loss > 400);
        }
    }
    assert!(played >= 400 && worse * 4 > played, "it is weak: {worse} of {played} moves lose something");
    assert!(pieces_lost * 10 <= played, "it is not absurd: {pieces_lost} of {played} moves lose a piece");
}

#[test]
fn a_level_of_skill_ends_its_search_by_itself_and_tells_one_line() {
    let hour = Duration::from_secs(3_600);
    let clock =
        Limits { clock: Some(Clock { remaining: 90 * hour, increment: hour, moves_to_go: None }), ..Limits::default() };
    for level in MIN_SKILL..FULL_SKILL {
        let mut engine = engine(&[("Skill Level", &level.to_string())]);
        let mut reports = Reports::default();
        let outcome = engine.search(&clock, &mut reports).unwrap();
        assert!(outcome.finished_depth <= level.max(1) as usize && outcome.best().is_some(), "{level}: {outcome:?}");
        assert!(reports.0.iter().all(|report| report.pv_index == 1), "{level}: {:?}", reports.0);
    }
    let mut engine = engine(&[("skill", "2"), ("multipv", "3")]);
    let mut reports = Reports::default();
    engine.search(&Limits::default(), &mut reports).unwrap();
    assert_eq!(reports.0.iter().map(|report| report.pv_index).max(), Some(3));
}

#[test]
fn skill_does_not_matter_for_analysis_and_chooses_among_what_is_allowed() {
    let mut engine = engine(&[("skill", "1")]);
    let analysis = Limits { infinite: true, ..Limits::depth(6) };
    assert_eq!(engine.search(&analysis, &mut ()).unwrap().finished_depth, 6);
    let wanted: Vec<Move> = vec!["a0a1".parse().unwrap(), "i0i1".parse().unwrap()];
    for _ in 0..10 {
        let limits = Limits { search_moves: wanted.clone(), ..Limits::default() };
        assert!(wanted.contains(&engine.search(&limits, &mut ()).unwrap().best().unwrap()));
    }
}

#[test]
fn every_level_of_skill_mates_in_one() {
    let mates: Vec<_> = mates().into_iter().filter(|(_, moves)| *moves == 1).collect();
    assert!(mates.len() >= 20, "{}", mates.len());
    for (fen, _) in mates {
        for level in ["1", "5", "12", "19"] {
            let mut engine = engine(&[("skill", level)]);
            let outcome = search(&mut engine, &position(fen), &Limits::depth(9));
            assert_eq!(outcome.score, MATE - 1, "level {level} in {fen}");
            assert!(!after(position(fen), outcome.best()).has_legal_move(), "level {level} in {fen}");
        }
    }
}
