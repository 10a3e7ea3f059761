//! The commands about the program itself: self-test, shell completions and manual pages.
//!
//! The self-test compares with known answers in a few seconds. Meant for bug reports: it detects a bad build, defective
//! memory and a processor that does not have the features it reports, and describes the program and the machine.

use std::error::Error;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;

use super::Arguments;
use super::small::{check_judge_line, check_perft_line};
use crate::console::{CommandError, Result};
use crate::engine::{Engine, bench};
use crate::position::{Position, Strictness, perft, perft_by_making};
use crate::rules::{RuleSet, Rules};
use crate::search::Limits;
use crate::types::score::mate_in;
use crate::util::atomic_file::write_atomically;
use crate::util::files::create_folder;
use crate::util::parallel::cores;
use crate::util::simd::Isa;

/// Commands about the program itself.
#[derive(Subcommand, Debug)]
pub enum MetaCommand {
    /// Check in a few seconds that the program works on this machine.
    #[command(after_help = "\
Prints a line for each check and a description of the machine. Please send both with every bug report.
The exit status is 0 if every check is ok.")]
    SelfTest,
    /// Print a script with which a shell completes command lines.
    #[command(after_help = "\
Examples:
  chuhe completions bash > ~/.local/share/bash-completion/completions/chuhe
  chuhe completions zsh > ~/.zfunc/_chuhe      with ~/.zfunc in fpath
  chuhe completions fish > ~/.config/fish/completions/chuhe.fish")]
    Completions {
        /// Shell that reads the script.
        shell: Shell,
    },
    /// Print the manual page.
    #[command(after_help = "\
Examples:
  chuhe man | man -l -
  chuhe man --dir ~/.local/share/man/man1      writes chuhe.1 and a page for each command")]
    Man {
        /// Write the page, and one for each command, into this folder, which is created if necessary.
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

pub fn run(command: &MetaCommand, out: &mut impl Write) -> Result {
    match command {
        MetaCommand::SelfTest => self_test(out),
        MetaCommand::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "chuhe", &mut script);
            Ok(out.write_all(&script)?)
        }
        MetaCommand::Man { dir: None } => Ok(out.write_all(page(&built_command())?.as_bytes())?),
        MetaCommand::Man { dir: Some(folder) } => write_pages(folder),
    }
}

/// Returns the command line with everything that its parser adds.
fn built_command() -> clap::Command {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

fn page(command: &clap::Command) -> io::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .source(concat!("chuhe ", env!("CARGO_PKG_VERSION")))
        .manual("Chuhe")
        .render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    // The text after the options consists of lines, mostly examples; filling would join them to a paragraph.
    let Some((before, notes)) = page.split_once(".SH EXTRA\n") else { return Ok(page.into_owned()) };
    let end = notes.find("\n.SH ").map_or(notes.len(), |end| end + 1);
    Ok(format!("{before}.SH NOTES\n.nf\n{}.fi\n{}", &notes[..end], &notes[end..]))
}

/// Writes `chuhe.1`, and `chuhe-COMMAND.1` for each command and subcommand.
fn write_pages(folder: &Path) -> Result {
    create_folder(folder).map_err(CommandError::in_file(folder))?;
    let main = built_command();
    let mut commands = vec![&main];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands());
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let path = folder.join(format!("{name}.1"));
        write_atomically(&path, page(command)?.as_bytes()).map_err(CommandError::in_file(&path))?;
    }
    Ok(())
}

const PERFT_LINES: &str = include_str!("../../assets/self_test/perft.tsv");
const JUDGE_LINES: &str = include_str!("../../assets/self_test/judge.tsv");
const MATE_IN_TWO: &str = "3ak4/4aP1n1/4b4/1N1cP4/6b2/6B2/9/4BA3/4A4/4K4 w - - 0 1";

