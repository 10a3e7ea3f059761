//! Tests sessions in UCCI: handshake, lines and words, commands at the wrong time, batch mode.

use std::collections::HashMap;

use chuhe::position::Position;

use crate::harness::{MATE_IN_ONE, MATING_MOVE, Program};
use crate::lines::{answers, begins_with, best_move, is_answer, is_legal, messages, position};

// Handshake

#[test]
fn nothing_is_sent_before_the_first_command() {
    let mut program = Program::start();
    assert_eq!(program.ask(""), [""; 0]);
    assert!(program.leave().is_empty());
}

#[test]
fn the_handshake_names_the_engine_and_then_its_options() {
    let mut program = Program::start();
    program.say("ucci");
    let lines = program.wait_for("ucciok");
    let (last, lines) = lines.split_last().unwrap();
    assert_eq!(last, "ucciok");
    let names = lines.iter().take_while(|line| begins_with(line, "id")).count();
    for key in ["name", "version", "copyright", "author"] {
        let count = lines[..names].iter().filter(|line| line.starts_with(&format!("id {key} "))).count();
        assert_eq!(count, 1, "id {key} in {lines:#?}");
    }

    let mut options = HashMap::new();
    for line in &lines[names..] {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words.len() >= 4 && words[0] == "option" && words[2] == "type", "{line}");
        // Unlike in UCI the name comes first, and it is one word of lower-case letters.
        assert!(words[1] != "name" && words[1].bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
        let after = |key: &str| words.iter().position(|word| *word == key).map(|at| words[at + 1]);
        match words[3] {
            "check" => assert!(matches!(after("default"), Some("true" | "false")), "{line}"),
            "spin" => {
                let number =
                    |key| after(key).and_then(|text| text.parse::<i64>().ok()).unwrap_or_else(|| panic!("{line}"));
                assert!(number("min") <= number("default") && number("default") <= number("max"), "{line}");
            }
            "combo" => {
                let choices = words.windows(2).filter(|pair| pair[0] == "var").map(|pair| pair[1]);
                assert!(choices.clone().count() >= 2 && choices.clone().any(|choice| after("default") == Some(choice)));
            }
            "button" => assert_eq!(words.len(), 4, "{line}"),
            kind => assert!(matches!(kind, "string" | "label"), "{line}"),
        }
        assert!(options.insert(words[1].to_owned(), words[3].to_owned()).is_none(), "twice: {line}");
    }
    let wanted =
        [("usemillisec", "check"), ("newgame", "button"), ("style", "combo"), ("resign", "check"), ("threads", "spin")];
    for (name, kind) in wanted {
        assert_eq!(options.get(name).map(String::as_str), Some(kind), "option {name}");
    }
    // Clients that see this option send times in milliseconds.
    assert!(lines.iter().any(|line| line == "option usemillisec type check default true"));
    program.leave();
}

// Lines and words

#[test]
fn command_words_may_be_upper_case() {
    let mut program = Program::start();
    assert!(program.ask("UCCI").contains(&"ucciok".to_owned()));
    program.say(&format!("POSITION FEN {MATE_IN_ONE}"));
    program.say("GO DEPTH 3");
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    program.say("Position StartPos Moves h2e2");
    program.say("Go Nodes 500");
    let after_cannon = position("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b");
    assert!(is_legal(&after_cannon, best_move(&program.answer())));
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
    let script = format!(
        "\r\n\n  \t \nucci\r\n\tposition \t fen   {}\r\n  go\tdepth \t 3  \r\n",
        MATE_IN_ONE.replace(' ', "\t ")
    );
    program.send(script.as_bytes());
    program.wait_for("ucciok");
    let lines = program.wait_for_answer();
    assert!(messages(&lines).is_empty(), "{lines:#?}");
    assert_eq!(best_move(lines.last().unwrap()), MATING_MOVE);
    assert!(lines.iter().all(|line| !line.contains('\r')), "answers end with a line feed");
    program.leave();
}

#[test]
fn isready_is_answered_in_every_state() {
    let mut program = Program::start();
    assert!(program.ask("").is_empty(), "before the handshake");
    program.ask("ucci");
    assert!(program.ask("").is_empty(), "idle");
    for go in ["go infinite", "go ponder time 1000 increment 0"] {
        let lines = program.ask(go);
        assert!(answers(&lines).is_empty(), "{go}: {lines:#?}");
        assert!(answers(&program.ask("")).is_empty(), "{go}");
        program.say("stop");
        program.wait_for("bestmove");
    }
    program.leave();
}

