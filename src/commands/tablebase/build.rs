//! `tablebase build` and `tablebase verify`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;

use super::{DEFAULT_FOLDER, failure, metric, read};
use crate::console::args::thread_count;
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::progress::{Progress, clock};
use crate::counting::Signature;
use crate::search::MAX_THREADS;
use crate::tablebase::{
    Endings, Metric, Plan, Step, build as build_tables, is_exact, prepare, stronger_first, verify as verify_table,
};
use crate::util::files::create_folder;

pub const BUILD_HELP: &str = "\
Endings that captures lead to are solved first. Valid tables in the folder are kept, so an interrupted build
continues where it stopped.

Repetition counts as a draw. If one side has only defenders, the results are exact, except where defenders hold
only by chasing perpetually with advisors or elephants. If both sides have attackers, perpetual checks and
chases are not judged.

Examples:
  chuhe tablebase build KRvKAABB
  chuhe tablebase build KRCvKAABB KPPvKAABB --dir tables --threads 4
  chuhe tablebase build KNvKAA --dir tables --dtm";

#[derive(Args, Debug)]
pub struct Build {
    /// Endings to build, such as KRvKAABB.
    #[arg(required = true, value_name = "ENDING")]
    endings: Vec<Signature>,
    /// Folder of the tables.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    dir: PathBuf,
    /// Also build tables with the distance to mate, not only to the next winning capture.
    #[arg(long)]
    dtm: bool,
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Memory limit in megabytes; default is the available memory.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    memory: Option<u64>,
}

/// Runs `tablebase build`; progress goes to standard error.
pub fn build(args: &Build) -> Result<(), CommandError> {
    let memory = args.memory.map_or_else(available_memory, |megabytes| megabytes.saturating_mul(1 << 20));
    let plan =
        Plan { folder: &args.dir, metric: Metric::Conversion, threads: thread_count(args.threads).get(), memory };
    let (needed, peak) = prepare(&plan, &args.endings).map_err(failure)?;
    create_folder(&args.dir).map_err(|error| CommandError::File { path: args.dir.clone(), error })?;
    note!(
        "{} into {}, at most {} MB of memory",
        counted(needed.len() as u64, "table"),
        args.dir.display(),
        peak.div_ceil(1 << 20)
    );
    for ending in needed.iter().filter(|&&ending| !is_exact(ending)) {
        note!("{ending}: perpetual checks and chases will count as draws");
    }
    // The engine uses the distance to conversion; mate tables are optional.
    build_by(&plan, &args.endings, needed.len())?;
    if args.dtm {
        build_by(&Plan { metric: Metric::Mate, ..plan }, &args.endings, needed.len())?;
    }
    Ok(())
}

fn build_by(plan: &Plan, endings: &[Signature], tables: usize) -> Result<(), CommandError> {
    let mut progress_bar = Progress::bar(tables as u64);
    let mut done = 0;
    let built = build_tables(plan, endings, |step| match step {
        Step::Found(ending) => {
            done += 1;
            progress_bar.note(&format!("{ending} exists already"));
        }
        Step::Solving(ending, progress) => {
            progress_bar
                .update(done, || format!("{ending}: ply {}, {} positions decided", progress.level, progress.decided));
        }
        Step::Written { table, bytes, time } => {
            done += 1;
            let longest = table.statistics().longest.map_or(0, |longest| longest.0);
            let rate = table.entries() as f64 / time.as_secs_f64().max(1e-6) / 1e6;
            progress_bar.note(&format!(
                "{}: {} entries in {} ({:.3} s, {rate:.0} million/s), longest win {longest} plies, {}",
                table.signature(),
                table.entries(),
                clock(time),
                time.as_secs_f64(),
                counted(bytes, "byte")
            ));
        }
    });
    progress_bar.finish();
    built.map_err(failure)
}

/// Returns the available memory in bytes, unlimited if the system does not report it.
fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes.saturating_mul(1024))
}

pub const VERIFY_HELP: &str = "\
Every value must follow from the values of the successor positions, with moves from the regular generator. This
proves a table correct if the tables that its captures lead to are correct. Checksums are verified as well.

Examples:
  chuhe tablebase verify KRvKAABB
  chuhe tablebase verify KRCvKAABB --dir tables --every 100";

#[derive(Args, Debug)]
pub struct Verify {
    /// Endings to verify, such as KRvKAABB.
    #[arg(required = true, value_name = "ENDING")]
    endings: Vec<Signature>,
    /// Folder of the tables.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    dir: PathBuf,
    /// Verify the tables with the distance to mate.
    #[arg(long)]
    dtm: bool,
    /// Verify only every N-th slice; a slice contains all squares of one attacker.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Number of threads; 0 is the number of cores.
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
}

pub fn verify(args: &Verify, out: &mut impl Write) -> Result<(), CommandError> {
    let every = usize::try_from(args.every).unwrap_or(usize::MAX);
    let threads = thread_count(args.threads).get();
    let mut failed = 0;
    for &ending in &args.endings {
        let ending = stronger_first(ending);
        let metric = metric(args.dtm);
        let table = read(&args.dir, ending, metric)?;
        let mut tables = Endings::default();
        tables.read_captures_of(ending, &args.dir, metric).map_err(failure)?;
        let slices = table.slices().div_ceil(every) as u64;
        let progress_bar = Mutex::new(Progress::bar(slices));
        let value = |placement: &_, side| match tables.value(placement, side) {
            Some(value) => value,
            None => unreachable!("the tables after all captures have been read"),
        };
        let checked = verify_table(&table, every, threads, value, |done| {
            if done % 256 == 0
                && let Ok(mut progress_bar) = progress_bar.lock()
            {
                let left = progress_bar.time_left(done);
                progress_bar.update(done, || format!("{ending}: slices, {} left", clock(left)));
            }
        });
        if let Ok(progress_bar) = progress_bar.into_inner() {
            progress_bar.finish();
        }
        match checked {
            Ok(count) => writeln!(out, "{ending}: {count} positions checked, no error")?,
            Err(error) => {
                failed += 1;
                writeln!(out, "{ending}: {error}")?;
            }
        }
    }
    if failed > 0 {
        return Err(CommandError::Failed(format!("{failed} of {} tables disagree", args.endings.len())));
    }
    Ok(())
}
