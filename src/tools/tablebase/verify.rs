//! Checking tables by the moves of their positions.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;

use super::{USUAL_FOLDER, metric, read, threads, unusable};
use crate::console::error::CommandError;
use crate::console::progress::{News, clock};
use crate::counting::Signature;
use crate::tablebase::{Endings, stronger_first, verify as verify_table};

/// What stands below the options in the help.
pub const HELP: &str = "\
Every value must follow from those of the positions one move further, with the moves of the ordinary generator. That
proves a table right when those that its captures lead to are. The checksums of all blocks are looked at as well.

Examples:
  chuhe tablebase verify KRvKAABB
  chuhe tablebase verify KRCvKAABB --dir tables --every 100";

/// What `tablebase verify` is asked for.
#[derive(Args, Debug)]
pub struct Verify {
    /// The endings, such as KRvKAABB.
    #[arg(required = true, value_name = "ENDING")]
    endings: Vec<Signature>,
    /// Where the tables are.
    #[arg(long, value_name = "FOLDER", default_value = USUAL_FOLDER)]
    dir: PathBuf,
    /// Check the tables that count plies to mate.
    #[arg(long)]
    dtm: bool,
    /// Check one slice of so many only; a slice is all places of one attacker.
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// How many threads work; as many as there are cores unless told otherwise.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Checks tables.
pub fn verify(wanted: &Verify, out: &mut impl Write) -> Result<(), CommandError> {
    let mut wrong = 0;
    for &ending in &wanted.endings {
        let ending = stronger_first(ending).0;
        let metric = metric(wanted.dtm);
        let table = read(&wanted.dir, ending, metric)?;
        let mut tables = Endings::default();
        tables.read_captures_of(ending, &wanted.dir, metric).map_err(|error| unusable(&wanted.dir, error))?;
        let slices = table.slices().div_ceil(wanted.every.max(1)) as u64;
        let news = Mutex::new(News::of(slices));
        let value = |placement: &_, side| match tables.value(placement, side) {
            Some(value) => value,
            None => unreachable!("all endings after captures were read"),
        };
        let checked = verify_table(&table, wanted.every, threads(wanted.threads), value, |done| {
            if done % 256 == 0
                && let Ok(mut news) = news.lock()
            {
                let left = news.time_left(done);
                news.tell(done, || format!("{ending}: slices, {} left", clock(left)));
            }
        });
        if let Ok(news) = news.into_inner() {
            news.finish();
        }
        match checked {
            Ok(count) => writeln!(out, "{ending}: {count} positions checked, all right")?,
            Err(contradiction) => {
                wrong += 1;
                writeln!(out, "{ending}: {contradiction}")?;
            }
        }
    }
    if wrong > 0 {
        return Err(CommandError::Disagreement { wrong, all: wanted.endings.len(), things: "tables" });
    }
    Ok(())
}