#[test]
fn positions_are_accepted_in_old_forms() {
    let mut program = Program::start();
    assert!(program.ask(&format!("fen {MATE_IN_ONE}")).is_empty());
    program.say("go depth 3");
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    assert!(program.ask("startpos moves h2e2 h9g7").is_empty());
    program.say("go depth 2");
    let expected = position("rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w");
    assert!(is_legal(&expected, best_move(&program.answer())));
    program.leave();
}

// Commands at the wrong time

#[test]
fn commands_for_an_idle_engine_are_ignored_with_a_message_during_a_search() {
    let mut program = Program::start();
    program.say("setoption hashsize 4");
    program.say("go infinite");
    let ignored = [
        format!("position fen {MATE_IN_ONE}"),
        "go depth 1".to_owned(),
        "setoption hashsize 8".to_owned(),
        "setoption newgame".to_owned(),
        "banmoves h2e2".to_owned(),
        "startpos".to_owned(),
        "ucinewgame".to_owned(),
    ];
    for command in &ignored {
        let lines = program.ask(command);
        assert_eq!(messages(&lines).len(), 1, "{command}: {lines:#?}");
        assert!(messages(&lines)[0].contains(command.split(' ').next().unwrap()), "{command}: {lines:#?}");
        assert!(answers(&lines).is_empty(), "{command}: {lines:#?}");
    }
    program.say("stop");
    assert!(is_legal(&Position::start(), best_move(&program.answer())));
    assert!(program.ask("").is_empty(), "the ignored 'go' is not answered");
    // All moves of the position are allowed.
    program.say("position startpos");
    let others = Position::start().legal_moves().into_iter().map(|mv| mv.to_string()).filter(|mv| mv != "h2e2");
    program.say(&format!("banmoves {}", others.collect::<Vec<_>>().join(" ")));
    program.say("go depth 1");
    assert_eq!(best_move(&program.answer()), "h2e2");
    program.leave();
}

#[test]
fn a_stop_after_a_waiting_go_is_for_that_search() {
    let mut program = Program::start();
    let other = "position startpos moves h2e2\ngo infinite\nstop\n";
    program.send(format!("go infinite\nstop\n{other}position fen {MATE_IN_ONE}\ngo depth 3\n").as_bytes());
    let mut lines = Vec::new();
    (0..3).for_each(|_| lines.extend(program.wait_for_answer()));
    let found = answers(&lines);
    assert_eq!((found.len(), messages(&lines).len()), (3, 0), "{lines:#?}");
    assert!(is_legal(&Position::start(), best_move(found[0])));
    let mut after = Position::start();
    after.make("h2e2".parse().unwrap());
    assert!(is_legal(&after, best_move(found[1])));
    assert_eq!(best_move(found[2]), MATING_MOVE);
    program.leave();
}

#[test]
fn a_stop_that_waited_ends_the_count_of_moves_before_it() {
    let mut program = Program::start();
    // The count would take years. The command after it is carried out.
    program.send(format!("go infinite\nstop\ngo perft 20\nstop\nposition fen {MATE_IN_ONE}\ngo depth 3\n").as_bytes());
    program.wait_for_answer();
    assert_eq!(best_move(&program.answer()), MATING_MOVE);
    program.leave();
}

// Batch mode

#[test]
fn a_batch_runs_each_search_to_its_end() {
    let script = format!(
        "setoption batch true\nposition startpos\ngo depth 5\nposition fen {MATE_IN_ONE}\ngo depth 3\n\
         position startpos moves h2e2 h9g7\ngo nodes 4000\n"
    );
    // The end of the input lets it finish too.
    for end in ["quit\n", ""] {
        let mut program = Program::start();
        program.send(format!("{script}{end}").as_bytes());
        program.close_input();
        let ended = program.expect_exit();
        ended.assert_quiet_success();
        let found = answers(&ended.lines);
        assert_eq!((found.len(), messages(&ended.lines).len()), (3, 0), "{:#?}", ended.lines);
        assert!(is_legal(&Position::start(), best_move(found[0])));
        assert_eq!(best_move(found[1]), MATING_MOVE);
        let last = ended.lines.iter().rev().find(|line| *line != "bye");
        assert!(last.is_some_and(|line| is_answer(line)), "{:#?}", ended.lines);
    }
}

#[test]
fn a_batch_goes_on_after_stop_and_ponderhit() {
    for go in ["go infinite\nstop", "go ponder depth 6\nponderhit"] {
        let mut program = Program::start();
        let script = format!("setoption batch true\n{go}\nposition fen {MATE_IN_ONE}\ngo depth 3\nquit\n");
        program.send(script.as_bytes());
        let ended = program.expect_exit();
        ended.assert_quiet_success();
        let found = answers(&ended.lines);
        assert_eq!((found.len(), messages(&ended.lines).len()), (2, 0), "{:#?}", ended.lines);
        assert_eq!(best_move(found[1]), MATING_MOVE);
    }
}

