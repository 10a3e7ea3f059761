//! Tests clients written in Python. Skipped with a message if Python is not installed.

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn python_clients_drive_the_program() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/drive.py");
    let started = Command::new("python3").arg(script).arg(env!("CARGO_BIN_EXE_chuhe")).stdin(Stdio::null()).output();
    let output = match started {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: python3 cannot be run: {error}");
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
