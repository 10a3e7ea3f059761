//! Which endings an ending leads to, and the tables of several endings together.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::layout::{ATTACKERS, Layout, MAX_ATTACKERS};
use super::retrograde::{Analysis, Progress};
use super::store::StoreError;
use super::stored::StoredTable;
use super::table::Table;
use super::value::{Metric, Value};
use crate::counting::{Placement, Signature};
use crate::position::Position;
use crate::types::{PieceKind, Side};

/// Why an ending cannot be solved.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EndingError {
    /// No side can win.
    #[error("{0} has no attacker: it is drawn, and needs no table")]
    NoAttacker(Signature),
    /// Too many attackers.
    #[error("{0} has more than {MAX_ATTACKERS} attackers, or more positions than can be numbered")]
    TooLarge(Signature),
}

/// The ending with the stronger men as Red's, and whether the colours had to be exchanged for it.
///
/// ```
/// use chuhe::tablebase::stronger_first;
/// assert_eq!(stronger_first("KAABBvKR".parse()?), ("KRvKAABB".parse()?, true));
/// # Ok::<(), chuhe::counting::SignatureError>(())
/// ```
pub fn stronger_first(ending: Signature) -> (Signature, bool) {
    let swapped = ending.swapped();
    if swapped > ending { (swapped, true) } else { (ending, false) }
}

/// A position to be looked up, seen with the stronger men as Red's.
pub(super) struct CanonicalPosition<'a> {
    pub ending: Signature,
    pub placement: Cow<'a, Placement>,
    pub side: Side,
}

impl<'a> CanonicalPosition<'a> {
    /// The position of these men with `side` to move; `None` when they are more of a kind than a game starts with.
    pub fn new(placement: &'a Placement, side: Side) -> Option<CanonicalPosition<'a>> {
        let (ending, is_swapped) = stronger_first(Signature::of_placement(placement)?);
        Some(if is_swapped {
            CanonicalPosition { ending, placement: Cow::Owned(placement.swapped()), side: !side }
        } else {
            CanonicalPosition { ending, placement: Cow::Borrowed(placement), side }
        })
    }
}

/// Whether a draw that tables tell of this position is one by the rules, chases by advisors and elephants left aside;
/// see [`is_exact`].
pub fn draws_are_exact(position: &Position) -> bool {
    Signature::of(position).is_some_and(is_exact)
}

/// Whether the values of an ending are those that the rules of repetition give, perpetual chases by advisors and
/// elephants left aside: only one side has attackers.
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

/// The endings that a capture in this one leads to, those without an attacker left out, stronger men first.
pub(super) fn after_captures(ending: Signature) -> impl Iterator<Item = Signature> {
    Side::BOTH.into_iter().flat_map(move |side| {
        PieceKind::ALL.into_iter().filter_map(move |kind| {
            let taken = |of, man| usize::from(of == side && man == kind);
            let count = |of, man| usize::from(ending.count(of, man)).checked_sub(taken(of, man));
            if kind == PieceKind::King || count(side, kind).is_none() {
                return None;
            }
            let after = Signature::new(|of, man| count(of, man).unwrap_or_default()).ok()?;
            (after.attackers() > 0).then(|| stronger_first(after).0)
        })
    })
}

/// The endings that must be solved for these, each after those that its captures lead to.
///
/// ```
/// use chuhe::tablebase::needed_for;
/// let order: Vec<String> = needed_for(&["KRvKA".parse()?])?.iter().map(|ending| ending.to_string()).collect();
/// assert_eq!(order, ["KRvK", "KRvKA"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EndingError`] for an ending that cannot be solved.
pub fn needed_for(endings: &[Signature]) -> Result<Vec<Signature>, EndingError> {
    let mut needed = BTreeSet::new();
    let mut left: Vec<Signature> = Vec::new();
    for &ending in endings {
        if ending.attackers() == 0 {
            return Err(EndingError::NoAttacker(ending));
        }
        if ending.attackers() > MAX_ATTACKERS {
            return Err(EndingError::TooLarge(ending));
        }
        left.push(stronger_first(ending).0);
    }
    while let Some(ending) = left.pop() {
        if needed.insert((ending.men(), ending)) {
            left.extend(after_captures(ending));
        }
    }
    Ok(needed.into_iter().map(|(_, ending)| ending).collect())
}

/// Tables of endings in memory.
#[derive(Clone, Default)]
pub struct Endings {
    tables: BTreeMap<Signature, Arc<Table>>,
}

impl Endings {
    /// The table of an ending, stronger men first.
    pub fn get(&self, ending: Signature) -> Option<&Arc<Table>> {
        self.tables.get(&ending)
    }

