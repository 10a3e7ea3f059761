//! The engine keeps its promises: the same search twice is the same, orders are obeyed, bans hold, and a failure inside
//! the search does not cost the move.

use std::sync::mpsc::channel;
use std::time::Duration;

use chuhe::engine::{Engine, EngineError, Offer, StopHandle, bench};
use chuhe::position::{Position, START_FEN, Strictness};
use chuhe::search::{Bound, Clock, Limits, Outcome, Params, Reporter};
use chuhe::types::Move;
use chuhe::types::score::{is_mate, mated_in};

use crate::common::data::{after, played, position};
use crate::common::network::test_engine;
use crate::common::searches::{Reports, search};

/// Long enough for any machine; a test that waits for it has failed.
const LONG: Duration = Duration::from_secs(60);

fn engine_at(fen: &str) -> Engine {
    let mut engine = test_engine();
    engine.set_position(position(fen));
    engine
}

fn started(engine: &mut Engine, limits: &Limits) -> std::sync::mpsc::Receiver<Outcome> {
    let (sender, receiver) = channel();
    engine.start(limits, (), move |outcome| sender.send(outcome).unwrap()).unwrap();
    receiver
}

#[test]
fn the_same_search_twice_makes_the_same_nodes() {
    for nodes in [1, 100, 1_000, 10_000, 50_000] {
        let mut engine = Engine::with_hash(4).unwrap();
        let first = engine.search(&Limits::nodes(nodes), &mut ()).unwrap();
        engine.new_game();
        let second = engine.search(&Limits::nodes(nodes), &mut ()).unwrap();
        assert_eq!((first.nodes, &first.line), (second.nodes, &second.line));
        // The limit holds to the node once a first iteration is finished.
        assert!(first.nodes <= nodes.max(100), "{} of {nodes}", first.nodes);
    }
}

#[test]
fn iterations_deepen_and_their_lines_are_legal() {
    for fen in bench::POSITIONS.iter() {
        let mut engine = engine_at(fen);
        let mut reports = Reports::default();
        engine.search(&Limits::depth(7), &mut reports).unwrap();
        let finished = reports.0.iter().filter(|report| report.bound == Bound::Exact).map(|report| report.depth);
        assert!(finished.eq(1..=7), "{fen}");
        for report in &reports.0 {
            after(engine.position().clone(), report.line.iter().copied());
        }
    }
}

#[test]
fn banned_moves_are_not_played() {
    let mut engine = Engine::with_hash(4).unwrap();
    let mut banned = 0;
    while let Some(best) = engine.search(&Limits::depth(2), &mut ()).unwrap().best() {
        assert!(!engine.banned_moves().contains(&best));
        assert!(engine.ban(best));
        banned += 1;
    }
    assert_eq!(banned, 44, "every move of the start was played once, then none was left");
    assert!(!engine.ban("a0a9".parse().unwrap()), "an illegal move is not banned");
    assert!(search(&mut engine, &Position::start(), &Limits::depth(2)).best().is_some(), "bans are lifted");
}

#[test]
fn a_lost_position_has_no_move() {
    // Stalemate, then mate.
    for fen in ["3k5/4R4/9/9/9/9/9/9/4A4/4K4 b", "3k1R3/9/3R5/9/9/9/9/9/9/4K4 b"] {
        let mut engine = engine_at(fen);
        assert_eq!(engine.search(&Limits::depth(5), &mut ()).unwrap().best(), None);
        let receiver = started(&mut engine, &Limits { infinite: true, ..Limits::default() });
        assert_eq!(receiver.recv_timeout(LONG).unwrap().best(), None, "no stop is needed");
        engine.wait();
    }
}

