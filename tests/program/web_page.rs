//! Tests of the page of `chuhe web` in a browser, if there is one.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::Start;

/// Exit status of the script if there is no browser.
const SKIPPED: i32 = 77;

#[test]
fn the_page_works_in_a_browser() {
    let mut program = Start { arguments: &["web", "--no-open", "--hash", "16"], ..Start::default() }.now();
    let url = program.wait_until("address", |line| line.starts_with("http://")).pop().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/web/page.py");
    let started = Command::new("python3").arg(script).arg(url).stdin(Stdio::null()).output();
    let must_run = std::env::var_os("CHUHE_BROWSER").is_some();
    let output = match started {
        Ok(output) => output,
        Err(error) if !must_run => {
            println!("skipped: python3 cannot be run: {error}");
            return;
        }
        Err(error) => panic!("python3 cannot be run: {error}"),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    if output.status.code() == Some(SKIPPED) && !must_run {
        return;
    }
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
