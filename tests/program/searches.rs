//! The limits of `go`, its `info` lines and answers, questions about the transposition table, and draw offers and
//! resignation, which are for UCCI and only where the options allow them.

use chuhe::engine::bench;
use chuhe::eval::network::Network;
use chuhe::eval::{EvalConfig, Evaluator, WinModel};
use chuhe::position::{Position, START_FEN};

use crate::common::data::{after, played};
use crate::harness::{MATE_IN_ONE, Program, Start};
use crate::lines::{Iteration, answers, begins_with, best_move, is_legal, messages, position};

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
        let lines = program.go("go depth 7");
        assert!(messages(&lines).is_empty(), "{lines:#?}");
        let iterations = Iteration::all(&lines);
        assert_eq!(iterations.len() + 1, lines.len(), "{fen}: {lines:#?}");
        assert!(iterations.iter().map(|iteration| iteration.depth).eq(1..=7), "{fen}");
        assert!(iterations.is_sorted_by_key(|iteration| iteration.time), "{fen}: {lines:#?}");
        assert!(iterations.is_sorted_by(|one, next| one.nodes < next.nodes), "{fen}: {lines:#?}");
        for iteration in &iterations {
            assert!(iteration.score.abs() <= 10_000 && iteration.nodes_per_second > 0, "{iteration:?}");
            position(fen).play(iteration.line.iter().map(String::as_str)).unwrap();
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
    program.say(&format!("position fen {}", bench::POSITIONS[7]));
    for go in [
        "go depth 4",
        "go movetime 60 depth 100",
        "go draw time 90",
        "go time 500 increment 20 opptime 1000 oppincrement 0",
        "go wtime 500 btime 100 winc 20 binc 20 movestogo 1",
        "go depth 100 nodes 2000",
    ] {
        let lines = program.go(go);
        assert!(messages(&lines).is_empty(), "{go}: {lines:#?}");
        assert!(is_legal(&position(bench::POSITIONS[7]), best_move(lines.last().unwrap())), "{go}: {lines:#?}");
        assert!(program.ask("").is_empty(), "{go} is answered once");
    }
    program.leave();
}

