//! Tests of the page of `chuhe web` in a browser.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::clients::python;
use crate::harness::Start;

/// Exit status of the script if there is no browser.
const SKIPPED: i32 = 77;

/// Skipped with a message without Python, Chromium or ChromeDriver, but not where the variable `CI` is set: there it
/// fails, unless `CHUHE_BROWSER` is `none`.
#[test]
fn the_page_works_in_a_browser() {
    let must_run =
        std::env::var_os("CI").is_some() && std::env::var_os("CHUHE_BROWSER").is_none_or(|name| name != "none");
    let Some(python) = python() else {
        assert!(!must_run, "Python 3 is needed for this test");
        println!("skipped: Python 3 is not installed");
        return;
    };
    let mut program = Start { arguments: &["web", "--no-open", "--hash", "16"], ..Start::default() }.now();
    let url = program.wait_until("address", |line| line.starts_with("http://")).pop().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/web/page.py");
    let output = Command::new(python).arg(script).arg(url).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    if output.status.code() == Some(SKIPPED) {
        assert!(!must_run, "{text}");
        return;
    }
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