    /// Adds a table.
    pub fn insert(&mut self, table: Arc<Table>) {
        self.tables.insert(table.signature(), table);
    }

    /// Adds the tables of the endings that captures in this one lead to, those that are not here yet, from a folder.
    ///
    /// # Errors
    /// [`StoreError`] when one of them is missing or of no use.
    pub fn read_captures_of(&mut self, ending: Signature, folder: &Path, metric: Metric) -> Result<(), StoreError> {
        for after in after_captures(ending) {
            if self.get(after).is_none() {
                self.insert(Arc::new(StoredTable::open(folder, after, metric)?.read_all()?));
            }
        }
        Ok(())
    }

    /// Drops the tables of the endings that are not wanted.
    pub(super) fn retain(&mut self, mut is_wanted: impl FnMut(Signature) -> bool) {
        self.tables.retain(|&ending, _| is_wanted(ending));
    }

    /// The value of a position whose side not to move is not in check; `None` when its ending has no table here.
    /// An ending without attackers is drawn.
    pub fn value(&self, placement: &Placement, side: Side) -> Option<Value> {
        let asked = CanonicalPosition::new(placement, side)?;
        if asked.ending.attackers() == 0 {
            return Some(Value::Draw);
        }
        self.tables.get(&asked.ending)?.value(&asked.placement, asked.side)
    }

    /// Solves an ending; those that its captures lead to must be here.
    ///
    /// # Errors
    /// [`EndingError`] when it cannot be solved.
    ///
    /// # Panics
    /// When the table of an ending after a capture is missing.
    pub fn solve(
        &self,
        ending: Signature,
        metric: Metric,
        threads: usize,
        report: impl FnMut(Progress),
    ) -> Result<Table, EndingError> {
        let layout = layout_of(ending)?;
        let ended = |placement: &Placement, side| self.ended(placement, side);
        let mut analysis = Analysis::new(&layout, metric, threads, &ended);
        analysis.run(report);
        let (decided, plies) = analysis.finish();
        Ok(Table { layout, metric, decided, plies })
    }

    /// How many more positions would be decided if the weaker side might not begin to attack a man with an advisor or an
    /// elephant; those that the numbering has twice are counted twice. With one attacker no more draws than that can
    /// rest on perpetual chases, which the rules forbid, and where it is 0 the table is exact under every rule set; with
    /// several, a man between an elephant and what it attacks may hide a chase.
    ///
    /// # Errors
    /// [`EndingError`] when it cannot be solved.
    ///
    /// # Panics
    /// When the table of an ending after a capture is missing.
    pub fn draws_by_chases(&self, table: &Table, threads: usize) -> Result<u64, EndingError> {
        let ended = |placement: &Placement, side| self.ended(placement, side);
        let layout = layout_of(table.signature())?;
        let mut analysis = Analysis::new(&layout, Metric::Conversion, threads, &ended).without_chases();
        analysis.run(|_| ());
        Ok(analysis.decided().saturating_sub(table.decided_count()))
    }

    fn ended(&self, placement: &Placement, side: Side) -> Value {
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

/// How many slices an ending has, by which the memory for it is reckoned.
pub(super) fn slices_of(ending: Signature) -> Result<u64, EndingError> {
    Ok(layout_of(ending)?.slices() as u64)
}
