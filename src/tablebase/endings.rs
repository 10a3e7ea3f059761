//! Relations between endings, and tables in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::file_format::{CanonicalPosition, StoreError, stronger_first};
use super::layout::{ATTACKERS, Layout, MAX_ATTACKERS};
use super::retrograde::{Analysis, Progress};
use super::stored_table::StoredTable;
use super::table::Table;
use super::value::{Metric, TablebaseValue};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{PieceKind, Side};

/// Reason why an ending cannot be solved.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EndingError {
    /// Neither side can win.
    #[error("{0} has no attacker: it is drawn and needs no table")]
    NoAttacker(Signature),
    /// There are too many attackers.
    #[error("{0} has more than {MAX_ATTACKERS} attackers or more positions than can be indexed")]
    TooLarge(Signature),
}

/// Returns whether a draw in this position is also one by the rules, apart from chases by advisors and elephants; see
/// [`is_exact`].
pub fn draws_are_exact(position: &Position) -> bool {
    Signature::from_position(position).is_some_and(is_exact)
}

/// Returns whether the values of an ending agree with the rules of repetition, apart from perpetual chases by advisors
/// and elephants: only one side has attackers.
///
/// ```
/// use chuhe::tablebase::is_exact;
/// assert!(is_exact("KRCvKAABB".parse()?));
/// assert!(!is_exact("KRvKN".parse()?));
/// # Ok::<(), chuhe::counting::SignatureError>(())
/// ```
pub fn is_exact(ending: Signature) -> bool {
    let has_attackers = |side| ATTACKERS.iter().any(|&kind| ending.count(side, kind) > 0);
    !(has_attackers(Side::Red) && has_attackers(Side::Black))
}

/// Returns the endings that captures lead to, normalised, without those that have no attacker.
pub(super) fn after_captures(ending: Signature) -> impl Iterator<Item = Signature> {
    Side::BOTH.into_iter().flat_map(move |side| {
        PieceKind::ALL.into_iter().filter_map(move |kind| {
            let taken = |of, piece| usize::from(of == side && piece == kind);
            let count = |of, piece| usize::from(ending.count(of, piece)).checked_sub(taken(of, piece));
            if kind == PieceKind::King || count(side, kind).is_none() {
                return None;
            }
            let after = Signature::new(|of, piece| count(of, piece).unwrap_or_default()).ok()?;
            (after.attackers() > 0).then(|| stronger_first(after).0)
        })
    })
}

/// Returns all endings that must be solved for these, each after those that its captures lead to.
///
/// ```
/// use chuhe::tablebase::needed_for;
/// let order: Vec<String> = needed_for(&["KRvKA".parse()?])?.iter().map(|ending| ending.to_string()).collect();
/// assert_eq!(order, ["KRvK", "KRvKA"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EndingError`] if an ending cannot be solved.
pub fn needed_for(endings: &[Signature]) -> Result<Vec<Signature>, EndingError> {
    let mut needed = BTreeSet::new();
    let mut remaining: Vec<Signature> = Vec::new();
    for &ending in endings {
        if ending.attackers() == 0 {
            return Err(EndingError::NoAttacker(ending));
        }
        if ending.attackers() > MAX_ATTACKERS {
            return Err(EndingError::TooLarge(ending));
        }
        remaining.push(stronger_first(ending).0);
    }
    while let Some(ending) = remaining.pop() {
        if needed.insert((ending.piece_count(), ending)) {
            remaining.extend(after_captures(ending));
        }
    }
    Ok(needed.into_iter().map(|(_, ending)| ending).collect())
}

/// Tables in memory.
#[derive(Clone, Default)]
pub struct Endings {
    tables: BTreeMap<Signature, Arc<Table>>,
}

impl Endings {
    /// Returns the table of a normalised ending.
    pub fn get(&self, ending: Signature) -> Option<&Arc<Table>> {
        self.tables.get(&ending)
    }

    /// Adds a table.
    pub fn insert(&mut self, table: Arc<Table>) {
        self.tables.insert(table.signature(), table);
    }

    /// Reads the missing tables of the endings that captures lead to from a folder.
    ///
    /// # Errors
    /// [`StoreError`] if one of them is missing or invalid.
    pub fn read_captures_of(&mut self, ending: Signature, folder: &Path, metric: Metric) -> Result<(), StoreError> {
        for after in after_captures(ending) {
            if self.get(after).is_none() {
                self.insert(Arc::new(StoredTable::open(folder, after, metric)?.read_all()?));
            }
        }
        Ok(())
    }

    /// Keeps only the tables of selected endings.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(Signature) -> bool) {
        self.tables.retain(|&ending, _| is_kept(ending));
    }

    /// Returns the value of a position whose side not to move is not in check; `None` without a table of its ending.
    /// Endings without attackers are drawn.
    pub fn value(&self, placement: &Placement, side: Side) -> Option<TablebaseValue> {
        let canonical = CanonicalPosition::new(placement, side)?;
        if canonical.ending.attackers() == 0 {
            return Some(TablebaseValue::Draw);
        }
        self.tables.get(&canonical.ending)?.value(&canonical.placement, canonical.side)
    }

    /// Solves an ending. The tables of all endings that captures lead to must be present.
    ///
    /// # Errors
    /// [`EndingError`] if it cannot be solved.
    ///
    /// # Panics
    /// If the table of an ending after a capture is missing.
    pub fn solve(
        &self,
        ending: Signature,
        metric: Metric,
        threads: usize,
        report: impl FnMut(Progress),
    ) -> Result<Table, EndingError> {
        let layout = layout_of(ending)?;
        let capture_value = |placement: &Placement, side| self.capture_value(placement, side);
        let mut analysis = Analysis::new(&layout, metric, threads, &capture_value);
        analysis.run(report);
        let (decided, plies) = analysis.finish();
        Ok(Table { layout, metric, decided, plies })
    }

    fn capture_value(&self, placement: &Placement, side: Side) -> TablebaseValue {
        match self.value(placement, side) {
            Some(value) => value,
            None => panic!("the table of an ending after a capture is missing"),
        }
    }
}

fn layout_of(ending: Signature) -> Result<Layout, EndingError> {
    let (ending, _) = stronger_first(ending);
    if ending.attackers() == 0 {
        return Err(EndingError::NoAttacker(ending));
    }
    Layout::new(ending).ok_or(EndingError::TooLarge(ending))
}

/// Returns the number of slices of an ending, from which its memory is estimated.
pub(super) fn slices_of(ending: Signature) -> Result<u64, EndingError> {
    Ok(layout_of(ending)?.slices() as u64)
}