#[test]
fn the_last_line_before_the_answer_has_the_totals() {
    for protocol in ["ucci", "uci"] {
        for options in [&[][..], &["setoption threads 2"], &["setoption multipv 3"]] {
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
    let lines = program.go("go nodes 1");
    assert_eq!(Iteration::read(&lines[lines.len() - 2]).depth, 1, "{lines:#?}");
    for fen in [MATED, STALEMATED] {
        program.say(&format!("position fen {fen}"));
        let lines = program.go("go depth 6");
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
    program.go("stop");
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

/// The move that a `pophash` line names. Fails when the line is not built as the protocol says.
fn read_pophash(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("pophash").expect("the reply to a probe").split_ascii_whitespace();
    let mut best = None;
    while let Some(key) = words.next() {
        match key {
            "bestmove" => best = words.next(),
            "lowerbound" | "upperbound" => {
                assert!(words.next().is_some_and(|value| value.parse::<i32>().is_ok()), "{line}");
                assert_eq!(words.next(), Some("depth"), "{line}");
                assert!(words.next().is_some_and(|depth| depth.parse::<u32>().is_ok()), "{line}");
            }
            _ => panic!("'{key}' in '{line}'"),
        }
    }
    best
}

#[test]
fn a_searched_position_is_found_in_the_table() {
    let mut program = Program::start();
    assert_eq!(program.ask("probe startpos"), ["pophash"]);
    let answer = program.go("position startpos moves h2e2\ngo depth 6").pop().unwrap();
    let after = played(Position::start(), "h2e2");
    for probe in ["probe startpos moves h2e2".to_owned(), format!("probe fen {after}")] {
        let lines = program.ask(&probe);
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert_eq!(read_pophash(&lines[0]), Some(best_move(&answer)), "{lines:#?}");
        assert!(lines[0].contains("bound "), "{lines:#?}");
    }
    assert_eq!(program.ask(&format!("probe fen {MATE_IN_ONE}")), ["pophash"]);
    let lines = program.ask("probe fen nonsense");
    assert_eq!((messages(&lines).len(), lines.last().map(String::as_str)), (1, Some("pophash")), "{lines:#?}");
    // The position to search did not change.
    assert!(is_legal(&after, &program.best("go depth 2")));
    program.leave();
}

#[test]
fn the_table_may_be_asked_while_thinking() {
    let mut program = Program::start();
    program.say("go infinite");
    program.wait_for("info depth 5");
    let lines = program.ask("probe startpos");
    let reply = lines.iter().find(|line| begins_with(line, "pophash")).expect("probes are answered at once");
    assert!(is_legal(&Position::start(), read_pophash(reply).expect("its first iterations are over")), "{reply}");
    assert!(answers(&lines).is_empty());
    program.go("stop");
    program.leave();
}

#[test]
fn a_new_game_forgets_what_was_searched() {
    let mut program = Program::start();
    for command in ["setoption newgame", "ucinewgame", "setoption name Clear Hash", "setoption hashsize 8"] {
        program.go("go depth 3");
        assert!(program.ask("probe startpos")[0].contains("bestmove"));
        assert!(program.ask(command).is_empty());
        assert_eq!(program.ask("probe startpos"), ["pophash"], "{command}");
    }
    program.leave();
}

// Offers

/// Black is lost, but Red's pieces are too far away for a mate within the search depth.
const LOST: &str = "3ak4/4a4/9/9/9/9/9/9/4A4/R1BAK2NR b";
const EVEN: &str = "3akab2/9/4b4/9/9/9/9/4B4/9/2BAKA3 w";
/// Black is mated next move whatever it does.
const LOST_NEXT: &str = "3k5/9/R8/7R1/9/9/9/9/4A4/4K4 b";

/// Lets the program play for the side to move, and replies with the first quiet move.
fn play(program: &mut Program, start: &str, moves: usize) -> Vec<String> {
    let mut position: Position = position(start);
    (0..moves)
        .map(|_| {
            program.say(&format!("position fen {position}"));
            let answer = program.go("go depth 1").pop().unwrap();
            position.make(best_move(&answer).parse().expect("it is a move"));
            let replies = position.legal_moves();
            let is_quiet = |position: &Position| !position.in_check() && position.has_legal_move();
            let reply = replies
                .iter()
                .copied()
                .find(|&reply| position.piece_on(reply.to()).is_none() && is_quiet(&after(position.clone(), [reply])));
            position.make(reply.expect("there is a quiet reply"));
            answer
        })
        .collect()
}

fn with_offer(answers: &[String], offer: &str) -> Vec<usize> {
    (0..answers.len()).filter(|&index| answers[index].ends_with(offer)).collect()
}

#[test]
fn the_engine_resigns_a_lost_game_only_if_allowed() {
    let mut program = Program::start();
    program.use_test_network();
    assert!(with_offer(&play(&mut program, LOST, 4), "resign").is_empty());
    program.say("setoption resign true");
    assert_eq!(with_offer(&play(&mut program, LOST, 4), " resign"), [2, 3], "after three lost moves in a row");
    program.say("uci");
    assert!(with_offer(&play(&mut program, LOST, 4), "resign").is_empty());
    program.leave();
}

#[test]
fn a_new_game_or_another_position_resets_the_count() {
    let mut program = Program::start();
    program.use_test_network();
    program.say("setoption resign true");
    for between in ["setoption newgame", "ucinewgame", "go infinite"] {
        assert!(with_offer(&play(&mut program, LOST, 2), "resign").is_empty());
        program.say(between);
        if between == "go infinite" {
            program.say("stop");
            assert!(!program.answer().ends_with("resign"), "no resignation in analysis");
        }
    }
    program.leave();
}

#[test]
fn an_offer_depends_on_the_position_and_on_that_of_the_opponent() {
    let mut program = Program::start();
    program.say("setoption resign on");
    for (fen, go, offer) in [
        (ROOK_BEHIND, "go draw depth 5", " draw"),
        (ROOK_BEHIND, "go draw time 300 increment 0 opptime 300 oppincrement 0", " draw"),
        (ROOK_BEHIND, "go ponder depth 4\nponderhit draw", " draw"),
        // The offer was for one move.
        (ROOK_BEHIND, "go depth 3", ""),
        (ROOK_AHEAD, "go draw depth 5", ""),
        (MATE_IN_ONE, "go draw depth 5", ""),
        (LOST_NEXT, "go depth 4", " resign"),
        (LOST_NEXT, "go draw depth 4", " draw"),
        (LOST_NEXT, "go ponder depth 4\nstop", ""),
        (LOST_NEXT, "go ponder depth 4\nponderhit", " resign"),
    ] {
        let answer = program.go(&format!("position fen {fen}\n{go}")).pop().unwrap();
        let found = [" draw", " resign"].into_iter().find(|offer| answer.ends_with(offer)).unwrap_or_default();
        assert_eq!(found, offer, "{fen}: {go}: {answer}");
    }
    program.leave();
}

#[test]
fn a_draw_is_offered_late_in_an_even_game_only_if_allowed() {
    let mut program = Program::start();
    program.use_test_network();
    assert!(with_offer(&play(&mut program, EVEN, 45), "draw").is_empty());
    program.say("setoption drawoffers true");
    assert_eq!(with_offer(&play(&mut program, EVEN, 55), " draw"), [39, 49]);
    program.leave();
}
