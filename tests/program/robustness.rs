//! Tests the inputs in `tests/data/robustness.tsv`, on which other engines failed.

use std::time::Duration;

use chuhe::position::Position;

use crate::bad_input::refusal;
use crate::harness::Start;
use crate::lines::{answers, best_move, is_legal, is_of_the_protocol, messages};

/// Inputs on which other engines failed, one case a line, with the expected reaction.
const TABLE: &str = include_str!("../data/robustness.tsv");

/// A case of the table.
struct Case {
    name: &'static str,
    steps: Vec<Step>,
    wanted: &'static str,
}

/// Step of a case.
enum Step {
    Send(Vec<u8>),
    /// Wait for the answer to a `go` or `stop`.
    Wait,
    Pause,
    CloseInput,
    CloseOutput,
    WaitForExit,
}

fn cases() -> Vec<Case> {
    TABLE
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [_, name, _, input, wanted] = cells[..] else { panic!("five columns in '{line}'") };
            Case { name, steps: input.split(" ; ").map(|text| step(name, text)).collect(), wanted }
        })
        .collect()
}

fn step(name: &str, text: &str) -> Step {
    if let Some(action) = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return match action.split(' ').next() {
            Some("wait") => Step::Wait,
            Some("sleep") => Step::Pause,
            Some("close") => Step::CloseInput,
            Some("closeout") => Step::CloseOutput,
            Some("waitexit") => Step::WaitForExit,
            _ => panic!("no such step: <{action}>"),
        };
    }
    let mut bytes = if let Some((line, count)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (x")) {
        format!("{line}\n").repeat(count.parse().expect("a count")).trim_end().as_bytes().to_vec()
    } else if let Some((beginning, length)) = text.strip_suffix(" bytes)").and_then(|text| text.rsplit_once("...(")) {
        let whole = long_line(name);
        assert!(whole.starts_with(beginning) && whole.len().to_string() == length, "{name}");
        whole.into_bytes()
    } else {
        unescaped(text)
    };
    bytes.push(b'\n');
    Step::Send(bytes)
}

/// Returns the long lines, of which the table has only the beginning.
fn long_line(name: &str) -> String {
    let shuffled = |plies| {
        let moves: Vec<&str> = ["a0a1", "a9a8", "a1a0", "a8a9"].into_iter().cycle().take(plies).collect();
        format!("position startpos moves {}", moves.join(" "))
    };
    match name {
        "long_line" => "a".repeat(1_000_000),
        "long_fen" => format!("position fen {}", "9/".repeat(50_000)),
        "mv_3000" => shuffled(3_000),
        "long_moves" => shuffled(4_000),
        _ => panic!("no long line for {name}"),
    }
}

/// Returns the bytes of a text in which `\xNN` is the byte NN.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

/// Returns a part of each expected message, in order, and the first words of the expected answers.
fn expectation(name: &str) -> (&'static [&'static str], &'static [&'static str]) {
    const MOVE: &[&str] = &["bestmove"];
    const NONE: &[&str] = &["nobestmove"];
    match name {
        "baseline" | "upper" | "mv_3000" | "long_moves" | "go_nopos" | "go_depth_huge" | "go_time_0"
        | "go_time_neg" | "go_time_huge" | "eof_go_depth" | "opt_hash_neg" | "no_handshake" | "handshake_twice"
        | "flood" => (&[], MOVE),
        "pos_bare" => (&["position"; 2], NONE),
        "fen_garbage" => (&["rank 9"; 2], NONE),
        "fen_emptyboard" | "fen_no_red_king" => (&["Red has 0 kings"; 2], NONE),
        "fen_no_black_king" => (&["Black has 0 kings"; 2], NONE),
        "fen_two_kings" => (&["Red has 2 kings"; 2], NONE),
        "fen_kings_face" => (&["kings face each other"; 2], NONE),
        "fen_20_pawns" => (&["more than 16"; 2], NONE),
        "fen_5_rows" => (&["5 ranks"; 2], NONE),
        "fen_no_side" => (&["side"], MOVE),
        "fen_rule60_passed" => (&["'200'"], MOVE),
        "mv_wrong_side" => (&["ply 1, 'h9g7'"; 2], NONE),
        // The search has ended before the stop.
        "go_depth_text" => (&["'abc'"], &["bestmove", "nobestmove"]),
        "go_nodes_0" => (&[], &["bestmove", "nobestmove"]),
        "mated2" | "stop_idle" => (&[], NONE),
        "pos_in_search" => (&["is ignored"], MOVE),
        "eof_idle" => (&[], &[]),
        "long_line" => (&["is ignored"], MOVE),
        "long_fen" => (&["ranks"], MOVE),
        "non_utf8" | "nul_bytes" => (&["unknown command"], MOVE),
        "opt_hash_max" => (&["choose a smaller hash size"], MOVE),
        "opt_hash_text" => (&["hashsize"], MOVE),
        "ban_all" => (&["d0e0"], NONE),
        _ => panic!("no expectation for the case {name}"),
    }
}

