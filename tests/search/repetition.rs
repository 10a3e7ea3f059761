//! The search against the rules of repetition: no false mates, no games thrown away by a perpetual offence.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use chuhe::engine::Engine;
use chuhe::position::Position;
use chuhe::rules::{Reason, Rules, Verdict};
use chuhe::search::Limits;
use chuhe::types::score::{DRAW, is_decisive, is_mate, is_rule_decision};
use chuhe::types::{Move, Side};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::common::data::{after, played, position};
use crate::common::network::{test_engine, test_engine_with};
use crate::common::searches::{Reports, search};
use crate::common::sparse::random_position;

/// Positions in which engines announced mates that were none: verdicts of repetition, passed on as mates.
#[test]
fn no_mate_is_announced_where_only_the_rules_decide() {
    let fens = [
        "3aka3/4n4/9/9/9/9/9/7C1/7r1/3AK4 w",
        "5R3/4k4/9/4r4/9/9/5p3/5A3/5K3/9 b",
        "3aka3/4n4/9/9/9/9/2C6/9/6r2/3AK4 b",
    ];
    for fen in fens {
        let mut engine = test_engine();
        engine.set_position(position(fen));
        let mut reports = Reports::default();
        let outcome = engine.search(&Limits::depth(20), &mut reports).unwrap();
        assert_eq!(outcome.finished_depth, 20);
        assert!(reports.0.iter().all(|report| !is_mate(report.score)), "{fen}: {:?}", reports.0);
        assert!(!is_decisive(outcome.score), "{fen}: {}", outcome.score);
    }
}

/// Black threatens mate at once; all that Red could do is check for ever, which the rules forbid.
const CHECKS_OR_LOSES: &str = "3k5/R8/9/9/9/9/9/8r/7r1/4K4 w - - 0 1";

#[test]
fn a_perpetual_check_is_not_taken_for_a_draw() {
    let outcome = search(&mut test_engine(), &position(CHECKS_OR_LOSES), &Limits::depth(12));
    assert!(outcome.score < DRAW - 100, "{}", outcome.score);
}

#[test]
fn the_third_lap_of_checks_is_not_completed_when_another_move_lives() {
    // Red may as well move its king.
    let lap = "a8a9 d9d8 a9a8 d8d9";
    let before_verdict = "a8a9 d9d8 a9a8";
    let start = position("3k5/R8/9/9/9/9/9/4K4/9/9 w");
    let position = played(start.clone(), &format!("{lap} {before_verdict}"));
    // Black's reply would end the game, and Black finds it.
    let outcome = search(&mut test_engine(), &position, &Limits::depth(6));
    assert_eq!(outcome.best().map(|mv| mv.to_string()).as_deref(), Some("d8d9"));
    assert!(is_rule_decision(outcome.score) && outcome.score > DRAW, "{}", outcome.score);
    // A move earlier Red turns aside.
    let position = played(start, &format!("{lap} a8a9 d9d8"));
    let best = search(&mut test_engine(), &position, &Limits::depth(6)).best().unwrap();
    assert_ne!(best.to_string(), "a9a8");
    assert_eq!(Rules::default().verdict(&after(position, [best])), Verdict::Continue);
}

/// At the limit the search and the arbiter must say the same, whichever of limit, repetition and stalemate comes first.
#[test]
fn the_search_obeys_the_order_in_which_a_game_ends() {
    let lap = "g0g9 a9a0 g9g0 a0a9";
    let two_laps_and_more = format!("{lap} {lap} g0g9 a9a0 g9g0");
    let cases = [
        // A stalemating move on the last counted ply.
        ("3k5/9/4P4/9/9/9/9/9/9/4K4 w - - 99 60", "", "e7e8"),
        ("3k5/9/4P4/9/9/9/9/9/9/4K4 w - - 119 60", "", "e7e8"),
        // The end of a lap of chases on the last counted ply, and before it.
        ("R1C6/3k5/9/9/9/9/9/9/4K4/5cc2 b - - 88 60", two_laps_and_more.as_str(), "a0a9"),
        ("R1C6/3k5/9/9/9/9/9/9/4K4/5cc2 b - - 80 60", two_laps_and_more.as_str(), "a0a9"),
    ];
    let mut seen = std::collections::BTreeSet::new();
    for (fen, moves, last) in cases {
        for rules in ["computer", "league", "axf", "simple"] {
            let position = played(position(fen), moves);
            let mut engine = test_engine_with(&[("rules", rules)]);
            let mv: Move = last.parse().unwrap();
            let limits = Limits { search_moves: vec![mv], ..Limits::depth(1) };
            let score = search(&mut engine, &position, &limits).score;
            let verdict = engine.options().rules().verdict(&after(position.clone(), [mv]));
            let agrees = match &verdict {
                Verdict::Continue => true,
                Verdict::Draw(_) => score == DRAW,
                Verdict::Win(side, Reason::Repetition(_)) => {
                    is_rule_decision(score) && (score > 0) == (*side == position.side())
                }
                Verdict::Win(side, _) => is_mate(score) && (score > 0) == (*side == position.side()),
            };
            assert!(agrees, "{rules} {fen}: {score} but {verdict:?}");
            seen.insert((rules, verdict.word()));
        }
    }
    assert!(seen.len() >= 5, "{seen:?}");
}

