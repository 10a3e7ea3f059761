//! Tests sessions in UCI, the change between the protocols and the commands for people.

use std::collections::BTreeSet;

use chuhe::position::{Position, START_FEN};
use chuhe::types::Move;

use crate::harness::{MATE_IN_ONE, Program};
use crate::lines::{begins_with, position};

/// Starts a session in UCI.
fn start_uci() -> Program {
    let mut program = Program::start();
    program.say("uci");
    program.wait_for("uciok");
    program
}

/// Returns the value after a key of an info line.
fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let mut words = line.split(' ').skip_while(|word| *word != key);
    assert_eq!(words.next(), Some(key), "no {key} in '{line}'");
    words.next().unwrap_or_else(|| panic!("nothing after {key} in '{line}'"))
}

/// Returns the info lines with a principal variation.
fn variations(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info depth ") && line.contains(" pv ")).collect()
}

/// Plays the moves after `pv` from the position.
fn played(mut position: Position, line: &str) -> Position {
    let moves = line.split_once(" pv ").expect("a variation").1;
    position.play(moves.split(' ')).unwrap_or_else(|error| panic!("{line}: {error}"));
    position
}

#[test]
fn each_handshake_declares_options_in_its_own_form() {
    let mut program = Program::start();
    program.say("uci");
    let lines = program.wait_for("uciok");
    assert!(lines[0].starts_with("id name Chuhe"), "{lines:#?}");
    let options: Vec<&String> = lines.iter().filter(|line| line.starts_with("option ")).collect();
    assert!(options.iter().all(|line| line.starts_with("option name ") && line.contains(" type ")), "{options:#?}");
    for name in ["Hash", "Threads", "MultiPV", "Ponder", "UCI_Variant", "Coordinates", "Rules", "NaturalLimit"] {
        let count = options.iter().filter(|line| line.starts_with(&format!("option name {name} type "))).count();
        assert_eq!(count, 1, "{name} in {options:#?}");
    }
    assert!(options.iter().any(|line| *line == "option name UCI_Variant type combo default xiangqi var xiangqi"));
    assert!(
        options.iter().any(|line| *line == "option name Coordinates type combo default auto var auto var zero var one")
    );

    // Every declared default may be set.
    for line in &options {
        let rest = line.strip_prefix("option name ").unwrap();
        let (name, kind) = rest.split_once(" type ").unwrap();
        let default = kind.split_once("default ").map(|(_, rest)| rest.split(' ').next().unwrap());
        let command =
            default.map_or(format!("setoption name {name}"), |value| format!("setoption name {name} value {value}"));
        assert!(program.ask(&command).is_empty(), "{command}");
    }
    program.say("ucci");
    let lines = program.wait_for("ucciok");
    assert!(lines.iter().filter(|line| line.starts_with("option ")).all(|line| !line.contains(" name ")), "{lines:#?}");
    program.leave();
}

#[test]
fn the_last_handshake_decides_the_form_of_the_answers() {
    let mut program = Program::start();
    let last_line = |program: &mut Program, name: &str| {
        program.say(name);
        program.wait_for(&format!("{name}ok"));
        program.say("position startpos");
        program.say("go depth 3");
        let lines = program.wait_for("bestmove");
        variations(&lines).last().map(|line| line.to_string()).expect("a variation")
    };
    for _ in 0..2 {
        let line = last_line(&mut program, "uci");
        assert!(line.contains(" score cp ") && line.contains(" multipv 1 ") && line.contains(" seldepth "), "{line}");
        assert!(line.contains(" hashfull ") && line.contains(" nps "), "{line}");
        let line = last_line(&mut program, "ucci");
        assert!(!line.contains(" cp ") && !line.contains("multipv") && !line.contains("seldepth"), "{line}");
        value(&line, "score").parse::<i32>().expect("a bare number");
    }
    program.leave();
}

#[test]
fn stop_messages_and_answers_differ_between_the_protocols() {
    let mut program = start_uci();
    assert!(program.ask("stop").is_empty(), "a stop without a search is ignored");
    let lines = program.ask("nonsense");
    assert!(lines.len() == 1 && lines[0].starts_with("info string "), "{lines:#?}");
    let lines = program.ask("setoption name NoSuchOption value 1");
    assert!(lines.len() == 1 && lines[0].contains("NoSuchOption"), "{lines:#?}");
    program.say("position fen R3k4/1R7/9/9/9/9/9/9/9/3K5 b");
    program.say("go depth 3");
    assert_eq!(program.wait_for("bestmove").last().unwrap(), "bestmove (none)");
    program.say("position startpos");
    program.say("go depth 0");
    let lines = program.wait_for("bestmove");
    assert!(lines[lines.len() - 2].starts_with("info depth 0 score cp "), "{lines:#?}");
    program.leave();
}