/// Runs the steps of a case until the program has ended, and returns all lines.
fn play(case: &Case) -> Vec<String> {
    let closes_output = case.steps.iter().any(|step| matches!(step, Step::CloseOutput));
    let mut program = Start { hang_up_after: closes_output.then_some(2), ..Start::default() }.now();
    let mut lines = Vec::new();
    for step in &case.steps {
        match step {
            Step::Send(bytes) if closes_output => drop(program.try_send(bytes)),
            Step::Send(bytes) => {
                program.send(bytes);
                if case.name == "opt_hash_max" && bytes.starts_with(b"setoption") {
                    // A system that grants any size would run out of memory in the search.
                    let reply = program.ask("");
                    if messages(&reply).is_empty() {
                        program.say("setoption hashsize 16");
                    }
                    lines.extend(reply);
                }
            }
            Step::Wait => lines.extend(program.wait_for_answer()),
            Step::Pause => std::thread::sleep(Duration::from_millis(100)),
            Step::CloseInput => program.close_input(),
            // The reader closes the output by itself.
            Step::CloseOutput => {}
            Step::WaitForExit => {
                let ended = program.expect_exit();
                ended.assert_quiet_success();
                lines.extend(ended.lines);
                return lines;
            }
        }
    }
    if case.name == "double_go" && messages(&lines).is_empty() {
        lines.extend(program.wait_for_answer());
    }
    lines.extend(program.ask(""));
    lines.extend(program.leave());
    lines
}

#[test]
fn every_case_of_the_table_ends_as_expected() {
    let cases = cases();
    assert!(cases.len() >= 40, "the table was found");
    for case in &cases {
        println!("{}: wanted is '{}'", case.name, case.wanted);
        let lines = play(case);
        let (texts, found) = (messages(&lines), answers(&lines));
        if case.name == "stdout_closed" {
            // It must only end by itself, without an error.
            continue;
        }
        assert!(lines.iter().all(|line| is_of_the_protocol(line)), "{}: {lines:#?}", case.name);
        let moves = found.iter().filter(|answer| answer.starts_with("bestmove"));
        // All cases search the start position, or the same board after many moves to and fro.
        assert!(
            moves.clone().all(|answer| is_legal(&Position::start(), best_move(answer))),
            "{}: {found:?}",
            case.name
        );
        if case.name == "double_go" {
            assert_eq!(moves.count() + texts.len(), 2, "one answer for each accepted go: {lines:#?}");
            continue;
        }
        let (parts, beginnings) = expectation(case.name);
        let was_granted = case.name == "opt_hash_max" && texts.is_empty();
        assert!(
            was_granted
                || (texts.len() == parts.len() && texts.iter().zip(parts).all(|(text, part)| text.contains(part))),
            "{}: {texts:#?} instead of {parts:?}",
            case.name
        );
        let words: Vec<&str> = found.iter().map(|answer| answer.split(' ').next().unwrap()).collect();
        assert_eq!(words, beginnings, "{}: {lines:#?}", case.name);
        match case.name {
            "flood" => assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 10_000),
            "handshake_twice" => assert_eq!(lines.iter().filter(|line| *line == "ucciok").count(), 2),
            "pos_in_search" => assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 1),
            "baseline" => assert!(lines.iter().any(|line| line.starts_with("info depth 6 "))),
            _ => {}
        }
    }
}

#[test]
fn after_a_refused_command_of_the_table_no_other_board_is_searched() {
    let is_refused = |case: &&Case| {
        ["refuse", "no move of another board", "dropped", "line ignored"].iter().any(|part| case.wanted.contains(part))
    };
    let mut refused = 0;
    for case in cases().iter().filter(is_refused) {
        let Step::Send(command) = &case.steps[0] else { panic!("{} begins with a command", case.name) };
        refusal(command, case.wanted.contains("no move of another board"));
        refused += 1;
    }
    assert!(refused >= 13, "only {refused}");
}
