//! Tests that the program ends, without errors and with exit status 0, on `quit`, at the end of input and when its
//! reader has gone.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

use chuhe::position::Position;

use crate::harness::{Ended, Program, Start, TemporaryFile, run_with};
use crate::lines::{answers, begins_with, best_move, is_legal};

/// States of a session, by the command that leads to them.
const STATES: [&str; 5] = ["isready", "go infinite", "go depth 30", "go ponder time 1000 increment 0", "go time 60000"];

fn session_doing(state: &str) -> Program {
    let mut program = Program::start();
    program.say("ucci");
    program.wait_for("ucciok");
    program.say(state);
    program.wait_for(if state == "isready" { "readyok" } else { "info depth 2" });
    program
}

/// Fails unless a running search was answered, once, and the program ended without errors.
fn assert_search_was_answered(state: &str, ended: &Ended) {
    ended.assert_quiet_success();
    let found = answers(&ended.lines);
    assert_eq!(found.len(), usize::from(state != "isready"), "{state}: {:#?}", ended.lines);
    assert!(found.iter().all(|answer| is_legal(&Position::start(), best_move(answer))), "{state}: {found:?}");
}

#[test]
fn quit_and_the_end_of_input_end_the_session_in_every_state() {
    for state in STATES {
        let mut program = session_doing(state);
        program.say("quit");
        let ended = program.expect_exit();
        assert_eq!(ended.last_line(), "bye", "{state}");
        assert_search_was_answered(state, &ended);
        let mut program = session_doing(state);
        program.close_input();
        assert_search_was_answered(state, &program.expect_exit());
    }
}

#[test]
fn the_end_of_input_right_after_a_go_still_gives_a_move() {
    for go in ["go depth 6", "go infinite", "go depth 1", "go"] {
        assert_search_was_answered(go, &run_with(&[], format!("position startpos\n{go}\n").as_bytes()));
    }
}

#[test]
fn a_session_ends_with_its_last_line_or_with_quit() {
    for (input, lines) in
        [("", &[][..]), ("quit\nucci\ngo depth 3\n", &["bye"]), ("isready\nisready", &["readyok", "readyok"])]
    {
        let ended = run_with(&[], input.as_bytes());
        ended.assert_quiet_success();
        assert_eq!(ended.lines, lines, "{input}");
    }
}

#[test]
fn a_search_whose_reader_has_gone_ends_the_program() {
    let mut program = Start { hang_up_after: Some(3), ..Start::default() }.now();
    program.say("go infinite");
    // The input stays open: only a failed write shows that the reader has gone.
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    assert_eq!(ended.lines.iter().filter(|line| begins_with(line, "info depth")).count(), 3);
}

#[test]
fn an_idle_session_whose_reader_has_gone_ends_with_the_next_answer() {
    let mut program = Start { hang_up_after: Some(1), ..Start::default() }.now();
    program.say("isready");
    program.wait_for("readyok");
    // The pipe may be closed a little later; each answer is another write.
    while program.try_send(b"isready\n").is_ok() {
        std::thread::yield_now();
    }
    program.expect_exit().assert_quiet_success();
}

#[test]
#[cfg(target_os = "linux")]
fn messages_that_cannot_be_written_end_no_command() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let moves = TemporaryFile::with("moves.txt", "h2e2 h9g7\n");
    let outputs = ["out.pgn", "out.bin"].map(TemporaryFile::named);
    let commands = [
        format!("convert {} {}", moves.path(), outputs[0].path()),
        format!("datagen --games 1 --nodes 20 --most-plies 10 --out {}", outputs[1].path()),
        "match --engine name=A,option.hsh=1 --engine name=B --nodes 20 --games 2 --max-plies 4".to_owned(),
    ];
    for arguments in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
        command.args(arguments.split(' ')).stdin(Stdio::null()).stdout(Stdio::null()).stderr(full());
        assert_eq!(command.status().unwrap().code(), Some(0), "{arguments:?}");
    }
    assert!(outputs.iter().all(|output| std::fs::metadata(output.path()).unwrap().len() > 0));
}

#[test]
fn a_command_whose_reader_has_gone_ends_without_an_error() {
    let commands: [(&[&str], usize); 9] = [
        (&["bench", "9"], 1),
        (&["perft", "4", "--divide"], 0),
        (&["perft", "3"], 0),
        (&["eval"], 0),
        (&["show"], 0),
        (&["--help"], 0),
        (&["completions", "zsh"], 0),
        (&["man"], 0),
        (&["analyze", "startpos", "--depth", "60", "--json"], 1),
    ];
    for (arguments, lines) in commands {
        let program = Start { arguments, hang_up_after: Some(lines), ..Start::default() }.now();
        program.expect_exit().assert_quiet_success();
    }
}
