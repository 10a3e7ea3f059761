//! Sessions in UCCI: lines and words, commands at the wrong time, batch mode, and the end on `quit`, with the input and
//! when the reader has gone.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

use chuhe::position::Position;

use crate::common::data::played;
use crate::harness::{Ended, MATE_IN_ONE, MATING_MOVE, Program, Start, TemporaryFile, run_with};
use crate::lines::{answers, begins_with, best_move, is_answer, is_legal, messages, position};

/// Runs a session of these lines to its end, which must come without errors.
fn run_session(lines: &str) -> Ended {
    let ended = run_with(&[], lines.as_bytes());
    ended.assert_quiet_success();
    ended
}

fn mating_search() -> String {
    format!("position fen {MATE_IN_ONE}\ngo depth 3\n")
}

// Lines and words

#[test]
fn command_words_may_be_upper_case() {
    let mut program = Program::start();
    assert_eq!(program.ask(""), [""; 0], "nothing is sent before the first command");
    assert!(program.ask("UCCI").contains(&"ucciok".to_owned()));
    // Older clients leave out `position`.
    for prefix in ["POSITION ", ""] {
        program.say(&format!("{prefix}FEN {MATE_IN_ONE}"));
        assert_eq!(program.best("GO DEPTH 3"), MATING_MOVE);
        program.say(&format!("{prefix}StartPos Moves h2e2"));
        let after_cannon = position("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b");
        assert!(is_legal(&after_cannon, &program.best("Go Nodes 500")));
    }
    assert!(program.ask("SETOPTION HASHSIZE 4").is_empty());
    assert_eq!(program.ask("STOP"), ["nobestmove"]);
    program.say("QUIT");
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    assert_eq!(ended.lines, ["bye"]);
}

#[test]
fn any_line_ends_and_spaces_are_accepted() {
    let mut program = Program::start();
    let fen = MATE_IN_ONE.replace(' ', "\t ");
    program.send(format!("\r\n\n  \t \nucci\r\n\tposition \t fen   {fen}\r\n  go\tdepth \t 3  \r\n").as_bytes());
    program.wait_for("ucciok");
    let lines = program.wait_for_answer();
    assert!(messages(&lines).is_empty(), "{lines:#?}");
    assert_eq!(best_move(lines.last().unwrap()), MATING_MOVE);
    assert!(lines.iter().all(|line| !line.contains('\r')), "answers end with a line feed");
    program.leave();
}

// Commands at the wrong time

#[test]
fn commands_for_an_idle_engine_are_ignored_with_a_message_during_a_search() {
    let mut program = Program::start();
    program.say("setoption hashsize 4\ngo infinite");
    let position_command = format!("position fen {MATE_IN_ONE}");
    let ignored = [
        &position_command,
        "go depth 1",
        "setoption hashsize 8",
        "setoption newgame",
        "banmoves h2e2",
        "startpos",
        "ucinewgame",
    ];
    for command in ignored {
        let lines = program.ask(command);
        assert_eq!((messages(&lines).len(), answers(&lines).len()), (1, 0), "{command}: {lines:#?}");
        assert!(messages(&lines)[0].contains(command.split(' ').next().unwrap()), "{command}: {lines:#?}");
    }
    assert!(is_legal(&Position::start(), &program.best("stop")));
    assert!(program.ask("").is_empty(), "the ignored 'go' is not answered");
    // All moves of the position are allowed.
    program.say("position startpos");
    let others = Position::start().legal_moves().into_iter().map(|mv| mv.to_string()).filter(|mv| mv != "h2e2");
    program.say(&format!("banmoves {}", others.collect::<Vec<_>>().join(" ")));
    assert_eq!(program.best("go depth 1"), "h2e2");
    program.leave();
}

