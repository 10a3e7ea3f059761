//! Proves that the program ends whenever nobody needs it any longer: quietly, and with exit status 0.

use chuhe::position::Position;

use crate::harness::{Ended, Program, Start, run};
use crate::lines::{answers, begins_with, best_move, is_legal};

/// What a session may be doing when it is to end.
const STATES: [&str; 5] = ["isready", "go infinite", "go depth 30", "go ponder time 1000 increment 0", "go time 60000"];

/// Starts a session that is doing this.
fn session_doing(state: &str) -> Program {
    let mut program = Program::start();
    program.say("ucci");
    program.wait_for("ucciok");
    program.say(state);
    program.wait_for(if state == "isready" { "readyok" } else { "info depth 2" });
    program
}

/// A search that was going on gives its move, and nothing is answered twice.
fn assert_search_was_answered(state: &str, ended: &Ended) {
    let found = answers(&ended.lines);
    assert_eq!(found.len(), usize::from(state != "isready"), "{state}: {:#?}", ended.lines);
    assert!(found.iter().all(|answer| is_legal(&Position::start(), best_move(answer))), "{state}: {found:?}");
}

#[test]
fn quit_says_bye_and_leaves_in_every_state() {
    for state in STATES {
        let mut program = session_doing(state);
        program.say("quit");
        let ended = program.expect_exit();
        ended.assert_quiet_success();
        assert_eq!(ended.last_line(), "bye", "{state}");
        assert_search_was_answered(state, &ended);
    }
}

#[test]
fn nothing_after_quit_is_obeyed() {
    let mut program = Program::start();
    program.send(b"quit\nucci\ngo depth 3\n");
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    assert_eq!(ended.lines, ["bye"]);
}

#[test]
fn the_end_of_input_ends_the_session_in_every_state() {
    for state in STATES {
        let mut program = session_doing(state);
        program.close_input();
        let ended = program.expect_exit();
        ended.assert_quiet_success();
        assert_search_was_answered(state, &ended);
    }
}

#[test]
fn the_end_of_input_right_after_a_go_still_gives_its_move() {
    for go in ["go depth 6", "go infinite", "go depth 1", "go"] {
        let mut program = Program::start();
        program.send(format!("position startpos\n{go}\n").as_bytes());
        program.close_input();
        let ended = program.expect_exit();
        ended.assert_quiet_success();
        assert_search_was_answered(go, &ended);
    }
}

#[test]
fn input_that_ends_at_once_is_a_session_without_words() {
    let ended = run(&[]);
    ended.assert_quiet_success();
    assert!(ended.lines.is_empty(), "{:#?}", ended.lines);
}

#[test]
fn a_last_line_without_its_end_is_obeyed() {
    let mut program = Program::start();
    program.send(b"isready\nucci");
    program.close_input();
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    assert_eq!((ended.lines[0].as_str(), ended.last_line()), ("readyok", "ucciok"));
}

#[test]
fn a_search_whose_reader_is_gone_ends_the_program() {
    let mut program = Start { hang_up_after: Some(3), ..Start::default() }.now();
    program.say("go infinite");
    // The input stays open: that nobody listens is found out by speaking.
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    assert_eq!(ended.lines.iter().filter(|line| begins_with(line, "info depth")).count(), 3);
}

#[test]
fn an_idle_session_whose_reader_is_gone_ends_with_the_next_answer() {
    let mut program = Start { hang_up_after: Some(1), ..Start::default() }.now();
    program.say("isready");
    program.wait_for("readyok");
    // The pipe may be closed a little later; each answer is another chance to notice.
    while program.try_send(b"isready\n").is_ok() {
        std::thread::yield_now();
    }
    program.expect_exit().assert_quiet_success();
}

#[test]
fn a_command_whose_reader_is_gone_ends_quietly() {
    let commands: [(&[&str], usize); 6] = [
        (&["bench", "9"], 1),
        (&["perft", "4", "--divide"], 0),
        (&["perft", "3"], 0),
        (&["eval"], 0),
        (&["show"], 0),
        (&["--help"], 0),
    ];
    for (arguments, lines) in commands {
        let program = Start { arguments, hang_up_after: Some(lines), ..Start::default() }.now();
        let ended = program.expect_exit();
        assert_eq!((ended.status, ended.errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
