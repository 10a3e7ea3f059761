//! Relations between endings, tables in memory, and building tables in a folder in the order that captures require.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::file_format::{StoredTable, write};
use super::layout::{Layout, normalised, stronger_first};
use super::table::{BYTES_PER_ANALYSED_SLICE, BYTES_PER_SLICE, Table};
use super::value::{Metric, TableError, TablebaseValue};
use crate::counting::{Placement, Signature};
use crate::types::{PieceKind, Side};
use crate::util::host::{Duration, Instant};

/// Returns the endings that captures lead to, without those that have no attacker.
pub(super) fn after_captures(ending: Signature) -> impl Iterator<Item = Signature> {
    let pieces = Side::BOTH.into_iter().flat_map(|side| PieceKind::ALL.map(|kind| (side, kind)));
    pieces.filter_map(move |taken| {
        let left = |piece: (Side, PieceKind)| ending.count(piece.0, piece.1).checked_sub(u8::from(piece == taken));
        left(taken)?;
        // There is no ending without a king.
        let after = Signature::new(|side, kind| left((side, kind)).unwrap_or_default().into()).ok()?;
        (after.attackers() > 0).then(|| stronger_first(after))
    })
}

/// Returns all endings that must be solved for these, each after those that its captures lead to.
pub fn needed_for(endings: &[Signature]) -> Result<Vec<Signature>, TableError> {
    let mut needed = BTreeSet::new();
    let mut remaining: Vec<Signature> = endings.iter().copied().map(stronger_first).collect();
    remaining.iter().try_for_each(|&ending| Layout::new(ending).map(drop))?;
    while let Some(ending) = remaining.pop() {
        if needed.insert((ending.piece_count(), ending)) {
            remaining.extend(after_captures(ending));
        }
    }
    Ok(needed.into_iter().map(|(_, ending)| ending).collect())
}

/// Tables in memory.
#[derive(Default)]
pub struct Endings(BTreeMap<Signature, Table>);

impl Endings {
    /// Returns the table of an ending whose stronger material is Red's.
    pub fn get(&self, ending: Signature) -> Option<&Table> {
        self.0.get(&ending)
    }

    pub(super) fn insert(&mut self, table: Table) -> &Table {
        let ending = table.signature();
        self.0.insert(ending, table);
        &self.0[&ending]
    }

    /// Reads the missing tables of the endings that captures lead to from a folder.
    pub fn read_captures_of(&mut self, ending: Signature, folder: &Path, metric: Metric) -> Result<(), TableError> {
        for after in after_captures(ending) {
            if self.get(after).is_none() {
                self.insert(StoredTable::open(folder, after, metric)?.read_all()?);
            }
        }
        Ok(())
    }

    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(Signature) -> bool) {
        self.0.retain(|&ending, _| is_kept(ending));
    }

    /// Returns the value of a position whose side not to move is not in check; `None` without a table of its ending.
    pub fn value(&self, placement: &Placement, side: Side) -> Option<TablebaseValue> {
        let (ending, placement, side) = normalised(placement, side)?;
        if ending.attackers() == 0 {
            return Some(TablebaseValue::Draw);
        }
        self.get(ending)?.value(&placement, side)
    }
}

/// Build settings.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    pub folder: &'a Path,
    pub metric: Metric,
    pub threads: usize,
    /// Limit in bytes.
    pub memory: u64,
}

/// Progress of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Distance in plies of the positions found last.
    pub level: usize,
    /// Number of decided positions.
    pub decided: u64,
}

/// Progress of a build.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy)]
pub enum Step<'a> {
    Found(Signature),
    Solving(Signature, Progress),
    /// With the size of its files, and the time for solving it without writing.
    Written {
        table: &'a Table,
        bytes: u64,
        time: Duration,
    },
}

/// Returns the tables that a plan builds, in order, and the peak memory in bytes.
/// With the mate metric, captures that lead to many different distances may need more than this estimate.
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
/// interrupted build continues where it stopped. `report` receives the progress. Tables written before an error remain.
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