#[test]
fn commands_right_after_stop_wait_for_its_answer_and_a_later_stop_is_for_a_later_search() {
    let mut program = Program::start();
    program.send(
        format!("go infinite\nstop\nposition startpos moves h2e2\ngo infinite\nstop\n{}", mating_search()).as_bytes(),
    );
    let mut lines = Vec::new();
    (0..3).for_each(|_| lines.extend(program.wait_for_answer()));
    let found = answers(&lines);
    assert_eq!((found.len(), messages(&lines).len()), (3, 0), "{lines:#?}");
    assert!(is_legal(&Position::start(), best_move(found[0])));
    assert!(is_legal(&played(Position::start(), "h2e2"), best_move(found[1])));
    assert_eq!(best_move(found[2]), MATING_MOVE);
    // The count would take years. The command after it is carried out. A mate would end the search before its stop.
    program.send(format!("position startpos\ngo infinite\nstop\ngo perft 20\nstop\n{}", mating_search()).as_bytes());
    program.wait_for_answer();
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    assert!(program.ask("").is_empty());
    program.leave();
}

// Batch mode

#[test]
fn a_batch_runs_each_search_to_its_end() {
    // The end of the input lets it finish too.
    for end in ["quit\n", ""] {
        let ended = run_session(&format!(
            "setoption batch true\nposition startpos\ngo depth 5\n{}position startpos moves h2e2 h9g7\ngo nodes 4000\n{end}",
            mating_search()
        ));
        let found = answers(&ended.lines);
        assert_eq!((found.len(), messages(&ended.lines).len()), (3, 0), "{:#?}", ended.lines);
        assert!(is_legal(&Position::start(), best_move(found[0])));
        assert_eq!(best_move(found[1]), MATING_MOVE);
        let last = ended.lines.iter().rev().find(|line| *line != "bye");
        assert!(last.is_some_and(|line| is_answer(line)), "{:#?}", ended.lines);
    }
}

#[test]
fn a_batch_goes_on_after_what_was_ended() {
    // With several lines there is no attempt of the mate solver, which would take some seconds. The counts and the
    // bench would take years.
    let mate = "position fen 1cbak4/r3arN2/4b4/9/9/9/9/5C2R/2npA4/4KA3 w\ngo mate 10";
    for (commands, answered, told) in [
        ("go infinite\nstop", 1, 0),
        ("go ponder depth 6\nponderhit", 1, 0),
        ("go perft 20\nstop\nbench 60\nstop", 0, 2),
        (&format!("setoption multipv 2\n{mate}\nsetoption multipv 1"), 1, 0),
    ] {
        let ended = run_session(&format!("setoption batch true\n{commands}\n{}quit\n", mating_search()));
        let found = answers(&ended.lines);
        assert_eq!((found.len(), messages(&ended.lines).len()), (answered + 1, told), "{commands}: {:#?}", ended.lines);
        assert_eq!(best_move(found[answered]), MATING_MOVE, "{commands}");
    }
    // A mate is proved although the input has ended.
    let ended = run_session(&format!("setoption batch true\nposition fen {MATE_IN_ONE}\ngo mate 3\nquit\n"));
    assert!(messages(&ended.lines).iter().any(|text| text.contains("proved, by checks")), "{:#?}", ended.lines);
}

#[test]
fn the_end_of_input_ends_an_endless_search_in_a_batch() {
    for commands in ["go infinite", "go ponder time 1000 increment 0", "setoption multipv 2\ngo mate 8\nquit"] {
        let ended = run_session(&format!("setoption batch true\n{commands}\n"));
        assert_eq!(answers(&ended.lines).len(), 1, "{commands}: {:#?}", ended.lines);
    }
}

// The end

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
    // More than fits into a pipe.
    let games = TemporaryFile::with("many.tsv", &"1-0\t\th2e2 h9g7\n".repeat(10_000));
    let commands: [(&[&str], usize); 10] = [
        (&["bench", "9"], 1),
        (&["perft", "4", "--divide"], 0),
        (&["perft", "3"], 0),
        (&["eval"], 0),
        (&["show"], 0),
        (&["--help"], 0),
        (&["completions", "zsh"], 0),
        (&["man"], 0),
        (&["analyze", "startpos", "--depth", "60", "--json"], 1),
        (&["convert", "--to", "moves", games.path(), "-"], 1),
    ];
    for (arguments, lines) in commands {
        let program = Start { arguments, hang_up_after: Some(lines), ..Start::default() }.now();
        program.expect_exit().assert_quiet_success();
    }
}
