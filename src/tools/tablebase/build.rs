//! Solving endings and writing their tables.

use std::path::PathBuf;

use clap::Args;

use super::{USUAL_FOLDER, threads};
use crate::console::error::CommandError;
use crate::console::progress::{News, clock, counted};
use crate::counting::Signature;
use crate::tablebase::{BuildError, Metric, Plan, Step, build as build_tables, is_exact, prepare};

/// What stands below the options in the help.
pub const HELP: &str = "\
The endings that captures lead to are solved first. Tables that the folder has already stay as they are, so that a
build that was broken off goes on where it stopped.

Repetition counts as a draw. Where one side has only defenders the results are exact, but for defenders that
hold only by chasing for ever with advisors or elephants; where both sides have attackers perpetual checks and
chases are not judged.

Examples:
  chuhe tablebase build KRvKAABB
  chuhe tablebase build KRCvKAABB KPPvKAABB --dir tables --threads 4
  chuhe tablebase build KNvKAA --dir tables --dtm";

/// What `tablebase build` is asked for.
#[derive(Args, Debug)]
pub struct Build {
    /// The endings, such as KRvKAABB.
    #[arg(required = true, value_name = "ENDING")]
    endings: Vec<Signature>,
    /// Where the tables go.
    #[arg(long, value_name = "FOLDER", default_value = USUAL_FOLDER)]
    dir: PathBuf,
    /// Count plies to mate too, and not only to the next capture that wins.
    #[arg(long)]
    dtm: bool,
    /// Count the draws that may rest on perpetual chases by advisors and elephants; takes as long again.
    #[arg(long)]
    chases: bool,
    /// How many threads work; as many as there are cores unless told otherwise.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The most memory to use, in megabytes; what the system has left unless told otherwise.
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
}

/// Builds tables and tells of it on standard error.
pub fn build(wanted: &Build) -> Result<(), CommandError> {
    let memory = wanted.memory.map_or_else(available_memory, |megabytes| megabytes.saturating_mul(1 << 20));
    let plan = Plan {
        folder: &wanted.dir,
        metric: Metric::Conversion,
        threads: threads(wanted.threads),
        counts_chases: wanted.chases,
        memory,
    };
    let (needed, most) = prepare(&plan, &wanted.endings).map_err(failure)?;
    std::fs::create_dir_all(&wanted.dir).map_err(|error| CommandError::File { path: wanted.dir.clone(), error })?;
    eprintln!(
        "chuhe: {} into {}, at most {} MB of memory",
        counted(needed.len() as u64, "table"),
        wanted.dir.display(),
        most.div_ceil(1 << 20)
    );
    for ending in needed.iter().filter(|&&ending| !is_exact(ending)) {
        eprintln!("chuhe: {ending}: perpetual checks and chases will count as draws");
    }
    // Plies to conversion are what the engine goes by; those to mate come on top.
    build_by(&plan, &wanted.endings, needed.len())?;
    if wanted.dtm {
        build_by(&Plan { metric: Metric::Mate, counts_chases: false, ..plan }, &wanted.endings, needed.len())?;
    }
    Ok(())
}

fn build_by(plan: &Plan, endings: &[Signature], tables: usize) -> Result<(), CommandError> {
    let mut news = News::of(tables as u64);
    let mut done = 0;
    let built = build_tables(plan, endings, |step| match step {
        Step::Found(ending) => {
            done += 1;
            news.note(&format!("{ending} is there already"));
        }
        Step::Solving(ending, progress) => {
            news.tell(done, || format!("{ending}: ply {}, {} positions decided", progress.level, progress.decided));
        }
        Step::Written { table, statistics, chases, bytes, time } => {
            done += 1;
            let longest = statistics.longest.as_ref().map_or(0, |longest| longest.0);
            let rate = table.entries() as f64 / time.as_secs_f64().max(1e-6) / 1e6;
            news.note(&format!(
                "{}: {} entries in {} ({:.3} s, {rate:.0} million/s), longest win {longest} plies, {}",
                table.signature(),
                table.entries(),
                clock(time),
                time.as_secs_f64(),
                counted(bytes, "byte")
            ));
            if let Some(chases) = chases {
                news.note(&format!("{}: at most {} by chases", table.signature(), counted(chases, "draw")));
            }
        }
    });
    news.finish();
    built.map_err(failure)
}

fn failure(error: BuildError) -> CommandError {
    CommandError::Mismatch(error.to_string())
}

/// The memory that the system can give, in bytes; all there can be where it does not tell.
fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes.saturating_mul(1024))
}
