//! Tests wrong input: the program reports it, keeps its state and goes on.

use chuhe::position::Position;

use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program};
use crate::lines::{answers, best_move, is_legal, is_of_the_protocol, messages};

/// Sends `command` to a session with a known position, checks that this position is kept, unless the command sets one,
/// and returns the message about the command.
pub fn refusal(command: &[u8], is_position: bool) -> String {
    let text = String::from_utf8_lossy(&command[..command.len().min(80)]).into_owned();
    let mut program = Program::start_at(MATE_IN_ONE);
    program.send(command);
    let lines = program.ask("");
    assert_eq!((lines.len(), messages(&lines).len()), (1, 1), "{text}: {lines:#?}");
    program.say("go depth 3");
    if is_position {
        assert_no_position(&program.wait_for_answer(), &text);
        program.say(&format!("position fen {MATE_IN_ONE}"));
        program.say("go depth 3");
    }
    assert_eq!(best_move(&program.answer()), MATING_MOVE, "after {text}");
    program.leave();
    messages(&lines)[0].to_owned()
}

/// Fails unless these lines answer a `go` without a position.
fn assert_no_position(lines: &[String], text: &str) {
    assert_eq!((lines.len(), lines.last().map(String::as_str)), (2, Some("nobestmove")), "{text}: {lines:#?}");
    assert!(lines[0].starts_with("info message go: the last position was refused: "), "{text}: {lines:#?}");
}

#[test]
fn a_position_with_any_error_is_refused_as_a_whole() {
    let errors = [
        ("position startpos moves h2e2 h9g7 h0g2 h2e2", "ply 4, 'h2e2'"),
        ("position startpos moves h2e2 xx", "ply 2, 'xx'"),
        ("position startpos h2e2", "position"),
        ("position fen moves h2e2", "position"),
        ("position fen 3ak4/9/9/9/9/9/9/9/4A4/4K3RR w", "rank 0"),
        ("position fen 4k4/9/9/9/9/9/9/9/4a4/3K5 w", "e1"),
        ("position fen R3k4/9/9/9/9/9/9/9/9/3K5 w", "Black is in check"),
        ("position fen 3ak4/9/9/9/9/9/9/9/4A4/4K3R x - - 0 1", "'x'"),
        ("startpos moves a0a9", "ply 1"),
        ("fen nonsense", "rank 9"),
    ];
    for (command, part) in errors {
        let message = refusal(format!("{command}\n").as_bytes(), true);
        assert!(message.contains(part), "{command}: {message}");
    }
}

#[test]
fn without_a_position_nothing_is_answered_for_another_board() {
    let mut program = Program::start();
    let too_long = format!("position startpos moves {}", "h2e2 ".repeat(60_000));
    for refused in ["position fen nonsense", "position startpos moves h2e2 h9g8", &too_long] {
        program.say("position startpos moves h2e2");
        assert_eq!(messages(&program.ask(refused)).len(), 1);
        for command in ["d", "eval", "banmoves h9g7", "ucinewgame", "setoption newgame", "stop"] {
            let lines = program.ask(command);
            match command {
                "d" | "eval" | "banmoves h9g7" => assert_eq!(messages(&lines).len(), 1, "{command}: {lines:#?}"),
                "stop" => assert_eq!(lines, ["nobestmove"]),
                _ => assert!(lines.is_empty(), "{command}: {lines:#?}"),
            }
        }
        for go in ["go", "go depth 0", "go draw time 900 increment 0", "go mate 3", "go nodes 9 searchmoves h9g7 x"] {
            program.say(go);
            assert_no_position(&program.wait_for_answer(), go);
            assert!(program.ask("").is_empty(), "{go} is answered once");
        }
        program.say("go perft 1");
        assert_eq!(program.wait_for("nodes").pop().unwrap(), "nodes 0");
        assert!(program.ask("probe startpos")[0].starts_with("pophash"), "it has a position of its own");
        // The answer comes when the client may expect it.
        for (go, end) in
            [("go infinite", "stop"), ("go ponder time 900 increment 0", "ponderhit"), ("go ponder", "stop")]
        {
            let begun = program.ask(go);
            assert_eq!((begun.len(), messages(&begun).len()), (1, 1), "{go}: {begun:#?}");
            program.say(end);
            assert_eq!(program.answer(), "nobestmove", "{go}");
            assert!(program.ask("").is_empty(), "{go} is answered once");
        }
    }
    program.ask("uci");
    program.say("go infinite");
    let begun = program.wait_for("info string");
    assert!(begun[0].starts_with("info string go: the last position was refused: "), "{begun:#?}");
    program.say("stop");
    assert_eq!(program.wait_for("bestmove"), ["bestmove (none)"]);
    // A position that came at the wrong time is not the one of the search that follows either.
    program.say("position startpos");
    program.say("go infinite");
    program.ask(&format!("position fen {MATE_IN_ONE}"));
    assert!(is_legal(&Position::start(), &program.best("stop")), "it was asked before");
    program.say("go depth 3");
    assert_eq!(program.answer(), "bestmove (none)");
    program.say(&format!("position fen {MATE_IN_ONE}"));
    assert_eq!(program.best("go depth 3"), MATING_MOVE);
    program.leave();
}

