//! An engine with tablebases plays by them.

use std::collections::BTreeMap;

use chuhe::engine::{Engine, EngineError};
use chuhe::position::Position;
use chuhe::search::Limits;
use chuhe::tablebase::{Metric, Outcome, TablebaseValue, Tablebases};
use chuhe::types::score::{DRAW, MAX_PLY, TABLEBASE_WIN};

use crate::common::data::{after, position};
use crate::common::searches::{Reports, search};

fn engine() -> Engine {
    let mut engine = Engine::with_hash(1).unwrap();
    engine.set_option("useegtb", "true").unwrap();
    engine
}

#[test]
fn won_positions_are_won_and_drawn_ones_held() {
    let tables = super::solved(&["KNvKA", "KRvKAAB", "KPvKA"], Metric::Conversion);
    let (shelf, _) = Tablebases::open(&[]);
    let mut engine = engine();
    for ending in ["KNvKA", "KRvKAAB", "KPvKA"] {
        let table = tables.get(ending.parse().unwrap()).unwrap();
        let won =
            table.decided_positions().filter(|(_, value)| matches!(value, TablebaseValue::Win(plies) if *plies > 4));
        for (fen, _) in won.step_by(table.statistics().counts[0].won as usize / 14) {
            let mut position = Position::from_fen(&fen).unwrap();
            while let Some(mv) = {
                let outcome = search(&mut engine, &position, &Limits::nodes(300));
                assert!(outcome.score >= TABLEBASE_WIN - MAX_PLY as i32, "{position}: {}", outcome.score);
                outcome.best()
            } {
                position.make(mv);
                // The defender holds out as long as it can.
                let Some((reply, _)) = shelf.moves(&position).unwrap().into_iter().next() else { break };
                position.make(reply);
                assert!(position.history().len() < 120, "{fen}");
            }
            assert!(!position.has_legal_move(), "{fen}: {position}");
        }
    }
}

#[test]
fn a_draw_is_held_and_reported() {
    let fen = "2b1ka3/4a4/4b4/9/9/9/9/9/R3K4/9 b";
    let mut engine = engine();
    let (shelf, _) = Tablebases::open(&[]);
    let mut position = Position::from_fen(fen).unwrap();
    for _ in 0..20 {
        let outcome = search(&mut engine, &position, &Limits::nodes(300));
        assert_eq!(outcome.score, DRAW);
        position.make(outcome.best().unwrap());
        assert_eq!(shelf.value(&position).unwrap().outcome(), Outcome::Draw, "{position}");
        // The attacker plays the move that keeps most replies open.
        let reply = position.legal_moves().into_iter().max_by_key(|mv| (mv.from().index() * 7 + mv.to().index()) % 31);
        position.make(reply.unwrap());
    }
}

/// Searches a position; returns the outcome with the last score of every line.
fn search_lines(
    engine: &mut Engine,
    position: Position,
    limits: &Limits,
) -> (chuhe::search::Outcome, BTreeMap<usize, i32>) {
    let mut reports = Reports::default();
    engine.set_position(position);
    let outcome = engine.search(limits, &mut reports).unwrap();
    (outcome, reports.0.iter().map(|report| (report.pv_index, report.score)).collect())
}

#[test]
fn a_draw_is_reported_by_every_thread_and_for_every_line() {
    let draw = "2b1ka3/4a4/4b4/9/9/9/9/9/4K4/R8 w";
    for (name, value, lines, contempt) in [("threads", "2", 1, 0), ("threads", "2", 1, 30), ("multipv", "3", 3, 30)] {
        let mut engine = engine();
        engine.set_option(name, value).unwrap();
        for nodes in [2_000, 5_000, 20_000] {
            let limits = Limits { contempt, ..Limits::nodes(nodes) };
            let (outcome, scores) = search_lines(&mut engine, position(draw), &limits);
            // Several lines are an analysis.
            let draw = if lines > 1 { DRAW } else { DRAW - contempt };
            assert_eq!(outcome.score, draw, "{name}");
            assert_eq!(scores.len(), lines);
            // Some of several lines may lose the rook.
            assert!(scores.values().all(|&score| score <= draw), "{name}: {scores:?}");
        }
    }
}

#[test]
fn several_lines_are_in_the_order_of_the_tables() {
    let tables = super::solved(&["KNvKA", "KRvKAAB"], Metric::Conversion);
    let (shelf, _) = Tablebases::open(&[]);
    for (ending, lines) in [("KNvKA", "2"), ("KNvKA", "100"), ("KRvKAAB", "100")] {
        let table = tables.get(ending.parse().unwrap()).unwrap();
        let mut engine = engine();
        engine.set_option("multipv", lines).unwrap();
        let step = table.statistics().counts[0].won as usize / 40;
        for (fen, value) in table.decided_positions().step_by(step) {
            let position = Position::from_fen(&fen).unwrap();
            engine.new_game();
            let (outcome, scores) = search_lines(&mut engine, position.clone(), &Limits::depth(1));
            assert!(scores.values().is_sorted_by(|one, next| one >= next), "{fen}: {scores:?}");
            let after = after(position, outcome.best());
            if matches!(value, TablebaseValue::Win(_)) {
                assert_eq!(shelf.value(&after).unwrap().outcome(), Outcome::Loss, "{fen}: {outcome:?}");
            }
        }
    }
}

#[test]
fn a_win_beyond_the_move_limit_is_not_reported() {
    // A horse needs a while against an advisor; 115 of 120 plies have gone by.
    let fen = |plies| format!("3ak4/9/9/9/9/9/9/9/3N5/3K5 w - - {plies} 60");
    let mut engine = engine();
    let mut score = |plies: u32| search(&mut engine, &position(&fen(plies)), &Limits::depth(3)).score;
    assert!(score(0) >= TABLEBASE_WIN - MAX_PLY as i32);
    assert!(score(115) < TABLEBASE_WIN - MAX_PLY as i32);
}

#[test]
fn captures_into_known_endings_are_scored_exactly() {
    // The rook may take the advisor or the horse; what is left is known either way.
    let fen = "3ak4/9/4b4/9/9/9/3n5/9/3R5/4K4 w";
    let search = |mut engine: Engine| {
        let mut reports = Reports::default();
        engine.set_position(position(fen));
        let outcome = engine.search(&Limits::depth(4), &mut reports).unwrap();
        (outcome, reports.0.last().unwrap().tbhits)
    };
    let (outcome, hits) = search(engine());
    assert!(hits > 0);
    assert_eq!(outcome.best().unwrap().to_string(), "d1d3");
    assert!(outcome.score >= TABLEBASE_WIN - MAX_PLY as i32, "{}", outcome.score);
    let (_, hits) = search(Engine::with_hash(1).unwrap());
    assert_eq!(hits, 0, "tables are not used unless enabled");
}

#[test]
fn unusable_folders_are_reported_and_play_continues() {
    let mut engine = engine();
    let error = engine.set_option("egtbpaths", "/no/such/folder").unwrap_err();
    assert!(matches!(&error, EngineError::Files(text) if text.contains("/no/such/folder")), "{error}");
    let outcome = search(&mut engine, &position("3ak4/9/9/9/9/9/9/9/9/3K4R w"), &Limits::depth(2));
    assert!(outcome.score >= TABLEBASE_WIN - MAX_PLY as i32);
}
