//! Tests a client written in Python.

use std::path::Path;
use std::process::{Command, Stdio};

/// Names under which Python is installed.
const PYTHONS: [&str; 2] = ["python3", "python"];

/// Returns a name under which Python 3 runs.
pub fn python() -> Option<&'static str> {
    let is_python = |name: &&str| {
        let version = Command::new(name).args(["-c", "import sys; print(sys.version_info[0])"]).output();
        version.is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"3"))
    };
    PYTHONS.into_iter().find(is_python)
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
