//! Tests of `mate`, of suites solved by the mate solver, and of `go mate`.

use chuhe::position::START_FEN;

use crate::analysis::played;
use crate::common::data::{self, mates};
use crate::harness::{MATE_IN_ONE, Program, TemporaryFile, refused, run, run_well};
use crate::lines::{is_legal, position};

/// A mate in two, by checks only: a position of `tests/data/mates.epd`.
const MATE_IN_TWO: &str = "2baka2R/3n1P1r1/4b4/5N3/9/2P3P2/9/3AB4/4A4/4K1B2 w - - 0 1";

/// Returns whether the side to move is mated after these moves from the mate in two, each of which must be legal.
fn mates_in_two(moves: &str) -> bool {
    !data::played(position(MATE_IN_TWO), moves).has_legal_move()
}

#[test]
fn a_proved_mate_has_its_line() {
    let ended = run_well(&["mate", MATE_IN_TWO, "--within", "5"]);
    assert_eq!(ended.lines[0], "mate in 2 proved, by checks only; there is no shorter mate");
    let line = ended.lines[1].strip_prefix("line   ").expect("the line follows");
    assert_eq!(line.split(' ').count(), 3);
    assert!(mates_in_two(line));
    assert!(ended.lines[2].starts_with("nodes  ") && ended.lines.len() == 3, "{:#?}", ended.lines);
    let chinese = run_well(&["mate", MATE_IN_TWO, "--notation", "chinese"]);
    assert!(chinese.lines[1].starts_with("line   车一平四 "), "{}", chinese.lines[1]);
    // The mate is the same from the moves before it, and by the JSON.
    let object = run_well(&["mate", MATE_IN_TWO, "--json", "--first", "--hash", "1"]).objects().remove(0);
    assert_eq!((&object["type"], &object["verdict"], &object["mate"]), (&"mate".into(), &"proved".into(), &2.into()));
    assert_eq!((&object["by_checks"], &object["within"]), (&true.into(), &30.into()));
    assert!(!played(&position(MATE_IN_TWO), &object["moves"]).has_legal_move());
    let [first, reply] = [0, 1].map(|index| object["moves"][index].as_str().unwrap());
    let after = run_well(&["mate", MATE_IN_TWO, first, reply, "--within", "1", "--json"]).objects().remove(0);
    assert_eq!((&after["mate"], &after["shortest"]), (&1.into(), &true.into()));
}

#[test]
fn a_refuted_and_an_undecided_mate_say_so() {
    let refuted = run_well(&["mate", MATE_IN_TWO, "--within", "1"]);
    assert_eq!(refuted.lines[0], "mate in 1 refuted: there is none within that number of moves");
    let unknown = run_well(&["mate", "startpos", "--within", "20", "--nodes", "5000"]);
    assert_eq!(unknown.lines[0], "mate in 20 unknown: neither proved nor refuted");
    assert!(unknown.lines[1].starts_with("nodes  5000 "), "{:#?}", unknown.lines);
    let object = run_well(&["mate", "startpos", "--within", "20", "--nodes", "50", "--json"]).objects().remove(0);
    assert!(object["verdict"] == "unknown" && object["mate"].is_null() && object["shortest"].is_null(), "{object}");
    assert_eq!((&object["fen"], object["moves"].as_array().unwrap().len()), (&START_FEN.into(), 0));
}