#[test]
fn a_search_without_end_waits_for_stop_but_a_mate_is_told_at_once() {
    let infinite = Limits { infinite: true, ..Limits::default() };
    let mut engine = Engine::with_hash(4).unwrap();
    // Even a search that has nothing left to do waits.
    let receiver = started(&mut engine, &Limits { depth: Some(1), ..infinite.clone() });
    assert!(receiver.recv_timeout(Duration::from_millis(200)).is_err());
    assert_eq!(engine.set_option("hashsize", "8"), Err(EngineError::Busy));
    engine.stop();
    assert!(receiver.recv_timeout(LONG).unwrap().best().is_some());
    engine.wait();
    assert_eq!(engine.set_option("hashsize", "8"), Ok(()));

    let mut engine = engine_at("3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w");
    let receiver = started(&mut engine, &infinite);
    assert_eq!(receiver.recv_timeout(LONG).unwrap().best(), Some("g0d0".parse().unwrap()));
}

#[test]
fn pondering_lasts_until_the_predicted_move_is_played() {
    let mut engine = Engine::with_hash(4).unwrap();
    let limits = Limits {
        ponder: true,
        clock: Some(Clock { remaining: Duration::from_millis(50), increment: Duration::ZERO, moves_to_go: Some(1) }),
        ..Limits::default()
    };
    let receiver = started(&mut engine, &limits);
    assert!(receiver.recv_timeout(Duration::from_millis(300)).is_err(), "the clock does not run");
    engine.ponder_hit(std::time::Instant::now());
    assert!(receiver.recv_timeout(LONG).unwrap().best().is_some());
    engine.wait();
    // A prediction that failed.
    let receiver = started(&mut engine, &limits);
    engine.stop();
    assert!(receiver.recv_timeout(LONG).unwrap().best().is_some());
}

#[test]
fn an_early_stop_still_yields_a_move() {
    let mut engine = Engine::with_hash(4).unwrap();
    for _ in 0..100 {
        let receiver = started(&mut engine, &Limits { infinite: true, ..Limits::default() });
        engine.stop();
        assert!(receiver.recv_timeout(LONG).unwrap().best().is_some());
        engine.wait();
    }
    // A dropped engine stops its search.
    let receiver = started(&mut engine, &Limits { infinite: true, ..Limits::default() });
    drop(engine);
    assert!(receiver.recv_timeout(LONG).unwrap().best().is_some());
}

#[test]
fn captures_without_end_do_not_keep_a_search_from_its_limits() {
    const CROWDED: &str = "rcrckcrcr/ncnrcrncn/9/rcr1c1rcr/9/9/RCR1C1RCR/9/NCNRCRNCN/RCRCKCRCR w";
    let mut engine = Engine::with_hash(4).unwrap();
    let parsed = Position::parse_fen(CROWDED, Strictness::Lax).unwrap();
    let outcome = search(&mut engine, &parsed.position, &Limits::nodes(1_000));
    assert!(outcome.best().is_some() && outcome.nodes <= 5_000, "{outcome:?}");
    let receiver = started(&mut engine, &Limits { infinite: true, ..Limits::default() });
    engine.stop();
    assert!(receiver.recv_timeout(LONG).unwrap().best().is_some());
}

#[test]
fn what_is_found_under_a_ban_is_not_remembered_of_the_position() {
    let mut engine = Engine::with_hash(4).unwrap();
    assert!(engine.ban("b2e2".parse().unwrap()) && engine.ban("h2e2".parse().unwrap()));
    engine.search(&Limits::depth(6), &mut ()).unwrap();
    assert_eq!(engine.probe(&Position::start()), None);
}

