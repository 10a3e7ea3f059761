//! The program started by a person at a terminal, without arguments.

use std::process::{Command, Stdio};

#[test]
fn a_person_who_starts_it_gets_a_board_until_the_first_command() {
    let Some(python) = crate::clients::python() else {
        assert!(std::env::var_os("CI").is_none(), "Python 3 is needed for this test");
        return;
    };
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/terminal.py");
    for (locale, welcome) in [("C", ", a Xiangqi engine: "), ("zh_CN.UTF-8", "象棋引擎：")] {
        let mut command = Command::new(python);
        command.arg(&script).arg(env!("CARGO_BIN_EXE_chuhe")).env("LC_ALL", locale).env("PYTHONUTF8", "1");
        let output = command.env_remove("RUST_LOG").stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        // Two lines say what it is; the address of the board is the next one.
        let lines: Vec<&str> = text.lines().take(3).collect();
        assert!(lines[0].contains(welcome) && lines[2].starts_with("http://"), "{text}");
    }
}
