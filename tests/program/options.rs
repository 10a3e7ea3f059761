//! Tests the effects of options, in the forms that clients use.

use chuhe::position::Position;

use crate::common::NOT_FOUND;
#[cfg(target_os = "linux")]
use crate::harness::run_with_memory_limit;
use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program, TemporaryFile};
use crate::lines::{Iteration, best_move, is_legal, messages};

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
fn knowledge_and_style_change_the_evaluation() {
    const ATTACK: &str = "3akab2/4n4/4b1n2/1PP1R4/6N2/9/1c2r4/4C4/4A4/3AK4 w";
    let mut program = Program::start_at(ATTACK);
    let mut scores = |option: &str, values: &[&str]| -> Vec<i64> {
        let score = |value: &&str| {
            assert!(program.ask(&format!("setoption {option} {value}")).is_empty());
            program.say("go depth 0");
            let lines = program.wait_for_answer();
            let score = lines.iter().find_map(|line| line.strip_prefix("info depth 0 score "));
            score.and_then(|score| score.parse().ok()).unwrap_or_else(|| panic!("no score in {lines:#?}"))
        };
        values.iter().map(score).collect()
    };
    let styles = scores("style", &["solid", "normal", "risky", "normal"]);
    assert!(styles[0] < styles[1] && styles[1] < styles[2] && styles[1] == styles[3], "{styles:?}");
    let mut levels = scores("knowledge", &["none", "small", "medium", "large"]);
    assert_eq!(levels[3], styles[1]);
    levels.sort_unstable();
    levels.dedup();
    assert_eq!(levels.len(), 4, "{levels:?}");
    program.leave();
}

#[test]
fn less_pruning_takes_more_nodes() {
    let mut program = Program::start();
    let [without, with] = ["none", "large"].map(|level| {
        assert!(program.ask(&format!("setoption pruning {level}")).is_empty());
        program.say("go depth 5");
        Iteration::all(&program.wait_for_answer()).last().expect("there are iterations").nodes
    });
    assert!(without > 2 * with, "{without} and {with}");
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

#[test]
fn contempt_lowers_draws_in_games_but_not_in_analysis() {
    // One cannon without screens of its own cannot win.
    let mut program = Program::start_at("4k4/9/4b4/9/9/9/9/4B4/9/2C1K4 w - - 0 1");
    program.ask("setoption rawscores true");
    let mut scores = |contempt: &str, go: &str| -> Vec<i64> {
        assert!(program.ask(&format!("setoption contempt {contempt}")).is_empty());
        program.say(go);
        if go == "go infinite" {
            let mut lines = program.wait_for("info depth 5");
            program.say("stop");
            lines.extend(program.wait_for_answer());
            return Iteration::all(&lines).iter().map(|iteration| iteration.score).collect();
        }
        Iteration::all(&program.wait_for_answer()).iter().map(|iteration| iteration.score).collect()
    };
    for (contempt, go, score) in [
        ("0", "go time 200 increment 0", 0),
        ("30", "go time 200 increment 0", -30),
        ("1", "go time 200 increment 0", -1),
        ("100", "go movetime 20", -100),
        ("100", "go depth 4", 0),
        ("100", "go infinite", 0),
    ] {
        let found = scores(contempt, go);
        // The scale by material rounds up.
        assert!(
            !found.is_empty() && found.iter().all(|found| (found - score).abs() <= 1),
            "{contempt} {go}: {found:?}"
        );
    }
    program.leave();
}

#[test]
fn a_larger_table_is_less_full() {
    let mut program = Program::start();
    program.ask("uci");
    let mut fullness = |megabytes: &str| -> u64 {
        assert!(program.ask(&format!("setoption name Hash value {megabytes}")).is_empty());
        program.say("position startpos");
        program.say("go nodes 60000");
        let lines = program.wait_for_answer();
        let last = lines.iter().rev().find_map(|line| line.split_once(" hashfull ")).expect("there is one").1;
        last.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let (small, large) = (fullness("1"), fullness("64"));
    assert!(small > 10 * large.max(1), "{small} and {large} thousandths");
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

#[test]
fn a_network_that_cannot_be_used_is_refused_and_the_built_in_one_stays_in_use() {
    let letter = TemporaryFile::with("network-letter", "Dear Sir,\n");
    let mut program = Program::start();
    let value = |program: &mut Program| program.ask("go depth 0").remove(0);
    let usual = value(&mut program);
    for (path, fault) in [("/nowhere/at/all", NOT_FOUND), (letter.path(), "not a network file")] {
        for command in [format!("setoption evalfile {path}"), format!("setoption name EvalFile value {path}")] {
            let lines = program.ask(&command);
            let texts = messages(&lines);
            assert!(texts.len() == 1 && texts[0].starts_with(path) && texts[0].contains(fault), "{lines:#?}");
            assert!(texts[0].ends_with("the network of the program is used"), "{lines:#?}");
            assert_eq!(value(&mut program), usual);
        }
    }
    for command in ["setoption evalfile <empty>", "setoption name EvalFile value"] {
        assert!(program.ask(command).is_empty(), "{command}");
    }
    program.leave();
}