#[test]
fn bad_arguments_are_refused() {
    for (arguments, message) in
        [(&["mate", "3k5/9/9/9/9/9/9/9/9/3K5 w"][..], "invalid position"), (&["mate", MATE_IN_TWO, "a0a9"], "a0a9")]
    {
        refused(arguments, 3, message);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_prints_the_result_so_far() {
    let arguments = ["mate", "startpos", "--within", "40", "--nodes", "1000000000000", "--json", "--hash", "1"];
    let program = Program::with(&arguments);
    program.wait_for_handler();
    let ended = program.interrupt("TERM");
    let object = ended.objects().pop().expect("a result is printed");
    assert_eq!((&object["verdict"], &object["interrupted"]), (&"unknown".into(), &true.into()));
}

#[test]
fn a_suite_is_solved_by_proofs() {
    let mut suite = String::new();
    for (index, (fen, moves)) in mates().into_iter().step_by(6).enumerate() {
        suite += &format!("{fen}\tdm {moves}; id \"mate {index}\";\n");
    }
    let count = suite.lines().count();
    suite += &format!(
        "{MATE_IN_TWO}\tdm 1; id \"too short\";\n{START_FEN}\tdm 9; id hard;\n{MATE_IN_ONE} bm g0d0; id move;\n"
    );
    let file = TemporaryFile::with("proved-suite.epd", &suite);
    let arguments = ["analyze", file.path(), "--solver", "mate", "--nodes", "20000", "--threads", "2"];
    let ended = run(&arguments);
    assert_eq!(ended.last_line(), format!("{} positions, {count} solved", count + 2), "{:#?}", ended.lines);
    assert!(ended.errors.contains("has no dm") && ended.errors.contains("1 bad line"), "{}", ended.errors);
    let row = |name: &str| ended.lines.iter().find(|line| line.contains(&format!("  {name}: "))).expect(name).clone();
    assert!(row("too short").contains(" refuted ") && row("hard").contains(" unknown "));
    assert!(row("mate 0").starts_with("yes ") && row("mate 0").contains(" mate 1 "), "{}", row("mate 0"));
    let objects = run(&[&arguments[..], &["--json"]].concat()).objects();
    for object in &objects[..count] {
        assert_eq!((&object["verdict"], &object["solved"]), (&"proved".into(), &true.into()), "{object}");
        let start = position(object["fen"].as_str().unwrap());
        assert!(!played(&start, &object["moves"]).has_legal_move(), "{object}");
        assert!(object["nodes"].as_u64().unwrap() <= 20_000, "{object}");
    }
    let refuted = &objects[count];
    assert!(refuted["verdict"] == "refuted" && refuted["winning_chance"].is_null(), "{refuted}");
    // The search stays the default, and its lines have no verdict.
    let searched = run(&["analyze", file.path(), "--nodes", "2000", "--json"]).objects();
    assert!(searched.iter().all(|object| object.get("verdict").is_none()));
    refused(&[&arguments[..], &["--depth", "3"]].concat(), 2, "--depth");
    refused(&["analyze", "startpos", "--solver", "mate"], 2, "needs a suite");
}

// Sessions

fn last_line(lines: &[String]) -> &str {
    lines.iter().rev().find_map(|line| line.split_once(" pv ")).expect("a variation").1
}

#[test]
fn go_mate_proves_the_mate_in_both_protocols() {
    for (start, ending) in [("uci", "uciok"), ("ucci", "ucciok")] {
        let mut program = Program::start();
        program.say(start);
        program.wait_for(ending);
        program.say(&format!("position fen {MATE_IN_TWO}"));
        let lines = program.go("go mate 5");
        let proved = lines.iter().find(|line| line.contains("proved"));
        assert!(proved.is_some_and(|line| line.contains("by checks only")), "{lines:#?}");
        let line = last_line(&lines);
        assert!(line.split(' ').count() <= 9 && mates_in_two(line));
        assert!(lines.last().unwrap().starts_with(&format!("bestmove {}", &line[..4])), "{lines:#?}");
        program.leave();
    }
}

#[test]
fn go_mate_answers_with_a_move_when_there_is_no_mate() {
    let mut program = Program::start_at(MATE_IN_TWO);
    for (command, verdict) in [
        ("go mate 1", "mate in 1 move refuted"),
        ("go mate 1 depth 3", "mate in 1 move refuted"),
        ("go mate 30 nodes 4", "neither proved nor refuted"),
        ("go mate 2 searchmoves g4g5", "mate in at most 2 moves refuted"),
    ] {
        let lines = program.go(command);
        assert!(lines.iter().any(|line| line.contains(verdict)), "{command}: {lines:#?}");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap().to_owned();
        assert!(is_legal(&position(MATE_IN_TWO), &best), "{command}: {lines:#?}");
        assert!(!command.contains("searchmoves") || best == "g4g5");
    }
    // A banned move is no part of a mate.
    program.say("go mate 2");
    let free = program.answer().split(' ').nth(1).unwrap().to_owned();
    program.say(&format!("banmoves {free}"));
    program.say("go mate 2 nodes 20000");
    assert_ne!(program.answer().split(' ').nth(1), Some(free.as_str()));
    program.leave();
}

#[test]
fn go_mate_is_stopped_and_obeys_its_time() {
    let mut program = Program::start_at(START_FEN);
    program.say("go mate 40");
    program.say("stop");
    assert!(program.answer().starts_with("bestmove "));
    program.say("go mate 40 movetime 30");
    assert!(program.answer().starts_with("bestmove "));
    // The nearest number is 1.
    program.say("go mate 0 nodes 500");
    assert!(program.answer().starts_with("bestmove "));
    program.leave();
}