#[test]
fn a_search_to_a_depth_that_is_repeated_has_the_same_result() {
    const DEPTH: usize = 5;
    let mut engine = Engine::with_hash(4).unwrap();
    let first = engine.search(&Limits::depth(DEPTH), &mut ()).unwrap();
    assert!(first.nodes > 0);
    // These fill the table and the histories, so a new search could choose another of nearly equal moves. None of them
    // repeats the one before it.
    for limits in [
        Limits { nodes: Some(30_000), ..Limits::depth(DEPTH) },
        Limits { soft_nodes: Some(30_000), ..Limits::depth(DEPTH) },
        Limits { mate: Some(1), ..Limits::depth(DEPTH) },
        Limits { multi_pv: 3, ..Limits::depth(DEPTH) },
        Limits { move_time: Some(Duration::from_millis(50)), ..Limits::depth(DEPTH) },
    ] {
        for _ in 0..2 {
            assert!(engine.search(&limits, &mut ()).unwrap().nodes > 0, "{limits:?}");
        }
    }
    let game = played(Position::start(), "b0c2 b9c7 c2b0 c7b9");
    assert_eq!(game.key(), Position::start().key());
    let counting = position("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 100 60");
    for game in [Position::start(), game, counting] {
        assert!(search(&mut engine, &game, &Limits::depth(DEPTH)).nodes > 0, "depends on the game");
    }
    let first = search(&mut engine, &Position::start(), &Limits::depth(DEPTH));
    let mut reports = Reports::default();
    let second = engine.search(&Limits::depth(DEPTH), &mut reports).unwrap();
    assert_eq!((&second.line, second.score, second.nodes), (&first.line, first.score, 0));
    let [report] = &reports.0[..] else { panic!("{:?}", reports.0) };
    assert_eq!((report.depth, report.score, &report.line), (DEPTH, first.score, &first.line));
    engine.ban(first.best().unwrap());
    let other = engine.search(&Limits::depth(DEPTH), &mut ()).unwrap();
    assert!(other.nodes > 0 && other.best() != first.best());
}

#[test]
fn a_result_is_not_returned_again_where_it_may_have_changed() {
    let mut engine = Engine::with_hash(4).unwrap();
    let nodes = |engine: &mut Engine| engine.search(&Limits::depth(5), &mut ()).unwrap().nodes;
    let first = nodes(&mut engine);
    assert_eq!(nodes(&mut engine), 0);
    engine.new_game();
    assert_eq!(nodes(&mut engine), first);
    for (name, value) in [
        ("hashsize", "8"),
        ("rules", "simple"),
        ("naturallimit", "100"),
        ("searchparams", "futility_base=90"),
        ("knowledge", "medium"),
        ("style", "risky"),
    ] {
        assert_eq!(nodes(&mut engine), 0, "before {name}");
        engine.set_option(name, value).unwrap();
        assert!(nodes(&mut engine) > 0, "{name}");
    }
    // With noise no result is kept.
    engine.set_option("randomness", "small").unwrap();
    assert!(nodes(&mut engine) > 0 && nodes(&mut engine) > 0);
    engine.set_option("randomness", "none").unwrap();

    // Another depth and another position take the place of the result.
    nodes(&mut engine);
    engine.search(&Limits::depth(6), &mut ()).unwrap();
    assert!(nodes(&mut engine) > 0);
    engine.set_position(position("2bak3r/C1c1an3/n3bc1R1/2p1C1p1p/5r3/p1P6/2N1P1P1P/6N2/9/1RBAKAB2 w"));
    assert!(nodes(&mut engine) > 0);
    engine.set_position(Position::start());
    assert!(nodes(&mut engine) > 0);
}

/// Limits of a game with plenty of time.
fn on_clock() -> Limits {
    let clock = Clock { remaining: LONG, increment: Duration::ZERO, moves_to_go: None };
    Limits { clock: Some(clock), saves_time: true, ..Limits::default() }
}

/// Black has one move, is far ahead in material, and is mated in seven.
const ONLY_MOVE: &str = "2Rk5/9/3a1a3/6C2/1c1N3c1/7r1/4p1r2/3pnK3/4p4/9 b";