#[test]
fn numbers_out_of_range_saturate() {
    const HUGE: &str = "99999999999999999999";
    let mut program = Program::start();
    program.say("position fen 4k4/9/9/9/9/9/9/9/4A4/R2K5 w - - 200 180");
    assert!(program.ask("d").contains(&"fen 4k4/9/9/9/9/9/9/9/4A4/R2K5 w - - 119 180".to_owned()));
    program.say("position startpos");
    let mut total = |depth: &str| {
        program.say(&format!("bench {depth}"));
        program.wait_until("the sum", |line| line.starts_with("total nodes ")).pop()
    };
    let least = total("1");
    assert_eq!([total("0"), total(&format!("-{HUGE}"))], [least.clone(), least]);
    program.say(&format!("go depth {HUGE}"));
    program.wait_for("info depth 3");
    assert!(is_legal(&Position::start(), &program.best("stop")));
    for option in ["moveoverhead", "hashsize"] {
        assert!(program.ask(&format!("setoption {option} -{HUGE}")).is_empty());
    }
    assert!(program.ask(&format!("setoption moveoverhead {HUGE}")).is_empty());
    program.leave();
}

#[test]
fn a_limit_that_cannot_be_read_is_ignored_with_a_message() {
    let mut program = Program::start_at(MATE_IN_ONE);
    for (go, part) in [
        ("go depth abc", "'abc'"),
        ("go depth 3x nodes 1000", "'3x'"),
        ("go nodes depth 3", "nodes"),
        ("go time depth 3", "time"),
        ("go depth 3 quickly", "'quickly'"),
        ("go depth 3 1e9", "'1e9'"),
        ("go movetime 0x10 depth 3", "'0x10'"),
    ] {
        let lines = program.go(go);
        assert_eq!(messages(&lines).len(), 1, "{go}: {lines:#?}");
        assert!(messages(&lines)[0].contains(part), "{go}: {lines:#?}");
        assert_eq!(best_move(lines.last().unwrap()), MATING_MOVE, "{go}");
    }
    program.leave();
}

#[test]
fn an_option_value_that_cannot_be_read_is_refused_with_a_message() {
    let mut program = Program::start();
    program.go("go depth 4");
    let known = program.ask("probe startpos");
    for command in [
        "setoption hashsize abc",
        "setoption hashsize",
        "setoption name Hash value many",
        "setoption usemillisec perhaps",
        "setoption batch",
        "setoption randomness enormous",
        "setoption moveoverhead 1.5",
        "setoption",
        "setoption name",
        "setoption name value 3",
        "debug perhaps",
        "bench abc",
    ] {
        let lines = program.ask(command);
        assert_eq!((lines.len(), messages(&lines).len()), (1, 1), "{command}: {lines:#?}");
    }
    assert_eq!(program.ask("probe startpos"), known, "the table is the same");
    // A size below the least is the least, which is the automatic one.
    assert!(program.ask("setoption hashsize -1").is_empty());
    assert_eq!(program.ask("probe startpos"), known, "the automatic size was in force before");
    program.leave();
}

#[test]
fn messages_about_any_bytes_are_printable() {
    let mut program = Program::start();
    let lines: [&[u8]; 9] = [
        b"posi\0tion\0 startpos\0",
        b"\xff\xfe\x80 setoption bookfiles \xcf\xf3\xc6\xe5.dat",
        b"position fen \xcf\xf3\xc6\xe5/9 w",
        b"position startpos moves \xcf\xf3\xc6\xe5",
        b"banmoves \x1b[31m",
        b"go depth \0\xff depth 1",
        b"\xe5\xbc\x80\xe5\xa7\x8b",
        b"probe fen \x07\x08",
        b"setoption randomness \x1b[31m\xcf\xf3",
    ];
    for line in lines {
        let text = String::from_utf8_lossy(line);
        program.send(line);
        let lines = program.ask("");
        assert_eq!(messages(&lines).len(), 1, "{text:?}: {lines:#?}");
        assert!(lines.iter().all(|line| is_of_the_protocol(line)), "{text:?}: {lines:?}");
        if line.starts_with(b"go") && answers(&lines).is_empty() {
            program.wait_for_answer();
        }
        program.say("position startpos");
    }
    // File names of another encoding are no fault.
    program.send(b"setoption bookfiles \xcf\xf3\xc6\xe5.dat\n");
    assert!(program.ask("").is_empty());
    program.leave();
}

#[test]
fn unknown_commands_are_reported_and_comments_are_not() {
    let mut program = Program::start();
    for command in ["hello", "dd", "xboard", "bestmove h2e2", "uccinewgame"] {
        let lines = program.ask(command);
        assert!(lines.len() == 1 && lines[0].contains(command) && messages(&lines).len() == 1, "{lines:#?}");
    }
    for nothing in ["", "   ", "\t", "# a remark"] {
        assert!(program.ask(nothing).is_empty(), "'{nothing}'");
    }
    program.leave();
}

#[test]
fn a_flood_of_commands_during_a_search_is_answered_in_full() {
    let mut program = Program::start();
    program.say("go infinite");
    program.send("isready\n".repeat(10_000).as_bytes());
    let mut lines = program.go("stop");
    lines.extend(program.ask(""));
    assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 10_000);
    program.leave();
}