/// What a check against a known answer found, or what is wrong.
type Found = Result<String, Box<dyn Error>>;
type Check = (&'static str, fn() -> Found);

const CHECKS: [Check; 4] =
    [("moves", count_moves), ("rules", judge), ("search", compare_signature), ("threads", search_on_threads)];

/// Prints a line for each check and a description of the machine.
fn self_test(out: &mut impl Write) -> Result {
    let failed = run_checks(&CHECKS, out)?;
    writeln!(out)?;
    machine_description().iter().try_for_each(|(name, value)| writeln!(out, "{name:<10} {value}"))?;
    let all = CHECKS.len();
    let fault = format!("{failed} of {all} checks failed; please report it with all the output above");
    if failed > 0 { Err(CommandError::Failed(fault)) } else { Ok(()) }
}

/// Prints a line for each check and returns how many failed.
fn run_checks(checks: &[Check], out: &mut impl Write) -> Result<usize> {
    let mut failed = 0;
    for (name, check) in checks {
        // The other checks are useful even if one panics; its message is on standard error.
        let result = std::panic::catch_unwind(check).unwrap_or_else(|_| Err("it panicked".into()));
        let is_ok = result.is_ok();
        failed += usize::from(!is_ok);
        let text = result.unwrap_or_else(|fault| fault.to_string());
        writeln!(out, "{name:<10} {:<7} {text}", if is_ok { "ok" } else { "FAILED" })?;
        out.flush()?;
    }
    Ok(failed)
}

/// Checks every line that is not a comment and returns their number.
fn check_lines(lines: &str, check: impl Fn(&str) -> Result<(), String>) -> Result<usize, String> {
    let mut lines = lines.lines().filter(|line| !line.starts_with('#'));
    lines.try_fold(0, |count, line| check(line).map(|()| count + 1))
}

fn count_moves() -> Found {
    let check = |count| check_lines(PERFT_LINES, |line| check_perft_line(line, Strictness::Strict, count));
    check(perft_by_making).map_err(|fault| format!("with every move made: {fault}"))?;
    Ok(format!("{} positions have the perft counts of other engines, also when every move is made", check(perft)?))
}

fn judge() -> Found {
    let rules = Rules::new(RuleSet::default());
    let count = check_lines(JUDGE_LINES, |line| check_judge_line(line, Strictness::Strict, rules))?;
    Ok(format!("{count} games are judged as other engines judge them"))
}

fn compare_signature() -> Found {
    let (depth, expected) = (bench::SIGNATURE_DEPTH, bench::SIGNATURE);
    match bench::bench(&mut bench::engine()?, depth, &mut (), |_, _| ControlFlow::Continue(()))?.nodes {
        found if found == expected => Ok(format!("{found} nodes at depth {depth}, as expected")),
        found => Err(format!("{found} nodes at depth {depth} instead of {expected}").into()),
    }
}

fn search_on_threads() -> Found {
    let threads = cores().get().clamp(2, 16);
    let mut engine = Engine::with_hash(1)?;
    engine.configure(|options| options.threads = threads)?;
    engine.set_position(Position::from_fen(MATE_IN_TWO)?);
    let outcome = engine.search(&Limits { mate: Some(2), ..Limits::depth(12) }, &mut ())?;
    if outcome.score != mate_in(3) {
        return Err(format!("score {} instead of a mate in two in {MATE_IN_TWO}", outcome.score).into());
    }
    Ok(format!("{threads} threads find a mate in two"))
}

fn machine_description() -> [(&'static str, String); 6] {
    let build = if cfg!(debug_assertions) { "with debug assertions" } else { "without debug assertions" };
    let cores = std::thread::available_parallelism();
    [
        ("version", concat!("Chuhe ", env!("CARGO_PKG_VERSION")).to_owned()),
        ("target", target()),
        ("build", build.to_owned()),
        ("system", system()),
        // The instructions of the processor that the engine uses.
        ("processor", format!("{:?}", Isa::best().instruction_set())),
        ("cores", cores.map_or_else(|error| error.to_string(), |n| n.to_string())),
    ]
}

fn target() -> String {
    let environment = match () {
        () if cfg!(target_env = "musl") => "musl",
        () if cfg!(target_env = "gnu") => "gnu",
        () if cfg!(target_env = "msvc") => "msvc",
        () => "other",
    };
    let linking = if cfg!(target_feature = "crt-static") { ", static" } else { "" };
    format!("{} {} {environment}{linking}", std::env::consts::ARCH, std::env::consts::OS)
}

/// Returns the operating system; on Linux with kernel and distribution.
fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).map(|name| name.trim_matches('"'));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let parts = [std::env::consts::OS, kernel.trim(), name.unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_fails_or_panics_is_reported_and_counted() {
        let checks = [
            ("right", (|| Ok("as expected".to_owned())) as fn() -> Found),
            ("wrong", || Err("5 instead of 4".into())),
            ("broken", || panic!("a panic on purpose")),
        ];
        let mut out = Vec::new();
        assert_eq!(run_checks(&checks, &mut out).unwrap(), 2);
        let expected =
            "right      ok      as expected\nwrong      FAILED  5 instead of 4\nbroken     FAILED  it panicked\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
