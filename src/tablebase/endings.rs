//! Relations between endings, and tables in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::file_format::StoredTable;
use super::layout::{Layout, normalised, stronger_first};
use super::table::Table;
use super::value::{Metric, TableError, TablebaseValue};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{PieceKind, Side};

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
    Side::BOTH.into_iter().any(|side| ending.attackers_of(side) == 0)
}

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
///
/// ```
/// use chuhe::tablebase::needed_for;
/// let order: Vec<String> = needed_for(&["KRvKA".parse()?])?.iter().map(|ending| ending.to_string()).collect();
/// assert_eq!(order, ["KRvK", "KRvKA"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If an ending cannot be solved.
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

    /// Adds a table and returns it.
    pub(super) fn insert(&mut self, table: Table) -> &Table {
        let ending = table.signature();
        self.0.insert(ending, table);
        &self.0[&ending]
    }

    /// Reads the missing tables of the endings that captures lead to from a folder.
    ///
    /// # Errors
    /// If one of them is missing or invalid.
    pub fn read_captures_of(&mut self, ending: Signature, folder: &Path, metric: Metric) -> Result<(), TableError> {
        for after in after_captures(ending) {
            if self.get(after).is_none() {
                self.insert(StoredTable::open(folder, after, metric)?.read_all()?);
            }
        }
        Ok(())
    }

    /// Keeps only the tables of selected endings.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(Signature) -> bool) {
        self.0.retain(|&ending, _| is_kept(ending));
    }

    /// Returns the value of a position whose side not to move is not in check; `None` without a table of its ending.
    /// Endings without attackers are drawn.
    pub fn value(&self, placement: &Placement, side: Side) -> Option<TablebaseValue> {
        let (ending, placement, side) = normalised(placement, side)?;
        if ending.attackers() == 0 {
            return Some(TablebaseValue::Draw);
        }
        self.get(ending)?.value(&placement, side)
    }
}
