//! Proves that the transposition table answers questions about positions, and forgets when a new game begins.

use chuhe::position::Position;

use crate::harness::{MATE_IN_ONE, Program};
use crate::lines::{answers, begins_with, best_move, is_legal, messages};

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
    program.say("position startpos moves h2e2");
    program.say("go depth 6");
    let answer = program.answer();
    let mut after = Position::start();
    after.make("h2e2".parse().unwrap());
    for probe in ["probe startpos moves h2e2".to_owned(), format!("probe fen {after}")] {
        let lines = program.ask(&probe);
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert_eq!(read_pophash(&lines[0]), Some(best_move(&answer)), "{lines:#?}");
        assert!(lines[0].contains("bound "), "{lines:#?}");
    }
    // The position to search did not change.
    program.say("go depth 2");
    assert!(is_legal(&after, best_move(&program.answer())));
    program.leave();
}

#[test]
fn positions_are_found_after_searches_with_and_without_contempt() {
    let mut program = Program::start();
    program.ask("setoption contempt 50");
    // Contempt applies to the first one only.
    for go in ["go time 300 increment 0", "go depth 4"] {
        program.ask("setoption newgame");
        program.say(go);
        program.answer();
        let lines = program.ask("probe startpos");
        let found = read_pophash(&lines[0]).unwrap_or_else(|| panic!("{go}: {lines:#?}"));
        assert!(is_legal(&Position::start(), found), "{go}: {found}");
    }
    program.leave();
}

#[test]
fn an_unknown_position_is_not_found_in_the_table() {
    let mut program = Program::start();
    assert_eq!(program.ask("probe startpos"), ["pophash"]);
    program.say("go depth 3");
    program.wait_for("bestmove");
    assert_eq!(program.ask(&format!("probe fen {MATE_IN_ONE}")), ["pophash"]);
    let lines = program.ask("probe fen nonsense");
    assert_eq!((messages(&lines).len(), lines.last().map(String::as_str)), (1, Some("pophash")), "{lines:#?}");
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
    program.say("stop");
    program.wait_for("bestmove");
    program.leave();
}

#[test]
fn a_new_game_forgets_what_was_searched() {
    let mut program = Program::start();
    for command in ["setoption newgame", "ucinewgame", "setoption name Clear Hash", "setoption hashsize 8"] {
        program.say("go depth 3");
        program.wait_for("bestmove");
        assert!(program.ask("probe startpos")[0].contains("bestmove"));
        assert!(program.ask(command).is_empty());
        assert_eq!(program.ask("probe startpos"), ["pophash"], "{command}");
    }
    program.leave();
}
