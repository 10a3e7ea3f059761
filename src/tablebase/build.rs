//! Building tables in a folder, in the order required by captures.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::endings::{EndingError, Endings, after_captures, needed_for, slices_of};
use super::file_format::{StoreError, write};
use super::retrograde::Progress;
use super::stored_table::StoredTable;
use super::table::{BYTES_PER_ANALYSED_SLICE, BYTES_PER_SLICE, Statistics, Table};
use super::value::Metric;
use crate::counting::Signature;

/// Build settings.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Folder of the table files.
    pub folder: &'a Path,
    /// Metric of the stored plies.
    pub metric: Metric,
    /// Number of threads.
    pub threads: usize,
    /// Memory limit in bytes.
    pub memory: u64,
}

/// Reason why tables were not built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The ending cannot be solved.
    #[error(transparent)]
    Ending(#[from] EndingError),
    /// The memory limit would be exceeded.
    #[error("{ending} needs {} MB of memory, but the limit is {} MB: choose an ending with fewer pieces or raise --memory",
        needed.div_ceil(MEGABYTE), allowed / MEGABYTE)]
    Memory {
        /// The ending.
        ending: Signature,
        /// Required memory in bytes.
        needed: u64,
        /// Memory limit in bytes.
        allowed: u64,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const MEGABYTE: u64 = 1 << 20;

/// Progress of a build.
#[derive(Clone, Copy)]
pub enum Step<'a> {
    /// A valid table exists already.
    Found(Signature),
    /// An ending is being solved.
    Solving(Signature, Progress),
    /// A table has been written.
    Written {
        /// The table.
        table: &'a Table,
        /// Its statistics.
        statistics: &'a Statistics,
        /// Size of its files in bytes.
        bytes: u64,
        /// Time for solving it, without writing.
        time: Duration,
    },
}

/// Returns the tables that a plan builds, in order, and the peak memory in bytes.
///
/// # Errors
/// [`BuildError`] if an ending cannot be solved or exceeds the memory limit. With the mate metric, captures that lead
/// to many different distances may need more than this estimate.
pub fn prepare(plan: &Plan, endings: &[Signature]) -> Result<(Vec<Signature>, u64), BuildError> {
    let needed = needed_for(endings)?;
    let slices = needed.iter().map(|&ending| slices_of(ending)).collect::<Result<Vec<u64>, EndingError>>()?;
    let mut peak = 0;
    for (index, &ending) in needed.iter().enumerate() {
        let mut bytes = slices[index] * (BYTES_PER_SLICE + BYTES_PER_ANALYSED_SLICE);
        for (&kept, &slices) in needed[..index].iter().zip(&slices) {
            if is_needed(kept, &needed[index..]) {
                bytes += slices * BYTES_PER_SLICE;
            }
        }
        if bytes > plan.memory {
            return Err(BuildError::Memory { ending, needed: bytes, allowed: plan.memory });
        }
        peak = peak.max(bytes);
    }
    Ok((needed, peak))
}

/// Returns whether captures in one of the later endings lead to this one.
fn is_needed(ending: Signature, later: &[Signature]) -> bool {
    later.iter().any(|&later| after_captures(later).any(|after| after == ending))
}

/// Builds the tables of endings and of all endings that captures lead to. Valid tables in the folder are kept, so an
/// interrupted build continues where it stopped. `report` receives the progress.
///
/// # Errors
/// [`BuildError`]; tables written before remain.
pub fn build(plan: &Plan, endings: &[Signature], mut report: impl FnMut(Step)) -> Result<(), BuildError> {
    let (needed, _) = prepare(plan, endings)?;
    let mut tables = Endings::default();
    for (index, &ending) in needed.iter().enumerate() {
        if is_stored(plan, ending) {
            report(Step::Found(ending));
            tables.retain(|kept| is_needed(kept, &needed[index + 1..]));
            continue;
        }
        tables.read_captures_of(ending, plan.folder, plan.metric)?;
        let start = Instant::now();
        let table =
            tables.solve(ending, plan.metric, plan.threads, |progress| report(Step::Solving(ending, progress)))?;
        let time = start.elapsed();
        let bytes = write(plan.folder, &table, plan.threads)?;
        report(Step::Written { table: &table, statistics: &table.statistics(), bytes, time });
        tables.insert(Arc::new(table));
        // Drop tables that no later ending needs.
        tables.retain(|kept| is_needed(kept, &needed[index + 1..]));
    }
    Ok(())
}

/// Tells whether the folder holds the table of an ending and it is not damaged.
fn is_stored(plan: &Plan, ending: Signature) -> bool {
    StoredTable::open(plan.folder, ending, plan.metric).is_ok_and(|table| table.check().is_ok())
}
