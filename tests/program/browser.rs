//! Tests the page of `chuhe web` in a browser. It takes longer than any other test, and tests start in the order of their
//! names: this one among the first.

/// Exit status of the script if there is no browser.
const SKIPPED: i32 = 77;

/// Skipped with a message without Python, Chromium or ChromeDriver, but not where the variable `CI` is set: there it
/// fails, unless `CHUHE_BROWSER` is `none`.
#[test]
fn the_page_works_in_a_browser() {
    let must_run =
        std::env::var_os("CI").is_some() && std::env::var_os("CHUHE_BROWSER").is_none_or(|name| name != "none");
    let Some(python) = crate::clients::python() else {
        assert!(!must_run, "Python 3 is needed for this test");
        println!("skipped: Python 3 is not installed");
        return;
    };
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/web/page.py");
    let mut command = std::process::Command::new(python);
    let output =
        command.arg(script).arg(env!("CARGO_BIN_EXE_chuhe")).stdin(std::process::Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    if output.status.code() == Some(SKIPPED) {
        assert!(!must_run, "{text}");
        return;
    }
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
