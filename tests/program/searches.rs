//! Tests the limits of `go`, the `info` lines of a search and its answer.

use chuhe::engine::bench;
use chuhe::eval::network::Network;
use chuhe::eval::{EvalConfig, Evaluator, WinModel};
use chuhe::position::{Position, START_FEN};

use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program, Start, assert_stays_thinking};
use crate::lines::{Iteration, best_move, is_legal, messages, position};

/// The side with the rook wins; there are only defenders otherwise.
const ROOK_AHEAD: &str = "3ak4/9/9/9/9/9/9/9/4A4/4K3R w - - 0 1";
const ROOK_BEHIND: &str = "3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 0 1";
const MATED: &str = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1";
const STALEMATED: &str = "3k5/4R4/9/9/9/9/9/9/9/4K4 b - - 0 1";

#[test]
fn every_iteration_has_its_keys_and_a_legal_line() {
    let mut program = Program::start();
    for fen in bench::POSITIONS.iter().step_by(3) {
        program.say(&format!("position fen {fen}"));
        program.say("go depth 7");
        let lines = program.wait_for_answer();
        assert!(messages(&lines).is_empty(), "{lines:#?}");
        let iterations = Iteration::all(&lines);
        assert_eq!(iterations.len() + 1, lines.len(), "{fen}: {lines:#?}");
        let depths: Vec<u64> = iterations.iter().map(|iteration| iteration.depth).collect();
        assert_eq!(depths, (1..=7).collect::<Vec<u64>>(), "{fen}");
        assert!(iterations.is_sorted_by_key(|iteration| iteration.time), "{fen}: {lines:#?}");
        assert!(iterations.is_sorted_by(|one, next| one.nodes < next.nodes), "{fen}: {lines:#?}");
        for iteration in &iterations {
            assert!(iteration.score.abs() <= 10_000 && iteration.nodes_per_second > 0, "{iteration:?}");
            let mut position = position(fen);
            for mv in &iteration.line {
                assert!(is_legal(&position, mv), "{fen}: {mv} in {iteration:?}");
                position.make(mv.parse().unwrap());
            }
        }
        // The answer has the first two moves of the last line.
        let words: Vec<&str> = lines.last().unwrap().split(' ').collect();
        let line = &iterations.last().unwrap().line;
        assert_eq!(words[1], line[0]);
        assert_eq!(words.get(2..4), line.get(1).map(|reply| ["ponder", reply.as_str()]).as_ref().map(|pair| &pair[..]));
    }
    program.leave();
}

#[test]
fn every_kind_of_limit_ends_in_one_legal_move() {
    let mut program = Program::start();
    let goes = [
        "go depth 4",
        "go nodes 3000",
        "go movetime 60",
        "go time 90",
        "go time 2000 increment 0",
        "go time 500 increment 20",
        "go time 600 movestogo 10",
        "go time 100 movestogo 1",
        "go draw time 500 increment 0 opptime 1000 oppincrement 0",
        "go time 600 movestogo 10 opptime 600 oppmovestogo 10",
        "go depth 3 nodes 100000 movetime 20000",
        "go movetime 60 depth 100",
        "go depth 100 nodes 2000",
        "go increment 20 time 500",
        "go wtime 500 btime 500 winc 20 binc 20 movestogo 20",
    ];
    for go in goes {
        for fen in [START_FEN, bench::POSITIONS[7]] {
            program.say(&format!("position fen {fen}"));
            program.say(go);
            let lines = program.wait_for_answer();
            assert!(messages(&lines).is_empty(), "{go}: {lines:#?}");
            assert!(is_legal(&position(fen), best_move(lines.last().unwrap())), "{go}: {lines:#?}");
            assert!(program.ask("").is_empty(), "{go} is answered once");
        }
    }
    program.leave();
}

#[test]
fn the_last_line_before_the_answer_has_the_totals() {
    for protocol in ["ucci", "uci"] {
        for options in [&[][..], &["setoption threads 2"], &["setoption multipv 3"], &["setoption style dynamic"]] {
            let mut program = Program::start();
            program.ask(protocol);
            options.iter().for_each(|option| program.say(option));
            for go in ["go nodes 10000", "go ponder nodes 10000", "go infinite nodes 10000", "go mate 2 nodes 10000"] {
                program.say(go);
                if go.contains("ponder") {
                    program.say("ponderhit");
                }
                let mut lines = program.wait_for_answer();
                let answer = lines.pop().unwrap();
                let last = lines.pop().unwrap();
                let after = |key: &str| last.split(' ').skip_while(|word| *word != key).nth(1).unwrap_or_default();
                let nodes: u64 = after("nodes").parse().unwrap_or_else(|_| panic!("{go}: no totals in '{last}'"));
                // The solver gets half of the nodes and may need fewer.
                let least = if go.contains("mate") { 5_000 } else { 10_000 };
                assert!((least..=20_000).contains(&nodes), "{protocol}, {options:?}, {go}: {last}");
                assert_eq!(after("pv"), best_move(&answer), "{go}: {last}");
            }
            program.leave();
        }
    }
    // The first iteration too, and none.
    let mut program = Program::start();
    program.say("go nodes 1");
    let lines = program.wait_for_answer();
    assert_eq!(Iteration::read(&lines[lines.len() - 2]).depth, 1, "{lines:#?}");
    for fen in [MATED, STALEMATED] {
        program.say(&format!("position fen {fen}"));
        program.say("go depth 6");
        let lines = program.wait_for_answer();
        assert!(lines.len() == 2 && lines[0].starts_with("info depth 0 score -10000 time "), "{fen}: {lines:#?}");
    }
    program.leave();
}

