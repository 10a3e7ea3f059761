//! `tablebase verify`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;

use super::{DEFAULT_FOLDER, metric, read, threads, unusable};
use crate::console::error::CommandError;
use crate::console::progress::{Progress, clock};
use crate::counting::Signature;
use crate::tablebase::{Endings, stronger_first, verify as verify_table};

/// Text below the options in the help.
pub const HELP: &str = "\
Every value must follow from the values of the successor positions, with moves from the regular generator. This
proves a table correct if the tables that its captures lead to are correct. Checksums are verified as well.

Examples:
  chuhe tablebase verify KRvKAABB
  chuhe tablebase verify KRCvKAABB --dir tables --every 100";

/// Arguments of `tablebase verify`.
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
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Number of threads; default is the number of CPU cores.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Runs `tablebase verify`.
pub fn verify(args: &Verify, out: &mut impl Write) -> Result<(), CommandError> {
    let mut failed = 0;
    for &ending in &args.endings {
        let ending = stronger_first(ending).0;
        let metric = metric(args.dtm);
        let table = read(&args.dir, ending, metric)?;
        let mut tables = Endings::default();
        tables.read_captures_of(ending, &args.dir, metric).map_err(|error| unusable(&args.dir, error))?;
        let slices = table.slices().div_ceil(args.every.max(1)) as u64;
        let progress_bar = Mutex::new(Progress::bar(slices));
        let value = |placement: &_, side| match tables.value(placement, side) {
            Some(value) => value,
            None => unreachable!("the tables after all captures have been read"),
        };
        let checked = verify_table(&table, args.every, threads(args.threads), value, |done| {
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
        return Err(CommandError::Disagreement { wrong: failed, all: args.endings.len(), things: "tables" });
    }
    Ok(())
}
