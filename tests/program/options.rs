//! Tests the declarations of options and their effects.

use crate::harness::Program;
#[cfg(target_os = "linux")]
use crate::harness::run_with_memory_limit;
use crate::lines::{Iteration, messages};

const THREE_ROOKS: &str = "rrr1k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1";

/// Reads `[name] NAME type KIND …`. Returns the name and the value that XBoard sends back when it starts the engine a
/// second time: the first of a combo, otherwise the default; none for a button.
fn name_and_value(declaration: &str) -> (String, Option<String>) {
    let (name, rest) = declaration.split_once(" type ").unwrap_or_else(|| panic!("no type in '{declaration}'"));
    let after = |key: &str| rest.split(' ').skip_while(|word| *word != key).nth(1).map(str::to_owned);
    let value = match rest.split(' ').next() {
        Some("button") => None,
        Some("combo") => after("var"),
        _ => Some(after("default").unwrap_or_default()),
    };
    (name.to_owned(), value)
}

/// Returns the options that a program declares in a protocol, after the lines that name the engine.
fn declared(program: &mut Program, protocol: &str) -> Vec<(String, Option<String>)> {
    program.say(protocol);
    let mut lines = program.wait_for(&format!("{protocol}ok"));
    lines.pop();
    let (keys, prefix) = if protocol == "uci" {
        (&["name", "author"][..], "option name ")
    } else {
        (&["name", "version", "copyright", "author"][..], "option ")
    };
    for (key, line) in keys.iter().zip(&lines) {
        assert!(line.starts_with(&format!("id {key} ")), "{line}");
    }
    let read = |line: &String| name_and_value(line.strip_prefix(prefix).unwrap_or_else(|| panic!("{line}")));
    lines[keys.len()..].iter().map(read).collect()
}

fn node_counts(program: &mut Program) -> Vec<u64> {
    let count = |position| {
        program.say(&format!("position {position}"));
        let lines = program.go("go depth 8");
        let last = lines.iter().rev().find(|line| line.starts_with("info depth 8 ")).expect("it is reached");
        last.split(' ').skip_while(|word| *word != "nodes").nth(1).unwrap().parse().unwrap()
    };
    let positions = [
        "startpos",
        "fen r1bakab1r/9/1cn4c1/p1p1p1p1p/6n2/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 b - - 0 6",
        "fen 3akab2/4n4/4b1n2/1PP1R4/6N2/9/1c2r4/4C4/4A4/3AK4 w - - 0 40",
    ];
    positions.map(count).to_vec()
}

/// XBoard sends every option back through uci2wb when it starts the engine a second time, and takes the first of its
/// values for the default of a combo option.
#[test]
fn options_sent_back_at_a_restart_leave_the_engine_as_it_is() {
    for (protocol, wanted) in [
        ("ucci", "usemillisec batch hashsize threads newgame style resign"),
        ("uci", "Hash Threads MultiPV Ponder UCI_Variant Coordinates Rules NaturalLimit"),
    ] {
        let set = |name: &str, value: &str| match protocol {
            "uci" => format!("setoption name {name} value {value}"),
            _ => format!("setoption {name} {value}"),
        };
        let mut fresh = Program::start();
        let options = declared(&mut fresh, protocol);
        for name in wanted.split(' ') {
            assert_eq!(options.iter().filter(|option| option.0 == name).count(), 1, "{name} in {options:?}");
        }
        let is_lower = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase());
        assert!(protocol == "uci" || options.iter().all(|option| is_lower(&option.0)), "{options:?}");
        let mut restarted = Program::start();
        for (name, value) in declared(&mut restarted, protocol) {
            let answer = value.map(|value| restarted.ask(&set(&name, &value))).unwrap_or_default();
            assert!(answer.is_empty(), "{name}: {answer:#?}");
        }
        assert_eq!(node_counts(&mut restarted), node_counts(&mut fresh), "{protocol}");
        fresh.leave();
        restarted.leave();
    }
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
        let lines = program.go("go time 4900 increment 0 depth 3");
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
        program.go("stop");
    }
    program.leave();
}
