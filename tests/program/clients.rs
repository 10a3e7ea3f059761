//! Proves that the sessions of real front ends, and a client written in Python, go through: every file under
//! `tests/data/client_replays` tells what one front end sends and waits for.
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

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::harness::Program;
use crate::lines::is_answer;

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
                if !start().contains("bestmove") {
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
fn every_recorded_session_goes_through() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/client_replays");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let scripts: Vec<String> = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert_eq!(scripts.len(), 9);
    // Together, since some wait.
    std::thread::scope(|scope| {
        for script in &scripts {
            scope.spawn(|| replay(script));
        }
    });
}

pub fn python() -> Option<&'static str> {
    let is_python = |name: &&str| {
        let version = Command::new(name).args(["-c", "import sys; print(sys.version_info[0])"]).output();
        version.is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"3"))
    };
    ["python3", "python"].into_iter().find(is_python)
}

/// Skipped with a message if Python is not installed, but not where the variable `CI` is set: there it fails.
#[test]
fn a_python_client_drives_the_program() {
    let Some(python) = python() else {
        assert!(std::env::var_os("CI").is_none(), "Python 3 is needed for this test");
        println!("skipped: Python 3 is not installed");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/drive.py");
    let mut command = Command::new(python);
    let output = command.arg(script).arg(env!("CARGO_BIN_EXE_chuhe")).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("asyncio UCI: ok"), "{text}");
}
