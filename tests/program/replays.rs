//! Proves that sessions recorded from real front ends go through: every file under `tests/data/client_replays` tells
//! what one of them sends and waits for.
//!
//! | line | meaning |
//! |---|---|
//! | `> text`, `>r text` | send the text, ended by LF or by CRLF |
//! | `< start seconds` | wait for a line that starts so |
//! | `= seconds` | sleep |
//! | `! start seconds` | the next answer must not start so |
//! | `x seconds` | wait for the end of the program |
//!
//! The seconds to wait for are what the front ends grant, and not tested here: a slow machine must not fail a test.

use std::time::Duration;

use crate::harness::Program;
use crate::lines::is_answer;

/// Plays one recorded session.
fn replay(script: &str) {
    let mut program = Some(Program::start());
    for (number, line) in script.lines().enumerate() {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        if kind.is_empty() || kind.starts_with('#') {
            continue;
        }
        let step = format!("line {}: {line}", number + 1);
        println!("{step}");
        let running = program.as_mut().expect("nothing follows the end of the program");
        // A wanted or unwanted start, before the seconds.
        let start = || rest.rsplit_once(' ').expect("a start and seconds").0;
        match kind {
            ">" => running.say(rest),
            ">r" => running.send(format!("{rest}\r\n").as_bytes()),
            "=" => std::thread::sleep(Duration::from_secs_f64(rest.parse().expect("seconds"))),
            "<" => {
                let seen = running.wait_until(&step, |line| line.starts_with(start()));
                if !start().starts_with("bestmove") {
                    assert!(!seen.iter().any(|line| is_answer(line)), "{step}: an answer came before: {seen:#?}");
                }
            }
            "!" => {
                let answer = running.answer();
                assert!(!answer.starts_with(start()), "{step}: {answer}");
            }
            "x" => program.take().expect("it was running").expect_exit().assert_quiet_success(),
            _ => panic!("{step}: no such step"),
        }
    }
    if let Some(program) = program {
        program.expect_exit().assert_quiet_success();
    }
}

#[test]
fn the_ucci_league_manager_plays() {
    replay(include_str!("../data/client_replays/01_uccileag.txt"));
}

#[test]
fn the_ucci_tester_tests() {
    replay(include_str!("../data/client_replays/02_uccitest.txt"));
}

#[test]
fn the_python_package_cchess_plays() {
    replay(include_str!("../data/client_replays/04_cchess_pypi.txt"));
}

#[test]
fn the_chat_plugin_nonebot_plays() {
    replay(include_str!("../data/client_replays/05_nonebot.txt"));
}

#[test]
fn public_xiangqi_plays_after_trying_uci() {
    replay(include_str!("../data/client_replays/07_publicXiangqi_uci.txt"));
}

#[test]
fn vinxiangqi_plays_and_ponders_after_both_handshakes() {
    replay(include_str!("../data/client_replays/08_vinxiangqi.txt"));
}

#[test]
fn an_android_program_for_eleeye_plays() {
    replay(include_str!("../data/client_replays/11_eleeye_android.txt"));
}

#[test]
fn jieqibox_plays_in_uci() {
    replay(include_str!("../data/client_replays/09_jieqibox_uci.txt"));
}