#[test]
fn several_lines_are_reported_best_first_and_begin_differently() {
    for protocol in ["uci", "ucci"] {
        let mut program = Program::start();
        program.say(protocol);
        program.wait_for(&format!("{protocol}ok"));
        assert!(program.ask("setoption multipv 4").is_empty());
        for fen in [START_FEN, "3a1a3/4k4/4b4/9/2b6/9/4P4/4B4/4A4/2R1KA3 w - - 0 1"] {
            program.say(&format!("position fen {fen}"));
            program.say("go depth 6");
            let lines = program.wait_for("bestmove");
            let all = variations(&lines);
            assert_eq!(all.len() % 4, 0, "{all:#?}");
            for (index, chunk) in all.chunks(4).enumerate() {
                let depths: BTreeSet<&str> = chunk.iter().map(|line| value(line, "depth")).collect();
                assert_eq!(depths.len(), 1, "{chunk:#?}");
                let numbers: Vec<&str> = chunk.iter().map(|line| value(line, "multipv")).collect();
                assert_eq!(numbers, ["1", "2", "3", "4"], "{chunk:#?}");
                let starts: BTreeSet<&str> = chunk.iter().map(|line| value(line, "pv")).collect();
                assert_eq!(starts.len(), 4, "iteration {index}: {chunk:#?}");
                let score = |line: &str| -> i64 {
                    let text = line.split_once(" score ").unwrap().1;
                    text.split(' ').find_map(|word| word.parse().ok()).unwrap()
                };
                assert!(chunk.windows(2).all(|pair| score(pair[0]) >= score(pair[1])), "{chunk:#?}");
                chunk.iter().for_each(|line| drop(played(position(fen), line)));
            }
            let best = all[all.len() - 4];
            assert!(lines.last().unwrap().starts_with(&format!("bestmove {}", value(best, "pv"))), "{lines:#?}");
        }
        // More lines than there are moves.
        assert!(program.ask("setoption multipv 50").is_empty());
        program.say("position fen 3k5/9/9/9/9/9/9/9/9/2B1K4 w");
        program.say("go depth 3");
        let lines = program.wait_for("bestmove");
        let moves = position("3k5/9/9/9/9/9/9/9/9/2B1K4 w").legal_moves().len().max(1);
        assert_eq!(variations(&lines).len() % moves, 0, "{lines:#?}");
        program.leave();
    }
}

#[test]
fn moves_show_how_a_client_numbers_ranks() {
    // The start position as a client that sends every game as a FEN writes it.
    let fen = format!("position fen {START_FEN} moves");
    for handshake in ["uci", "ucci"] {
        let mut program = Program::start();
        program.ask(handshake);
        let mut first_rank = |commands: &[&str]| {
            for command in commands {
                assert!(program.ask(command).is_empty(), "{handshake}: {command}");
            }
            program.say("go perft 1");
            let lines = program.wait_for("nodes");
            [0, 1].map(|rank| lines.contains(&format!("h{rank}g{}: 1", rank + 2)))
        };
        let [zero, one] = [[true, false], [false, true]];
        assert_eq!(first_rank(&["position startpos moves h3e3 h10g8"]), one);
        assert_eq!(first_rank(&["position startpos", "banmoves b1c3"]), one, "for the rest of the session");
        assert_eq!(first_rank(&["position startpos moves h2e2 h9g7"]), zero);
        assert_eq!(first_rank(&[&format!("{fen} h3e3 h8e8")]), one, "only that reading is legal");
        assert_eq!(first_rank(&["ucinewgame", "position startpos"]), one);
        assert_eq!(first_rank(&[&format!("{fen} b0c2 h9g7")]), zero, "a rank 0");
        assert_eq!(first_rank(&["setoption coordinates one", "position startpos"]), one);
        assert_eq!(first_rank(&["setoption coordinates auto", "position startpos"]), zero);
        assert_eq!(first_rank(&["banmoves h1g3"]), one, "banned moves show it too");
        program.ask(handshake);
        assert!(program.ask("position startpos").is_empty());
        program.say("go depth 2 searchmoves h0g2");
        assert!(program.answer().starts_with("bestmove h0g2"), "a handshake begins a session");
        program.say("go depth 2 searchmoves h1g3");
        assert!(program.answer().starts_with("bestmove h1g3"), "moves to search show it too");
        program.leave();
    }
}