#[test]
fn a_search_by_time_ends_early_only_where_time_is_a_gain() {
    /// Stops the search once its depth shows that it does not end early.
    struct StopsLater(StopHandle);
    impl Reporter for StopsLater {
        fn report(&mut self, report: &Outcome) {
            if report.depth >= 14 {
                self.0.stop();
            }
        }
    }
    let by_time = Limits { move_time: Some(LONG), ..Limits::default() };
    let clock = on_clock();
    for (limits, ends_early) in [
        (clock.clone(), true),
        (Limits { saves_time: true, ..by_time.clone() }, true),
        (by_time.clone(), false),
        (Limits { saves_time: false, ..clock.clone() }, false),
        (Limits { infinite: true, saves_time: true, ..by_time.clone() }, false),
        (Limits { mate: Some(3), ..clock.clone() }, false),
        (Limits { multi_pv: 2, ..clock.clone() }, false),
    ] {
        let mut engine = engine_at(ONLY_MOVE);
        let mut reporter = StopsLater(engine.stop_handle());
        let outcome = engine.search(&limits, &mut reporter).unwrap();
        assert_eq!(outcome.finished_depth < 14, ends_early, "{limits:?}: {outcome:?}");
        assert!(outcome.finished_depth >= 8, "{outcome:?}");
    }
}

#[test]
fn a_forced_move_keeps_the_score_of_the_search_before() {
    let mut engine = engine_at(ONLY_MOVE);
    let shallow = engine.search(&on_clock(), &mut ()).unwrap();
    assert!(shallow.finished_depth == 8 && shallow.score > 0, "{shallow:?}");
    engine.new_game();
    let deep = engine.search(&Limits::depth(24), &mut ()).unwrap();
    assert_eq!(deep.score, mated_in(14), "{deep:?}");
    // The same position, and those on its line, where each search continues the one before.
    let start = position(ONLY_MOVE);
    let (mut position, mut forced) = (start.clone(), 0);
    for (ply, &mv) in deep.line.iter().enumerate().take(deep.finished_depth - 9) {
        if position.legal_moves().len() == 1 {
            let found = search(&mut engine, &position, &on_clock());
            assert_eq!(
                (found.score, found.finished_depth),
                (mated_in(14 - ply), deep.finished_depth - ply),
                "{found:?}"
            );
            assert_eq!(found.line, deep.line[ply..], "{deep:?}");
            forced += 1;
        }
        position.make(mv);
    }
    assert!(forced >= 2, "{deep:?}");
    engine.new_game();
    assert_eq!(search(&mut engine, &start, &on_clock()).score, shallow.score, "another game");
}

#[test]
fn a_reporter_that_wants_no_reports_gets_none_and_changes_nothing() {
    struct Counter {
        wants_reports: bool,
        reports: usize,
    }
    impl Reporter for Counter {
        fn report(&mut self, _: &Outcome) {
            self.reports += 1;
        }
        fn wants_reports(&self) -> bool {
            self.wants_reports
        }
    }
    // A search, one with a skill level, which needs the reports itself, one with a refuted mate before it, and a proved
    // mate.
    let to_depth = Limits::depth(8);
    let mate_in_one = Limits { mate: Some(1), prove_mate: true, ..Limits::depth(6) };
    let mate = "3k5/9/9/9/9/9/9/R8/1R7/4K4 w";
    let cases = [
        (START_FEN, 20, to_depth.clone()),
        (START_FEN, 5, to_depth),
        (START_FEN, 20, mate_in_one.clone()),
        (mate, 20, mate_in_one),
    ];
    for (number, (fen, level, limits)) in cases.into_iter().enumerate() {
        let search = |reporter: &mut dyn Reporter| {
            let mut engine = engine_at(fen);
            engine.configure(|options| (options.skill, options.seed) = (level, 7)).unwrap();
            let outcome = engine.search(&limits, reporter).unwrap();
            (outcome.line, outcome.score, outcome.nodes)
        };
        let mut counters = [true, false].map(|wants_reports| Counter { wants_reports, reports: 0 });
        let outcomes = counters.each_mut().map(|counter| search(counter));
        let [reports, unwanted] = counters.map(|counter| counter.reports);
        assert!(reports > 0 && unwanted == 0, "case {number}: {reports} {unwanted}");
        assert_eq!(outcomes[0], outcomes[1], "case {number}");
        assert_eq!(outcomes[0], search(&mut ()), "case {number}");
    }
}

