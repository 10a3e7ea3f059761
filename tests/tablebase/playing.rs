//! An engine with tablebases plays by them.

use chuhe::engine::{Engine, EngineError};
use chuhe::position::Position;
use chuhe::search::Limits;
use chuhe::tablebase::{Metric, Outcome, TablebaseValue, Tablebases};
use chuhe::types::score::{DRAW, MAX_PLY, TABLEBASE_WIN};

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
                engine.set_position(position.clone());
                let outcome = engine.search(&Limits::nodes(300), &mut ()).unwrap();
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
        engine.set_position(position.clone());
        let outcome = engine.search(&Limits::nodes(300), &mut ()).unwrap();
        assert_eq!(outcome.score, DRAW);
        position.make(outcome.best().unwrap());
        assert_eq!(shelf.value(&position).unwrap().outcome(), Outcome::Draw, "{position}");
        // The attacker plays the move that keeps most replies open.
        let reply = position.legal_moves().into_iter().max_by_key(|mv| (mv.from().index() * 7 + mv.to().index()) % 31);
        position.make(reply.unwrap());
    }
}

#[derive(Default)]
struct Scores(std::collections::BTreeMap<usize, i32>);

impl chuhe::search::Reporter for Scores {
    fn report(&mut self, report: &chuhe::search::PvReport) {
        self.0.insert(report.pv_index, report.score);
    }
}

#[test]
fn a_draw_is_reported_by_every_thread_and_for_every_line() {
    let draw = "2b1ka3/4a4/4b4/9/9/9/9/9/4K4/R8 w";
    for (name, value, lines, contempt) in [("threads", "2", 1, 0), ("threads", "2", 1, 30), ("multipv", "3", 3, 30)] {
        let mut engine = engine();
        engine.set_option(name, value).unwrap();
        for nodes in [2_000, 5_000, 20_000] {
            engine.set_position(Position::from_fen(draw).unwrap());
            let mut scores = Scores::default();
            let outcome = engine.search(&Limits { contempt, ..Limits::nodes(nodes) }, &mut scores).unwrap();
            // Several lines are an analysis.
            let draw = if lines > 1 { DRAW } else { DRAW - contempt };
            assert_eq!(outcome.score, draw, "{name}");
            assert_eq!(scores.0.len(), lines);
            // Some of several lines may lose the rook.
            assert!(scores.0.values().all(|&score| score <= draw), "{name}: {:?}", scores.0);
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
            engine.set_position(position.clone());
            let mut scores = Scores::default();
            let outcome = engine.search(&Limits::depth(1), &mut scores).unwrap();
            assert!(scores.0.values().is_sorted_by(|one, next| one >= next), "{fen}: {:?}", scores.0);
            let mut after = position;
            after.make(outcome.best().unwrap());
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
    let mut score = |plies: u32| {
        engine.set_position(Position::from_fen(&fen(plies)).unwrap());
        engine.search(&Limits::depth(3), &mut ()).unwrap().score
    };
    assert!(score(0) >= TABLEBASE_WIN - MAX_PLY as i32);
    assert!(score(115) < TABLEBASE_WIN - MAX_PLY as i32);
}

#[test]
fn captures_into_known_endings_are_scored_exactly() {
    // The rook may take the advisor or the horse; what is left is known either way.
    let fen = "3ak4/9/4b4/9/9/9/3n5/9/3R5/4K4 w";
    let mut with = engine();
    with.set_position(Position::from_fen(fen).unwrap());
    struct Hits(u64);
    impl chuhe::search::Reporter for Hits {
        fn report(&mut self, report: &chuhe::search::PvReport) {
            self.0 = report.tbhits;
        }
    }
    let mut hits = Hits(0);
    let outcome = with.search(&Limits::depth(4), &mut hits).unwrap();
    assert!(hits.0 > 0);
    assert_eq!(outcome.best().unwrap().to_string(), "d1d3");
    assert!(outcome.score >= TABLEBASE_WIN - MAX_PLY as i32, "{}", outcome.score);
    let mut without = Engine::with_hash(1).unwrap();
    without.set_position(Position::from_fen(fen).unwrap());
    let mut hits = Hits(0);
    without.search(&Limits::depth(4), &mut hits).unwrap();
    assert_eq!(hits.0, 0, "tables are not used unless enabled");
}

#[test]
fn unusable_folders_are_reported_and_play_continues() {
    let mut engine = engine();
    let error = engine.set_option("egtbpaths", "/no/such/folder").unwrap_err();
    assert!(matches!(&error, EngineError::Files(text) if text.contains("/no/such/folder")), "{error}");
    engine.set_position(Position::from_fen("3ak4/9/9/9/9/9/9/9/9/3K4R w").unwrap());
    assert!(engine.search(&Limits::depth(2), &mut ()).unwrap().score >= TABLEBASE_WIN - MAX_PLY as i32);
}