#[test]
fn a_long_search_reports_the_current_move() {
    let mut program = Start { shows_current_moves: true, ..Start::default() }.now();
    program.say("go infinite");
    let lines = program.wait_for("info currmove");
    let mv = lines.last().unwrap().strip_prefix("info currmove ").expect("a move follows");
    assert!(is_legal(&Position::start(), mv), "{mv}");
    program.say("stop");
    program.wait_for("bestmove");
    program.leave();
}

#[test]
fn a_go_without_a_limit_ends_by_itself() {
    let mut program = Program::start();
    for go in ["go", "go draw"] {
        program.say(go);
        let lines = program.wait_for_answer();
        assert!(messages(&lines).is_empty(), "{lines:#?}");
        assert!(is_legal(&Position::start(), best_move(lines.last().unwrap())), "{go}");
    }
    program.leave();
}

#[test]
fn depth_zero_reports_only_the_static_evaluation() {
    let mut program = Program::start();
    for fen in [START_FEN, ROOK_AHEAD, ROOK_BEHIND] {
        program.say(&format!("position fen {fen}"));
        let value = Evaluator::value_of(&position(fen), &Network::embedded(), EvalConfig::default());
        let reported = WinModel::of(&position(fen)).reported(value).get();
        assert_eq!(program.ask("go depth 0"), [format!("info depth 0 score {reported}"), "nobestmove".to_owned()]);
        assert!(program.ask("setoption rawscores true").is_empty());
        assert_eq!(program.ask("go depth 0"), [format!("info depth 0 score {value}"), "nobestmove".to_owned()]);
        assert!(program.ask("setoption rawscores false").is_empty());
    }
    program.leave();
}

#[test]
fn an_offered_draw_is_accepted_in_a_lost_position_and_declined_in_a_won_one() {
    let mut program = Program::start();
    for (fen, go, is_drawn) in [
        (ROOK_BEHIND, "go draw depth 5", true),
        (ROOK_BEHIND, "go draw time 300 increment 0 opptime 300 oppincrement 0", true),
        // The offer was for one move.
        (ROOK_BEHIND, "go depth 3", false),
        (ROOK_AHEAD, "go draw depth 5", false),
        (MATE_IN_ONE, "go draw depth 5", false),
    ] {
        program.say(&format!("position fen {fen}"));
        program.say(go);
        assert_eq!(program.answer().ends_with(" draw"), is_drawn, "{fen}: {go}");
    }
    program.leave();
}

#[test]
fn an_infinite_search_ends_on_stop() {
    let mut program = Program::start();
    program.say("go infinite");
    program.wait_for("info depth 4");
    assert_stays_thinking(&mut program);
    program.say("stop");
    assert!(is_legal(&Position::start(), best_move(&program.answer())));
    assert!(program.ask("").is_empty());
    program.leave();
}

#[test]
fn banned_moves_are_not_played_until_the_next_position() {
    let mut program = Program::start_at(MATE_IN_ONE);
    assert!(program.ask(&format!("banmoves {MATING_MOVE}")).is_empty());
    for _ in 0..2 {
        program.say("go depth 4");
        let answer = program.answer();
        assert_ne!(best_move(&answer), MATING_MOVE, "a ban outlives a search");
        assert!(is_legal(&position(MATE_IN_ONE), best_move(&answer)));
    }
    program.say(&format!("position fen {MATE_IN_ONE}"));
    program.say("go depth 4");
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    program.leave();
}

#[test]
fn a_ban_of_an_illegal_move_is_ignored_with_a_message() {
    let mut program = Program::start_at(MATE_IN_ONE);
    let lines = program.ask(&format!("banmoves a0a9 {MATING_MOVE} nonsense"));
    let texts = messages(&lines);
    assert_eq!((lines.len(), texts.len()), (1, 1), "{lines:#?}");
    assert!(texts[0].ends_with("ignored: a0a9 nonsense"), "{texts:?}");
    // The legal move between them is banned.
    program.say("go depth 4");
    assert_ne!(best_move(&program.answer()), MATING_MOVE);
    program.leave();
}