#[test]
fn a_failure_inside_the_search_leaves_the_last_iteration() {
    struct FailsAt(usize, Option<Move>);
    impl Reporter for FailsAt {
        fn report(&mut self, report: &Outcome) {
            assert!(report.depth < self.0, "a failure on purpose");
            self.1 = report.line.first().copied();
        }
    }
    let mut engine = Engine::with_hash(4).unwrap();
    let mut reporter = FailsAt(5, None);
    let outcome = engine.search(&Limits::depth(20), &mut reporter).unwrap();
    assert!(outcome.best().is_some() && outcome.finished_depth >= 4);
    let outcome = engine.search(&Limits::depth(20), &mut FailsAt(1, None)).unwrap();
    assert!(outcome.best().is_some());
    // A reporter of a search in the background fails inside the search itself.
    let (sender, receiver) = channel();
    engine.start(&Limits::depth(20), FailsAt(5, None), move |outcome| sender.send(outcome).unwrap()).unwrap();
    let outcome = receiver.recv_timeout(LONG).unwrap();
    // Iteration 5 counts if it had finished when its report failed, and not if it was to be searched again.
    assert!(outcome.best().is_some() && (4..=5).contains(&outcome.finished_depth), "{outcome:?}");
    engine.wait();
    // The engine plays on as if nothing had happened.
    let outcome = engine.search(&Limits::depth(6), &mut ()).unwrap();
    assert_eq!(outcome.finished_depth, 6);
}

#[test]
fn a_failure_outside_the_search_costs_the_result_but_not_the_move() {
    /// Fails at the note about a mate, which is looked for before the search.
    struct FailsAtNote;
    impl Reporter for FailsAtNote {
        fn report(&mut self, _: &Outcome) {}
        fn note(&mut self, _: &str) {
            panic!("a failure on purpose");
        }
    }
    let mut engine = engine_at(START_FEN);
    engine.ban("h2e2".parse().unwrap());
    let limits = Limits { mate: Some(1), prove_mate: true, ..Limits::default() };
    let (sender, receiver) = channel();
    engine.start(&limits, FailsAtNote, move |outcome| sender.send(outcome).unwrap()).unwrap();
    let outcome = receiver.recv_timeout(LONG).unwrap();
    let best = outcome.best().unwrap();
    assert!(
        outcome.finished_depth == 0 && engine.position().can_play(best) && best.to_string() != "h2e2",
        "{outcome:?}"
    );
    engine.wait();
    assert_eq!(engine.search(&Limits::depth(4), &mut ()).unwrap().finished_depth, 4, "it plays on");
}

#[test]
fn a_stop_handle_outlives_the_size_of_the_table() {
    let mut engine = Engine::with_hash(4).unwrap();
    let handle = engine.stop_handle();
    engine.set_option("hashsize", "8").unwrap();
    let receiver = started(&mut engine, &Limits { infinite: true, ..Limits::default() });
    handle.stop();
    assert!(receiver.recv_timeout(LONG).unwrap().best().is_some());
}

#[test]
fn a_table_that_cannot_be_had_leaves_the_old_one() {
    let mut engine = Engine::with_hash(4).unwrap();
    assert!(matches!(engine.set_option("hashsize", "33554432"), Err(EngineError::Memory(_))));
    assert_eq!(engine.options().hash_megabytes, 4);
    assert!(matches!(engine.set_option("nosuch", "1"), Err(EngineError::Option(_))));
    assert!(engine.search(&Limits::depth(4), &mut ()).unwrap().best().is_some());
}

