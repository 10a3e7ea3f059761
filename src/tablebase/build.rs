//! Building tables in a folder, in the order required by captures.

use std::path::Path;
use std::time::{Duration, Instant};

use super::endings::{Endings, after_captures, needed_for};
use super::file_format::{StoredTable, write};
use super::layout::Layout;
use super::retrograde::Progress;
use super::table::{BYTES_PER_ANALYSED_SLICE, BYTES_PER_SLICE, Table};
use super::value::{Metric, TableError};
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
        /// Size of its files in bytes.
        bytes: u64,
        /// Time for solving it, without writing.
        time: Duration,
    },
}

/// Returns the tables that a plan builds, in order, and the peak memory in bytes.
///
/// # Errors
/// If an ending cannot be solved or exceeds the memory limit. With the mate metric, captures that lead to many
/// different distances may need more than this estimate.
pub fn prepare(plan: &Plan, endings: &[Signature]) -> Result<(Vec<Signature>, u64), TableError> {
    const MEGABYTE: u64 = 1 << 20;
    let needed = needed_for(endings)?;
    let mut slices = Vec::new();
    let mut peak = 0;
    for (index, &ending) in needed.iter().enumerate() {
        slices.push(Layout::new(ending)?.slices as u64);
        let kept = needed.iter().zip(&slices).filter(|&(&kept, _)| is_needed(kept, &needed[index..]));
        let kept: u64 = kept.map(|(_, slices)| slices * BYTES_PER_SLICE).sum();
        let bytes = kept + slices[index] * (BYTES_PER_SLICE + BYTES_PER_ANALYSED_SLICE);
        if bytes > plan.memory {
            let (needed, allowed) = (bytes.div_ceil(MEGABYTE), plan.memory / MEGABYTE);
            return Err(TableError::Memory { ending, needed, allowed });
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
/// As [`prepare`], or if a file cannot be read or written; tables written before remain.
pub fn build(plan: &Plan, endings: &[Signature], mut report: impl FnMut(Step)) -> Result<(), TableError> {
    let (needed, _) = prepare(plan, endings)?;
    let mut tables = Endings::default();
    for (index, &ending) in needed.iter().enumerate() {
        let stored = StoredTable::open(plan.folder, ending, plan.metric);
        if stored.is_ok_and(|table| table.check().is_ok()) {
            report(Step::Found(ending));
        } else {
            tables.read_captures_of(ending, plan.folder, plan.metric)?;
            let start = Instant::now();
            let progress = |progress| report(Step::Solving(ending, progress));
            let table = tables.solve(ending, plan.metric, plan.threads, progress)?;
            let time = start.elapsed();
            let bytes = write(plan.folder, table, plan.threads)?;
            report(Step::Written { table, bytes, time });
        }
        tables.retain(|kept| is_needed(kept, &needed[index + 1..]));
    }
    Ok(())
}