/// Returns whether a deeper search finds a better move anywhere in the last `plies` plies of the side that lost by
/// repetition.
fn could_have_done_better(engine: &mut Engine, game: &Position, loser: Side, plies: usize) -> bool {
    let mut position = game.clone();
    (0..plies).any(|_| {
        position.unmake();
        position.side() == loser && {
            engine.new_game();
            search(engine, &position, &Limits::nodes(50_000)).score > -1_000
        }
    })
}

/// Plays a game with these limits for each move.
fn play(engine: &mut Engine, start: Position, limits: &Limits) -> (Position, Verdict) {
    const LONGEST: usize = 200;
    let rules = Rules::default();
    let mut position = start;
    engine.new_game();
    loop {
        let verdict = rules.verdict(&position);
        if verdict != Verdict::Continue || position.history().len() >= LONGEST {
            return (position, verdict);
        }
        position.make(search(engine, &position, limits).best().unwrap());
    }
}

#[test]
fn hardly_a_game_is_thrown_away_by_a_perpetual_offence() {
    const GAMES: usize = 1_000;
    // How many games ended in each way, and losses by repetition in which the loser had a better move.
    let (next, ends, avoidable) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    let work = || {
        let mut engine = test_engine();
        while let game = next.fetch_add(1, Ordering::Relaxed)
            && game < GAMES
        {
            let start = random_position(&mut ChaCha8Rng::seed_from_u64(game as u64));
            let fen = start.to_string();
            let (end, verdict) = play(&mut engine, start, &Limits::nodes(1_000));
            if let Verdict::Win(winner, Reason::Repetition(cycle)) = &verdict
                && could_have_done_better(&mut engine, &end, !*winner, cycle.moves.len())
            {
                let moves: Vec<String> = end.history().iter().map(|played| played.mv.to_string()).collect();
                let text = format!("game {game}: {cycle}: {fen} {}", moves.join(" "));
                avoidable.lock().unwrap().push(text);
            }
            let name = match verdict {
                Verdict::Draw(Reason::Repetition(_)) => "drawn by repetition",
                Verdict::Win(_, Reason::Repetition(_)) => "lost by repetition",
                Verdict::Win(..) => "mate",
                Verdict::Continue | Verdict::Draw(_) => "other",
            };
            *ends.lock().unwrap().entry(name).or_insert(0) += 1;
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    let (ends, avoidable) = (ends.into_inner().unwrap(), avoidable.into_inner().unwrap());
    // A search of 1,000 nodes may take one lost line for another.
    assert!(avoidable.len() <= GAMES / 250, "{avoidable:#?}");
    assert!(ends["mate"] > GAMES / 10 && ends["drawn by repetition"] > GAMES / 100, "{ends:?}");
    assert!(ends["lost by repetition"] > 0);
}

#[test]
fn a_drawn_root_is_worth_as_much_less_than_zero_as_contempt_says() {
    // One cannon without screens of its own cannot win.
    const FORCED_DRAW: &str = "4k4/9/4b4/9/9/9/9/4B4/9/2C1K4 w - - 0 1";
    let mut engine = test_engine();
    let mut score = |limits: &Limits| search(&mut engine, &position(FORCED_DRAW), limits).score;
    for contempt in [0, 20, 60] {
        let found = score(&Limits { contempt, ..Limits::nodes(20_000) });
        assert!((found + contempt).abs() <= 1, "{contempt} {found}");
    }
    // Analysis values draws at 0.
    let analysis = Limits { contempt: 60, multi_pv: 2, ..Limits::nodes(20_000) };
    assert_eq!(score(&analysis), 0);
}