#[test]
fn the_end_of_input_ends_an_infinite_search_in_a_batch() {
    for go in ["go infinite", "go ponder time 1000 increment 0"] {
        let mut program = Program::start();
        program.send(format!("setoption batch true\n{go}\n").as_bytes());
        program.close_input();
        let ended = program.expect_exit();
        ended.assert_quiet_success();
        assert_eq!(answers(&ended.lines).len(), 1, "{go}: {:#?}", ended.lines);
    }
}

#[test]
fn a_count_of_moves_and_a_bench_can_be_stopped_in_a_batch() {
    // Both would take years. What follows is carried out.
    let mut program = Program::start();
    program.send(
        format!(
            "setoption batch true\ngo perft 20\nstop\nbench 60\nstop\nposition fen {MATE_IN_ONE}\ngo depth 3\nquit\n"
        )
        .as_bytes(),
    );
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    let stopped = messages(&ended.lines).into_iter().filter(|text| text.contains("was stopped")).count();
    assert_eq!(stopped, 2, "{:#?}", ended.lines);
    assert_eq!(best_move(answers(&ended.lines)[0]), MATING_MOVE, "{:#?}", ended.lines);
}

#[test]
fn a_search_for_a_mate_can_be_ended_in_a_batch() {
    // With several lines there is no attempt of the mate solver, which would take some seconds.
    for end in ["stop\nquit", "quit"] {
        let mut program = Program::start();
        program.send(format!("setoption batch true\nsetoption multipv 2\ngo mate 8\n{end}\n").as_bytes());
        let ended = program.expect_exit();
        ended.assert_quiet_success();
        assert_eq!(answers(&ended.lines).len(), 1, "{end}: {:#?}", ended.lines);
    }
    // What follows is carried out after a search that finds its mate.
    let mate = "1cbak4/r3arN2/4b4/9/9/9/9/5C2R/2npA4/4KA3 w";
    let mut program = Program::start();
    program.send(
        format!(
            "setoption batch true\nsetoption multipv 2\nposition fen {mate}\ngo mate 10\nposition fen {MATE_IN_ONE}\n\
             go depth 3\nquit\n"
        )
        .as_bytes(),
    );
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    assert_eq!(best_move(answers(&ended.lines)[1]), MATING_MOVE, "{:#?}", ended.lines);
    let mut program = Program::start();
    program.send(
        format!("setoption batch true\ngo mate 8\nstop\nposition fen {MATE_IN_ONE}\ngo mate 3\nquit\n").as_bytes(),
    );
    let ended = program.expect_exit();
    ended.assert_quiet_success();
    // The second mate is proved, although the input has ended.
    assert_eq!(best_move(answers(&ended.lines)[1]), MATING_MOVE);
    assert!(messages(&ended.lines).iter().any(|text| text.contains("proved, by checks")), "{:#?}", ended.lines);
}

#[test]
fn a_session_survives_a_whole_game() {
    let mut program = Program::start();
    let mut game = Position::start();
    let mut moves = String::new();
    for ply in 0..60 {
        program.say(&format!("position startpos{}{moves}", if moves.is_empty() { "" } else { " moves" }));
        program.say(if ply % 2 == 0 { "go depth 4" } else { "go time 100 increment 20 opptime 100 oppincrement 20" });
        let answer = program.answer();
        if answer == "nobestmove" {
            assert!(!game.has_legal_move(), "{game}");
            break;
        }
        let mv = best_move(&answer);
        assert!(is_legal(&game, mv), "{mv} in {game}");
        game.make(mv.parse().unwrap());
        moves.push_str(&format!(" {mv}"));
    }
    assert!(program.leave().is_empty());
}

#[test]
fn commands_right_after_stop_wait_for_its_answer() {
    let mut program = Program::start();
    program.send(format!("go infinite\nstop\nposition fen {MATE_IN_ONE}\ngo depth 3\n").as_bytes());
    let mut lines = program.wait_for_answer();
    lines.extend(program.wait_for_answer());
    let found = answers(&lines);
    assert_eq!((found.len(), messages(&lines).len()), (2, 0), "{lines:#?}");
    assert!(is_legal(&Position::start(), best_move(found[0])));
    assert_eq!(best_move(found[1]), MATING_MOVE);
    assert!(program.ask("").is_empty());
    program.leave();
}
