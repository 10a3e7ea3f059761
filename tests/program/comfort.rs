//! Tests completions, manual pages, the self-test and the packaging script.

use std::process::{Command, Output};

use chuhe::cli::Arguments;
use clap::CommandFactory;

use crate::harness::{TemporaryFile, refused, run_well};

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "powershell", "elvish"];

fn listed_commands() -> Vec<(String, String)> {
    let main = Arguments::command();
    let describe = |command: &clap::Command| (command.get_name().to_owned(), command.get_about().unwrap().to_string());
    main.get_subcommands().map(describe).collect()
}

// completions

#[test]
fn every_shell_completes_every_command() {
    for shell in SHELLS {
        let script = run_well(&["completions", shell]).text();
        assert!(listed_commands().iter().all(|(name, _)| script.contains(name)), "{shell}");
    }
}

// man

fn plain(page: &str) -> String {
    page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\*(Aq", "'")
}

#[test]
fn every_command_has_a_page_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share").join("man1");
    let ended = run_well(&["man", "--dir", pages.to_str().unwrap()]);
    assert!(ended.lines.is_empty(), "{:#?}", ended.lines);
    let page = |name: &str| std::fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
    let main = page("chuhe");
    assert_eq!(main.trim_end(), run_well(&["man"]).text().trim_end());
    for part in [".TH chuhe 1", concat!("chuhe ", env!("CARGO_PKG_VERSION")), "Exit status: 0 success"] {
        assert!(plain(&main).contains(part), "{main}");
    }
    for (name, about) in listed_commands() {
        assert!(plain(&main).contains(&format!("chuhe-{name}(1)")), "{name} is missing in {main}");
        let page = plain(&page(&format!("chuhe-{name}")));
        assert!(page.contains(&format!("chuhe-{name} - {about}")), "'{about}' is missing in {page}");
    }
    assert!(plain(&page("chuhe-book-build")).contains(".nf"), "examples are not filled");
    let file = TemporaryFile::with("man.txt", "a file, not a folder");
    refused(&["man", "--dir", file.path()], 1, file.name());
}

// self-test

#[test]
fn the_self_test_passes() {
    let ended = run_well(&["self-test"]);
    let end = ended.lines.iter().position(String::is_empty).expect("an empty line ends the checks");
    let (checks, machine) = ended.lines.split_at(end);
    assert_eq!(checks.len(), 4, "{checks:#?}");
    assert!(checks.iter().all(|line| line[10..].starts_with(" ok ")), "{checks:#?}");
    let version = concat!("Chuhe ", env!("CARGO_PKG_VERSION"));
    for (name, value) in [("version", version), ("target", std::env::consts::ARCH), ("system", ""), ("processor", "")] {
        let line =
            machine.iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {machine:?}"));
        assert!(line.contains(value) && line.len() > 11, "{line}");
    }
}

#[test]
fn the_data_of_the_self_test_comes_from_the_test_data() {
    let texts = [
        (include_str!("../../assets/self_test/perft.tsv"), include_str!("../data/perft.tsv")),
        (include_str!("../../assets/self_test/judge.tsv"), include_str!("../data/rules_cases.tsv")),
    ];
    for (shipped, known) in texts {
        let lines: Vec<&str> = shipped.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.len() >= 10);
        for line in lines {
            assert!(known.lines().any(|other| other.starts_with(line)), "unknown: {line}");
        }
    }
}

// scripts/package.sh and scripts/test-arm.sh

#[cfg(unix)]
#[test]
fn the_scripts_are_well_formed_and_refuse_unknown_arguments() {
    let run = |arguments: &[&str]| -> Output {
        let root = env!("CARGO_MANIFEST_DIR");
        Command::new("bash").args(arguments).current_dir(root).output().expect("bash starts")
    };
    for (path, target) in
        [("scripts/package.sh", "x86_64-unknown-linux-musl"), ("scripts/test-arm.sh", "aarch64-unknown-linux-gnu")]
    {
        assert!(run(&["-n", path]).status.success(), "{path}");
        assert!(String::from_utf8_lossy(&run(&[path, "--help"]).stdout).contains(target), "{path}");
        for arguments in [&[path, "--everything"][..], &[path, "one", "two"]] {
            let refused = run(arguments);
            assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
            assert_eq!(String::from_utf8_lossy(&refused.stderr).lines().count(), 1, "{arguments:?}");
        }
    }
}