#[test]
fn a_better_move_of_an_unfinished_iteration_is_played_and_told() {
    let mut changed = 0;
    for fen in bench::POSITIONS.iter() {
        for nodes in (3_000..9_000).step_by(1_000) {
            let mut reports = Reports::default();
            let outcome = engine_at(fen).search(&Limits::nodes(nodes), &mut reports).unwrap();
            let last = reports.0.last().unwrap();
            let is_partial = outcome.finished_depth > 0 && last.depth > outcome.finished_depth;
            if is_partial && last.bound == Bound::Lower && last.line == outcome.line {
                // The iteration before wanted another move.
                let finished = engine_at(fen).search(&Limits::depth(outcome.finished_depth), &mut ()).unwrap();
                changed += usize::from(finished.best() != outcome.best());
            }
            assert!(outcome.best() == last.line.first().copied() || last.bound == Bound::Upper);
        }
    }
    assert!(changed > 0, "no iteration was interrupted after it had found something better");
}

#[test]
fn refused_parameters_change_nothing() {
    let mut engine = test_engine();
    engine.set_option("searchparams", "null_move_depth=9;futility_base=90").unwrap();
    let set = *engine.params();
    assert_eq!((set.null_move_depth, set.futility_base), (9, 90));
    for (text, fault) in [
        ("null_move_depth=0", "null_move_depth must lie between 1 and 12, not be 0"),
        ("nonsense=1", "there is no search parameter 'nonsense'"),
        ("futility_base=90;futility_base=91", "'futility_base' was given before"),
        ("futility_base", "'futility_base' is not of the form name=number"),
        ("futility_base=90 history_margin=x", "'history_margin=x' is not of the form name=number"),
    ] {
        let refused = engine.set_option("searchparams", text);
        assert!(matches!(refused, Err(EngineError::Parameter(_))), "{text}");
        assert_eq!(refused.unwrap_err().to_string(), format!("searchparams: {fault}"));
        assert_eq!(*engine.params(), set, "{text}");
    }
    engine.set_option("searchparams", "").unwrap();
    assert_eq!(*engine.params(), Params::default());
}

#[test]
fn an_only_move_before_a_mate_accepts_no_draw() {
    // Red is in check and far behind in material, but mates with the move after its only one.
    let fen = "C1Pakab2/3R5/4b4/6p2/2n6/5c2p/4r4/4BA3/4A4/5K3 w";
    assert_eq!(position(fen).legal_moves().len(), 1);
    let mut engine = engine_at(fen);
    let evaluation = engine.search(&Limits::depth(1), &mut ()).unwrap();
    assert_eq!(engine.offer(&evaluation, true, true), Offer::Draw);
    let mut engine = engine_at(fen);
    let outcome = engine.search(&on_clock(), &mut ()).unwrap();
    assert!(is_mate(outcome.score) && outcome.score > 0, "{outcome:?}");
    assert_eq!(engine.offer(&outcome, true, true), Offer::None);
}

#[test]
fn a_repeated_root_still_yields_a_move() {
    let mut engine = Engine::with_hash(4).unwrap();
    let mut position = Position::start();
    for _ in 0..1_000 {
        for mv in ["a0a1", "a9a8", "a1a0", "a8a9"] {
            position.make(mv.parse().unwrap());
        }
    }
    assert!(search(&mut engine, &position, &Limits::depth(6)).best().is_some());
}

#[test]
fn threads_that_search_together_tell_the_line_that_they_play() {
    for (fen, nodes) in bench::POSITIONS.iter().zip([1, 300, 5_000, 60_000].into_iter().cycle()) {
        let mut engine = engine_at(fen);
        engine.set_option("threads", "4").unwrap();
        let mut told = Reports::default();
        let outcome = engine.search(&Limits::nodes(nodes), &mut told).unwrap();
        // A reply from the table may follow a line of one move.
        let is_told = |line: &Vec<Move>| *line == outcome.line || (line.len() == 1 && outcome.line.starts_with(line));
        let last = |bound: Bound| told.0.iter().rfind(|report| report.bound == bound);
        let last = [Bound::Exact, Bound::Lower].map(|bound| last(bound).is_some_and(|report| is_told(&report.line)));
        assert!(last.contains(&true), "{fen}: {:?} after {:?}", outcome.line, told.0);
        assert!(engine.position().can_play(outcome.best().unwrap()));
    }
}
