//! Tests the effects of options, in the forms that clients use.

#[cfg(target_os = "linux")]
use crate::harness::run_with_memory_limit;
use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program};
use crate::lines::{Iteration, best_move, messages};

const THREE_ROOKS: &str = "rrr1k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1";

#[test]
fn options_are_set_in_the_forms_of_both_protocols() {
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
        "setoption name Style value normal",
        "setoption name Knowledge value large",
        "setoption name Pruning value large",
        "setoption name Skill Level value 20",
        "setoption skill 20",
        "setoption name Seed value 7",
        "setoption contempt 0",
        "setoption name Contempt value 0",
        "setoption drawoffers false",
        "setoption resign false",
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
fn unknown_options_are_reported_only_when_debug_is_on() {
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
fn times_may_be_in_seconds() {
    let mut program = Program::start();
    // In milliseconds the time is less than the move overhead, so there is one iteration; in seconds it is plenty on
    // any machine.
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
fn extra_pieces_are_accepted_when_laxfen_is_on() {
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
#[cfg(target_os = "linux")]
fn a_table_is_replaced_where_there_is_no_memory_for_two() {
    let ended = run_with_memory_limit(1_100, "setoption hashsize 640\nsetoption hashsize 576\nquit\n");
    ended.assert_quiet_success();
    assert_eq!(ended.lines, ["bye"]);
    // After a refusal the old size still works.
    let commands = "setoption hashsize 640\nsetoption hashsize 1200\nsetoption hashsize 640\ngo depth 3\nquit\n";
    let ended = run_with_memory_limit(1_100, commands);
    ended.assert_quiet_success();
    assert_eq!(messages(&ended.lines).len(), 1, "{:#?}", ended.lines);
    assert!(messages(&ended.lines)[0].contains("1200 MB"), "{:#?}", ended.lines);
}

#[test]
fn a_new_game_keeps_the_position() {
    let mut program = Program::start_at(MATE_IN_ONE);
    program.say("setoption newgame");
    program.say("go depth 3");
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    program.leave();
}

#[test]
fn a_level_of_skill_moves_long_before_its_time_is_up_but_analyzes_in_full() {
    let mut program = Program::start();
    for skill in ["setoption skill 1", "setoption name Skill Level value 2"] {
        assert!(program.ask(skill).is_empty());
        // At full strength the search would take far longer than the test waits.
        program.say("go time 36000000 increment 0");
        let lines = program.wait_for_answer();
        assert!(Iteration::all(&lines).iter().all(|iteration| iteration.depth <= 2), "{lines:#?}");
    }
    program.say("go infinite");
    program.wait_for("info depth 5");
    program.say("stop");
    program.answer();
    program.leave();
}

/// The threads of another process can be counted on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn the_number_of_search_threads_is_that_of_the_option() {
    let mut program = Program::start();
    for threads in [1, 3, 2] {
        assert!(program.ask(&format!("setoption threads {threads}")).is_empty());
        program.say("go infinite");
        program.wait_for("info depth 4");
        assert_eq!(program.threads_named(&["search", "helper"]), threads);
        program.say("stop");
        program.answer();
    }
    program.leave();
}