#[test]
fn searchmoves_limits_the_root_moves() {
    let mut program = start_uci();
    program.say("position startpos");
    for wanted in ["a0a1 i0i1", "b2b4", "h2e2 b2e2 c3c4"] {
        program.say(&format!("go depth 5 searchmoves {wanted}"));
        let lines = program.wait_for("bestmove");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap().to_owned();
        assert!(wanted.split(' ').any(|mv| mv == best), "{best} of {wanted}");
    }
    program.say("go depth 3 searchmoves a0a9 h2e2");
    let lines = program.wait_for("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info string go: 'a0a9'")), "{lines:#?}");
    assert!(lines.last().unwrap().starts_with("bestmove h2e2"));
    // The limit does not apply to the next search.
    program.say("go depth 5");
    program.wait_for("bestmove");
    program.leave();
}

#[test]
fn an_infinite_search_ends_on_stop_or_at_another_limit() {
    let mut program = start_uci();
    program.say(&format!("position fen {MATE_IN_ONE}"));
    program.say("go infinite");
    // The search does not end, although the mate is proved at once.
    let lines = program.ask("isready");
    assert!(!lines.iter().any(|line| begins_with(line, "bestmove")), "{lines:#?}");
    program.say("stop");
    program.wait_for("bestmove");
    for limit in ["movetime 20 infinite", "infinite depth 3", "infinite nodes 500"] {
        program.say(&format!("go {limit}"));
        program.wait_for("bestmove");
    }
    program.leave();
}

#[test]
fn in_batch_mode_perft_and_bench_finish_before_the_next_command() {
    let mut program = Program::start();
    program.say("setoption batch true");
    program.send(b"go perft 3\nbench 1\nquit\n");
    let ended = program.expect_exit();
    for whole in ["nodes 79666", "total nodes ", "bye"] {
        assert!(ended.lines.iter().any(|line| line.starts_with(whole)), "no {whole} in {:#?}", ended.lines);
    }
}

#[test]
fn commands_for_people_work() {
    let mut program = Program::start();
    assert!(program.ask("position startpos moves h2e2").is_empty());
    let board = program.ask("d");
    assert!(board.iter().any(|line| line == "2  . C . . C . . . .") && board.len() == 13, "{board:#?}");
    assert!(program.ask("eval").iter().any(|line| line.starts_with("network's value for Black to move")));
    let help = program.ask("help");
    assert!(help.len() > 5 && help.iter().all(|line| line.starts_with("info message ")), "{help:#?}");
    let options = program.ask("help options");
    assert!(options.len() > 30 && options.iter().any(|line| line.contains("hashsize (Hash): 0 to ")), "{options:#?}");
    assert!(options.iter().all(|line| line.starts_with("info message ") && !line.contains('?')), "{options:#?}");
    assert!(program.ask("# nothing").is_empty());
    let after: Move = "h2e2".parse().unwrap();
    let mut position = Position::start();
    position.make(after);
    program.say("go perft 2");
    let counted = program.wait_until("the count", |line| begins_with(line, "nodes"));
    let (parts, total) = counted.split_at(counted.len() - 1);
    let counts: u64 = parts.iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(parts.len(), position.legal_moves().len());
    assert_eq!((total[0].as_str(), counts), (&*format!("nodes {counts}"), chuhe::position::perft(&mut position, 2)));
    // Stop ends a long perft, and commands that came meanwhile are handled afterwards.
    program.say("go perft 99");
    program.say("position startpos");
    program.say("stop");
    let lines = program.wait_until("the count", |line| begins_with(line, "nodes"));
    assert!(!lines.is_empty());
    assert!(program.ask("d").iter().any(|line| line.starts_with(&format!("fen {START_FEN}"))));
    program.say("bench 1");
    program.wait_until("the sum", |line| line.starts_with("total nodes "));
    program.say("bench 60");
    program.say("stop");
    program.wait_until("the sum of what there was time for", |line| line.starts_with("total nodes "));
    program.say("bench 60");
    program.leave();
}

#[test]
fn a_stop_that_comes_with_quit_ends_a_count_without_another_answer() {
    let mut program = Program::start();
    program.say("go perft 99");
    program.send(b"stop\nquit\n");
    let ended = program.expect_exit();
    assert!(ended.lines.iter().any(|line| line == "bye"), "{:#?}", ended.lines);
    assert!(!ended.lines.iter().any(|line| begins_with(line, "nobestmove")), "{:#?}", ended.lines);
}

#[test]
fn a_handshake_during_a_search_leaves_the_form_of_its_answer_alone() {
    let mut program = start_uci();
    program.say("position startpos");
    program.say("setoption name UCI_Variant value xiangqi");
    program.say("go infinite searchmoves h3e3");
    program.say("ucci");
    program.say("stop");
    // In this variant ranks count from 1.
    assert!(program.answer().starts_with("bestmove h3e3"));
    program.leave();
}
