//! Proves that options do what they promise, in the dialects that front ends speak.

use chuhe::position::Position;

use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program};
use crate::lines::{Iteration, best_move, is_legal, messages};

const THREE_ROOKS: &str = "rrr1k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1";

#[test]
fn options_are_set_in_the_dialects_of_both_protocols() {
    let mut program = Program::start();
    let silent = [
        "setoption hashsize 16",
        "setoption name Hash value 16",
        "setoption Hash 16",
        "setoption name hashsize value 16",
        "setoption Threads 1",
        "setoption threads 1",
        "setoption usemillisec true",
        "setoption name UseMilliSec value true",
        "setoption name Move Overhead value 50",
        "setoption ponder false",
        "setoption ponder off",
        "setoption usebook false",
        "setoption promotion on",
        "setoption pruning large",
        "setoption knowledge large",
        "setoption bookfiles C:\\my books\\a.dat",
        "setoption name Clear Hash",
        "setoption style risky",
        "setoption rules league",
        "setoption name Rules value simple",
        "setoption naturallimit 100",
        "setoption name Natural Limit value auto",
        "setoption newgame",
    ];
    for command in silent {
        assert_eq!(program.ask(command), [""; 0], "{command}");
    }
    program.say("go depth 3");
    program.wait_for("bestmove");
    program.leave();
}

#[test]
fn unknown_options_are_spoken_of_only_when_debug_is_on() {
    let mut program = Program::start();
    assert!(program.ask("setoption nosuchoption 1").is_empty());
    for debug in ["setoption debug true", "setoption name Debug value on"] {
        assert!(program.ask(debug).is_empty());
        let lines = program.ask("setoption nosuchoption 1");
        assert!(messages(&lines).len() == 1 && lines[0].contains("nosuchoption"), "{lines:#?}");
        assert!(program.ask("setoption debug false").is_empty());
        assert!(program.ask("setoption nosuchoption 1").is_empty());
    }
    program.leave();
}

#[test]
fn times_may_be_told_in_seconds() {
    let mut program = Program::start();
    // As milliseconds the time is less than what is set aside for the way of the answer, so one iteration must do; as
    // seconds it is plenty on any machine.
    assert!(program.ask("setoption moveoverhead 5000").is_empty());
    for (unit, iterations) in [("true", 1), ("false", 3), ("true", 1)] {
        assert!(program.ask(&format!("setoption usemillisec {unit}")).is_empty());
        program.say("go time 4900 increment 0 depth 3");
        let lines = program.wait_for_answer();
        assert!(messages(&lines).is_empty(), "{lines:#?}");
        assert_eq!(Iteration::all(&lines).len(), iterations, "usemillisec {unit}: {lines:#?}");
    }
    program.leave();
}

#[test]
fn surplus_men_are_admitted_when_laxfen_is_on() {
    let mut program = Program::start();
    let command = format!("position fen {THREE_ROOKS}");
    for (lax, refusals) in [("false", 1), ("true", 0), ("false", 1)] {
        assert!(program.ask(&format!("setoption laxfen {lax}")).is_empty());
        let lines = program.ask(&command);
        assert_eq!((messages(&lines).len(), lines.len()), (refusals, refusals), "laxfen {lax}: {lines:#?}");
    }
    program.leave();
}

#[test]
fn randomness_still_plays_legal_moves() {
    let mut program = Program::start();
    for level in ["small", "medium", "large", "none"] {
        assert!(program.ask(&format!("setoption randomness {level}")).is_empty());
        program.say("go depth 4");
        assert!(is_legal(&Position::start(), best_move(&program.answer())), "{level}");
    }
    let lines = program.ask("setoption randomness huge");
    assert!(messages(&lines).len() == 1 && lines[0].contains("randomness"), "{lines:#?}");
    program.leave();
}

#[test]
fn a_new_game_keeps_the_position() {
    let mut program = Program::start_at(MATE_IN_ONE);
    program.say("setoption newgame");
    program.say("go depth 3");
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    program.leave();
}
