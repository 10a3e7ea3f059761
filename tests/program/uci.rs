//! Tests sessions in UCI, the change between the protocols and the commands for people.

use std::collections::BTreeSet;

use chuhe::position::{Position, START_FEN};

use crate::common::data::played;
use crate::harness::{MATE_IN_ONE, Program};
use crate::lines::{begins_with, position};

fn start_uci() -> Program {
    let mut program = Program::start();
    program.say("uci");
    program.wait_for("uciok");
    program
}

fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let mut words = line.split(' ').skip_while(|word| *word != key);
    assert_eq!(words.next(), Some(key), "no {key} in '{line}'");
    words.next().unwrap_or_else(|| panic!("nothing after {key} in '{line}'"))
}

fn variations(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info depth ") && line.contains(" pv ")).collect()
}

#[test]
fn the_last_handshake_decides_the_form_of_the_answers() {
    let mut program = Program::start();
    let mut last_line = |name: &str| {
        program.say(name);
        program.wait_for(&format!("{name}ok"));
        let lines = program.go("go depth 3");
        variations(&lines).last().map(|line| line.to_string()).expect("a variation")
    };
    for _ in 0..2 {
        let line = last_line("uci");
        for part in [" score cp ", " multipv 1 ", " seldepth ", " hashfull ", " nps "] {
            assert!(line.contains(part), "no {part} in {line}");
        }
        let line = last_line("ucci");
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
    assert_eq!(program.go("go depth 3").last().unwrap(), "bestmove (none)");
    program.say("position startpos");
    let lines = program.go("go depth 0");
    assert!(lines[lines.len() - 2].starts_with("info depth 0 score cp "), "{lines:#?}");
    program.leave();
}

#[test]
fn an_infinite_search_does_not_end_although_a_mate_is_proved_at_once() {
    let mut program = start_uci();
    program.say(&format!("position fen {MATE_IN_ONE}"));
    let lines = program.ask("go infinite");
    assert!(!lines.iter().any(|line| begins_with(line, "bestmove")), "{lines:#?}");
    program.go("stop");
    program.leave();
}

#[test]
fn several_lines_are_reported_best_first_and_begin_differently() {
    // In the last position there are fewer moves than lines.
    let few_moves = "3k5/9/9/9/9/9/9/9/9/2B1K4 w";
    let cases = [
        (START_FEN, 4, 4),
        ("3a1a3/4k4/4b4/9/2b6/9/4P4/4B4/4A4/2R1KA3 w - - 0 1", 4, 4),
        (few_moves, 50, position(few_moves).legal_moves().len()),
    ];
    for protocol in ["uci", "ucci"] {
        let mut program = Program::start();
        program.ask(protocol);
        for (fen, wanted, count) in cases {
            assert!(program.ask(&format!("setoption multipv {wanted}")).is_empty());
            program.say(&format!("position fen {fen}"));
            let lines = program.go("go depth 6");
            let all = variations(&lines);
            assert!(all.len() >= count && all.len().is_multiple_of(count), "{all:#?}");
            for chunk in all.chunks(count) {
                let words = |key| chunk.iter().map(|line| value(line, key)).collect::<Vec<_>>();
                assert!(words("depth").iter().all(|depth| *depth == words("depth")[0]), "{chunk:#?}");
                assert!(words("multipv").into_iter().eq((1..=count).map(|number| number.to_string())), "{chunk:#?}");
                assert_eq!(BTreeSet::from_iter(words("pv")).len(), count, "{chunk:#?}");
                let score = |line: &&String| -> i64 {
                    let text = line.split_once(" score ").unwrap().1;
                    text.split(' ').find_map(|word| word.parse().ok()).unwrap()
                };
                assert!(chunk.is_sorted_by(|one, next| score(one) >= score(next)), "{chunk:#?}");
                for line in chunk {
                    position(fen).play(line.split_once(" pv ").unwrap().1.split(' ')).unwrap();
                }
            }
            let best = value(all[all.len() - count], "pv");
            assert!(lines.last().unwrap().starts_with(&format!("bestmove {best}")), "{lines:#?}");
        }
        program.leave();
    }
}

#[test]
fn moves_show_how_a_client_numbers_ranks() {
    let mut program = start_uci();
    let mut first_rank = |commands: &[&str]| {
        for command in commands {
            assert!(program.ask(command).is_empty(), "{command}");
        }
        program.say("go perft 1");
        let lines = program.wait_for("nodes");
        [0, 1].map(|rank| lines.contains(&format!("h{rank}g{}: 1", rank + 2)))
    };
    let [zero, one] = [[true, false], [false, true]];
    assert_eq!(first_rank(&["position startpos moves h3e3 h10g8"]), one);
    assert_eq!(first_rank(&["position startpos", "banmoves b1c3"]), one, "for the rest of the session");
    assert_eq!(first_rank(&["position startpos moves h2e2 h9g7"]), zero);
    assert_eq!(first_rank(&[&format!("position fen {START_FEN} moves h3e3 h8e8")]), one, "only that reading is legal");
    assert_eq!(first_rank(&["position startpos moves b0c2 h9g7"]), zero, "a rank 0");
    assert_eq!(first_rank(&["setoption coordinates one", "position startpos"]), one);
    assert_eq!(first_rank(&["setoption coordinates auto", "position startpos"]), zero);
    assert_eq!(first_rank(&["banmoves h1g3"]), one, "banned moves show it too");
    program.ask("uci");
    assert!(program.ask("position startpos").is_empty());
    assert_eq!(program.best("go depth 2 searchmoves h0g2"), "h0g2", "a handshake begins a session");
    assert_eq!(program.best("go depth 2 searchmoves h1g3"), "h1g3", "moves to search show it too");
    program.leave();
}

#[test]
fn searchmoves_limits_the_root_moves() {
    let mut program = start_uci();
    for wanted in ["a0a1 i0i1", "b2b4", "h2e2 b2e2 c3c4"] {
        let best = program.best(&format!("go depth 5 searchmoves {wanted}"));
        assert!(wanted.split(' ').any(|mv| mv == best), "{best} of {wanted}");
    }
    let lines = program.go("go depth 3 searchmoves a0a9 h2e2");
    assert!(lines.iter().any(|line| line.starts_with("info string go: 'a0a9'")), "{lines:#?}");
    assert!(lines.last().unwrap().starts_with("bestmove h2e2"));
    program.leave();
}

#[test]
fn counts_end_before_the_next_command_in_a_batch_and_with_the_session_at_once() {
    for (lines, wanted) in [
        ("setoption batch true\ngo perft 3\nbench 1\nquit\n", &["nodes 79666", "total nodes ", "bye"][..]),
        ("go perft 99\nstop\nquit\n", &["nodes ", "bye"]),
    ] {
        let mut program = Program::start();
        program.send(lines.as_bytes());
        let ended = program.expect_exit();
        for start in wanted {
            assert!(ended.lines.iter().any(|line| line.starts_with(start)), "no {start} in {:#?}", ended.lines);
        }
        assert!(!ended.lines.iter().any(|line| begins_with(line, "nobestmove")), "{:#?}", ended.lines);
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
    let mut position = played(Position::start(), "h2e2");
    program.say("go perft 2");
    let counted = program.wait_for("nodes");
    let (total, parts) = counted.split_last().unwrap();
    let counts: u64 = parts.iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(parts.len(), position.legal_moves().len());
    assert_eq!((total, counts), (&format!("nodes {counts}"), chuhe::position::perft(&mut position, 2)));
    // Stop ends a long perft, and commands that came meanwhile are handled afterwards.
    program.say("go perft 99\nposition startpos\nstop");
    program.wait_for("nodes");
    assert!(program.ask("d").iter().any(|line| line.starts_with(&format!("fen {START_FEN}"))));
    program.say("bench 1");
    program.wait_for("total nodes");
    program.say("bench 60\nstop");
    program.wait_for("total nodes");
    program.say("bench 60");
    program.leave();
}

#[test]
fn a_handshake_during_a_search_leaves_the_form_of_its_answer_alone() {
    let mut program = start_uci();
    program.say("position startpos\nsetoption name UCI_Variant value xiangqi\ngo infinite searchmoves h3e3\nucci");
    // In this variant ranks count from 1.
    assert_eq!(program.best("stop"), "h3e3");
    program.leave();
}

#[test]
fn a_client_of_the_cyclone_dialect_counts_ranks_from_zero() {
    // As uci2wb speaks in its UCI mode: the variant is chosen, positions come without the word `position`.
    let mut program = start_uci();
    assert!(program.ask("setoption name UCI_Variant value xiangqi").is_empty());
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    assert!(program.ask(&format!("fen {start} r moves h0g2 h9g7")).is_empty());
    assert_eq!(program.best("go depth 4 searchmoves b2e2"), "b2e2");
    // A client that chooses the variant and sends whole commands counts from 1.
    program.ask("uci");
    assert!(program.ask("position startpos moves h1g3 h10g8").is_empty());
    assert_eq!(program.best("go depth 4 searchmoves b3e3"), "b3e3");
    program.leave();
}
