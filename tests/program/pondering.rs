//! Tests pondering: the clock does not run, and the search ends on `ponderhit` or `stop`.

use chuhe::position::Position;

use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program, assert_stays_thinking};
use crate::lines::{best_move, is_legal, messages};

const ROOK_BEHIND: &str = "3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 0 1";

#[test]
fn a_finished_search_waits_for_the_predicted_move() {
    let mut program = Program::start_at(MATE_IN_ONE);
    program.say("go ponder depth 3");
    program.wait_for("info depth 3");
    assert_stays_thinking(&mut program);
    program.say("ponderhit");
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    program.leave();
}

#[test]
fn the_clock_does_not_run_while_pondering() {
    let mut program = Program::start();
    for go in ["go ponder time 50 increment 0", "go ponder movetime 50", "go ponder", "go time 50 ponder"] {
        program.say(go);
        if go != "go ponder" {
            assert_stays_thinking(&mut program);
        }
        program.say("ponderhit");
        assert!(is_legal(&Position::start(), best_move(&program.answer())), "{go}");
    }
    program.leave();
}

#[test]
fn pondering_ends_on_stop() {
    let mut program = Program::start();
    for go in ["go ponder time 1000 increment 0", "go ponder depth 2", "go ponder infinite"] {
        program.say(go);
        program.wait_for("info depth 2");
        program.say("stop");
        assert!(is_legal(&Position::start(), best_move(&program.answer())), "{go}");
        assert!(program.ask("").is_empty(), "{go} is answered once");
    }
    program.leave();
}

#[test]
fn a_draw_offered_with_the_predicted_move_is_answered() {
    let mut program = Program::start_at(ROOK_BEHIND);
    program.say("go ponder depth 4");
    program.wait_for("info depth 4");
    program.say("ponderhit draw");
    assert!(program.answer().ends_with(" draw"));
    program.leave();
}

#[test]
fn a_ponderhit_without_pondering_is_ignored_with_a_message() {
    let mut program = Program::start();
    let lines = program.ask("ponderhit");
    assert_eq!((lines.len(), messages(&lines).len()), (1, 1), "{lines:#?}");
    program.leave();
}
