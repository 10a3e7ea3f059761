//! Building the tables of endings in a folder, those that captures lead to first.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::endings::{EndingError, Endings, after_captures, needed_for, slices_of};
use super::retrograde::Progress;
use super::store::{StoreError, write};
use super::stored::StoredTable;
use super::table::{BYTES_PER_ANALYSED_SLICE, BYTES_PER_SLICE, Statistics, Table};
use super::value::Metric;
use crate::counting::Signature;

/// How tables are built.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Where the files go.
    pub folder: &'a Path,
    /// What plies are counted to.
    pub metric: Metric,
    /// How many threads do it.
    pub threads: usize,
    /// Draws that may rest on chases are counted too; see [`Endings::draws_by_chases`].
    pub counts_chases: bool,
    /// The most memory that the tables may take, in bytes.
    pub memory: u64,
}

/// Why tables were not built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No such table can be made.
    #[error(transparent)]
    Ending(#[from] EndingError),
    /// Too much memory would be needed.
    #[error("{ending} needs {} MB of memory, {} MB may be used: name fewer men, or allow more with --memory",
        needed.div_ceil(MEGABYTE), allowed / MEGABYTE)]
    Memory {
        /// For which ending.
        ending: Signature,
        /// How many bytes it takes.
        needed: u64,
        /// How many are allowed.
        allowed: u64,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const MEGABYTE: u64 = 1 << 20;

/// What happens while tables are built.
#[derive(Clone, Copy)]
pub enum Step<'a> {
    /// The table was there already.
    Found(Signature),
    /// An ending is being solved.
    Solving(Signature, Progress),
    /// A table was written.
    Written {
        /// What it holds.
        table: &'a Table,
        /// What is in it.
        statistics: &'a Statistics,
        /// The draws that may rest on chases, if they were counted.
        chases: Option<u64>,
        /// The bytes of its files.
        bytes: u64,
        /// How long solving it took, writing not counted.
        time: Duration,
    },
}

/// Which tables a plan makes, in their order, and the most memory that takes at a time, in bytes.
///
/// # Errors
/// [`BuildError`] when an ending cannot be solved, or takes more memory than is allowed. Where plies are counted to mate
/// and captures lead to many different numbers of them it may be more than is told.
pub fn prepare(plan: &Plan, endings: &[Signature]) -> Result<(Vec<Signature>, u64), BuildError> {
    let needed = needed_for(endings)?;
    let slices = needed.iter().map(|&ending| slices_of(ending)).collect::<Result<Vec<u64>, EndingError>>()?;
    let mut most = 0;
    for (index, &ending) in needed.iter().enumerate() {
        let analyses = if plan.counts_chases { 2 } else { 1 };
        let mut bytes = slices[index] * (BYTES_PER_SLICE + BYTES_PER_ANALYSED_SLICE) * analyses;
        for (&kept, &slices) in needed[..index].iter().zip(&slices) {
            if is_needed(kept, &needed[index..]) {
                bytes += slices * BYTES_PER_SLICE;
            }
        }
        if bytes > plan.memory {
            return Err(BuildError::Memory { ending, needed: bytes, allowed: plan.memory });
        }
        most = most.max(bytes);
    }
    Ok((needed, most))
}

/// Whether captures in one of these endings lead to this one.
fn is_needed(ending: Signature, later: &[Signature]) -> bool {
    later.iter().any(|&later| after_captures(later).any(|after| after == ending))
}

/// Builds the tables of endings and of those that they lead to. What lies in the folder already and is whole is not
/// built again, so that a build that was broken off goes on where it stopped. `report` hears of every step.
///
/// # Errors
/// [`BuildError`]; the tables written so far stay.
pub fn build(plan: &Plan, endings: &[Signature], mut report: impl FnMut(Step)) -> Result<(), BuildError> {
    let (needed, _) = prepare(plan, endings)?;
    let mut tables = Endings::default();
    for (index, &ending) in needed.iter().enumerate() {
        if stored(plan, ending).is_some() {
            report(Step::Found(ending));
            continue;
        }
        tables.read_captures_of(ending, plan.folder, plan.metric)?;
        let start = Instant::now();
        let table =
            tables.solve(ending, plan.metric, plan.threads, |progress| report(Step::Solving(ending, progress)))?;
        let time = start.elapsed();
        let bytes = write(plan.folder, &table, plan.threads)?;
        let chases = if plan.counts_chases { Some(tables.draws_by_chases(&table, plan.threads)?) } else { None };
        report(Step::Written { table: &table, statistics: &table.statistics(), chases, bytes, time });
        tables.insert(Arc::new(table));
        // What no later ending leads to is not needed any more.
        tables.retain(|kept| is_needed(kept, &needed[index + 1..]));
    }
    Ok(())
}

/// The table of an ending in the folder, if it is there and whole.
fn stored(plan: &Plan, ending: Signature) -> Option<StoredTable> {
    StoredTable::open(plan.folder, ending, plan.metric).ok().filter(|table| table.check().is_ok())
}
